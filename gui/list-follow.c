/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "list-follow.h"

void
list_follow (GListStore *list,
             GPtrArray  *wanted)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (list)), first = n;
  g_autoptr (GPtrArray) behind = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GHashTable) left = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < wanted->len; i++)
    g_hash_table_add (left, wanted->pdata[i]);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GObject) object = g_list_model_get_item (G_LIST_MODEL (list), i);

      if (!g_hash_table_remove (left, object))
        first = MIN (first, i);
      else if (i > first)
        g_ptr_array_add (behind, g_steal_pointer (&object));
    }
  for (guint i = 0; i < wanted->len; i++)
    if (g_hash_table_remove (left, wanted->pdata[i]))
      g_ptr_array_add (behind, g_object_ref (wanted->pdata[i]));
  if (first < n || behind->len > 0)
    g_list_store_splice (list, first, n - first, behind->pdata, behind->len);
}
