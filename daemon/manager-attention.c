/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How closely the daemon looks, and why: no closer than what goes on asks for. */
#include <stdio.h>
#include <string.h>

#include "bus.h"
#include "log.h"
#include "manager-private.h"
#include "mention.h"
#include "statement.h"
#include "str.h"

/* A drive is worth a closer look when it is read from so often, for processes wait for reads, or when requests wait for it at
 * least this part of the time: the file system's own writes every few seconds are neither. */
#define BUSY_READ_IOPS 20
#define BUSY_PERMILLE 100
#define BUSY_DEPTH_MILLI 1000 /* on average one request in flight */
/* After a burst of processes or a pressure event a sample with this many requests is the beginning of a load: up to three
 * share a drive without harm, and the odd flush of an idle machine is fewer. */
#define ONSET_REQUESTS 4

/* Single requests are worth their cost on a drive whose reads take so long: three seeks of a hard disk, and by far more than
 * any other drive needs that is not overrun. */
#define SLOW_READ_US 50000
/* Level 2 ends on a drive when nothing asked for it so long. */
#define WATCH_DWELL_NS (10 * NSEC_PER_SEC)
/* What stands on a watched drive is looked for so often: a dozen system calls for each block device there is. */
#define UPPERS_INTERVAL_NS (5 * NSEC_PER_SEC)
/* Where requests cannot be told, that is tried again so often. */
#define WATCH_RETRY_NS (60 * NSEC_PER_SEC)

static void set_level(struct manager *m, enum attention level, const char *reason) {
        if (level == m->attention && streq(reason, m->attention_reason))
                return;
        if (level != m->attention) {
                log_debug("attention level %d: %s", (int) level, reason);
                source_process_hurry(m->source_process, level != ATTENTION_DRIVES);
        }
        m->attention = level;
        str_copy(m->attention_reason, sizeof(m->attention_reason), reason);
        bus_manager_changed(m->bus, "AttentionLevel");
        bus_manager_changed(m->bus, "AttentionReason");
}

void manager_raise_attention(struct manager *m, nsec_t now, const char *reason) {
        m->attention_until = now + ATTENTION_DWELL_NS;
        if (m->attention == ATTENTION_DRIVES)
                m->onset_until = MAX(m->onset_until, now + ONSET_NS);
        else if (!streq(reason, m->attention_reason) && (m->attention == ATTENTION_REQUESTS || now < m->attention_stands_until))
                return;
        m->attention_stands_until = now + ATTENTION_DWELL_NS;
        if (m->attention != ATTENTION_REQUESTS)
                set_level(m, ATTENTION_PROCESSES, reason);
}

static uint64_t requests_in_sample(const struct device_view *v) {
        return ((uint64_t) v->read_iops + v->write_iops) * v->span_us / USEC_PER_SEC + v->inflight;
}

/* A process that writes through the page cache is seen by its counters alone, which are looked at from level 1 on. A drive that is written evenly is a reason to do so
 * for as long as it takes to know one, and no more for a while where none is found: something always writes its state. */
#define WRITER_LOOK_NS (25 * NSEC_PER_SEC)
#define WRITER_AGAIN_NS (300 * NSEC_PER_SEC)

static bool any_stream_by_counters(const struct manager *m) {
        for (size_t i = 0; i < m->snapshot->n_streams; i++)
                if (m->snapshot->streams[i].from_proc && m->snapshot->streams[i].writes)
                        return true;
        return false;
}

static void look_for_writers(struct manager *m, nsec_t now, bool written_evenly) {
        if (any_stream_by_counters(m)) {
                m->writer_looks_until = now + WRITER_LOOK_NS;
                manager_raise_attention(m, now, statement_plain(SAY_WRITES_EVENLY));
                return;
        }
        if (written_evenly && (m->writer_looks_until == 0 || now >= m->writer_looks_until + WRITER_AGAIN_NS))
                m->writer_looks_until = now + WRITER_LOOK_NS;
        if (now < m->writer_looks_until)
                manager_raise_attention(m, now, statement_plain(SAY_DRIVE_WRITTEN_EVENLY));
}

