/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "actuator-private.h"
#include "macro.h"
#include "str.h"
#include "sysfs.h"

int actuator_device_new(const char *root, uint32_t dev, const char *name, struct actuator_device **ret) {
        _cleanup_(actuator_device_freep) struct actuator_device *d = calloc(1, sizeof(*d));
        int r;

        if (!d)
                return -ENOMEM;
        d->dev = dev;
        d->fd = -1;
        if (!str_copy(d->name, sizeof(d->name), name))
                return -ENAMETOOLONG;
        r = sysfs_open_device(root, name);
        if (r < 0)
                return r;
        d->fd = r;
        r = sysfs_read_diskseq(d->fd, &d->diskseq);
        if (r < 0)
                return r;
        *ret = TAKE_PTR(d);
        return 0;
}

struct actuator_device *actuator_device_free(struct actuator_device *d) {
        if (!d)
                return NULL;
        safe_close(d->fd);
        free(d);
        return NULL;
}

static unsigned restore_rank(enum tunable_id id) {
        unsigned flags = tunable_get(id)->flags;

        if (id == TUNABLE_QUEUE_SCHEDULER)
                return 0;
        if (flags & TUNABLE_INEXACT)
                return 3;
        return flags & TUNABLE_RESETS_OTHERS ? 1 : 2;
}

static void fill_order(enum tunable_id order[static _TUNABLE_MAX]) {
        size_t n = 0;

        for (unsigned rank = 0; rank <= 3; rank++)
                for (enum tunable_id id = 0; id < _TUNABLE_MAX; id++)
                        if (restore_rank(id) == rank)
                                order[n++] = id;
}

struct actuator *actuator_new(const char *root, struct journal *journal) {
        struct actuator *a = calloc(1, sizeof(*a));

        if (a)
                a->root = strdup(root);
        if (!a || !a->root) {
                journal_close(journal);
                free(a);
                return NULL;
        }
        a->journal = journal;
        fill_order(a->order);
        return a;
}

struct actuator *actuator_free(struct actuator *a) {
        if (!a)
                return NULL;
        for (size_t i = 0; i < a->n_devices; i++)
                actuator_device_free(a->devices[i]);
        journal_close(a->journal);
        free(a->root);
        free(a);
        return NULL;
}

bool actuator_holds(const struct actuator *a, const char *name, enum tunable_id tunable) {
        return journal_find(a->journal, name, tunable) != NULL;
}

size_t actuator_held(const struct actuator *a) {
        return journal_count(a->journal);
}

static struct actuator_device *find_device(const struct actuator *a, uint32_t dev) {
        for (size_t i = 0; i < a->n_devices; i++)
                if (a->devices[i]->dev == dev)
                        return a->devices[i];
        return NULL;
}

/* The same directory: what comes back under a number and name has another. A loop device with another file behind
 * it has the same one, with another diskseq, and keeps its settings. */
static bool is_same_device(const struct actuator_device *a, const struct actuator_device *b) {
        struct stat sa, sb;

        return streq(a->name, b->name) && fstat(a->fd, &sa) == 0 && fstat(b->fd, &sb) == 0 && sa.st_dev == sb.st_dev &&
               sa.st_ino == sb.st_ino;
}

int actuator_add_device(struct actuator *a, uint32_t dev, const char *name) {
        _cleanup_(actuator_device_freep) struct actuator_device *d = NULL;
        struct actuator_device *known;
        int r;

        r = actuator_device_new(a->root, dev, name, &d);
        if (r < 0)
                return r;
        known = find_device(a, dev);
        if (known && is_same_device(known, d)) {
                known->diskseq = d->diskseq;
                return 0; /* and what we hold on it stays held */
        }
        if (known)
                actuator_remove_device(a, dev);
        if (a->n_devices == SNAPSHOT_DEVICES_MAX)
                return -ENOSPC;
        a->devices[a->n_devices++] = TAKE_PTR(d);
        return 0;
}

static void drop_device(struct actuator *a, size_t i) {
        actuator_device_free(a->devices[i]);
        a->devices[i] = a->devices[--a->n_devices];
}

