/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "screenshot.h"

GdkTexture *
screenshot_take (GtkWidget  *widget,
                 GError    **error)
{
  GtkNative *native = gtk_widget_get_native (widget);
  GskRenderer *renderer = native ? gtk_native_get_renderer (native) : NULL;
  g_autoptr (GdkPaintable) paintable = NULL;
  g_autoptr (GskRenderNode) node = NULL;
  GtkSnapshot *snapshot;
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  int full_width, full_height;

  if (renderer && width > 0 && height > 0)
    {
      snapshot = gtk_snapshot_new ();
      paintable = gtk_widget_paintable_new (widget);
      full_width = MAX (width, gdk_paintable_get_intrinsic_width (paintable));
      full_height = MAX (height, gdk_paintable_get_intrinsic_height (paintable));
      /* Without a compositor a window draws a frame around itself: not in the picture. */
      gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((float) (width - full_width) / 2, (float) (height - full_height) / 2));
      gdk_paintable_snapshot (paintable, snapshot, full_width, full_height);
      node = gtk_snapshot_free_to_node (snapshot);
    }
  if (!node)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_INITIALIZED, "%s is not shown", G_OBJECT_TYPE_NAME (widget));
      return NULL;
    }
  return gsk_renderer_render_texture (renderer, node, &GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height));
}

gboolean
screenshot_save (GtkWidget  *widget,
                 const char *path,
                 GError    **error)
{
  g_autoptr (GdkTexture) texture = screenshot_take (widget, error);

  if (!texture)
    return FALSE;
  if (!gdk_texture_save_to_png (texture, path))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "cannot write %s", path);
      return FALSE;
    }
  return TRUE;
}

static gboolean
stands_for_another (GtkWidget *w)
{
  const char *shown;

  if (GTK_IS_SPINNER (w))
    return gtk_spinner_get_spinning (GTK_SPINNER (w));
  if (!GTK_IS_STACK (w))
    return FALSE;
  shown = gtk_stack_get_visible_child_name (GTK_STACK (w));
  return gtk_stack_get_transition_running (GTK_STACK (w)) || g_strcmp0 (shown, "loading") == 0 || g_strcmp0 (shown, "connecting") == 0;
}

gboolean
screenshot_is_early (GtkWidget *w)
{
  if (!gtk_widget_get_mapped (w))
    return FALSE;
  if (stands_for_another (w))
    return TRUE;
  for (GtkWidget *child = gtk_widget_get_first_child (w); child; child = gtk_widget_get_next_sibling (child))
    if (screenshot_is_early (child))
      return TRUE;
  return FALSE;
}