static bool any_watched(const struct manager *m) {
        for (size_t i = 0; i < ARRAY_SIZE(m->drives); i++)
                if (m->drives[i].watch.on)
                        return true;
        return false;
}

void manager_choose_attention(struct manager *m, nsec_t now) {
        const struct startup_view *start;
        char reason[ATTENTION_REASON_MAX] = "", name[MENTION_MAX];
        bool written_evenly = false;

        for (size_t i = 0; i < m->snapshot->n_devices; i++) {
                const struct device_view *v = &m->snapshot->devices[i];
                written_evenly |= v->written_evenly;
                if (v->read_iops >= BUSY_READ_IOPS && requests_in_sample(v) >= ONSET_REQUESTS)
                        manager_raise_attention(m, now, statement_plain(SAY_DRIVE_READ));
                else if (v->utilisation_permille >= BUSY_PERMILLE && v->depth_milli >= BUSY_DEPTH_MILLI)
                        manager_raise_attention(m, now, statement_plain(SAY_DRIVE_QUEUES));
                else if (v->steady)
                        manager_raise_attention(m, now, statement_plain(SAY_DRIVE_READ_EVENLY));
                else if (now < m->onset_until && requests_in_sample(v) >= ONSET_REQUESTS)
                        manager_raise_attention(m, now, statement_plain(SAY_DRIVE_BEGINS));
        }
        look_for_writers(m, now, written_evenly);
        start = model_one_that_starts(m->model);
        if (start) {
                SAY(reason, sizeof(reason), SAY_PROCESS_STARTS, mention(name, start->application, 0, start->uid));
                manager_raise_attention(m, now, reason);
        }
        if (recorders_watch_any(m->recorders))
                manager_raise_attention(m, now, statement_plain(SAY_DRIVE_RECORDED));
        if (m->attention == ATTENTION_PROCESSES && now >= m->attention_until && !any_watched(m)) {
                set_level(m, ATTENTION_DRIVES, "");
                source_process_rest(m->source_process);
        }
}

static uint64_t requests_per_s(const struct device_view *v) {
        return (uint64_t) v->recent.read_iops + v->write_iops;
}

bool manager_affords_watch(const struct device_view *v, uint64_t beside, bool is_watched) {
        return requests_per_s(v) + beside <= (is_watched ? 2 * WATCH_IOPS_MAX : WATCH_IOPS_MAX);
}

uint64_t manager_told_beside(const struct manager *m, const struct manager_drive *d) {
        const struct device_view *own = snapshot_find_device(m->snapshot, d->drive.dev);
        uint64_t sum = 0;

        for (size_t i = 0; own && i < ARRAY_SIZE(m->drives); i++) {
                const struct manager_drive *other = &m->drives[i];
                const struct device_view *v;

                if (other == d || !other->used || !other->watch.on || other->watch.summed)
                        continue;
                v = snapshot_find_device(m->snapshot, other->drive.dev);
                if (v && requests_per_s(v) <= requests_per_s(own))
                        sum += requests_per_s(v);
        }
        return sum;
}

/* Single requests show which process is waited for, which waits and because of which. Of one that moves much, of a burst (compiling is one after
 * the other) or of a priority they show nothing that is not known, so that these alone are not worth their cost. */
bool manager_verdict_wants_requests(enum verdict_kind k) {
        switch (k) {
        case VERDICT_MANY_SYNC:
        case VERDICT_STARTUP:
        case VERDICT_SOFT_RT:
        case VERDICT_VICTIM:
        case VERDICT_WRITEBACK:
        case VERDICT_SHARED:
        case VERDICT_HOLES:
                return true;
        case VERDICT_BURST:
        case VERDICT_BULK:
        case VERDICT_INEFFECTIVE_PRIORITY:
                return false;
        case _VERDICT_KIND_MAX:
                break;
        }
        return false;
}

