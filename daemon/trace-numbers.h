/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The device numbers that records of a drive's requests carry: its own, and those of its partitions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_NUMBERS_MAX 256

struct trace_numbers {
        size_t n;
        struct trace_number {
                uint32_t dev, drive;
        } numbers[TRACE_NUMBERS_MAX];
};

/* Adds a whole drive and the partitions that it has now, from sysfs. Returns false where there is no room for all of them. */
bool trace_numbers_add(struct trace_numbers *n, uint32_t drive);

/* The drive that a number belongs to; 0: none of ours. */
uint32_t trace_numbers_find(const struct trace_numbers *n, uint32_t dev);

bool trace_numbers_equal(const struct trace_numbers *a, const struct trace_numbers *b);
