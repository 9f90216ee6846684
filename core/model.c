/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "macro.h"
#include "model-private.h"

struct model *model_new(void) {
        return calloc(1, sizeof(struct model));
}

struct model *model_free(struct model *m) {
        free(m);
        return NULL;
}

uint32_t model_smooth_busy(uint32_t average, uint32_t busy) {
        uint32_t high = MAX(average, busy), low = MIN(average, busy), next = (3 * high + low + 2) / 4;

        return next == average && average > busy ? average - 1 : next;
}

struct device *model_find_device(struct model *m, uint32_t dev) {
        uint8_t *found = &m->found[dev * 0x9e3779b1u >> (32 - FOUND_BITS)]; /* Fibonacci hashing: minor numbers are multiples of 16 */

        if (m->devs[*found] == dev)
                return &m->devices[*found];
        for (size_t i = 0; i < MODEL_DEVICES_MAX; i++)
                if (m->devs[i] == dev) {
                        *found = (uint8_t) i;
                        return &m->devices[i];
                }
        return NULL;
}

static void set_device(struct model *m, struct device *d, uint32_t dev) {
        *d = (struct device){ .dev = dev, .view.dev = dev };
        m->devs[d - m->devices] = dev;
}

struct device *model_get_device(struct model *m, uint32_t dev) {
        struct device *d = model_find_device(m, dev);

        if (d)
                return d;
        d = model_find_device(m, 0);
        if (d)
                set_device(m, d, dev);
        else
                m->counters.devices_refused++;
        return d;
}

static uint32_t per_second(uint64_t count, uint32_t span_us) {
        return (uint32_t) MIN(count * USEC_PER_SEC / span_us, UINT32_MAX);
}

static void feed_device_stat(struct model *m, const struct event *e) {
        const struct event_device_stat *s = &e->device_stat;
        struct device *d;
        struct device_view *v;

        if (e->dev == 0 || s->span_us == 0) {
                m->counters.invalid++;
                return;
        }
        d = model_get_device(m, e->dev);
        if (!d)
                return;
        v = &d->view;
        v->t = e->t;
        v->span_us = s->span_us;
        v->read_iops = per_second(s->reads, s->span_us);
        v->write_iops = per_second(s->writes, s->span_us);
        if (s->span_us >= PEAK_SPAN_MIN_US)
                v->peak_iops = MAX(v->peak_iops, per_second(s->reads + s->writes, s->span_us));
        v->read_bytes_per_s = s->read_sectors * SECTOR_BYTES * USEC_PER_SEC / s->span_us;
        v->write_bytes_per_s = s->write_sectors * SECTOR_BYTES * USEC_PER_SEC / s->span_us;
        v->read_latency_us = s->reads ? (uint32_t) MIN(s->read_ms * USEC_PER_MSEC / s->reads, UINT32_MAX) : 0;
        v->write_latency_us = s->writes ? (uint32_t) MIN(s->write_ms * USEC_PER_MSEC / s->writes, UINT32_MAX) : 0;
        v->utilisation_permille = (uint32_t) MIN(s->busy_ms * USEC_PER_MSEC * 1000 / s->span_us, 1000u);
        v->depth_milli = (uint32_t) MIN(s->queue_ms * USEC_PER_MSEC * 1000 / s->span_us, UINT32_MAX);
        v->inflight = s->inflight;
        d->samples[d->n_samples % RECENT_SAMPLES].t = e->t;
        d->samples[d->n_samples++ % RECENT_SAMPLES].stat = *s;
        writing_feed(&d->writing, e, &m->memory);
        pace_add(&d->read_pace, e->t, s->read_sectors * SECTOR_BYTES);
        pace_add(&d->write_pace, e->t, s->write_sectors * SECTOR_BYTES);
        if (s->reads || s->writes || s->inflight) {
                if (!v->busy_since)
                        v->busy_since = nsec_sub(e->t, s->span_us * NSEC_PER_USEC);
                v->idle_since = 0;
        } else {
                if (!v->idle_since)
                        v->idle_since = nsec_sub(e->t, s->span_us * NSEC_PER_USEC);
                v->busy_since = 0;
        }
}

static uint64_t start_ticks(const struct event *e) {
        if (e->kind == EVENT_PROCESS_NAME)
                return e->process_name.start_ticks;
        return e->kind == EVENT_PROCESS_WAIT ? e->process_wait.start_ticks : e->process_io.start_ticks;
}

/* Born so long before the latest that is known, a process is none that just begins. */
#define NEW_TICKS (3 * NSEC_PER_SEC / BURST_TICK_NS)

