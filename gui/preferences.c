/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "preferences.h"

#include <adwaita.h>

#include "session-service.h"

#define CANCELLABLE_KEY "brio-cancellable"
#define GROUP_KEY "brio-group"

static void
say (GtkSwitch    *notify,
     const GError *error)
{
  g_autofree char *text = session_service_explain (error), *escaped = text ? g_markup_escape_text (text, -1) : NULL;

  adw_preferences_group_set_description (g_object_get_data (G_OBJECT (notify), GROUP_KEY), escaped);
}

static gboolean on_state_set (GtkSwitch *notify, gboolean on, gpointer unused);

/* Without asking for it. */
static void
show (GtkSwitch *notify,
      gboolean   on)
{
  g_signal_handlers_block_by_func (notify, on_state_set, NULL);
  gtk_switch_set_active (notify, on);
  gtk_switch_set_state (notify, on);
  g_signal_handlers_unblock_by_func (notify, on_state_set, NULL);
}

/* Of both calls. Where it could not be switched it is as it was. */
static void
on_answer (GObject      *source,
           GAsyncResult *result,
           gpointer      userdata)
{
  GtkSwitch *notify;
  g_autoptr (GError) error = NULL;
  gboolean on;

  (void) source;
  if (!session_service_finish (result, &on, &error) && g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return; /* the window has gone */
  notify = userdata;
  show (notify, error ? gtk_switch_get_state (notify) : on);
  if (error)
    say (notify, error);
  gtk_widget_set_sensitive (GTK_WIDGET (notify), TRUE);
  gtk_widget_set_visible (GTK_WIDGET (notify), !error || !session_service_is_lacking (error)); /* else there is nothing to switch */
}

static gboolean
on_state_set (GtkSwitch *notify,
              gboolean   on,
              gpointer   unused)
{
  (void) unused;
  gtk_widget_set_sensitive (GTK_WIDGET (notify), FALSE); /* one call at a time */
  session_service_set_async (on, g_object_get_data (G_OBJECT (notify), CANCELLABLE_KEY), on_answer, notify);
  return TRUE; /* its state follows */
}

void
preferences_set_up (GtkBuilder *builder)
{
  GtkSwitch *notify = GTK_SWITCH (gtk_builder_get_object (builder, "notify"));
  GCancellable *cancellable = g_cancellable_new ();

  g_object_set_data_full (G_OBJECT (notify), CANCELLABLE_KEY, cancellable, g_object_unref);
  g_object_set_data (G_OBJECT (notify), GROUP_KEY, gtk_builder_get_object (builder, "notifications"));
  g_signal_connect_object (notify, "destroy", G_CALLBACK (g_cancellable_cancel), cancellable, G_CONNECT_SWAPPED);
  g_signal_connect (notify, "state-set", G_CALLBACK (on_state_set), NULL);
  session_service_ask_async (cancellable, on_answer, notify);
}
