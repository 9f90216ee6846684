/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is told of a process. */
#include "macro.h"
#include "process-facts.h"
#include "source-process-private.h"

/* Processes whose waiting is asked for in a sample: 5 ms of it; of the others it is estimated. */
#define WAITS_MAX 512

void process_tell(struct source_process *s, const struct event *e) {
        s->config.sink.fn(s->config.sink.userdata, e);
}

void process_tell_name(struct source_process *s, struct scan_entry *p, nsec_t t) {
        struct event e = { .t = t, .kind = EVENT_PROCESS_NAME, .tgid = p->tgid };

        e.process_name.start_ticks = p->start_ticks;
        memcpy(e.process_name.name, p->name, sizeof(p->name));
        p->announced = true;
        process_tell(s, &e);
        if (!*s->root)
                process_tell_user(s, p->tgid, p->start_ticks, process_facts_user("", p->tgid), t);
}

void process_tell_user(struct source_process *s, int32_t tgid, uint64_t start_ticks, uint32_t uid, nsec_t t) {
        struct event e = { .t = t, .kind = EVENT_PROCESS_USER, .tgid = tgid, .process_user = { start_ticks, uid } };

        if (uid != PROCESS_UID_UNKNOWN)
                process_tell(s, &e);
}

void process_tell_exit(struct source_process *s, const struct scan_entry *p, nsec_t t) {
        struct event e = { .t = t, .kind = EVENT_PROCESS_EXIT, .tgid = p->tgid };

        if (!p->announced)
                return;
        e.process_io.start_ticks = p->start_ticks;
        process_tell(s, &e);
}

/* The drives that it may have used since it was looked at last. */
static size_t find_busy(const struct source_process *s, const struct scan_entry *p, uint32_t ret[SNAPSHOT_DEVICES_MAX]) {
        size_t n = 0;

        for (size_t i = 0; i < s->n_drives; i++)
                if (s->drives[i].last > p->t)
                        ret[n++] = s->drives[i].dev;
        return n;
}

#define PRIORITY_FRESH_NS (2 * NSEC_PER_SEC)

/* Of a recorded machine nothing is known. */
void process_tell_priority(struct source_process *s, struct scan_entry *p) {
        struct event e = { .t = s->now, .kind = EVENT_PROCESS_PRIORITY, .tgid = p->tgid };
        struct process_facts facts;

        if (*s->root || (p->priority.t && nsec_sub(s->now, p->priority.t) < PRIORITY_FRESH_NS))
                return;
        p->priority.t = s->now;
        process_facts_get(p->tgid, &facts);
        if (facts.io_class == IO_CLASS_UNKNOWN)
                return;
        e.process_priority = (struct event_process_priority){
                .start_ticks = p->start_ticks,
                .io_class = (uint8_t) facts.io_class,
                .io_level = facts.io_class == IO_CLASS_NONE ? 0 : (uint8_t) facts.io_level,
                .weight = io_weights_find(s->weights, p->tgid, s->now),
        };
        if (e.process_priority.io_class == p->priority.io_class && e.process_priority.io_level == p->priority.io_level &&
            e.process_priority.weight == p->priority.weight)
                return;
        p->priority.io_class = e.process_priority.io_class;
        p->priority.io_level = e.process_priority.io_level;
        p->priority.weight = e.process_priority.weight;
        process_tell(s, &e);
}

static void tell_share(struct source_process *s, const struct scan_entry *p, const struct drive_share *share, uint16_t state) {
        uint64_t span_us = MAX(nsec_sub(s->now, p->t) / NSEC_PER_USEC, 1u);
        struct event e = { .t = s->now, .kind = EVENT_PROCESS_IO, .flags = EVENT_INFERRED | state | p->drives.holds, .dev = share->dev, .tgid = p->tgid };

        e.process_io = (struct event_process_io) {
                .start_ticks = p->start_ticks,
                .span_us = (uint32_t) MIN(span_us, UINT32_MAX),
                .read_bytes = share->read_bytes,
                .write_bytes = share->write_bytes,
        };
        process_tell(s, &e);
}

