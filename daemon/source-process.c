/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <inttypes.h>

#include "clock.h"
#include "macro.h"
#include "process-access.h"
#include "source-process-private.h"
#include "str.h"

#define CANDIDATE_NS (10 * NSEC_PER_SEC)   /* a process that did I/O does more: looked at in each sample that long */
#define BORN_LATELY_NS (2 * NSEC_PER_SEC)  /* at the first sample: all that it read, it read just now */
#define FULL_SCAN_NS (5 * NSEC_PER_SEC)    /* and all that often, */
#define FULL_SCAN_MAX_NS (30 * NSEC_PER_SEC)
#define FULL_SCAN_PART 100                 /* or so rarely that it takes no more than this part of a CPU */
#define DRIVES_FRESH_NS (2 * NSEC_PER_SEC) /* what a process has open is looked at again after that */

/* For how long the process has lived, if it was born lately or since the last scan of all. 0: longer, so what it did may be
 * long ago. */
static nsec_t recent_life(const struct source_process *s, uint64_t start_ticks) {
        nsec_t window = s->last_full ? MAX(BORN_LATELY_NS, nsec_sub(s->now, s->last_full)) : BORN_LATELY_NS, tick, start, life;

        if (*s->root) /* a tree tells no time: a process that was not there in the last scan was born after it */
                return s->last_full ? MAX(nsec_sub(s->now, s->last_sample), NSEC_PER_USEC) : 0;
        tick = NSEC_PER_SEC / s->ticks_per_s;
        start = start_ticks * tick;
        life = MAX(nsec_sub(s->boot_now, start), tick);
        return life <= window + tick ? life : 0;
}

static void set_counters(struct scan_entry *p, const struct proc_counters *c) {
        p->read_bytes = c->read_bytes;
        p->write_bytes = c->write_bytes;
        p->called_bytes = c->called_bytes;
        p->faults = c->faults;
}

static void set_base(struct source_process *s, struct scan_entry *p, const struct proc_counters *c) {
        nsec_t life = recent_life(s, c->start_ticks);

        p->t = life > 0 ? MAX(nsec_sub(s->now, life), 1u) : s->now;
        if (life > 0) {
                p->active_until = s->now + CANDIDATE_NS;
                p->wait = (struct wait_account) { .known = true };
                return; /* at zero */
        }
        set_counters(p, c);
}

/* Of what it read since the base, what it must have mapped: libraries, mostly. What it asked for by calls is at most of so many bytes; that there
 * is more says nothing without faults, for neither do direct reads of io_uring and its like count as calls. */
static uint64_t mapped_bytes(const struct scan_entry *p, const struct proc_counters *c, uint64_t read_bytes) {
        return c->faults > p->faults ? nsec_sub(read_bytes, nsec_sub(c->called_bytes, p->called_bytes)) : 0;
}

/* The entry of a process as it is now; NULL where there is no room. */
static struct scan_entry *get_process(struct source_process *s, const struct proc_counters *c) {
        struct scan_entry *p = scan_table_find(s->table, c->tgid);

        if (p && p->start_ticks != c->start_ticks) { /* the number has gone to another process */
                process_tell_exit(s, p, s->now);
                scan_table_remove(s->table, c->tgid);
                p = NULL;
        }
        if (p)
                return p;
        p = scan_table_add(s->table, c->tgid);
        if (!p) {
                s->processes_refused++;
                return NULL;
        }
        p->start_ticks = c->start_ticks;
        memcpy(p->name, c->name, sizeof(p->name));
        return p;
}

/* Kernel threads are left out: what they read and write is others' (writeback was charged to the process that dirtied the page; loop,
 * dm-crypt and md threads do again below what a process did above), and would count twice. */
