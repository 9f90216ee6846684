/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes that begin to use a drive one after the other: a compile, git, a boot. bfq takes them for one task, for which throughput
 * counts, and raises none of them. docs/detectors.md has the account. */
#include <stdio.h>

#include "detect.h"
#include "macro.h"
#include "str.h"

/* It ends when none has joined for so long: what its processes do later, others tell. */
#define BURST_SHOWN_NS (5 * NSEC_PER_SEC)

void detect_burst(struct detection *d) {
        const struct device_view *view = d->view;
        struct verdict *v;

        if (!view->burst.last || nsec_sub(d->snapshot->now, view->burst.last) > BURST_SHOWN_NS)
                return;
        v = detection_add(d, NULL);
        if (!v)
                return;
        if (view->burst.inferred)
                v->confidence = (uint16_t) MIN(v->confidence, CONFIDENCE_INFERRED);
        v->severity = (uint16_t) MIN(view->burst.n * 1000 / 64, 1000u);
        verdict_add(v, "processes", view->burst.n, QUEUE_BURST_LARGE, "");
        verdict_add(v, "joining", (int64_t) (nsec_sub(view->burst.last, view->burst.began) / NSEC_PER_USEC), 0, "us");
        SAY(v->sentence, sizeof(v->sentence), SAY_BURST, view->burst.n);
        if (view->burst.last > view->burst.began)
                SAY(v->sentence, sizeof(v->sentence), SAY_BURST_SPAN, nsec_sub(view->burst.last, view->burst.began) / NSEC_PER_USEC);
}
