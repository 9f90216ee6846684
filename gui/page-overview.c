/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page-overview.h"

#include "columns.h"
#include "done-card.h"
#include "drive-card.h"
#include "page.h"
#include "plot-draw.h"
#include "plot-span.h"
#include "settings.h"

/* How often what is found about the drives is asked for: a sentence takes as long to be read. */
#define FINDINGS_INTERVAL_MS 2000
/* A card takes some milliseconds to be made and laid out: those that a large window shows at once, and the others by so many a frame. */
#define CARDS_FIRST 6
#define CARDS_STEP 2

enum
{
  PROP_0,
  PROP_SPAN,
  N_PROPS
};

struct _BrioPageOverview
{
  AdwBin parent_instance;

  int span_s; /* that the plots are over */

  GtkWidget *status;

  BrioClient *client;
  GtkSortListModel *devices; /* the client's, those that are busy first */
  guint tick; /* pending callback: samples came that are not shown yet */
  guint next; /* the card that it looks at next */
  guint left; /* how many it has yet to look at */
  guint make_tick; /* pending callback: there are drives without a card */

  guint findings_source; /* while shown */

  BrioDoneCard *done;
  GtkStack *stack;
  GtkScrolledWindow *scrolled;
  AdwClamp *clamp;
  BrioColumns *cards;
};

static void brio_page_overview_page_init (BrioPageInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (BrioPageOverview, brio_page_overview, ADW_TYPE_BIN,
                               G_IMPLEMENT_INTERFACE (BRIO_TYPE_PAGE, brio_page_overview_page_init))

static GParamSpec *props[N_PROPS];

/* A card a frame: a frame costs what lies in the rectangle around all that changes, and that of plots all over the window is the window,
 * with each card's shadow, and each text anew. Cards with nothing new, or out of sight, are passed over. */
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
      else if (self->next++, plot_draw_is_in_sight (card) && brio_drive_card_refresh (BRIO_DRIVE_CARD (card)))
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
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)) || brio_page_is_minimised (GTK_WIDGET (self)))
    return; /* the next sample after that draws what came meanwhile */
  /* All the way round from where it is, and past the end: none is left out where samples come faster than cards are drawn. */
  self->left = (self->client ? g_list_model_get_n_items (brio_client_get_devices (self->client)) : 0) + 1;
  if (self->tick == 0)
    self->tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_tick, NULL, NULL);
}

static GtkWidget *
find_card (BrioPageOverview *self,
           BrioDevice       *device)
{
  GtkWidget *card = gtk_widget_get_first_child (GTK_WIDGET (self->cards));

  while (card && brio_drive_card_get_device (BRIO_DRIVE_CARD (card)) != device)
    card = gtk_widget_get_next_sibling (card);
  return card;
}

static GtkWidget *
make_card (BrioPageOverview *self,
           BrioDevice       *device,
           gboolean          open)
{
  GtkWidget *card = brio_drive_card_new (device);

  brio_drive_card_set_span (BRIO_DRIVE_CARD (card), self->span_s);
  brio_drive_card_set_open (BRIO_DRIVE_CARD (card), open);
  return card;
}

/* At most n of those that are missing, the first ones first; the others are brought into order. TRUE where more are. */
static gboolean
make_cards (BrioPageOverview *self,
            guint             n)
{
  GListModel *devices = G_LIST_MODEL (self->devices);
  GtkWidget *next = gtk_widget_get_first_child (GTK_WIDGET (self->cards));

  for (guint i = 0; i < g_list_model_get_n_items (devices); i++)
    {
      g_autoptr (BrioDevice) device = g_list_model_get_item (devices, i);
      GtkWidget *card = find_card (self, device);

      if (card && card == next)
        {
          next = gtk_widget_get_next_sibling (next);
          continue;
        }
      if (!card && n-- == 0)
        return TRUE;
      /* The first one, which is busy where any is; of the others a line each. */
      gtk_widget_insert_before (card ? card : make_card (self, device, i == 0), GTK_WIDGET (self->cards), next);
    }
  return FALSE;
}

