/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process was given a priority for its I/O, and the drive's scheduler takes no notice of it. docs/detectors.md has the account. */
#include <stdio.h>

#include "detect.h"
#include "macro.h"
#include "str.h"

/* Found while it uses the drive; it ends with a pause that is twice as long. */
#define USES_NS (5 * NSEC_PER_SEC)
#define BUSY_PERMILLE 500 /* from here on it matters which process comes first */

static bool is_class_ignored(const struct device_view *v, const struct process_view *p) {
        switch (p->io_class) {
        case IO_CLASS_REALTIME:
        case IO_CLASS_IDLE:
                return !v->settings.honours_class;
        case IO_CLASS_BEST_EFFORT:
                return p->io_level != IO_LEVEL_USUAL && !v->settings.honours_level;
        }
        return false; /* none was given */
}

static bool is_weight_ignored(const struct device_view *v, const struct process_view *p) {
        return p->io_weight != 0 && p->io_weight != IO_WEIGHT_USUAL && !v->settings.honours_weight;
}

static void describe(const struct device_view *v, const struct process_view *p, struct verdict *ret) {
        const char *scheduler = *v->settings.scheduler ? v->settings.scheduler : statement_plain(SAY_THE_SCHEDULER), *name;
        bool class = is_class_ignored(v, p), weight = is_weight_ignored(v, p);
        char mentioned[MENTION_MAX], priority[32];

        name = mention(mentioned, p->name, 0, p->uid);
        str_copy(priority, sizeof(priority), io_class_to_string(p->io_class));
        if (p->io_class == IO_CLASS_BEST_EFFORT)
                str_append(priority, sizeof(priority), " %u", p->io_level);
        if (class && weight)
                SAY(ret->sentence, sizeof(ret->sentence), SAY_BOTH_IGNORED, name, priority, p->io_weight, scheduler);
        else if (class)
                SAY(ret->sentence, sizeof(ret->sentence), SAY_PRIORITY_IGNORED, name, priority, scheduler);
        else
                SAY(ret->sentence, sizeof(ret->sentence), SAY_WEIGHT_IGNORED, name, p->io_weight, scheduler);
}

static void judge(struct detection *d, const struct process_view *p) {
        const struct device_view *view = d->view;
        struct subject subject = process_view_subject(p);
        nsec_t quiet = detection_stands(d, &subject) ? 2 * USES_NS : USES_NS;
        struct verdict *v;

        if ((!is_class_ignored(view, p) && !is_weight_ignored(view, p)) || nsec_sub(d->snapshot->now, p->last_io) > quiet ||
            !(v = detection_add(d, &subject)))
                return;
        v->confidence = detection_process_confidence(d, p);
        v->severity = view->utilisation_permille >= BUSY_PERMILLE ? 300 : 100;
        verdict_add(v, "io-class", p->io_class, 0, "");
        verdict_add(v, "io-level", p->io_level, 0, "");
        if (p->io_weight)
                verdict_add(v, "io-weight", p->io_weight, 0, "");
        describe(view, p, v);
}

void detect_ineffective_priority(struct detection *d) {
        if (!d->view->settings.known)
                return;
        for (size_t i = 0; i < d->snapshot->n_processes; i++)
                if (d->snapshot->processes[i].dev == d->view->dev)
                        judge(d, &d->snapshot->processes[i]);
}
