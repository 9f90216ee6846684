/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

#include "bus.h"
#include "clock.h"
#include "fdio.h"
#include "log.h"
#include "manager.h"
#include "manager-private.h"
#include "str.h"
#include "sysfs.h"
#include "tick.h"

nsec_t manager_now(void) {
        return clock_now(CLOCK_MONOTONIC);
}

void manager_take_event(void *userdata, const struct event *e) {
        struct manager *m = userdata;

        model_feed(m->model, e);
        streams_feed(m->streams, e);
        recorders_feed(m->recorders, e);
}

static void arm_timer(struct manager *m, nsec_t delay) {
        uint64_t accuracy = delay >= TICK_IDLE_NS ? 100 * USEC_PER_MSEC : 5 * USEC_PER_MSEC;

        sd_event_source_set_time(m->timer, (manager_now() + delay) / NSEC_PER_USEC);
        sd_event_source_set_time_accuracy(m->timer, accuracy);
        sd_event_source_set_enabled(m->timer, SD_EVENT_ONESHOT);
}

/* Do not wait for the tick, but do not look for each of many events either. */
static void look_soon(struct manager *m, nsec_t onset) {
        if (m->woken)
                return;
        m->woken = true;
        if (m->attention == ATTENTION_DRIVES)
                m->onset_until = MAX(m->onset_until, manager_now() + onset);
        arm_timer(m, TICK_SOON_NS);
}

/* The processes need not have begun to read yet. */
static void on_burst(void *userdata) {
        struct manager *m = userdata;

        if (m->attention != ATTENTION_DRIVES || manager_now() >= m->onset_next)
                look_soon(m, ONSET_NS);
}

/* Tasks wait for I/O: what they wait for is there to be seen at once. */
static void on_pressure(void *userdata) {
        look_soon(userdata, TICK_ONSET_NS);
}

static void on_presence(void *userdata) {
        struct manager *m = userdata;

        bus_manager_changed(m->bus, "Presence");
        bus_manager_changed(m->bus, "PresenceReason");
}

int manager_follow_presence(struct manager *m, sd_bus *bus) {
        return source_logind_connect(m->source_logind, bus);
}

void manager_want_processes(struct manager *m) {
        bool was_low = m->attention == ATTENTION_DRIVES;

        manager_raise_attention(m, manager_now(), "somebody asked for the processes");
        if (was_low)
                arm_timer(m, 0);
}

static size_t busy_drives(const struct snapshot *s, uint32_t *ret) {
        size_t n = 0;

        for (size_t i = 0; i < s->n_devices; i++)
                if (s->devices[i].busy_since)
                        ret[n++] = s->devices[i].dev;
        return n;
}

/* Drives first: whether they are busy decides whether the processes are looked at, and helps to tell whose I/O is whose. */
static void drain_sources(struct manager *m, nsec_t now) {
        uint32_t busy[SNAPSHOT_DEVICES_MAX];
        int r;

        r = source_disk_sample(m->source_disk, now, NULL);
        if (r < 0)
                log_debug("cannot read diskstats: %s", strerror(-r));
        model_view_devices(m->model, now, m->snapshot);
        source_process_follow(m->source_process);
        source_logind_follow(m->source_logind, now);
        m->woken = false;
        manager_choose_attention(m, now);
        if (m->attention == ATTENTION_DRIVES)
                return;
        request_sources_drain(m->source_requests, now);
        r = source_process_sample(m->source_process, now, busy, busy_drives(m->snapshot, busy));
        if (r < 0)
                log_debug("cannot read the processes: %s", strerror(-r));
}

/* Often after something began. At level 0 that was nothing so far: where processes come in bursts all the time, in the long run twice
 * a second. Those that wait are told by the kernel, and looked for at once. */
