/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report-dialog.h"

#include <glib/gi18n.h>

#include "list-box.h"
#include "message.h"
#include "report-archive.h"

/* Long enough for what stands still for some seconds; a second has at most 1 MB. */
#define RECORDING_SECONDS 20

struct making
{
  BrioClient *client;
  GCancellable *cancellable;
  AdwMessageDialog *dialog; /* that is open; NULL: none */
  GtkProgressBar *bar;      /* in it, as the next */
  GtkLabel *passed;
  GtkSwitch *choice; /* whether to record; NULL: it is not asked for */
  gboolean answered;        /* what goes into the report */
};

static void
free_making (gpointer data)
{
  struct making *m = data;

  g_clear_weak_pointer (&m->dialog);
  g_object_unref (m->client);
  g_object_unref (m->cancellable);
  g_free (m);
}

/* Takes the task, and what came of it: NULL where it was cancelled. */
static void
end (GTask  *task,
     GBytes *archive)
{
  g_task_return_pointer (task, archive, (GDestroyNotify) g_bytes_unref);
  g_object_unref (task);
}

static void
on_archive (GObject      *source,
            GAsyncResult *result,
            gpointer      userdata)
{
  (void) source;
  end (userdata, report_archive_make_finish (result, NULL));
}

static void
make_archive (GTask  *task,
              GBytes *recording)
{
  struct making *m = g_task_get_task_data (task);

  report_archive_make_async (g_task_get_source_object (task), m->client, recording, m->cancellable, on_archive, task);
}

/* A report without one is better than none. */
static void
on_recorded (GObject      *source,
             GAsyncResult *result,
             gpointer      userdata)
{
  GTask *task = userdata;
  struct making *m = g_task_get_task_data (task);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) recording = brio_client_record_finish (BRIO_CLIENT (source), result, &error);

  if (m->dialog)
    gtk_window_destroy (GTK_WINDOW (m->dialog));
  if (!recording && !g_cancellable_is_cancelled (m->cancellable))
    {
      g_autofree char *text = brio_client_explain_error (error);

      gtk_widget_activate_action (g_task_get_source_object (task), "win.notify", "s", text);
    }
  make_archive (task, recording);
}

static void
on_recording_response (GTask      *task,
                       const char *response)
{
  struct making *m = g_task_get_task_data (task);

  if (g_str_equal (response, "end"))
    brio_client_record_end (m->client);
  else
    g_cancellable_cancel (m->cancellable);
}

/* child may be NULL. */
static void
open_dialog (GTask      *task,
             const char *heading,
             const char *body,
             GtkWidget  *child,
             GCallback   on_response)
{
  struct making *m = g_task_get_task_data (task);
  AdwMessageDialog *dialog = message_new (g_task_get_source_object (task), heading, body, child);

  adw_message_dialog_add_response (dialog, "cancel", _("_Cancel"));
  g_set_weak_pointer (&m->dialog, dialog);
  g_signal_connect_data (dialog, "response", on_response, g_object_ref (task), (GClosureNotify) (void (*) (void)) g_object_unref, G_CONNECT_SWAPPED);
}

static void
open_progress (GTask *task)
{
  struct making *m = g_task_get_task_data (task);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6), *bar = gtk_progress_bar_new (), *passed = gtk_label_new (NULL);

  gtk_widget_add_css_class (passed, "numeric");
  gtk_box_append (GTK_BOX (box), bar);
  gtk_box_append (GTK_BOX (box), passed);
  m->bar = GTK_PROGRESS_BAR (bar);
  m->passed = GTK_LABEL (passed);
  open_dialog (task, _("Recording"), _("Let what is slow go on meanwhile."), box, G_CALLBACK (on_recording_response));
  adw_message_dialog_add_response (m->dialog, "end", _("_End Now"));
  gtk_window_present (GTK_WINDOW (m->dialog));
}

/* There is no dialog before there is a recording: the user may be asked for a password. */
static void
on_progress (guint    seconds,
             gpointer userdata)
{
  GTask *task = userdata;
  struct making *m = g_task_get_task_data (task);
  g_autofree char *text = NULL;

  if (!m->dialog && seconds == 0)
    open_progress (task);
  if (!m->dialog)
    return;
  /* Translators: how long it has been recorded, and how long that takes in all: "8 of 20 seconds" */
  text = g_strdup_printf (_("%u of %u seconds"), seconds, (guint) RECORDING_SECONDS);
  gtk_label_set_label (m->passed, text);
  gtk_progress_bar_set_fraction (m->bar, (double) seconds / RECORDING_SECONDS);
}

static void
on_question_response (GTask      *task,
                      const char *response)
{
  struct making *m = g_task_get_task_data (task);

  m->answered = TRUE;
  g_clear_weak_pointer (&m->dialog); /* it closes by itself */
  if (!g_str_equal (response, "continue"))
    end (task, NULL);
  else if (m->choice && gtk_switch_get_active (m->choice))
    brio_client_record_async (m->client, RECORDING_SECONDS, on_progress, m->cancellable, on_recorded, task);
  else
    make_archive (task, NULL);
}

static void
on_question_closed (GTask *task)
{
  struct making *m = g_task_get_task_data (task);

  if (!m->answered)
    end (task, NULL);
}

/* It is held until all has ended. */
static void
on_window_closed (GTask *task)
{
  struct making *m = g_task_get_task_data (task);

  g_cancellable_cancel (m->cancellable);
  if (m->dialog)
    gtk_window_destroy (GTK_WINDOW (m->dialog));
}

/* In a list, as such a row is everywhere. */
static GtkWidget *
new_choice (struct making *m)
{
  /* Translators: %u is a number of seconds */
  g_autofree char *title = g_strdup_printf (_("Record %u Seconds"), (guint) RECORDING_SECONDS);
  GtkWidget *list = gtk_list_box_new (), *choice = gtk_switch_new ();
  GtkWidget *row = list_box_add_row (GTK_LIST_BOX (list), title, _("Shows why something is slow, if that goes on meanwhile. Names the programs of all users, "
                                                                   "but no files. Needs an administrator."));

  gtk_widget_set_valign (choice, GTK_ALIGN_CENTER);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), choice);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), choice);
  gtk_list_box_set_selection_mode (GTK_LIST_BOX (list), GTK_SELECTION_NONE);
  gtk_widget_add_css_class (list, "boxed-list");
  m->choice = GTK_SWITCH (choice);
  return list;
}

void
report_dialog_make_async (BrioWindow         *window,
                          BrioClient         *client,
                          GAsyncReadyCallback callback,
                          gpointer            userdata)
{
  GTask *task = g_task_new (window, NULL, callback, userdata); /* until end() */
  struct making *m = g_new0 (struct making, 1);
  gboolean connected = brio_client_get_state (client) == BRIO_CLIENT_CONNECTED;

  m->client = g_object_ref (client);
  m->cancellable = g_cancellable_new ();
  g_task_set_task_data (task, m, free_making);
  open_dialog (task, _("Save a Report"), _("It has Brio’s settings, decisions, starts and processes as text, and a picture of each page."),
               connected ? new_choice (m) : NULL, G_CALLBACK (on_question_response));
  adw_message_dialog_add_response (m->dialog, "continue", _("C_ontinue"));
  adw_message_dialog_set_default_response (m->dialog, "continue");
  g_signal_connect_swapped (m->dialog, "destroy", G_CALLBACK (on_question_closed), task);
  g_signal_connect_object (window, "unrealize", G_CALLBACK (on_window_closed), task, G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (m->dialog));
}

GBytes *
report_dialog_make_finish (GAsyncResult *result,
                           GError      **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
