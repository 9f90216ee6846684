/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What trials found outlives briod. */
#include <limits.h>
#include <string.h>

#include "clock.h"
#include "log.h"
#include "manager-private.h"
#include "outcome-store.h"

#define SAVE_LATEST_NS (300 * NSEC_PER_SEC)
#define SAVE_RETRY_NS (60 * NSEC_PER_SEC)

bool manager_save_is_due(const struct manager *m, const struct state_file *f, nsec_t now, bool at_once) {
        if (f->dirty == 0)
                return false;
        return at_once || (now >= f->retry && (m->attention == ATTENTION_DRIVES || nsec_sub(now, f->dirty) >= SAVE_LATEST_NS));
}

bool manager_take_saved(struct state_file *f, int r, nsec_t now, bool at_once) {
        bool first = f->retry == 0 || at_once;

        if (r >= 0) {
                *f = (struct state_file){ 0 };
                return false;
        }
        f->retry = now + SAVE_RETRY_NS;
        return first;
}

static struct outcome_clock read_clock(void) {
        return (struct outcome_clock){ .now = manager_now(), .realtime_usec = clock_now(CLOCK_REALTIME) / NSEC_PER_USEC };
}

void manager_load_outcomes(struct manager *m, const char *dir) {
        struct outcome_clock clock = read_clock();
        size_t damaged = 0;
        int r;

        if (m->options->replay)
                return;
        r = outcome_store_load(dir, &clock, &m->controller->outcomes, &damaged);
        if (r < 0)
                log_warning("%s/outcomes cannot be read: %s; what earlier trials found is not known", dir, strerror(-r));
        else if (damaged > 0) {
                log_warning("%s/outcomes: %zu damaged lines left out; the file is kept as outcomes.damaged", dir, damaged);
                m->outcomes_file.dirty = clock.now; /* the whole lines are in no file now */
        }
        m->outcomes_saved = m->controller->outcomes.changes;
}

void manager_save_outcomes(struct manager *m, nsec_t now, bool at_once) {
        const struct outcomes *o = &m->controller->outcomes;
        struct outcome_clock clock;
        char buf[PATH_MAX];
        const char *dir = manager_state_dir(m->options, buf, sizeof(buf));
        int r;

        if (m->options->replay)
                return;
        if (o->changes != m->outcomes_saved && m->outcomes_file.dirty == 0)
                m->outcomes_file.dirty = now;
        if (!manager_save_is_due(m, &m->outcomes_file, now, at_once))
                return;
        clock = read_clock();
        r = outcome_store_save(dir, &clock, o);
        if (r >= 0)
                m->outcomes_saved = o->changes;
        if (manager_take_saved(&m->outcomes_file, r, now, at_once))
                log_warning("%s/outcomes cannot be written: %s; what trials found is kept in memory", dir, strerror(-r));
}
