/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "window.h"

#include <glib/gi18n.h>

#include "mode-switch.h"
#include "page-absent.h"
#include "page-overview.h"
#include "page-processes.h"

#define START_COMMAND "sudo systemctl start briod"
#define RESTART_COMMAND "sudo systemctl restart briod"

/* From here on there is room for the pages' switcher beside what else the header bar has. */
#define WIDE_PX 600

/* An error stays long enough to be read with its next step. */
#define ERROR_TOAST_SECONDS 8

struct _BrioWindow
{
  AdwApplicationWindow parent_instance;

  BrioClient *client;
  GCancellable *cancellable; /* of calls that this window waits for */

  AdwToastOverlay *toasts;
  BrioModeSwitch *mode_switch;
  GtkStack *stack;
  GtkSpinner *spinner;
  BrioPageAbsent *page_absent;
  GtkStack *title;
  GtkToggleButton *search_button;
  AdwViewSwitcherBar *switcher_bar;
  AdwViewStack *pages;
  BrioPageOverview *page_overview;
  BrioPageProcesses *page_processes;

  gboolean is_wide;
  guint arrange_source;
};

G_DEFINE_FINAL_TYPE (BrioWindow, brio_window, ADW_TYPE_APPLICATION_WINDOW)

static void
show_toast (BrioWindow *self,
            const char *text,
            guint       seconds)
{
  g_autofree char *escaped = g_markup_escape_text (text, -1);
  AdwToast *toast = adw_toast_new (escaped);

  if (seconds > 0)
    adw_toast_set_timeout (toast, seconds);
  adw_toast_overlay_add_toast (self->toasts, toast);
}

static void
on_notify_action (GtkWidget  *widget,
                  const char *name,
                  GVariant   *parameter)
{
  (void) name;
  show_toast (BRIO_WINDOW (widget), g_variant_get_string (parameter, NULL), 0);
}

