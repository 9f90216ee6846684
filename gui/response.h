/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One word for how a drive responds right now. No GTK.
 *
 * The number is the mean time that a read waits, since a program that reads stops until it has its answer; writes are
 * buffered, so they count only where nothing is read. The bounds are about people, not about drives: */
#pragma once

#include <stdint.h>

/* One seek of a slow drive with a short queue before it: nobody notices. */
#define RESPONSE_QUICK_MAX_US 20000u
/* An answer within a tenth of a second feels immediate (Miller 1968, "Response time in man-computer conversational
 * transactions"); one read that waits this long uses all of it. */
#define RESPONSE_FAIR_MAX_US 100000u
/* At half a second a read, a program's start takes minutes. */
#define RESPONSE_SLOW_MAX_US 500000u

enum response
{
  RESPONSE_IDLE, /* nothing was completed: there is nothing to judge */
  RESPONSE_QUICK,
  RESPONSE_FAIR,
  RESPONSE_SLOW,
  RESPONSE_STALLED,
  _RESPONSE_MAX,
};

/* Latencies in microseconds; 0: none completed. */
enum response response_judge (uint32_t  read_latency_us,
                              uint32_t  write_latency_us,
                              uint32_t *ret_latency_us);

/* For people, translated: "Quick". */
const char *response_to_label (enum response r);
/* The style class that goes with it: "success", ... */
const char *response_to_css_class (enum response r);