/* One that has read nothing yet may need nothing of the drive. */
static bool is_warm_start(const struct verdict *v) {
        return v->kind == VERDICT_STARTUP && verdict_evidence(v, "read", 0) < (int64_t) STARTUP_COLD_BYTES &&
               verdict_evidence(v, "faults", 0) < (int64_t) STARTUP_COLD_FAULTS;
}

/* A stream that no single request shows. */
static bool is_by_counters(const struct verdict *v) {
        return v->kind == VERDICT_SOFT_RT && verdict_evidence(v, "batches", -1) < 0;
}

/* What a reason is about, so that one about something else is known by it; 0: nothing. */
enum reason_kind {
        REASON_RECORDING = 1,
        REASON_STREAM,
        REASON_PACE,
        REASON_SLOW,
        REASON_VERDICT, /* and the kinds of verdicts after it */
};

static uint64_t reason_subject(unsigned kind, int32_t tgid) {
        return (uint64_t) kind << 32 | (uint32_t) tgid;
}

/* Why a drive's single requests are wanted: the first reason, or that which stands while it is one of them. */
struct want {
        uint64_t standing, subject;
        bool found;
        char text[ATTENTION_REASON_MAX];
};

static bool take_reason(struct want *w, uint64_t subject) {
        if (w->found && subject != w->standing)
                return false;
        w->found = true;
        w->subject = subject;
        return true;
}

static void want_by_verdicts(const struct manager *m, uint32_t dev, struct want *w) {
        for (size_t i = 0; i < m->n_verdicts; i++) {
                const struct verdict *v = &m->verdicts[i];

                if (v->dev != dev || !manager_verdict_wants_requests(v->kind) || is_warm_start(v) || is_by_counters(v) ||
                    !take_reason(w, reason_subject(REASON_VERDICT + (unsigned) v->kind, v->subject.tgid)))
                        continue;
                *w->text = '\0';
                SAY(w->text, sizeof(w->text), SAY_FINDING, verdict_kind_to_string(v->kind), v->sentence);
        }
}

static void want_by_streams(const struct snapshot *s, uint32_t dev, struct want *w) {
        for (size_t i = 0; i < s->n_streams; i++)
                if (s->streams[i].dev == dev && s->streams[i].asks && take_reason(w, reason_subject(REASON_STREAM, s->streams[i].tgid)))
                        stream_describe(&s->streams[i], w->text, sizeof(w->text));
}

/* It may play: what it asks for shows that, as long as it is answered. Where what is written keeps it waiting it soon is not; and what steps back while bfq
 * waits for its next request gets next to nothing, until a law knows that it plays. */
bool manager_pace_wants_requests(const struct process_view *p, const struct controller_device *d) {
        return p->paced && (p->behind_writes || (d && controller_stepped_back_for(&d->stepped_back, LAW_STEP_BACK)));
}

static void want_by_paces(const struct manager *m, uint32_t dev, struct want *w) {
        const struct controller_device *d = controller_find_device(m->controller, dev);
        char name[MENTION_MAX];

        for (size_t i = 0; i < m->snapshot->n_processes; i++) {
                const struct process_view *p = &m->snapshot->processes[i];
                if (p->dev != dev || !manager_pace_wants_requests(p, d) || !take_reason(w, reason_subject(REASON_PACE, p->tgid)))
                        continue;
                *w->text = '\0';
                SAY(w->text, sizeof(w->text), SAY_BESIDE_MUCH, mention(name, p->name, p->tgid, p->uid));
        }
}

static bool wants_requests(const struct manager *m, uint32_t dev, struct want *w) {
        const struct device_view *v = snapshot_find_device(m->snapshot, dev);

        if (!v)
                return false;
        if (recorders_watch(m->recorders, dev) && take_reason(w, reason_subject(REASON_RECORDING, 0)))
                str_copy(w->text, sizeof(w->text), statement_plain(SAY_RECORDING));
        want_by_verdicts(m, dev, w);
        want_by_streams(m->snapshot, dev, w);
        want_by_paces(m, dev, w);
        if (v->readers > 0 && v->recent.read_latency_us >= SLOW_READ_US && take_reason(w, reason_subject(REASON_SLOW, 0))) {
                *w->text = '\0';
                if (v->readers == 1)
                        SAY(w->text, sizeof(w->text), SAY_SLOW_READ, v->recent.read_latency_us);
                else
                        SAY(w->text, sizeof(w->text), SAY_SLOW_READS, v->recent.read_latency_us, v->readers);
        }
        return w->found;
}

