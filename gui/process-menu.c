/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "process-menu.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "list-box.h"
#include "message.h"
#include "object-process.h"
#include "process-columns.h"
#include "process-lower.h"
#include "program-rules-ask.h"
#include "program-rules.h"

#define POPOVER_KEY "brio-popover"
#define PROCESS_KEY "brio-process"
#define ROWS_KEY "brio-rows"
#define ACTIONS_KEY "brio-actions"
#define CLIENT_KEY "brio-client"

/* What the menu was opened for, a process or a group: it may go away meanwhile, and another be selected. */
static BrioProcess *
get_process (GtkColumnView *view)
{
  return g_object_get_data (G_OBJECT (view), PROCESS_KEY);
}

static void
on_copy (GSimpleAction *action,
         GVariant      *parameter,
         gpointer       view)
{
  g_autofree char *text = process_columns_format (get_process (view));

  (void) action;
  (void) parameter;
  gdk_clipboard_set_text (gtk_widget_get_clipboard (view), text);
}

static void
on_details (GSimpleAction *action,
            GVariant      *parameter,
            gpointer       view)
{
  BrioProcess *process = get_process (view);
  GtkWindow *window = GTK_WINDOW (gtk_widget_get_root (view));
  g_autofree char *label = brio_process_dup_label (process);
  GtkWidget *list = gtk_list_box_new ();
  AdwMessageDialog *dialog;
  const char *title;
  char *text;

  (void) action;
  (void) parameter;
  gtk_list_box_set_selection_mode (GTK_LIST_BOX (list), GTK_SELECTION_NONE);
  gtk_widget_add_css_class (list, "boxed-list");
  for (guint i = 1; (text = process_columns_describe (process, i, &title)); i++) /* 0: its name */
    {
      g_autofree char *note = process_columns_explain (process, i);
      GtkWidget *row = list_box_add_row (GTK_LIST_BOX (list), title, note), *value = gtk_label_new (text);

      gtk_label_set_selectable (GTK_LABEL (value), TRUE);
      gtk_widget_set_can_focus (value, FALSE);
      gtk_widget_add_css_class (value, "dim-label");
      adw_action_row_add_suffix (ADW_ACTION_ROW (row), value);
      gtk_widget_set_visible (row, *text != '\0' || note);
      g_free (text);
    }
  dialog = message_new (window, label, NULL, list);
  adw_message_dialog_add_response (dialog, "close", _("_Close"));
  gtk_window_present (GTK_WINDOW (dialog));
}

/* The names of the process, or of those of the group as they are now, each once. */
static GStrv
dup_programs (GtkColumnView *view)
{
  g_autoptr (GPtrArray) processes = brio_process_rows_get_processes (g_object_get_data (G_OBJECT (view), ROWS_KEY), get_process (view));
  g_autoptr (GStrvBuilder) programs = g_strv_builder_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  if (processes->len == 0 && brio_process_get_pid (get_process (view)) != 0) /* it has ended since the menu was opened */
    g_strv_builder_add (programs, brio_process_get_name (get_process (view)));
  for (guint i = 0; i < processes->len; i++)
    if (g_hash_table_add (seen, (gpointer) brio_process_get_name (processes->pdata[i])))
      g_strv_builder_add (programs, brio_process_get_name (processes->pdata[i]));
  return g_strv_builder_end (programs);
}

static GVariant *
get_rules (GtkColumnView *view)
{
  return brio_client_get_program_rules (g_object_get_data (G_OBJECT (view), CLIENT_KEY));
}

static void
on_rule (GSimpleAction *action,
         GVariant      *parameter,
         gpointer       view)
{
  g_auto (GStrv) programs = dup_programs (view);

  (void) action;
  gtk_widget_activate_action (view, PROGRAM_RULES_ACTION, "(@a(ss)b)",
                              program_rules_make (get_rules (view), (const char *const *) programs, g_variant_get_string (parameter, NULL)), TRUE);
}

static void
on_lower (GSimpleAction *action,
          GVariant      *parameter,
          gpointer       view)
{
  BrioProcess *process = get_process (view);

  (void) action;
  (void) parameter;
  process_lower (g_object_get_data (view, CLIENT_KEY), GTK_WIDGET (gtk_widget_get_root (view)), brio_process_get_pid (process),
                 brio_process_get_name (process));
}

/* The menu shows which rule there is. */
static void
show_rule (GtkColumnView *view)
{
  GActionMap *actions = g_object_get_data (G_OBJECT (view), ACTIONS_KEY);
  GSimpleAction *action = G_SIMPLE_ACTION (g_action_map_lookup_action (actions, "rule"));
  g_auto (GStrv) programs = dup_programs (view);

  g_simple_action_set_enabled (action, brio_process_get_others (get_process (view)) == 0);
  g_simple_action_set_enabled (G_SIMPLE_ACTION (g_action_map_lookup_action (actions, "lower")), brio_process_get_pid (get_process (view)) != 0);
  g_simple_action_set_state (action, g_variant_new_string (program_rules_of_all (get_rules (view), (const char *const *) programs)));
}

