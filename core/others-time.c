/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "controller.h"
#include "others-time.h"

void others_time_count(struct others_time *t, nsec_t now) {
        if (t->holds)
                t->spent += nsec_sub(now, t->counted);
        if (nsec_sub(now, t->began) >= OTHERS_TIME_WINDOW_NS) {
                t->began = now;
                t->spent = 0;
        }
        t->counted = now;
        t->holds = false;
}

/* The user of the start that a verdict is about; root where it has no bound. */
static uint32_t find_user(const struct snapshot *s, const struct verdict *start) {
        for (size_t i = 0; i < s->n_startups; i++)
                if (s->startups[i].tgid == start->subject.tgid && s->startups[i].start_ticks == start->subject.start_ticks)
                        return s->startups[i].uid == PROCESS_UID_UNKNOWN ? 0 : s->startups[i].uid;
        return 0;
}

bool others_time_concerns(const struct controller_input *in, uint32_t dev, const struct process_view *p) {
        bool concerns = false;

        for (size_t i = 0; p->uid != PROCESS_UID_UNKNOWN && i < in->n_verdicts; i++) {
                uint32_t uid;
                if (in->verdicts[i].kind != VERDICT_STARTUP || in->verdicts[i].dev != dev)
                        continue;
                uid = find_user(in->snapshot, &in->verdicts[i]);
                if (uid == 0 || uid == p->uid)
                        return false;
                concerns = true;
        }
        return concerns;
}

bool others_time_allows(const struct controller_device *d, const struct controller_input *in, const struct process_view *p) {
        return d->others.spent < d->policy->startup_guard.others_time_us * NSEC_PER_USEC || !others_time_concerns(in, d->facts.dev, p);
}
