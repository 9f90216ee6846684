/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes that start: which processes forked them, what they run, and what they do until they are quiet. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>

#include "clock.h"
#include "fdio.h"
#include "macro.h"
#include "process-drives.h"
#include "process-facts.h"
#include "process-launch.h"
#include "process-stat.h"
#include "source-process-private.h"
#include "str.h"

#define THREADS_LOOKED_AT 64
/* Less of a CPU is a process that may be waiting (STARTUP_QUIET_CPU_PERMILLE). */
#define BUSY_PERMILLE 300
/* One that was born so short before it was first looked at has done all that it did since. */
#define FRESH_NS (1 * NSEC_PER_SEC)

static struct process_work *find_work(struct source_process *s, int32_t tgid) {
        for (size_t i = 0; i < WORKS_MAX; i++)
                if (s->works[i].tgid == tgid)
                        return &s->works[i];
        return NULL;
}

/* Finds or makes it; with all taken, in place of the one not looked at for longest. */
static struct process_work *get_work(struct source_process *s, int32_t tgid, nsec_t t) {
        struct process_work *w = find_work(s, tgid);

        if (w)
                return w;
        w = find_work(s, 0);
        for (size_t i = 0; !w || (w->tgid && i < WORKS_MAX); i++)
                if (!w || s->works[i].t < w->t)
                        w = &s->works[i];
        *w = (struct process_work){ .tgid = tgid, .t = t };
        return w;
}

static void end_work(struct source_process *s, struct process_work *w, nsec_t t) {
        if (w->parent > 0 && find_work(s, w->parent))
                reaped_expect(&s->reaped_works, w->parent, t, w->read_bytes == READS_UNKNOWN ? 0 : w->read_bytes, 0);
        w->tgid = 0;
}

bool process_note_end(struct source_process *s, int32_t tgid, nsec_t t) {
        struct process_work *w = find_work(s, tgid);

        if (w)
                end_work(s, w, t);
        return w != NULL;
}

static bool starts(const struct source_process *s, int32_t tgid) {
        return s->config.starting && tgid > 0 && s->config.starting(s->config.userdata, tgid);
}

void process_note_fork(struct source_process *s, const struct proc_change *c) {
        struct event e = { .t = c->t, .kind = EVENT_PROCESS_FORK, .tgid = c->tgid, .process_fork.parent = c->parent };

        s->kin[(uint32_t) c->tgid % KIN_MAX] = (struct process_kin){ c->tgid, c->parent };
        if (!starts(s, c->parent))
                return;
        process_tell(s, &e);
        if (starts(s, c->tgid))
                get_work(s, c->tgid, c->t)->parent = c->parent;
}

/* Whether there is something left to look with. */
static bool take_look(struct source_process *s, nsec_t now) {
        if (s->looks_spent_until > now + NSEC_PER_SEC) {
                s->execs_refused++;
                return false;
        }
        s->looks_spent_until = MAX(s->looks_spent_until, now) + NSEC_PER_SEC / EXEC_LOOKS_PER_S;
        return true;
}

/* An id that does not fit goes over several events. */
static void tell_application(struct source_process *s, nsec_t t, struct process_work *w, const char *application) {
        size_t length = strlen(application), most = EVENT_TEXT_MAX - 1;

        for (size_t at = 0; at < length; at += most) {
                struct event e = { .t = t, .kind = EVENT_PROCESS_APPLICATION, .tgid = w->tgid };
                e.process_application.start_ticks = w->start_ticks;
                memcpy(e.process_application.text, application + at, MIN(length - at, most));
                if (length - at > most)
                        e.flags |= EVENT_CONTINUES;
                process_tell(s, &e);
        }
        w->named = true;
}

int32_t process_find_parent(const struct source_process *s, int32_t tgid) {
        const struct process_kin *kin = &s->kin[(uint32_t) tgid % KIN_MAX];

        return kin->tgid == tgid ? kin->parent : 0;
}

