/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One word for how a drive responds right now. No GTK.
 *
 * Reads decide, since a program that reads stops until it has its answer; writes are buffered, so they count only where nothing is read.
 * Where single requests are looked at, what 99 of 100 do not exceed is judged: a mean of many quick reads hides the slow ones that a person
 * notices. Else the mean is all that is known. The bounds are about people, not about drives: */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Of a mean. One seek of a slow drive with a short queue before it: no user notices. */
#define RESPONSE_QUICK_MAX_US 20000u
/* An answer within a tenth of a second feels immediate (Miller 1968, "Response time in man-computer conversational
 * transactions"); one read that waits this long uses all of it. */
#define RESPONSE_FAIR_MAX_US 100000u
/* At half a second a read, a program's start takes minutes. */
#define RESPONSE_SLOW_MAX_US 500000u
/* Of 99 of 100: what a person does with a program takes about as many reads, so the longest of them is met. It may take half of the tenth of a
 * second, two of them, and the second within which a person stays with the thought (Miller). */
#define RESPONSE_P99_QUICK_MAX_US 50000u
#define RESPONSE_P99_FAIR_MAX_US 200000u
#define RESPONSE_P99_SLOW_MAX_US 1000000u

enum response
{
  RESPONSE_UNKNOWN, /* no samples come */
  RESPONSE_IDLE,    /* nothing was completed: there is nothing to judge */
  RESPONSE_QUICK,
  RESPONSE_FAIR,
  RESPONSE_SLOW,
  RESPONSE_STALLED,
  _RESPONSE_MAX,
};

/* Latencies in microseconds; 0: none completed, or not known. */
struct response_facts
{
  uint32_t read_mean_us, write_mean_us;
  uint32_t read_p99_us, write_p99_us;
  bool unknown; /* no samples come */
  bool waits; /* a process waits for the drive: then it is not quick */
  bool others_yield; /* read_p99_us leaves out processes that let others go first, and they waited longer */
};

/* What was judged. */
struct response_measure
{
  uint32_t us;
  bool is_p99; /* else the mean */
};

enum response response_judge (const struct response_facts *facts,
                              struct response_measure     *ret);

/* For people, translated: "Quick". */
const char *response_to_label (enum response r);
/* The style class that goes with it: "success", ... */
const char *response_to_css_class (enum response r);
