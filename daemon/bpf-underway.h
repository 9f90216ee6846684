/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests that no program in the kernel saw end, out of the places in which the programs note them (bpf/record.h). The programs
 * find most of them, when the kernel uses the request again; what was under way when a drive came to rest, these do. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "bpf/record.h"
#include "units.h"

/* The kernel notes a request as under way a moment after it has told that it is issued, and a virtual CPU may rest in between. */
#define BPF_UNDERWAY_AGE_NS (100 * NSEC_PER_MSEC)

/* The next one at its drive that was issued at `until` or before, from places[*i] on, which is moved behind it; NULL: no more. */
struct bpf_underway *bpf_underway_next(struct bpf_underway places[static BPF_UNDERWAY_PLACES], size_t *i, nsec_t until);

/* Takes out what _next() returned, once its drive rested after that. Fills ret with its completion, found out at t; false where
 * the programs have found it meanwhile. */
bool bpf_underway_take(struct bpf_underway *u, nsec_t until, nsec_t t, struct bpf_record *ret);

#define BPF_UNDERWAY_BLOCKS "/sys/dev/block"

/* Whether the kernel says that nothing is under way. blocks: the above or a copy. False where it does not count that. */
bool bpf_underway_rests(const char *blocks, uint32_t dev);
