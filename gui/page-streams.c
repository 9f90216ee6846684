/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page-streams.h"

#include "object-stream.h"
#include "page-call.h"
#include "stream-row.h"

/* As often as a person reads a number that changes. */
#define POLL_INTERVAL_MS 1000
/* bfq speaks of a process whenever it serves it: players pause for a second or two at most. */
#define HEAR_SECONDS 5

struct _BrioPageStreams
{
  AdwBin parent_instance;

  BrioClient *client;
  GListStore *players;
  GtkFilterListModel *models[BRIO_PLAYER_N_STATES];

  struct page_call call;
  char *unfolded;        /* the name of the process whose row comes unfolded; NULL: none */
  guint hear_source;     /* while bfq is listened to */
  GCancellable *hearing; /* the same; NULL: it is not */

  GtkStack *stack;
  AdwStatusPage *failed_page;
  GtkWidget *groups[BRIO_PLAYER_N_STATES];
  GtkListBox *lists[BRIO_PLAYER_N_STATES];
  GtkWidget *hear_button;
  GtkSpinner *hear_spinner;
};

static void brio_page_streams_page_init (BrioPageInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (BrioPageStreams, brio_page_streams, ADW_TYPE_BIN,
                               G_IMPLEMENT_INTERFACE (BRIO_TYPE_PAGE, brio_page_streams_page_init))

static void
show_state (BrioPage *page)
{
  BrioPageStreams *self = BRIO_PAGE_STREAMS (page);
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->players));

  for (BrioPlayerState state = 0; state < BRIO_PLAYER_N_STATES; state++)
    gtk_widget_set_visible (self->groups[state], g_list_model_get_n_items (G_LIST_MODEL (self->models[state])) > 0);
  gtk_stack_set_visible_child_name (self->stack, page_call_get_shown (&self->call, n, n));
}

static void
take (BrioPage *page,
      GVariant *entries)
{
  brio_players_merge (BRIO_PAGE_STREAMS (page)->players, entries);
}

/* One begins or ends: without waiting for the next look. */
static void
on_told (BrioPageStreams *self)
{
  if (self->call.poll_source)
    page_call_ask (&self->call);
}

static void
set_hearing (BrioPageStreams *self,
             gboolean         hearing)
{
  g_clear_handle_id (&self->hear_source, g_source_remove);
  g_cancellable_cancel (self->hearing);
  g_clear_object (&self->hearing);
  if (hearing)
    self->hearing = g_cancellable_new ();
  gtk_widget_set_sensitive (self->hear_button, !hearing);
  gtk_widget_set_visible (GTK_WIDGET (self->hear_spinner), hearing);
  gtk_spinner_set_spinning (self->hear_spinner, hearing);
}

static void
refuse_hearing (BrioPageStreams *self,
                const GError    *error)
{
  g_autofree char *text = brio_client_explain_error (error);

  set_hearing (self, FALSE);
  gtk_widget_activate_action (GTK_WIDGET (self), "win.notify", "s", text);
}

static void
on_heard (GObject      *source,
          GAsyncResult *result,
          gpointer      userdata)
{
  g_autoptr (BrioPageStreams) self = userdata; /* held for the call */
  g_autoptr (GVariant) verdicts = NULL;
  g_autoptr (GError) error = NULL;

  verdicts = brio_client_call_finish (BRIO_CLIENT (source), result, &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (!verdicts)
    {
      refuse_hearing (self, error);
      return;
    }
  set_hearing (self, FALSE);
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->players)); i++)
    {
      g_autoptr (BrioPlayer) player = g_list_model_get_item (G_LIST_MODEL (self->players), i);

      brio_player_hear (player, verdicts);
    }
}

static gboolean
on_hear_end (gpointer userdata)
{
  BrioPageStreams *self = userdata;

  self->hear_source = 0;
  /* One second more: then the daemon lets go of the tracer. */
  brio_client_call_authorized_async (self->client, "GetKernelVerdicts", g_variant_new ("(u)", 1u), "(aa{sv})", self->hearing, on_heard,
                                     g_object_ref (self));
  return G_SOURCE_REMOVE;
}

static void
on_hear_begun (GObject      *source,
               GAsyncResult *result,
               gpointer      userdata)
{
  g_autoptr (BrioPageStreams) self = userdata; /* held for the call */
  g_autoptr (GVariant) nothing = NULL;
  g_autoptr (GError) error = NULL;

  nothing = brio_client_call_finish (BRIO_CLIENT (source), result, &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (nothing)
    self->hear_source = g_timeout_add_seconds (HEAR_SECONDS, on_hear_end, self);
  else
    refuse_hearing (self, error);
}

/* The first call begins, and knows nothing yet. */
static void
on_hear (BrioPageStreams *self)
{
  set_hearing (self, TRUE);
  brio_client_call_authorized_async (self->client, "GetKernelVerdicts", g_variant_new ("(u)", 2u * HEAR_SECONDS), "(aa{sv})",
                                     self->hearing, on_hear_begun, g_object_ref (self));
}

static void
brio_page_streams_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (brio_page_streams_parent_class)->map (widget);
  page_call_poll (&BRIO_PAGE_STREAMS (widget)->call, POLL_INTERVAL_MS);
}

static void
brio_page_streams_unmap (GtkWidget *widget)
{
  page_call_stop (&BRIO_PAGE_STREAMS (widget)->call);
  GTK_WIDGET_CLASS (brio_page_streams_parent_class)->unmap (widget);
}

static void
on_state_changed (BrioPageStreams *self)
{
  if (brio_client_get_state (self->client) != BRIO_CLIENT_CONNECTED)
    set_hearing (self, FALSE);
}

