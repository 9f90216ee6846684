/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "macro.h"
#include "startup-timeline.h"

static void add(struct startup_slice *slice, const struct startup_slice *more) {
        slice->computing_us = add_saturating(slice->computing_us, more->computing_us);
        slice->queued_us = add_saturating(slice->queued_us, more->queued_us);
        slice->memory_us = add_saturating(slice->memory_us, more->memory_us);
        slice->waited_us = add_saturating(slice->waited_us, more->waited_us);
        slice->behind_us = add_saturating(slice->behind_us, more->behind_us);
        slice->read_bytes = add_saturating(slice->read_bytes, more->read_bytes);
}

/* Of two slices one. */
static void widen(struct startup_timeline *t) {
        for (size_t i = 0; i < STARTUP_SLICES_MAX / 2; i++) {
                t->slices[i] = t->slices[2 * i];
                add(&t->slices[i], &t->slices[2 * i + 1]);
        }
        memset(&t->slices[STARTUP_SLICES_MAX / 2], 0, STARTUP_SLICES_MAX / 2 * sizeof(t->slices[0]));
        t->width *= 2;
        t->n = (t->n + 1) / 2;
}

/* What of an amount that is spread over a span lies before a time within it. */
static uint32_t before(uint32_t amount, nsec_t at, nsec_t span) {
        return (uint32_t) ((double) amount * (double) at / (double) span);
}

static uint32_t part(uint32_t amount, nsec_t begin, nsec_t end, nsec_t span) {
        return before(amount, end, span) - before(amount, begin, span);
}

void startup_timeline_add(struct startup_timeline *t, nsec_t from, nsec_t to, const struct startup_slice *what) {
        nsec_t span = nsec_sub(to, from);

        if (span == 0)
                return;
        if (t->width == 0)
                t->width = STARTUP_SLICE_NS;
        while (to > t->width * STARTUP_SLICES_MAX && t->width < STARTUP_SLICE_MAX_NS)
                widen(t);
        for (size_t i = from / t->width; i < STARTUP_SLICES_MAX && i * t->width < to; i++) {
                nsec_t begin = MAX(i * t->width, from) - from, end = MIN((i + 1) * t->width, to) - from;
                struct startup_slice slice = {
                        .computing_us = part(what->computing_us, begin, end, span),
                        .queued_us = part(what->queued_us, begin, end, span),
                        .memory_us = part(what->memory_us, begin, end, span),
                        .waited_us = part(what->waited_us, begin, end, span),
                        .behind_us = part(what->behind_us, begin, end, span),
                        .read_bytes = part(what->read_bytes, begin, end, span),
                };
                add(&t->slices[i], &slice);
                t->n = MAX(t->n, i + 1);
        }
}

void startup_timeline_prepend(struct startup_timeline *t, const struct startup_timeline *first, nsec_t earlier) {
        struct startup_timeline both = *first;

        for (size_t i = 0; i < t->n; i++)
                startup_timeline_add(&both, earlier + i * t->width, earlier + (i + 1) * t->width, &t->slices[i]);
        *t = both;
}

void startup_slice_fit(struct startup_slice *slice, uint32_t length_us) {
        uint32_t *const parts[] = { &slice->memory_us, &slice->waited_us, &slice->computing_us, &slice->queued_us };

        for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
                *parts[i] = MIN(*parts[i], length_us);
                length_us -= *parts[i];
        }
        slice->behind_us = MIN(slice->behind_us, slice->waited_us);
}

void startup_timeline_cut(struct startup_timeline *t, nsec_t end) {
        size_t n = t->width ? MIN((end + t->width - 1) / t->width, t->n) : 0;

        memset(&t->slices[n], 0, (t->n - n) * sizeof(t->slices[0]));
        t->n = n;
        for (size_t i = 0; i < n; i++)
                startup_slice_fit(&t->slices[i], (uint32_t) (MIN(t->width, end - i * t->width) / NSEC_PER_USEC));
}