/* While a drive's requests are told they say which processes begin to use it. */
static void note_first_io(struct model *m, const struct event *e) {
        struct device *d = e->dev ? model_find_device(m, e->dev) : NULL;
        uint64_t ticks = e->process_io.start_ticks;
        bool told = d && d->requests.since && !d->requests.summed && nsec_sub(e->t, d->requests.since) >= STREAM_OLD_QUEUE_NS;

        if (d && !told && ticks + NEW_TICKS >= m->newest_ticks)
                burst_note_birth(&d->processes, e->t, (uint32_t) e->tgid, ticks);
}

static void feed_process(struct model *m, const struct event *e) {
        struct process *p = process_table_get(&m->processes, e->tgid, start_ticks(e));

        if (!p) {
                m->counters.processes_refused++;
                return;
        }
        m->newest_ticks = MAX(m->newest_ticks, p->start_ticks);
        if (e->kind == EVENT_PROCESS_NAME) {
                memcpy(p->name, e->process_name.name, sizeof(p->name));
                p->name[sizeof(p->name) - 1] = '\0';
                p->touched = MAX(p->touched, e->t);
                return;
        }
        if (e->kind == EVENT_PROCESS_WAIT) {
                process_sample_wait(p, e->t, e->process_wait.span_us, e->process_wait.waited_us);
                return;
        }
        if (!p->last_io && !(e->flags & EVENT_RUNNABLE && e->process_io.read_bytes == 0 && e->process_io.write_bytes == 0))
                note_first_io(m, e);
        p->holds = e->flags & (EVENT_HOLDS_SOUND | EVENT_HOLDS_VIDEO);
        process_sample_state(p, e->t, e->process_io.span_us, e->flags);
        if (e->flags & EVENT_WAITING) {
                process_wait(p, e->t);
                model_feed_waiting(m, e);
        }
        process_account(p, e->t, e->dev, e->flags, e->process_io.read_bytes, e->process_io.write_bytes);
        model_feed_candidate(m, p, e);
}

static void feed_presence(struct model *m, const struct event *e) {
        if (e->presence.presence >= _PRESENCE_MAX) {
                m->counters.invalid++;
                return;
        }
        if (m->presence == e->presence.presence && m->presence_since)
                return;
        m->presence = (enum presence) e->presence.presence;
        m->presence_since = e->t;
}

/* NULL where there is no room. */
static struct process *touch_process(struct model *m, const struct event *e, uint64_t start_ticks) {
        struct process *p = process_table_get(&m->processes, e->tgid, start_ticks);

        if (p)
                p->touched = MAX(p->touched, e->t);
        else
                m->counters.processes_refused++;
        return p;
}

static void feed_user(struct model *m, const struct event *e) {
        struct process *p = touch_process(m, e, e->process_user.start_ticks);

        if (p)
                p->uid = e->process_user.uid;
}

static void feed_priority(struct model *m, const struct event *e) {
        struct process *p = touch_process(m, e, e->process_priority.start_ticks);

        if (!p)
                return;
        p->io_class = e->process_priority.io_class;
        p->io_level = e->process_priority.io_level;
        p->io_weight = e->process_priority.weight;
}

void model_set_settings(struct model *m, uint32_t dev, const struct drive_settings *settings) {
        struct device *d = dev ? model_find_device(m, dev) : NULL;

        if (d) {
                d->view.settings = *settings;
                model_set_rule(d);
        }
}