static gboolean
on_make (GtkWidget     *widget,
         GdkFrameClock *clock,
         gpointer       unused)
{
  BrioPageOverview *self = BRIO_PAGE_OVERVIEW (widget);
  gboolean more = make_cards (self, CARDS_STEP);

  (void) clock;
  (void) unused;
  on_sampled (self);
  if (!more)
    self->make_tick = 0;
  return more ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static gboolean
is_listed (GListModel *devices,
           BrioDevice *device)
{
  for (guint i = 0; i < g_list_model_get_n_items (devices); i++)
    {
      g_autoptr (BrioDevice) listed = g_list_model_get_item (devices, i);

      if (listed == device)
        return TRUE;
    }
  return FALSE;
}

/* All is as wide as the cards get. */
static void
fit_width (BrioPageOverview *self,
           guint             n_cards)
{
  int width = brio_columns_get_widest (self->cards, n_cards);

  adw_clamp_set_tightening_threshold (self->clamp, width);
  adw_clamp_set_maximum_size (self->clamp, width);
}

static void
on_devices_changed (BrioPageOverview *self,
                    guint             position,
                    guint             removed,
                    guint             added,
                    GListModel       *devices)
{
  GtkWidget *card = brio_columns_get_child (self->cards, 0);
  guint n = 0; /* cards */

  (void) position;
  while (card)
    {
      GtkWidget *next = gtk_widget_get_next_sibling (card);

      if (removed > 0 && !is_listed (devices, brio_drive_card_get_device (BRIO_DRIVE_CARD (card))))
        gtk_widget_unparent (card);
      else
        n++;
      card = next;
    }
  if (added > 0 && make_cards (self, CARDS_FIRST - MIN (n, CARDS_FIRST)) && self->make_tick == 0)
    self->make_tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_make, NULL, NULL);
  fit_width (self, g_list_model_get_n_items (devices));
  gtk_stack_set_visible_child_name (self->stack, g_list_model_get_n_items (devices) > 0 ? "drives" : "empty");
}

static int
compare (gconstpointer a,
         gconstpointer b,
         gpointer      unused)
{
  gboolean a_idle = g_str_equal (brio_device_get_workload ((BrioDevice *) a), "idle");
  gboolean b_idle = g_str_equal (brio_device_get_workload ((BrioDevice *) b), "idle");

  (void) unused;
  return a_idle - b_idle;
}

/* Not below the pointer, or while a key is about to reach one of them. */
static void
sort_cards (BrioPageOverview *self)
{
  GtkStateFlags flags = gtk_widget_get_state_flags (GTK_WIDGET (self->cards));

  if (!(flags & (GTK_STATE_FLAG_PRELIGHT | GTK_STATE_FLAG_FOCUS_WITHIN)))
    gtk_sorter_changed (gtk_sort_list_model_get_sorter (self->devices), GTK_SORTER_CHANGE_DIFFERENT);
}

static void
brio_page_overview_set_client (BrioPage   *page,
                               BrioClient *client)
{
  BrioPageOverview *self = BRIO_PAGE_OVERVIEW (page);
  g_return_if_fail (!self->client);

  self->client = g_object_ref (client);
  brio_done_card_set_client (self->done, client);
  self->devices = gtk_sort_list_model_new (g_object_ref (brio_client_get_devices (client)), GTK_SORTER (gtk_custom_sorter_new (compare, NULL, NULL)));
  g_signal_connect_object (self->devices, "items-changed", G_CALLBACK (on_devices_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (client, "sampled", G_CALLBACK (on_sampled), self, G_CONNECT_SWAPPED);
  on_devices_changed (self, 0, 0, g_list_model_get_n_items (G_LIST_MODEL (self->devices)), G_LIST_MODEL (self->devices));
}

static void
set_span (BrioPageOverview *self,
          int               span_s)
{
  GtkWidget *card;

  span_s = plot_span_fit (span_s);
  if (self->span_s == span_s)
    return;
  self->span_s = span_s;
  for (guint i = 0; (card = brio_columns_get_child (self->cards, i)); i++)
    brio_drive_card_set_span (BRIO_DRIVE_CARD (card), span_s);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_SPAN]);
}

