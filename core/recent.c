/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "macro.h"
#include "recent.h"

static void turn(struct recent_sum *s, nsec_t t) {
        nsec_t passed = nsec_sub(t, s->start);

        if (passed < HISTOGRAM_PERIOD_NS)
                return;
        s->before = passed < 2 * HISTOGRAM_PERIOD_NS ? s->now : 0;
        s->now = 0;
        s->start = t - passed % HISTOGRAM_PERIOD_NS;
}

void recent_add(struct recent_sum *s, nsec_t t, uint64_t value) {
        if (s->start == 0)
                s->start = t;
        turn(s, t);
        s->now += value;
}

uint64_t recent_get(const struct recent_sum *s, nsec_t now) {
        struct recent_sum copy = *s;

        turn(&copy, now);
        return copy.now + copy.before;
}

nsec_t recent_span(const struct recent_sum *s, nsec_t since, nsec_t now) {
        struct recent_sum copy = *s;

        turn(&copy, now);
        return MIN(nsec_sub(now, since), nsec_sub(now, copy.start) + HISTOGRAM_PERIOD_NS);
}

uint32_t recent_permille(const struct recent_sum *s, nsec_t since, nsec_t now) {
        nsec_t span = recent_span(s, since, now);

        return span ? (uint32_t) MIN(recent_get(s, now) * 1000 / span, 1000u) : 0;
}
