/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page-startups.h"

#include <glib/gi18n.h>

#include "accessible.h"
#include "app-info.h"
#include "object-startup.h"
#include "page-call.h"
#include "settings.h"
#include "startup-detail.h"
#include "startup-row.h"

/* As they stand in page-startups.ui. */
enum order
{
  ORDER_LATEST,
  ORDER_LONGEST,
  ORDER_SLOWED,
  ORDER_NAME,
};

struct _BrioPageStartups
{
  AdwBin parent_instance;

  BrioClient *client;
  GListStore *startups;
  GtkFilter *filter;
  GtkSorter *sorter;
  GtkFilterListModel *found;
  struct page_call call;
  char *detail; /* the application that is shown alone; NULL: none */

  GtkStack *stack;
  GtkSearchBar *search_bar;
  GtkSearchEntry *search_entry;
  GtkDropDown *order;
  GtkWidget *commands; /* a check button; hidden while there is nothing to leave out, or nothing else */
  GtkListView *view;
  AdwStatusPage *failed_page;
  BrioStartupDetail *detail_view;
};

static void brio_page_startups_page_init (BrioPageInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (BrioPageStartups, brio_page_startups, ADW_TYPE_BIN,
                               G_IMPLEMENT_INTERFACE (BRIO_TYPE_PAGE, brio_page_startups_page_init))

/* What has a desktop file, or was launched: the others are commands that were typed into a terminal. */
static gboolean
is_application (BrioStartup *startup)
{
  return brio_startup_is_launched (startup) || app_info_find (brio_startup_get_application (startup));
}

/* A list of commands alone is better than an empty one. */
static void
show_commands (BrioPageStartups *self)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->startups)), applications = 0;
  gboolean both;

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (BrioStartup) startup = g_list_model_get_item (G_LIST_MODEL (self->startups), i);

      applications += is_application (startup) ? 1 : 0;
    }
  both = applications > 0 && applications < n;
  if (both == gtk_widget_get_visible (self->commands))
    return;
  gtk_widget_set_visible (self->commands, both);
  gtk_filter_changed (self->filter, GTK_FILTER_CHANGE_DIFFERENT);
}

static void
show_state (BrioPage *page)
{
  BrioPageStartups *self = BRIO_PAGE_STARTUPS (page);
  const char *shown;

  show_commands (self);
  shown = page_call_get_shown (&self->call, g_list_model_get_n_items (G_LIST_MODEL (self->startups)),
                               g_list_model_get_n_items (G_LIST_MODEL (self->found)));
  gtk_stack_set_visible_child_full (self->stack, self->detail ? "detail" : shown,
                                    self->detail ? GTK_STACK_TRANSITION_TYPE_SLIDE_LEFT
                                    : g_str_equal (gtk_stack_get_visible_child_name (self->stack), "detail") ? GTK_STACK_TRANSITION_TYPE_SLIDE_RIGHT
                                                                                                    : GTK_STACK_TRANSITION_TYPE_NONE);
}

static void
show_worth (BrioPageStartups *self)
{
  brio_startups_take_prefetch (self->startups, brio_client_get_prefetch (self->client));
}

static void
take (BrioPage *page,
      GVariant *entries)
{
  BrioPageStartups *self = BRIO_PAGE_STARTUPS (page);

  brio_startups_load (self->startups, entries);
  show_worth (self);
}

static void
on_retry (BrioPageStartups *self)
{
  page_call_retry (&self->call);
}

static void
on_told (BrioPageStartups *self,
         GVariant         *entry)
{
  const char *application;

  if (!self->call.loaded)
    return;
  brio_startups_take (self->startups, entry);
  show_worth (self);
  show_state (BRIO_PAGE (self));
  if (self->detail && g_variant_lookup (entry, "application", "&s", &application) && g_str_equal (application, self->detail))
    brio_startup_detail_load (self->detail_view, self->detail);
}

static void
on_state_changed (BrioPageStartups *self)
{
  if (brio_client_get_state (self->client) == BRIO_CLIENT_CONNECTED)
    {
      page_call_ask_once (&self->call);
      if (self->detail)
        brio_startup_detail_load (self->detail_view, self->detail);
    }
  else /* what it tells next may be of another daemon, and what is shown is behind the page of one that is absent */
    page_call_forget (&self->call);
}

static gboolean
is_wanted (gpointer item,
           gpointer userdata)
{
  BrioPageStartups *self = userdata;
  const char *search = gtk_editable_get_text (GTK_EDITABLE (self->search_entry));

  if (*search) /* among all */
    return brio_startup_matches (item, app_info_get_name (brio_startup_get_application (item)), search);
  return !gtk_widget_get_visible (self->commands) || gtk_check_button_get_active (GTK_CHECK_BUTTON (self->commands)) || is_application (item);
}

