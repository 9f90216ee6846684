/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "response.h"

#include <glib/gi18n.h>

static const struct
{
  const char *label;
  const char *css_class;
} responses[_RESPONSE_MAX] = {
  /* Translators: one word for how a drive responds right now */
  [RESPONSE_IDLE] = { N_("Idle"), "dim-label" },
  [RESPONSE_QUICK] = { N_("Quick"), "success" },
  [RESPONSE_FAIR] = { N_("Fair"), "accent" },
  [RESPONSE_SLOW] = { N_("Slow"), "warning" },
  [RESPONSE_STALLED] = { N_("Stalled"), "error" },
};

enum response
response_judge (uint32_t  read_latency_us,
                uint32_t  write_latency_us,
                uint32_t *ret_latency_us)
{
  uint32_t latency_us = read_latency_us > 0 ? read_latency_us : write_latency_us;

  *ret_latency_us = latency_us;
  if (latency_us == 0)
    return RESPONSE_IDLE;
  if (latency_us <= RESPONSE_QUICK_MAX_US)
    return RESPONSE_QUICK;
  if (latency_us <= RESPONSE_FAIR_MAX_US)
    return RESPONSE_FAIR;
  return latency_us <= RESPONSE_SLOW_MAX_US ? RESPONSE_SLOW : RESPONSE_STALLED;
}

const char *
response_to_label (enum response r)
{
  return _(responses[r].label);
}

const char *
response_to_css_class (enum response r)
{
  return responses[r].css_class;
}
