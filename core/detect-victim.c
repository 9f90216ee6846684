/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which process waits, how long, and because of which. From single requests: what the drive served while the process had a read under way
 * (core/blame.h). Without them, a guess from /proc: it waits most of the time, and another moves what the drive moves.
 * docs/detectors.md has the account. */
#include <stdio.h>

#include "detect.h"
#include "macro.h"
#include "str.h"

#define WAITS_PERMILLE 300      /* of its time; half of it ends the verdict */
#define OWN_PERMILLE 250        /* of the drive's time while it waits: with more it waits for what it asked for itself */
#define OWN_PERMILLE_END 400
#define CULPRIT_PERMILLE 60     /* that one other has; each of a crowd has less (core/blame.h), and the crowd is many-sync */
#define TIMES_OWN 4             /* and so many times what the victim has, in the drive's time and in bytes: else both are in the same boat */
#define SPAN_NS (2 * NSEC_PER_SEC) /* it is followed for so long ... */
#define GREEDY_PERMILLE 900        /* ... one that waits all the time for twice as long: of readers that take turns, each waits while another has its turn */
#define SERVED_US 100000u       /* ... and the drive was at work for so long while it waited */

/* What /proc shows of waiting is rough, and that a process moves much says only that the drive may have been busy with that. */
#define GUESS_WAITS_PERMILLE 500
#define GUESS_OWN_PERMILLE 100
#define GUESS_CULPRIT_PERMILLE 500
#define GUESS_CONFIDENCE_PERMILLE 500 /* of that of any verdict from /proc */

static const struct process_view *find_process(const struct detection *d, const struct subject *subject) {
        return snapshot_find_process(d->snapshot, subject->tgid, subject->start_ticks);
}

static void tell_waiting(const struct detection *d, const struct wait_view *w, struct verdict *v) {
        const struct process_view *p = find_process(d, &w->subject);
        const struct latency_view *l = p && p->requests.told ? &p->requests.latencies.wait[REQUEST_READ] : NULL;
        char name[MENTION_MAX];

        verdict_add(v, "waiting", w->wait_permille, WAITS_PERMILLE, "permille");
        SAY(v->sentence, sizeof(v->sentence), SAY_VICTIM, mention(name, w->subject.name, 0, w->subject.uid), PERCENT(w->wait_permille));
        if (!l || l->requests == 0)
                return;
        verdict_add(v, "read-latency-p99", l->p99_us, 0, "us");
        SAY(v->sentence, sizeof(v->sentence), SAY_VICTIM_P99, l->p99_us);
}

static uint64_t moved(const struct process_view *p) {
        return p->moved[REQUEST_READ].bytes + p->moved[REQUEST_WRITE].bytes;
}

/* In bytes, over a time that is longer than readers' turns. */
static bool is_in_the_same_boat(const struct detection *d, const struct subject *subject, const struct subject *culprit) {
        const struct process_view *a = find_process(d, subject), *b = find_process(d, culprit);

        return a && b && moved(b) < TIMES_OWN * moved(a);
}

/* Where no other process is the cause of the waiting there is no verdict: a process waits for what it wrote itself, for example. */
static void judge(struct detection *d, const struct wait_view *w) {
        struct subject culprit = w->culprit;
        bool stands = detection_stands(d, &w->subject), kernel = w->kernel_permille > w->culprit_permille;
        uint64_t written;
        const struct process_view *writer = kernel ? detection_find_writer(d, &written) : NULL; /* whose pages the kernel writes back */
        uint32_t share = kernel ? w->kernel_permille : w->culprit_permille;
        char name[MENTION_MAX];
        struct verdict *v;

        if (!*w->subject.name || nsec_sub(d->snapshot->now, w->since) < (w->wait_permille < GREEDY_PERMILLE ? SPAN_NS : 2 * SPAN_NS) || w->served_us < SERVED_US ||
            w->wait_permille < (stands ? WAITS_PERMILLE / 2 : WAITS_PERMILLE) || w->own_permille > (stands ? OWN_PERMILLE_END : OWN_PERMILLE) ||
            share < (stands ? CULPRIT_PERMILLE / 2 : CULPRIT_PERMILLE) || (!stands && share < TIMES_OWN * w->own_permille))
                return;
        if (kernel)
                culprit = writer ? process_view_subject(writer) : (struct subject){ 0 };
        if (subject_same(&w->subject, &culprit) || (!stands && is_in_the_same_boat(d, &w->subject, &culprit)) || !(v = detection_add(d, &w->subject)))
                return;
        v->severity = (uint16_t) (w->wait_permille * (1000 - w->own_permille) / 1000);
        tell_waiting(d, w, v);
        verdict_add(v, "own-service", w->own_permille, OWN_PERMILLE, "permille");
        verdict_add(v, "culprit-service", w->culprit_permille, CULPRIT_PERMILLE, "permille");
        verdict_add(v, "kernel-service", w->kernel_permille, 0, "permille");
        if (!kernel && !*culprit.name)
                SAY(v->sentence, sizeof(v->sentence), SAY_VICTIM_OF_ENDED, PERCENT(share));
        else if (!kernel)
                SAY(v->sentence, sizeof(v->sentence), SAY_VICTIM_OF, PERCENT(share), mention(name, culprit.name, 0, culprit.uid));
        else if (writer)
                SAY(v->sentence, sizeof(v->sentence), SAY_VICTIM_OF_KERNEL_FOR, PERCENT(share), mention(name, culprit.name, 0, culprit.uid));
        else
                SAY(v->sentence, sizeof(v->sentence), SAY_VICTIM_OF_KERNEL, PERCENT(share));
        SAY(v->sentence, sizeof(v->sentence), SAY_VICTIM_OWN, PERCENT(w->own_permille), mention(name, w->subject.name, 0, w->subject.uid));
        if (!*culprit.name)
                return;
        v->culprit = culprit;
        v->culprit_permille = (uint16_t) share;
}