static GtkOrdering
compare_numbers (double a,
                 double b)
{
  return a < b ? GTK_ORDERING_SMALLER : a > b ? GTK_ORDERING_LARGER : GTK_ORDERING_EQUAL;
}

static int
compare (gconstpointer a,
         gconstpointer b,
         gpointer      userdata)
{
  BrioPageStartups *self = userdata;
  BrioStartup *x = (BrioStartup *) a, *y = (BrioStartup *) b;

  switch ((enum order) gtk_drop_down_get_selected (self->order))
    {
    case ORDER_LONGEST:
      return compare_numbers ((double) brio_startup_get_figure (y, BRIO_STARTUP_LATENCY), (double) brio_startup_get_figure (x, BRIO_STARTUP_LATENCY));
    case ORDER_SLOWED:
      return compare_numbers (brio_startup_get_factor (y), brio_startup_get_factor (x));
    case ORDER_NAME:
      return gtk_ordering_from_cmpfunc (g_utf8_collate (app_info_get_name (brio_startup_get_application (x)),
                                                        app_info_get_name (brio_startup_get_application (y))));
    case ORDER_LATEST:
      break;
    }
  return compare_numbers ((double) brio_startup_get_time_us (y), (double) brio_startup_get_time_us (x));
}

static void
on_order_changed (BrioPageStartups *self)
{
  if (self->sorter)
    gtk_sorter_changed (self->sorter, GTK_SORTER_CHANGE_DIFFERENT);
}

static void
on_commands_toggled (BrioPageStartups *self)
{
  gtk_filter_changed (self->filter, GTK_FILTER_CHANGE_DIFFERENT);
}

static void
on_search_changed (BrioPageStartups *self)
{
  gtk_filter_changed (self->filter, GTK_FILTER_CHANGE_DIFFERENT);
  show_state (BRIO_PAGE (self));
}

static void
on_setup (GtkSignalListItemFactory *factory,
          GtkListItem              *item)
{
  (void) factory;
  gtk_list_item_set_child (item, brio_startup_row_new (TRUE));
}

static void
on_bind (GtkSignalListItemFactory *factory,
         GtkListItem              *item)
{
  (void) factory;
  brio_startup_row_show (BRIO_STARTUP_ROW (gtk_list_item_get_child (item)), gtk_list_item_get_item (item), 0);
}

static void
on_activated (BrioPageStartups *self,
              guint             position)
{
  g_autoptr (BrioStartup) startup = g_list_model_get_item (G_LIST_MODEL (gtk_list_view_get_model (self->view)), position);

  if (startup)
    brio_page_show_detail (BRIO_PAGE (self), brio_startup_get_application (startup));
}

static void
brio_page_startups_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (brio_page_startups_parent_class)->map (widget);
  page_call_ask_once (&BRIO_PAGE_STARTUPS (widget)->call);
}

