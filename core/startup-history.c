/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "macro.h"
#include "startup-history.h"
#include "statement.h"
#include "str.h"

static uint64_t last_time(const struct startup_application *a) {
        return a->n > 0 ? a->records[a->n - 1].time_usec : 0;
}

/* Finds it, or the one whose place it takes. */
static struct startup_application *get(struct startup_history *h, const char *application) {
        struct startup_application *oldest = &h->applications[0];

        for (size_t i = 0; i < STARTUP_APPLICATIONS_MAX; i++) {
                struct startup_application *a = &h->applications[i];
                if (streq(a->application, application))
                        return a;
                if (*oldest->application && (!*a->application || last_time(a) < last_time(oldest)))
                        oldest = a;
        }
        h->forgotten += *oldest->application != '\0';
        memset(oldest, 0, sizeof(*oldest));
        str_copy(oldest->application, sizeof(oldest->application), application);
        return oldest;
}

void startup_history_add(struct startup_history *h, const struct startup_record *r) {
        struct startup_application *a = get(h, r->start.application);

        a->starts++;
        if (a->n == STARTUP_RECORDS_MAX)
                memmove(&a->records[0], &a->records[1], --a->n * sizeof(a->records[0]));
        a->records[a->n++] = *r;
}

const struct startup_application *startup_history_find(const struct startup_history *h, const char *application) {
        for (size_t i = 0; *application && i < STARTUP_APPLICATIONS_MAX; i++)
                if (streq(h->applications[i].application, application))
                        return &h->applications[i];
        return NULL;
}

void startup_history_add_course(struct startup_history *h, const struct startup_record *r, const struct startup_timeline *timeline) {
        struct startup_course *c = &h->courses[h->next_course];

        *c = (struct startup_course){ .time_usec = r->time_usec, .timeline = *timeline };
        memcpy(c->application, r->start.application, sizeof(c->application));
        h->next_course = (h->next_course + 1) % STARTUP_TIMELINES_MAX;
}

static const struct startup_record *find_record(const struct startup_history *h, const char *application, uint64_t time_usec) {
        const struct startup_application *a = startup_history_find(h, application);

        for (size_t i = 0; a && i < a->n; i++)
                if (a->records[i].time_usec == time_usec)
                        return &a->records[i];
        return NULL;
}

const struct startup_course *startup_history_find_course(const struct startup_history *h, const char *application, uint64_t time_usec, mention_sees_fn sees,
                                                         const void *reader, const struct startup_record **ret_record) {
        for (size_t i = 1; *application && i <= STARTUP_TIMELINES_MAX; i++) {
                const struct startup_course *c = &h->courses[(h->next_course + STARTUP_TIMELINES_MAX - i) % STARTUP_TIMELINES_MAX];
                const struct startup_record *r;
                if (!streq(c->application, application) || (time_usec != 0 && c->time_usec != time_usec))
                        continue;
                r = find_record(h, application, c->time_usec);
                if (!r || !sees(reader, r->start.uid))
                        continue;
                *ret_record = r;
                return c;
        }
        return NULL;
}

void startup_history_select(const struct startup_application *a, mention_sees_fn sees, const void *reader, struct startup_application *ret) {
        memcpy(ret->application, a->application, sizeof(ret->application));
        ret->n = 0;
        for (size_t i = 0; i < a->n; i++)
                if (sees(reader, a->records[i].start.uid))
                        ret->records[ret->n++] = a->records[i];
        ret->starts = ret->n == a->n ? a->starts : ret->n;
}

void startup_history_figures(const struct startup_application *a, bool cold, struct startup_figures *ret) {
        nsec_t sorted[STARTUP_RECORDS_MAX];
        size_t n = 0;

        for (size_t i = 0; i < a->n; i++) {
                nsec_t latency = a->records[i].start.latency;
                size_t k = n;
                if (a->records[i].start.cold != cold)
                        continue;
                for (; k > 0 && sorted[k - 1] > latency; k--)
                        sorted[k] = sorted[k - 1];
                sorted[k] = latency;
                n++;
        }
        *ret = (struct startup_figures){ .n = n };
        if (n == 0)
                return;
        ret->best = sorted[0];
        ret->median = sorted[(n - 1) / 2];
        ret->p95 = sorted[(95 * n + 99) / 100 - 1];
}

/* More than this of its best is worth a word. */
#define SLOWER_PERMILLE 1100

char *startup_format_sentence(const struct startup_record *r, const struct startup_application *a, char *buf, size_t size) {
        const struct startup_view *s = &r->start;
        uint64_t waited = s->latency ? s->waited * 100 / s->latency : 0;
        struct startup_figures f = { 0 };
        char name[MENTION_MAX];

        *buf = '\0';
        SAY(buf, size, SAY_STARTED, mention(name, s->application, 0, s->uid), s->latency / NSEC_PER_USEC);
        if (!s->cold) {
                SAY(buf, size, SAY_STARTED_WARM);
        } else {
                SAY(buf, size, SAY_STARTED_COLD, s->read_bytes);
                if (*r->device)
                        SAY(buf, size, SAY_STARTED_FROM, r->device);
        }
        if (waited > 0)
                SAY(buf, size, SAY_START_WAITED, waited);
        if (s->n_culprits > 0)
                SAY(buf, size, SAY_STARTED_CULPRIT, s->culprits[0].permille / 10u, mention(name, s->culprits[0].name, 0, s->culprits[0].uid));
        if (a)
                startup_history_figures(a, s->cold, &f);
        if (f.n > 1 && s->latency * 1000 > f.best * SLOWER_PERMILLE)
                SAY(buf, size, SAY_STARTED_BEST, f.best / NSEC_PER_USEC);
        return buf;
}