void model_feed(struct model *m, const struct event *e) {
        m->counters.events++;
        switch ((enum event_kind) e->kind) {
        case EVENT_DEVICE_STAT:
                feed_device_stat(m, e);
                return;
        case EVENT_DEVICE_GONE: {
                struct device *d = e->dev ? model_find_device(m, e->dev) : NULL;
                if (!d)
                        return;
                model_forget_requests(m, e->dev, e->t);
                set_device(m, d, 0);
                return;
        }
        case EVENT_PROCESS_IO:
        case EVENT_PROCESS_WAIT:
        case EVENT_PROCESS_NAME:
                if (e->tgid > 0)
                        feed_process(m, e);
                else
                        m->counters.invalid++;
                if (e->kind == EVENT_PROCESS_IO)
                        model_feed_startup(m, e);
                return;
        case EVENT_PROCESS_FORK:
        case EVENT_PROCESS_EXEC:
        case EVENT_PROCESS_APPLICATION:
        case EVENT_PROCESS_WORK:
        case EVENT_PROCESS_STALL:
        case EVENT_PROCESS_READY:
                m->counters.invalid += e->tgid <= 0;
                model_feed_startup(m, e);
                return;
        case EVENT_PROCESS_EXIT:
                model_feed_startup(m, e);
                if (e->tgid > 0)
                        flow_table_remove(&m->flows, e->tgid, 0, UINT64_MAX);
                candidates_remove(&m->candidates, e->tgid);
                process_table_remove(&m->processes, e->tgid);
                return;
        case EVENT_PROCESS_PRIORITY:
                if (e->tgid > 0 && e->process_priority.io_class < _IO_CLASS_MAX)
                        feed_priority(m, e);
                else
                        m->counters.invalid++;
                return;
        case EVENT_PROCESS_USER:
                model_feed_startup(m, e);
                if (e->tgid > 0)
                        feed_user(m, e);
                else
                        m->counters.invalid++;
                return;
        case EVENT_DEVICE_MERGES: {
                struct device *d = e->dev ? model_find_device(m, e->dev) : NULL;
                if (d)
                        writing_feed_merges(&d->writing, e);
                return;
        }
        case EVENT_MEMORY:
                memory_feed(&m->memory, e);
                return;
        case EVENT_LOST:
                if (!snapshot_loss_matters(m->last_loss, e->t))
                        m->lost_lately = 0;
                m->lost += MAX(e->lost.count, 1u);
                m->lost_lately += MAX(e->lost.count, 1u);
                m->last_loss = MAX(m->last_loss, e->t);
                if (e->flags & EVENT_REQUESTS)
                        model_doubt_requests(m, e->t);
                return;
        case EVENT_WATCH:
                model_watch(m, e);
                return;
        case EVENT_REQUEST_QUEUE:
        case EVENT_REQUEST_SPLIT:
        case EVENT_REQUEST_ISSUE:
        case EVENT_REQUEST_REQUEUE:
        case EVENT_REQUEST_COMPLETE:
                model_feed_request(m, e);
                return;
        case EVENT_SUMS:
                model_feed_sums(m, e);
                return;
        case EVENT_LATENCIES:
                model_feed_latencies(m, e);
                return;
        case EVENT_TOTAL:
                model_feed_total(m, e);
                return;
        case EVENT_STACK:
                model_stack(m, e);
                return;
        case EVENT_PRESENCE:
                feed_presence(m, e);
                return;
        case _EVENT_KIND_MAX:
                break;
        }
        m->counters.invalid++;
}

void model_expire(struct model *m, nsec_t now) {
        for (size_t i = m->processes.n; i-- > 0;)
                if (nsec_sub(now, m->processes.entries[i].touched) > MODEL_FORGET_NS)
                        process_table_remove(&m->processes, m->processes.entries[i].tgid);
        model_expire_requests(m, now);
}

/* What the drive did within the reader window. */
static void sum_recent(struct device *d, nsec_t now) {
        uint64_t reads = 0, sectors = 0, ms = 0, span_us = 0;

        for (uint32_t i = 0; i < MIN(d->n_samples, (uint32_t) RECENT_SAMPLES); i++) {
                const struct event_device_stat *s = &d->samples[i].stat;
                if (nsec_sub(now, d->samples[i].t) > READER_WINDOW_NS)
                        continue;
                reads += s->reads;
                sectors += s->read_sectors;
                ms += s->read_ms;
                span_us += s->span_us;
        }
        memset(&d->view.recent, 0, sizeof(d->view.recent));
        if (span_us == 0)
                return;
        d->view.recent.reads = (uint32_t) MIN(reads, UINT32_MAX);
        d->view.recent.read_iops = (uint32_t) MIN(reads * USEC_PER_SEC / span_us, UINT32_MAX);
        d->view.recent.read_bytes_per_s = sectors * SECTOR_BYTES * USEC_PER_SEC / span_us;
        if (reads == 0)
                return;
        d->view.recent.read_size_bytes = (uint32_t) MIN(sectors * SECTOR_BYTES / reads, UINT32_MAX);
        d->view.recent.read_latency_us = (uint32_t) MIN(ms * USEC_PER_MSEC / reads, UINT32_MAX);
}

/* Each reader must have had a request here: more readers than requests are ones whose drive was inferred wrongly. */
static void bound_readers(struct device_view *v) {
        uint32_t most = (uint32_t) MIN((uint64_t) v->recent.reads + v->inflight, UINT32_MAX);

        v->readers = MIN(v->readers, most);
        v->small_readers = MIN(v->small_readers, v->readers);
        v->inferred_readers = MIN(v->inferred_readers, v->readers);
}

