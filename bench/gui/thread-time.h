/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>
#include <time.h>

#define NSEC_PER_S INT64_C (1000000000)

/* What this thread, which does it all, has spent on a CPU: others on the machine have no part in it. */
static inline gint64
thread_ns (void)
{
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * NSEC_PER_S + t.tv_nsec;
}
