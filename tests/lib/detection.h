/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A snapshot of one drive for tests of detectors, and what they find in it. */
#pragma once

#include <stdio.h>

#include "detector.h"

#define SEC NSEC_PER_SEC
#define MSEC NSEC_PER_MSEC

static struct snapshot snapshot;
static struct verdict verdicts[DETECTORS_VERDICTS_MAX];
static struct detectors detectors;

/* At 100 s, with nothing known. */
static inline struct device_view *begin_drive(void) {
        detectors = (struct detectors){ 0 };
        snapshot = (struct snapshot){ .now = 100 * SEC, .n_devices = 1 };
        snapshot.devices[0] = (struct device_view){ .dev = 1 };
        return &snapshot.devices[0];
}

static inline struct process_view *add_process(int32_t tgid, const char *name) {
        struct process_view *p = &snapshot.processes[snapshot.n_processes++];

        *p = (struct process_view){ .tgid = tgid, .start_ticks = 7, .dev = 1, .last_io = snapshot.now };
        snprintf(p->name, sizeof(p->name), "%s", name);
        return p;
}

/* The verdict of that kind about that process (0: the drive as a whole), or NULL. */
static inline const struct verdict *find_about(enum verdict_kind kind, int32_t tgid) {
        size_t n = detectors_run(&detectors, &snapshot, verdicts);

        for (size_t i = 0; i < n; i++)
                if (verdicts[i].kind == kind && verdicts[i].subject.tgid == tgid)
                        return &verdicts[i];
        return NULL;
}
