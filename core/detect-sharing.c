/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many processes want one drive at once: seeds 000 (many-sync) and 001 (shared). docs/detectors.md has the account.
 *
 * Both count readers: a rise counts at once, since the harm sits in a load's first seconds, while a fall counts through
 * cfq's slow average, so that a pause of a moment does not end the verdict. */
#include <stdio.h>

#include "detect.h"
#include "idling.h"
#include "macro.h"
#include "str.h"

/* 16 readers that idle 8 ms each fill 128 ms: the first size at which idling takes a good part of the 300 ms that a person
 * notices. The law bites later still (37 readers at 8 ms). Half of it ends the verdict. */
#define MANY_SYNC_READERS 16

/* Seed 001: up to 3 processes a round of full slices fits into 300 ms. */
#define SHARED_READERS 3

static uint32_t steady_readers(const struct device_view *v) {
        return MAX(v->readers, v->readers_smoothed);
}

/* From single requests, while these are told. */
static void add_p99(const struct device_view *v, struct verdict *ret) {
        const struct latency_view *l = &v->requests.latencies.wait[REQUEST_READ];

        if (v->requests.since && l->requests > 0)
                verdict_add(ret, "read-latency-p99", l->p99_us, 0, "us");
}

/* A reader that pauses longer than a scheduler waits is not caught. One that reads here and there makes the drive seek for its next request as for any other's. */
static bool is_waited_for_in_vain(const struct process_view *p) {
        return p->requests.think_time_us * NSEC_PER_USEC > SLICE_IDLE_NS || (p->requests.begun && p->requests.seeky_so_far);
}

/* Of those of which it is known, how many are waited for in vain. By bfq's own count of 20 seeks that would be known of readers that are served in turns
 * only after several rounds, which take seconds each: just where it matters most. One reader says little by a few requests, and eight that all do the
 * same say enough. */
static void add_in_vain(const struct detection *d, struct verdict *ret) {
        uint32_t known = 0, vain = 0;

        for (size_t i = 0; i < d->snapshot->n_processes; i++) {
                const struct process_view *p = &d->snapshot->processes[i];
                bool in_vain = is_waited_for_in_vain(p);
                if (p->dev != d->view->dev || !p->requests.told || (!in_vain && !p->requests.begun)) /* not known yet */
                        continue;
                known++;
                vain += in_vain;
        }
        if (known >= MANY_SYNC_READERS / 2)
                verdict_add(ret, "in-vain", vain * 1000 / known, 0, "permille");
}

void detect_many_sync(struct detection *d) {
        const struct device_view *view = d->view;
        uint32_t readers = steady_readers(view), limit = detection_stands(d, NULL) ? MANY_SYNC_READERS / 2 : MANY_SYNC_READERS;
        struct verdict *v;

        /* Mostly small ones: a few streams among them change nothing. */
        if (readers < limit || view->small_readers * 2 < view->readers)
                return;
        /* Where single requests are not told and nothing is read, a process that waits may as well write. */
        if (view->recent.reads == 0 && !view->requests.since && !detection_stands(d, NULL))
                return;
        v = detection_add(d, NULL);
        if (!v)
                return;
        v->severity = (uint16_t) MIN(readers * 1000 / 150, 1000u);
        verdict_add(v, "readers", readers, MANY_SYNC_READERS, "");
        verdict_add(v, "read-size", view->recent.read_size_bytes, 0, "bytes");
        verdict_add(v, "read-latency", view->recent.read_latency_us, 0, "us");
        add_p99(view, v);
        add_in_vain(d, v);
        SAY(v->sentence, sizeof(v->sentence), SAY_MANY_SYNC, readers);
        if (view->recent.reads > 0)
                SAY(v->sentence, sizeof(v->sentence), SAY_READ_SIZE, view->recent.read_size_bytes);
}

void detect_shared(struct detection *d) {
        uint32_t readers = steady_readers(d->view);
        struct verdict *v;

        if (readers + detection_stands(d, NULL) <= SHARED_READERS)
                return;
        v = detection_add(d, NULL);
        if (!v)
                return;
        v->severity = (uint16_t) MIN(readers * 1000 / 32, 1000u); /* 32: the seed's own load */
        verdict_add(v, "readers", readers, SHARED_READERS, "");
        verdict_add(v, "small-readers", d->view->readers ? d->view->small_readers * 1000 / d->view->readers : 1000, 0, "permille");
        verdict_add(v, "read-latency", d->view->recent.read_latency_us, 0, "us");
        add_p99(d->view, v);
        SAY(v->sentence, sizeof(v->sentence), SAY_SHARED, readers);
}