static void
on_mode_set (GObject      *source,
             GAsyncResult *result,
             gpointer      userdata)
{
  g_autoptr (BrioWindow) self = userdata; /* held for the call */
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  if (brio_client_set_mode_finish (BRIO_CLIENT (source), result, &error)
      || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  text = brio_client_explain_error (error);
  show_toast (self, text, ERROR_TOAST_SECONDS);
}

static void
on_mode_requested (BrioWindow *self,
                   const char *mode)
{
  brio_client_set_mode_async (self->client, mode, self->cancellable, on_mode_set, g_object_ref (self));
}

static void
on_mode_changed (BrioWindow *self)
{
  brio_mode_switch_set_mode (self->mode_switch, brio_client_get_mode (self->client));
}

static void
show_absent (BrioWindow *self)
{
  const char *detail = brio_client_get_detail (self->client);

  if (brio_client_get_state (self->client) == BRIO_CLIENT_MISMATCH)
    brio_page_absent_show (self->page_absent, _("Another Version Is Running"), detail, RESTART_COMMAND);
  else
    brio_page_absent_show (self->page_absent, _("Brio’s Daemon Is Not Running"),
                           *detail ? detail : _("It watches the drives and tunes them. Start it with this command:"), START_COMMAND);
}

static void
on_page_changed (BrioWindow *self)
{
  gboolean connected = self->client && brio_client_get_state (self->client) == BRIO_CLIENT_CONNECTED;

  gtk_widget_set_visible (GTK_WIDGET (self->search_button),
                          connected && adw_view_stack_get_visible_child (self->pages) == GTK_WIDGET (self->page_processes));
}

/* The switcher stands in the header bar where that has room for it, else at the bottom, where it says what is shown as well
 * as a title would; nowhere while there are no pages. */
static void
arrange (BrioWindow *self)
{
  gboolean connected = self->client && brio_client_get_state (self->client) == BRIO_CLIENT_CONNECTED;

  gtk_stack_set_visible_child_name (self->title, !connected ? "title" : self->is_wide ? "switcher" : "none");
  adw_view_switcher_bar_set_reveal (self->switcher_bar, connected && !self->is_wide);
}

static gboolean
on_arrange (gpointer userdata)
{
  BrioWindow *self = userdata;

  self->arrange_source = 0;
  arrange (self);
  return G_SOURCE_REMOVE;
}

static void
brio_window_size_allocate (GtkWidget *widget,
                           int        width,
                           int        height,
                           int        baseline)
{
  BrioWindow *self = BRIO_WINDOW (widget);

  GTK_WIDGET_CLASS (brio_window_parent_class)->size_allocate (widget, width, height, baseline);
  if ((width >= WIDE_PX) == self->is_wide)
    return;
  self->is_wide = width >= WIDE_PX;
  if (self->arrange_source == 0)
    self->arrange_source = g_idle_add (on_arrange, self); /* what is being laid out must not change */
}

static void
on_page_action (GtkWidget  *widget,
                const char *name,
                GVariant   *parameter)
{
  (void) name;
  brio_window_show_page (BRIO_WINDOW (widget), g_variant_get_string (parameter, NULL));
}

static void
on_search_action (GtkWidget  *widget,
                  const char *name,
                  GVariant   *parameter)
{
  BrioWindow *self = BRIO_WINDOW (widget);

  (void) name;
  (void) parameter;
  if (gtk_widget_get_visible (GTK_WIDGET (self->search_button)))
    gtk_toggle_button_set_active (self->search_button, !gtk_toggle_button_get_active (self->search_button));
}

static void
on_state_changed (BrioWindow *self)
{
  static const char *const pages[] = {
    [BRIO_CLIENT_CONNECTING] = "connecting",
    [BRIO_CLIENT_CONNECTED] = "pages",
    [BRIO_CLIENT_ABSENT] = "absent",
    [BRIO_CLIENT_MISMATCH] = "absent",
  };

  show_absent (self);
  /* A spinner that nobody sees still asks for 60 frames a second. */
  gtk_spinner_set_spinning (self->spinner, brio_client_get_state (self->client) == BRIO_CLIENT_CONNECTING);
  gtk_stack_set_visible_child_name (self->stack, pages[brio_client_get_state (self->client)]);
  on_page_changed (self);
  arrange (self);
}

static void
set_client (BrioWindow *self,
            BrioClient *client)
{
  self->client = g_object_ref (client);
  g_signal_connect_object (client, "notify::state", G_CALLBACK (on_state_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (client, "notify::detail", G_CALLBACK (show_absent), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (client, "notify::mode", G_CALLBACK (on_mode_changed), self, G_CONNECT_SWAPPED);
  brio_page_overview_set_client (self->page_overview, client);
  brio_page_processes_set_client (self->page_processes, client);
  on_mode_changed (self);
  on_state_changed (self);
}

static void
brio_window_dispose (GObject *object)
{
  BrioWindow *self = BRIO_WINDOW (object);

  g_clear_handle_id (&self->arrange_source, g_source_remove);
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_object (&self->client);

  G_OBJECT_CLASS (brio_window_parent_class)->dispose (object);
}

static void
brio_window_class_init (BrioWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = brio_window_dispose;
  widget_class->size_allocate = brio_window_size_allocate;

  g_type_ensure (BRIO_TYPE_MODE_SWITCH);
  g_type_ensure (BRIO_TYPE_PAGE_ABSENT);
  g_type_ensure (BRIO_TYPE_PAGE_OVERVIEW);
  g_type_ensure (BRIO_TYPE_PAGE_PROCESSES);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/brio/Brio/window.ui");
  gtk_widget_class_bind_template_child (widget_class, BrioWindow, toasts);
  gtk_widget_class_bind_template_child (widget_class, BrioWindow, mode_switch);
  gtk_widget_class_bind_template_child (widget_class, BrioWindow, stack);
  gtk_widget_class_bind_template_child (widget_class, BrioWindow, spinner);
  gtk_widget_class_bind_template_child (widget_class, BrioWindow, page_absent);
  gtk_widget_class_bind_template_child (widget_class, BrioWindow, title);
  gtk_widget_class_bind_template_child (widget_class, BrioWindow, search_button);
  gtk_widget_class_bind_template_child (widget_class, BrioWindow, switcher_bar);
  gtk_widget_class_bind_template_child (widget_class, BrioWindow, pages);
  gtk_widget_class_bind_template_child (widget_class, BrioWindow, page_overview);
  gtk_widget_class_bind_template_child (widget_class, BrioWindow, page_processes);
  gtk_widget_class_bind_template_callback (widget_class, on_page_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_mode_requested);
  gtk_widget_class_install_action (widget_class, "win.notify", "s", on_notify_action);
  gtk_widget_class_install_action (widget_class, "win.page", "s", on_page_action);
  gtk_widget_class_install_action (widget_class, "win.search", NULL, on_search_action);
}

static void
brio_window_init (BrioWindow *self)
{
  self->cancellable = g_cancellable_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
}

BrioWindow *
brio_window_new (GtkApplication *application,
                 BrioClient     *client)
{
  BrioWindow *self = g_object_new (BRIO_TYPE_WINDOW, "application", application, NULL);

  set_client (self, client);
  return self;
}

const char *
brio_window_get_shown (BrioWindow *self)
{
  g_return_val_if_fail (BRIO_IS_WINDOW (self), NULL);

  return gtk_stack_get_visible_child_name (self->stack);
}

void
brio_window_show_page (BrioWindow *self,
                       const char *name)
{
  GtkWidget *page;

  g_return_if_fail (BRIO_IS_WINDOW (self));

  page = adw_view_stack_get_child_by_name (self->pages, name);
  if (page)
    adw_view_stack_set_visible_child (self->pages, page);
}

void
brio_window_search_processes (BrioWindow *self,
                              const char *text)
{
  g_return_if_fail (BRIO_IS_WINDOW (self));

  brio_window_show_page (self, "processes");
  brio_page_processes_search (self->page_processes, text);
}