static void
brio_page_streams_set_client (BrioPage   *page,
                              BrioClient *client)
{
  BrioPageStreams *self = BRIO_PAGE_STREAMS (page);

  g_return_if_fail (!self->client);

  self->client = g_object_ref (client);
  self->call = (struct page_call) { .failed_page = self->failed_page, .take = take, .show = show_state };
  page_call_set_up (&self->call, page, client, "GetStreams", NULL);
  g_signal_connect_object (client, "told::StreamStarted", G_CALLBACK (on_told), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (client, "told::StreamEnded", G_CALLBACK (on_told), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (client, "notify::state", G_CALLBACK (on_state_changed), self, G_CONNECT_SWAPPED);
}

/* There is no page of its own for one: it is unfolded where it stands. */
static void
brio_page_streams_show_detail (BrioPage   *page,
                               const char *name)
{
  BrioPageStreams *self = BRIO_PAGE_STREAMS (page);

  g_free (self->unfolded);
  self->unfolded = g_strdup (name);
  for (BrioPlayerState state = 0; state < BRIO_PLAYER_N_STATES; state++)
    for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->models[state])); i++)
      {
        g_autoptr (BrioPlayer) player = g_list_model_get_item (G_LIST_MODEL (self->models[state]), i);
        GtkListBoxRow *row = gtk_list_box_get_row_at_index (self->lists[state], (int) i);

        adw_expander_row_set_expanded (ADW_EXPANDER_ROW (row), g_strcmp0 (name, brio_player_get_name (player)) == 0);
      }
}

static void
brio_page_streams_page_init (BrioPageInterface *iface)
{
  iface->set_client = brio_page_streams_set_client;
  iface->show_detail = brio_page_streams_show_detail;
}

static gboolean
is_in_state (gpointer item,
             gpointer state)
{
  return brio_player_get_state (item) == GPOINTER_TO_UINT (state);
}

static GtkWidget *
create_row (gpointer item,
            gpointer userdata)
{
  BrioPageStreams *self = userdata;
  GtkWidget *row = brio_stream_row_new (item);

  if (g_strcmp0 (self->unfolded, brio_player_get_name (item)) == 0)
    adw_expander_row_set_expanded (ADW_EXPANDER_ROW (row), TRUE);
  return row;
}

static void
brio_page_streams_dispose (GObject *object)
{
  BrioPageStreams *self = BRIO_PAGE_STREAMS (object);

  page_call_clear (&self->call);
  g_clear_handle_id (&self->hear_source, g_source_remove);
  g_cancellable_cancel (self->hearing);
  g_clear_object (&self->hearing);
  for (BrioPlayerState state = 0; state < BRIO_PLAYER_N_STATES; state++)
    g_clear_object (&self->models[state]);
  g_clear_object (&self->players);
  g_clear_object (&self->client);

  G_OBJECT_CLASS (brio_page_streams_parent_class)->dispose (object);
}

static void
brio_page_streams_finalize (GObject *object)
{
  g_free (BRIO_PAGE_STREAMS (object)->unfolded);

  G_OBJECT_CLASS (brio_page_streams_parent_class)->finalize (object);
}

static void
brio_page_streams_class_init (BrioPageStreamsClass *klass)
{
  static const char *const children[BRIO_PLAYER_N_STATES][2] = {
    [BRIO_PLAYER_STREAM] = { "stream_group", "stream_list" },
    [BRIO_PLAYER_NEAR_MISS] = { "near_miss_group", "near_miss_list" },
    [BRIO_PLAYER_CANDIDATE] = { "candidate_group", "candidate_list" },
    [BRIO_PLAYER_ENDED] = { "ended_group", "ended_list" },
  };
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = brio_page_streams_dispose;
  G_OBJECT_CLASS (klass)->finalize = brio_page_streams_finalize;
  widget_class->map = brio_page_streams_map;
  widget_class->unmap = brio_page_streams_unmap;

  gtk_widget_class_set_template_from_resource (widget_class, "/org/brio/Brio/page-streams.ui");
  gtk_widget_class_bind_template_child (widget_class, BrioPageStreams, stack);
  gtk_widget_class_bind_template_child (widget_class, BrioPageStreams, failed_page);
  gtk_widget_class_bind_template_child (widget_class, BrioPageStreams, hear_button);
  gtk_widget_class_bind_template_child (widget_class, BrioPageStreams, hear_spinner);
  for (BrioPlayerState state = 0; state < BRIO_PLAYER_N_STATES; state++)
    {
      gtk_widget_class_bind_template_child_full (widget_class, children[state][0], FALSE,
                                                 G_STRUCT_OFFSET (BrioPageStreams, groups) + (gssize) (state * sizeof (GtkWidget *)));
      gtk_widget_class_bind_template_child_full (widget_class, children[state][1], FALSE,
                                                 G_STRUCT_OFFSET (BrioPageStreams, lists) + (gssize) (state * sizeof (GtkListBox *)));
    }
  gtk_widget_class_bind_template_callback (widget_class, on_hear);
}

static void
brio_page_streams_init (BrioPageStreams *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->players = g_list_store_new (BRIO_TYPE_PLAYER);
  for (BrioPlayerState state = 0; state < BRIO_PLAYER_N_STATES; state++)
    {
      GtkCustomFilter *filter = gtk_custom_filter_new (is_in_state, GUINT_TO_POINTER (state), NULL);

      self->models[state] = gtk_filter_list_model_new (G_LIST_MODEL (g_object_ref (self->players)), GTK_FILTER (filter));
      gtk_list_box_bind_model (self->lists[state], G_LIST_MODEL (self->models[state]), create_row, self, NULL);
    }
}
