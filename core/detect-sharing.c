/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many processes want one drive at once: seeds 000 (many-sync) and 001 (shared). docs/detectors.md has the account.
 *
 * Both count readers: a rise counts at once, since the harm sits in a load's first seconds, while a fall counts through
 * cfq's slow average, so that a pause of a moment does not end the verdict. */
#include <stdio.h>

#include "detect.h"
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
                ret->evidence[ret->n_evidence++] = (struct evidence){ "read-latency-p99", l->p99_us, 0, "us" };
}

bool detect_many_sync(const struct snapshot *s, const struct device_view *v, bool standing, struct verdict *ret) {
        uint32_t readers = steady_readers(v), limit = standing ? MANY_SYNC_READERS / 2 : MANY_SYNC_READERS;
        char size[32];

        /* Mostly small ones: a few streams among them change nothing. */
        if (readers < limit || v->small_readers * 2 < v->readers)
                return false;
        *ret = (struct verdict){
                .severity = (uint16_t) MIN(readers * 1000 / 150, 1000u),
                .confidence = detector_confidence(s, v),
                .n_evidence = 3,
                .evidence = {
                        { "readers", readers, MANY_SYNC_READERS, "" },
                        { "read-size", v->recent.read_size_bytes, 0, "bytes" },
                        { "read-latency", v->recent.read_latency_us, 0, "us" },
                },
        };
        add_p99(v, ret);
        snprintf(ret->sentence, sizeof(ret->sentence), "%u processes read a little each at the same time (%s a read)", readers,
                 str_format_bytes(size, sizeof(size), v->recent.read_size_bytes));
        return true;
}

bool detect_shared(const struct snapshot *s, const struct device_view *v, bool standing, struct verdict *ret) {
        uint32_t readers = steady_readers(v);

        if (readers + standing <= SHARED_READERS)
                return false;
        *ret = (struct verdict){
                .severity = (uint16_t) MIN(readers * 1000 / 32, 1000u), /* 32: the seed's own load */
                .confidence = detector_confidence(s, v),
                .n_evidence = 2,
                .evidence = {
                        { "readers", readers, SHARED_READERS, "" },
                        { "read-latency", v->recent.read_latency_us, 0, "us" },
                },
        };
        add_p99(v, ret);
        snprintf(ret->sentence, sizeof(ret->sentence), "%u processes share the drive", readers);
        return true;
}
