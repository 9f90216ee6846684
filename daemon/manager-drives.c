/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <string.h>

#include "bus.h"
#include "log.h"
#include "manager-private.h"
#include "str.h"
#include "sysfs.h"

struct manager_drive *manager_find_drive(struct manager *m, const char *name) {
        for (size_t i = 0; i < ARRAY_SIZE(m->drives); i++)
                if (m->drives[i].used && streq(m->drives[i].drive.name, name))
                        return &m->drives[i];
        return NULL;
}

struct manager_drive *manager_find_drive_by_dev(struct manager *m, uint32_t dev) {
        for (size_t i = 0; i < ARRAY_SIZE(m->drives); i++)
                if (m->drives[i].used && m->drives[i].drive.dev == dev)
                        return &m->drives[i];
        return NULL;
}

/* Where somebody switched the scheduler since the settings were read, and the policy would have its say about it: theirs.
 * The switch of one that is ours is actuator_check_foreign()'s to notice. */
static void notice_switch(struct manager *m, const struct device_facts *facts) {
        const struct controller_device *c = controller_find_device(m->controller, facts->dev);
        struct receipt r = { .dev = facts->dev, .tunable = TUNABLE_QUEUE_SCHEDULER, .result = RECEIPT_FOREIGN, .t = manager_now() };
        const char *old = c ? scheduler_to_string(c->facts.scheduler) : NULL, *observed = scheduler_to_string(facts->scheduler);

        if (!c || c->facts.scheduler == facts->scheduler || !c->policy || c->policy->n_schedulers == 0 ||
            c->tunables[TUNABLE_QUEUE_SCHEDULER].owner != OWNER_KERNEL)
                return;
        str_copy(r.old, sizeof(r.old), old ? old : "");
        str_copy(r.observed, sizeof(r.observed), observed ? observed : "a scheduler that Brio does not know");
        manager_take_loss(m, &r);
}

void manager_refresh_drive(struct manager *m, struct manager_drive *d) {
        struct device_facts facts = { .dev = d->drive.dev, .class = d->drive.class };
        int r = sysfs_read_facts(d->sysfs_fd, &facts);

        d->settings_read = manager_now();
        if (r < 0) {
                log_debug("%s: cannot read its settings: %s", d->drive.name, strerror(-r));
                return;
        }
        str_copy(facts.name, sizeof(facts.name), d->drive.name);
        str_copy(facts.model, sizeof(facts.model), d->drive.model);
        notice_switch(m, &facts);
        r = controller_set_device(m->controller, &facts, policy_match(m->policies.policies, m->policies.n, facts.class));
        if (r < 0)
                log_warning("%s: too many drives: it is not tuned", d->drive.name);
        else
                recorders_tell_drive(m->recorders, controller_find_device(m->controller, facts.dev), &m->controller->outcomes, manager_now());
}

static bool was_switched(const struct manager_drive *d, const struct controller_device *c) {
        char active[TUNABLE_VALUE_MAX];

        return sysfs_read_tunable(d->sysfs_fd, TUNABLE_QUEUE_SCHEDULER, active, sizeof(active)) == 0 &&
               scheduler_from_string(active) != c->facts.scheduler;
}

void manager_follow_settings(struct manager *m, nsec_t now) {
        for (size_t i = 0; i < ARRAY_SIZE(m->drives); i++) {
                struct manager_drive *d = &m->drives[i];
                const struct controller_device *c = d->used ? controller_find_device(m->controller, d->drive.dev) : NULL;
                const struct device_view *v = c ? snapshot_find_device(m->snapshot, d->drive.dev) : NULL;
                bool old = v && v->busy_since && nsec_sub(now, d->settings_read) >= SETTINGS_FRESH_NS;

                if (c && (old || was_switched(d, c)))
                        manager_refresh_drive(m, d);
        }
}

static void remove_drive(struct manager *m, struct manager_drive *d) {
        struct event e = { .t = manager_now(), .kind = EVENT_DEVICE_GONE, .dev = d->drive.dev };

        log_info("%s: gone", d->drive.name);
        manager_let_go(m, d);
        bus_drive_removed(m->bus, d);
        manager_end_watch(m, d, e.t);
        model_feed(m->model, &e);
        recorders_feed(m->recorders, &e);
        source_disk_remove(m->source_disk, d->drive.dev);
        controller_remove_device(m->controller, d->drive.dev);
        actuator_remove_device(m->actuator, d->drive.dev);
        safe_close(d->sysfs_fd);
        *d = (struct manager_drive){ 0 };
        bus_manager_changed(m->bus, "Devices");
}

