/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dialogs.h"

#include <glib/gi18n.h>

#include "config.h"
#include "law-words.h"
#include "list-box.h"
#include "preferences.h"
#include "report.h"

/* Windows as libadwaita 1.2 has them, also where it is newer: the adaptive dialogs of 1.5 would replace no more of this than its width, and each of them,
 * and each test of it, would be there twice. AdwToolbarView would replace two boxes of window.ui, which would be there twice as well. */
static GtkBuilder *
build (const char *name,
       GtkWindow  *parent)
{
  g_autofree char *path = g_strdup_printf ("/org/brio/Brio/%s.ui", name);
  GtkBuilder *builder = gtk_builder_new_from_resource (path);
  GtkWindow *window = GTK_WINDOW (gtk_builder_get_object (builder, name));
  int width, height, room, unused;

  gtk_window_get_default_size (window, &width, &height);
  gtk_window_get_default_size (parent, &room, &unused);
  gtk_window_set_default_size (window, MIN (width, room), height); /* over a narrow one it is no wider */
  gtk_window_set_transient_for (window, parent);
  return builder;
}

void
dialogs_show_preferences (GtkWindow *parent)
{
  g_autoptr (GtkBuilder) builder = build ("preferences", parent);

  preferences_set_up (builder);
  gtk_window_present (GTK_WINDOW (gtk_builder_get_object (builder, "preferences")));
}

static void
add_words (GtkBuilder *builder,
           const char *group,
           const char *word,
           const char *name,
           const char *meaning)
{
  GtkWidget *row = list_box_new_row (name, meaning), *label = gtk_label_new (word);

  gtk_widget_add_css_class (label, "dim-label");
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), label);
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (gtk_builder_get_object (builder, group)), row);
}

void
dialogs_show_help (GtkWindow *parent)
{
  g_autoptr (GtkBuilder) builder = build ("help", parent);
  const char *word;

  for (guint i = 0; (word = law_words_nth (i)); i++)
    add_words (builder, "laws", word, law_words_name (word), law_words_meaning (word));
  for (guint i = 0; (word = tunable_words_nth (i)); i++)
    add_words (builder, "settings", word, tunable_words_name (word), tunable_words_meaning (word));
  gtk_window_present (GTK_WINDOW (gtk_builder_get_object (builder, "help")));
}

void
dialogs_show_shortcuts (GtkWindow *parent)
{
  g_autoptr (GtkBuilder) builder = gtk_builder_new_from_resource ("/org/brio/Brio/shortcuts.ui");
  GtkWindow *window = GTK_WINDOW (gtk_builder_get_object (builder, "shortcuts"));

  gtk_window_set_transient_for (window, parent); /* as wide as its columns */
  gtk_window_present (window);
}

void
dialogs_show_about (GtkWindow  *parent,
                    BrioClient *client)
{
  g_autofree char *about = report_format_summary (client);

  adw_show_about_window (parent,
                         "application-icon", "org.brio.Brio",
                         "application-name", _("Brio"),
                         "developer-name", _("The Brio developers"),
                         "version", BRIO_VERSION,
                         "comments", _("Shows what waits for the drives, and what Brio did about it"),
                         "debug-info", about,
                         "debug-info-filename", "brio.txt",
                         "license-type", GTK_LICENSE_GPL_3_0,
                         NULL);
}