static void take_counters(void *userdata, const struct proc_counters *c) {
        struct source_process *s = userdata;
        uint16_t state = c->waiting ? EVENT_WAITING : c->runnable ? EVENT_RUNNABLE : 0;
        uint64_t read_bytes, write_bytes, mapped;
        struct scan_entry *p;

        if (c->kernel_thread || !(p = get_process(s, c)))
                return;
        p->seen = s->sample;
        p->parent = c->parent;
        if (p->t == 0)
                set_base(s, p, c);
        if (memcmp(p->name, c->name, sizeof(p->name)) != 0) {
                memcpy(p->name, c->name, sizeof(p->name));
                if (p->announced)
                        process_tell_name(s, p, s->now);
        }
        if (c->read_bytes < p->read_bytes || c->write_bytes < p->write_bytes) /* its io was gone before it was */
                return;
        read_bytes = c->read_bytes - p->read_bytes;
        write_bytes = c->write_bytes - p->write_bytes;
        reaped_take(&s->reaped, p->tgid, s->now, &read_bytes, &write_bytes);
        mapped = mapped_bytes(p, c, read_bytes);
        set_counters(p, c);
        if (read_bytes > 0 || write_bytes > 0) {
                if (p->drives.t == 0 || p->drives.n == 0 || nsec_sub(s->now, p->drives.t) > DRIVES_FRESH_NS)
                        drive_finder_look(s->finder, p->tgid, s->now, &p->drives);
                if (p->active_until <= s->now)
                        p->wait = (struct wait_account) { 0 };
                if (!p->announced || p->active_until <= s->now) /* after a pause it may have been forgotten */
                        process_tell_name(s, p, s->now);
                process_tell_priority(s, p);
                process_tell_wait(s, p, c->waiting, true);
                process_tell_io(s, p, &(struct process_use){ read_bytes, write_bytes, mapped }, state);
                p->active_until = s->now + CANDIDATE_NS;
        } else if (p->announced && p->active_until > s->now) {
                process_tell_wait(s, p, c->waiting, false);
                if (state)
                        process_tell_state(s, p, state);
        }
        p->t = s->now;
}

static bool want(struct source_process *s, int32_t tgid) {
        if (s->n_wanted == s->wanted_size) {
                size_t size = MAX(2 * s->wanted_size, 64u);
                int32_t *wanted = reallocarray(s->wanted, size, sizeof(*wanted));

                if (!wanted)
                        return false;
                s->wanted = wanted;
                s->wanted_size = size;
        }
        s->wanted[s->n_wanted++] = tgid;
        return true;
}

static bool want_candidate(void *userdata, struct scan_entry *p) {
        struct source_process *s = userdata;

        if (p->active_until > s->now && want(s, p->tgid))
                p->asked = s->sample;
        return true;
}

static void collect_wanted(struct source_process *s) {
        s->n_wanted = 0;
        scan_table_sweep(s->table, want_candidate, s);
        for (size_t i = 0; i < s->n_births; i++) {
                const struct scan_entry *p = scan_table_find(s->table, s->births[i]);
                if (!p || p->asked != s->sample)
                        (void) want(s, s->births[i]); /* without memory the next full scan finds it */
        }
}

static void expect_reaped(struct source_process *s, const struct scan_entry *p, nsec_t t) {
        if (p->t > 0)
                reaped_expect(&s->reaped, p->parent, t, p->read_bytes, p->write_bytes);
}

static bool keep_if_seen(void *userdata, struct scan_entry *p) {
        struct source_process *s = userdata;
        bool gone = p->asked == s->sample && p->seen != s->sample;

        if (gone) {
                expect_reaped(s, p, s->now);
                process_tell_exit(s, p, s->now);
        }
        return !gone;
}

static bool ask(void *userdata, struct scan_entry *p) {
        const struct source_process *s = userdata;

        p->asked = s->sample;
        return true;
}

static bool wants_full(const struct source_process *s) {
        nsec_t interval = MIN(MAX(s->full_cpu * FULL_SCAN_PART, FULL_SCAN_NS), FULL_SCAN_MAX_NS);

        return s->last_full == 0 || s->want_full || nsec_sub(s->now, s->last_full) >= interval;
}

static void end_scan(struct source_process *s) {
        scan_table_sweep(s->table, keep_if_seen, s);
        s->n_births -= s->n_births_scanned;
        memmove(s->births, s->births + s->n_births_scanned, s->n_births * sizeof(*s->births));
        if (s->scans_all) {
                s->last_full = s->now;
                s->full_cpu = s->sweep ? process_sweep_cpu(s->sweep) + process_reader_cpu(s->counter) - s->reader_cpu :
                                         nsec_sub(clock_now(CLOCK_THREAD_CPUTIME_ID), s->scan_cpu);
        }
        s->last_sample = s->now;
        s->error = 0;
}

