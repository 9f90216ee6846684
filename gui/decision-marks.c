/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decision-marks.h"

#include "object-device.h"
#include "variant.h"

void
decision_marks_load (GListModel *devices,
                     GVariant   *decisions,
                     gint64      realtime_us,
                     gint64      since_us)
{
  gsize n = g_variant_n_children (decisions), first = n;

  while (first > 0)
    {
      g_autoptr (GVariant) decision = g_variant_get_child_value (decisions, first - 1);

      if (variant_number (decision, "time_usec") < since_us + realtime_us)
        break;
      first--;
    }
  for (; first < n; first++)
    {
      g_autoptr (GVariant) decision = g_variant_get_child_value (decisions, first);

      decision_marks_add (devices, decision, realtime_us);
    }
}

void
decision_marks_add (GListModel *devices,
                    GVariant   *decision,
                    gint64      realtime_us)
{
  const char *name = variant_text (decision, "device"), *result = variant_text (decision, "result");
  gint64 time_us = variant_number (decision, "time_usec");

  if (time_us < 0 || (!g_str_equal (result, "applied") && !g_str_equal (result, "restored")))
    return;
  for (guint i = 0; i < g_list_model_get_n_items (devices); i++)
    {
      g_autoptr (BrioDevice) device = g_list_model_get_item (devices, i);

      if (g_str_equal (brio_device_get_name (device), name))
        brio_device_mark (device, time_us - realtime_us);
    }
}
