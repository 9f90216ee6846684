/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "window.h"

#include <glib/gi18n.h>

#include "decision-actions.h"
#include "file-saving.h"
#include "mode-switch.h"
#include "page-absent.h"
#include "page-connecting.h"
#include "page-decisions.h"
#include "page-holder.h"
#include "page-overview.h"
#include "page-policies.h"
#include "page-processes.h"
#include "page-startups.h"
#include "page-streams.h"
#include "page-welcome.h"
#include "page.h"
#include "program-rules-ask.h"
#include "report-dialog.h"
#include "settings.h"
#include "sidebar.h"
#include "split.h"
#include "window-state.h"
#include "words.h"

/* What can be undone stays long enough to be thought about. */
#define UNDO_TOAST_SECONDS 8
/* An error stays long enough to be read with its next step. */
#define ERROR_TOAST_SECONDS 8

struct _BrioWindow
{
  AdwApplicationWindow parent_instance;

  BrioClient *client;
  GSettings *settings; /* NULL: nothing is kept */
  gboolean welcoming;  /* the first page is shown, whatever the daemon does */
  BrioDecisionActions *actions;
  GCancellable *cancellable; /* of calls that this window waits for */

  AdwToastOverlay *toasts;
  BrioSplit *split;
  BrioModeSwitch *mode_switch;
  AdwWindowTitle *title;
  GtkToggleButton *sidebar_button;
  GtkWidget *back_button;
  GtkToggleButton *search_button;
  GtkStack *stack;
  BrioPageAbsent *page_absent;
  BrioPageWelcome *page_welcome;
  AdwViewStack *pages;

  GBinding *search_binding; /* of search_button to the search bar of the page that is shown */
};

G_DEFINE_FINAL_TYPE (BrioWindow, brio_window, ADW_TYPE_APPLICATION_WINDOW)

static AdwToast *
new_toast (const char *text)
{
  g_autofree char *escaped = g_markup_escape_text (text, -1);

  return adw_toast_new (escaped);
}

static void
show_toast (BrioWindow *self,
            const char *text,
            guint       seconds)
{
  AdwToast *toast = new_toast (text);

  if (seconds > 0)
    adw_toast_set_timeout (toast, seconds);
  adw_toast_overlay_add_toast (self->toasts, toast);
}

/* A text, and the action that undoes what it says, with its parameter. */
static void
on_notify_undo_action (GtkWidget  *widget,
                       const char *name,
                       GVariant   *parameter)
{
  g_autoptr (GVariant) target = NULL;
  const char *text, *action;
  AdwToast *toast;

  (void) name;
  g_variant_get (parameter, "(&s&sv)", &text, &action, &target);
  toast = new_toast (text);
  adw_toast_set_button_label (toast, _("Undo"));
  adw_toast_set_action_name (toast, action);
  adw_toast_set_action_target_value (toast, target);
  adw_toast_set_timeout (toast, UNDO_TOAST_SECONDS);
  adw_toast_overlay_add_toast (BRIO_WINDOW (widget)->toasts, toast);
}

static void
on_undo_action (GtkWidget  *widget,
                const char *name,
                GVariant   *parameter)
{
  (void) name;
  brio_decision_actions_undo (BRIO_WINDOW (widget)->actions, g_variant_get_string (parameter, NULL));
}