static bool is_rotational(const struct manager *m, uint32_t dev) {
        const struct controller_device *c = controller_find_device(m->controller, dev);

        return c && c->facts.rotational;
}

static bool is_told_for_another(const struct manager *m, const struct manager_drive *d, uint32_t upper) {
        for (size_t i = 0; i < ARRAY_SIZE(m->drives); i++)
                for (size_t k = 0; &m->drives[i] != d && k < m->drives[i].watch.n_uppers; k++)
                        if (m->drives[i].watch.uppers[k].dev == upper)
                                return true;
        return false;
}

static void end_upper(struct manager *m, struct manager_drive *d, uint32_t upper, nsec_t now) {
        if (!is_told_for_another(m, d, upper) && !manager_find_drive_by_dev(m, upper))
                request_sources_stop(m->source_requests, upper, now);
}

static bool has_upper(const struct upper *uppers, size_t n, uint32_t dev) {
        for (size_t i = 0; i < n; i++)
                if (uppers[i].dev == dev)
                        return true;
        return false;
}

static void tell_stack(struct manager *m, const struct manager_drive *d, uint32_t upper, uint8_t drives, nsec_t now) {
        struct event e = { .t = now, .kind = EVENT_STACK, .dev = d->drive.dev, .stack = { .upper = upper, .drives = drives } };

        manager_take_event(m, &e);
}

/* What is asked of the devices that stand on it says whose its requests are, where kernel threads hand them down. They come and
 * go while it is watched. One that is a drive itself is told while that is watched. */
static void follow_uppers(struct manager *m, struct manager_drive *d, nsec_t now) {
        struct drive_watch *w = &d->watch;
        struct upper uppers[UPPERS_MAX];
        size_t n = devices_find_uppers(m->devices, d->drive.dev, uppers);

        w->uppers_next = now + UPPERS_INTERVAL_NS;
        for (size_t i = 0; i < w->n_uppers; i++)
                if (!has_upper(uppers, n, w->uppers[i].dev)) {
                        end_upper(m, d, w->uppers[i].dev, now);
                        tell_stack(m, d, w->uppers[i].dev, 0, now);
                }
        for (size_t i = 0; i < n; i++) {
                struct source_drive source = { .dev = uppers[i].dev };

                if (has_upper(w->uppers, w->n_uppers, uppers[i].dev))
                        continue;
                tell_stack(m, d, uppers[i].dev, uppers[i].drives, now);
                if (!manager_find_drive_by_dev(m, uppers[i].dev) && request_sources_start(m->source_requests, &source, uppers[i].name, now) >= 0)
                        log_debug("%s: its readers are known by what they ask of %s, too", d->drive.name, uppers[i].name);
        }
        memcpy(w->uppers, uppers, n * sizeof(uppers[0]));
        w->n_uppers = n;
}

/* It is told in sums where it does too much to be told request by request, alone or with the others that are. */
static bool is_too_fast(const struct manager *m, const struct manager_drive *d) {
        const struct device_view *v = snapshot_find_device(m->snapshot, d->drive.dev);

        return v && !manager_affords_watch(v, manager_told_beside(m, d), d->watch.on && !d->watch.summed);
}

/* The reason stands as it was first told, whichever limit it was: one that changed with each number would be noise. */
static void tell_reason(struct drive_watch *w) {
        str_copy(w->reason, sizeof(w->reason), w->why);
        if (w->summed)
                SAY(w->reason, sizeof(w->reason), SAY_IN_SUMS, WATCH_IOPS_MAX);
        if (w->summed && w->one_in > 1)
                SAY(w->reason, sizeof(w->reason), SAY_OF_SAMPLES, w->one_in);
}

