/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page-decisions.h"

#include <glib/gi18n.h>

#include "accessible.h"
#include "decision-actions.h"
#include "decision-row.h"
#include "object-decision.h"
#include "page.h"

struct _BrioPageDecisions
{
  AdwBin parent_instance;

  BrioClient *client;
  BrioDecisionActions *actions;
  BrioDecisions *decisions;
  GtkFilter *filter;
  GtkFilterListModel *found;
  GtkStringList *drives;     /* the first: all of them */
  GCancellable *cancellable; /* of the call under way; NULL: none */
  gboolean loaded;           /* since the daemon is there */
  gboolean failed;
  gboolean stale;            /* something was told while a call was under way, which may have missed it */

  GtkStack *stack;
  GtkSearchBar *search_bar;
  GtkSearchEntry *search_entry;
  GtkWidget *bar;
  GtkDropDown *drive;
  GtkListView *view;
  AdwStatusPage *failed_page;
};

static void brio_page_decisions_page_init (BrioPageInterface *iface);
static void load (BrioPageDecisions *self);

G_DEFINE_FINAL_TYPE_WITH_CODE (BrioPageDecisions, brio_page_decisions, ADW_TYPE_BIN,
                               G_IMPLEMENT_INTERFACE (BRIO_TYPE_PAGE, brio_page_decisions_page_init))

static void
show_state (BrioPageDecisions *self)
{
  gboolean any = g_list_model_get_n_items (G_LIST_MODEL (self->decisions)) > 0;
  const char *page = "list";

  if (self->failed)
    page = "failed";
  else if (!self->loaded)
    page = "loading";
  else if (!any)
    page = "empty";
  else if (g_list_model_get_n_items (G_LIST_MODEL (self->found)) == 0)
    page = "no-match";
  gtk_stack_set_visible_child_name (self->stack, page);
  gtk_widget_set_visible (self->bar, self->loaded && any);
}

static gboolean
is_listed (BrioPageDecisions *self,
           const char        *drive)
{
  for (guint i = 1; i < g_list_model_get_n_items (G_LIST_MODEL (self->drives)); i++)
    if (g_str_equal (gtk_string_list_get_string (self->drives, i), drive))
      return TRUE;
  return FALSE;
}

/* What is there, and what decisions were about: a drive that has been unplugged can be asked for, too. Never shortened, so that the choice
 * stays. */
static void
list_drives (BrioPageDecisions *self)
{
  GListModel *devices = brio_client_get_devices (self->client), *decisions = G_LIST_MODEL (self->decisions);

  for (guint i = 0; i < g_list_model_get_n_items (devices); i++)
    {
      g_autoptr (BrioDevice) device = g_list_model_get_item (devices, i);

      if (!is_listed (self, brio_device_get_name (device)))
        gtk_string_list_append (self->drives, brio_device_get_name (device));
    }
  for (guint i = 0; i < g_list_model_get_n_items (decisions); i++)
    {
      g_autoptr (BrioDecision) decision = g_list_model_get_item (decisions, i);
      const char *drive = brio_decision_get_text (decision, BRIO_DECISION_DRIVE);

      if (*drive && !is_listed (self, drive))
        gtk_string_list_append (self->drives, drive);
    }
}

