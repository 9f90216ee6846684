/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "window-state.h"

#include "page.h"
#include "settings.h"

void
window_state_keep (GtkWindow    *window,
                   BrioSplit    *split,
                   AdwViewStack *pages,
                   GSettings    *settings)
{
  g_autofree char *name = g_settings_get_string (settings, SETTINGS_PAGE);
  g_autoptr (GtkSelectionModel) all = adw_view_stack_get_pages (pages);

  /* GTK keeps these at what they are while the window is not maximised. */
  g_settings_bind (settings, SETTINGS_WIDTH, window, "default-width", G_SETTINGS_BIND_DEFAULT | G_SETTINGS_BIND_GET_NO_CHANGES);
  g_settings_bind (settings, SETTINGS_HEIGHT, window, "default-height", G_SETTINGS_BIND_DEFAULT | G_SETTINGS_BIND_GET_NO_CHANGES);
  g_settings_bind (settings, SETTINGS_MAXIMIZED, window, "maximized", G_SETTINGS_BIND_DEFAULT | G_SETTINGS_BIND_GET_NO_CHANGES);
  g_settings_bind (settings, SETTINGS_SIDEBAR, split, "pinned", G_SETTINGS_BIND_DEFAULT);
  if (adw_view_stack_get_child_by_name (pages, name)) /* a later version may have others */
    adw_view_stack_set_visible_child_name (pages, name);
  g_settings_bind (settings, SETTINGS_PAGE, pages, "visible-child-name", G_SETTINGS_BIND_SET);
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (all)); i++)
    {
      g_autoptr (AdwViewStackPage) page = g_list_model_get_item (G_LIST_MODEL (all), i);

      brio_page_set_settings (BRIO_PAGE (adw_view_stack_page_get_child (page)), settings);
    }
}
