/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "io-priority.h"
#include "ioprio.h"
#include "priorities-private.h"
#include "priority-guard.h"
#include "statement.h"
#include "str.h"

struct priorities *priorities_new(const char *root, struct journal *journal) {
        struct priorities *p = calloc(1, sizeof(*p));

        if (!p)
                return NULL;
        p->journal = journal;
        p->recorded = *root != '\0';
        return p;
}

struct priorities *priorities_free(struct priorities *p) {
        free(p);
        return NULL;
}

void priorities_get_counters(const struct priorities *p, struct priorities_counters *ret) {
        *ret = p->counters;
}

size_t priorities_held(const struct priorities *p) {
        size_t n = 0;

        for (size_t i = 0; i < p->n; i++)
                n += p->held[i].returned == 0;
        return n;
}

struct stepped_back *priorities_find(struct priorities *p, const struct subject *subject) {
        for (size_t i = 0; i < p->n; i++)
                if (p->held[i].entry.tgid == subject->tgid && p->held[i].entry.start_ticks == subject->start_ticks)
                        return &p->held[i];
        return NULL;
}

int priorities_open(const struct stepped_back *h, struct process_stat *ret) {
        int fd, r = priority_process_find(h->entry.tgid, h->entry.start_ticks, ret, &fd);

        return r < 0 ? r : fd;
}

void priorities_read_program(int proc_fd, unsigned long *ret_dev, unsigned long *ret_inode) {
        struct statx st;

        *ret_dev = *ret_inode = 0;
        if (statx(proc_fd, "exe", AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_INO, &st) < 0) /* a dead server must not stop us here */
                return;
        *ret_dev = DEV_NUMBER(st.stx_dev_major, st.stx_dev_minor);
        *ret_inode = st.stx_ino;
}

void priorities_tell(char *text, uint16_t priority) {
        io_priority_format(priority, text, TUNABLE_VALUE_MAX);
}

void priorities_return(struct stepped_back *h, nsec_t now) {
        h->returned = MAX(now, 1u);
}

void priorities_drop(struct priorities *p, struct stepped_back *h) {
        /* A line that cannot be removed is harmless: the next start finds no thread with what was written. */
        (void) journal_forget_priority(p->journal, h->entry.tgid, h->entry.start_ticks);
        *h = p->held[--p->n];
}

static void conclude(struct receipt *r, int error) {
        r->error = error;
        r->result = error == -ESRCH ? RECEIPT_GONE : RECEIPT_FAILED;
        if (error == -ESRCH)
                r->error = 0;
}

static void refuse(struct priorities *p, struct receipt *r, const char *why) {
        p->counters.refused++;
        r->result = RECEIPT_REFUSED;
        r->why = why;
}

/* May it be touched? True, or the receipt says why not. */
static bool inspect(struct priorities *p, int proc_fd, const struct process_stat *process, const struct priority_change *c,
                    struct receipt *r) {
        struct priority_survey survey;
        const char *why;
        int error = priority_threads_survey(proc_fd, c->priority, &survey);

        if (error == 0 && survey.n > PRIORITY_THREADS_MAX)
                error = -E2BIG;
        if (error < 0) {
                conclude(r, error);
                return false;
        }
        priorities_tell(r->old, survey.other >= 0 ? (uint16_t) survey.other : survey.written > 0 ? c->priority : IO_PRIORITY_NONE);
        str_copy(r->observed, sizeof(r->observed), r->old);
        if (survey.none < survey.n) {
                r->result = RECEIPT_FOREIGN;
                r->why = statement_plain(SAY_PRIORITY_GIVEN);
                return false;
        }
        why = priority_guard_refuses(proc_fd, process, c->priority);
        if (why)
                refuse(p, r, why);
        return !why;
}

/* Written, not synced: a killed briod's file is whole up to its last write(2), and a power loss ends the process, too. A sync would wait for
 * the drive, where that is the busy one, longer than the start that it is for. Returns 0 or -errno. */
static int note(struct priorities *p, int proc_fd, const struct process_stat *process, const struct priority_change *c, nsec_t now) {
        struct stepped_back h = {
                .entry = {
                        .tgid = process->tgid, .start_ticks = process->start_ticks, .session = process->session,
                        .cgroup = priority_process_cgroup_sum(proc_fd), .since_ticks = priority_now_ticks(),
                        .original = IO_PRIORITY_NONE, .written = c->priority,
                },
                .dev = c->dev, .law = c->law, .written = now,
        };
        int r;

        if (priorities_held(p) >= PRIORITIES_MAX || p->n == ARRAY_SIZE(p->held)) {
                p->counters.refused++;
                return -ENOSPC;
        }
        str_copy(h.name, sizeof(h.name), c->process.name);
        h.uid = c->process.uid;
        priorities_read_program(proc_fd, &h.exe_dev, &h.exe);
        r = journal_note_priority(p->journal, &h.entry);
        if (r == 0)
                p->held[p->n++] = h;
        return r;
}