static void
on_decisions (GObject      *source,
              GAsyncResult *result,
              gpointer      userdata)
{
  g_autoptr (BrioPageDecisions) self = userdata; /* held for the call */
  g_autoptr (GVariant) entries = NULL;
  g_autoptr (GError) error = NULL;

  entries = brio_client_call_finish (BRIO_CLIENT (source), result, &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  g_clear_object (&self->cancellable);
  self->failed = entries == NULL;
  self->loaded = entries != NULL;
  if (entries)
    {
      brio_decisions_load (self->decisions, entries);
      list_drives (self);
    }
  else
    {
      g_autofree char *text = brio_client_explain_error (error);
      g_autofree char *escaped = g_markup_escape_text (text, -1);

      adw_status_page_set_description (self->failed_page, escaped);
    }
  show_state (self);
  if (self->stale && entries)
    load (self);
}

static void
load (BrioPageDecisions *self)
{
  if (self->cancellable || brio_client_get_state (self->client) != BRIO_CLIENT_CONNECTED)
    return;
  self->stale = FALSE;
  self->cancellable = g_cancellable_new ();
  brio_client_call_async (self->client, "GetDecisions", g_variant_new ("(t)", (guint64) 0), "(aa{sv})", self->cancellable, on_decisions,
                          g_object_ref (self));
}

/* Asked for once, by who looks; then the daemon tells. */
static void
load_if_shown (BrioPageDecisions *self)
{
  if (!self->loaded && self->client && gtk_widget_get_mapped (GTK_WIDGET (self)))
    load (self);
}

static void
on_retry (BrioPageDecisions *self)
{
  self->failed = FALSE;
  show_state (self);
  load (self);
}

/* A decision, or what its trial found. */
static void
on_told (BrioPageDecisions *self,
         GVariant          *entry)
{
  const char *drive;

  self->stale = self->cancellable != NULL;
  if (!self->loaded)
    return;
  brio_decisions_take (self->decisions, entry);
  if (g_variant_lookup (entry, "device", "&s", &drive) && *drive && !is_listed (self, drive))
    gtk_string_list_append (self->drives, drive);
  show_state (self);
}

static void
on_state_changed (BrioPageDecisions *self)
{
  if (brio_client_get_state (self->client) == BRIO_CLIENT_CONNECTED)
    {
      load_if_shown (self);
      return;
    }
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  self->loaded = self->failed = FALSE; /* the next daemon has made others */
  show_state (self);
}

static gboolean
is_wanted (gpointer item,
           gpointer userdata)
{
  BrioPageDecisions *self = userdata;
  const char *search = gtk_editable_get_text (GTK_EDITABLE (self->search_entry));
  guint drive = gtk_drop_down_get_selected (self->drive);

  if (drive > 0 && drive != GTK_INVALID_LIST_POSITION
      && !g_str_equal (brio_decision_get_text (item, BRIO_DECISION_DRIVE), gtk_string_list_get_string (self->drives, drive)))
    return FALSE;
  return !*search || brio_decision_matches (item, search);
}

static void
on_wanted_changed (BrioPageDecisions *self)
{
  if (!self->filter)
    return;
  gtk_filter_changed (self->filter, GTK_FILTER_CHANGE_DIFFERENT);
  show_state (self);
}

static void
on_setup (GtkSignalListItemFactory *factory,
          GtkListItem              *item,
          BrioPageDecisions        *self)
{
  (void) factory;
  gtk_list_item_set_activatable (item, FALSE);
  gtk_list_item_set_child (item, brio_decision_row_new (self->actions));
}

static void
on_bind (GtkSignalListItemFactory *factory,
         GtkListItem              *item)
{
  (void) factory;
  brio_decision_row_show (BRIO_DECISION_ROW (gtk_list_item_get_child (item)), gtk_list_item_get_item (item));
}

static void
on_unbind (GtkSignalListItemFactory *factory,
           GtkListItem              *item)
{
  (void) factory;
  brio_decision_row_show (BRIO_DECISION_ROW (gtk_list_item_get_child (item)), NULL);
}

static void
brio_page_decisions_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (brio_page_decisions_parent_class)->map (widget);
  load_if_shown (BRIO_PAGE_DECISIONS (widget));
}