static void
on_zoom_action (GtkWidget  *widget,
                const char *name,
                GVariant   *parameter)
{
  BrioPageOverview *self = BRIO_PAGE_OVERVIEW (widget);

  (void) name;
  set_span (self, plot_span_zoom (self->span_s, g_variant_get_int32 (parameter)));
}

static void
brio_page_overview_set_settings (BrioPage  *page,
                                 GSettings *settings)
{
  g_settings_bind (settings, SETTINGS_PLOT_SPAN, page, "span", G_SETTINGS_BIND_DEFAULT);
}

static void
brio_page_overview_page_init (BrioPageInterface *iface)
{
  iface->set_client = brio_page_overview_set_client;
  iface->set_settings = brio_page_overview_set_settings;
}

static gboolean
on_findings (gpointer userdata)
{
  BrioPageOverview *self = userdata;

  if (brio_page_is_minimised (GTK_WIDGET (self)))
    return G_SOURCE_CONTINUE;
  brio_client_refresh_findings (self->client);
  brio_done_card_refresh (self->done);
  sort_cards (self);
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
brio_page_overview_get_property (GObject    *object,
                                 guint       prop_id,
                                 GValue     *value,
                                 GParamSpec *pspec)
{
  if (prop_id == PROP_SPAN)
    g_value_set_int (value, BRIO_PAGE_OVERVIEW (object)->span_s);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
}

static void
brio_page_overview_set_property (GObject      *object,
                                 guint         prop_id,
                                 const GValue *value,
                                 GParamSpec   *pspec)
{
  if (prop_id == PROP_SPAN)
    set_span (BRIO_PAGE_OVERVIEW (object), g_value_get_int (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
}

static void
brio_page_overview_dispose (GObject *object)
{
  g_clear_handle_id (&BRIO_PAGE_OVERVIEW (object)->findings_source, g_source_remove);
  g_clear_object (&BRIO_PAGE_OVERVIEW (object)->devices);
  g_clear_object (&BRIO_PAGE_OVERVIEW (object)->client);

  G_OBJECT_CLASS (brio_page_overview_parent_class)->dispose (object);
}

static void
brio_page_overview_class_init (BrioPageOverviewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = brio_page_overview_dispose;
  object_class->get_property = brio_page_overview_get_property;
  object_class->set_property = brio_page_overview_set_property;
  widget_class->map = brio_page_overview_map;
  widget_class->unmap = brio_page_overview_unmap;

  props[PROP_SPAN] = g_param_spec_int ("span", NULL, NULL, 0, PLOT_SPAN_MAX_S, PLOT_SPAN_DEFAULT_S,
                                       G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, props);
  gtk_widget_class_install_property_action (widget_class, "overview.span", "span");
  gtk_widget_class_install_action (widget_class, "overview.zoom", "i", on_zoom_action);

  g_type_ensure (BRIO_TYPE_COLUMNS);
  g_type_ensure (BRIO_TYPE_DONE_CARD);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/brio/Brio/page-overview.ui");
  gtk_widget_class_bind_template_child (widget_class, BrioPageOverview, status);
  gtk_widget_class_bind_template_child (widget_class, BrioPageOverview, done);
  gtk_widget_class_bind_template_child (widget_class, BrioPageOverview, stack);
  gtk_widget_class_bind_template_child (widget_class, BrioPageOverview, scrolled);
  gtk_widget_class_bind_template_child (widget_class, BrioPageOverview, clamp);
  gtk_widget_class_bind_template_child (widget_class, BrioPageOverview, cards);
}

static void
brio_page_overview_init (BrioPageOverview *self)
{
  self->span_s = PLOT_SPAN_DEFAULT_S;
  gtk_widget_init_template (GTK_WIDGET (self));
  brio_page_set_status_icon (self->status, "drive-harddisk-symbolic");
  /* What comes into sight was not drawn while it was out of it. */
  g_signal_connect_object (gtk_scrolled_window_get_vadjustment (self->scrolled), "value-changed", G_CALLBACK (on_sampled), self,
                           G_CONNECT_SWAPPED);
}
