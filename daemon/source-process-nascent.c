/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Births whose exec is not done yet. A program that is started from a busy drive waits for the way to the program and for its first pages before the
 * kernel tells of the exec; so a process that is born is looked at a few times, and told once its exec is under way. Only while briod looks closely
 * anyway: where no drive is busy, no process waits there. */
#include <stdio.h>
#include <sys/utsname.h>

#include "clock.h"
#include "macro.h"
#include "source-process-private.h"

/* An exec that waits for no drive is done by the first look. Then at twice the age each time: a shell's function never is. */
#define FIRST_LOOK_NS (4 * NSEC_PER_MSEC)
#define LOOKS_MAX 6
#define LOOK_ACCURACY_US 1000

static void arm(struct source_process *s) {
        nsec_t next = 0;

        for (size_t i = 0; i < NASCENT_MAX; i++)
                if (s->nascent[i].tgid && !s->nascent[i].asked && (next == 0 || s->nascent[i].due < next))
                        next = s->nascent[i].due;
        if (next == 0) {
                (void) sd_event_source_set_enabled(s->nascent_timer, SD_EVENT_OFF);
                return;
        }
        (void) sd_event_source_set_time(s->nascent_timer, next / NSEC_PER_USEC);
        (void) sd_event_source_set_enabled(s->nascent_timer, SD_EVENT_ONESHOT);
}

static struct process_nascent *find(struct source_process *s, int32_t tgid) {
        for (size_t i = 0; i < NASCENT_MAX; i++)
                if (s->nascent[i].tgid == tgid)
                        return &s->nascent[i];
        return NULL;
}

/* Of one that is no more in the midst of its exec the kernel tells. */
static void on_looked(void *userdata, int32_t tgid, int result, const struct process_launch *launch, const struct exec_entry *entry) {
        struct source_process *s = userdata;
        struct process_nascent *n = find(s, tgid);
        struct proc_change c = { .kind = PROC_EXEC, .tgid = tgid };
        nsec_t now = clock_now(CLOCK_MONOTONIC);

        if (!n || !n->asked)
                return;
        c.t = n->born;
        n->asked = false;
        if (result != 0 || ++n->looks == LOOKS_MAX)
                n->tgid = 0;
        else
                n->due = now + MAX(nsec_sub(now, n->born), FIRST_LOOK_NS);
        arm(s);
        if (launch && entry)
                process_tell_entry(s, &c, launch, entry);
}

static int on_timer(sd_event_source *source _unused_, uint64_t usec _unused_, void *userdata) {
        struct source_process *s = userdata;
        nsec_t now = clock_now(CLOCK_MONOTONIC);

        source_process_follow(s); /* one that runs by now need not be looked at */
        for (size_t i = 0; i < NASCENT_MAX; i++) {
                struct process_nascent *n = &s->nascent[i];
                if (!n->tgid || n->asked || n->due > now)
                        continue;
                n->asked = process_reader_look(s->reader, n->tgid, process_find_parent(s, n->tgid), on_looked, s) >= 0;
                if (!n->asked)
                        n->tgid = 0;
        }
        arm(s);
        return 0;
}

/* Before Linux 5.7 a process that reads of another in the midst of an exec waits for the end of that (cred_guard_mutex). */
static bool may_look(void) {
        unsigned major, minor;
        struct utsname u;

        return uname(&u) == 0 && sscanf(u.release, "%u.%u", &major, &minor) == 2 && (major > 5 || (major == 5 && minor >= 7));
}

int process_nascent_attach(struct source_process *s, sd_event *event) {
        int r;

        if (!may_look())
                return 0;
        r = sd_event_add_time(event, &s->nascent_timer, CLOCK_MONOTONIC, 0, LOOK_ACCURACY_US, on_timer, s);
        if (r < 0)
                return r;
        (void) sd_event_source_set_description(s->nascent_timer, "nascent-processes");
        return sd_event_source_set_enabled(s->nascent_timer, SD_EVENT_OFF);
}

void process_nascent_note(struct source_process *s, const struct proc_change *c) {
        struct process_nascent *n;

        if (!s->config.starting || !s->nascent_timer || s->resting)
                return;
        n = find(s, 0);
        if (!n)
                return;
        *n = (struct process_nascent){ .tgid = c->tgid, .born = c->t, .due = c->t + FIRST_LOOK_NS };
        arm(s);
}

void process_nascent_end(struct source_process *s, int32_t tgid) {
        struct process_nascent *n = find(s, tgid);

        if (n)
                n->tgid = 0;
}