static void
brio_page_decisions_set_client (BrioPage   *page,
                                BrioClient *client)
{
  BrioPageDecisions *self = BRIO_PAGE_DECISIONS (page);

  g_return_if_fail (!self->client);

  self->client = g_object_ref (client);
  self->actions = brio_decision_actions_new (client, GTK_WIDGET (self));
  g_signal_connect_object (client, "told::DecisionMade", G_CALLBACK (on_told), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (client, "told::TrialEnded", G_CALLBACK (on_told), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (client, "notify::state", G_CALLBACK (on_state_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (brio_client_get_devices (client), "items-changed", G_CALLBACK (list_drives), self, G_CONNECT_SWAPPED);
  list_drives (self);
  load_if_shown (self);
}

static void
brio_page_decisions_search (BrioPage   *page,
                            const char *text)
{
  BrioPageDecisions *self = BRIO_PAGE_DECISIONS (page);

  gtk_search_bar_set_search_mode (self->search_bar, TRUE);
  gtk_editable_set_text (GTK_EDITABLE (self->search_entry), text);
}

static GtkSearchBar *
brio_page_decisions_get_search_bar (BrioPage *page)
{
  return BRIO_PAGE_DECISIONS (page)->search_bar;
}

static void
brio_page_decisions_page_init (BrioPageInterface *iface)
{
  iface->set_client = brio_page_decisions_set_client;
  iface->get_search_bar = brio_page_decisions_get_search_bar;
  iface->search = brio_page_decisions_search;
}

static void
brio_page_decisions_dispose (GObject *object)
{
  BrioPageDecisions *self = BRIO_PAGE_DECISIONS (object);

  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_object (&self->filter);
  g_clear_object (&self->found);
  g_clear_object (&self->decisions);
  g_clear_object (&self->drives);
  g_clear_object (&self->actions);
  g_clear_object (&self->client);

  G_OBJECT_CLASS (brio_page_decisions_parent_class)->dispose (object);
}

static void
brio_page_decisions_class_init (BrioPageDecisionsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = brio_page_decisions_dispose;
  widget_class->map = brio_page_decisions_map;

  gtk_widget_class_set_template_from_resource (widget_class, "/org/brio/Brio/page-decisions.ui");
  gtk_widget_class_bind_template_child (widget_class, BrioPageDecisions, stack);
  gtk_widget_class_bind_template_child (widget_class, BrioPageDecisions, search_bar);
  gtk_widget_class_bind_template_child (widget_class, BrioPageDecisions, search_entry);
  gtk_widget_class_bind_template_child (widget_class, BrioPageDecisions, bar);
  gtk_widget_class_bind_template_child (widget_class, BrioPageDecisions, drive);
  gtk_widget_class_bind_template_child (widget_class, BrioPageDecisions, view);
  gtk_widget_class_bind_template_child (widget_class, BrioPageDecisions, failed_page);
  gtk_widget_class_bind_template_callback (widget_class, on_wanted_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_setup);
  gtk_widget_class_bind_template_callback (widget_class, on_bind);
  gtk_widget_class_bind_template_callback (widget_class, on_unbind);
  gtk_widget_class_bind_template_callback (widget_class, on_retry);
}

static void
brio_page_decisions_init (BrioPageDecisions *self)
{
  g_autoptr (GtkNoSelection) selection = NULL;

  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_search_bar_connect_entry (self->search_bar, GTK_EDITABLE (self->search_entry));
  accessible_name_drop_down (self->drive, _("Drive"));

  self->drives = gtk_string_list_new ((const char *const[]){ _("All drives"), NULL });
  gtk_drop_down_set_model (self->drive, G_LIST_MODEL (self->drives));
  self->decisions = brio_decisions_new ();
  self->filter = GTK_FILTER (gtk_custom_filter_new (is_wanted, self, NULL));
  self->found = gtk_filter_list_model_new (G_LIST_MODEL (g_object_ref (self->decisions)), g_object_ref (self->filter));
  selection = gtk_no_selection_new (G_LIST_MODEL (g_object_ref (self->found)));
  gtk_list_view_set_model (self->view, GTK_SELECTION_MODEL (selection));
}

const char *
brio_page_decisions_get_shown (BrioPageDecisions *self)
{
  g_return_val_if_fail (BRIO_IS_PAGE_DECISIONS (self), NULL);

  return gtk_stack_get_visible_child_name (self->stack);
}
