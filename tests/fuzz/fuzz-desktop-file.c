/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whatever a desktop file holds, the dashboard finds its application by name, and shows that name as text. */
#include "str.h"

#include <gio/gdesktopappinfo.h>

#include "app-info.h"
#include "fuzz.h"

static void
check_programs (GAppInfo *info)
{
  GHashTable *table = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_object_unref);
  GHashTableIter iter;
  gpointer name, found;

  app_info_add_programs (table, info);
  g_hash_table_iter_init (&iter, table);
  while (g_hash_table_iter_next (&iter, &name, &found))
    MUST (*(char *) name && found == info);
  g_hash_table_unref (table);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data,
                        size_t         size)
{
  GKeyFile *file = g_key_file_new ();
  GDesktopAppInfo *info = NULL;

  if (g_key_file_load_from_data (file, (const char *) data, size, G_KEY_FILE_NONE, NULL))
    info = g_desktop_app_info_new_from_keyfile (file);
  if (info)
    {
      check_programs (G_APP_INFO (info));
      MUST (str_is_text (app_info_get_text (G_APP_INFO (info))));
      MUST (app_info_get_text (G_APP_INFO (info)) == app_info_get_text (G_APP_INFO (info)));
    }
  g_clear_object (&info);
  g_key_file_unref (file);
  return 0;
}
