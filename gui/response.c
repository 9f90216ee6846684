/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "response.h"

#include <glib/gi18n.h>

static const struct
{
  const char *label;
  const char *css_class;
} responses[_RESPONSE_MAX] = {
  [RESPONSE_UNKNOWN] = { N_("Unknown"), "dim-label" },
  /* Translators: one word for how a drive responds right now */
  [RESPONSE_IDLE] = { N_("Idle"), "dim-label" },
  [RESPONSE_QUICK] = { N_("Quick"), "success" },
  [RESPONSE_FAIR] = { N_("Fair"), "accent" },
  [RESPONSE_SLOW] = { N_("Slow"), "warning" },
  [RESPONSE_STALLED] = { N_("Stalled"), "error" },
};

static const uint32_t bounds_us[2][3] = {
  { RESPONSE_QUICK_MAX_US, RESPONSE_FAIR_MAX_US, RESPONSE_SLOW_MAX_US },
  { RESPONSE_P99_QUICK_MAX_US, RESPONSE_P99_FAIR_MAX_US, RESPONSE_P99_SLOW_MAX_US },
};

enum response
response_judge (const struct response_facts *facts,
                struct response_measure     *ret)
{
  bool reads = facts->read_mean_us > 0 || facts->read_p99_us > 0;
  uint32_t p99_us = reads ? facts->read_p99_us : facts->write_p99_us;
  uint32_t mean_us = reads ? facts->read_mean_us : facts->write_mean_us;
  const uint32_t *bounds = bounds_us[p99_us > 0];

  *ret = (struct response_measure) { .us = p99_us > 0 ? p99_us : mean_us, .is_p99 = p99_us > 0 };
  if (facts->unknown)
    return RESPONSE_UNKNOWN;
  if (ret->us == 0)
    return RESPONSE_IDLE;
  if (ret->us <= bounds[0])
    return facts->waits ? RESPONSE_FAIR : RESPONSE_QUICK;
  if (ret->us <= bounds[1])
    return RESPONSE_FAIR;
  return ret->us <= bounds[2] ? RESPONSE_SLOW : RESPONSE_STALLED;
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
