/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A page alone in a window, against a scripted daemon. */
#pragma once

#include <adwaita.h>
#include <stdbool.h>

#include "client.h"
#include "page.h"

struct page_env {
        BrioClient *client;
        BrioPage *page;
        GtkWindow *window;
};

/* scenario: as env_daemon_start(). False where the daemon does not come up. */
bool page_env_open(GType type, const char *scenario, int width, int height, struct page_env *ret);
/* Ends everything. True if the page is gone. */
bool page_env_close(struct page_env *p);

/* The first widget of that type below w (or w itself) that is mapped and, where text is not NULL, a label with that text. */
GtkWidget *page_env_find(GtkWidget *w, GType type, const char *text);

/* Of the table below w. */
guint page_env_count_rows(GtkWidget *w);

/* For env_wait(), with a widget. */
bool page_env_is_mapped(void *widget);
bool page_env_is_unmapped(void *widget);

/* What the stack of a widget with a template shows. */
const char *page_env_get_shown(void *widget);
bool page_env_shows(void *widget, const char *what);
/* For env_wait(). */
bool page_env_shows_list(void *page);
bool page_env_shows_empty(void *page);
bool page_env_shows_failed(void *page);
bool page_env_shows_no_match(void *page);
/* It is loading, then has a list, and says in between not even that there is nothing. */
bool page_env_loads_in_silence(BrioPage *page);

/* From now on the window's action of that name, with a parameter of that type, asks no daemon; page_env_caught(): what it was given last, as text; NULL: it
 * was not activated. */
void page_env_catch(GtkWindow *window, const char *name, const char *type);
const char *page_env_caught(void);
