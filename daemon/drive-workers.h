/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workers for many drives at a time: each drive costs no more time than its own. */
#pragma once

#include "actuator.h"

/* The drive does not answer: its entries stay in the journal, n of them. */
typedef void (*drive_silent_fn)(void *userdata, const char *device, size_t n);

struct drive_recovery {
        actuator_report_fn report;
        drive_silent_fn silent;
        void *userdata;
        nsec_t patience, patience_max; /* 0: three seconds, and twenty */
};

/* As actuator_recover(), of all drives at a time and for no longer than patience_max. A drive of which nothing comes for the time of
 * patience, neither an answer nor a completed request, is given up. */
size_t drive_workers_recover(struct actuator *a, nsec_t now, const struct drive_recovery *recovery);