static void count_readers(struct model *m, nsec_t now) {
        model_explain_requests(m, now);
        for (size_t i = 0; i < MODEL_DEVICES_MAX; i++) {
                struct device_view *v = &m->devices[i].view;
                if (!m->devices[i].dev) /* never used: never touched */
                        continue;
                v->readers = v->small_readers = v->inferred_readers = 0;
                sum_recent(&m->devices[i], now);
        }
        for (size_t i = 0; i < m->processes.n; i++) {
                const struct process *p = &m->processes.entries[i];
                for (size_t k = 0; k < ARRAY_SIZE(p->drives); k++) {
                        const struct process_drive *pd = &p->drives[k];
                        struct device *d = pd->dev ? model_find_device(m, pd->dev) : NULL;
                        if (!d || model_knows_readers(d, now) || !pd->last_read ||
                            nsec_sub(now, MAX(pd->last_read, pd->waiting)) > READER_WINDOW_NS)
                                continue;
                        d->view.readers++;
                        d->view.small_readers += process_rate(&p->read_rate, now) < SMALL_READER_BYTES_PER_S;
                        d->view.inferred_readers += (pd->flags & EVENT_INFERRED) != 0;
                }
        }
        for (size_t i = 0; i < MODEL_DEVICES_MAX; i++)
                if (m->devices[i].dev)
                        bound_readers(&m->devices[i].view);
        model_count_flows(m, now);
}

static int compare_devices(const void *a, const void *b) {
        const struct device_view *x = a, *y = b;

        return (x->dev > y->dev) - (x->dev < y->dev);
}

static int compare_processes(const void *a, const void *b) {
        const struct process_view *x = a, *y = b;
        uint64_t rx = x->read_bytes_per_s + x->write_bytes_per_s, ry = y->read_bytes_per_s + y->write_bytes_per_s;

        if (rx != ry)
                return rx < ry ? 1 : -1;
        return (x->tgid > y->tgid) - (x->tgid < y->tgid);
}

/* Keeps the busiest: once the list is full, a busier process takes the place of the least busy one, a heap at its root. */
static void add_process(struct snapshot *s, const struct process_view *v) {
        size_t i;

        if (s->n_processes < SNAPSHOT_PROCESSES_MAX) {
                i = s->n_processes++;
                s->processes[i] = *v;
                for (; i > 0 && compare_processes(&s->processes[i], &s->processes[(i - 1) / 2]) > 0; i = (i - 1) / 2) {
                        struct process_view swap = s->processes[i];
                        s->processes[i] = s->processes[(i - 1) / 2];
                        s->processes[(i - 1) / 2] = swap;
                }
                return;
        }
        if (compare_processes(v, &s->processes[0]) >= 0)
                return;
        for (i = 0;;) {
                size_t child = 2 * i + 1;
                if (child >= s->n_processes)
                        break;
                if (child + 1 < s->n_processes && compare_processes(&s->processes[child + 1], &s->processes[child]) > 0)
                        child++;
                if (compare_processes(v, &s->processes[child]) >= 0)
                        break;
                s->processes[i] = s->processes[child];
                i = child;
        }
        s->processes[i] = *v;
}

/* Those of which it is asked what they are: half of what a detector calls much. */
#define MOVES_MUCH_BYTES (16u << 20)

static bool moves_much(const struct process_view *v) {
        return v->moved[REQUEST_READ].bytes + v->moved[REQUEST_WRITE].bytes >= MOVES_MUCH_BYTES;
}

/* A drive that writes so many times what it reads keeps each reader waiting. */
#define MOSTLY_WRITES 2u

static bool is_behind_writes(struct model *m, const struct process_view *v, nsec_t now) {
        const struct device *d = model_find_device(m, v->dev);

        return d && v->moved[REQUEST_READ].bytes > v->moved[REQUEST_WRITE].bytes &&
               pace_get(&d->write_pace, now).bytes >= MOSTLY_WRITES * pace_get(&d->read_pace, now).bytes;
}

static void view_pace(struct model *m, struct process *p, const struct process_drive *d, nsec_t now, struct process_view *v) {
        p->starved_dev = 0;
        if (!d)
                return;
        v->moved[REQUEST_READ] = pace_get(&d->read_pace, now);
        v->moved[REQUEST_WRITE] = pace_get(&d->write_pace, now);
        if (!moves_much(v))
                return;
        v->behind_writes = is_behind_writes(m, v, now);
        v->paced = process_is_paced(p, d, v->behind_writes, now);
        if (v->paced && v->behind_writes)
                p->starved_dev = d->dev;
}

