/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page-processes.h"

#include <glib/gi18n.h>

#include "page-call.h"
#include "process-columns.h"
#include "process-menu.h"
#include "process-order.h"
#include "process-rows.h"
#include "search.h"

/* As often as a person reads a number that changes. */
#define POLL_INTERVAL_MS 1000
/* As many as fit on a usual screen. GTK makes some 200, and to do so in one round stops the window. */
#define ROWS_STEP 40
#define ROWS_KEPT 240

struct _BrioPageProcesses
{
  AdwBin parent_instance;

  BrioClient *client;
  BrioProcessRows *processes;
  GtkSliceListModel *rows; /* those that there are widgets for, or soon */
  GtkSingleSelection *selection;
  guint grow_tick; /* pending callback: there are more of them */

  struct page_call call;
  guint fit_source;
  GdkFrameClock *clock; /* whose layout is awaited; NULL: none */
  gulong layout_handler;
  double scrolled_to;
  GCancellable *asking; /* for an administrator's password; NULL: not */

  GtkStack *stack;
  GtkSearchBar *search_bar;
  GtkSearchEntry *search_entry;
  GtkScrolledWindow *scroller;
  GtkColumnView *view;
  AdwStatusPage *failed_page;
  GtkLabel *note;
  GtkButton *observe;
  GMenuModel *row_menu;
};

static void brio_page_processes_page_init (BrioPageInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (BrioPageProcesses, brio_page_processes, ADW_TYPE_BIN,
                               G_IMPLEMENT_INTERFACE (BRIO_TYPE_PAGE, brio_page_processes_page_init))

static void
show_note (BrioPageProcesses *self)
{
  const char *text = NULL;

  if (brio_process_rows_get_observed (self->processes) == 0)
    text = *brio_client_get_requests_missing (self->client)
             ? _("Waiting is estimated and latencies are not known: single requests cannot be seen here. “brioctl probe” says why.")
             : _("Waiting is estimated; latencies appear when Brio looks at a drive’s single requests.");
  gtk_widget_set_visible (GTK_WIDGET (self->note), text != NULL);
  if (text && !g_str_equal (gtk_label_get_label (self->note), text))
    gtk_label_set_label (self->note, text);
}

static guint
count_rows (BrioPageProcesses *self)
{
  return g_list_model_get_n_items (brio_process_rows_get_list (self->processes));
}

static void
show_state (BrioPage *page)
{
  BrioPageProcesses *self = BRIO_PAGE_PROCESSES (page);

  gtk_stack_set_visible_child_name (self->stack, page_call_get_shown (&self->call, brio_process_rows_get_n (self->processes), count_rows (self)));
  show_note (self);
  gtk_widget_set_visible (GTK_WIDGET (self->observe), brio_process_rows_get_others (self->processes) > 0);
}

static void
on_layout (BrioPageProcesses *self)
{
  g_clear_signal_handler (&self->layout_handler, self->clock);
  g_clear_object (&self->clock);
  gtk_adjustment_set_value (gtk_scrolled_window_get_vadjustment (self->scroller), self->scrolled_to);
}

/* A list follows the row at its top to wherever that goes; a reader wants it to stay. So it is scrolled back once it has been
 * laid out anew, which is still before it is drawn. */
static void
on_rows_changed (BrioPageProcesses *self)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (GTK_WIDGET (self));

  if (!clock || self->clock || !gtk_widget_get_mapped (GTK_WIDGET (self->view)))
    return;
  self->scrolled_to = gtk_adjustment_get_value (gtk_scrolled_window_get_vadjustment (self->scroller));
  self->clock = g_object_ref (clock);
  self->layout_handler = g_signal_connect_swapped (clock, "layout", G_CALLBACK (on_layout), self);
}

static void
forget_layout (BrioPageProcesses *self)
{
  if (self->clock)
    g_clear_signal_handler (&self->layout_handler, self->clock);
  g_clear_object (&self->clock);
}

static gboolean
on_grow (GtkWidget     *widget,
         GdkFrameClock *clock,
         gpointer       unused)
{
  BrioPageProcesses *self = BRIO_PAGE_PROCESSES (widget);
  guint size = gtk_slice_list_model_get_size (self->rows) + ROWS_STEP;

  (void) clock;
  (void) unused;
  if (size <= ROWS_KEPT && size < count_rows (self))
    {
      gtk_slice_list_model_set_size (self->rows, size);
      return G_SOURCE_CONTINUE;
    }
  gtk_slice_list_model_set_size (self->rows, G_MAXUINT);
  self->grow_tick = 0;
  return G_SOURCE_REMOVE;
}

static void
begin_to_grow (BrioPageProcesses *self)
{
  gtk_slice_list_model_set_size (self->rows, ROWS_STEP);
  if (!self->grow_tick)
    self->grow_tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_grow, NULL, NULL);
}

