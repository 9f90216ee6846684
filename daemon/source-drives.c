/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source-drives.h"

size_t source_drives_find(const struct source_drives *d, uint32_t dev) {
        size_t i = 0;

        while (i < d->n && d->devs[i] != dev)
                i++;
        return i;
}

void source_tell(const struct event_sink *sink, struct source_cost *cost, const struct event *e) {
        cost->events++;
        sink->fn(sink->userdata, e);
}

void source_tell_watch(const struct event_sink *sink, struct source_cost *cost, const struct source_drive *drive, bool on, nsec_t now) {
        struct event e = { .t = now, .kind = EVENT_WATCH, .dev = drive->dev, .watch = { .on = on, .rotational = drive->rotational } };

        if (drive->summed)
                e.flags |= EVENT_SUMMED;
        source_tell(sink, cost, &e);
}
