/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading a clock: for daemon/ and cli/. core/ is given the time (check-core-pure.sh sees to it). */
#pragma once

#include <time.h>

#include "units.h"

/* clock: CLOCK_MONOTONIC, CLOCK_BOOTTIME, ... */
static inline nsec_t clock_now(clockid_t clock) {
        struct timespec t;

        clock_gettime(clock, &t);
        return (nsec_t) t.tv_sec * NSEC_PER_SEC + (nsec_t) t.tv_nsec;
}
