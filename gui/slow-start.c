/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slow-start.h"

struct slow_start
slow_start_of (BrioStartup *startup)
{
  const BrioCulprit *culprits;
  BrioStartupUsual usual;
  struct slow_start s = {
    .launched = brio_startup_is_launched (startup),
    .latency_us = brio_startup_get_figure (startup, BRIO_STARTUP_LATENCY),
    .waited_us = brio_startup_get_figure (startup, BRIO_STARTUP_WAITED),
    .drive = brio_startup_get_drive (startup),
  };

  brio_startup_get_usual (startup, &usual);
  s.known = usual.starts;
  s.median_us = usual.median_us;
  s.p95_us = usual.p95_us;
  if (brio_startup_get_culprits (startup, &culprits) > 0)
    {
      s.culprit = culprits[0].name;
      s.culprit_permille = (unsigned) culprits[0].permille;
    }
  return s;
}
