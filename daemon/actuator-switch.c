/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A switch of the scheduler resets nr_requests and everything in iosched/, and with bfq turns write-back throttling off.
 * So all of that is recorded before ("companions": entries without a value of ours), and what the switch back does not
 * restore by itself is written again. The scheduler's own entry is recorded last and forgotten last: as long as it is
 * there, a run that follows a crash knows that the companions are to be put back. */
#include <errno.h>

#include "actuator-private.h"
#include "str.h"
#include "sysfs.h"

static bool is_reset_by_switch(enum tunable_id id) {
        return id != TUNABLE_QUEUE_SCHEDULER && tunable_get(id)->flags & (TUNABLE_LOST_ON_SWITCH | TUNABLE_INEXACT);
}

static void drop_notes(struct actuator *a, struct actuator_device *d) {
        for (enum tunable_id id = 0; id < _TUNABLE_MAX; id++) {
                const struct journal_entry *e = actuator_entry(a, d, id);
                if (e && is_reset_by_switch(id) && e->written[0] == '\0')
                        actuator_let_go(a, d, id);
        }
}

void actuator_drop_companions(struct actuator *a, struct actuator_device *d) {
        drop_notes(a, d);
        for (enum tunable_id id = 0; id < _TUNABLE_MAX; id++) /* what we had set before the switch, too */
                if (tunable_get(id)->scheduler != SCHEDULER_ANY && d->seen[id][0] == '\0' && actuator_entry(a, d, id))
                        actuator_let_go(a, d, id);
}

/* Notes all that a switch away from the active scheduler resets. Tunables that we hold have their original already. */
static int record_companions(struct actuator *a, struct actuator_device *d, const char *active) {
        enum scheduler scheduler = scheduler_from_string(active);
        char value[TUNABLE_VALUE_MAX];
        int r = sysfs_check_iosched(d->fd, scheduler);

        for (enum tunable_id id = 0; r == 0 && id < _TUNABLE_MAX; id++) {
                enum scheduler owner = tunable_get(id)->scheduler;
                if (!is_reset_by_switch(id) || (owner != SCHEDULER_ANY && owner != scheduler) || actuator_primary(d, id) != id ||
                    actuator_entry(a, d, id) || sysfs_read_tunable(d->fd, id, value, sizeof(value)) < 0)
                        continue;
                r = journal_note(a->journal, d->name, d->diskseq, id, active, value, "");
        }
        return r;
}

/* Remembers how the switch left what is still there, to tell a foreign write to it from the switch. */
static void look_at_companions(struct actuator *a, struct actuator_device *d) {
        char active[TUNABLE_VALUE_MAX] = "";

        (void) sysfs_read_tunable(d->fd, TUNABLE_QUEUE_SCHEDULER, active, sizeof(active));
        for (enum tunable_id id = 0; id < _TUNABLE_MAX; id++) {
                if (!is_reset_by_switch(id) || tunable_get(id)->scheduler != SCHEDULER_ANY || !actuator_entry(a, d, id))
                        continue;
                if (sysfs_read_tunable(d->fd, id, d->seen[id], TUNABLE_VALUE_MAX) < 0)
                        d->seen[id][0] = '\0';
                d->under[id] = scheduler_from_string(active);
        }
}

/* What we held of a scheduler that is no longer active, and that is not the original one, went with it. */
static void drop_lost(struct actuator *a, struct actuator_device *d, const char *active) {
        const struct journal_entry *s = actuator_entry(a, d, TUNABLE_QUEUE_SCHEDULER);
        enum scheduler now = scheduler_from_string(active), original = s ? scheduler_from_string(s->original) : now;

        for (enum tunable_id id = 0; id < _TUNABLE_MAX; id++) {
                enum scheduler owner = tunable_get(id)->scheduler;
                if (owner == SCHEDULER_ANY || owner == now || !actuator_entry(a, d, id))
                        continue;
                if (owner == original)
                        d->seen[id][0] = '\0'; /* waits for the switch back */
                else
                        actuator_let_go(a, d, id);
        }
}

/* With the original scheduler active again: writes what differs from its record, and lets go. Returns 0 or the first error;
 * what failed stays in the journal for the next start. */
static int restore_companions(struct actuator *a, struct actuator_device *d) {
        char current[TUNABLE_VALUE_MAX], observed[TUNABLE_VALUE_MAX];
        int first_error = 0;

        for (size_t i = 0; i < _TUNABLE_MAX; i++) {
                enum tunable_id id = a->order[i];
                const struct journal_entry *e = actuator_entry(a, d, id);
                int r;
                if (!e || !is_reset_by_switch(id))
                        continue;
                r = actuator_read(d, id, current);
                if (r == 0 && !streq(current, e->original))
                        r = actuator_put_back(a, d, id, current, observed);
                if (r == 0 || actuator_error_is_gone(r))
                        actuator_let_go(a, d, id);
                else if (first_error == 0)
                        first_error = r;
        }
        return first_error;
}

/* Settings in queue/ that another program made while the scheduler was ours: the switch back must not undo them. */
struct foreign_settings {
        char values[_TUNABLE_MAX][TUNABLE_VALUE_MAX]; /* "": none */
};