/* More are about to come: where few rows are there, so are the first of the new ones, and the others with the next frames. */
static void
grow (BrioPageProcesses *self)
{
  if (self->grow_tick || g_list_model_get_n_items (G_LIST_MODEL (self->rows)) > ROWS_STEP)
    return;
  begin_to_grow (self);
}

static gboolean
has_selected (BrioPageProcesses *self)
{
  return gtk_single_selection_get_selected (self->selection) != GTK_INVALID_LIST_POSITION;
}

/* Others are about to come in place of those in sight: the first of them, and the others with the next frames. */
static void
begin_at_top (BrioPageProcesses *self)
{
  if (has_selected (self) || gtk_adjustment_get_value (gtk_scrolled_window_get_vadjustment (self->scroller)) <= 0)
    return;
  begin_to_grow (self);
  self->scrolled_to = 0;
  gtk_adjustment_set_value (gtk_scrolled_window_get_vadjustment (self->scroller), 0);
}

/* Wherever they come. A selected one may be anywhere among them: then all are there at once. */
static void
expect_rows (BrioPageProcesses *self)
{
  if (!has_selected (self))
    {
      grow (self);
      return;
    }
  if (self->grow_tick)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->grow_tick);
  self->grow_tick = 0;
  gtk_slice_list_model_set_size (self->rows, G_MAXUINT);
}

static void
on_found_others (BrioPageProcesses *self)
{
  expect_rows (self);
  begin_at_top (self);
}

static gpointer
read_processes (GVariant *entries)
{
  return brio_processes_read (entries);
}

static void
take (BrioPage  *page,
      GPtrArray *told)
{
  BrioPageProcesses *self = BRIO_PAGE_PROCESSES (page);

  if (told->len > ROWS_STEP)
    expect_rows (self);
  brio_process_rows_take (self->processes, told);
}

/* A group unfolds to rows below it, or folds. */
static void
on_activate (BrioPageProcesses *self,
             guint              position)
{
  g_autoptr (BrioProcess) process = g_list_model_get_item (G_LIST_MODEL (self->selection), position);

  if (!process || !brio_process_is_group (process))
    return;
  if (position < ROWS_STEP)
    grow (self);
  brio_process_rows_toggle (self->processes, process);
}

static void
on_observed (GObject      *source,
             GAsyncResult *result,
             gpointer      userdata)
{
  g_autoptr (BrioPageProcesses) self = userdata; /* held for the call */
  g_autoptr (GVariant) all = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  all = brio_client_call_finish (BRIO_CLIENT (source), result, &error);
  g_clear_object (&self->asking);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  gtk_widget_set_sensitive (GTK_WIDGET (self->observe), TRUE);
  if (all && g_variant_get_boolean (all))
    {
      brio_client_observe_all (self->client);
      return;
    }
  text = error ? brio_client_explain_error (error) : g_strdup (_("Not allowed: other users’ processes stay hidden"));
  gtk_widget_activate_action (GTK_WIDGET (self), "win.notify", "s", text);
}

static void
on_observe (BrioPageProcesses *self)
{
  if (self->asking)
    return;
  gtk_widget_set_sensitive (GTK_WIDGET (self->observe), FALSE);
  self->asking = g_cancellable_new ();
  brio_client_call_authorized_async (self->client, "Observe", NULL, "(b)", self->asking, on_observed, g_object_ref (self));
}

static void
on_retry (BrioPageProcesses *self)
{
  page_call_retry (&self->call);
}

static void
on_search_changed (BrioPageProcesses *self)
{
  g_auto (GStrv) words = search_words (gtk_editable_get_text (GTK_EDITABLE (self->search_entry)));

  brio_process_rows_search (self->processes, (const char *const *) words);
  if (self->client)
    show_state (BRIO_PAGE (self));
}

static gboolean
on_fit (gpointer userdata)
{
  BrioPageProcesses *self = userdata;

  self->fit_source = 0;
  process_columns_fit (self->view, gtk_widget_get_width (GTK_WIDGET (self->scroller)));
  return G_SOURCE_REMOVE;
}

static void
on_width_changed (BrioPageProcesses *self)
{
  if (self->fit_source == 0)
    self->fit_source = g_idle_add (on_fit, self); /* columns must not come and go while they are laid out */
}

static void
brio_page_processes_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (brio_page_processes_parent_class)->map (widget);
  page_call_poll (&BRIO_PAGE_PROCESSES (widget)->call, POLL_INTERVAL_MS);
}

static void
brio_page_processes_unmap (GtkWidget *widget)
{
  page_call_stop (&BRIO_PAGE_PROCESSES (widget)->call);
  brio_process_rows_pause (BRIO_PAGE_PROCESSES (widget)->processes);
  forget_layout (BRIO_PAGE_PROCESSES (widget));
  GTK_WIDGET_CLASS (brio_page_processes_parent_class)->unmap (widget);
}

