/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process was given a priority for its I/O, and the drive's scheduler takes no notice of it. docs/detectors.md has the account. */
#include <stdio.h>

#include "detect.h"
#include "macro.h"
#include "str.h"

/* Found while it uses the drive; it ends with a pause that is twice as long. */
#define USES_NS (5 * NSEC_PER_SEC)
#define BUSY_PERMILLE 500 /* from here on it matters which process comes first */

/* So many a drive, which use it most: a load of many processes must leave room for verdicts that laws act by. */
#define PROCESSES_MAX 16

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

static bool is_told(const struct detection *d, const struct process_view *p, bool stands) {
        nsec_t quiet = stands ? 2 * USES_NS : USES_NS;
        struct subject subject = process_view_subject(p);

        return p->dev == d->view->dev && (is_class_ignored(d->view, p) || is_weight_ignored(d->view, p)) &&
               nsec_sub(d->snapshot->now, p->last_io) <= quiet && detection_stands(d, &subject) == stands;
}

static void tell(struct detection *d, const struct process_view *p) {
        const struct device_view *view = d->view;
        struct subject subject = process_view_subject(p);
        struct verdict *v = detection_add(d, &subject);

        if (!v)
                return;
        v->confidence = detection_process_confidence(d, p);
        v->severity = view->utilisation_permille >= BUSY_PERMILLE ? 300 : 100;
        verdict_add(v, "io-class", p->io_class, 0, "");
        verdict_add(v, "io-level", p->io_level, 0, "");
        if (p->io_weight)
                verdict_add(v, "io-weight", p->io_weight, 0, "");
        describe(view, p, v);
}

/* What stands comes first: as the processes change places, none comes and goes. */
void detect_ineffective_priority(struct detection *d) {
        size_t n = 0;

        for (int stands = 1; d->view->settings.known && stands >= 0; stands--)
                for (size_t i = 0; i < d->snapshot->n_processes; i++) {
                        const struct process_view *p = &d->snapshot->processes[i];
                        if (!is_told(d, p, stands))
                                continue;
                        if (n++ < PROCESSES_MAX)
                                tell(d, p);
                        else
                                d->detectors->refused++;
                }
}
