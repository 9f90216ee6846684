/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>

#include "histogram.h"
#include "macro.h"

#define SUB_BUCKETS (1u << HISTOGRAM_SUB_BITS)

/* Below SUB_BUCKETS each value has its own bucket; above, the leading bit chooses the eight and the next three bits one of them. */
static unsigned bucket_of(uint32_t v) {
        unsigned shift;

        if (v < SUB_BUCKETS)
                return v;
        shift = 31u - (unsigned) __builtin_clz(v) - HISTOGRAM_SUB_BITS;
        return (shift << HISTOGRAM_SUB_BITS) + (v >> shift);
}

static uint32_t middle_of(unsigned bucket) {
        unsigned shift;

        if (bucket < 2 * SUB_BUCKETS)
                return bucket;
        shift = (bucket >> HISTOGRAM_SUB_BITS) - 1;
        return ((bucket - (shift << HISTOGRAM_SUB_BITS)) << shift) + (1u << shift) / 2;
}

void histogram_add(struct histogram *h, uint64_t us) {
        uint32_t *bucket = &h->buckets[bucket_of((uint32_t) MIN(us, HISTOGRAM_VALUE_MAX))];

        if (h->count == UINT32_MAX)
                return;
        h->count++;
        (*bucket)++;
}

void histogram_merge(struct histogram *h, const struct histogram *other) {
        h->count = add_saturating(h->count, other->count);
        for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
                h->buckets[i] = add_saturating(h->buckets[i], other->buckets[i]);
}

uint32_t histogram_percentile(const struct histogram *h, uint32_t permille) {
        uint64_t rank = MAX(((uint64_t) h->count * MIN(permille, 1000u) + 999) / 1000, 1u), seen = 0;

        if (h->count == 0)
                return 0;
        for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
                seen += h->buckets[i];
                if (seen >= rank)
                        return middle_of(i);
        }
        return HISTOGRAM_VALUE_MAX;
}

uint32_t histogram_largest(const struct histogram *h) {
        for (unsigned i = h->count > 0 ? HISTOGRAM_BUCKETS : 0; i > 0; i--)
                if (h->buckets[i - 1] > 0)
                        return middle_of(i - 1);
        return 0;
}

static void turn(struct histogram_window *w, nsec_t t) {
        nsec_t passed = nsec_sub(t, w->start);

        if (passed < HISTOGRAM_PERIOD_NS)
                return;
        if (passed < 2 * HISTOGRAM_PERIOD_NS)
                w->before = w->now;
        else
                w->before = (struct histogram){ 0 };
        w->now = (struct histogram){ 0 };
        w->start = t - passed % HISTOGRAM_PERIOD_NS;
}

static void begin(struct histogram_window *w, nsec_t t) {
        if (w->start == 0)
                w->start = t;
        turn(w, t);
}

void histogram_window_add(struct histogram_window *w, nsec_t t, uint64_t us) {
        begin(w, t);
        histogram_add(&w->now, us);
}

void histogram_window_expect(const struct histogram_window *w, uint64_t us) {
        __builtin_prefetch(w, 1);
        __builtin_prefetch(&w->now.buckets[bucket_of((uint32_t) MIN(us, HISTOGRAM_VALUE_MAX))], 1);
}

void histogram_window_add_counts(struct histogram_window *w, nsec_t t, unsigned first, const uint32_t *counts, unsigned n) {
        begin(w, t);
        for (unsigned i = 0; i < n && first + i < HISTOGRAM_BUCKETS; i++) {
                w->now.count = add_saturating(w->now.count, counts[i]);
                w->now.buckets[first + i] = add_saturating(w->now.buckets[first + i], counts[i]);
        }
}

void histogram_window_get(const struct histogram_window *w, nsec_t now, struct histogram *ret) {
        nsec_t passed = nsec_sub(now, w->start);

        *ret = (struct histogram){ 0 };
        if (passed >= 2 * HISTOGRAM_PERIOD_NS)
                return;
        *ret = w->now;
        if (passed < HISTOGRAM_PERIOD_NS)
                histogram_merge(ret, &w->before);
}

static void add_newer(struct histogram *sum, const struct histogram *h, const struct histogram *seen) {
        for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
                uint32_t known = seen ? MIN(seen->buckets[i], h->buckets[i]) : 0;
                sum->buckets[i] = add_saturating(sum->buckets[i], h->buckets[i] - known);
                sum->count = add_saturating(sum->count, h->buckets[i] - known);
        }
}

void histogram_window_follow(const struct histogram_window *w, struct histogram_mark *mark, struct histogram *sum) {
        bool same = w->start == mark->start, next = w->start == mark->start + HISTOGRAM_PERIOD_NS;

        if (sum && mark->start && !same)
                add_newer(sum, &w->before, next ? &mark->seen : NULL);
        if (sum && mark->start)
                add_newer(sum, &w->now, same ? &mark->seen : NULL);
        mark->start = w->start;
        mark->seen = w->now;
}
