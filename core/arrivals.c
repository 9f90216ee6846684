/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "arrivals.h"
#include "macro.h"

void arrivals_note(struct arrivals *a, const struct rhythm *r, enum soft_rt_answer answer, int64_t margin_ns) {
        int64_t margin_us = margin_ns / (int64_t) NSEC_PER_USEC;

        if (r->ended.us == 0) {
                a->n = a->at = 0;
                return;
        }
        a->ring[a->at] = (struct arrival){
                .period_us = r->ended.us,
                .pause_us = r->ended.pause_us,
                .bytes = (uint32_t) MIN(r->ended.bytes, (uint64_t) UINT32_MAX),
                .margin_us = (int32_t) CLAMP(margin_us, (int64_t) INT32_MIN, (int64_t) INT32_MAX),
                .answer = (uint8_t) answer,
                .left_out = r->ended_left_out,
        };
        a->at = (uint8_t) ((a->at + 1) % ARRIVALS_MAX);
        a->n = (uint8_t) MIN(a->n + 1, ARRIVALS_MAX);
}

const struct arrival *arrivals_at(const struct arrivals *a, size_t i) {
        return &a->ring[(a->at + ARRIVALS_MAX - a->n + i) % ARRIVALS_MAX];
}
