/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "detector.h"
#include "detect.h"
#include "macro.h"

int64_t verdict_evidence(const struct verdict *v, const char *name, int64_t fallback) {
        for (size_t i = 0; i < v->n_evidence; i++)
                if (streq(v->evidence[i].name, name))
                        return v->evidence[i].value;
        return fallback;
}

const struct verdict *verdicts_find(const struct verdict *v, size_t n, enum verdict_kind kind, uint32_t dev, const struct subject *subject) {
        for (const struct verdict *end = v + n; v < end; v++)
                if (v->kind == kind && (!dev || v->dev == dev) && (!subject || subject_same(&v->subject, subject)))
                        return v;
        return NULL;
}

/* By samples it is certain which process does most, and roughly how much. */
#define SAMPLED_CONFIDENCE_PERMILLE 950

static uint16_t confidence(const struct snapshot *s, const struct device_view *v, bool inferred) {
        unsigned full = inferred ? CONFIDENCE_INFERRED : CONFIDENCE_OBSERVED;

        if (v->requests.one_in > 1)
                full = full * SAMPLED_CONFIDENCE_PERMILLE / 1000;
        return (uint16_t) (snapshot_loss_matters(s->last_loss, s->now) ? full / 2 : full);
}

uint16_t detection_process_confidence(const struct detection *d, const struct process_view *p) {
        return confidence(d->snapshot, d->view, p->flags & EVENT_INFERRED);
}

const struct process_view *detection_find_writer(const struct detection *d, uint64_t *ret_bytes_per_s) {
        const struct process_view *most = NULL;

        *ret_bytes_per_s = 0;
        for (size_t i = 0; i < d->snapshot->n_processes; i++) {
                const struct process_view *p = &d->snapshot->processes[i];
                if (p->dev != d->view->dev || p->write_bytes_per_s == 0)
                        continue;
                *ret_bytes_per_s += p->write_bytes_per_s;
                if (!most || p->write_bytes_per_s > most->write_bytes_per_s)
                        most = p;
        }
        return most;
}

bool verdict_is_workload(enum verdict_kind k) {
        switch (k) {
        case VERDICT_MANY_SYNC:
        case VERDICT_STARTUP:
        case VERDICT_SOFT_RT:
        case VERDICT_WRITEBACK:
        case VERDICT_BURST:
        case VERDICT_BULK:
        case VERDICT_SHARED:
                return true;
        case VERDICT_VICTIM:
        case VERDICT_HOLES:
        case VERDICT_INEFFECTIVE_PRIORITY:
        case _VERDICT_KIND_MAX:
                break;
        }
        return false;
}

void verdict_add(struct verdict *v, const char *name, int64_t value, int64_t limit, const char *unit) {
        if (v->n_evidence < VERDICT_EVIDENCE_MAX)
                v->evidence[v->n_evidence++] = (struct evidence){ name, value, limit, unit };
}

static struct standing_verdict *find_standing(const struct detection *d, const struct subject *subject) {
        static const struct subject none;

        if (!subject)
                subject = &none;
        for (size_t i = 0; i < d->detectors->n_standing; i++) {
                struct standing_verdict *s = &d->detectors->standing[i];
                if (s->dev == d->view->dev && s->kind == d->kind && s->direction == d->direction && subject_same(&s->subject, subject))
                        return s;
        }
        return NULL;
}

bool detection_stands(const struct detection *d, const struct subject *subject) {
        return find_standing(d, subject) != NULL;
}

static struct standing_verdict *make_standing(struct detection *d, const struct subject *subject) {
        struct standing_verdict *s = &d->detectors->standing[d->detectors->n_standing++];

        *s = (struct standing_verdict){ .dev = d->view->dev, .kind = d->kind, .direction = d->direction, .since = d->snapshot->now };
        if (subject)
                s->subject = *subject;
        return s;
}

struct verdict *detection_add(struct detection *d, const struct subject *subject) {
        struct standing_verdict *s;
        struct verdict *v;

        if (subject && d->n_subjects == DETECTORS_SUBJECTS_MAX) {
                d->detectors->refused++;
                return NULL;
        }
        s = find_standing(d, subject);
        if (!s)
                s = make_standing(d, subject);
        s->tick = d->detectors->tick;
        d->n_subjects += subject != NULL;
        v = &d->verdicts[d->n++];
        *v = (struct verdict){ .kind = d->kind, .direction = d->direction, .dev = d->view->dev, .since = s->since,
                               .confidence = confidence(d->snapshot, d->view, d->view->inferred_readers > 0) };
        if (subject)
                v->subject = *subject;
        return v;
}

static const detect_fn detectors[_VERDICT_KIND_MAX] = {
        [VERDICT_MANY_SYNC] = detect_many_sync,
        [VERDICT_STARTUP] = detect_startup,
        [VERDICT_SOFT_RT] = detect_soft_rt,
        [VERDICT_VICTIM] = detect_victim,
        [VERDICT_WRITEBACK] = detect_writeback,
        [VERDICT_BURST] = detect_burst,
        [VERDICT_BULK] = detect_bulk,
        [VERDICT_SHARED] = detect_shared,
        [VERDICT_HOLES] = detect_holes,
        [VERDICT_INEFFECTIVE_PRIORITY] = detect_ineffective_priority,
};

static int compare_severity(const void *a, const void *b) {
        const struct verdict *x = a, *y = b;

        if (x->severity != y->severity)
                return x->severity < y->severity ? 1 : -1;
        return (x->subject.tgid > y->subject.tgid) - (x->subject.tgid < y->subject.tgid);
}

static void forget_ended(struct detectors *d) {
        size_t n = 0;

        for (size_t i = 0; i < d->n_standing; i++)
                if (d->standing[i].tick == d->tick)
                        d->standing[n++] = d->standing[i];
        d->n_standing = n;
}

/* Why the confidence is what it is. */
static void explain_confidence(const struct snapshot *s, struct verdict *v) {
        const struct device_view *view = snapshot_find_device(s, v->dev);

        if (view && view->requests.one_in > 1)
                verdict_add(v, "sampled-one-in", view->requests.one_in, 0, "");
        if (s->lost_lately > 0)
                verdict_add(v, "events-lost", (int64_t) MIN(s->lost_lately, (uint64_t) INT64_MAX), 0, "");
}

size_t detectors_run(struct detectors *d, const struct snapshot *s, struct verdict *ret) {
        struct detection detection = { .snapshot = s, .detectors = d, .verdicts = ret };

        d->tick++;
        for (size_t i = 0; i < s->n_devices; i++) {
                detection.view = &s->devices[i];
                for (int k = 0; k < _VERDICT_KIND_MAX; k++) {
                        size_t first = detection.n;
                        detection.kind = (enum verdict_kind) k;
                        detection.direction = DIRECTION_NONE;
                        detectors[k](&detection);
                        qsort(ret + first, detection.n - first, sizeof(*ret), compare_severity);
                }
        }
        forget_ended(d);
        for (size_t i = 0; i < detection.n; i++)
                explain_confidence(s, &ret[i]);
        return detection.n;
}