static nsec_t onset_period(struct manager *m) {
        if (m->attention != ATTENTION_DRIVES)
                return TICK_ONSET_NS;
        m->onset_next = wake_budget_take(&m->onsets, m->last_tick);
        return MAX(nsec_sub(m->onset_next, m->last_tick), TICK_ONSET_NS);
}

static nsec_t next_tick(struct manager *m) {
        nsec_t period = m->attention == ATTENTION_DRIVES ? TICK_IDLE_NS : TICK_BUSY_NS, stream = streams_interval(m->streams);

        if (m->last_tick < m->onset_until)
                period = MIN(onset_period(m), period);
        return stream && stream < period ? stream : period;
}

static const char *stream_name(void *userdata, uint32_t dev) {
        const struct manager_drive *d = manager_find_drive_by_dev(userdata, dev);

        return d ? d->drive.name : NULL;
}

static void decide(struct manager *m, nsec_t now) {
        struct controller_input in = {
                .now = now,
                .mode = m->mode,
                .hold = holds_strongest(&m->holds),
                .snapshot = m->snapshot,
        };

        recorders_tick(m->recorders, now, in.hold);
        m->n_verdicts = tick_decide(&m->detectors, m->controller, &in, m->verdicts, m->plan);
        manager_perform(m, now);
}

void manager_tick(struct manager *m) {
        nsec_t now = manager_now();

        m->counters.ticks++;
        m->last_tick = now;
        drain_sources(m, now);
        tick_observe(m->model, now, m->snapshot);
        manager_check_foreign(m, now);
        manager_follow_settings(m, now);
        decide(m, now);
        manager_choose_watched(m, now);
        manager_publish(m);
        streams_send(m->streams, now, m->snapshot, stream_name, m);
        arm_timer(m, next_tick(m));
}

static int on_timer(sd_event_source *source _unused_, uint64_t usec _unused_, void *userdata) {
        manager_tick(userdata);
        return 0;
}

int manager_open_stream(struct manager *m, uint32_t interval_ms) {
        int fd = streams_open(m->streams, interval_ms, manager_now());

        if (fd >= 0)
                arm_timer(m, 0);
        return fd;
}

static size_t probe_devices(void *source, struct source_info *ret) {
        *ret = (struct source_info){ .name = "udev", .state = SOURCE_WORKS };
        str_copy(ret->detail, sizeof(ret->detail), devices_describe(source));
        return 1;
}

static const struct source_ops devices_ops = { .probe = probe_devices };

/* What it costs while it runs, and whether it kept up. */
static void add_account(const struct source *source, struct source_info *ret) {
        uint64_t drops = source->ops->drops && source->self ? source->ops->drops(source->self) : 0, ms;
        struct source_cost c = { 0 };
        char rate[32];

        if (source->ops->cost && source->self)
                source->ops->cost(source->self, &c);
        ms = c.active_ns / NSEC_PER_MSEC;
        if (ms > 0)
                str_append(ret->detail, sizeof(ret->detail), "; while it ran: %" PRIu64 " wake-ups/s, %s/s, %" PRIu64 " events/s",
                           c.wakeups * 1000 / ms, str_format_bytes(rate, sizeof(rate), c.bytes * 1000 / ms), c.events * 1000 / ms);
        if (drops == 0)
                return;
        str_append(ret->detail, sizeof(ret->detail), "; events lost: %" PRIu64, drops);
        ret->state = SOURCE_REDUCED;
}

size_t manager_probe(struct manager *m, struct source_info *ret) {
        const struct source sources[MANAGER_SOURCES_MAX / SOURCE_INFOS_MAX - REQUEST_SOURCES_MAX] = {
                { &source_disk_ops, m->source_disk },
                { &source_process_ops, m->source_process },
                { &source_psi_ops, m->source_psi },
                { &source_logind_ops, m->source_logind },
                { &devices_ops, m->devices },
        };
        const struct source *source;
        size_t n = 0;

        for (size_t i = 0; i < ARRAY_SIZE(sources) && sources[i].ops; i++) {
                struct source_info *info = &ret[n];
                n += sources[i].ops->probe(sources[i].self, info);
                add_account(&sources[i], info);
        }
        for (size_t i = 0; (source = request_sources_get(m->source_requests, i)); i++) {
                struct source_info *info = &ret[n];
                n += source->ops->probe(source->self, info);
                add_account(source, info);
                request_sources_explain(m->source_requests, i, info);
        }
        return n;
}

