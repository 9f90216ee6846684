/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <string.h>

#include "bus.h"
#include "log.h"
#include "manager-private.h"
#include "statement.h"
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

/* Where another program switched the scheduler since the settings were read, and the policy would have its say about it: foreign.
 * The switch of one that is ours is actuator_check_device()'s to notice. */
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

void manager_take_settings(struct manager *m, struct manager_drive *d, const struct sysfs_settings *s) {
        const struct policy *policy = policy_match(m->policies.policies, m->policies.n, d->drive.class);
        struct device_facts facts = s->facts;
        int r;

        d->settings_read = manager_now();
        memcpy(d->texts, s->texts, sizeof(d->texts));
        facts.dev = d->drive.dev;
        facts.class = d->drive.class;
        str_copy(facts.name, sizeof(facts.name), d->drive.name);
        str_copy(facts.model, sizeof(facts.model), d->drive.model);
        notice_switch(m, &facts);
        r = controller_set_device(m->controller, &facts, policy);
        if (r < 0)
                log_warning("%s: too many drives: it is not tuned", d->drive.name);
        else
                recorders_tell_drive(m->recorders, controller_find_device(m->controller, facts.dev), &m->controller->outcomes, manager_now());
        manager_prepare_prefetch(m, policy);
}

static void look(struct manager *m, const struct manager_drive *d, bool settings) {
        const struct drive_job job = { .request = { .kind = DRIVE_REQUEST_LOOK, .now = manager_now(), .settings = settings } };

        (void) drive_workers_ask(m->workers, d->drive.name, &job);
}

void manager_refresh_drive(struct manager *m, struct manager_drive *d) {
        look(m, d, true);
}

/* A worker that has something to do looks then. */
void manager_follow_settings(struct manager *m, nsec_t now) {
        for (size_t i = 0; i < ARRAY_SIZE(m->drives); i++) {
                const struct manager_drive *d = &m->drives[i];
                const struct device_view *v = d->used ? snapshot_find_device(m->snapshot, d->drive.dev) : NULL;

                if (d->used && !drive_workers_is_busy(m->workers, d->drive.name))
                        look(m, d, v && v->busy_since && nsec_sub(now, d->settings_read) >= SETTINGS_FRESH_NS);
        }
}

/* Without its medium, a card reader or a loop device keeps its queue, and in it what we have set. Of a drive that was unplugged nothing is
 * left to restore. */
static void let_go(struct manager *m, const struct manager_drive *d) {
        bool stays = faccessat(d->sysfs_fd, "queue", F_OK, 0) == 0;

        drive_workers_remove(m->workers, d->drive.name, stays ? statement_plain(SAY_MEDIUM_GONE) : NULL);
        if (stays)
                actuator_let_go_device(m->actuator, d->drive.dev);
        else
                actuator_remove_device(m->actuator, d->drive.dev);
}

static void remove_drive(struct manager *m, struct manager_drive *d) {
        struct event e = { .t = manager_now(), .kind = EVENT_DEVICE_GONE, .dev = d->drive.dev };

        log_info("%s: gone", d->drive.name);
        let_go(m, d);
        if (d->announced)
                bus_drive_removed(m->bus, d);
        manager_end_watch(m, d, e.t);
        model_feed(m->model, &e);
        recorders_feed(m->recorders, &e);
        source_disk_remove(m->source_disk, d->drive.dev);
        controller_remove_device(m->controller, d->drive.dev);
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
        r = source_disk_add(m->source_disk, drive->dev);
        if (r < 0)
                log_warning("%s: cannot be watched: %s", drive->name, strerror(-r));
        *d = (struct manager_drive){ .used = true, .drive = *drive, .sysfs_fd = fd, .manager = m };
        log_info("%s: %s (%s)%s%s", drive->name, device_class_to_string(drive->class), drive->class_reason, *drive->model ? ", " : "",
                 drive->model);
        r = actuator_add_device(m->actuator, drive->dev, drive->name);
        if (r == 0)
                r = drive_workers_add(m->workers, drive->name, drive->dev);
        if (r < 0)
                log_warning("%s: cannot be tuned: %s", drive->name, strerror(-r));
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
                manager_refresh_drive(m, d); /* udev rules run on "change" and overwrite schedulers */
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
        bool silent = drive_workers_is_silent(m->workers, d->facts.name);
        enum scheduler awaited = controller_awaited_scheduler(d);

        digest = digest_bytes(digest, &d->state, sizeof(d->state));
        digest = digest_bytes(digest, d->reason, strlen(d->reason));
        digest = digest_bytes(digest, &d->facts.scheduler, sizeof(d->facts.scheduler));
        digest = digest_bytes(digest, &awaited, sizeof(awaited));
        digest = digest_bytes(digest, &silent, sizeof(silent));
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