/* What was read of no process is read by the next scan. */
static void give_up_scan(struct source_process *s, int error) {
        s->want_full |= s->scans_all;
        s->error = error;
}

/* Returns 1 where it is under way, else 0 or -errno. */
static int scan(struct source_process *s) {
        bool full = wants_full(s);

        if (!full) {
                collect_wanted(s);
                full = s->n_wanted > scan_table_count(s->table);
        }
        if (full) {
                scan_table_sweep(s->table, ask, s);
                task_stats_look(s->stats);
        }
        s->scans_all = full;
        s->want_full &= !full; /* births that are lost from here on want the next one */
        s->n_births_scanned = s->n_births;
        s->n_waits = 0;
        if (s->sweep) {
                s->reader_cpu = process_reader_cpu(s->counter);
                return full ? process_sweep_all(s->sweep) : process_sweep_some(s->sweep, s->wanted, s->n_wanted);
        }
        s->scan_cpu = clock_now(CLOCK_THREAD_CPUTIME_ID);
        return full ? proc_scan_all(s->scan, take_counters, s) : proc_scan_some(s->scan, s->wanted, s->n_wanted, take_counters, s);
}

static void on_swept(void *userdata, int error) {
        struct source_process *s = userdata;

        if (error < 0)
                give_up_scan(s, error);
        else
                end_scan(s);
        if (s->config.sampled)
                s->config.sampled(s->config.userdata, error);
}

void process_follow(void *source_process) {
        source_process_follow(source_process);
}

void source_process_follow(struct source_process *s) {
        if (s->connector)
                proc_connector_follow(s->connector);
}

void source_process_hurry(struct source_process *s, bool hurry) {
        if (s->connector)
                proc_connector_hurry(s->connector, hurry);
}

int source_process_sample(struct source_process *s, nsec_t now, const struct drive_activity *drives, size_t n_drives) {
        int r;

        s->resting = false;
        s->sample++;
        s->now = now;
        s->boot_now = clock_now(CLOCK_BOOTTIME); /* what start_ticks counts: with the time asleep */
        s->n_drives = MIN(n_drives, ARRAY_SIZE(s->drives));
        if (s->n_drives > 0)
                memcpy(s->drives, drives, s->n_drives * sizeof(*drives));
        r = scan(s);
        if (r < 0)
                give_up_scan(s, r);
        else if (r == 0)
                end_scan(s);
        return r;
}

/* Of those that were announced the death must be told. */
static bool keep_if_announced(void *userdata _unused_, struct scan_entry *p) {
        p->t = p->active_until = 0;
        memset(&p->priority, 0, sizeof(p->priority)); /* the model forgets it */
        p->drives = (struct process_drives) { 0 };
        p->wait = (struct wait_account) { 0 };
        return p->announced;
}

void source_process_rest(struct source_process *s) {
        if (s->sweep)
                process_sweep_stop(s->sweep);
        scan_table_sweep(s->table, keep_if_announced, NULL);
        free(TAKE_PTR(s->wanted));
        s->wanted_size = s->n_wanted = s->n_births = 0;
        s->last_full = s->last_sample = 0;
        s->resting = true;
}

static void note_birth(struct source_process *s, const struct proc_change *c) {
        if (s->n_births < BIRTHS_MAX && !s->resting) /* at rest: the first sample looks at all */
                s->births[s->n_births++] = c->tgid;
        else if (!s->resting) {
                s->births_refused++;
                s->want_full = true;
        }
        if (process_burst_note(&s->burst, c->t) && s->config.burst) /* which may sample: last */
                s->config.burst(s->config.userdata);
}

static void note_death(struct source_process *s, const struct proc_change *c) {
        const struct scan_entry *p = scan_table_find(s->table, c->tgid);
        struct event e = { .t = c->t, .kind = EVENT_PROCESS_EXIT, .tgid = c->tgid };

        if (s->sweep)
                process_sweep_leave_out(s->sweep, c->tgid);
        if (process_note_end(s, c->tgid, c->t) && !(p && p->announced))
                process_tell(s, &e);
        if (!p)
                return;
        expect_reaped(s, p, c->t);
        process_tell_exit(s, p, c->t);
        scan_table_remove(s->table, c->tgid);
}

