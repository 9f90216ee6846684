/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What happens to processes while they have stepped back. */
#include <errno.h>
#include <time.h>

#include "clock.h"
#include "io-priority.h"
#include "priorities-private.h"
#include "priority-guard.h"
#include "priority-kin.h"
#include "statement.h"
#include "str.h"

#define SCAN_NS (200 * NSEC_PER_MSEC) /* children are looked for that often, */
#define SCAN_PART 100                 /* or so rarely that it takes no more than this part of a CPU */
#define BIRTH_NS NSEC_PER_SEC         /* a thread without the priority, so soon after the write, was born during it */
#define SETTLE_NS (10 * NSEC_PER_MSEC) /* fork(2) takes less between giving the priority on and showing the child */

/* A child may beget one before its turn comes, behind the scan's back. */
#define PASSES_MAX 8

struct children {
        struct priorities *priorities;
        size_t n;
};

static bool has_stepped_back(struct priorities *p, const struct process_stat *process) {
        const struct subject subject = { .tgid = process->tgid, .start_ticks = process->start_ticks };
        const struct stepped_back *h = priorities_find(p, &subject);

        return h && h->returned == 0;
}

static void return_child(void *userdata, int32_t tgid, uint16_t priority) {
        struct children *c = userdata;
        struct process_stat process;
        _cleanup_close_ int fd = priority_process_open(tgid);

        if (fd < 0 || priority_process_read(fd, &process) < 0 || has_stepped_back(c->priorities, &process))
                return;
        for (size_t i = 0; i < c->priorities->n; i++) {
                const struct journal_priority *e = &c->priorities->held[i].entry;
                bool itself = e->tgid == process.tgid && e->start_ticks == process.start_ticks; /* returned, and a thread was born meanwhile */
                if (e->written != priority || (!itself && !priority_is_kin(e, &process)))
                        continue;
                c->n += priority_threads_write(fd, e->written, e->original) > 0;
                return;
        }
}

void priorities_return_children(struct priorities *p) {
        struct children c = { .priorities = p };
        uint16_t written[JOURNAL_PRIORITIES_MAX];
        size_t n = 0;

        for (size_t i = 0; i < p->n; i++) {
                size_t k = 0;
                while (k < n && written[k] != p->held[i].entry.written)
                        k++;
                if (k == n)
                        written[n++] = p->held[i].entry.written;
        }
        for (unsigned pass = 0; pass < PASSES_MAX; pass++) {
                c.n = 0;
                if (priority_kin_scan(written, n, return_child, &c) < 0 || c.n == 0)
                        break;
                p->counters.children += c.n;
        }
}

/* Not all of its threads may have had their first one among them. */
static void return_late_threads(const struct stepped_back *h) {
        struct process_stat process;
        _cleanup_close_ int fd = priorities_open(h, &process);

        if (fd >= 0)
                (void) priority_threads_write(fd, h->entry.written, h->entry.original);
}

static struct receipt begin_receipt(const struct stepped_back *h, nsec_t now) {
        struct receipt r = {
                .dev = h->dev, .tunable = _TUNABLE_INVALID, .law = h->law, .t = now,
                .process = { .tgid = h->entry.tgid, .start_ticks = h->entry.start_ticks, .uid = h->uid },
        };

        str_copy(r.process.name, sizeof(r.process.name), h->name);
        priorities_tell(r.old, h->entry.written);
        return r;
}

static bool take_gone(struct stepped_back *h, nsec_t now, struct receipt *ret) {
        *ret = begin_receipt(h, now);
        ret->result = RECEIPT_GONE;
        ret->why = statement_plain(SAY_PROCESS_ENDED);
        priorities_return(h, now);
        return true;
}

/* Gives back what is ours. Where that fails it stays ours, and the next tick tries again. */
static bool give_back(struct stepped_back *h, int fd, nsec_t now, enum receipt_result result, int observed, const char *why, struct receipt *ret) {
        if (priority_threads_write(fd, h->entry.written, h->entry.original) < 0)
                return false;
        *ret = begin_receipt(h, now);
        priorities_tell(ret->wanted, h->entry.original);
        priorities_tell(ret->observed, observed >= 0 ? (uint16_t) observed : h->entry.original);
        if (result == RECEIPT_FOREIGN)
                ret->wanted[0] = '\0';
        else
                ret->law = LAW_RESTORE;
        ret->result = result;
        ret->why = why;
        priorities_return(h, now);
        return true;
}

/* Returns true where it is no longer ours, with the receipt filled in. */
static bool follow_one(struct stepped_back *h, nsec_t now, struct receipt *ret) {
        struct priority_survey survey;
        struct process_stat process;
        unsigned long exe_dev, exe;
        _cleanup_close_ int fd = priorities_open(h, &process);
        const char *why;
        int r = fd < 0 ? fd : priority_threads_survey(fd, h->entry.written, &survey);

        if (r == -ESRCH)
                return take_gone(h, now, ret);
        if (r < 0)
                return false;
        if (survey.other >= 0)
                return give_back(h, fd, now, RECEIPT_FOREIGN, survey.other, "another program has set it, which stays", ret);
        if (survey.none > 0 && nsec_sub(now, h->written) >= BIRTH_NS)
                return give_back(h, fd, now, RECEIPT_FOREIGN, IO_PRIORITY_NONE, "another program has taken it away, which stays", ret);
        why = priority_guard_recalls(fd, &process, h->entry.written);
        priorities_read_program(fd, &exe_dev, &exe);
        if (!why && exe != 0 && (exe != h->exe || exe_dev != h->exe_dev))
                why = statement_plain(SAY_OTHER_PROGRAM);
        if (why)
                return give_back(h, fd, now, RECEIPT_RESTORED, -1, why, ret);
        if (survey.none > 0)
                (void) priority_threads_write(fd, h->entry.original, h->entry.written);
        return false;
}

static void scan(struct priorities *p, nsec_t now) {
        nsec_t begin = clock_now(CLOCK_THREAD_CPUTIME_ID);

        p->scanned = now;
        priorities_return_children(p);
        p->scan_took = clock_now(CLOCK_THREAD_CPUTIME_ID) - begin;
}

static void end_drained(struct priorities *p, nsec_t now) {
        for (size_t i = p->n; i-- > 0;) {
                struct stepped_back *h = &p->held[i];
                if (h->returned == 0)
                        continue;
                return_late_threads(h);
                if (nsec_sub(now, h->returned) >= PRIORITY_DRAIN_NS && p->scanned > h->returned + SETTLE_NS)
                        priorities_drop(p, h);
        }
}

size_t priorities_follow(struct priorities *p, nsec_t now, struct receipt *ret, size_t max) {
        size_t n = 0;

        if (p->n == 0)
                return 0;
        for (size_t i = 0; i < p->n && n < max; i++)
                if (p->held[i].returned == 0)
                        n += follow_one(&p->held[i], now, &ret[n]);
        if (p->scanned == 0 || nsec_sub(now, p->scanned) >= MAX(SCAN_NS, p->scan_took * SCAN_PART))
                scan(p, now);
        end_drained(p, now);
        return n;
}

void priorities_settle(struct priorities *p) {
        const struct timespec wait = { .tv_nsec = SETTLE_NS };

        if (p->n == 0)
                return;
        nanosleep(&wait, NULL);
        priorities_return_children(p);
        for (size_t i = p->n; i-- > 0;)
                if (p->held[i].returned) {
                        return_late_threads(&p->held[i]);
                        priorities_drop(p, &p->held[i]);
                }
}
