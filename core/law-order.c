/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All laws, in the order in which they are heard: of two wishes for a tunable the first counts. Throughput stands before slice-share, since both change
 * timeout_sync: a user that comes back has the short turns at once, where slice-share would wait for the time Hold. */
#include "law-private.h"
#include "macro.h"

static size_t (*const laws[])(const struct law_input *l, struct law_wish *ret) = {
        law_no_idle_class_served_strictly,
        law_startup_guard,
        law_stream_guard,
        law_writeback_guard,
        law_readahead,
        law_hole_filler,
        law_idle_limit,
        law_throughput,
        law_slice_share,
};

bool law_same_variable(enum tunable_id a, enum tunable_id b) {
        return a == b || tunable_get(a)->twin == b;
}

static bool is_wanted(const struct law_wish *wishes, size_t n, enum tunable_id id) {
        for (size_t i = 0; i < n; i++)
                if (law_same_variable(wishes[i].tunable, id))
                        return true;
        return false;
}

size_t law_collect(const struct law_input *l, struct law_wish ret[static LAW_WISHES_ALL_MAX], uint32_t *ret_held_off) {
        struct law_wish wishes[LAW_WISHES_MAX];
        uint32_t held_off = 0;
        size_t n = 0;

        for (size_t i = 0; i < ARRAY_SIZE(laws); i++) {
                size_t wanted = laws[i](l, wishes), before = n;
                for (size_t k = 0; k < wanted && n < LAW_WISHES_ALL_MAX; k++) {
                        if (l->d->barred & 1u << wishes[k].law || is_wanted(ret, before, wishes[k].tunable))
                                continue;
                        if (l->in->hold == HOLD_THROUGHPUT && wishes[k].costs_throughput)
                                held_off |= 1u << wishes[k].law;
                        else
                                ret[n++] = wishes[k];
                }
        }
        *ret_held_off = held_off;
        return n;
}