static void take_want(struct drive_watch *w, const struct want *want) {
        w->subject = want->subject;
        str_copy(w->why, sizeof(w->why), want->text);
        tell_reason(w);
}

/* How much is looked at changes with what the drive does, while the reason stays. */
static void show_sampling(struct manager *m, struct manager_drive *d) {
        const struct device_view *v = snapshot_find_device(m->snapshot, d->drive.dev);
        uint32_t one_in = v && d->watch.summed ? v->requests.one_in : 1;

        if (!d->watch.on || one_in == d->watch.one_in)
                return;
        d->watch.one_in = one_in;
        tell_reason(&d->watch);
        bus_drive_changed(m->bus, d);
}

static void begin_watch(struct manager *m, struct manager_drive *d, nsec_t now, bool summed, const struct want *want) {
        struct source_drive drive = { .dev = d->drive.dev, .rotational = is_rotational(m, d->drive.dev), .summed = summed };
        int r;

        if (now < d->watch.retry[summed])
                return;
        r = request_sources_start(m->source_requests, &drive, d->drive.name, now);
        if (r < 0) {
                log_debug("%s: single requests cannot be told: %s", d->drive.name, strerror(-r));
                d->watch.retry[summed] = now + WATCH_RETRY_NS;
                return;
        }
        log_debug("%s: attention level 2: %s", d->drive.name, want->text);
        d->watch.on = true;
        d->watch.summed = summed;
        d->watch.one_in = 1;
        take_want(&d->watch, want);
        if (!summed)
                follow_uppers(m, d, now);
        bus_drive_changed(m->bus, d);
}

void manager_end_watch(struct manager *m, struct manager_drive *d, nsec_t now) {
        if (!d->watch.on)
                return;
        for (size_t i = 0; i < d->watch.n_uppers; i++)
                end_upper(m, d, d->watch.uppers[i].dev, now);
        request_sources_stop(m->source_requests, d->drive.dev, now);
        d->watch = (struct drive_watch){ 0 };
        log_debug("%s: attention level 2 ends", d->drive.name);
}

void manager_choose_watched(struct manager *m, nsec_t now) {
        for (size_t i = 0; i < ARRAY_SIZE(m->drives); i++) {
                struct manager_drive *d = &m->drives[i];
                struct want want = { .standing = d->watch.subject };

                if (!d->used)
                        continue;
                if (wants_requests(m, d->drive.dev, &want)) {
                        bool summed = is_too_fast(m, d);
                        if (d->watch.summed != summed)
                                manager_end_watch(m, d, now);
                        if (!d->watch.on)
                                begin_watch(m, d, now, summed, &want);
                        else if (d->watch.subject != want.subject) {
                                take_want(&d->watch, &want);
                                bus_drive_changed(m->bus, d);
                        }
                        d->watch.until = now + WATCH_DWELL_NS;
                } else if (d->watch.on && now >= d->watch.until) {
                        manager_end_watch(m, d, now);
                        bus_drive_changed(m->bus, d);
                }
                show_sampling(m, d);
                if (d->watch.on && !d->watch.summed && now >= d->watch.uppers_next)
                        follow_uppers(m, d, now);
        }
        manager_show_watched(m);
}

void manager_show_watched(struct manager *m) {
        if (m->attention == ATTENTION_DRIVES)
                return;
        for (size_t i = 0; i < ARRAY_SIZE(m->drives); i++)
                if (m->drives[i].watch.on) {
                        char reason[ATTENTION_REASON_MAX] = "";

                        SAY(reason, sizeof(reason), SAY_DRIVE_REASON, m->drives[i].drive.name, m->drives[i].watch.reason);
                        set_level(m, ATTENTION_REQUESTS, reason);
                        return;
                }
        if (m->attention == ATTENTION_REQUESTS)
                set_level(m, ATTENTION_PROCESSES, statement_plain(SAY_DRIVE_WAS_BUSY));
}
