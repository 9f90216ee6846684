/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the manager begins and ends. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>

#include "bus.h"
#include "fdio.h"
#include "log.h"
#include "manager-private.h"
#include "statement.h"
#include "str.h"

/* How long the start waits for what drives say of their settings. */
#define START_LIMIT_NS NSEC_PER_SEC

#define EARLIER_RUN statement_plain(SAY_EARLIER_RUN)

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
        log_decision(device, r, EARLIER_RUN);
}

const char *manager_state_dir(const struct options *o, char *buf, size_t size) {
        const char *systemd = getenv("STATE_DIRECTORY");

        if (o->state_dir)
                return o->state_dir;
        if (systemd && !*o->root)
                return systemd;
        snprintf(buf, size, "%s/var/lib/brio", o->root);
        return buf;
}

/* Priorities end with their processes at the latest, so what they were need not outlive the boot, and in memory it is noted at once, however
 * busy the drive of the state directory is. NULL: a state directory that is named has all in it. */
static const char *runtime_dir(const struct options *o) {
        const char *systemd = getenv("RUNTIME_DIRECTORY");

        return o->state_dir || *o->root ? NULL : systemd ? systemd : "/run/brio/priorities";
}

/* Returns the number of processes that got back what they had. */
static size_t open_priorities(struct manager *m, struct journal *state, const char *boot_id) {
        struct priorities *earlier = priorities_new(m->options->root, state);
        const char *dir = runtime_dir(m->options);
        unsigned damaged = 0;
        size_t restored = 0;
        int r;

        if (!earlier)
                return 0;
        restored = priorities_recover(earlier, manager_now(), report_recovery, m);
        if (!dir || priorities_held(earlier) > 0) {
                m->priorities = earlier;
                return restored;
        }
        r = journal_open(dir, boot_id, &m->priorities_journal, &damaged);
        if (r < 0)
                log_warning("cannot keep I/O priorities in %s: %s; they are kept with the settings' originals", dir, strerror(-r));
        if (damaged)
                log_warning("%s/originals: %u damaged lines skipped; their writes had not been made", dir, damaged);
        if (r < 0) {
                m->priorities = earlier;
                return restored;
        }
        priorities_free(earlier);
        m->priorities = priorities_new(m->options->root, m->priorities_journal);
        return m->priorities ? restored + priorities_recover(m->priorities, manager_now(), report_recovery, m) : 0;
}

/* Without the state directory briod does not start. What stepped back is noted elsewhere, and has its priority back all the same. */
static void recover_priorities_alone(struct manager *m, const char *boot_id) {
        const char *dir = runtime_dir(m->options);
        struct priorities *left = NULL;
        struct journal *journal = NULL;
        unsigned damaged = 0;
        size_t restored;

        if (!dir || journal_open(dir, boot_id, &journal, &damaged) < 0)
                return;
        left = priorities_new(m->options->root, journal);
        restored = left ? priorities_recover(left, manager_now(), report_recovery, m) : 0;
        if (restored)
                log_notice("%zu processes that an earlier run had made step back have their I/O priority again", restored);
        priorities_free(left);
        journal_close(journal);
}

/* Before anything else: what an earlier run has left behind is put back. */
static int open_actuator(struct manager *m) {
        const struct options *o = m->options;
        char path[PATH_MAX], boot_id[64], dir[PATH_MAX];
        const char *state = manager_state_dir(o, dir, sizeof(dir));
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
        if (r < 0 && r != -EBUSY)
                recover_priorities_alone(m, boot_id);
        if (r < 0)
                return r;
        if (damaged)
                log_warning("%s/originals: %u damaged lines skipped; their writes had not been made", state, damaged);
        m->actuator = actuator_new(o->root, journal);
        if (!m->actuator)
                return -ENOMEM;
        restored = open_priorities(m, journal, boot_id); /* first: a setting may have to wait for a drive that is busy */
        if (!m->priorities)
                return -ENOMEM;
        r = manager_open_workers(m);
        if (r < 0)
                return r;
        m->recovering = true;
        restored += drive_workers_recover(m->workers, manager_now(), EARLIER_RUN);
        m->recovering = false;
        drive_workers_end_idle(m->workers);
        if (restored)
                log_notice("%zu settings of an earlier run put back", restored);
        if (m->startups) /* not where that is all that it is here for */
                manager_load_startups(m, state);
        if (m->controller) {
                manager_load_outcomes(m, state);
                manager_load_mode(m, state);
        }
        return 0;
}

