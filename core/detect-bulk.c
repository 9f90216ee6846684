/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A bulk process moves much without a pause: a copy, a backup, a download. No person waits for its next piece, so it is the first to step back when another
 * process is waited for. A process with a pace of its own, such as a player or a recorder, is not bulk, however much it moves. docs/detectors.md has the
 * account. */
#include <stdio.h>

#include "detect.h"
#include "io-priority.h"
#include "macro.h"
#include "str.h"

/* Over PACE_SECONDS that is 4 MiB/s, above what bfq may call soft real-time (3.584 MB/s) ... */
#define BULK_BYTES (32u << 20)
/* ... and in so many of the seconds, longer than most programs take to start. */
#define BULK_SECONDS 5
#define BULK_SECONDS_END 3
/* ... and at least such a part of what the drive moves: of less, others would gain nothing. A player that they make wait shows no rhythm, and moves
 * what it gets. */
#define BULK_PART 16u

/* On the drive: no process moves there more than the drive does itself. What more there is goes to another drive, or to none: into the page cache. */
static struct moved moved_there(const struct detection *d, const struct process_view *p) {
        const struct moved *drive = d->view->moved;

        return (struct moved){
                .bytes = MIN(p->moved[REQUEST_READ].bytes, drive[REQUEST_READ].bytes) + MIN(p->moved[REQUEST_WRITE].bytes, drive[REQUEST_WRITE].bytes),
                .active_s = MAX(p->moved[REQUEST_READ].active_s, p->moved[REQUEST_WRITE].active_s),
        };
}

/* By the drive, in the same time. */
static uint64_t moved_in_all(const struct detection *d) {
        return d->view->moved[REQUEST_READ].bytes + d->view->moved[REQUEST_WRITE].bytes;
}

/* One that lets others go first has the part that they leave: that is no reason to end it. */
static bool is_bulk(const struct detection *d, const struct process_view *p, const struct moved *m, const struct subject *subject) {
        bool stands = detection_stands(d, subject);
        uint64_t part = stands && io_priority_yields(p->io_class, p->io_level) ? 0 : moved_in_all(d) / BULK_PART;

        if (stands)
                return m->bytes >= MAX(BULK_BYTES, part) / 2 && m->active_s >= BULK_SECONDS_END;
        return m->bytes >= MAX(BULK_BYTES, part) && m->active_s >= BULK_SECONDS;
}

/* A stream, or what lacks nothing but time to be one, or not to be starved, or one that keeps its own pace; but not one whose requests
 * show that it only follows the answers, as a copy does that a slow network paces. */
static bool keeps_its_pace(const struct detection *d, const struct process_view *p) {
        bool paced = p->paced;

        for (size_t i = 0; i < d->snapshot->n_streams; i++) {
                const struct stream_view *s = &d->snapshot->streams[i];
                if (s->tgid != p->tgid || (s->start_ticks && s->start_ticks != p->start_ticks))
                        continue;
                if (s->state == STREAM_IS || (s->state == STREAM_NEAR_MISS && (s->figures.flaw == RHYTHM_TOO_SHORT || s->figures.flaw == RHYTHM_STARVES)))
                        return true;
                paced &= s->state != STREAM_NEAR_MISS || s->dev != p->dev || s->figures.flaw != RHYTHM_FOLLOWS;
        }
        return paced;
}

static void add(struct detection *d, const struct process_view *p, const struct moved *m, const struct subject *subject) {
        struct verdict *v = detection_add(d, subject);
        char name[MENTION_MAX];

        if (!v)
                return;
        v->confidence = detection_process_confidence(d, p);
        v->severity = (uint16_t) (m->bytes * 1000 / moved_in_all(d)); /* not 0: it moved no more than the drive */
        verdict_add(v, "moved", (int64_t) m->bytes, BULK_BYTES, "bytes");
        verdict_add(v, "seconds", m->active_s, BULK_SECONDS, "s");
        verdict_add(v, "read-rate", (int64_t) p->read_bytes_per_s, 0, "bytes/s");
        verdict_add(v, "write-rate", (int64_t) p->write_bytes_per_s, 0, "bytes/s");
        SAY(v->sentence, sizeof(v->sentence), SAY_BULK, mention(name, p->name, 0, p->uid), m->bytes, PACE_SECONDS);
}

void detect_bulk(struct detection *d) {
        for (size_t i = 0; i < d->snapshot->n_processes; i++) {
                const struct process_view *p = &d->snapshot->processes[i];
                struct moved m = moved_there(d, p);
                struct subject subject = process_view_subject(p);

                /* An application that was launched is waited for, however much it reads. */
                if (p->dev == d->view->dev && !p->starts && is_bulk(d, p, &m, &subject) && !keeps_its_pace(d, p))
                        add(d, p, &m, &subject);
        }
}
