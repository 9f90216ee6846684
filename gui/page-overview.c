/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page-overview.h"

#include "columns.h"
#include "drive-card.h"
#include "page.h"
#include "plot.h"

/* How often what is found about the drives is asked for: a sentence takes as long to be read. */
#define FINDINGS_INTERVAL_MS 2000

struct _BrioPageOverview
{
  AdwBin parent_instance;

  GtkWidget *status;

  BrioClient *client;
  guint tick; /* pending callback: samples came that are not shown yet */
  guint next; /* the card that it looks at next */
  guint left; /* how many it has yet to look at */

  guint findings_source; /* while shown */

  GtkStack *stack;
  GtkScrolledWindow *scrolled;
  BrioColumns *cards;
};

static void brio_page_overview_page_init (BrioPageInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (BrioPageOverview, brio_page_overview, ADW_TYPE_BIN,
                               G_IMPLEMENT_INTERFACE (BRIO_TYPE_PAGE, brio_page_overview_page_init))

/* A card a frame: a frame costs what lies in the rectangle around all that changes, and that of plots all over the window is the window,
 * with each card's shadow, and each text anew. Cards with nothing new are passed over. */
static gboolean
on_tick (GtkWidget     *widget,
         GdkFrameClock *clock,
         gpointer       unused)
{
  BrioPageOverview *self = BRIO_PAGE_OVERVIEW (widget);

  (void) clock;
  (void) unused;
  for (; self->left > 0; self->left--)
    {
      GtkWidget *card = brio_columns_get_child (self->cards, self->next);

      if (!card)
        self->next = 0;
      else if (self->next++, brio_drive_card_refresh (BRIO_DRIVE_CARD (card)))
        return G_SOURCE_CONTINUE;
    }
  self->tick = 0;
  return G_SOURCE_REMOVE;
}

/* One callback for all plots, from the next frame on and only while there is something new, so that the frame clock rests
 * between samples; it does not run while the page is not mapped. */
static void
on_sampled (BrioPageOverview *self)
{
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  /* All the way round from where it is, and past the end: none is left out where samples come faster than cards are drawn. */
  self->left = (self->client ? g_list_model_get_n_items (brio_client_get_devices (self->client)) : 0) + 1;
  if (self->tick == 0)
    self->tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_tick, NULL, NULL);
}

static void
on_devices_changed (BrioPageOverview *self,
                    guint             position,
                    guint             removed,
                    guint             added,
                    GListModel       *devices)
{
  for (guint i = 0; i < removed; i++)
    gtk_widget_unparent (brio_columns_get_child (self->cards, position));
  for (guint i = position; i < position + added; i++)
    {
      g_autoptr (BrioDevice) device = g_list_model_get_item (devices, i);

      brio_columns_insert (self->cards, brio_drive_card_new (device), i);
    }
  gtk_stack_set_visible_child_name (self->stack, g_list_model_get_n_items (devices) > 0 ? "drives" : "empty");
}

static void
brio_page_overview_set_client (BrioPage   *page,
                               BrioClient *client)
{
  BrioPageOverview *self = BRIO_PAGE_OVERVIEW (page);
  GListModel *devices;

  g_return_if_fail (!self->client);

  self->client = g_object_ref (client);
  devices = brio_client_get_devices (client);
  g_signal_connect_object (devices, "items-changed", G_CALLBACK (on_devices_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (client, "sampled", G_CALLBACK (on_sampled), self, G_CONNECT_SWAPPED);
  on_devices_changed (self, 0, 0, g_list_model_get_n_items (devices), devices);
}

static void
brio_page_overview_page_init (BrioPageInterface *iface)
{
  iface->set_client = brio_page_overview_set_client;
}

static gboolean
on_findings (gpointer userdata)
{
  BrioPageOverview *self = userdata;

  if (!brio_page_is_minimised (BRIO_PAGE (self)))
    brio_client_refresh_findings (self->client);
  return G_SOURCE_CONTINUE;
}

static void
brio_page_overview_map (GtkWidget *widget)
{
  BrioPageOverview *self = BRIO_PAGE_OVERVIEW (widget);

  GTK_WIDGET_CLASS (brio_page_overview_parent_class)->map (widget);
  on_sampled (self);
  if (!self->client)
    return;
  self->findings_source = g_timeout_add (FINDINGS_INTERVAL_MS, on_findings, self);
  on_findings (self);
}

static void
brio_page_overview_unmap (GtkWidget *widget)
{
  BrioPageOverview *self = BRIO_PAGE_OVERVIEW (widget);

  if (self->tick)
    gtk_widget_remove_tick_callback (widget, self->tick);
  self->tick = 0;
  g_clear_handle_id (&self->findings_source, g_source_remove);
  GTK_WIDGET_CLASS (brio_page_overview_parent_class)->unmap (widget);
}

static void
brio_page_overview_dispose (GObject *object)
{
  g_clear_handle_id (&BRIO_PAGE_OVERVIEW (object)->findings_source, g_source_remove);
  g_clear_object (&BRIO_PAGE_OVERVIEW (object)->client);

  G_OBJECT_CLASS (brio_page_overview_parent_class)->dispose (object);
}

static void
brio_page_overview_class_init (BrioPageOverviewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = brio_page_overview_dispose;
  widget_class->map = brio_page_overview_map;
  widget_class->unmap = brio_page_overview_unmap;

  g_type_ensure (BRIO_TYPE_COLUMNS);
  g_type_ensure (BRIO_TYPE_PLOT);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/brio/Brio/page-overview.ui");
  gtk_widget_class_bind_template_child (widget_class, BrioPageOverview, status);
  gtk_widget_class_bind_template_child (widget_class, BrioPageOverview, stack);
  gtk_widget_class_bind_template_child (widget_class, BrioPageOverview, scrolled);
  gtk_widget_class_bind_template_child (widget_class, BrioPageOverview, cards);
}

static void
brio_page_overview_init (BrioPageOverview *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  brio_page_set_status_icon (self->status, "drive-harddisk-symbolic");
  /* What comes into sight was not drawn while it was out of it. */
  g_signal_connect_object (gtk_scrolled_window_get_vadjustment (self->scrolled), "value-changed", G_CALLBACK (on_sampled), self,
                           G_CONNECT_SWAPPED);
}