static void
on_program_rules_action (GtkWidget  *widget,
                         const char *name,
                         GVariant   *parameter)
{
  (void) name;
  program_rules_ask (BRIO_WINDOW (widget)->client, widget, parameter);
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
on_report (GObject      *source,
           GAsyncResult *result,
           gpointer      userdata)
{
  g_autoptr (BrioWindow) self = userdata; /* held for the call */
  GBytes *archive = report_dialog_make_finish (result, NULL);

  (void) source;
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.report", TRUE);
  if (archive)
    file_saving_ask (GTK_WIDGET (self), _("Save Report"), "brio-report.tar.gz", archive);
}

static void
on_report_action (GtkWidget  *widget,
                  const char *name,
                  GVariant   *parameter)
{
  BrioWindow *self = BRIO_WINDOW (widget);

  (void) name;
  (void) parameter;
  gtk_widget_action_set_enabled (widget, "win.report", FALSE); /* one at a time */
  report_dialog_make_async (self, self->client, on_report, g_object_ref (self));
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

/* "": the one that was set is forgotten. */
static void
on_mode_action (GtkWidget  *widget,
                const char *name,
                GVariant   *parameter)
{
  BrioWindow *self = BRIO_WINDOW (widget);
  const char *mode = g_variant_get_string (parameter, NULL);

  (void) name;
  brio_client_set_mode_async (self->client, *mode ? mode : NULL, self->cancellable, on_mode_set, g_object_ref (self));
}

static gboolean
is_connected (BrioWindow *self)
{
  return self->client && brio_client_get_state (self->client) == BRIO_CLIENT_CONNECTED;
}

/* NULL while none is shown. */
static BrioPage *
get_page (BrioWindow *self)
{
  return is_connected (self) && !self->welcoming ? BRIO_PAGE (adw_view_stack_get_visible_child (self->pages)) : NULL;
}

/* The header bar says where one is, and has what that needs. */
static void
arrange (BrioWindow *self)
{
  BrioPage *page = get_page (self);
  gboolean collapsed = brio_split_get_collapsed (self->split);
  const char *detail = page ? brio_page_get_detail_title (page) : NULL;
  g_autofree char *subtitle = NULL, *held = NULL;
  const char *title = _("Brio"), *mode = self->client ? brio_client_get_mode (self->client) : "";

  if (page)
    title = adw_view_stack_page_get_title (adw_view_stack_get_page (self->pages, GTK_WIDGET (page)));
  adw_window_title_set_title (self->title, detail ? detail : title);
  held = words_mode_held (mode, self->client ? brio_client_get_hold (self->client) : "");
  /* Translators: the mode that Brio is in, where the switch for it is out of sight: "Mode: Automatic" */
  subtitle = g_strdup_printf (_("Mode: %s"), held);
  adw_window_title_set_subtitle (self->title, page && collapsed && *mode ? subtitle : "");
  brio_split_set_sidebar_enabled (self->split, page != NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->sidebar_button), page && collapsed && !detail);
  gtk_toggle_button_set_active (self->sidebar_button, brio_split_get_show_sidebar (self->split));
  gtk_widget_set_visible (self->back_button, detail != NULL);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.back", detail != NULL);
}

static void
on_page_changed (BrioWindow *self)
{
  BrioPage *page = get_page (self);
  GtkSearchBar *bar = page ? brio_page_get_search_bar (page) : NULL;

  if (self->search_binding)
    g_binding_unbind (self->search_binding);
  g_clear_object (&self->search_binding);
  if (bar)
    self->search_binding = g_object_ref (g_object_bind_property (bar, "search-mode-enabled", self->search_button, "active",
                                                                 G_BINDING_SYNC_CREATE | G_BINDING_BIDIRECTIONAL));
  gtk_widget_set_visible (GTK_WIDGET (self->search_button), bar != NULL);
  arrange (self);
}

static void
on_page_activated (BrioWindow *self)
{
  brio_split_set_show_sidebar (self->split, FALSE);
}

static void
on_mode_changed (BrioWindow *self)
{
  brio_mode_switch_set_mode (self->mode_switch, brio_client_get_mode (self->client), brio_client_get_hold (self->client));
  brio_mode_switch_show_holds (self->mode_switch, self->client);
  arrange (self);
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
on_back_action (GtkWidget  *widget,
                const char *name,
                GVariant   *parameter)
{
  BrioPage *page = get_page (BRIO_WINDOW (widget));

  (void) name;
  (void) parameter;
  if (page)
    brio_page_show_detail (page, NULL);
}

static void
on_sidebar_action (GtkWidget  *widget,
                   const char *name,
                   GVariant   *parameter)
{
  (void) name;
  (void) parameter;
  brio_split_toggle (BRIO_WINDOW (widget)->split);
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

  const char *shown = self->welcoming ? "welcome" : pages[brio_client_get_state (self->client)];
  gboolean begins = g_strcmp0 (gtk_stack_get_visible_child_name (self->stack), pages[BRIO_CLIENT_CONNECTING]) == 0;

  /* The user that has just opened the window waits for what is in it, and not for a spinner to fade. */
  gtk_stack_set_visible_child_full (self->stack, shown,
                                    begins ? GTK_STACK_TRANSITION_TYPE_NONE : GTK_STACK_TRANSITION_TYPE_CROSSFADE);
  on_page_changed (self);
}

static void
on_welcomed (BrioWindow *self)
{
  self->welcoming = FALSE;
  g_settings_set_boolean (self->settings, SETTINGS_WELCOMED, TRUE);
  on_state_changed (self); /* the stack moves the focus on */
}

static void
set_up_pages (BrioWindow *self)
{
  g_autoptr (GtkSelectionModel) pages = adw_view_stack_get_pages (self->pages);

  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (pages)); i++)
    {
      g_autoptr (AdwViewStackPage) page = g_list_model_get_item (G_LIST_MODEL (pages), i);
      GtkWidget *child = adw_view_stack_page_get_child (page);

      brio_page_set_client (BRIO_PAGE (child), self->client);
      g_signal_connect_object (child, "detail-changed", G_CALLBACK (on_page_changed), self, G_CONNECT_SWAPPED);
    }
}

