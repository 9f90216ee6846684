/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What shingled tracks make of writes, as Aghayev & Desnoyers found it in drives that hide it ("Skylight - A window on shingled disk
 * operation", FAST 2015): bands can only be written whole, in order. What comes in order goes there at once; all else goes to a log, the
 * media cache at the outer edge, and each band of which it holds something is to be written anew one day ("cleaned"): while the
 * drive idles, or while the host waits because the media cache is full. Without time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "units.h"

/* Bands of which the media cache holds something; beyond that it is full, too. */
#define SMR_BANDS_MAX 2048
#define SMR_STREAMS_MAX 8

struct smr_params {
        uint64_t band_bytes; /* 0: an ordinary disk */
        uint64_t media_cache_bytes;
        uint64_t used_bytes;   /* at the start, half a band's each, of bands at the drive's inner end */
        size_t streams;        /* in order, that it tells apart */
        size_t clean_bands;    /* that it cleans, once it is full, before it takes writes again */
        nsec_t clean_ns;       /* a band */
        nsec_t clean_after_ns; /* of idleness */
};

struct smr {
        struct smr_params params;
        struct {
                uint64_t number, bytes;
        } bands[SMR_BANDS_MAX]; /* by number */
        size_t n_bands, to_clean;
        uint64_t used_bytes, log, last_cleaned;
        struct {
                uint64_t next, last_use;
        } streams[SMR_STREAMS_MAX];
        uint64_t uses;
};

/* Returns 0, or -EINVAL where params make no drive. */
int smr_init(struct smr *s, const struct smr_params *p, uint64_t capacity_bytes);

/* Whether what is written goes to its band at once: it goes on where a stream was, or a band begins there. */
bool smr_is_in_order(struct smr *s, uint64_t from, uint64_t bytes);

/* Whether the media cache is to be cleaned before it takes more; once it is, until clean_bands are. */
bool smr_is_full(struct smr *s, uint64_t bytes);

/* Takes a write into the media cache. */
void smr_put(struct smr *s, uint64_t from, uint64_t bytes);

/* Cleans the next band, in order of place. Returns where the band begins. There is one. */
uint64_t smr_clean(struct smr *s);
