/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs of which one instance runs: a further start of them is handed over to it. */
#include <string.h>

#include "macro.h"
#include "startup.h"
#include "str.h"

/* The last to have come of its processes is likely the one that stays. Of commands there may be many side by side. */
void startup_note_running(struct startup_table *t, const struct startup *s) {
        int32_t tgid = 0;

        if (!s->view.launched)
                return;
        for (size_t i = 0; i < STARTUP_MEMBERS_MAX; i++)
                if (s->members[i] == s->view.tgid || (s->members[i] && tgid != s->view.tgid))
                        tgid = s->members[i];
        if (tgid == 0)
                return;
        t->running[t->next_running].tgid = tgid;
        memcpy(t->running[t->next_running].application, s->view.application, APPLICATION_MAX);
        t->next_running = (t->next_running + 1) % STARTUPS_RUNNING_MAX;
}

bool startup_runs_already(const struct startup_table *t, const char *application) {
        for (size_t i = 0; i < STARTUPS_RUNNING_MAX; i++)
                if (t->running[i].tgid && streq(t->running[i].application, application))
                        return true;
        return false;
}

struct startup *startup_find_other(struct startup_table *t, const struct startup *s) {
        for (size_t i = 0; i < STARTUPS_MAX; i++) {
                struct startup *other = &t->startups[i];
                if (other != s && other->view.tgid && other->view.launched && other->view.uid == s->view.uid &&
                    streq(other->view.application, s->view.application))
                        return other;
        }
        return NULL;
}

/* A program that asks the session's bus for an instance, and leaves when that is there, has begun its start: cold, it reads the same program. */
static void add_drive(struct startup *to, const struct startup *s, size_t i) {
        int drive = startup_add_drive(to, s->view.devs[i], s->read_from[i]);

        if (drive < 0)
                return;
        to->waited_on[drive] += s->waited_on[i];
        to->read_on[drive] += s->read_on[i];
}

void startup_hand_over(struct startup *s, struct startup *to) {
        struct startup_view *v = &to->view;

        startup_close_sample(s);
        if (s->view.begun < v->begun) {
                nsec_t earlier = v->begun - s->view.begun;
                startup_timeline_prepend(&to->timeline, &s->timeline, earlier);
                v->begun = s->view.begun;
                if (s->view.noticed > 0 || v->noticed == 0)
                        v->noticed = s->view.noticed;
                else
                        v->noticed += earlier;
        }
        v->read_bytes += s->view.read_bytes;
        v->waited += s->view.waited;
        v->faults = add_saturating(v->faults, s->view.faults);
        v->requests = add_saturating(v->requests, s->view.requests);
        v->processes += s->view.processes;
        v->cold |= s->view.cold;
        for (size_t i = 0; i < s->view.n_devs; i++)
                add_drive(to, s, i);
        startup_merge_served(to, s);
}
