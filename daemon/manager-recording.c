/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a caller wants to see of the sources themselves: recordings, which begin with what is known already, and bfq's own verdicts. */
#include <errno.h>

#include "environment.h"
#include "manager-private.h"
#include "str.h"

static void tell_drives(struct manager *m, nsec_t now) {
        for (size_t i = 0; i < ARRAY_SIZE(m->drives); i++) {
                const struct manager_drive *d = &m->drives[i];
                const struct controller_device *c = d->used ? controller_find_device(m->controller, d->drive.dev) : NULL;
                struct event e = { .t = now, .kind = EVENT_WATCH, .dev = d->drive.dev, .watch = { .on = true } };
                if (!c)
                        continue;
                recorders_tell_drive(m->recorders, c, &m->controller->outcomes, now);
                e.watch.rotational = c->facts.rotational;
                e.flags = d->watch.summed ? EVENT_SUMMED : 0;
                if (d->watch.on)
                        recorders_feed_new(m->recorders, &e);
        }
}

/* A process's name is told once, when it is first seen. */
static void tell_names(struct manager *m, nsec_t now) {
        for (size_t i = 0; i < m->snapshot->n_processes; i++) {
                const struct process_view *p = &m->snapshot->processes[i];
                struct event e = { .t = now, .kind = EVENT_PROCESS_NAME, .tgid = p->tgid, .process_name.start_ticks = p->start_ticks };
                memcpy(e.process_name.name, p->name, sizeof(e.process_name.name));
                recorders_feed_new(m->recorders, &e);
        }
}

/* So is whether a user is at the machine, until it changes. */
static void tell_presence(struct manager *m, nsec_t now) {
        struct event e = { .t = now, .kind = EVENT_PRESENCE, .presence.presence = (uint8_t) m->snapshot->presence };

        if (m->snapshot->presence_since)
                recorders_feed_new(m->recorders, &e);
}

int manager_open_recording(struct manager *m, char **names, const char **ret_missing) {
        uint32_t devs[SNAPSHOT_DEVICES_MAX];
        char environment[RECORDING_TEXT_MAX];
        nsec_t now = manager_now();
        size_t n = 0;
        int fd;

        for (; names && names[n]; n++) {
                const struct manager_drive *d = manager_find_drive(m, names[n]);
                if (n == ARRAY_SIZE(devs))
                        return -E2BIG;
                if (!d) {
                        *ret_missing = names[n];
                        return -ENODEV;
                }
                devs[n] = d->drive.dev;
        }
        environment_describe(m->options->root, m->mode, &m->policies, environment, sizeof(environment));
        fd = recorders_open(m->recorders, devs, n, environment, now);
        if (fd < 0)
                return fd;
        tell_presence(m, now);
        tell_drives(m, now);
        tell_names(m, now);
        manager_tick(m);
        return fd;
}

int manager_want_kernel_verdicts(struct manager *m, nsec_t duration) {
        const char *names[SNAPSHOT_DEVICES_MAX];
        size_t n = 0;

        for (size_t i = 0; i < ARRAY_SIZE(m->drives); i++) {
                const struct manager_drive *d = &m->drives[i];
                const struct device_view *v = d->used ? snapshot_find_device(m->snapshot, d->drive.dev) : NULL;
                /* Before the first look it does nothing that would be known. */
                if (d->used && (!v || manager_affords_watch(v, 0, false)))
                        names[n++] = d->drive.name;
        }
        return source_bfq_want(m->source_bfq, names, n, manager_now(), duration);
}