void actuator_remove_device(struct actuator *a, uint32_t dev) {
        for (size_t i = 0; i < a->n_devices; i++) {
                if (a->devices[i]->dev != dev)
                        continue;
                journal_forget_device(a->journal, a->devices[i]->name);
                drop_device(a, i);
                return;
        }
}

struct actuator_device *actuator_find_device(const struct actuator *a, const char *name) {
        for (size_t i = 0; i < a->n_devices; i++)
                if (streq(a->devices[i]->name, name))
                        return a->devices[i];
        return NULL;
}

void actuator_keep_device(struct actuator *a, const char *name) {
        for (size_t i = a->n_devices; i-- > 0;)
                if (!streq(a->devices[i]->name, name))
                        drop_device(a, i);
}

void actuator_let_go_device(struct actuator *a, uint32_t dev) {
        for (size_t i = a->n_devices; i-- > 0;)
                if (a->devices[i]->dev == dev)
                        drop_device(a, i);
}

bool actuator_error_is_gone(int error) {
        return error == -ENOENT || error == -ENODEV || error == -ENXIO;
}

const struct journal_entry *actuator_entry(const struct actuator *a, const struct actuator_device *d, enum tunable_id id) {
        return journal_find(a->journal, d->name, id);
}

void actuator_let_go(struct actuator *a, struct actuator_device *d, enum tunable_id id) {
        d->seen[id][0] = '\0';
        /* A record that cannot be removed is harmless: the next start finds that the value is not ours. */
        (void) journal_forget(a->journal, d->name, id);
}

void actuator_conclude(struct receipt *r, enum receipt_result success, int error) {
        r->error = error;
        r->result = error == 0 ? success : actuator_error_is_gone(error) ? RECEIPT_GONE : RECEIPT_FAILED;
}

void actuator_conclude_unwritten(struct receipt *r, const char *current, int error) {
        str_copy(r->observed, sizeof(r->observed), current);
        r->result = RECEIPT_FAILED;
        r->error = error;
}

/* True while the scheduler is ours: then originals of what a switch resets are kept for the switch back. */
static bool is_companion(const struct actuator *a, const struct actuator_device *d, enum tunable_id id) {
        return actuator_entry(a, d, TUNABLE_QUEUE_SCHEDULER) &&
               tunable_get(id)->flags & (TUNABLE_LOST_ON_SWITCH | TUNABLE_INEXACT);
}

/* The tunable of a scheduler that we have switched away from and will switch back to. */
static bool waits_for_switch_back(const struct actuator *a, const struct actuator_device *d, enum tunable_id id) {
        const struct journal_entry *e = actuator_entry(a, d, TUNABLE_QUEUE_SCHEDULER);
        enum scheduler owner = tunable_get(id)->scheduler;

        return e && owner != SCHEDULER_ANY && scheduler_from_string(e->original) == owner;
}

static void set_tunable(struct actuator *a, struct actuator_device *d, const char *current, struct receipt *r) {
        bool fresh = !actuator_entry(a, d, r->tunable);
        char active[TUNABLE_VALUE_MAX] = "", stands[TUNABLE_VALUE_MAX];
        int error;

        if (tunable_get(r->tunable)->flags & TUNABLE_INEXACT) {
                actuator_conclude(r, RECEIPT_APPLIED, -EOPNOTSUPP); /* it could not be undone */
                return;
        }
        (void) sysfs_read_tunable(d->fd, TUNABLE_QUEUE_SCHEDULER, active, sizeof(active)); /* "" on a drive without a choice */
        error = journal_record(a->journal, d->name, d->diskseq, r->tunable, active, current, r->wanted);
        if (error < 0) {
                actuator_conclude_unwritten(r, current, error);
                return;
        }
        error = actuator_write(a, d, r->tunable, r->wanted, r->observed);
        str_copy(stands, sizeof(stands), r->observed);
        /* Refused, or taken as something else, which is not wanted. */
        if (error < 0 && stands[0] != '\0' && !streq(stands, current))
                (void) actuator_write(a, d, r->tunable, current, stands);
        if (error < 0 && fresh)
                actuator_let_go(a, d, r->tunable);
        else if (stands[0] != '\0') {
                str_copy(d->seen[r->tunable], TUNABLE_VALUE_MAX, stands);
                d->under[r->tunable] = scheduler_from_string(active);
        }
        actuator_conclude(r, RECEIPT_APPLIED, error);
}

