/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page-decisions.h"

#include <glib/gi18n.h>
#include <string.h>

#include "accessible.h"
#include "decision-actions.h"
#include "decision-export.h"
#include "decision-groups.h"
#include "decision-row.h"
#include "file-saving.h"
#include "object-decision.h"
#include "page-call.h"


struct _BrioPageDecisions
{
  AdwBin parent_instance;

  BrioClient *client;
  BrioDecisionActions *actions;
  BrioDecisions *decisions;
  GtkFilter *filter;
  GtkFilterListModel *found;
  GtkStringList *drives; /* the first: all of them */
  struct page_call call;
  gboolean stale;        /* something was told while a call was under way, which may have missed it */

  GtkStack *stack;
  GtkSearchBar *search_bar;
  GtkSearchEntry *search_entry;
  GtkWidget *bar;
  GtkDropDown *drive;
  GtkListView *view;
  AdwStatusPage *failed_page;
};

static void brio_page_decisions_page_init (BrioPageInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (BrioPageDecisions, brio_page_decisions, ADW_TYPE_BIN,
                               G_IMPLEMENT_INTERFACE (BRIO_TYPE_PAGE, brio_page_decisions_page_init))

static void
show_state (BrioPage *page)
{
  BrioPageDecisions *self = BRIO_PAGE_DECISIONS (page);
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->decisions));

  gtk_stack_set_visible_child_name (self->stack, page_call_get_shown (&self->call, n, g_list_model_get_n_items (G_LIST_MODEL (self->found))));
  gtk_widget_set_visible (self->bar, self->call.loaded && n > 0);
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
list_devices (BrioPageDecisions *self)
{
  GListModel *devices = brio_client_get_devices (self->client);

  for (guint i = 0; i < g_list_model_get_n_items (devices); i++)
    {
      g_autoptr (BrioDevice) device = g_list_model_get_item (devices, i);

      if (!is_listed (self, brio_device_get_name (device)))
        gtk_string_list_append (self->drives, brio_device_get_name (device));
    }
}

static void
on_listed (BrioPageDecisions *self,
           guint              position,
           guint              removed,
           guint              added,
           GListModel        *decisions)
{
  (void) removed;
  for (guint i = position; i < position + added; i++)
    {
      g_autoptr (BrioDecision) decision = g_list_model_get_item (decisions, i);
      const char *drive = brio_decision_get_text (decision, BRIO_DECISION_DRIVE);

      if (*drive && !is_listed (self, drive))
        gtk_string_list_append (self->drives, drive);
    }
  show_state (BRIO_PAGE (self));
}

static void
take (BrioPage *page,
      GVariant *entries)
{
  brio_decisions_load (BRIO_PAGE_DECISIONS (page)->decisions, entries);
}

static void
show (BrioPage *page)
{
  BrioPageDecisions *self = BRIO_PAGE_DECISIONS (page);

  show_state (page);
  if (!self->stale || !self->call.loaded)
    return;
  self->stale = FALSE;
  page_call_ask (&self->call);
}

static void
on_retry (BrioPageDecisions *self)
{
  page_call_retry (&self->call);
}

static gboolean
is_at_top (BrioPageDecisions *self)
{
  GtkAdjustment *place = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (self->view));

  return gtk_adjustment_get_value (place) <= gtk_adjustment_get_lower (place);
}

static void
scroll_to_top (BrioPageDecisions *self)
{
  if (g_list_model_get_n_items (G_LIST_MODEL (self->found)) > 0)
    gtk_widget_activate_action (GTK_WIDGET (self->view), "list.scroll-to-item", "u", 0u);
}

/* A decision, or what its trial found. The list keeps the rows in view where they are; a reader at its top wants the newest instead. */
static void
on_told (BrioPageDecisions *self,
         GVariant          *entry)
{
  gboolean at_top = is_at_top (self);

  self->stale = self->call.cancellable != NULL;
  if (!self->call.loaded)
    return;
  brio_decisions_take (self->decisions, entry);
  if (at_top)
    scroll_to_top (self);
}

