/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "snapshot.h"

bool subject_same(const struct subject *a, const struct subject *b) {
        return a->tgid == b->tgid && a->start_ticks == b->start_ticks;
}

struct subject process_view_subject(const struct process_view *p) {
        struct subject subject = { .tgid = p->tgid, .start_ticks = p->start_ticks, .uid = p->uid };

        memcpy(subject.name, p->name, sizeof(subject.name));
        return subject;
}

bool process_view_uses(const struct process_view *p, uint32_t dev) {
        bool uses = p->dev == dev;

        for (size_t i = 0; i < OTHER_DRIVES_MAX; i++)
                uses |= p->other_devs[i] == dev;
        return uses;
}

const struct device_view *snapshot_find_device(const struct snapshot *s, uint32_t dev) {
        for (size_t i = 0; i < s->n_devices; i++)
                if (s->devices[i].dev == dev)
                        return &s->devices[i];
        return NULL;
}

const struct process_view *snapshot_find_process(const struct snapshot *s, int32_t tgid, uint64_t start_ticks) {
        for (size_t i = 0; i < s->n_processes; i++)
                if (s->processes[i].tgid == tgid && s->processes[i].start_ticks == start_ticks)
                        return &s->processes[i];
        return NULL;
}

bool snapshot_loss_matters(nsec_t last_loss, nsec_t now) {
        return last_loss && nsec_sub(now, last_loss) < LOSS_MATTERS_NS;
}
