/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "macro.h"
#include "peak-rate.h"
#include "seek-history.h"

#define WEIGHT_MAX 8u
#define LONGEST_OF 32 /* dispatches */

static uint32_t reference(const struct peak_rate *p) {
        return p->rotational ? PEAK_RATE_REFERENCE_ROTATIONAL : PEAK_RATE_REFERENCE_FLASH;
}

void peak_rate_begin(struct peak_rate *p, bool rotational) {
        *p = (struct peak_rate){ .rotational = rotational };
        p->rate = reference(p) * 2 / 3;
}

/* Makes the interval's rate part of the estimate, if it says anything. */
static void end_interval(struct peak_rate *p) {
        uint64_t rate, weight, divisor;

        if (p->samples < PEAK_RATE_SAMPLES_MIN || p->span < PEAK_RATE_SPAN_MIN_NS)
                return;
        p->span = MAX(p->span, nsec_sub(p->last_completion, p->first_dispatch));
        rate = (p->sectors << PEAK_RATE_SHIFT) / (p->span / NSEC_PER_USEC);
        if ((p->sequential < 3 * p->samples / 4 && rate <= p->rate) || rate > PEAK_RATE_MAX)
                return;
        weight = 9 * p->sequential / p->samples;
        weight = MIN(weight * p->span / PEAK_RATE_SPAN_NS, WEIGHT_MAX);
        divisor = 10 - weight;
        p->rate = (uint32_t) MAX(p->rate * (divisor - 1) / divisor + rate / divisor, 1u);
        p->intervals++;
}

static void begin_interval(struct peak_rate *p, nsec_t t, uint32_t sectors) {
        p->first_dispatch = t;
        p->samples = 1;
        p->sequential = 0;
        p->sectors = p->longest = sectors;
}

/* Returns whether the interval ends with it. */
static bool add_sample(struct peak_rate *p, nsec_t t, uint64_t sector, uint32_t sectors, bool at_work) {
        if (nsec_sub(t, p->last_dispatch) > PEAK_RATE_GAP_NS && !at_work)
                return true;
        p->samples++;
        if ((at_work || nsec_sub(t, p->last_completion) < PEAK_RATE_PAUSE_NS) && !seek_is_far(p->last_end, sector, sectors, p->rotational))
                p->sequential++;
        p->sectors += sectors;
        p->longest = p->samples % LONGEST_OF ? MAX(p->longest, sectors) : sectors;
        p->span = nsec_sub(t, p->first_dispatch);
        return p->span >= PEAK_RATE_SPAN_NS;
}

void peak_rate_dispatch(struct peak_rate *p, nsec_t t, uint64_t sector, uint32_t sectors, bool at_work) {
        if (p->samples == 0) {
                begin_interval(p, t, sectors);
        } else if (add_sample(p, t, sector, sectors, at_work)) {
                end_interval(p);
                begin_interval(p, t, sectors); /* the kernel counts it in both, too */
        }
        p->last_end = sector + sectors;
        p->last_dispatch = t;
}

void peak_rate_complete(struct peak_rate *p, nsec_t t) {
        uint64_t gap_us = nsec_sub(t, p->last_completion) / NSEC_PER_USEC;

        if (gap_us > PEAK_RATE_PAUSE_NS / NSEC_PER_USEC && ((uint64_t) p->longest << PEAK_RATE_SHIFT) / gap_us < PEAK_RATE_SLOWEST) {
                end_interval(p);
                p->samples = 0;
        }
        p->last_completion = t;
}

uint64_t peak_rate_bytes_per_s(const struct peak_rate *p) {
        return p->intervals ? p->rate * SECTOR_BYTES * USEC_PER_SEC >> PEAK_RATE_SHIFT : 0;
}

uint32_t peak_rate_raise_ms(const struct peak_rate *p) {
        uint32_t duration = p->rotational ? RAISE_REFERENCE_ROTATIONAL_MS : RAISE_REFERENCE_FLASH_MS;

        return p->rate ? CLAMP(reference(p) * duration / p->rate, RAISE_MIN_MS, RAISE_MAX_MS) : 0;
}
