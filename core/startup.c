/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "macro.h"
#include "startup.h"
#include "str.h"

/* Programs that are started in order to start another: a start has the name of the first that is none of these. */
static const char *const wrappers[] = {
        "sh", "bash", "dash", "zsh", "fish", "env", "nice", "ionice", "nohup", "setsid", "sudo", "pkexec", "time", "timeout", "taskset",
        "strace", "stdbuf", "xargs", "flatpak", "bwrap", "flatpak-spawn", "xdg-dbus-proxy", "snap", "snap-confine", "snap-exec", "snap-update-ns", "systemd-run", "gtk-launch", "gio-launch-desk",
        "xdg-open", "dbus-run-sessio", "chroot", "script", "chrt", "prlimit", "firejail", "gapplication", "dbus-launch",
};

static bool is_wrapper(const char *name) {
        for (size_t i = 0; i < ARRAY_SIZE(wrappers); i++)
                if (streq(wrappers[i], name))
                        return true;
        return false;
}

bool startup_has_member(const struct startup *s, int32_t tgid) {
        for (size_t i = 0; tgid > 0 && i < STARTUP_MEMBERS_MAX; i++)
                if (s->members[i] == tgid)
                        return true;
        return false;
}

struct startup *startup_table_find(struct startup_table *t, int32_t tgid) {
        for (size_t i = 0; t->n > 0 && tgid > 0 && i < STARTUPS_MAX; i++)
                if (t->startups[i].view.tgid && startup_has_member(&t->startups[i], tgid))
                        return &t->startups[i];
        return NULL;
}

bool startup_table_launches(const struct startup_table *t, int32_t tgid) {
        for (size_t i = 0; t->n > 0 && tgid > 0 && i < STARTUPS_MAX; i++)
                if (t->startups[i].view.tgid && t->startups[i].view.launched && t->startups[i].launcher == tgid)
                        return true;
        return false;
}

/* A pipe's other commands are of the same job. */
static struct startup *find_job(struct startup_table *t, const struct event_process_exec *e) {
        for (size_t i = 0; t->n > 0 && e->job > 0 && i < STARTUPS_MAX; i++)
                if (t->startups[i].view.tgid && t->startups[i].session == e->session && t->startups[i].job == e->job)
                        return &t->startups[i];
        return NULL;
}

static void add_member(struct startup_table *t, struct startup *s, int32_t tgid) {
        for (size_t i = 0; i < STARTUP_MEMBERS_MAX; i++)
                if (!s->members[i]) {
                        s->members[i] = tgid;
                        s->view.processes++;
                        return;
                }
        t->refused++;
}

int startup_reads_from(const struct startup *s, uint32_t dev) {
        for (size_t i = 0; i < s->view.n_devs; i++)
                if (s->view.devs[i] == dev)
                        return s->read_from[i] ? (int) i : -1;
        return -1;
}

int startup_add_drive(struct startup *s, uint32_t dev, bool has_read) {
        size_t i = 0;

        while (i < s->view.n_devs && s->view.devs[i] != dev)
                i++;
        if (dev == 0 || i == STARTUP_DRIVES_MAX)
                return -1;
        s->view.devs[i] = dev;
        s->view.n_devs = MAX(s->view.n_devs, i + 1);
        s->read_from[i] |= has_read;
        return (int) i;
}

/* Whether it is worth telling of by itself. */
static bool counts(const struct startup *s) {
        return s->view.launched || s->view.cold;
}

/* And worth remembering when it has ended, by its name: a program may take its own away. */
static bool ran(const struct startup *s) {
        return counts(s) && !s->begins && *s->view.application;
}

bool startup_tells(const struct startup *s) {
        nsec_t waited = s->view.waited + MIN(s->sample.waited_us, s->sample.span_us) * NSEC_PER_USEC;

        return counts(s) || (waited >= STARTUP_WAITED_NS && (s->view.faults > 0 || s->view.read_bytes > 0));
}

static void forget(struct startup_table *t, struct startup *s) {
        t->changes += startup_tells(s);
        t->refused += s->served_refused;
        memset(s, 0, sizeof(*s));
        t->n--;
}