static void
set_client (BrioWindow *self,
            BrioClient *client)
{
  self->client = g_object_ref (client);
  self->actions = brio_decision_actions_new (client, GTK_WIDGET (self));
  brio_client_set_sampling (client, TRUE);
  g_signal_connect_object (client, "notify::state", G_CALLBACK (on_state_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (client, "notify::mode", G_CALLBACK (on_mode_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (client, "holds-changed", G_CALLBACK (on_mode_changed), self, G_CONNECT_SWAPPED);
  brio_page_absent_set_client (self->page_absent, client);
  brio_page_welcome_set_client (self->page_welcome, client);
  set_up_pages (self);
  on_mode_changed (self);
  on_state_changed (self);
}

static void
brio_window_dispose (GObject *object)
{
  BrioWindow *self = BRIO_WINDOW (object);

  g_clear_object (&self->search_binding);
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  if (self->client)
    brio_client_set_sampling (self->client, FALSE);
  g_clear_object (&self->actions);
  g_clear_object (&self->settings);
  g_clear_object (&self->client);

  G_OBJECT_CLASS (brio_window_parent_class)->dispose (object);
}

static void
brio_window_class_init (BrioWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = brio_window_dispose;

  g_type_ensure (BRIO_TYPE_MODE_SWITCH);
  g_type_ensure (BRIO_TYPE_PAGE_ABSENT);
  g_type_ensure (BRIO_TYPE_PAGE_CONNECTING);
  g_type_ensure (BRIO_TYPE_PAGE_DECISIONS);
  g_type_ensure (BRIO_TYPE_PAGE_HOLDER);
  g_type_ensure (BRIO_TYPE_PAGE_OVERVIEW);
  g_type_ensure (BRIO_TYPE_PAGE_POLICIES);
  g_type_ensure (BRIO_TYPE_PAGE_PROCESSES);
  g_type_ensure (BRIO_TYPE_PAGE_STARTUPS);
  g_type_ensure (BRIO_TYPE_PAGE_STREAMS);
  g_type_ensure (BRIO_TYPE_PAGE_WELCOME);
  g_type_ensure (BRIO_TYPE_SIDEBAR);
  g_type_ensure (BRIO_TYPE_SPLIT);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/brio/Brio/window.ui");
  gtk_widget_class_bind_template_child (widget_class, BrioWindow, toasts);
  gtk_widget_class_bind_template_child (widget_class, BrioWindow, mode_switch);
  gtk_widget_class_bind_template_child (widget_class, BrioWindow, stack);
  gtk_widget_class_bind_template_child (widget_class, BrioWindow, page_absent);
  gtk_widget_class_bind_template_child (widget_class, BrioWindow, page_welcome);
  gtk_widget_class_bind_template_child (widget_class, BrioWindow, title);
  gtk_widget_class_bind_template_child (widget_class, BrioWindow, search_button);
  gtk_widget_class_bind_template_child (widget_class, BrioWindow, sidebar_button);
  gtk_widget_class_bind_template_child (widget_class, BrioWindow, pages);
  gtk_widget_class_bind_template_child (widget_class, BrioWindow, split);
  gtk_widget_class_bind_template_child (widget_class, BrioWindow, back_button);
  gtk_widget_class_bind_template_callback (widget_class, arrange);
  gtk_widget_class_bind_template_callback (widget_class, on_page_activated);
  gtk_widget_class_bind_template_callback (widget_class, on_page_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_welcomed);
  gtk_widget_class_install_action (widget_class, "win.notify", "s", on_notify_action);
  gtk_widget_class_install_action (widget_class, "win.notify-undo", "(ssv)", on_notify_undo_action);
  gtk_widget_class_install_action (widget_class, PROGRAM_RULES_ACTION, PROGRAM_RULES_TYPE, on_program_rules_action);
  gtk_widget_class_install_action (widget_class, "win.undo", "s", on_undo_action);
  gtk_widget_class_install_action (widget_class, "win.mode", "s", on_mode_action);
  gtk_widget_class_install_action (widget_class, "win.report", NULL, on_report_action);
  gtk_widget_class_install_action (widget_class, "win.page", "s", on_page_action);
  gtk_widget_class_install_action (widget_class, "win.back", NULL, on_back_action);
  gtk_widget_class_install_action (widget_class, "win.sidebar", NULL, on_sidebar_action);
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
                 BrioClient     *client,
                 GSettings      *settings)
{
  BrioWindow *self = g_object_new (BRIO_TYPE_WINDOW, "application", application, NULL);

  if (settings)
    {
      self->settings = g_object_ref (settings);
      self->welcoming = !g_settings_get_boolean (settings, SETTINGS_WELCOMED);
      window_state_keep (GTK_WINDOW (self), self->split, self->pages, settings);
    }
  set_client (self, client);
  return self;
}

const char *
brio_window_get_shown (BrioWindow *self)
{
  g_return_val_if_fail (BRIO_IS_WINDOW (self), NULL);

  return gtk_stack_get_visible_child_name (self->stack);
}

gboolean
brio_window_is_settled (BrioWindow *self)
{
  g_return_val_if_fail (BRIO_IS_WINDOW (self), FALSE);

  return is_connected (self) && !gtk_stack_get_transition_running (self->stack);
}

GListModel *
brio_window_list_pages (BrioWindow *self)
{
  g_return_val_if_fail (BRIO_IS_WINDOW (self), NULL);

  return G_LIST_MODEL (adw_view_stack_get_pages (self->pages));
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

const char *
brio_window_get_page (BrioWindow *self)
{
  g_return_val_if_fail (BRIO_IS_WINDOW (self), NULL);

  return adw_view_stack_get_visible_child_name (self->pages);
}

void
brio_window_show_detail (BrioWindow *self,
                         const char *name)
{
  g_return_if_fail (BRIO_IS_WINDOW (self));

  brio_page_show_detail (BRIO_PAGE (adw_view_stack_get_visible_child (self->pages)), name);
}

void
brio_window_show_startup (BrioWindow *self,
                          const char *application,
                          gint64      time_us)
{
  g_return_if_fail (BRIO_IS_WINDOW (self));

  brio_window_show_page (self, "startups");
  brio_page_show_detail_at (BRIO_PAGE (adw_view_stack_get_visible_child (self->pages)), application, time_us);
}

void
brio_window_search (BrioWindow *self,
                    const char *text)
{
  g_return_if_fail (BRIO_IS_WINDOW (self));

  brio_page_search (BRIO_PAGE (adw_view_stack_get_visible_child (self->pages)), text);
}