static void restore_tunable(struct actuator *a, struct actuator_device *d, const char *current, struct receipt *r) {
        const struct journal_entry *e = actuator_entry(a, d, r->tunable);
        int error = 0;

        str_copy(r->wanted, sizeof(r->wanted), e->original);
        str_copy(r->observed, sizeof(r->observed), current);
        if (!streq(current, e->original))
                error = actuator_put_back(a, d, r->tunable, current, r->observed);
        if (is_companion(a, d, r->tunable))
                str_copy(d->seen[r->tunable], TUNABLE_VALUE_MAX, r->observed);
        else if (error == 0 || actuator_error_is_gone(error))
                actuator_let_go(a, d, r->tunable);
        actuator_conclude(r, RECEIPT_RESTORED, error);
}

static void lose(struct actuator *a, struct actuator_device *d, int error, struct receipt *r) {
        actuator_conclude(r, RECEIPT_FAILED, error);
        if (actuator_error_is_gone(error) && !waits_for_switch_back(a, d, r->tunable))
                actuator_let_go(a, d, r->tunable);
}

/* Another program's switch of the scheduler has put the kernel's default back: that value was not chosen. */
static bool went_with_switch(const struct actuator_device *d, enum tunable_id id) {
        char active[TUNABLE_VALUE_MAX];

        return tunable_get(id)->scheduler == SCHEDULER_ANY && tunable_get(id)->flags & TUNABLE_LOST_ON_SWITCH && d->seen[id][0] != '\0' &&
               sysfs_read_tunable(d->fd, TUNABLE_QUEUE_SCHEDULER, active, sizeof(active)) == 0 && scheduler_from_string(active) != d->under[id];
}

static void take_foreign(struct actuator *a, struct actuator_device *d, const char *current, struct receipt *r) {
        if (went_with_switch(d, r->tunable)) {
                lose(a, d, -ENOENT, r);
                return;
        }
        r->result = RECEIPT_FOREIGN;
        str_copy(r->observed, sizeof(r->observed), current);
        if (r->tunable == TUNABLE_QUEUE_SCHEDULER)
                actuator_drop_companions(a, d);
        actuator_let_go(a, d, r->tunable);
}

/* A coarser twin is read and written through the finer: 3 ms as 3000 us. */
static int choose_twin(const struct actuator_device *d, struct receipt *r) {
        const int64_t us_per_ms = 1000;
        enum tunable_id primary = actuator_primary(d, r->tunable);
        int64_t value;
        int error;

        if (primary == r->tunable)
                return 0;
        if (r->wanted[0] != '\0') {
                error = tunable_parse(r->tunable, r->wanted, &value);
                if (error < 0)
                        return error;
                if (__builtin_mul_overflow(value, us_per_ms, &value))
                        return -ERANGE;
                snprintf(r->wanted, sizeof(r->wanted), "%lld", (long long) value);
        }
        r->tunable = primary;
        return 0;
}

static void perform_set(struct actuator *a, struct actuator_device *d, const char *current, struct receipt *r) {
        if (r->tunable == TUNABLE_QUEUE_SCHEDULER)
                actuator_set_scheduler(a, d, current, r);
        else
                set_tunable(a, d, current, r);
}

static void perform_restore(struct actuator *a, struct actuator_device *d, const char *current, struct receipt *r) {
        if (r->tunable == TUNABLE_QUEUE_SCHEDULER)
                actuator_restore_scheduler(a, d, current, r);
        else
                restore_tunable(a, d, current, r);
}

/* It was set since the controller looked: a value computed from the old one has no ground any more. */
static bool is_stale(const struct setting_change *change, const char *current, struct receipt *r) {
        if (change->from[0] == '\0' || change->tunable != r->tunable || streq(change->from, current))
                return false;
        str_copy(r->observed, sizeof(r->observed), current);
        r->result = RECEIPT_STALE;
        return true;
}