static void set_foreign_aside(struct actuator *a, struct actuator_device *d, struct foreign_settings *ret) {
        memset(ret, 0, sizeof(*ret));
        for (enum tunable_id id = 0; id < _TUNABLE_MAX; id++) {
                const struct journal_entry *e = actuator_entry(a, d, id);
                char current[TUNABLE_VALUE_MAX];
                if (!is_reset_by_switch(id) || tunable_get(id)->scheduler != SCHEDULER_ANY ||
                    sysfs_read_tunable(d->fd, id, current, sizeof(current)) < 0)
                        continue;
                if (e && (d->seen[id][0] == '\0' || streq(current, d->seen[id])))
                        continue;
                if (e)
                        actuator_let_go(a, d, id);
                if (tunable_get(id)->flags & TUNABLE_LOST_ON_SWITCH)
                        str_copy(ret->values[id], TUNABLE_VALUE_MAX, current);
        }
}

static void put_foreign_back(struct actuator_device *d, const struct foreign_settings *s) {
        for (enum tunable_id id = 0; id < _TUNABLE_MAX; id++) {
                char current[TUNABLE_VALUE_MAX];
                if (s->values[id][0] != '\0' && sysfs_read_tunable(d->fd, id, current, sizeof(current)) == 0 &&
                    !streq(current, s->values[id]))
                        (void) sysfs_write_tunable(d->fd, id, s->values[id]); /* the other scheduler may not take it */
        }
}

void actuator_restore_scheduler(struct actuator *a, struct actuator_device *d, const char *current, struct receipt *r) {
        const struct journal_entry *e = actuator_entry(a, d, TUNABLE_QUEUE_SCHEDULER);
        struct foreign_settings foreign;
        int error = 0;

        str_copy(r->wanted, sizeof(r->wanted), e->original);
        str_copy(r->observed, sizeof(r->observed), current);
        set_foreign_aside(a, d, &foreign);
        if (!streq(current, r->wanted))
                error = actuator_put_back(a, d, TUNABLE_QUEUE_SCHEDULER, current, r->observed);
        if (error < 0) {
                if (actuator_error_is_gone(error))
                        actuator_let_go(a, d, TUNABLE_QUEUE_SCHEDULER);
                actuator_conclude(r, RECEIPT_RESTORED, error);
                return;
        }
        drop_lost(a, d, r->wanted);
        error = restore_companions(a, d);
        put_foreign_back(d, &foreign);
        actuator_let_go(a, d, TUNABLE_QUEUE_SCHEDULER);
        r->result = RECEIPT_RESTORED;
        r->error = error; /* of a companion: the scheduler itself is back */
}

/* The switch failed. The kernel may have fallen back to none, and then everything was reset. */
static void undo_switch(struct actuator *a, struct actuator_device *d, const char *old, bool fresh, const char *observed) {
        char stands[TUNABLE_VALUE_MAX];

        str_copy(stands, sizeof(stands), observed);
        if (stands[0] != '\0' && !streq(stands, old))
                (void) actuator_write(a, d, TUNABLE_QUEUE_SCHEDULER, old, stands);
        if (!fresh) {
                str_copy(d->seen[TUNABLE_QUEUE_SCHEDULER], TUNABLE_VALUE_MAX, stands);
                look_at_companions(a, d);
                return;
        }
        if (streq(stands, old)) {
                if (!streq(observed, old))
                        (void) restore_companions(a, d);
                drop_notes(a, d);
                actuator_let_go(a, d, TUNABLE_QUEUE_SCHEDULER);
        } else /* the next start tries again */
                str_copy(d->seen[TUNABLE_QUEUE_SCHEDULER], TUNABLE_VALUE_MAX, stands);
}

static int switch_scheduler(struct actuator *a, struct actuator_device *d, const char *current, struct receipt *r) {
        bool fresh = !actuator_entry(a, d, TUNABLE_QUEUE_SCHEDULER);
        int error = 0;

        if (fresh)
                error = record_companions(a, d, current);
        if (error == 0)
                error = journal_record(a->journal, d->name, d->diskseq, TUNABLE_QUEUE_SCHEDULER, current, current, r->wanted);
        if (error < 0) {
                if (fresh)
                        drop_notes(a, d);
                actuator_conclude_unwritten(r, current, error);
                return error;
        }
        error = actuator_write(a, d, TUNABLE_QUEUE_SCHEDULER, r->wanted, r->observed);
        if (error < 0) {
                undo_switch(a, d, current, fresh, r->observed);
                actuator_conclude(r, RECEIPT_APPLIED, error);
        }
        return error;
}

void actuator_set_scheduler(struct actuator *a, struct actuator_device *d, const char *current, struct receipt *r) {
        const struct journal_entry *e = actuator_entry(a, d, TUNABLE_QUEUE_SCHEDULER);

        str_copy(r->observed, sizeof(r->observed), current);
        r->result = RECEIPT_APPLIED;
        if (streq(current, r->wanted))
                return; /* nothing changes, so nothing becomes ours */
        if (e && streq(e->original, r->wanted)) {
                actuator_restore_scheduler(a, d, current, r);
                if (r->result == RECEIPT_RESTORED)
                        r->result = RECEIPT_APPLIED;
                return;
        }
        if (switch_scheduler(a, d, current, r) < 0)
                return;
        str_copy(d->seen[TUNABLE_QUEUE_SCHEDULER], TUNABLE_VALUE_MAX, r->observed);
        drop_lost(a, d, r->observed);
        look_at_companions(a, d);
}