static void end(struct startup_table *t, struct startup *s, enum startup_end how, nsec_t at) {
        struct startup *other = how == STARTUP_EXIT && s->view.launched ? startup_find_other(t, s) : NULL;

        if (other) {
                t->handed_over++;
                startup_hand_over(s, other);
        } else if (how == STARTUP_EXIT && s->view.launched && startup_runs_already(t, s->view.application)) {
                t->handed_over++;
        } else if (ran(s) && t->n_ended < STARTUPS_ENDED_MAX) {
                struct startup_ended *e = &t->ended[t->n_ended++];
                startup_get_view(s, at, &e->view);
                e->view.end = how;
                e->timeline = s->timeline;
                startup_timeline_cut(&e->timeline, e->view.latency);
        } else {
                t->refused += ran(s);
        }
        if (!other)
                startup_note_running(t, s);
        forget(t, s);
}

/* Returns whether it has ended. */
static bool look_for_end(struct startup_table *t, struct startup *s, nsec_t now) {
        nsec_t age = nsec_sub(now, s->view.begun), at;

        startup_close_sample(s);
        if (startup_find_end(s, &at)) {
                end(t, s, STARTUP_QUIET, at);
                return true;
        }
        if (age < STARTUP_GIVE_UP_NS && (startup_tells(s) || age < STARTUP_COMMAND_NS))
                return false;
        t->given_up += startup_tells(s);
        startup_note_running(t, s);
        forget(t, s);
        return true;
}

static void set_application(struct startup *s, const char *name) {
        memset(s->view.application, 0, sizeof(s->view.application));
        str_copy(s->view.application, sizeof(s->view.application), name);
}

/* What its application is called is what it runs, or what the last of its wrappers started. */
static void take_name(struct startup *s, int32_t tgid, const char name[EVENT_NAME_MAX]) {
        char text[EVENT_NAME_MAX];

        memcpy(text, name, sizeof(text)); /* a damaged recording's has no end */
        text[sizeof(text) - 1] = '\0';
        if (!*s->view.name || tgid == s->view.tgid || is_wrapper(s->view.name))
                memcpy(s->view.name, text, sizeof(text));
        if (s->named)
                return;
        if (!*s->view.application || is_wrapper(s->view.application))
                set_application(s, text);
        else if (tgid == s->view.tgid && !is_wrapper(text))
                set_application(s, text);
}

static void begin(struct startup_table *t, const struct event *e) {
        struct startup *s = NULL;

        for (size_t i = 0; i < STARTUPS_MAX && !s; i++)
                if (!t->startups[i].view.tgid)
                        s = &t->startups[i];
        if (!s) {
                t->refused++;
                return;
        }
        *s = (struct startup){
                .view = { .tgid = e->tgid, .start_ticks = e->process_exec.start_ticks, .begun = e->t,
                          .uid = PROCESS_UID_UNKNOWN, .launched = (e->flags & EVENT_LAUNCHED) != 0 },
                .begins = (e->flags & EVENT_BEGINS) != 0,
                .launcher = e->process_exec.parent,
                .session = e->process_exec.session,
                .job = e->process_exec.job,
        };
        t->n++;
        t->changes += startup_tells(s);
        startup_add_drive(s, e->dev, false);
        add_member(t, s, e->tgid);
        take_name(s, e->tgid, e->process_exec.name);
}

static void feed_exec(struct startup_table *t, const struct event *e) {
        struct startup *s = startup_table_find(t, e->tgid);
        bool known = s, launched = e->flags & EVENT_LAUNCHED;

        if (!s)
                s = startup_table_find(t, e->process_exec.parent);
        if (!s && e->flags & EVENT_TERMINAL)
                s = find_job(t, &e->process_exec);
        /* What a terminal, a launcher or a shell starts that has itself just started is an application of its own. */
        if (s && !known && launched && !is_wrapper(s->view.name) && nsec_sub(e->t, s->view.begun) >= STARTUP_WRAPPER_NS)
                s = NULL;
        if (!s) {
                if (e->flags & (EVENT_TERMINAL | EVENT_LAUNCHED))
                        begin(t, e);
                return;
        }
        if (!known)
                add_member(t, s, e->tgid);
        s->begins = s->begins && e->flags & EVENT_BEGINS;
        if (launched && !s->view.launched) {
                s->view.launched = true;
                t->changes++;
        }
        startup_add_drive(s, e->dev, false);
        take_name(s, e->tgid, e->process_exec.name);
}

static void feed_application(struct startup_table *t, const struct event *e) {
        struct startup *s = startup_table_find(t, e->tgid);
        char text[EVENT_TEXT_MAX];

        if (!s)
                return;
        str_copy(text, sizeof(text), e->process_application.text);
        if (s->continues)
                str_append(s->view.application, sizeof(s->view.application), "%s", text);
        else
                set_application(s, text);
        s->named = true;
        s->continues = e->flags & EVENT_CONTINUES;
        if (!s->view.launched) { /* its unit appeared behind its exec */
                s->view.launched = true;
                t->changes++;
        }
}