/* related: to what starts already. entry: NULL where it runs its program. */
static void tell_exec(struct source_process *s, const struct proc_change *c, bool related, const struct process_launch *launch,
                      const struct exec_entry *entry) {
        struct event e = { .t = c->t, .kind = EVENT_PROCESS_EXEC, .tgid = c->tgid };
        struct process_work *w;
        uint32_t uid;

        if (!related && launch->flags == 0 && !starts(s, launch->parent))
                return;
        uid = process_facts_user(s->root, c->tgid);
        if (!related && uid == PROCESS_UID_UNKNOWN) /* it is gone, and whether its user may start something cannot be asked */
                return;
        if (!related && launch->flags && s->config.may_start && !s->config.may_start(s->config.userdata, uid, c->t))
                return;
        e.flags = launch->flags | (entry ? EVENT_BEGINS : 0);
        if (launch->flags)
                e.dev = entry ? drive_finder_find_entry(s->finder, c->tgid, entry, c->t) : drive_finder_find_program(s->finder, c->tgid, c->t);
        e.process_exec = (struct event_process_exec){
                .start_ticks = launch->start_ticks, .parent = launch->parent, .session = launch->session, .job = launch->job,
        };
        memcpy(e.process_exec.name, launch->name, sizeof(launch->name));
        process_tell(s, &e);
        if (!starts(s, c->tgid))
                return;
        process_tell_user(s, c->tgid, launch->start_ticks, uid, c->t);
        w = get_work(s, c->tgid, c->t);
        if (!related) /* it started before, as something else: what it did then is not this start's */
                *w = (struct process_work){ .tgid = c->tgid, .t = c->t };
        if (*launch->application)
                tell_application(s, c->t, w, launch->application);
}

static bool is_related(const struct source_process *s, int32_t tgid) {
        return starts(s, tgid) || starts(s, process_find_parent(s, tgid));
}

void process_tell_entry(struct source_process *s, const struct proc_change *c, const struct process_launch *launch, const struct exec_entry *entry) {
        bool related = is_related(s, c->tgid);

        if (related || take_look(s, c->t))
                tell_exec(s, c, related, launch, entry);
}

/* Where there is no answer it is told without what stands in its memory. */
static void on_launch(void *userdata, int32_t tgid _unused_, int result _unused_, const struct process_launch *launch,
                      const struct exec_entry *entry _unused_) {
        struct source_process *s = userdata;

        tell_exec(s, &s->exec, is_related(s, s->exec.tgid), launch ? launch : &s->launch, NULL);
        proc_connector_resume(s->connector);
}

/* What comes after it waits for the answer: a child that it forks belongs to what starts with it. */
void process_note_exec(struct source_process *s, const struct proc_change *c) {
        bool related = is_related(s, c->tgid);
        int32_t parent = process_find_parent(s, c->tgid);

        process_nascent_end(s, c->tgid);
        if (!s->config.starting || (!related && !take_look(s, c->t)) || process_launch_look(s->root, c->tgid, parent, NULL, NULL, &s->launch) < 0)
                return;
        s->exec = *c;
        if (s->launch.more && process_reader_launch(s->reader, c->tgid, parent, on_launch, s) >= 0)
                proc_connector_pause(s->connector);
        else
                tell_exec(s, c, related, &s->launch, NULL);
}

/* "RUN WAITED ..." of the first thread, in ns; 0 where the kernel does not count. */
static void read_schedule(const char *root, int32_t tgid, uint64_t *ret_ran, uint64_t *ret_waited) {
        char path[PATH_MAX], text[ATTRIBUTE_MAX], *rest = text, *word;

        *ret_ran = *ret_waited = 0;
        snprintf(path, sizeof(path), "%s/proc/%" PRId32 "/schedstat", root, tgid);
        if (fdio_read_at(AT_FDCWD, path, text, sizeof(text)) < 0)
                return;
        word = strsep(&rest, " ");
        if (str_parse_u64(word, ret_ran) == 0 && (word = strsep(&rest, " ")))
                (void) str_parse_u64(word, ret_waited);
}

