/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events out of the records of the programs in the kernel (bpf/record.h), and whose names need telling. */
#pragma once

#include <stddef.h>

#include "event.h"

/* Returns 1; 0 for a kind of operation that is not told; -EBADMSG for what is no record. *ret_name: the EVENT_PROCESS_NAME of the process that
 * queued it; its tgid is 0 where there is none. */
int bpf_record_parse(const void *data, size_t size, struct event *ret, struct event *ret_name);

/* The EVENT_PROCESS_NAME of a process that began at start_ns (CLOCK_BOOTTIME), whatever its name holds. */
struct event bpf_record_name(nsec_t t, int32_t tgid, uint64_t start_ns, const char name[static EVENT_NAME_MAX]);

/* A name that was told is told again after so long, in case it was forgotten. */
#define PROCESS_NAMES_TOLD_NS (5 * NSEC_PER_SEC)
/* One process a place, and a later one takes it: telling a name again does no harm. A power of two. */
#define PROCESS_NAMES_PLACES 1024

struct process_names {
        struct event places[PROCESS_NAMES_PLACES];
};

/* Whether an EVENT_PROCESS_NAME needs telling; if so, it counts as told. */
bool process_names_is_new(struct process_names *n, const struct event *name);
