/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "process-menu.h"

#include <adwaita.h>
#include <errno.h>
#include <glib/gi18n.h>

#include "message.h"
#include "object-process.h"
#include "process-columns.h"
#include "process-priority.h"

#define POPOVER_KEY "brio-popover"
#define PROCESS_KEY "brio-process"
#define ROWS_KEY "brio-rows"
#define PRIORITY_ACTION "win.process-priority"

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
      GtkWidget *row = adw_action_row_new (), *value = gtk_label_new (text);

      adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
      gtk_label_set_selectable (GTK_LABEL (value), TRUE);
      gtk_widget_set_can_focus (value, FALSE);
      gtk_widget_add_css_class (value, "dim-label");
      adw_action_row_add_suffix (ADW_ACTION_ROW (row), value);
      gtk_widget_set_visible (row, *text != '\0');
      gtk_list_box_append (GTK_LIST_BOX (list), row);
      g_free (text);
    }
  dialog = message_new (window, label, NULL, list);
  adw_message_dialog_add_response (dialog, "close", _("_Close"));
  gtk_window_present (GTK_WINDOW (dialog));
}

/* Processes, each with the priority that it gets, "a(uu)". */
static GVariant *
make_wanted (GPtrArray *processes,
             guint32    priority)
{
  GVariantBuilder wanted;

  g_variant_builder_init (&wanted, G_VARIANT_TYPE ("a(uu)"));
  for (guint i = 0; i < processes->len; i++)
    g_variant_builder_add (&wanted, "(uu)", brio_process_get_pid (processes->pdata[i]), priority);
  return g_variant_builder_end (&wanted);
}

/* The process, or those of the group as they are now. */
static GPtrArray *
get_processes (GtkColumnView *view)
{
  return brio_process_rows_get_processes (g_object_get_data (G_OBJECT (view), ROWS_KEY), get_process (view));
}

static void
on_priority (GSimpleAction *action,
             GVariant      *parameter,
             gpointer       view)
{
  const char *word = g_variant_get_string (parameter, NULL);
  guint priority = g_str_equal (word, "spare") ? PROCESS_PRIORITY_USUAL : g_str_equal (word, "wait") ? PROCESS_PRIORITY_LAST : PROCESS_PRIORITY_UNSET;
  g_autoptr (GPtrArray) processes = get_processes (view);

  (void) action;
  gtk_widget_activate_action (view, PRIORITY_ACTION, "(@a(uu)ub)", make_wanted (processes, priority), priority, TRUE);
}

static char *
describe_failure (int error)
{
  if (error == -ESRCH)
    return g_strdup (_("The process has ended"));
  if (error == -EPERM)
    return g_strdup (_("That is another user’s process"));
  return g_strdup (g_strerror (-error));
}

static const char *
describe_priority (guint priority)
{
  if (priority == PROCESS_PRIORITY_UNSET)
    return _("Brio decides how it shares the drive");
  return priority == PROCESS_PRIORITY_LAST ? _("It waits for all others until it ends") : _("Brio does not slow it down until it ends");
}

/* Gives each its priority. ret_before: which one those had that got it; ret_error: why the last did not, where one did not. Returns how many did not. */
static guint
set_priorities (GVariant  *wanted,
                GVariant **ret_before,
                int       *ret_error)
{
  GVariantBuilder before;
  GVariantIter iter;
  guint32 pid, priority;
  guint failed = 0;

  g_variant_builder_init (&before, G_VARIANT_TYPE ("a(uu)"));
  g_variant_iter_init (&iter, wanted);
  while (g_variant_iter_next (&iter, "(uu)", &pid, &priority))
    {
      int had = process_priority_get (pid), r = had < 0 ? had : process_priority_set (pid, priority);

      if (r < 0)
        {
          *ret_error = r;
          failed++;
        }
      else
        g_variant_builder_add (&before, "(uu)", pid, (guint32) had);
    }
  *ret_before = g_variant_ref_sink (g_variant_builder_end (&before));
  return failed;
}

static char *
describe_outcome (guint priority,
                  guint changed,
                  guint failed,
                  int   error)
{
  if (changed == 0)
    return describe_failure (error);
  if (failed > 0)
    /* Translators: %u and %u are numbers of processes; the first could be changed */
    return g_strdup_printf (_("Done for %u of %u processes: the others have ended, or are another user’s"), changed, changed + failed);
  return g_strdup (describe_priority (priority));
}

/* Processes and priorities, which one it is, and whether those before are offered again. */
static void
on_window_priority (GtkWidget  *window,
                    const char *name,
                    GVariant   *parameter)
{
  g_autoptr (GVariant) wanted = NULL, before = NULL;
  g_autofree char *text = NULL;
  guint32 priority;
  gboolean undoable;
  guint failed;
  int error = -ESRCH;

  (void) name;
  g_variant_get (parameter, "(@a(uu)ub)", &wanted, &priority, &undoable);
  failed = set_priorities (wanted, &before, &error);
  text = undoable || failed > 0 ? describe_outcome (priority, (guint) g_variant_n_children (before), failed, error) : g_strdup (_("As it was before"));
  if (undoable && g_variant_n_children (before) > 0)
    gtk_widget_activate_action (window, "win.notify-undo", "(ssv)", text, PRIORITY_ACTION, g_variant_new ("(@a(uu)ub)", before, priority, FALSE));
  else
    gtk_widget_activate_action (window, "win.notify", "s", text);
}

void
process_menu_install (GtkWidgetClass *window_class)
{
  gtk_widget_class_install_action (window_class, PRIORITY_ACTION, "(a(uu)ub)", on_window_priority);
}

static gboolean
is_own (BrioProcess *process)
{
  return brio_process_get_others (process) == 0
         && (g_str_equal (brio_process_get_user (process), g_get_user_name ()) || g_str_equal (g_get_user_name (), "root"));
}

void
process_menu_open (GtkColumnView      *view,
                   const GdkRectangle *at)
{
  GtkPopover *popover = g_object_get_data (G_OBJECT (view), POPOVER_KEY);
  BrioProcess *process = gtk_single_selection_get_selected_item (GTK_SINGLE_SELECTION (gtk_column_view_get_model (view)));
  GActionMap *actions = g_object_get_data (G_OBJECT (view), PRIORITY_ACTION);

  if (!process)
    return;
  g_object_set_data_full (G_OBJECT (view), PROCESS_KEY, g_object_ref (process), g_object_unref);
  g_simple_action_set_enabled (G_SIMPLE_ACTION (g_action_map_lookup_action (actions, "priority")), is_own (process));
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
    { .name = "priority", .parameter_type = "s", .activate = on_priority },
  };
  GSimpleActionGroup *actions = g_simple_action_group_new ();
  GtkWidget *popover = gtk_popover_menu_new_from_model (menu);
  GtkGesture *gesture = gtk_gesture_click_new ();
  GtkEventController *keys = gtk_shortcut_controller_new ();

  g_object_set_data_full (G_OBJECT (view), ROWS_KEY, g_object_ref (rows), g_object_unref);
  g_action_map_add_action_entries (G_ACTION_MAP (actions), entries, G_N_ELEMENTS (entries), view);
  gtk_widget_insert_action_group (around, "process", G_ACTION_GROUP (actions));
  g_object_set_data_full (G_OBJECT (view), PRIORITY_ACTION, actions, g_object_unref);

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