static void add_drive(struct manager *m, const struct drive *drive) {
        struct manager_drive *d = NULL;
        int fd, r;

        for (size_t i = 0; !d && i < ARRAY_SIZE(m->drives); i++)
                if (!m->drives[i].used)
                        d = &m->drives[i];
        if (!d) {
                m->drives_refused++;
                log_warning("%s: more than %zu drives: it is not watched", drive->name, ARRAY_SIZE(m->drives));
                return;
        }
        fd = sysfs_open_device(m->options->root, drive->name);
        if (fd < 0) {
                log_info("%s: vanished before it could be opened: %s", drive->name, strerror(-fd));
                return;
        }
        r = actuator_add_device(m->actuator, drive->dev, drive->name);
        if (r < 0)
                log_warning("%s: cannot be tuned: %s", drive->name, strerror(-r));
        r = source_disk_add(m->source_disk, drive->dev);
        if (r < 0)
                log_warning("%s: cannot be watched: %s", drive->name, strerror(-r));
        *d = (struct manager_drive){ .used = true, .drive = *drive, .sysfs_fd = fd, .manager = m };
        manager_refresh_drive(m, d);
        log_info("%s: %s (%s)%s%s", drive->name, device_class_to_string(drive->class), drive->class_reason, *drive->model ? ", " : "",
                 drive->model);
        bus_drive_added(m->bus, d);
        bus_manager_changed(m->bus, "Devices");
}

void manager_on_drive(void *userdata, enum drive_action action, const struct drive *drive) {
        struct manager *m = userdata;
        struct manager_drive *d = manager_find_drive(m, drive->name);
        int r;

        switch (action) {
        case DRIVE_REMOVED:
                if (d)
                        remove_drive(m, d);
                return;
        case DRIVE_ADDED:
        case DRIVE_CHANGED:
                if (d && d->drive.dev != drive->dev) {
                        remove_drive(m, d); /* another drive under the old name: its removal was missed */
                        d = NULL;
                }
                if (!d) {
                        add_drive(m, drive);
                        return;
                }
                d->drive = *drive;
                manager_check_foreign(m, manager_now()); /* udev rules run on "change" and overwrite schedulers */
                manager_refresh_drive(m, d);
                m->counters.drive_changes++;
                return;
        case DRIVE_LEFT_OUT:
                r = source_disk_add_other(m->source_disk, drive->dev);
                if (r < 0)
                        log_debug("%s: what is read there may be laid to another drive: %s", drive->name, strerror(-r));
                return;
        }
}

/* A digest of what a drive's announced properties are made of (FNV-1a). */
static uint64_t digest_bytes(uint64_t digest, const void *data, size_t size) {
        for (const unsigned char *p = data; size-- > 0; p++)
                digest = (digest ^ *p) * 0x100000001b3u;
        return digest;
}

static uint64_t digest_drive(const struct manager *m, const struct controller_device *d) {
        uint64_t digest = 0xcbf29ce484222325u;

        digest = digest_bytes(digest, &d->state, sizeof(d->state));
        digest = digest_bytes(digest, d->reason, strlen(d->reason));
        digest = digest_bytes(digest, &d->facts.scheduler, sizeof(d->facts.scheduler));
        for (int id = 0; id < _TUNABLE_MAX; id++) {
                const struct controller_tunable *t = &d->tunables[id];
                digest = digest_bytes(digest, &t->owner, sizeof(t->owner));
                digest = digest_bytes(digest, &t->wanted, sizeof(t->wanted));
                digest = digest_bytes(digest, &d->facts.values[id].number, sizeof(d->facts.values[id].number));
        }
        for (size_t i = 0; i < m->n_verdicts; i++)
                if (m->verdicts[i].dev == d->facts.dev) {
                        digest = digest_bytes(digest, &m->verdicts[i].kind, sizeof(m->verdicts[i].kind));
                        digest = digest_bytes(digest, &m->verdicts[i].subject.tgid, sizeof(m->verdicts[i].subject.tgid));
                }
        return digest;
}

void manager_publish(struct manager *m) {
        for (size_t i = 0; i < ARRAY_SIZE(m->drives); i++) {
                struct manager_drive *d = &m->drives[i];
                const struct controller_device *c = d->used ? controller_find_device(m->controller, d->drive.dev) : NULL;
                uint64_t digest = c ? digest_drive(m, c) : 0;

                if (!c || digest == d->published)
                        continue;
                d->published = digest;
                bus_drive_changed(m->bus, d);
        }
}