static void on_change(void *userdata, const struct proc_change *c) {
        struct source_process *s = userdata;
        struct event lost = { .t = c->t, .kind = EVENT_LOST };

        switch (c->kind) {
        case PROC_BORN:
                process_note_fork(s, c);
                process_nascent_note(s, c);
                note_birth(s, c);
                break;
        case PROC_EXEC:
                process_note_exec(s, c);
                break;
        case PROC_DIED:
                process_nascent_end(s, c->tgid);
                note_death(s, c);
                break;
        case PROC_LOST:
                s->want_full = true;
                process_tell(s, &lost);
                break;
        case PROC_ACK:
                break;
        }
}

int source_process_new(const struct source_process_config *config, sd_event *event, struct source_process **ret) {
        static const struct process_sweep_calls calls = { process_follow, take_counters, on_swept };
        struct source_process *s = calloc(1, sizeof(*s));
        long ticks = sysconf(_SC_CLK_TCK);
        int r = -ENOMEM;

        if (!s)
                return -ENOMEM;
        s->config = *config;
        s->ticks_per_s = ticks > 0 ? (uint64_t) ticks : 100;
        s->resting = true;
        s->root = strdup(config->root);
        s->table = scan_table_new();
        s->weights = s->root ? io_weights_new(s->root) : NULL;
        if (s->root && s->table && s->weights)
                r = *s->root ? proc_scan_new(s->root, &s->scan) : process_reader_new(event, &s->reader);
        if (r >= 0 && s->reader)
                r = process_reader_new(event, &s->counter);
        if (r >= 0 && s->counter)
                r = process_sweep_new(s->counter, &calls, s, &s->sweep);
        if (r >= 0 && s->counter)
                r = process_looks_attach(s);
        if (r >= 0)
                r = task_stats_new(s->root, &s->stats);
        if (r >= 0)
                r = drive_finder_new(s->root, config->resolve, config->userdata, &s->finder);
        if (r >= 0 && !*s->root)
                r = proc_connector_new(event, 0, on_change, s, &s->connector);
        if (r >= 0 && s->connector)
                r = process_nascent_attach(s, event);
        if (r < 0) {
                source_process_free(s);
                return r;
        }
        s->config.root = s->root;
        *ret = s;
        return 0;
}

struct source_process *source_process_free(struct source_process *s) {
        if (!s)
                return NULL;
        sd_event_source_disable_unref(s->nascent_timer);
        proc_connector_free(s->connector);
        drive_finder_free(s->finder);
        io_weights_free(s->weights);
        task_stats_free(s->stats);
        process_sweep_free(s->sweep);
        process_sweep_free(s->looks_sweep);
        process_reader_free(s->counter);
        process_reader_free(s->reader);
        proc_scan_free(s->scan);
        scan_table_free(s->table);
        free(s->wanted);
        free(s->root);
        free(s);
        return NULL;
}

static void add_bounds(const struct source_process *s, struct source_info *ret) {
        uint64_t files = drive_finder_bounds_hit(s->finder);
        uint64_t given_up = s->reader ? process_reader_given_up(s->reader) + process_reader_given_up(s->counter) : 0;

        if (s->processes_refused > 0 || s->births_refused > 0 || s->execs_refused > 0 || s->waits_refused > 0 || files > 0)
                str_append(ret->detail, sizeof(ret->detail),
                           "; bounds reached: processes %" PRIu64 ", births %" PRIu64 ", execs %" PRIu64 ", waits %" PRIu64 ", files %" PRIu64,
                           s->processes_refused, s->births_refused, s->execs_refused, s->waits_refused, files);
        if (given_up > 0)
                str_append(ret->detail, sizeof(ret->detail), "; processes that held up their reader: %" PRIu64, given_up);
}

static size_t probe(void *source, struct source_info *ret) {
        struct source_process *s = source;

        process_access_probe(s->root, s->error, &ret[0]);
        if (ret[0].state == SOURCE_WORKS)
                add_bounds(s, &ret[0]);
        if (s->connector)
                proc_connector_probe(s->connector, &ret[1]);
        else
                ret[1] = (struct source_info) { .name = "proc-connector", .state = SOURCE_UNAVAILABLE,
                                                .detail = "a recorded machine tells no births; they are found by scans" };
        task_stats_look(s->stats);
        task_stats_probe(s->stats, &ret[2]);
        return 3;
}

const struct source_ops source_process_ops = { .probe = probe };