/* Nothing of ours stands there: a switch has reset it, or will do so. What the change says that we had set is what it is restored from. */
static void conclude_reset(const struct setting_change *change, const struct journal_entry *e, struct receipt *r) {
        str_copy(r->observed, sizeof(r->observed), r->old);
        str_copy(r->wanted, sizeof(r->wanted), e ? e->original : r->old);
        if (change->from[0] != '\0' && change->tunable == r->tunable)
                str_copy(r->old, sizeof(r->old), change->from);
        r->result = RECEIPT_RESTORED;
}

static void perform(struct actuator *a, struct actuator_device *d, const struct setting_change *change, struct receipt *r) {
        enum change_action action = change->action;
        const struct journal_entry *e;
        char current[TUNABLE_VALUE_MAX];
        int error;

        error = choose_twin(d, r);
        if (error < 0) {
                actuator_conclude(r, RECEIPT_FAILED, error);
                return;
        }
        e = actuator_entry(a, d, r->tunable);
        error = actuator_read(d, r->tunable, current);
        if (error == 0)
                str_copy(r->old, sizeof(r->old), current);
        if (action == CHANGE_RESTORE && (!e || waits_for_switch_back(a, d, r->tunable)))
                conclude_reset(change, e, r);
        else if (error < 0)
                lose(a, d, error, r);
        else if (action == CHANGE_RESTORE && streq(current, e->original))
                perform_restore(a, d, current, r);
        else if (e && !actuator_is_ours(d, e, current))
                take_foreign(a, d, current, r);
        else if (action == CHANGE_RESTORE)
                perform_restore(a, d, current, r);
        else if (e || !is_stale(change, current, r))
                perform_set(a, d, current, r);
}

void actuator_apply(struct actuator *a, const struct setting_change *change, nsec_t now, struct receipt *ret) {
        struct actuator_device *d = find_device(a, change->dev);

        *ret = (struct receipt) {
                .id = change->id, .dev = change->dev, .tunable = change->tunable, .law = change->law, .t = now,
        };
        if (change->action == CHANGE_SET)
                str_copy(ret->wanted, sizeof(ret->wanted), change->value);
        if (!d) {
                actuator_conclude(ret, RECEIPT_FAILED, -ENODEV);
        } else if (change->advice) {
                if (actuator_read(d, change->tunable, ret->old) < 0 || !is_stale(change, ret->old, ret))
                        ret->result = RECEIPT_ADVISED;
        } else if (change->action == CHANGE_SET && change->value[0] == '\0') {
                actuator_conclude(ret, RECEIPT_FAILED, -EINVAL);
        } else
                perform(a, d, change, ret);
}

/* Returns true where the tunable is lost to us, with the receipt filled in. */
static bool check_one(struct actuator *a, struct actuator_device *d, enum tunable_id id, nsec_t now, struct receipt *ret) {
        char current[TUNABLE_VALUE_MAX];
        int error;

        if (d->seen[id][0] == '\0' || !actuator_entry(a, d, id))
                return false;
        error = actuator_read(d, id, current);
        if (error == 0 ? streq(current, d->seen[id]) : !actuator_error_is_gone(error) || waits_for_switch_back(a, d, id))
                return false;
        *ret = (struct receipt) { .dev = d->dev, .tunable = id, .t = now };
        str_copy(ret->old, sizeof(ret->old), d->seen[id]);
        str_copy(ret->wanted, sizeof(ret->wanted), d->seen[id]);
        if (error < 0)
                lose(a, d, error, ret);
        else
                take_foreign(a, d, current, ret);
        return true;
}

size_t actuator_check_device(struct actuator *a, struct actuator_device *d, nsec_t now, struct receipt *ret, size_t max) {
        size_t n = 0;

        if (journal_count(a->journal) == 0)
                return 0;
        for (size_t k = 0; k < _TUNABLE_MAX && n < max; k++) /* the scheduler first: it explains what else went */
                n += check_one(a, d, a->order[k], now, &ret[n]);
        return n;
}

const char *actuator_original(const struct actuator *a, uint32_t dev, enum tunable_id tunable) {
        const struct actuator_device *d = find_device(a, dev);
        const struct journal_entry *e = d ? actuator_entry(a, d, tunable) : NULL;

        return e ? e->original : NULL;
}
