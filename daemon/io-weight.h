/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The weight that was given to the I/O of a process's control groups: io.bfq.weight and io.weight, which systemd's IOWeight= sets, or
 * blkio.bfq.weight of cgroup v1. */
#pragma once

#include "units.h"

struct io_weights;

/* root "": the running machine. NULL without memory. */
struct io_weights *io_weights_new(const char *root);
struct io_weights *io_weights_free(struct io_weights *w);

/* That of the innermost of the process's groups that has not the usual one, 100; 0: all have it, or it cannot be read, or blk-iocost is on
 * for some drive and honours weights there whatever the scheduler. A group's is read anew every five seconds. */
uint32_t io_weights_find(struct io_weights *w, int32_t tgid, nsec_t now);

/* "100", or "default 100" and lines for single drives. Returns 0 where there is none. */
uint32_t io_weight_parse(const char *text);
