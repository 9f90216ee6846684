/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the dashboard keeps for a user: data/org.brio.Brio.gschema.xml says what. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define SETTINGS_WELCOMED "welcomed"
#define SETTINGS_WIDTH "width"
#define SETTINGS_HEIGHT "height"
#define SETTINGS_MAXIMIZED "maximized"
#define SETTINGS_PAGE "page"
#define SETTINGS_SIDEBAR "sidebar"
#define SETTINGS_PLOT_SPAN "plot-span"
#define SETTINGS_PROCESSES_ORDER "processes-order"
#define SETTINGS_STARTUPS_ORDER "startups-order"

/* The schema of the build tree where the program runs from one, else the installed one. NULL where there is neither: then nothing is kept.
 * Free with g_object_unref(). */
GSettings *settings_new (void);

G_END_DECLS