static uint32_t resolve_drive(void *userdata, uint32_t dev) {
        struct manager *m = userdata;
        bool inferred;

        return devices_resolve_leaf(m->devices, dev, &inferred);
}

static void report_policy(void *userdata _unused_, enum policy_severity severity, const char *file, int line, const char *message) {
        int priority = severity == POLICY_ERROR ? LOG_ERR : LOG_WARNING;

        if (line > 0)
                log_message(priority, "%s:%d: %s", file, line, message);
        else /* the file as a whole */
                log_message(priority, "%s: %s", file, message);
}

static void report_recovery(void *userdata, const char *device, const struct receipt *r) {
        struct manager *m = userdata;

        m->counters.restores += r->result == RECEIPT_RESTORED;
        log_decision(device, r, "left by an earlier run of briod that could not put it back");
}

static const char *state_dir(const struct options *o, char *buf, size_t size) {
        const char *systemd = getenv("STATE_DIRECTORY");

        if (o->state_dir)
                return o->state_dir;
        if (systemd && !*o->root)
                return systemd;
        snprintf(buf, size, "%s/var/lib/brio", o->root);
        return buf;
}

/* Before anything else: what an earlier run has left behind is put back. */
static int open_actuator(struct manager *m) {
        const struct options *o = m->options;
        char path[PATH_MAX], boot_id[64], dir[PATH_MAX];
        const char *state = state_dir(o, dir, sizeof(dir));
        struct journal *journal;
        unsigned damaged = 0;
        size_t restored;
        int r;

        snprintf(path, sizeof(path), "%s/proc/sys/kernel/random/boot_id", o->root);
        if (fdio_read_at(AT_FDCWD, path, boot_id, sizeof(boot_id)) < 0)
                *boot_id = '\0';
        r = journal_open(state, boot_id, &journal, &damaged);
        if (r == -EBUSY)
                log_error("another briod runs with %s; stop it first (systemctl stop briod)", state);
        else if (r < 0)
                log_error("cannot keep originals in %s: %s; without them nothing can be restored, so briod does not start", state,
                          strerror(-r));
        if (r < 0)
                return r;
        if (damaged)
                log_warning("%s/originals: %u damaged lines skipped; their writes had not been made", state, damaged);
        m->actuator = actuator_new(o->root, journal);
        if (!m->actuator)
                return -ENOMEM;
        restored = actuator_recover(m->actuator, manager_now(), report_recovery, m);
        if (restored)
                log_notice("%zu settings of an earlier run put back", restored);
        return 0;
}

static int open_sources(struct manager *m) {
        struct event_sink sink = { manager_take_event, m };
        struct source_process_config config = {
                .root = m->options->root,
                .sink = sink,
                .resolve = resolve_drive,
                .burst = on_burst,
                .userdata = m,
        };
        struct request_sources_config requests = { .choice = m->options->source, .root = m->options->root, .sink = sink };
        char dir[PATH_MAX];
        int r = source_disk_new(m->options->root, sink, &m->source_disk);

        if (r < 0) {
                log_error("cannot read diskstats: %s", strerror(-r));
                return r;
        }
        m->source_logind = source_logind_new(sink, on_presence, m);
        if (!m->source_logind)
                return -ENOMEM;
        r = source_process_new(&config, m->event, &m->source_process);
        if (r < 0) {
                log_error("cannot read the processes: %s", strerror(-r));
                return r;
        }
        requests.state_dir = state_dir(m->options, dir, sizeof(dir));
        r = request_sources_new(&requests, m->event, &m->source_requests);
        if (r < 0)
                return r;
        return source_psi_new(m->options->root, m->event, on_pressure, m, &m->source_psi);
}