void source_process_note_reads(struct source_process *s, nsec_t now, uint64_t bytes) {
        if (s->n_reads > 0 && bytes < s->reads[(s->n_reads - 1) % READS_NOTED_MAX].bytes)
                s->n_reads = 0; /* a drive has gone */
        s->reads[s->n_reads++ % READS_NOTED_MAX] = (struct drives_read){ now, bytes };
}

/* Processes and drives are not counted at the same moment, and what is asked for is not there yet: up to twice as much, and two read-aheads. */
#define READS_SLACK_BYTES (256u << 10)

/* It read more since it was looked at than all drives did together. False where that is not known. */
static bool is_beyond_drives(const struct source_process *s, const struct scan_entry *p, uint64_t read_bytes) {
        for (size_t i = s->n_reads; i > 0 && s->n_reads - i < READS_NOTED_MAX; i--) {
                const struct drives_read *then = &s->reads[(i - 1) % READS_NOTED_MAX];

                if (then->t <= p->t)
                        return read_bytes > 2 * (s->reads[(s->n_reads - 1) % READS_NOTED_MAX].bytes - then->bytes) + READS_SLACK_BYTES;
        }
        return false;
}

void process_tell_io(struct source_process *s, const struct scan_entry *p, const struct process_use *use, uint16_t state) {
        struct drive_share shares[DRIVE_SHARES_MAX], unknown = { 0 };
        uint32_t busy[SNAPSHOT_DEVICES_MAX];
        size_t n_busy = find_busy(s, p, busy), n;
        uint64_t read_elsewhere = is_beyond_drives(s, p, use->read_bytes) ? use->read_bytes : 0, not_known = read_elsewhere;

        if (!read_elsewhere && use->mapped_bytes > 0 && process_drives_doubt_mapped(&p->drives, busy, n_busy))
                not_known = use->mapped_bytes;
        unknown.read_bytes = (uint32_t) MIN(not_known, UINT32_MAX);
        n = process_drives_share(&p->drives, busy, n_busy, use->read_bytes - not_known, use->write_bytes, shares);
        for (size_t i = 0; i < n; i++)
                tell_share(s, p, &shares[i], state);
        if (unknown.read_bytes > 0)
                tell_share(s, p, &unknown, (uint16_t) (state | (read_elsewhere ? EVENT_ELSEWHERE : 0)));
}

void process_tell_state(struct source_process *s, const struct scan_entry *p, uint16_t state) {
        struct event e = { .t = s->now, .kind = EVENT_PROCESS_IO, .flags = EVENT_INFERRED | state | p->drives.holds, .tgid = p->tgid };

        e.process_io = (struct event_process_io) {
                .start_ticks = p->start_ticks,
                .span_us = (uint32_t) MIN(MAX(nsec_sub(s->now, p->t) / NSEC_PER_USEC, 1u), UINT32_MAX),
        };
        process_tell(s, &e);
}

void process_tell_wait(struct source_process *s, struct scan_entry *p, bool waiting, bool did_io) {
        struct event e = { .t = s->now, .kind = EVENT_PROCESS_WAIT, .tgid = p->tgid };
        nsec_t span = MAX(nsec_sub(s->now, p->t), NSEC_PER_USEC), waited;
        struct task_stats_reply reply;
        bool known = p->wait.known;

        if (!task_stats_works(s->stats))
                return;
        if (s->n_waits == WAITS_MAX) {
                s->waits_refused++;
                p->wait = (struct wait_account) { 0 };
                return;
        }
        s->n_waits++;
        if (task_stats_get_process(s->stats, p->tgid, &reply) < 0)
                return;
        waited = wait_account_add(&p->wait, reply.wait_ns, waiting, span);
        if (!known || (waited == 0 && !did_io))
                return;
        e.process_wait = (struct event_process_wait) {
                .start_ticks = p->start_ticks,
                .span_us = (uint32_t) MIN(span / NSEC_PER_USEC, UINT32_MAX),
                .waited_us = (uint32_t) MIN(waited / NSEC_PER_USEC, UINT32_MAX),
        };
        process_tell(s, &e);
}
