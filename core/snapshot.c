/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "snapshot.h"

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

bool snapshot_loss_matters(nsec_t last_loss, nsec_t now) {
        return last_loss && nsec_sub(now, last_loss) < LOSS_MATTERS_NS;
}
