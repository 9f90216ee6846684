/* SPDX-License-Identifier: GPL-3.0-or-later */
/* After a run that was killed. */
#include <errno.h>
#include <fcntl.h>

#include "fdio.h"
#include "priorities-private.h"
#include "str.h"

static struct receipt begin_receipt(const struct journal_priority *e, nsec_t now) {
        struct receipt r = {
                .tunable = _TUNABLE_INVALID, .law = LAW_RESTORE, .t = now, .result = RECEIPT_RESTORED,
                .process = { .tgid = e->tgid, .start_ticks = e->start_ticks },
        };

        priorities_tell(r.old, e->written);
        priorities_tell(r.wanted, e->original);
        priorities_tell(r.observed, e->original);
        return r;
}

/* Returns how many threads got it back, or -errno with what could not be; in both cases tells. -ESRCH: it has ended. */
static int recover_one(const struct journal_priority *e, nsec_t now, actuator_report_fn report, void *userdata) {
        struct receipt r = begin_receipt(e, now);
        struct priority_survey survey = { .other = -1 };
        struct process_stat process;
        _cleanup_close_ int fd = -1;
        int n = priority_process_find(e->tgid, e->start_ticks, &process, &fd);

        if (n < 0)
                return n;
        if (fdio_read_at(fd, "comm", r.process.name, sizeof(r.process.name)) >= 0)
                str_make_text(r.process.name, sizeof(r.process.name));
        n = priority_threads_write(fd, e->written, e->original);
        if (n == -ESRCH)
                return n;
        if (n >= 0)
                (void) priority_threads_survey(fd, e->written, &survey);
        if (n < 0) {
                r.result = RECEIPT_FAILED;
                r.error = n;
                priorities_tell(r.observed, e->written);
        } else if (survey.other >= 0) {
                r.result = RECEIPT_FOREIGN;
                priorities_tell(r.observed, (uint16_t) survey.other);
        }
        if (report && (n != 0 || survey.other >= 0))
                report(userdata, "", &r);
        return n;
}

size_t priorities_recover(struct priorities *p, nsec_t now, actuator_report_fn report, void *userdata) {
        uint64_t children = p->counters.children;
        size_t restored = 0;

        if (p->recorded)
                return 0;
        for (size_t i = 0; i < journal_count_priorities(p->journal); i++) {
                struct stepped_back *h = &p->held[p->n++];
                int r;
                *h = (struct stepped_back) { .entry = *journal_get_priority(p->journal, i) };
                r = recover_one(&h->entry, now, report, userdata);
                restored += r > 0;
                if (r >= 0 || r == -ESRCH)
                        priorities_return(h, now);
        }
        priorities_settle(p);
        return restored + (size_t) (p->counters.children - children);
}
