/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "process-name.h"

#include "accessible.h"
#include "app-info.h"

#define PARTS_KEY "brio-parts"
#define ICON_PX 16
#define SPACING_PX 6

struct parts
{
  GtkListItem *item;
  GtkWidget *icon, *texts, *name, *place;
  GtkWidget *arrow;  /* NULL: it was no group yet */
  char *application; /* whose icon it is; NULL: none was set */
  int unfolded;      /* -1: it does not unfold */
};

static void
free_parts (gpointer parts)
{
  g_free (((struct parts *) parts)->application);
  g_free (parts);
}

static struct parts *
get_parts (GtkWidget *widget)
{
  return g_object_get_data (G_OBJECT (widget), PARTS_KEY);
}

GtkWidget *
process_name_new (GtkListItem         *item,
                  ProcessCellStyle    *name,
                  ProcessCellStyle    *place,
                  GtkColumnViewColumn *place_column)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, SPACING_PX);
  struct parts *parts = g_new (struct parts, 1);

  *parts = (struct parts){ item, gtk_image_new (), gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), brio_process_cell_new (name),
                           brio_process_cell_new (place), NULL, NULL, -1 };
  g_object_set_data_full (G_OBJECT (box), PARTS_KEY, parts, free_parts);
  gtk_image_set_pixel_size (GTK_IMAGE (parts->icon), ICON_PX);
  gtk_widget_add_css_class (parts->place, "caption");
  gtk_widget_add_css_class (parts->place, "dim-label");
  gtk_widget_set_hexpand (parts->texts, TRUE);
  gtk_widget_set_valign (parts->texts, GTK_ALIGN_CENTER);
  gtk_box_append (GTK_BOX (parts->texts), parts->name);
  gtk_box_append (GTK_BOX (parts->texts), parts->place);
  gtk_box_append (GTK_BOX (box), parts->icon);
  gtk_box_append (GTK_BOX (box), parts->texts);
  g_object_bind_property (place_column, "visible", parts->place, "visible", G_BINDING_SYNC_CREATE | G_BINDING_INVERT_BOOLEAN);
  return box;
}

static void
on_arrow (GtkGestureClick *gesture,
          int              n,
          double           x,
          double           y,
          struct parts    *parts)
{
  (void) n;
  (void) x;
  (void) y;
  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  gtk_widget_activate_action (parts->arrow, "list.activate-item", "u", gtk_list_item_get_position (parts->item));
}

/* Few rows have one. */
static GtkWidget *
ensure_arrow (GtkWidget    *box,
              struct parts *parts)
{
  GtkGesture *gesture;

  if (parts->arrow)
    return parts->arrow;
  parts->arrow = gtk_image_new ();
  gesture = gtk_gesture_click_new ();
  g_signal_connect (gesture, "released", G_CALLBACK (on_arrow), parts);
  gtk_widget_add_controller (parts->arrow, GTK_EVENT_CONTROLLER (gesture));
  gtk_box_append (GTK_BOX (box), parts->arrow);
  return parts->arrow;
}

static void
show_arrow (GtkWidget    *box,
            struct parts *parts,
            BrioProcess  *process)
{
  int unfolded = brio_process_is_group (process) ? brio_process_is_unfolded (process) : -1;

  if (unfolded == parts->unfolded)
    return;
  parts->unfolded = unfolded;
  accessible_unfold_row (box, unfolded);
  gtk_image_set_from_icon_name (GTK_IMAGE (ensure_arrow (box, parts)), unfolded > 0 ? "pan-down-symbolic" : "pan-end-symbolic");
  gtk_widget_set_visible (parts->arrow, unfolded >= 0);
}

/* Those of no application have that of any program. */
static void
show_icon (struct parts *parts,
           BrioProcess  *process)
{
  const char *application = brio_process_get_application (process);
  g_autoptr (GIcon) icon = NULL;

  if (!application)
    application = "";
  if (g_strcmp0 (parts->application, application) == 0)
    return;
  g_free (parts->application);
  parts->application = g_strdup (application);
  icon = app_info_dup_icon (application);
  gtk_image_set_from_gicon (GTK_IMAGE (parts->icon), icon);
}

void
process_name_show (GtkWidget   *widget,
                   BrioProcess *process,
                   const char  *name,
                   const char  *place)
{
  struct parts *parts = get_parts (widget);
  gboolean member = brio_process_get_group (process) != NULL;

  if (!g_str_equal (brio_process_cell_get_text (BRIO_PROCESS_CELL (parts->name)), name))
    accessible_name_row (widget, name);
  brio_process_cell_set_text (BRIO_PROCESS_CELL (parts->name), name);
  brio_process_cell_set_text (BRIO_PROCESS_CELL (parts->place), place);
  gtk_widget_set_visible (parts->icon, !member);
  gtk_widget_set_margin_start (parts->texts, member ? ICON_PX + SPACING_PX : 0);
  if (!member)
    show_icon (parts, process);
  show_arrow (widget, parts, process);
}

BrioProcessCell *
process_name_get_cell (GtkWidget *widget)
{
  return BRIO_PROCESS_CELL (get_parts (widget)->name);
}
