/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "advice-list.h"

#include "decision-row.h"
#include "list-box.h"

static GtkWidget *
create_row (BrioDecisionGroup   *group,
            BrioDecisionActions *actions)
{
  GtkWidget *content = brio_decision_row_new (actions), *row = gtk_list_box_row_new ();

  gtk_widget_add_css_class (content, "advice");
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), FALSE);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), content);
  brio_decision_row_show (BRIO_DECISION_ROW (content), group);
  return row;
}

static gboolean
is_same (GListModel *known,
         GPtrArray  *advice)
{
  if (advice->len == 0 || g_list_model_get_n_items (known) != advice->len)
    return FALSE;
  for (guint i = 0; i < advice->len; i++)
    {
      g_autoptr (BrioDecision) old = g_list_model_get_item (known, i);

      if (!g_str_equal (brio_decision_get_text (old, BRIO_DECISION_ID), brio_decision_get_text (advice->pdata[i], BRIO_DECISION_ID)))
        return FALSE;
    }
  return TRUE;
}

guint
advice_list_show (GtkListBox          *list,
                  GListStore          *advised,
                  GVariant            *entries,
                  BrioDecisionActions *actions)
{
  g_autoptr (GPtrArray) advice = g_ptr_array_new_with_free_func (g_object_unref);
  gboolean same;

  for (gsize i = 0; i < g_variant_n_children (entries); i++)
    {
      g_autoptr (GVariant) entry = g_variant_get_child_value (entries, i);
      BrioDecision *decision = brio_decision_new (entry);

      if (decision)
        g_ptr_array_add (advice, decision);
    }
  same = is_same (G_LIST_MODEL (advised), advice);
  g_list_store_splice (advised, 0, g_list_model_get_n_items (G_LIST_MODEL (advised)), advice->pdata, advice->len);
  if (!same)
    list_box_clear (list);
  for (guint i = 0; i < advice->len; i++)
    {
      g_autoptr (BrioDecisionGroup) group = brio_decision_group_new (advice->pdata[i]);

      if (same)
        brio_decision_row_show (BRIO_DECISION_ROW (gtk_list_box_row_get_child (gtk_list_box_get_row_at_index (list, (int) i))), group);
      else
        gtk_list_box_append (list, create_row (group, actions));
    }
  return advice->len;
}