static void
brio_page_startups_set_client (BrioPage   *page,
                               BrioClient *client)
{
  BrioPageStartups *self = BRIO_PAGE_STARTUPS (page);

  g_return_if_fail (!self->client);

  self->client = g_object_ref (client);
  self->call = (struct page_call) { .failed_page = self->failed_page, .take = take, .show = show_state };
  page_call_set_up (&self->call, page, client, "GetStartups", g_variant_new ("(s)", ""));
  brio_startup_detail_set_client (self->detail_view, client);
  g_signal_connect_object (client, "told::StartupFinished", G_CALLBACK (on_told), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (client, "prefetch-changed", G_CALLBACK (show_worth), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (client, "notify::state", G_CALLBACK (on_state_changed), self, G_CONNECT_SWAPPED);
  page_call_ask_once (&self->call);
}

static GtkSearchBar *
brio_page_startups_get_search_bar (BrioPage *page)
{
  BrioPageStartups *self = BRIO_PAGE_STARTUPS (page);

  return self->detail ? NULL : self->search_bar;
}

static void
brio_page_startups_show_detail (BrioPage   *page,
                                const char *name)
{
  BrioPageStartups *self = BRIO_PAGE_STARTUPS (page);

  if (g_strcmp0 (self->detail, name) == 0)
    return;
  g_free (self->detail);
  self->detail = g_strdup (name);
  if (name)
    gtk_search_bar_set_search_mode (self->search_bar, FALSE);
  brio_startup_detail_load (self->detail_view, name);
  show_state (BRIO_PAGE (self));
  gtk_widget_child_focus (GTK_WIDGET (self), GTK_DIR_TAB_FORWARD);
  brio_page_emit_detail_changed (page);
}

static void
brio_page_startups_show_detail_at (BrioPage   *page,
                                   const char *name,
                                   gint64      time_us)
{
  brio_page_show_detail (page, name);
  brio_startup_detail_choose (BRIO_PAGE_STARTUPS (page)->detail_view, name, time_us);
}

static const char *
brio_page_startups_get_detail_title (BrioPage *page)
{
  BrioPageStartups *self = BRIO_PAGE_STARTUPS (page);

  return self->detail ? app_info_get_name (self->detail) : NULL;
}

static void
brio_page_startups_set_settings (BrioPage  *page,
                                 GSettings *settings)
{
  g_settings_bind (settings, SETTINGS_STARTUPS_ORDER, BRIO_PAGE_STARTUPS (page)->order, "selected", G_SETTINGS_BIND_DEFAULT);
}

static void
brio_page_startups_page_init (BrioPageInterface *iface)
{
  iface->set_client = brio_page_startups_set_client;
  iface->get_search_bar = brio_page_startups_get_search_bar;
  iface->show_detail = brio_page_startups_show_detail;
  iface->get_detail_title = brio_page_startups_get_detail_title;
  iface->set_settings = brio_page_startups_set_settings;
  iface->show_detail_at = brio_page_startups_show_detail_at;
}

static void
brio_page_startups_dispose (GObject *object)
{
  BrioPageStartups *self = BRIO_PAGE_STARTUPS (object);

  page_call_clear (&self->call);
  if (self->filter)
    gtk_custom_filter_set_filter_func (GTK_CUSTOM_FILTER (self->filter), NULL, NULL, NULL);
  if (self->sorter)
    gtk_custom_sorter_set_sort_func (GTK_CUSTOM_SORTER (self->sorter), NULL, NULL, NULL);
  g_clear_object (&self->filter);
  g_clear_object (&self->sorter);
  g_clear_object (&self->found);
  g_clear_object (&self->startups);
  g_clear_object (&self->client);

  G_OBJECT_CLASS (brio_page_startups_parent_class)->dispose (object);
}

static void
brio_page_startups_finalize (GObject *object)
{
  g_free (BRIO_PAGE_STARTUPS (object)->detail);

  G_OBJECT_CLASS (brio_page_startups_parent_class)->finalize (object);
}

static void
brio_page_startups_class_init (BrioPageStartupsClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = brio_page_startups_dispose;
  object_class->finalize = brio_page_startups_finalize;
  widget_class->map = brio_page_startups_map;

  g_type_ensure (BRIO_TYPE_STARTUP_DETAIL);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/brio/Brio/page-startups.ui");
  gtk_widget_class_bind_template_child (widget_class, BrioPageStartups, stack);
  gtk_widget_class_bind_template_child (widget_class, BrioPageStartups, search_bar);
  gtk_widget_class_bind_template_child (widget_class, BrioPageStartups, search_entry);
  gtk_widget_class_bind_template_child (widget_class, BrioPageStartups, order);
  gtk_widget_class_bind_template_child (widget_class, BrioPageStartups, commands);
  gtk_widget_class_bind_template_child (widget_class, BrioPageStartups, view);
  gtk_widget_class_bind_template_child (widget_class, BrioPageStartups, failed_page);
  gtk_widget_class_bind_template_child (widget_class, BrioPageStartups, detail_view);
  gtk_widget_class_bind_template_callback (widget_class, on_search_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_order_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_commands_toggled);
  gtk_widget_class_bind_template_callback (widget_class, on_activated);
  gtk_widget_class_bind_template_callback (widget_class, on_setup);
  gtk_widget_class_bind_template_callback (widget_class, on_bind);
  gtk_widget_class_bind_template_callback (widget_class, on_retry);
}

static void
brio_page_startups_init (BrioPageStartups *self)
{
  g_autoptr (GtkNoSelection) selection = NULL;
  GtkSortListModel *sorted;

  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_search_bar_connect_entry (self->search_bar, GTK_EDITABLE (self->search_entry));
  accessible_name_drop_down (self->order, _("Order"));

  self->startups = g_list_store_new (BRIO_TYPE_STARTUP);
  self->filter = GTK_FILTER (gtk_custom_filter_new (is_wanted, self, NULL));
  self->sorter = GTK_SORTER (gtk_custom_sorter_new (compare, self, NULL));
  self->found = gtk_filter_list_model_new (G_LIST_MODEL (g_object_ref (self->startups)), g_object_ref (self->filter));
  sorted = gtk_sort_list_model_new (G_LIST_MODEL (g_object_ref (self->found)), g_object_ref (self->sorter));
  selection = gtk_no_selection_new (G_LIST_MODEL (sorted));
  gtk_list_view_set_model (self->view, GTK_SELECTION_MODEL (selection));
}
