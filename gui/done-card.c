/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "done-card.h"

#include <glib/gi18n.h>

#include "accessible.h"
#include "decision-marks.h"
#include "done.h"
#include "hold-button.h"
#include "list-box.h"
#include "plot-span.h"

/* As many as GetDecisions() tells at most. */
#define DECISIONS_MAX 512

struct _BrioDoneCard
{
  AdwPreferencesGroup parent_instance;

  BrioClient *client;
  GCancellable *cancellable; /* of the calls of this connection; NULL: none */
  struct done *done;
  gboolean loaded;

  GtkWidget *starts, *active, *back; /* rows */
  GtkWidget *release;                /* within the second; NULL: there is no client yet */
};

G_DEFINE_FINAL_TYPE (BrioDoneCard, brio_done_card, ADW_TYPE_PREFERENCES_GROUP)

static void ask (BrioDoneCard *self);

/* With a button that ends what an application has asked for. */
static void
show_active (BrioDoneCard *self)
{
  const char *mode = brio_client_get_mode (self->client);
  struct brio_hold hold;
  gboolean held = brio_client_find_hold (self->client, &hold);
  g_autofree char *text = done_words_active (self->done, brio_client_get_devices (self->client), mode, held ? &hold : NULL);

  adw_action_row_set_subtitle (ADW_ACTION_ROW (self->active), text);
  gtk_widget_set_visible (self->release, held && g_str_equal (mode, "auto"));
  if (held)
    hold_button_set (self->release, &hold);
}

static void
show_text (GtkWidget *row,
           char      *text) /* taken */
{
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), text);
  g_free (text);
}

static gboolean
is_of_today (BrioDoneCard *self)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();

  return done_is_of_today (self->done, now);
}

void
brio_done_card_refresh (BrioDoneCard *self)
{
  g_autofree char *title = NULL;

  g_return_if_fail (BRIO_IS_DONE_CARD (self));

  gtk_widget_set_visible (GTK_WIDGET (self), self->loaded);
  if (!self->loaded)
    return;
  if (!is_of_today (self))
    {
      ask (self); /* a day has begun */
      return;
    }
  title = done_words_title (self->done);
  if (g_strcmp0 (adw_preferences_group_get_title (ADW_PREFERENCES_GROUP (self)), title) != 0)
    adw_preferences_group_set_title (ADW_PREFERENCES_GROUP (self), title);
  show_text (self->starts, done_words_starts (self->done, brio_client_get_prefetch (self->client)));
  show_active (self);
  show_text (self->back, done_words_back (self->done));
}

/* On the time axes of the drives' plots. */
static void
mark_all (BrioDoneCard *self,
          GVariant     *decisions)
{
  gint64 now_us = g_get_monotonic_time ();

  decision_marks_load (brio_client_get_devices (self->client), decisions, g_get_real_time () - now_us, now_us - PLOT_SPAN_MAX_S * G_USEC_PER_SEC);
}

static void
on_decisions (GObject      *source,
              GAsyncResult *result,
              gpointer      userdata)
{
  g_autoptr (BrioDoneCard) self = userdata; /* held for the call */
  g_autoptr (GVariant) entries = brio_client_call_finish (BRIO_CLIENT (source), result, NULL);
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();

  if (!entries || !self->client)
    return; /* the page of decisions says what is wrong */
  done_load (self->done, entries, DECISIONS_MAX, brio_client_get_daemon_start_us (self->client), now);
  mark_all (self, entries);
  self->loaded = TRUE;
  brio_done_card_refresh (self);
}

static void
ask (BrioDoneCard *self)
{
  brio_client_call_async (self->client, "GetDecisions", g_variant_new ("(t)", (guint64) 0), "(aa{sv})", self->cancellable, on_decisions, g_object_ref (self));
}

static void
on_state_changed (BrioDoneCard *self)
{
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  self->loaded = FALSE;
  if (brio_client_get_state (self->client) != BRIO_CLIENT_CONNECTED)
    return;
  self->cancellable = g_cancellable_new ();
  ask (self);
}

static void
on_made (BrioDoneCard *self,
         GVariant     *entry)
{
  decision_marks_add (brio_client_get_devices (self->client), entry, g_get_real_time () - g_get_monotonic_time ());
  if (self->loaded && is_of_today (self))
    done_take (self->done, entry);
}

void
brio_done_card_set_client (BrioDoneCard *self,
                           BrioClient   *client)
{
  g_return_if_fail (BRIO_IS_DONE_CARD (self));
  g_return_if_fail (!self->client);

  self->client = g_object_ref (client);
  self->release = hold_button_new (client);
  adw_action_row_add_suffix (ADW_ACTION_ROW (self->active), self->release);
  g_signal_connect_object (client, "notify::state", G_CALLBACK (on_state_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (client, "told::DecisionMade", G_CALLBACK (on_made), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (client, "prefetch-changed", G_CALLBACK (brio_done_card_refresh), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (client, "holds-changed", G_CALLBACK (brio_done_card_refresh), self, G_CONNECT_SWAPPED);
  on_state_changed (self);
}

static void
brio_done_card_dispose (GObject *object)
{
  BrioDoneCard *self = BRIO_DONE_CARD (object);

  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_object (&self->client);

  G_OBJECT_CLASS (brio_done_card_parent_class)->dispose (object);
}

static void
brio_done_card_finalize (GObject *object)
{
  BRIO_DONE_CARD (object)->done = done_free (BRIO_DONE_CARD (object)->done);

  G_OBJECT_CLASS (brio_done_card_parent_class)->finalize (object);
}

static void
brio_done_card_class_init (BrioDoneCardClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = brio_done_card_dispose;
  G_OBJECT_CLASS (klass)->finalize = brio_done_card_finalize;
}

/* One that leads to the page with more of it. */
static GtkWidget *
add_row (BrioDoneCard *self,
         const char   *title,
         const char   *page)
{
  GtkWidget *row = list_box_new_row (title, "");

  accessible_name (row, title);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), TRUE);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (row), "win.page");
  gtk_actionable_set_action_target (GTK_ACTIONABLE (row), "s", page);
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (self), row);
  return row;
}

static void
brio_done_card_init (BrioDoneCard *self)
{
  self->done = done_new ();
  self->starts = add_row (self, _("Starts of Applications"), "startups");
  self->active = add_row (self, _("Right Now"), "processes");
  self->back = add_row (self, _("Given Back"), "decisions");
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}