/* The state of the process is that of its first thread. */
static bool any_thread_waits(const char *root, int32_t tgid) {
        char path[PATH_MAX];
        _cleanup_closedir_ DIR *dir = NULL;
        unsigned n = 0;

        snprintf(path, sizeof(path), "%s/proc/%" PRId32 "/task", root, tgid);
        dir = opendir(path);
        for (const struct dirent *d; dir && n < THREADS_LOOKED_AT && (d = readdir(dir)); n++) {
                char text[ATTRIBUTE_MAX];
                struct process_stat stat;
                if (*d->d_name == '.' || !str_append(path, sizeof(path), "/%s/stat", d->d_name))
                        continue;
                if (fdio_read_at(AT_FDCWD, path, text, sizeof(text)) > 0 && process_stat_parse(text, &stat) == 0 && stat.state == 'D')
                        return true;
                snprintf(path, sizeof(path), "%s/proc/%" PRId32 "/task", root, tgid);
        }
        return false;
}

static bool is_fresh(const struct source_process *s, uint64_t start_ticks) {
        nsec_t start = start_ticks * (NSEC_PER_SEC / s->ticks_per_s);

        return nsec_sub(s->boot_now, start) <= FRESH_NS;
}

static uint64_t advance(uint64_t *base, uint64_t now) {
        uint64_t difference = nsec_sub(now, *base);

        *base = MAX(*base, now);
        return difference;
}

/* 0 where it was not read; the base is put off until it is. */
static uint64_t advance_reads(uint64_t *base, uint64_t now) {
        if (now == READS_UNKNOWN)
                return 0;
        if (*base == READS_UNKNOWN)
                *base = now;
        return advance(base, now);
}

static uint32_t saturate(uint64_t value) {
        return (uint32_t) MIN(value, UINT32_MAX);
}

/* The first thread's time is told exactly, that of all in ticks of 10 ms: what that lacks comes later. ret_queued_us: the part of it without a
 * processor. */
static uint32_t advance_cpu(struct source_process *s, struct process_work *w, const struct process_stat *stat, uint32_t *ret_queued_us) {
        uint64_t all = stat->cpu_ticks * (NSEC_PER_SEC / s->ticks_per_s), leader, queued, ns;

        read_schedule(s->root, w->tgid, &leader, &queued);
        queued = advance(&w->queued_ns, queued);
        ns = advance(&w->leader_ns, leader) + queued;
        ns += advance(&w->others_ns, nsec_sub(all, leader));
        *ret_queued_us = saturate(queued / NSEC_PER_USEC);
        return saturate(ns / NSEC_PER_USEC);
}

/* Returns for how long it waited for memory, in us: 0 where that is not accounted. */
static uint32_t add_wait(struct source_process *s, struct process_work *w, bool waiting, nsec_t span, struct event *e) {
        struct task_stats_reply reply;
        uint32_t memory_us = 0;

        if (waiting)
                e->flags |= EVENT_WAITING;
        if (task_stats_works(s->stats) && task_stats_get_process(s->stats, w->tgid, &reply) == 0) {
                bool known = w->wait.known;
                uint64_t memory = advance(&w->memory_ns, reply.memory_ns);
                e->process_work.waited_us = (uint32_t) (wait_account_add(&w->wait, reply.wait_ns, waiting, span) / NSEC_PER_USEC);
                e->flags |= EVENT_ACCOUNTED;
                memory_us = known ? saturate(memory / NSEC_PER_USEC) : 0;
        } else if (waiting) {
                e->process_work.waited_us = (uint32_t) (span / NSEC_PER_USEC);
        }
        return memory_us;
}

static void tell_stall(struct source_process *s, const struct process_work *w, const struct event_process_stall *stall) {
        struct event e = { .t = s->now, .kind = EVENT_PROCESS_STALL, .tgid = w->tgid, .process_stall = *stall };

        if (stall->queued_us > 0 || stall->memory_us > 0)
                process_tell(s, &e);
}

/* What it did before is another's, unless it was born just now. Then what it did since its exec is not known, and is not told as rest. */
static void set_base(struct source_process *s, struct process_work *w, const struct process_stat *stat, uint64_t read_bytes) {
        w->start_ticks = stat->start_ticks;
        w->wait.known = true;
        if (is_fresh(s, stat->start_ticks))
                return;
        read_schedule(s->root, w->tgid, &w->leader_ns, &w->queued_ns);
        w->others_ns = nsec_sub(stat->cpu_ticks * (NSEC_PER_SEC / s->ticks_per_s), w->leader_ns);
        w->read_bytes = read_bytes;
        w->faults = stat->faults;
        w->wait.known = false;
        w->t = s->now;
}