static int open_sources(struct manager *m) {
        struct event_sink sink = { manager_take_event, m };
        struct source_process_config config = {
                .root = m->options->root,
                .sink = sink,
                .resolve = resolve_drive,
                .burst = manager_on_burst,
                .starting = manager_process_starts,
                .may_start = manager_process_may_start,
                .sampled = manager_on_sampled,
                .looked = manager_on_looked,
                .userdata = m,
        };
        struct request_sources_config requests = { .choice = m->options->source, .root = m->options->root, .sink = sink };
        char dir[PATH_MAX];
        int r = source_disk_new(m->options->root, sink, &m->source_disk);

        if (r < 0) {
                log_error("cannot read diskstats: %s", strerror(-r));
                return r;
        }
        m->onsets.spare = ONSET_LOOKS;
        m->source_logind = source_logind_new(sink, manager_on_presence, m);
        if (!m->source_logind)
                return -ENOMEM;
        m->source_memory = source_memory_new(m->options->root, sink);
        if (!m->source_memory)
                return -ENOMEM;
        r = source_process_new(&config, m->event, &m->source_process);
        if (r < 0) {
                log_error("cannot read the processes: %s", strerror(-r));
                return r;
        }
        requests.state_dir = manager_state_dir(m->options, dir, sizeof(dir));
        r = request_sources_new(&requests, m->event, &m->source_requests);
        if (r >= 0)
                r = source_bfq_new(m->options->root, requests.state_dir, m->event, &m->source_bfq);
        if (r < 0)
                return r;
        r = source_psi_new(m->options->root, m->event, manager_on_pressure, m, &m->source_psi);
        return r < 0 ? r : manager_open_prefetch(m);
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
        m->startups = calloc(1, sizeof(*m->startups));
        m->verdicts = calloc(DETECTORS_VERDICTS_MAX, sizeof(*m->verdicts));
        return m->model && m->controller && m->streams && m->recorders && m->startups && m->snapshot && m->plan && m->verdicts;
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
        stale = request_sources_clean_up(options->root, r < 0 ? NULL : manager_state_dir(options, dir, sizeof(dir)));
        if (stale)
                log_info("tracing instances of killed daemons removed: %zu", stale);
        if (r >= 0 && source_bfq_clean_up(options->root, manager_state_dir(options, dir, sizeof(dir))))
                log_info("the block tracer that a killed briod had chosen is off again");
        if (r < 0)
                return r;
        left = actuator_held(m->actuator) + priorities_held(m->priorities);
        manager_report_left(m);
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
        m->started = manager_now();
        if (!allocate(m))
                return -ENOMEM;
        if (options->replay && (r = manager_begin_replay(m)) < 0)
                return r;
        r = policy_load_all(options->root, options->policy_dir, report_policy, m, &m->policies);
        if (r < 0)
                return r;
        manager_load_programs(m, report_policy);
        if (m->policies.n == 0)
                log_warning("no policies found: every drive is only watched");
        r = open_actuator(m);
        if (r < 0)
                return r;
        r = sd_event_add_time(event, &m->timer, CLOCK_MONOTONIC, 0, 0, manager_on_timer, m);
        if (r >= 0)
                r = sd_event_add_time(event, &m->startup_timer, CLOCK_MONOTONIC, 0, 0, manager_on_startup, m);
        if (r >= 0)
                r = sd_event_source_set_enabled(m->startup_timer, SD_EVENT_OFF);
        if (r < 0)
                return r;
        r = open_sources(m);
        if (r < 0)
                return r;
        r = open_devices(m);
        if (r < 0)
                return r;
        drive_workers_wait(m->workers, NULL, START_LIMIT_NS);
        *ret = TAKE_PTR(m);
        return 0;
}

struct manager *manager_free(struct manager *m) {
        if (!m)
                return NULL;
        if (m->priorities && m->controller && m->workers) {
                manager_end_errands(m, false);
                manager_put_all_back(m);
        }
        if (m->startups)
                manager_save_startups(m, manager_now(), true);
        if (m->controller)
                manager_save_outcomes(m, manager_now(), true);
        devices_free(m->devices);
        source_logind_free(m->source_logind);
        source_psi_free(m->source_psi);
        source_memory_free(m->source_memory);
        source_bfq_free(m->source_bfq);
        request_sources_free(m->source_requests);
        source_process_free(m->source_process);
        prefetch_login_free(m->login);
        prefetch_free(m->prefetch);
        mount_table_free(m->own_mounts);
        source_disk_free(m->source_disk);
        bus_free(m->bus);
        streams_free(m->streams);
        recorders_free(m->recorders);
        priorities_free(m->priorities);
        journal_close(m->priorities_journal);
        drive_workers_free(m->workers);
        actuator_free(m->actuator);
        controller_free(m->controller);
        model_free(m->model);
        for (size_t i = 0; i < ARRAY_SIZE(m->drives); i++)
                if (m->drives[i].used)
                        safe_close(m->drives[i].sysfs_fd);
        policy_set_done(&m->policies);
        free(m->startups);
        free(m->snapshot);
        free(m->plan);
        free(m->verdicts);
        sd_event_source_disable_unref(m->timer);
        sd_event_source_disable_unref(m->startup_timer);
        sd_event_unref(m->event);
        source_replay_free(m->source_replay);
        replay_tree_free(m->replay_tree);
        free(m);
        return NULL;
}