/* Its first process says whose it is; until then, or where that was gone too soon, any of its own does. */
static void feed_user(struct startup_table *t, const struct event *e) {
        struct startup *s = startup_table_find(t, e->tgid);

        if (s && (s->view.tgid == e->tgid || s->view.uid == PROCESS_UID_UNKNOWN))
                s->view.uid = e->process_user.uid;
}

static void feed_work(struct startup_table *t, const struct event *e) {
        struct startup *s = startup_table_find(t, e->tgid);
        const struct event_process_work *w = &e->process_work;
        struct startup_sample *sample;
        bool told;

        if (!s)
                return;
        told = startup_tells(s);
        if (s->sample.t && e->t > s->sample.t && look_for_end(t, s, s->sample.t))
                return;
        sample = &s->sample;
        if (sample->t == 0)
                sample->requested_us = (uint32_t) MIN(s->requested_wait / NSEC_PER_USEC, UINT32_MAX);
        sample->behind_us = (uint32_t) MIN(sample->behind_us + s->behind / NSEC_PER_USEC, UINT32_MAX);
        s->requested_wait = s->behind = 0;
        sample->t = s->last = MAX(e->t, s->last);
        sample->span_us = MAX(sample->span_us, w->span_us);
        sample->cpu_us = add_saturating(sample->cpu_us, w->cpu_us);
        sample->read_bytes = add_saturating(sample->read_bytes, w->read_bytes);
        sample->waited_us = add_saturating(sample->waited_us, w->waited_us);
        sample->hard |= w->faults > 0 || e->flags & EVENT_WAITING;
        s->view.read_bytes += w->read_bytes;
        s->view.faults = add_saturating(s->view.faults, w->faults);
        s->view.cold = s->view.read_bytes >= STARTUP_COLD_BYTES || s->view.faults >= STARTUP_COLD_FAULTS;
        sample->accounted |= e->flags & EVENT_ACCOUNTED;
        t->changes += !told && startup_tells(s);
}

static void feed_stall(struct startup_table *t, const struct event *e) {
        struct startup *s = startup_table_find(t, e->tgid);

        if (!s || s->sample.t != e->t)
                return;
        s->sample.queued_us = add_saturating(s->sample.queued_us, e->process_stall.queued_us);
        s->sample.memory_us = add_saturating(s->sample.memory_us, e->process_stall.memory_us);
}

static void feed_exit(struct startup_table *t, const struct event *e) {
        struct startup *s = startup_table_find(t, e->tgid);
        bool left = false;

        for (size_t i = 0; i < STARTUPS_RUNNING_MAX; i++)
                if (t->running[i].tgid == e->tgid)
                        t->running[i] = (struct startup_running){ 0 };
        if (!s)
                return;
        for (size_t i = 0; i < STARTUP_MEMBERS_MAX; i++) {
                if (s->members[i] == e->tgid)
                        s->members[i] = 0;
                left |= s->members[i] != 0;
        }
        if (left)
                return;
        startup_close_sample(s);
        end(t, s, STARTUP_EXIT, e->t);
}

/* Of one of its own: on which drive. Of others: what they had of its drives meanwhile. */
static void feed_io(struct startup_table *t, const struct event *e, const char *name, uint32_t uid) {
        const struct event_process_io *io = &e->process_io;
        struct startup *own = startup_table_find(t, e->tgid);
        struct startup_culprit culprit = { .tgid = e->tgid, .start_ticks = io->start_ticks, .uid = uid };
        int drive;

        str_copy(culprit.name, sizeof(culprit.name), name);
        drive = own && io->read_bytes > 0 ? startup_add_drive(own, e->dev, true) : -1;
        if (drive >= 0)
                own->read_on[drive] += io->read_bytes;
        for (size_t i = 0; e->dev && i < STARTUPS_MAX; i++) {
                struct startup *s = &t->startups[i];
                if (s == own || startup_reads_from(s, e->dev) < 0)
                        continue;
                startup_note_served(s, &culprit, REQUEST_READ, 0, io->read_bytes);
                startup_note_served(s, &culprit, REQUEST_WRITE, 0, io->write_bytes);
        }
}

static void feed_fork(struct startup_table *t, const struct event *e) {
        struct startup *s = startup_table_find(t, e->process_fork.parent);

        if (s && !startup_table_find(t, e->tgid))
                add_member(t, s, e->tgid);
}

