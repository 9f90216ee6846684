/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bus.h"
#include "clock.h"
#include "log.h"
#include "manager-private.h"
#include "statement.h"
#include "tick.h"

nsec_t manager_now(void) {
        return clock_now(CLOCK_MONOTONIC);
}

void manager_take_event(void *userdata, const struct event *e) {
        struct manager *m = userdata;

        model_feed(m->model, e);
        streams_feed(m->streams, e);
        recorders_feed(m->recorders, e);
        manager_note_startup(m, e);
}

static void arm_timer(struct manager *m, nsec_t delay) {
        uint64_t accuracy = delay >= TICK_IDLE_NS ? 100 * USEC_PER_MSEC : 5 * USEC_PER_MSEC;

        sd_event_source_set_time(m->timer, (manager_now() + delay) / NSEC_PER_USEC);
        sd_event_source_set_time_accuracy(m->timer, accuracy);
        sd_event_source_set_enabled(m->timer, SD_EVENT_ONESHOT);
}

/* What began may show for so long, also where a look is due already for another reason. */
static void expect_onset(struct manager *m, nsec_t onset) {
        if (m->attention == ATTENTION_DRIVES)
                m->onset_until = MAX(m->onset_until, manager_now() + onset);
}

/* Do not wait for the tick, but do not look for each of many events either. */
static void look_soon(struct manager *m) {
        if (m->woken)
                return;
        m->woken = true;
        arm_timer(m, TICK_SOON_NS);
}

/* The processes need not have begun to read yet. */
void manager_on_burst(void *userdata) {
        struct manager *m = userdata;

        expect_onset(m, ONSET_NS);
        if (m->attention != ATTENTION_DRIVES || manager_now() >= m->onset_next)
                look_soon(m);
}

/* Tasks wait for I/O: what they wait for is there to be seen at once. */
void manager_on_pressure(void *userdata) {
        expect_onset(userdata, TICK_ONSET_NS);
        look_soon(userdata);
}

void manager_on_presence(void *userdata) {
        struct manager *m = userdata;

        bus_manager_changed(m->bus, "Presence");
        bus_manager_changed(m->bus, "PresenceReason");
        bus_manager_changed(m->bus, "PresenceReasonData");
}

int manager_follow_presence(struct manager *m, sd_bus *bus) {
        return m->source_replay ? 0 : source_logind_connect(m->source_logind, bus); /* whether a user was there then is recorded */
}

enum presence manager_get_presence(const struct manager *m) {
        return m->source_replay ? m->snapshot->presence : source_logind_presence(m->source_logind);
}

const char *manager_get_presence_reason(const struct manager *m) {
        return m->source_replay ? statement_plain(SAY_AS_RECORDED) : source_logind_reason(m->source_logind);
}

void manager_want_processes(struct manager *m) {
        bool was_low = m->attention == ATTENTION_DRIVES;

        manager_raise_attention(m, manager_now(), statement_plain(SAY_PROCESSES_ASKED));
        if (was_low)
                arm_timer(m, 0);
}

/* Disks that are none of ours and stand on none count too: what is read there is not to be laid to the only busy one of ours. */
static size_t list_activity(const struct manager *m, struct drive_activity ret[SNAPSHOT_DEVICES_MAX]) {
        const struct snapshot *s = m->snapshot;
        size_t n, n_others;
        bool inferred;

        for (size_t i = 0; i < s->n_devices; i++) {
                const struct device_view *v = &s->devices[i];
                ret[i] = (struct drive_activity){ v->dev, v->busy_since ? v->t : v->idle_since };
        }
        n = s->n_devices;
        n_others = source_disk_list_others(m->source_disk, ret + n, SNAPSHOT_DEVICES_MAX - n);
        for (const struct drive_activity *other = ret + n, *end = other + n_others; other < end; other++)
                if (!m->devices || devices_resolve_leaf(m->devices, other->dev, &inferred) == 0)
                        ret[n++] = *other;
        return n;
}

/* Whether a drive is written to so much that it matters how memory stands with that: several MB/s, or many writes. */
#define WRITES_BYTES_PER_S (4u << 20)
#define WRITES_PER_S 100

static bool is_much_written(const struct snapshot *s) {
        for (size_t i = 0; i < s->n_devices; i++)
                if (s->devices[i].write_bytes_per_s >= WRITES_BYTES_PER_S || s->devices[i].write_iops >= WRITES_PER_S)
                        return true;
        return false;
}

void manager_view_drives(struct manager *m, nsec_t now) {
        int r = m->source_replay ? 0 : source_disk_sample(m->source_disk, now, NULL);

        if (r < 0)
                log_debug("cannot read diskstats: %s", strerror(-r));
        model_view_devices(m->model, now, m->snapshot);
}

static void tell_unread(int error) {
        if (error < 0)
                log_debug("cannot read the processes: %s", strerror(-error));
}

