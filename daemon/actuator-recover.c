/* SPDX-License-Identifier: GPL-3.0-or-later */
/* After a run that was killed: by the drives' names in the journal, as the configuration may no longer have them. */
#include <errno.h>
#include <fcntl.h>

#include "actuator-private.h"
#include "event.h"
#include "fdio.h"
#include "str.h"
#include "sysfs.h"

struct recovery {
        struct actuator *actuator;
        struct actuator_device *device;
        nsec_t now;
        actuator_report_fn report;
        void *userdata;
        size_t restored;
};

static void tell(struct recovery *c, const char *device, const struct receipt *r) {
        if (c->report)
                c->report(c->userdata, device, r);
}

static struct receipt begin_receipt(const struct recovery *c, enum tunable_id id) {
        struct receipt r = { .dev = c->device ? c->device->dev : 0, .tunable = id, .law = LAW_RESTORE, .t = c->now };

        return r;
}

/* From the "dev" file, for the receipts: 0 where there is none. */
static uint32_t device_number(int fd) {
        char text[32];
        uint32_t dev;

        return fdio_read_at(fd, "dev", text, sizeof(text)) < 0 || dev_number_parse(text, &dev) < 0 ? 0 : dev;
}

static void recover_scheduler(struct recovery *c) {
        struct actuator *a = c->actuator;
        struct actuator_device *d = c->device;
        const struct journal_entry *e = actuator_entry(a, d, TUNABLE_QUEUE_SCHEDULER);
        struct receipt r = begin_receipt(c, TUNABLE_QUEUE_SCHEDULER);
        int error;

        if (!e)
                return;
        error = actuator_read(d, TUNABLE_QUEUE_SCHEDULER, r.old);
        str_copy(r.wanted, sizeof(r.wanted), e->original);
        str_copy(r.observed, sizeof(r.observed), r.old);
        if (error < 0) {
                actuator_conclude(&r, RECEIPT_RESTORED, error);
                if (actuator_error_is_gone(error))
                        actuator_let_go(a, d, TUNABLE_QUEUE_SCHEDULER);
        } else if (streq(r.old, e->original) || actuator_is_ours(d, e, r.old)) {
                /* Also where the original is active: the crash may have come before its companions were back. */
                actuator_restore_scheduler(a, d, r.old, &r);
                c->restored += r.result == RECEIPT_RESTORED && !streq(r.old, r.observed);
        } else {
                r.result = RECEIPT_FOREIGN;
                actuator_drop_companions(a, d);
                actuator_let_go(a, d, TUNABLE_QUEUE_SCHEDULER);
        }
        tell(c, d->name, &r);
}

static void recover_tunable(struct recovery *c, enum tunable_id id) {
        struct actuator *a = c->actuator;
        struct actuator_device *d = c->device;
        const struct journal_entry *e = actuator_entry(a, d, id);
        struct receipt r = begin_receipt(c, id);
        int error;

        if (!e)
                return;
        str_copy(r.wanted, sizeof(r.wanted), e->original);
        error = actuator_read(d, id, r.old);
        str_copy(r.observed, sizeof(r.observed), r.old);
        if (error < 0 || streq(r.old, e->original)) {
                actuator_conclude(&r, RECEIPT_RESTORED, error);
        } else if (actuator_is_ours(d, e, r.old)) {
                error = actuator_put_back(a, d, id, r.old, r.observed);
                actuator_conclude(&r, RECEIPT_RESTORED, error);
                c->restored += error == 0;
        } else
                r.result = RECEIPT_FOREIGN;
        if (error == 0 || actuator_error_is_gone(error))
                actuator_let_go(a, d, id);
        tell(c, d->name, &r);
}

/* Without the drive there is nothing to restore; where it cannot be opened for another reason, the entries stay. */
static void report_unreachable(struct recovery *c, const char *name, int error) {
        for (size_t i = journal_count(c->actuator->journal); i-- > 0;) {
                const struct journal_entry *e = journal_get(c->actuator->journal, i);
                struct receipt r;
                if (!streq(e->device, name))
                        continue;
                r = begin_receipt(c, e->tunable);
                str_copy(r.wanted, sizeof(r.wanted), e->original);
                actuator_conclude(&r, RECEIPT_RESTORED, error);
                tell(c, name, &r);
        }
        if (actuator_error_is_gone(error))
                journal_forget_device(c->actuator->journal, name);
}

static void recover_tunables(struct recovery *c) {
        recover_scheduler(c);
        for (size_t i = 0; i < _TUNABLE_MAX; i++)
                if (c->actuator->order[i] != TUNABLE_QUEUE_SCHEDULER)
                        recover_tunable(c, c->actuator->order[i]);
}

size_t actuator_recover_device(struct actuator *a, const char *name, nsec_t now, actuator_report_fn report, void *userdata) {
        struct recovery c = { .actuator = a, .device = actuator_find_device(a, name), .now = now, .report = report, .userdata = userdata };
        _cleanup_(actuator_device_freep) struct actuator_device *opened = NULL;
        int r;

        if (!c.device) {
                r = actuator_device_new(a->root, 0, name, &opened);
                if (r < 0) {
                        report_unreachable(&c, name, r);
                        return 0;
                }
                opened->dev = device_number(opened->fd);
                c.device = opened;
        }
        recover_tunables(&c);
        return c.restored;
}

size_t actuator_list_held(const struct actuator *a, char (**ret)[ACTUATOR_NAME_MAX]) {
        size_t n = journal_count(a->journal), n_names = 0;
        char (*names)[ACTUATOR_NAME_MAX] = calloc(n + 1, sizeof(*names));

        *ret = names;
        if (!names)
                return 0; /* the entries stay for the next start */
        for (size_t i = 0; i < n; i++) {
                const char *name = journal_get(a->journal, i)->device;
                size_t k = 0;
                while (k < n_names && !streq(names[k], name))
                        k++;
                if (k == n_names)
                        str_copy(names[n_names++], sizeof(*names), name);
        }
        return n_names;
}
