/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The drive idles for one process while others wait for the drive (seed 004), and what it would cost that process if they were served
 * meanwhile: measured by the times of its single requests. docs/detectors.md has the account. */
#include <stdio.h>

#include "detect.h"
#include "idling.h"
#include "macro.h"
#include "str.h"

/* A tenth of the drive's time given away, in pauses that a scheduler makes (core/idling.h). Half of it ends the verdict. */
#define HOLES_PERMILLE 100
/* The shares are of the time since the drive is watched; of less than this they say little. */
#define HOLES_SPAN_NS READER_WINDOW_NS

static const struct process_view *find_waited_for(const struct detection *d) {
        const struct process_view *most = NULL;

        for (size_t i = 0; i < d->snapshot->n_processes; i++) {
                const struct process_view *p = &d->snapshot->processes[i];
                if (p->dev == d->view->dev && p->requests.told && p->requests.hole_permille > (most ? most->requests.hole_permille : 0))
                        most = p;
        }
        return most;
}

static void tell_injection(const struct process_view *p, struct verdict *v) {
        uint32_t cost = p->requests.injection_permille;

        if (cost == 0)
                return;
        verdict_add(v, "injection-cost", cost, INJECTION_SLOW_PERMILLE, "permille");
        verdict_add(v, "injection-limit", p->requests.injection_limit, 0, "");
        SAY(v->sentence, sizeof(v->sentence), cost < INJECTION_SLOW_PERMILLE ? SAY_INJECTION_HARMLESS : SAY_INJECTION_HURTS, cost / 10);
}

/* The wait was shortened, and others are served in the pauses: with the whole wait there would be holes again. */
static bool are_filled(const struct device_view *v) {
        return v->settings.known && v->settings.wait_us < SLICE_IDLE_NS / NSEC_PER_USEC && v->requests.injected > 0;
}

void detect_holes(struct detection *d) {
        bool stands = detection_stands(d, NULL), filled = stands && are_filled(d->view);
        uint32_t holes = d->view->requests.hole_permille, limit = filled ? 0 : stands ? HOLES_PERMILLE / 2 : HOLES_PERMILLE;
        const struct process_view *p;
        char name[MENTION_MAX];
        struct verdict *v;

        if (d->view->settings.known && !d->view->settings.idles) /* what looks like it is a CPU that is late */
                return;
        if (!d->view->requests.since || nsec_sub(d->snapshot->now, d->view->requests.since) < HOLES_SPAN_NS || holes < limit)
                return;
        v = detection_add(d, NULL);
        if (!v)
                return;
        v->severity = (uint16_t) MIN(2 * holes, 1000u); /* half of its time: it does half of what it could */
        verdict_add(v, "holes", holes, HOLES_PERMILLE, "permille");
        verdict_add(v, "filled", d->view->requests.filled_permille, 0, "permille");
        verdict_add(v, "injected", d->view->requests.injected, 0, "");
        SAY(v->sentence, sizeof(v->sentence), SAY_HOLES, PERCENT(holes));
        if (filled)
                SAY(v->sentence, sizeof(v->sentence), SAY_HOLES_FILLED, d->view->settings.wait_us, d->view->requests.injected);
        p = find_waited_for(d);
        if (!p)
                return;
        v->culprit = process_view_subject(p);
        v->culprit_permille = (uint16_t) MIN(p->requests.hole_permille * 1000 / MAX(holes, 1u), 1000u);
        SAY(v->sentence, sizeof(v->sentence), SAY_HOLES_FOR, PERCENT(v->culprit_permille), mention(name, p->name, 0, p->uid));
        tell_injection(p, v);
}
