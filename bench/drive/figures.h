/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a model does under given workloads, in simulated time: exact, the same each time, whatever the machine. */
#pragma once

#include "model-load.h"

/* What is served of each drive here, as of the benchmarks' (bench/lib/drive.py). */
#define FIGURES_SERVED_BYTES (UINT64_C(32) << 30)
#define FIGURES_DEPTH_MAX 64

struct drive_workload {
        enum drive_pattern {
                PATTERN_RANDOM,
                PATTERN_SEQUENTIAL,
                PATTERN_READ_BESIDE, /* one reads at random; the others read or write in order */
        } pattern;
        size_t depth;
        uint64_t bytes;
        unsigned write_percent;
        bool flushed;     /* each write is followed by a flush, and both count as one */
        unsigned before;  /* how many requests are not counted, at first */
        uint64_t from_bytes, span_bytes; /* 0: what is served */
};

struct drive_outcome {
        double iops, mbps;
        double mean_us; /* from arrival to completion; of PATTERN_READ_BESIDE, the reads' at random */
        double longest_ms;
        double cliff_mb; /* after so much the rate fell below half of the first one; 0: it did not */
};

/* `depth` readers or writers in a closed loop, until n requests that count are done; rates are per second of drive time. */
struct drive_outcome drive_run(struct drive *d, const struct drive_workload *w, uint64_t seed, unsigned n);

/* Of a figure that a model's [intended] names. */
struct drive_figure {
        const char *key, *label, *unit;
        double intended, reached;
};

#define FIGURES_MAX 32

/* Measures all that a model's [intended] names. Returns how many, or as drive_load(). */
int drive_figures(const char *path, uint64_t seed, struct drive_figure ret[FIGURES_MAX], struct drive_load_error *ret_error);
