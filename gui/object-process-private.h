/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What object-process.c and process-group.c know of a process. */
#pragma once

#include "object-process.h"

G_BEGIN_DECLS

struct told
{
  GRefString *name, *application, *drive, *io_class; /* the same where they are equal */
  const char *user;
  guint32 io_level, others;
  gboolean inferred, observed, random;
  gint64 figures[BRIO_PROCESS_N_FIGURES];
};

struct _BrioProcess
{
  GObject parent_instance;

  guint32 pid; /* 0: a group */
  struct told told;
  gboolean looked_for;                   /* the application and what follows from it */
  GRefString *application, *title, *key; /* title: the application's name; both NULL: it has none. Equal keys are of one group */
  BrioProcess *group;                    /* that it is in; NULL: none */
  guint n_members;                       /* of a group */
  gboolean unfolded;
  gint64 history[BRIO_PROCESS_SECONDS], highest; /* bytes a second, the oldest first; 0: it did nothing, or was not there */
  /* Made when asked for, and kept until what they are made of changes: */
  char *searched;
  char *keys[BRIO_PROCESS_N_KEYS];
};

/* Its words are others now: what was made of them is made anew when asked for. */
void brio_process_forget_made (BrioProcess *self);
void brio_process_forget_application (BrioProcess *self);
/* Emit these signals. */
void brio_process_changed (BrioProcess *self);
void brio_process_moved   (BrioProcess *self);

G_END_DECLS
