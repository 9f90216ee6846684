/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An application starts, and reads from this drive: from its exec, as long as the start lasts (startup.h). docs/detectors.md has the
 * account. */
#include <stdio.h>

#include "detect.h"
#include "macro.h"
#include "str.h"

/* Ten seconds for a start are as bad as it gets before people believe that it hangs. */
#define SEVERE_NS (10 * NSEC_PER_SEC)

static bool reads_from(const struct startup_view *s, uint32_t dev) {
        for (size_t i = 0; i < s->n_devs; i++)
                if (s->devs[i] == dev)
                        return true;
        return false;
}

static void say(const struct startup_view *s, struct verdict *v) {
        char name[MENTION_MAX];
        uint64_t waited = s->latency ? s->waited * 100 / s->latency : 0;

        SAY(v->sentence, sizeof(v->sentence), SAY_STARTING, mention(name, s->application, 0, s->uid), s->latency / NSEC_PER_USEC, s->read_bytes);
        if (waited > 0)
                SAY(v->sentence, sizeof(v->sentence), SAY_START_WAITED, waited);
        if (v->culprit.tgid)
                SAY(v->sentence, sizeof(v->sentence), SAY_STARTING_CULPRIT, v->culprit_permille / 10u, mention(name, v->culprit.name, 0, v->culprit.uid));
}

static void tell(struct detection *d, const struct startup_view *s) {
        struct subject subject = { .tgid = s->tgid, .start_ticks = s->start_ticks, .uid = s->uid };
        struct verdict *v;

        memcpy(subject.name, s->name, sizeof(subject.name));
        v = detection_add(d, &subject);
        if (!v)
                return;
        if (s->n_culprits > 0) {
                v->culprit = (struct subject){ .tgid = s->culprits[0].tgid, .start_ticks = s->culprits[0].start_ticks, .uid = s->culprits[0].uid };
                memcpy(v->culprit.name, s->culprits[0].name, sizeof(v->culprit.name));
                v->culprit_permille = s->culprits[0].permille;
        }
        v->severity = (uint16_t) MIN(s->waited * 1000 / SEVERE_NS, 1000u);
        verdict_add(v, "latency", (int64_t) (s->latency / NSEC_PER_USEC), 0, "us");
        verdict_add(v, "waited", (int64_t) (s->waited / NSEC_PER_USEC), 0, "us");
        verdict_add(v, "read", (int64_t) s->read_bytes, STARTUP_COLD_BYTES, "bytes");
        verdict_add(v, "faults", s->faults, STARTUP_COLD_FAULTS, "");
        verdict_add(v, "processes", s->processes, 0, "");
        say(s, v);
}

void detect_startup(struct detection *d) {
        for (size_t i = 0; i < d->snapshot->n_startups; i++)
                if (reads_from(&d->snapshot->startups[i], d->view->dev))
                        tell(d, &d->snapshot->startups[i]);
}