static uint64_t rate(const struct process_view *p) {
        return p->read_bytes_per_s + p->write_bytes_per_s;
}

static const struct process_view *find_busiest(const struct detection *d, uint64_t *ret_sum) {
        const struct process_view *most = NULL;

        *ret_sum = 0;
        for (size_t i = 0; i < d->snapshot->n_processes; i++) {
                const struct process_view *p = &d->snapshot->processes[i];
                if (p->dev != d->view->dev)
                        continue;
                *ret_sum += rate(p);
                if (!most || rate(p) > rate(most))
                        most = p;
        }
        return most;
}

static bool waits_as_far_as_proc_shows(const struct detection *d, const struct process_view *p, bool stands) {
        return p->dev == d->view->dev && p->wait_known && p->read_bytes_per_s > p->write_bytes_per_s &&
               nsec_sub(d->snapshot->now, p->last_io) <= READER_WINDOW_NS &&
               p->wait_permille >= (stands ? GUESS_WAITS_PERMILLE / 2 : GUESS_WAITS_PERMILLE);
}

static void guess(struct detection *d, const struct process_view *p, const struct process_view *busiest, uint64_t sum) {
        struct subject subject = process_view_subject(p);
        bool stands = detection_stands(d, &subject);
        uint32_t own = (uint32_t) (rate(p) * 1000 / sum), share = (uint32_t) (rate(busiest) * 1000 / sum);
        char name[MENTION_MAX], other[MENTION_MAX];
        struct verdict *v;

        if (p == busiest || !waits_as_far_as_proc_shows(d, p, stands) || own > (stands ? 2 * GUESS_OWN_PERMILLE : GUESS_OWN_PERMILLE) ||
            share < (stands ? GUESS_CULPRIT_PERMILLE / 2 : GUESS_CULPRIT_PERMILLE) || !(v = detection_add(d, &subject)))
                return;
        v->confidence = (uint16_t) (detection_process_confidence(d, p) * GUESS_CONFIDENCE_PERMILLE / 1000);
        v->severity = (uint16_t) (p->wait_permille * (1000 - own) / 1000);
        verdict_add(v, "waiting", p->wait_permille, GUESS_WAITS_PERMILLE, "permille");
        verdict_add(v, "own-bytes", own, GUESS_OWN_PERMILLE, "permille");
        verdict_add(v, "culprit-bytes", share, GUESS_CULPRIT_PERMILLE, "permille");
        SAY(v->sentence, sizeof(v->sentence), SAY_VICTIM_GUESS, mention(name, p->name, 0, p->uid), PERCENT(p->wait_permille), PERCENT(share),
            mention(other, busiest->name, 0, busiest->uid));
        v->culprit = process_view_subject(busiest);
        v->culprit_permille = (uint16_t) share;
}

/* For long enough, one by one, and whose they are: not through dm-crypt, for one. */
static bool are_requests_known(const struct detection *d) {
        return d->view->requests.since && !d->view->requests.summed && nsec_sub(d->snapshot->now, d->view->requests.since) >= SPAN_NS &&
               d->view->requests.anonymous_permille <= ANONYMOUS_PERMILLE_MAX;
}

void detect_victim(struct detection *d) {
        const struct process_view *busiest;
        uint64_t sum;

        if (are_requests_known(d)) {
                for (size_t i = 0; i < d->view->requests.n_waits; i++)
                        judge(d, &d->view->requests.waits[i]);
                return;
        }
        busiest = find_busiest(d, &sum);
        for (size_t i = 0; busiest && sum > 0 && i < d->snapshot->n_processes; i++)
                guess(d, &d->snapshot->processes[i], busiest, sum);
}
