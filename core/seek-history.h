/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which of the last 32 requests were seeks, exactly as bfq counts them (block/bfq-iosched.c, bfq_update_io_seektime()). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A request further than this from the end of the one before is a seek ... */
#define SEEK_SECTORS 800
/* ... on a drive without heads only if it is shorter than this ... */
#define SEEK_SMALL_SECTORS 64
/* ... and a process whose last 32 requests had more than this many of them seeks (BFQQ_SEEKY). */
#define SEEKY_OF_32 19
#define SEEK_REQUESTS_MAX 32

struct seek_history {
        uint64_t last_end; /* sector behind the last request; 0: none yet, and the next is no seek wherever it is */
        uint32_t bits;     /* a bit a request, the newest lowest */
        uint32_t n;        /* requests in it, at most SEEK_REQUESTS_MAX */
};

/* The kernel's own begins with one seek, too (bfq_init_bfqq()). */
#define SEEK_HISTORY_INIT ((struct seek_history){ .bits = 1 })

/* Whether a request is one, after one that ended at last_end. */
bool seek_is_far(uint64_t last_end, uint64_t sector, uint32_t sectors, bool rotational);

void seek_history_add(struct seek_history *h, uint64_t sector, uint32_t sectors, bool rotational);
bool seek_history_is_seeky(const struct seek_history *h);

/* Whether it is known by so few requests as SEEKS_SO_FAR_MIN that could be seeks; the first that is seen cannot. */
#define SEEKS_SO_FAR_MIN 4
bool seek_history_is_begun(const struct seek_history *h);

/* The same as seek_history_is_seeky(), of those that are there: from 32 on the same answer. */
bool seek_history_is_seeky_so_far(const struct seek_history *h);

/* Part of the requests in it that were no seeks: 0 to 1000, 0 where there are none. */
uint32_t seek_history_sequential_permille(const struct seek_history *h);
