/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "disk-smr.h"

#include <errno.h>

#include "macro.h"

/* The band's place in the table, or where it would be. */
static size_t place_of(const struct smr *s, uint64_t number) {
        size_t low = 0, high = s->n_bands;

        while (low < high) {
                size_t middle = (low + high) / 2;

                if (s->bands[middle].number < number)
                        low = middle + 1;
                else
                        high = middle;
        }
        return low;
}

bool smr_is_in_order(struct smr *s, uint64_t from, uint64_t bytes) {
        size_t oldest = 0;

        s->uses++;
        for (size_t i = 0; i < s->params.streams; i++) {
                if (s->streams[i].last_use > 0 && s->streams[i].next == from) {
                        s->streams[i].next = from + bytes;
                        s->streams[i].last_use = s->uses;
                        return true;
                }
                if (s->streams[i].last_use < s->streams[oldest].last_use)
                        oldest = i;
        }
        if (s->params.streams == 0 || from % s->params.band_bytes != 0)
                return false;
        s->streams[oldest].next = from + bytes;
        s->streams[oldest].last_use = s->uses;
        return true;
}

bool smr_is_full(struct smr *s, uint64_t bytes) {
        if (s->used_bytes + bytes > s->params.media_cache_bytes || s->n_bands == SMR_BANDS_MAX)
                s->to_clean = MAX(s->to_clean, s->params.clean_bands);
        s->to_clean = MIN(s->to_clean, s->n_bands);
        return s->to_clean > 0;
}

void smr_put(struct smr *s, uint64_t from, uint64_t bytes) {
        uint64_t number = from / s->params.band_bytes;
        size_t i = place_of(s, number);

        if (i == s->n_bands || s->bands[i].number != number) {
                memmove(&s->bands[i + 1], &s->bands[i], (s->n_bands - i) * sizeof(s->bands[0]));
                s->bands[i].number = number;
                s->bands[i].bytes = 0;
                s->n_bands++;
        }
        s->bands[i].bytes += bytes;
        s->used_bytes += bytes;
        s->log = (s->log + bytes) % s->params.media_cache_bytes;
}

uint64_t smr_clean(struct smr *s) {
        size_t i = place_of(s, s->last_cleaned + 1);
        uint64_t number;

        if (i == s->n_bands)
                i = 0;
        number = s->last_cleaned = s->bands[i].number;
        s->used_bytes -= s->bands[i].bytes;
        memmove(&s->bands[i], &s->bands[i + 1], (s->n_bands - i - 1) * sizeof(s->bands[0]));
        s->n_bands--;
        s->to_clean -= s->to_clean > 0;
        return number * s->params.band_bytes;
}

int smr_init(struct smr *s, const struct smr_params *p, uint64_t capacity_bytes) {
        *s = (struct smr) { .params = *p };
        if (p->band_bytes == 0)
                return 0;
        if (p->media_cache_bytes < p->band_bytes || p->used_bytes > p->media_cache_bytes || p->streams > SMR_STREAMS_MAX || p->clean_bands == 0 ||
            p->clean_ns == 0 || capacity_bytes / p->band_bytes < SMR_BANDS_MAX)
                return -EINVAL;
        for (uint64_t band = capacity_bytes / p->band_bytes; s->used_bytes < p->used_bytes && s->n_bands < SMR_BANDS_MAX / 4;)
                smr_put(s, --band * p->band_bytes, MIN(p->band_bytes / 2, p->used_bytes - s->used_bytes));
        /* What is left of it is of bands that are never cleaned while we look. */
        s->used_bytes = p->used_bytes;
        return 0;
}
