/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading and writing one tunable, with what the kernel makes of it. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>

#include "actuator-private.h"
#include "macro.h"
#include "str.h"
#include "sysfs.h"

enum tunable_id actuator_primary(const struct actuator_device *d, enum tunable_id id) {
        enum tunable_id twin = tunable_get(id)->twin;
        char path[64];

        if (tunable_is_primary(id) || faccessat(d->fd, tunable_path(twin, path, sizeof(path)), F_OK, 0) < 0)
                return id; /* kernels before 4.8 have no finer twin */
        return twin;
}

static int read_scheduler(const struct actuator_device *d, enum scheduler *ret) {
        char active[TUNABLE_VALUE_MAX];
        int r = sysfs_read_tunable(d->fd, TUNABLE_QUEUE_SCHEDULER, active, sizeof(active));

        if (r < 0)
                return r;
        *ret = scheduler_from_string(active);
        return 0;
}

static int read_under(const struct actuator_device *d, enum scheduler active, enum tunable_id id, char ret[static TUNABLE_VALUE_MAX]) {
        enum scheduler owner = tunable_get(id)->scheduler;

        if (owner != SCHEDULER_ANY && owner != active)
                return -ENOENT; /* bfq and cfq have files of the same names */
        return sysfs_read_tunable(d->fd, id, ret, TUNABLE_VALUE_MAX);
}

int actuator_read(const struct actuator_device *d, enum tunable_id id, char ret[static TUNABLE_VALUE_MAX]) {
        enum scheduler active = SCHEDULER_ANY;
        int r = 0;

        if (tunable_get(id)->scheduler != SCHEDULER_ANY)
                r = read_scheduler(d, &active);
        return r < 0 ? r : read_under(d, active, id, ret);
}

bool actuator_is_ours(const struct actuator_device *d, const struct journal_entry *e, const char *current) {
        if (d->seen[e->tunable][0] != '\0')
                return streq(current, d->seen[e->tunable]);
        if (e->written[0] == '\0')
                return false;
        /* Of an earlier run: a crash may have come between the record and the write. Another drive may have come under
         * the name, or the same loop device with another file and with its settings kept: then only our value counts. */
        return tunable_equivalent(e->tunable, e->written, current) || (e->diskseq == d->diskseq && streq(current, e->before));
}

static bool has_side_effects(enum tunable_id id) {
        return id != TUNABLE_QUEUE_SCHEDULER && tunable_get(id)->flags & TUNABLE_RESETS_OTHERS;
}

/* Reads all that a write may change beside its own tunable; "" where it is not there. */
static void read_bystanders(const struct actuator_device *d, enum tunable_id written, char ret[][TUNABLE_VALUE_MAX]) {
        enum scheduler active = SCHEDULER_ANY;

        (void) read_scheduler(d, &active); /* else no scheduler's settings are looked at */
        for (enum tunable_id id = 0; id < _TUNABLE_MAX; id++)
                if (id == written || id == TUNABLE_QUEUE_SCHEDULER || tunable_get(id)->flags & TUNABLE_INEXACT ||
                    actuator_primary(d, id) != id || read_under(d, active, id, ret[id]) < 0)
                        ret[id][0] = '\0';
}

/* nr_requests resets async_depth, strict_guarantees raises slice_idle: nobody asked for that, and undoing the one would not
 * undo the other. */
static void put_bystanders_back(const struct actuator_device *d, enum tunable_id written, char before[][TUNABLE_VALUE_MAX]) {
        char now[_TUNABLE_MAX][TUNABLE_VALUE_MAX];

        read_bystanders(d, written, now);
        for (enum tunable_id id = 0; id < _TUNABLE_MAX; id++)
                if (before[id][0] != '\0' && now[id][0] != '\0' && !streq(before[id], now[id]))
                        (void) sysfs_write_tunable(d->fd, id, before[id]);
}

int actuator_write(const struct actuator_device *d, enum tunable_id id, const char *value,
                   char ret_observed[static TUNABLE_VALUE_MAX]) {
        char bystanders[_TUNABLE_MAX][TUNABLE_VALUE_MAX];
        int written, r;

        ret_observed[0] = '\0';
        if (has_side_effects(id))
                read_bystanders(d, id, bystanders);
        written = sysfs_write_tunable(d->fd, id, value);
        if (has_side_effects(id))
                put_bystanders_back(d, id, bystanders);
        r = sysfs_read_tunable(d->fd, id, ret_observed, TUNABLE_VALUE_MAX);
        if (written < 0)
                return written;
        if (r < 0)
                return r;
        return tunable_equivalent(id, value, ret_observed) ? 0 : -EIO;
}

/* Where HZ does not divide 1000 (300 does not), milliseconds that were read and are written again come out one jiffy
 * longer. Asks for as much less. */
static void correct_rounding(const struct actuator_device *d, enum tunable_id id, const char *original, char *observed) {
        char shorter[TUNABLE_VALUE_MAX], now[TUNABLE_VALUE_MAX];
        int64_t wanted, got;

        if (tunable_parse(id, original, &wanted) < 0 || tunable_parse(id, observed, &got) < 0)
                return;
        snprintf(shorter, sizeof(shorter), "%" PRId64, 2 * wanted - got);
        (void) actuator_write(d, id, shorter, now);
        if (now[0] != '\0')
                str_copy(observed, TUNABLE_VALUE_MAX, now);
}

int actuator_put_back(struct actuator *a, struct actuator_device *d, enum tunable_id id, const char *current,
                      char ret_observed[static TUNABLE_VALUE_MAX]) {
        struct journal_entry e = *actuator_entry(a, d, id);
        int r;

        /* So that a crash right after the write finds a value of ours. A full disk does not keep us from restoring. */
        (void) journal_record(a->journal, d->name, d->diskseq, id, e.scheduler, current, e.original);
        r = actuator_write(d, id, e.original, ret_observed);
        if (r == 0 && tunable_get(id)->type == TUNABLE_JIFFIES && !streq(ret_observed, e.original))
                correct_rounding(d, id, e.original, ret_observed);
        if (r == 0 || ret_observed[0] != '\0')
                str_copy(d->seen[id], TUNABLE_VALUE_MAX, ret_observed);
        return r;
}
