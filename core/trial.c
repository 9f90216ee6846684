/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "histogram.h"
#include "macro.h"
#include "trial.h"

/* Processes write: in two of the last eight seconds. A log file does not. */
#define WRITES_ACTIVE_S 2

static const unsigned looks_at[TRIAL_LOOKS] = { 6, 12, RANK_SAMPLES_MAX };

bool trial_load_same(const struct trial_load *a, const struct trial_load *b) {
        uint32_t low = MIN(a->readers, b->readers), high = MAX(a->readers, b->readers);

        return a->writes == b->writes && (uint64_t) high * 2 <= (uint64_t) low * 3;
}

static void add(struct trial_series *s, uint64_t value, bool told) {
        if (s->n == RANK_SAMPLES_MAX)
                memmove(s->values, s->values + 1, --s->n * sizeof(*s->values));
        s->values[s->n++] = (uint32_t) MIN(value, UINT32_MAX);
        s->n_told = told ? MIN(s->n_told + 1, s->n) : 0;
}

static void forget_tail(struct trial_tail *t) {
        t->since = 0;
        memset(&t->now, 0, sizeof(t->now));
        memset(&t->before, 0, sizeof(t->before));
}

static void forget(struct trial_recent *r) {
        memset(r->series, 0, sizeof(r->series));
        memset(&r->sum, 0, sizeof(r->sum));
        r->longest = 0;
        forget_tail(&r->tail);
}

void trial_disturb(struct trial_recent *r, nsec_t from) {
        forget(r);
        r->from = MAX(r->from, from);
}

/* The drive's counters: each look's, until they make a sample. */
static void take_counters(struct trial_recent *r, const struct device_view *v, nsec_t span) {
        uint64_t reads = (uint64_t) v->read_iops * span / NSEC_PER_SEC;
        bool enough;

        r->sum.span += span;
        r->sum.untold |= v->requests.read_waits == NULL;
        r->sum.reads += reads;
        r->sum.wait_us += reads * v->read_latency_us;
        r->sum.bytes += (v->read_bytes_per_s + v->write_bytes_per_s) * (span / NSEC_PER_USEC) / USEC_PER_SEC;
        enough = r->sum.span >= TRIAL_SAMPLE_NS && r->sum.reads >= TRIAL_SAMPLE_READS;
        if (!enough && r->sum.span < TRIAL_SAMPLE_LONGEST_NS)
                return;
        if (enough) {
                add(&r->series[TRIAL_MEAN_READ], r->sum.wait_us / r->sum.reads, !r->sum.untold);
                add(&r->series[TRIAL_THROUGHPUT], r->sum.bytes * USEC_PER_SEC / (r->sum.span / NSEC_PER_USEC) / 1024, !r->sum.untold);
        }
        memset(&r->sum, 0, sizeof(r->sum));
}

/* A window that reaches back before `from` is of other settings. */
static void take_longest(struct trial_recent *r, const struct device_view *v) {
        const struct latency_view *wait = &v->requests.latencies.wait[REQUEST_READ];

        if (!v->requests.since || wait->requests < TRIAL_LONGEST_READS || nsec_sub(v->t, r->from) < 2 * TRIAL_LONGEST_NS ||
            nsec_sub(v->t, r->longest) < TRIAL_LONGEST_NS)
                return;
        r->longest = v->t;
        add(&r->series[TRIAL_LONGEST_READ], wait->longest_us, v->requests.read_waits != NULL);
}

/* The single reads since the last look. counts: they are of the load and the settings that are measured. */
static void take_tail(struct trial_recent *r, const struct device_view *v, bool counts) {
        struct trial_tail *t = &r->tail;

        if (!v->requests.read_waits) {
                t->mark.start = 0;
                forget_tail(t);
                return;
        }
        if (counts && t->since == 0)
                t->since = v->t;
        if (counts && nsec_sub(v->t, t->since) >= TRIAL_TAIL_NS) {
                t->before = t->now;
                memset(&t->now, 0, sizeof(t->now));
                t->since = v->t;
        }
        histogram_window_follow(v->requests.read_waits, &t->mark, counts ? &t->now : NULL);
}

uint32_t trial_p95_us(const struct trial_recent *r, enum trial_measure m) {
        struct histogram both = r->tail.now;

        if (r->series[m].n_told < r->series[m].n)
                return 0;
        histogram_merge(&both, &r->tail.before);
        return both.count < TRIAL_TAIL_READS ? 0 : MAX(histogram_percentile(&both, TRIAL_TAIL_PERMILLE), 1u);
}

void trial_feed(struct trial_recent *r, const struct device_view *v) {
        struct trial_load load = { v->readers_smoothed, v->moved[REQUEST_WRITE].active_s >= WRITES_ACTIVE_S };
        nsec_t span = v->span_us * NSEC_PER_USEC;
        bool counts;

        if (v->t == 0 || v->t <= r->last)
                return;
        r->last = v->t;
        if (load.readers == 0 && !load.writes) {
                forget(r);
                take_tail(r, v, false);
                r->load_since = 0;
                return;
        }
        if (!r->load_since || !trial_load_same(&r->load, &load)) {
                forget(r);
                r->load = load;
                r->load_since = v->t;
        }
        counts = nsec_sub(v->t, span) >= r->from && nsec_sub(v->t, span) >= r->load_since + TRIAL_WARM_NS;
        take_tail(r, v, counts);
        if (!counts)
                return;
        take_counters(r, v, span);
        take_longest(r, v);
}

static bool is_look(unsigned looks, size_t n) {
        return looks < TRIAL_LOOKS && n >= looks_at[looks];
}

enum trial_answer trial_compare(enum trial_measure m, const struct trial_series *before, const struct trial_series *after, unsigned *looks,
                                struct rank_result *ret) {
        uint64_t low, high;
        bool higher;

        if (!is_look(*looks, after->n))
                return TRIAL_WAIT;
        while (is_look(*looks, after->n))
                (*looks)++;
        rank_compare(before->values, before->n, after->values, after->n, ret);
        low = MIN(ret->median_a, ret->median_b);
        high = MAX(ret->median_a, ret->median_b);
        higher = ret->median_b > ret->median_a;
        /* the ranks and the medians have to say the same */
        if (ret->confidence_permille >= 990 && high * 100 >= low * (100 + TRIAL_DIFFERENCE_PERCENT) && high > low && higher == (ret->sign > 0))
                return higher == (m == TRIAL_THROUGHPUT) ? TRIAL_BETTER : TRIAL_WORSE;
        return *looks < TRIAL_LOOKS ? TRIAL_WAIT : TRIAL_NEITHER;
}