static void look(struct source_process *s, int32_t tgid, uint64_t read_bytes) {
        struct event e = { .t = s->now, .kind = EVENT_PROCESS_WORK, .tgid = tgid };
        struct process_work *w = get_work(s, tgid, s->now);
        char application[APPLICATION_MAX];
        struct event_process_stall stall;
        uint64_t read, written = 0;
        struct process_stat stat;
        bool waiting;
        nsec_t span;

        if (process_stat_read(s->root, tgid, &stat) < 0 || strchr("ZX", stat.state) ||
            (w->start_ticks && w->start_ticks != stat.start_ticks)) {
                e.kind = EVENT_PROCESS_EXIT;
                end_work(s, w, s->now);
                process_tell(s, &e);
                return;
        }
        if (!w->start_ticks)
                set_base(s, w, &stat, read_bytes);
        span = nsec_sub(s->now, w->t);
        if (span < NSEC_PER_USEC) /* it came within this very look, or what it does is counted from now on */
                return;
        w->t = s->now;
        w->parent = stat.parent;
        read = advance_reads(&w->read_bytes, read_bytes);
        reaped_take(&s->reaped_works, tgid, s->now, &read, &written);
        e.process_work = (struct event_process_work){
                .start_ticks = w->start_ticks,
                .span_us = (uint32_t) MIN(span / NSEC_PER_USEC, UINT32_MAX),
                .cpu_us = advance_cpu(s, w, &stat, &stall.queued_us),
                .faults = saturate(advance(&w->faults, stat.faults)),
                .read_bytes = saturate(read),
        };
        waiting = stat.state == 'D';
        if (!waiting && stat.threads > 1 && e.process_work.faults == 0 && e.process_work.read_bytes == 0 &&
            e.process_work.cpu_us * 1000ULL < e.process_work.span_us * (uint64_t) BUSY_PERMILLE)
                waiting = any_thread_waits(s->root, tgid);
        stall.memory_us = add_wait(s, w, waiting, span, &e);
        process_tell(s, &e);
        tell_stall(s, w, &stall);
        if (!w->named && process_launch_application(s->root, tgid, application))
                tell_application(s, s->now, w, application);
}

static void take_read_bytes(void *userdata, const struct proc_counters *c) {
        struct source_process *s = userdata;

        for (size_t i = 0; i < s->n_looks; i++)
                if (s->looks[i] == c->tgid)
                        s->looks_read[i] = c->read_bytes;
}

static void look_at_all(struct source_process *s) {
        size_t n = s->n_looks;

        s->n_looks = 0;
        for (size_t i = 0; i < n; i++)
                if (starts(s, s->looks[i])) /* still: the exit of another may have ended it */
                        look(s, s->looks[i], s->looks_read[i]);
}

/* Also where some were not read. */
static void on_looks_swept(void *userdata, int error) {
        struct source_process *s = userdata;

        look_at_all(s);
        if (s->config.looked)
                s->config.looked(s->config.userdata, error);
}

int process_looks_attach(struct source_process *s) {
        static const struct process_sweep_calls calls = { process_follow, take_read_bytes, on_looks_swept };

        return process_sweep_new(s->counter, &calls, s, &s->looks_sweep);
}

bool source_process_look(struct source_process *s, nsec_t now, const int32_t *tgids, size_t n) {
        if (s->looks_sweep && process_sweep_is_under_way(s->looks_sweep))
                return true;
        s->now = now;
        s->boot_now = clock_now(CLOCK_BOOTTIME);
        s->n_looks = MIN(n, ARRAY_SIZE(s->looks));
        memcpy(s->looks, tgids, s->n_looks * sizeof(*tgids));
        for (size_t i = 0; i < s->n_looks; i++)
                s->looks_read[i] = READS_UNKNOWN;
        if (s->looks_sweep && process_sweep_some(s->looks_sweep, s->looks, s->n_looks) == 1)
                return true;
        if (!s->looks_sweep)
                (void) proc_scan_some(s->scan, s->looks, s->n_looks, take_read_bytes, s);
        look_at_all(s);
        return false;
}
