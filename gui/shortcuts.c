/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shortcuts.h"

#define KEYS_MAX 3

/* The menu button adds F10. */
static const struct
{
  const char *action;
  const char *keys[KEYS_MAX];
} shortcuts[] = {
  { "app.quit", { "<Control>q" } },
  { "app.help", { "F1" } },
  { "app.preferences", { "<Control>comma" } },
  { "app.shortcuts", { "<Control>question", "<Control>F1" } },
  { "window.close", { "<Control>w" } },
  { "win.back", { "<Alt>Left", "Back" } },
  { "win.sidebar", { "F9" } },
  { "win.search", { "<Control>f" } },
  { "win.page('overview')", { "<Alt>1" } },
  { "win.page('startups')", { "<Alt>2" } },
  { "win.page('streams')", { "<Alt>3" } },
  { "win.page('processes')", { "<Alt>4" } },
  { "win.page('decisions')", { "<Alt>5" } },
  { "win.page('policies')", { "<Alt>6" } },
};

void
shortcuts_set_up (GtkApplication *application)
{
  for (guint i = 0; i < G_N_ELEMENTS (shortcuts); i++)
    gtk_application_set_accels_for_action (application, shortcuts[i].action, shortcuts[i].keys);
}
