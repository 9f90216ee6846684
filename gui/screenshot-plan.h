/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What --screenshot and its companions ask for: a picture of the window, or of one over it, when what it is to show is there. How long that
 * takes does not matter: a machine may be busy. Then the application ends. */
#pragma once

#include "client.h"
#include "window.h"

G_BEGIN_DECLS

struct screenshot_plan
{
  char *file; /* NULL: no picture is wanted */
  int width;  /* of the window; below 1, or height is: as it comes. Also without a picture */
  int height;
  int after_s;   /* no sooner than that */
  int samples_s; /* on the overview, not before each drive has samples of so long a time */
  char *page;
  char *search;
  char *detail;
  char *action; /* done once the page is there; the picture shows what comes of it */

  GApplication *application;
  BrioWindow *window;
  BrioClient *client;
  gint64 begin_us;
  gint64 step_us; /* since when it waits for what is next */
  gboolean acted;
  guint n_batches; /* of samples that came */
  guint still; /* so many looks found it there, and as large as before */
  int seen_width, seen_height;
  gboolean failed; /* there is no picture; said on stderr */
};

/* Once, before the window is presented: its size, its page, and what is to be seen on that. self and the application outlive the window. */
void screenshot_plan_begin (struct screenshot_plan *self,
                            GApplication           *application,
                            BrioWindow             *window,
                            BrioClient             *client);
/* Frees what the options are. */
void screenshot_plan_clear (struct screenshot_plan *self);

G_END_DECLS