/* True where it is noted and to be written; else the receipt is complete. */
static bool prepare(struct priorities *p, const struct priority_change *c, nsec_t now, struct receipt *r) {
        struct stepped_back *h = priorities_find(p, &c->process);
        struct process_stat process;
        _cleanup_close_ int fd = -1;
        int error;

        priorities_tell(r->wanted, c->priority);
        if (p->recorded) {
                refuse(p, r, "it is a recorded machine's, and not here");
                return false;
        }
        error = priority_process_find(c->process.tgid, c->process.start_ticks, &process, &fd);
        if (error < 0) {
                conclude(r, error);
                return false;
        }
        if (h && h->returned == 0) {
                refuse(p, r, "it has stepped back already");
                return false;
        }
        if (!inspect(p, fd, &process, c, r))
                return false;
        if (c->advice) {
                r->result = RECEIPT_ADVISED;
                return false;
        }
        if (h) { /* returned just now: begins anew */
                priorities_return_children(p);
                priorities_drop(p, h);
        }
        error = note(p, fd, &process, c, now);
        if (error < 0)
                conclude(r, error);
        return error == 0;
}

static void perform_set(struct priorities *p, const struct priority_change *c, nsec_t now, struct receipt *r) {
        struct stepped_back *h = priorities_find(p, &c->process);
        struct priority_survey survey = { .other = -1 };
        struct process_stat process;
        _cleanup_close_ int fd = priorities_open(h, &process);
        int error = fd < 0 ? fd : priority_threads_write(fd, h->entry.original, h->entry.written);

        if (error >= 0)
                error = priority_threads_survey(fd, h->entry.written, &survey);
        if (error == 0 && survey.written == 0 && survey.other < 0)
                error = -EIO;
        if (error < 0) {
                if (fd >= 0)
                        (void) priority_threads_write(fd, h->entry.written, h->entry.original);
                priorities_return(h, now);
                conclude(r, error);
                return;
        }
        priorities_tell(r->observed, survey.written > 0 ? h->entry.written : (uint16_t) survey.other);
        r->result = RECEIPT_APPLIED;
}

static void perform_restore(struct priorities *p, const struct priority_change *c, nsec_t now, struct receipt *r) {
        struct stepped_back *h = priorities_find(p, &c->process);
        struct priority_survey survey = { .other = -1 };
        struct process_stat process;
        _cleanup_close_ int fd = -1;
        int error;

        r->result = RECEIPT_RESTORED;
        if (!h || h->returned)
                return;
        priorities_tell(r->old, h->entry.written);
        priorities_tell(r->wanted, h->entry.original);
        fd = priorities_open(h, &process);
        error = fd < 0 ? fd : priority_threads_write(fd, h->entry.written, h->entry.original);
        if (error >= 0)
                error = priority_threads_survey(fd, h->entry.written, &survey);
        if (error < 0 && error != -ESRCH) { /* stays in the journal, and is tried again */
                conclude(r, error);
                return;
        }
        priorities_return(h, now);
        if (error == -ESRCH) {
                r->result = RECEIPT_GONE;
                return;
        }
        priorities_tell(r->observed, survey.other >= 0 ? (uint16_t) survey.other : h->entry.original);
        if (survey.other >= 0) {
                r->result = RECEIPT_FOREIGN;
                r->why = statement_plain(SAY_PRIORITY_FOREIGN);
        }
}

void priorities_apply(struct priorities *p, const struct priority_change *changes, size_t n, nsec_t now, struct receipt *ret) {
        bool noted[PLAN_PRIORITIES_MAX] = { false };

        n = MIN(n, ARRAY_SIZE(noted));
        if (n > 0 && p->n > 0) /* a process that has inherited would look like one whose priority was set */
                priorities_return_children(p);
        for (size_t i = 0; i < n; i++) {
                const struct priority_change *c = &changes[i];
                ret[i] = (struct receipt) { .id = c->id, .dev = c->dev, .tunable = _TUNABLE_INVALID, .process = c->process, .law = c->law, .t = now };
                if (c->action == CHANGE_RESTORE)
                        perform_restore(p, c, now, &ret[i]);
                else
                        noted[i] = prepare(p, c, now, &ret[i]);
        }
        for (size_t i = 0; i < n; i++)
                if (noted[i])
                        perform_set(p, &changes[i], now, &ret[i]);
}