static void
on_state_changed (BrioPageDecisions *self)
{
  if (brio_client_get_state (self->client) == BRIO_CLIENT_CONNECTED)
    page_call_ask_once (&self->call);
  else
    page_call_forget (&self->call); /* the next daemon has made others */
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
  show_state (BRIO_PAGE (self));
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

/* Those that are listed, for a table. */
static void
on_copy_action (GtkWidget  *widget,
                const char *name,
                GVariant   *parameter)
{
  BrioPageDecisions *self = BRIO_PAGE_DECISIONS (widget);
  g_autofree char *text = decision_export (G_LIST_MODEL (self->found), DECISION_FORMAT_CSV);

  (void) name;
  (void) parameter;
  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), text);
  gtk_widget_activate_action (widget, "win.notify", "s", _("Copied: paste it into a table or a text"));
}

static GBytes *
export (BrioPageDecisions *self,
        const char        *format)
{
  char *text = decision_export (G_LIST_MODEL (self->found), g_str_equal (format, "json") ? DECISION_FORMAT_JSON : DECISION_FORMAT_CSV);

  return g_bytes_new_take (text, strlen (text));
}

void
brio_page_decisions_save (BrioPageDecisions *self,
                          GFile             *file,
                          const char        *format)
{
  g_return_if_fail (BRIO_IS_PAGE_DECISIONS (self));

  file_saving_write (GTK_WIDGET (self), file, export (self, format));
}

static void
on_save_action (GtkWidget  *widget,
                const char *name,
                GVariant   *parameter)
{
  const char *format = g_variant_get_string (parameter, NULL);
  g_autofree char *file = g_strdup_printf ("brio-decisions.%s", format);

  (void) name;
  file_saving_ask (widget, _("Save Decisions"), file, export (BRIO_PAGE_DECISIONS (widget), format));
}

static void
brio_page_decisions_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (brio_page_decisions_parent_class)->map (widget);
  page_call_ask_once (&BRIO_PAGE_DECISIONS (widget)->call);
  scroll_to_top (BRIO_PAGE_DECISIONS (widget));
}

static void
brio_page_decisions_set_client (BrioPage   *page,
                                BrioClient *client)
{
  BrioPageDecisions *self = BRIO_PAGE_DECISIONS (page);

  g_return_if_fail (!self->client);

  self->client = g_object_ref (client);
  self->call = (struct page_call) { .failed_page = self->failed_page, .take = take, .show = show };
  page_call_set_up (&self->call, page, client, "GetDecisions", g_variant_new ("(t)", (guint64) 0));
  self->actions = brio_decision_actions_new (client, GTK_WIDGET (self));
  g_signal_connect_object (client, "told::DecisionMade", G_CALLBACK (on_told), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (client, "told::TrialEnded", G_CALLBACK (on_told), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (client, "notify::state", G_CALLBACK (on_state_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (brio_client_get_devices (client), "items-changed", G_CALLBACK (list_devices), self, G_CONNECT_SWAPPED);
  list_devices (self);
  page_call_ask_once (&self->call);
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
}

static void
brio_page_decisions_dispose (GObject *object)
{
  BrioPageDecisions *self = BRIO_PAGE_DECISIONS (object);

  page_call_clear (&self->call);
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

  gtk_widget_class_install_action (widget_class, "decisions.copy", NULL, on_copy_action);
  gtk_widget_class_install_action (widget_class, "decisions.save", "s", on_save_action);
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
  g_signal_connect_object (self->decisions, "items-changed", G_CALLBACK (on_listed), self, G_CONNECT_SWAPPED); /* after found's own */
  selection = gtk_no_selection_new (decision_groups_new (G_LIST_MODEL (self->found)));
  gtk_list_view_set_model (self->view, GTK_SELECTION_MODEL (selection));
}