void startup_table_feed(struct startup_table *t, const struct event *e, const char *name, uint32_t uid) {
        struct startup *s;

        if (e->tgid <= 0)
                return;
        if (e->kind == EVENT_PROCESS_EXEC)
                feed_exec(t, e);
        else if (e->kind == EVENT_PROCESS_FORK)
                feed_fork(t, e);
        else if (e->kind == EVENT_PROCESS_USER)
                feed_user(t, e);
        else if (e->kind == EVENT_PROCESS_APPLICATION)
                feed_application(t, e);
        else if (e->kind == EVENT_PROCESS_WORK)
                feed_work(t, e);
        else if (e->kind == EVENT_PROCESS_STALL)
                feed_stall(t, e);
        else if (e->kind == EVENT_PROCESS_EXIT)
                feed_exit(t, e);
        else if (e->kind == EVENT_PROCESS_IO && t->n > 0)
                feed_io(t, e, name, uid);
        else if (e->kind == EVENT_PROCESS_READY && (s = startup_table_find(t, e->tgid))) {
                s->view.launched = true; /* whatever it was: it has a window */
                startup_close_sample(s);
                end(t, s, STARTUP_READY, e->t);
        }
}

void startup_table_note_verdict(struct startup_table *t, int32_t tgid, nsec_t now) {
        struct startup *s = startup_table_find(t, tgid);

        if (s && s->view.noticed == 0)
                s->view.noticed = MAX(nsec_sub(now, s->view.begun), 1u);
}

void startup_table_step(struct startup_table *t, nsec_t now) {
        for (size_t i = 0; t->n > 0 && i < STARTUPS_MAX; i++)
                if (t->startups[i].view.tgid)
                        look_for_end(t, &t->startups[i], now);
}

#define LOOK_FIRST_NS (20 * NSEC_PER_MSEC)
#define LOOK_NEXT_NS (50 * NSEC_PER_MSEC)
#define LOOK_LATE_NS (100 * NSEC_PER_MSEC)

static nsec_t next_look(const struct startup *s) {
        nsec_t last = MAX(s->last, s->view.begun), age = nsec_sub(last, s->view.begun);

        return last + (age < 2 * NSEC_PER_SEC ? LOOK_FIRST_NS : age < 10 * NSEC_PER_SEC ? LOOK_NEXT_NS : LOOK_LATE_NS);
}

size_t startup_table_due(const struct startup_table *t, nsec_t now, int32_t *ret, size_t max, nsec_t *ret_next) {
        nsec_t next = 0;
        size_t n = 0;

        for (size_t i = 0; t->n > 0 && i < STARTUPS_MAX; i++) {
                const struct startup *s = &t->startups[i];
                nsec_t due = next_look(s);
                if (!s->view.tgid)
                        continue;
                for (size_t k = 0; due <= now && k < STARTUP_MEMBERS_MAX && n < max; k++)
                        if (s->members[k])
                                ret[n++] = s->members[k];
                if (due <= now)
                        due = now + LOOK_FIRST_NS;
                next = next ? MIN(next, due) : due;
        }
        *ret_next = next;
        return n;
}

/* Of view.devs: it waited more for a than for b, or it read more from there. */
static bool is_more_of_a_source(const struct startup *s, size_t a, size_t b) {
        if (s->waited_on[a] != s->waited_on[b])
                return s->waited_on[a] > s->waited_on[b];
        if (s->read_on[a] != s->read_on[b])
                return s->read_on[a] > s->read_on[b];
        return s->read_from[a] && !s->read_from[b];
}

/* A thousandth of its time is the least that is told; below, no process is to blame. */
static bool has_waited(const struct startup_view *v) {
        return v->waited > 0 && v->waited * 1000 >= v->latency;
}

void startup_get_view(const struct startup *s, nsec_t now, struct startup_view *ret) {
        size_t first = 0;

        *ret = s->view;
        for (size_t i = 1; i < ret->n_devs; i++)
                if (is_more_of_a_source(s, i, first))
                        first = i;
        ret->devs[first] = ret->devs[0];
        ret->devs[0] = s->view.devs[first];
        ret->latency = nsec_sub(now, s->view.begun);
        ret->waited = MIN(s->view.waited, ret->latency);
        if (has_waited(ret))
                startup_list_culprits(s, ret);
}

bool startup_table_take(struct startup_table *t, struct startup_ended *ret) {
        if (t->n_ended == 0)
                return false;
        *ret = t->ended[0];
        memmove(&t->ended[0], &t->ended[1], --t->n_ended * sizeof(t->ended[0]));
        return true;
}
