/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who moves much without a pause: copies, backups, downloads. Nobody waits for the next piece of it, so that it is the first to step
 * back when somebody waits for something else. docs/detectors.md has the account. */
#include <stdio.h>

#include "detect.h"
#include "macro.h"
#include "str.h"

/* Over PACE_SECONDS that is 4 MiB/s, more than any player may read (bfq calls nothing soft real-time above 3.584 MB/s) ... */
#define BULK_BYTES (32u << 20)
/* ... and in so many of the seconds, longer than most programs take to start. */
#define BULK_SECONDS 5
#define BULK_SECONDS_END 3

static bool is_bulk(const struct detection *d, const struct process_view *p, const struct subject *who) {
        if (detection_stands(d, who))
                return p->moved_bytes >= BULK_BYTES / 2 && p->moved_s >= BULK_SECONDS_END;
        return p->moved_bytes >= BULK_BYTES && p->moved_s >= BULK_SECONDS;
}

static uint64_t sum_moved(const struct detection *d) {
        uint64_t sum = 0;

        for (size_t i = 0; i < d->snapshot->n_processes; i++)
                if (d->snapshot->processes[i].dev == d->view->dev)
                        sum += d->snapshot->processes[i].moved_bytes;
        return sum;
}

static void add(struct detection *d, const struct process_view *p, const struct subject *who, uint64_t all) {
        struct verdict *v = detection_add(d, who);
        char moved[32];

        if (!v)
                return;
        v->confidence = detection_process_confidence(d, p);
        v->severity = (uint16_t) (p->moved_bytes * 1000 / all);
        verdict_add(v, "moved", (int64_t) p->moved_bytes, BULK_BYTES, "bytes");
        verdict_add(v, "seconds", p->moved_s, BULK_SECONDS, "s");
        verdict_add(v, "read-rate", (int64_t) p->read_bytes_per_s, 0, "bytes/s");
        verdict_add(v, "write-rate", (int64_t) p->write_bytes_per_s, 0, "bytes/s");
        snprintf(v->sentence, sizeof(v->sentence), "%s has moved %s in the last %d seconds, without a pause", p->name,
                 str_format_bytes(moved, sizeof(moved), p->moved_bytes), PACE_SECONDS);
}

void detect_bulk(struct detection *d) {
        uint64_t all = MAX(sum_moved(d), 1u);

        for (size_t i = 0; i < d->snapshot->n_processes; i++) {
                const struct process_view *p = &d->snapshot->processes[i];
                struct subject who = detection_subject(p);

                if (p->dev == d->view->dev && is_bulk(d, p, &who))
                        add(d, p, &who, all);
        }
}
