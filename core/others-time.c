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

bool others_time_concerns(const struct controller_input *in, uint32_t dev, uint32_t uid) {
        bool concerns = false;

        for (size_t i = 0; uid != PROCESS_UID_UNKNOWN && i < in->n_verdicts; i++) {
                uint32_t starter;
                if (in->verdicts[i].kind != VERDICT_STARTUP || in->verdicts[i].dev != dev)
                        continue;
                starter = find_user(in->snapshot, &in->verdicts[i]);
                if (starter == 0 || starter == uid)
                        return false;
                concerns = true;
        }
        return concerns;
}

bool others_time_is_spent(const struct controller_device *d) {
        return d->others.spent >= d->policy->startup_guard.others_time_us * NSEC_PER_USEC;
}

bool others_time_allows(const struct controller_device *d, const struct controller_input *in, uint32_t uid) {
        return !others_time_is_spent(d) || !others_time_concerns(in, d->facts.dev, uid);
}