static void view_processes(struct model *m, nsec_t now, struct snapshot *s) {
        for (size_t i = 0; i < m->processes.n; i++) {
                struct process *p = &m->processes.entries[i];
                const struct process_drive *pd = process_main_drive(p, now);
                struct process_view v = {
                        .tgid = p->tgid,
                        .start_ticks = p->start_ticks,
                        .dev = pd ? pd->dev : 0,
                        .flags = pd ? pd->flags : 0,
                        .read_bytes_per_s = (uint64_t) process_rate(&p->read_rate, now),
                        .write_bytes_per_s = (uint64_t) process_rate(&p->write_rate, now),
                        .read_bytes = p->read_bytes,
                        .write_bytes = p->write_bytes,
                        .last_io = p->last_io,
                        .io_class = p->io_class,
                        .io_level = p->io_level,
                        .io_weight = p->io_weight,
                        .uid = p->uid,
                        .wait_known = p->sampled_since > 0,
                        .wait_permille = recent_permille(&p->waited, p->sampled_since, now),
                };
                if (!p->last_io)
                        continue;
                view_pace(m, p, pd, now, &v);
                memcpy(v.name, p->name, sizeof(v.name));
                process_other_drives(p, now, v.other_devs);
                add_process(s, &v);
        }
        qsort(s->processes, s->n_processes, sizeof(s->processes[0]), compare_processes);
}

static void smooth_readers(struct model *m, nsec_t now) {
        for (size_t i = 0; i < MODEL_DEVICES_MAX; i++) {
                struct device *d = &m->devices[i];
                if (!d->dev || (d->smoothed_at && nsec_sub(now, d->smoothed_at) < SMOOTHING_INTERVAL_NS))
                        continue;
                d->view.readers_smoothed = model_smooth_busy(d->view.readers_smoothed, d->view.readers);
                d->smoothed_at = now;
        }
}

static void view_device(const struct device *d, nsec_t now, struct device_view *ret) {
        ret->burst.n = d->processes.n;
        ret->burst.inferred = d->processes.inferred;
        ret->burst.began = d->processes.began;
        ret->burst.last = d->processes.last;
        memcpy(ret->writing, d->writing.seconds, sizeof(ret->writing));
        ret->alone_us = d->writing.alone_us;
        ret->moved[REQUEST_READ] = pace_get(&d->read_pace, now);
        ret->moved[REQUEST_WRITE] = pace_get(&d->write_pace, now);
}

void model_view_devices(const struct model *m, nsec_t now, struct snapshot *ret) {
        ret->now = now;
        ret->n_devices = 0;
        for (size_t i = 0; i < MODEL_DEVICES_MAX; i++)
                if (m->devices[i].dev) {
                        ret->devices[ret->n_devices] = m->devices[i].view;
                        ret->devices[ret->n_devices].steady = model_is_steady(&m->devices[i], now);
                        ret->devices[ret->n_devices].written_evenly = model_is_written_evenly(&m->devices[i], now);
                        view_device(&m->devices[i], now, &ret->devices[ret->n_devices]);
                        model_view_requests(&m->devices[i], now, &ret->devices[ret->n_devices]);
                        model_view_blame(m, &m->devices[i], now, &ret->devices[ret->n_devices++]);
                }
        qsort(ret->devices, ret->n_devices, sizeof(ret->devices[0]), compare_devices);
}

static void mark_starting(struct model *m, struct snapshot *s) {
        for (size_t i = 0; s->n_startups > 0 && i < s->n_processes; i++) {
                struct process_view *v = &s->processes[i];
                const struct startup *start = startup_table_find(&m->startups, v->tgid);
                v->in_start = start || startup_table_launches(&m->startups, v->tgid);
                v->starts = start && start->view.launched && moves_much(v);
        }
}

void model_snapshot(struct model *m, nsec_t now, struct snapshot *ret) {
        count_readers(m, now);
        smooth_readers(m, now);
        model_choose_blame(m, now);
        model_view_devices(m, now, ret);
        model_view_startups(m, now, ret);
        ret->lost_events = m->lost;
        ret->last_loss = m->last_loss;
        ret->lost_lately = snapshot_loss_matters(m->last_loss, now) ? m->lost_lately : 0;
        ret->presence = m->presence;
        ret->presence_since = m->presence_since;
        ret->processes_known = (uint32_t) m->processes.n;
        ret->n_processes = 0;
        view_processes(m, now, ret);
        model_view_flows(m, now, ret);
        mark_starting(m, ret);
        model_view_streams(m, now, ret);
}

void model_get_counters(const struct model *m, struct model_counters *ret) {
        *ret = m->counters;
        ret->requests_refused = m->requests.refused + m->stacks_refused;
        ret->flows_refused = m->flows.refused;
        ret->streams_refused = m->streams_refused;
        ret->requests_unmatched = m->requests.unmatched;
        ret->requests_aged = m->requests.aged;
        ret->startups_refused = m->startups.refused;
}