void
process_menu_open (GtkColumnView      *view,
                   const GdkRectangle *at)
{
  GtkPopover *popover = g_object_get_data (G_OBJECT (view), POPOVER_KEY);
  BrioProcess *process = gtk_single_selection_get_selected_item (GTK_SINGLE_SELECTION (gtk_column_view_get_model (view)));

  if (!process)
    return;
  g_object_set_data_full (G_OBJECT (view), PROCESS_KEY, g_object_ref (process), g_object_unref);
  show_rule (view);
  gtk_popover_set_pointing_to (popover, at);
  gtk_popover_popup (popover);
}

static void
select_process (GtkColumnView *view,
                BrioProcess   *process)
{
  GtkSingleSelection *selection = GTK_SINGLE_SELECTION (gtk_column_view_get_model (view));

  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (selection)); i++)
    {
      g_autoptr (BrioProcess) other = g_list_model_get_item (G_LIST_MODEL (selection), i);

      if (other == process)
        gtk_single_selection_set_selected (selection, i);
    }
}

static void
on_pressed (GtkGestureClick *gesture,
            int              n,
            double           x,
            double           y,
            GtkWidget       *around)
{
  GtkWidget *view = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (gesture));
  BrioProcess *process = process_columns_pick (GTK_COLUMN_VIEW (view), x, y);

  (void) n;
  if (!process)
    return;
  select_process (GTK_COLUMN_VIEW (view), process);
  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  gtk_widget_translate_coordinates (view, around, x, y, &x, &y);
  process_menu_open (GTK_COLUMN_VIEW (view), &(GdkRectangle) { (int) x, (int) y, 1, 1 });
}

static gboolean
on_menu_key (GtkWidget *view,
             GVariant  *unused,
             gpointer   around)
{
  GtkWidget *row = gtk_root_get_focus (gtk_widget_get_root (view));
  double x = 0, y = 0;

  (void) unused;
  if (!row || !gtk_widget_is_ancestor (row, view))
    return FALSE;
  gtk_widget_translate_coordinates (row, around, 0, gtk_widget_get_height (row) / 2.0, &x, &y);
  process_menu_open (GTK_COLUMN_VIEW (view), &(GdkRectangle) { (int) x + 24, (int) y, 1, 1 });
  return TRUE;
}

void
process_menu_attach (GtkColumnView   *view,
                     BrioProcessRows *rows,
                     GMenuModel      *menu,
                     GtkWidget       *around)
{
  static const GActionEntry entries[] = {
    { .name = "copy", .activate = on_copy },
    { .name = "details", .activate = on_details },
    { .name = "lower", .activate = on_lower },
    { .name = "rule", .parameter_type = "s", .state = "''", .change_state = on_rule },
  };
  GSimpleActionGroup *actions = g_simple_action_group_new ();
  GtkWidget *popover = gtk_popover_menu_new_from_model (menu);
  GtkGesture *gesture = gtk_gesture_click_new ();
  GtkEventController *keys = gtk_shortcut_controller_new ();

  g_object_set_data_full (G_OBJECT (view), ROWS_KEY, g_object_ref (rows), g_object_unref);
  g_action_map_add_action_entries (G_ACTION_MAP (actions), entries, G_N_ELEMENTS (entries), view);
  gtk_widget_insert_action_group (around, "process", G_ACTION_GROUP (actions));
  g_object_set_data_full (G_OBJECT (view), ACTIONS_KEY, actions, g_object_unref);

  gtk_popover_set_has_arrow (GTK_POPOVER (popover), FALSE);
  gtk_widget_set_halign (popover, GTK_ALIGN_START);
  gtk_widget_set_parent (popover, around);
  g_signal_connect_object (around, "destroy", G_CALLBACK (gtk_widget_unparent), popover, G_CONNECT_SWAPPED);
  g_object_set_data (G_OBJECT (view), POPOVER_KEY, popover);

  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (gesture), GDK_BUTTON_SECONDARY);
  g_signal_connect_object (gesture, "pressed", G_CALLBACK (on_pressed), around, 0);
  gtk_widget_add_controller (GTK_WIDGET (view), GTK_EVENT_CONTROLLER (gesture));
  gtk_shortcut_controller_add_shortcut (GTK_SHORTCUT_CONTROLLER (keys),
                                        gtk_shortcut_new (gtk_shortcut_trigger_parse_string ("Menu|<Shift>F10"),
                                                          gtk_callback_action_new (on_menu_key, around, NULL)));
  gtk_widget_add_controller (GTK_WIDGET (view), keys);
}

void
process_menu_set_client (GtkColumnView *view,
                         BrioClient    *client)
{
  g_object_set_data_full (G_OBJECT (view), CLIENT_KEY, g_object_ref (client), g_object_unref);
}
