/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "list-follow.h"

static gboolean
has_at (GListStore *list,
        guint       position,
        gpointer    wanted)
{
  g_autoptr (GObject) object = g_list_model_get_item (G_LIST_MODEL (list), position);

  return object == wanted;
}

gboolean
list_is (GListStore *list,
         GPtrArray  *wanted)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (list)), same = 0;

  while (n == wanted->len && same < n && has_at (list, same, wanted->pdata[same]))
    same++;
  return n == wanted->len && same == n;
}

gboolean
list_follow (GListStore *list,
             GPtrArray  *wanted)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (list)), less = MIN (n, wanted->len), first = 0, last = 0; /* how many stay at both ends */
  g_autoptr (GPtrArray) between = g_ptr_array_new_with_free_func (g_object_unref); /* the list lets go of what stays there, too */

  while (first < less && has_at (list, first, wanted->pdata[first]))
    first++;
  while (last < less - first && has_at (list, n - 1 - last, wanted->pdata[wanted->len - 1 - last]))
    last++;
  if (first == n && first == wanted->len)
    return FALSE;
  for (guint i = first; i < wanted->len - last; i++)
    g_ptr_array_add (between, g_object_ref (wanted->pdata[i]));
  g_list_store_splice (list, first, n - first - last, between->pdata, between->len);
  return TRUE;
}