/* Drives first: whether they are busy decides whether the processes are looked at, and helps to tell whose I/O is whose. */
static void drain_sources(struct manager *m, nsec_t now) {
        struct drive_activity drives[SNAPSHOT_DEVICES_MAX];
        int r;

        manager_view_drives(m, now);
        source_process_follow(m->source_process);
        source_logind_follow(m->source_logind, now);
        m->woken = false;
        manager_choose_attention(m, now);
        if (m->attention == ATTENTION_DRIVES)
                return;
        if (is_much_written(m->snapshot))
                (void) source_memory_sample(m->source_memory, now); /* its probe says where it cannot be read */
        request_sources_drain(m->source_requests, now);
        source_process_note_reads(m->source_process, now, source_disk_read_bytes(m->source_disk));
        r = source_process_sample(m->source_process, now, drives, list_activity(m, drives));
        m->sampling = r == 1 ? now : 0;
        tell_unread(r);
}

/* Often after something began. At level 0 that was nothing so far: where processes come in bursts all the time, in the long run twice
 * a second. Those that wait are told by the kernel, and looked for at once. */
static nsec_t onset_take(struct manager *m) {
        if (m->attention != ATTENTION_DRIVES)
                return TICK_ONSET_NS;
        m->onset_next = wake_budget_take(&m->onsets, m->last_tick);
        return MAX(nsec_sub(m->onset_next, m->last_tick), TICK_ONSET_NS);
}

nsec_t manager_next_tick(struct manager *m) {
        nsec_t period = m->attention == ATTENTION_DRIVES ? TICK_IDLE_NS : TICK_BUSY_NS, stream = streams_interval(m->streams);

        if (m->last_tick < m->onset_until) {
                nsec_t onset = onset_take(m);
                period = MIN(onset, period);
        }
        return stream && stream < period ? stream : period;
}

static const char *stream_name(void *userdata, uint32_t dev) {
        const struct manager_drive *d = manager_find_drive_by_dev(userdata, dev);

        return d ? d->drive.name : NULL;
}

static void on_stream(void *userdata, enum stream_change change, const struct stream_entry *e) {
        struct manager *m = userdata;
        char sentence[VERDICT_SENTENCE_MAX];

        stream_describe(&e->view, sentence, sizeof(sentence));
        log_debug("stream %s: %s", change == STREAM_STARTED ? "started" : "ended", sentence);
        bus_stream_changed(m->bus, change, e);
}

static void decide(struct manager *m, nsec_t now, enum hold recorded) {
        enum hold hold = holds_strongest(&m->holds);
        struct controller_input in = {
                .now = now,
                .mode = m->mode,
                .hold = hold == HOLD_NONE ? recorded : hold,
                .snapshot = m->snapshot,
        };

        recorders_tick(m->recorders, now, in.hold);
        m->n_verdicts = tick_decide(&m->detectors, m->controller, &in, m->verdicts, m->plan);
        tick_note_starts(m->model, m->verdicts, m->n_verdicts, m->source_replay ? now : manager_now()); /* which took its time */
        manager_perform(m, now);
}

void manager_look(struct manager *m, nsec_t now, enum hold hold) {
        m->counters.ticks++;
        m->last_tick = now;
        tick_observe(m->model, m->controller, now, m->snapshot);
        drive_workers_check(m->workers);
        manager_follow_errands(m);
        manager_follow_processes(m, now);
        manager_follow_settings(m, now);
        decide(m, now, hold);
        manager_end_looks(m);
        manager_take_startups(m, now);
        manager_save_outcomes(m, now, false);
        if (m->source_replay)
                manager_show_watched(m);
        else
                manager_choose_watched(m, now);
        manager_publish(m);
        stream_log_follow(&m->stream_log, m->snapshot, on_stream, m);
        streams_send(m->streams, now, m->snapshot, stream_name, m);
}

static void tick_replay(struct manager *m, nsec_t now) {
        nsec_t due;

        manager_replay(m, now);
        due = source_replay_due(m->source_replay);
        if (due < UINT64_MAX)
                arm_timer(m, nsec_sub(due, now));
}

static void finish_tick(struct manager *m, nsec_t now) {
        manager_follow_prefetch(m, now);
        manager_look(m, now, HOLD_NONE);
        arm_timer(m, manager_next_tick(m));
}

void manager_on_sampled(void *userdata, int error) {
        struct manager *m = userdata;
        nsec_t now = m->sampling;

        m->sampling = 0;
        tell_unread(error);
        if (now)
                finish_tick(m, now);
}

void manager_tick(struct manager *m) {
        nsec_t now = manager_now();

        if (m->source_replay) {
                tick_replay(m, now);
                manager_look(m, now, m->replay_hold);
                return;
        }
        if (m->sampling) /* the look to come sees what asks for one now */
                return;
        drain_sources(m, now);
        if (!m->sampling)
                finish_tick(m, now);
}

int manager_on_timer(sd_event_source *source _unused_, uint64_t usec _unused_, void *userdata) {
        struct manager *m = userdata;

        if (m->source_replay)
                tick_replay(m, manager_now());
        else
                manager_tick(m);
        return 0;
}

int manager_open_stream(struct manager *m, uid_t uid, uint32_t interval_ms) {
        int fd = streams_open(m->streams, uid, interval_ms, manager_now());

        if (fd >= 0)
                arm_timer(m, 0);
        return fd;
}
