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

/* nr_requests resets async_depth, strict_guarantees raises slice_idle to BFQ_MIN_TT's 8 ms (bfq_strict_guarantees_store()): no law asked for
 * that, and undoing the one would not undo the other. */
static const struct side_effect {
        enum tunable_id written, changed;
        const char *to; /* NULL: the value that is written */
} side_effects[] = {
        { TUNABLE_QUEUE_NR_REQUESTS, TUNABLE_QUEUE_ASYNC_DEPTH, NULL },
        { TUNABLE_QUEUE_NR_REQUESTS, TUNABLE_MQ_DEADLINE_ASYNC_DEPTH, NULL },
        { TUNABLE_BFQ_STRICT_GUARANTEES, TUNABLE_BFQ_SLICE_IDLE, "8" },
        { TUNABLE_BFQ_STRICT_GUARANTEES, TUNABLE_BFQ_SLICE_IDLE_US, "8000" },
};

/* What a write changes beside its own tunable, as it was. */
struct bystander {
        enum tunable_id id;
        char before[TUNABLE_VALUE_MAX];
        bool noted; /* in the journal for this write alone */
};
#define BYSTANDERS_MAX ARRAY_SIZE(side_effects)

/* So that a kill before they are put back leaves them to the next start. One that a switch has noted is put back by the switch back. */
static int note_bystander(struct actuator *a, const struct actuator_device *d, const char *active, const char *value, struct bystander *b) {
        const struct journal_entry *e = actuator_entry(a, d, b->id);

        if (e && e->written[0] == '\0')
                return 0;
        b->noted = !e;
        return journal_note(a->journal, d->name, d->diskseq, b->id, active, b->before, value);
}

static int note_bystanders(struct actuator *a, const struct actuator_device *d, enum tunable_id written, const char *value,
                           struct bystander ret[static BYSTANDERS_MAX], size_t *ret_n) {
        enum scheduler active = SCHEDULER_ANY;
        int r = 0;

        *ret_n = 0;
        for (size_t i = 0; r == 0 && i < ARRAY_SIZE(side_effects); i++) {
                const struct side_effect *s = &side_effects[i];
                struct bystander *b = &ret[*ret_n];
                if (s->written != written)
                        continue;
                (void) read_scheduler(d, &active); /* else no scheduler's settings are looked at */
                *b = (struct bystander){ .id = s->changed };
                if (actuator_primary(d, b->id) != b->id || read_under(d, active, b->id, b->before) < 0)
                        continue;
                (*ret_n)++;
                r = note_bystander(a, d, scheduler_to_string(active) ? scheduler_to_string(active) : "", s->to ? s->to : value, b);
        }
        return r;
}

static void put_bystanders_back(struct actuator *a, const struct actuator_device *d, const struct bystander *bystanders, size_t n) {
        for (size_t i = 0; i < n; i++) {
                const struct bystander *b = &bystanders[i];
                char now[TUNABLE_VALUE_MAX];
                int r = sysfs_read_tunable(d->fd, b->id, now, sizeof(now));
                if (r == 0 && !streq(now, b->before))
                        r = sysfs_write_tunable(d->fd, b->id, b->before);
                if (b->noted && (r == 0 || actuator_error_is_gone(r)))
                        (void) journal_forget(a->journal, d->name, b->id);
        }
}

int actuator_write(struct actuator *a, const struct actuator_device *d, enum tunable_id id, const char *value,
                   char ret_observed[static TUNABLE_VALUE_MAX]) {
        struct bystander bystanders[BYSTANDERS_MAX];
        int written, r;
        size_t n;

        ret_observed[0] = '\0';
        written = note_bystanders(a, d, id, value, bystanders, &n);
        if (written == 0)
                written = sysfs_write_tunable(d->fd, id, value);
        put_bystanders_back(a, d, bystanders, n);
        r = sysfs_read_tunable(d->fd, id, ret_observed, TUNABLE_VALUE_MAX);
        if (written < 0)
                return written;
        if (r < 0)
                return r;
        return tunable_equivalent(id, value, ret_observed) ? 0 : -EIO;
}

/* Where HZ does not divide 1000 (300 does not), milliseconds that were read and are written again come out one jiffy
 * longer. Asks for as much less. */
static void correct_rounding(struct actuator *a, const struct actuator_device *d, enum tunable_id id, const char *original, char *observed) {
        char shorter[TUNABLE_VALUE_MAX], now[TUNABLE_VALUE_MAX];
        int64_t wanted, got;

        if (tunable_parse(id, original, &wanted) < 0 || tunable_parse(id, observed, &got) < 0)
                return;
        snprintf(shorter, sizeof(shorter), "%" PRId64, 2 * wanted - got);
        (void) actuator_write(a, d, id, shorter, now);
        if (now[0] != '\0')
                str_copy(observed, TUNABLE_VALUE_MAX, now);
}

int actuator_put_back(struct actuator *a, struct actuator_device *d, enum tunable_id id, const char *current,
                      char ret_observed[static TUNABLE_VALUE_MAX]) {
        struct journal_entry e = *actuator_entry(a, d, id);
        int r;

        /* So that a crash right after the write finds a value of ours. A full disk does not keep us from restoring. */
        (void) journal_record(a->journal, d->name, d->diskseq, id, e.scheduler, current, e.original);
        r = actuator_write(a, d, id, e.original, ret_observed);
        if (r == 0 && tunable_get(id)->type == TUNABLE_JIFFIES && !streq(ret_observed, e.original))
                correct_rounding(a, d, id, e.original, ret_observed);
        if (r == 0 || ret_observed[0] != '\0')
                str_copy(d->seen[id], TUNABLE_VALUE_MAX, ret_observed);
        return r;
}
