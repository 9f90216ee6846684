/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "file-saving.h"

#include <glib/gi18n.h>

#define CONTENTS_KEY "brio-contents"

static void
on_saved (GObject      *source,
          GAsyncResult *result,
          gpointer      userdata)
{
  g_autoptr (GtkWidget) widget = userdata; /* held for the call */
  g_autoptr (GError) error = NULL;
  g_autofree char *name = g_file_get_basename (G_FILE (source)), *text = NULL;

  if (g_file_replace_contents_finish (G_FILE (source), result, NULL, &error))
    text = g_strdup_printf (_("Saved as %s"), name);
  else
    /* Translators: a file that could not be written, and why */
    text = g_strdup_printf (_("%s could not be saved: %s"), name, error->message);
  gtk_widget_activate_action (widget, "win.notify", "s", text);
}

void
file_saving_write (GtkWidget *widget,
                   GFile     *file,
                   GBytes    *contents)
{
  g_autoptr (GBytes) held = contents;

  g_file_replace_contents_bytes_async (file, held, NULL, FALSE, G_FILE_CREATE_PRIVATE, NULL, on_saved, g_object_ref (widget));
}

static void
on_response (GtkNativeDialog *dialog,
             int              response,
             GtkWidget       *widget)
{
  if (response == GTK_RESPONSE_ACCEPT)
    {
      g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));

      file_saving_write (widget, file, g_object_steal_data (G_OBJECT (dialog), CONTENTS_KEY));
    }
  g_object_unref (dialog);
}

void
file_saving_ask (GtkWidget  *widget,
                 const char *title,
                 const char *name,
                 GBytes     *contents)
{
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (title, GTK_WINDOW (gtk_widget_get_root (widget)), GTK_FILE_CHOOSER_ACTION_SAVE, NULL, NULL);

  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE); /* one at a time */
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), name);
  g_object_set_data_full (G_OBJECT (dialog), CONTENTS_KEY, contents, (GDestroyNotify) g_bytes_unref);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_response), widget, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}