static int open_devices(struct manager *m) {
        struct devices_config config = {
                .root = m->options->root,
                .include = (const char *const *) m->options->include,
                .exclude = (const char *const *) m->options->exclude,
        };
        int r = devices_new(&config, m->event, manager_on_drive, m, &m->devices);

        if (r < 0)
                log_error("cannot list the drives: %s", strerror(-r));
        return r;
}

static bool allocate(struct manager *m) {
        m->model = model_new();
        m->controller = controller_new();
        m->streams = streams_new();
        m->recorders = recorders_new();
        m->snapshot = calloc(1, sizeof(*m->snapshot));
        m->plan = calloc(1, sizeof(*m->plan));
        m->verdicts = calloc(DETECTORS_VERDICTS_MAX, sizeof(*m->verdicts));
        return m->model && m->controller && m->streams && m->recorders && m->snapshot && m->plan && m->verdicts;
}

DEFINE_TRIVIAL_CLEANUP_FUNC(struct manager *, manager_free)

int manager_recover(const struct options *options) {
        _cleanup_(manager_freep) struct manager *m = calloc(1, sizeof(*m));
        char dir[PATH_MAX];
        size_t left, stale;
        int r;

        if (!m)
                return -ENOMEM;
        m->options = options;
        r = open_actuator(m);
        stale = request_sources_clean_up(options->root, r < 0 ? NULL : state_dir(options, dir, sizeof(dir)));
        if (stale)
                log_info("tracing instances of killed daemons removed: %zu", stale);
        if (r < 0)
                return r;
        left = actuator_held(m->actuator);
        if (left)
                log_error("%zu settings could not be put back; the next start of briod tries again", left);
        return left ? -EIO : 0;
}

int manager_new(const struct options *options, sd_event *event, struct manager **ret) {
        _cleanup_(manager_freep) struct manager *m = calloc(1, sizeof(*m));
        int r;

        if (!m)
                return -ENOMEM;
        m->options = options;
        m->event = sd_event_ref(event);
        m->mode = options->mode;
        m->started = manager_now();
        if (!allocate(m))
                return -ENOMEM;
        r = policy_load_all(options->root, options->policy_dir, report_policy, m, &m->policies);
        if (r < 0)
                return r;
        if (m->policies.n == 0)
                log_warning("no policies found: every drive is only watched");
        r = open_actuator(m);
        if (r < 0)
                return r;
        r = sd_event_add_time(event, &m->timer, CLOCK_MONOTONIC, 0, 0, on_timer, m);
        if (r < 0)
                return r;
        r = open_sources(m);
        if (r < 0)
                return r;
        r = open_devices(m);
        if (r < 0)
                return r;
        *ret = TAKE_PTR(m);
        return 0;
}

struct manager *manager_free(struct manager *m) {
        if (!m)
                return NULL;
        if (m->actuator && m->controller)
                manager_put_back(m, 0, false, "briod ends");
        devices_free(m->devices);
        source_logind_free(m->source_logind);
        source_psi_free(m->source_psi);
        request_sources_free(m->source_requests);
        source_process_free(m->source_process);
        source_disk_free(m->source_disk);
        bus_free(m->bus);
        streams_free(m->streams);
        recorders_free(m->recorders);
        actuator_free(m->actuator);
        controller_free(m->controller);
        model_free(m->model);
        for (size_t i = 0; i < ARRAY_SIZE(m->drives); i++)
                if (m->drives[i].used)
                        safe_close(m->drives[i].sysfs_fd);
        policy_set_done(&m->policies);
        free(m->snapshot);
        free(m->plan);
        free(m->verdicts);
        sd_event_source_disable_unref(m->timer);
        sd_event_unref(m->event);
        free(m);
        return NULL;
}