static void
brio_page_processes_set_client (BrioPage   *page,
                                BrioClient *client)
{
  BrioPageProcesses *self = BRIO_PAGE_PROCESSES (page);

  g_return_if_fail (!self->client);

  self->client = g_object_ref (client);
  process_menu_set_client (self->view, client);
  self->call = (struct page_call) { .failed_page = self->failed_page, .read = read_processes, .take_read = take, .show = show_state };
  page_call_set_up (&self->call, page, client, "GetProcesses", g_variant_new ("(u)", 0u));
}

static GtkSearchBar *
brio_page_processes_get_search_bar (BrioPage *page)
{
  return BRIO_PAGE_PROCESSES (page)->search_bar;
}

static void
brio_page_processes_set_settings (BrioPage  *page,
                                  GSettings *settings)
{
  process_order_keep (BRIO_PAGE_PROCESSES (page)->view, settings);
}

static void
brio_page_processes_page_init (BrioPageInterface *iface)
{
  iface->set_client = brio_page_processes_set_client;
  iface->get_search_bar = brio_page_processes_get_search_bar;
  iface->set_settings = brio_page_processes_set_settings;
}

void
brio_page_processes_take (BrioPageProcesses *self,
                          GPtrArray         *told)
{
  g_return_if_fail (BRIO_IS_PAGE_PROCESSES (self));

  take (BRIO_PAGE (self), told);
}

static void
brio_page_processes_dispose (GObject *object)
{
  BrioPageProcesses *self = BRIO_PAGE_PROCESSES (object);

  page_call_clear (&self->call);
  g_cancellable_cancel (self->asking);
  forget_layout (self);
  g_clear_handle_id (&self->fit_source, g_source_remove);
  g_clear_object (&self->selection);
  g_clear_object (&self->rows);
  g_clear_object (&self->processes);
  g_clear_object (&self->client);

  G_OBJECT_CLASS (brio_page_processes_parent_class)->dispose (object);
}

static void
brio_page_processes_class_init (BrioPageProcessesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = brio_page_processes_dispose;
  widget_class->map = brio_page_processes_map;
  widget_class->unmap = brio_page_processes_unmap;

  gtk_widget_class_set_template_from_resource (widget_class, "/org/brio/Brio/page-processes.ui");
  gtk_widget_class_bind_template_child (widget_class, BrioPageProcesses, stack);
  gtk_widget_class_bind_template_child (widget_class, BrioPageProcesses, search_bar);
  gtk_widget_class_bind_template_child (widget_class, BrioPageProcesses, search_entry);
  gtk_widget_class_bind_template_child (widget_class, BrioPageProcesses, scroller);
  gtk_widget_class_bind_template_child (widget_class, BrioPageProcesses, view);
  gtk_widget_class_bind_template_child (widget_class, BrioPageProcesses, failed_page);
  gtk_widget_class_bind_template_child (widget_class, BrioPageProcesses, note);
  gtk_widget_class_bind_template_child (widget_class, BrioPageProcesses, observe);
  gtk_widget_class_bind_template_child (widget_class, BrioPageProcesses, row_menu);
  gtk_widget_class_bind_template_callback (widget_class, on_activate);
  gtk_widget_class_bind_template_callback (widget_class, on_observe);
  gtk_widget_class_bind_template_callback (widget_class, on_retry);
  gtk_widget_class_bind_template_callback (widget_class, on_search_changed);
}

/* The rows in the order of the view, and one of them selected. */
static void
set_model (BrioPageProcesses *self)
{
  GtkSorter *sorter = gtk_column_view_get_sorter (self->view);

  self->processes = brio_process_rows_new (process_columns_compare, g_object_ref (sorter), g_object_unref);
  g_signal_connect_object (self->processes, "found-others", G_CALLBACK (on_found_others), self, G_CONNECT_SWAPPED);
  self->rows = gtk_slice_list_model_new (g_object_ref (brio_process_rows_get_list (self->processes)), 0, G_MAXUINT);
  self->selection = gtk_single_selection_new (G_LIST_MODEL (g_object_ref (self->rows)));
  gtk_single_selection_set_autoselect (self->selection, FALSE);
  gtk_single_selection_set_can_unselect (self->selection, TRUE);
  g_signal_connect_object (sorter, "changed", G_CALLBACK (brio_process_rows_sort), self->processes, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->selection, "items-changed", G_CALLBACK (on_rows_changed), self, G_CONNECT_SWAPPED);
  gtk_column_view_set_model (self->view, GTK_SELECTION_MODEL (self->selection));
}

static void
brio_page_processes_init (BrioPageProcesses *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_search_bar_connect_entry (self->search_bar, GTK_EDITABLE (self->search_entry));

  process_columns_add (self->view);
  process_columns_fit (self->view, 0);
  set_model (self);
  process_menu_attach (self->view, self->processes, self->row_menu, GTK_WIDGET (self));
  g_signal_connect_object (gtk_scrolled_window_get_hadjustment (self->scroller), "notify::page-size", G_CALLBACK (on_width_changed),
                           self, G_CONNECT_SWAPPED);
}
