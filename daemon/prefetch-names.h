/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What files are called of which the kernel told the numbers alone. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prefetch-list.h"
#include "prefetch-place.h"

#define PREFETCH_TASKS_MAX 64
/* A process whose memory is being changed makes others wait that look at it, for as long as its files' servers want. */
#define PREFETCH_PATIENCE_S 5

/* Threads of a start. */
struct prefetch_tasks {
        bool is_residency; /* what they have mapped is all that is known of the start */
        size_t n;
        int32_t tids[PREFETCH_TASKS_MAX];
};

/* With is_residency adds what the tasks have mapped to the list. Else names those of the list that have none (PREFETCH_UNNAMED), with paths from
 * the root of their file system. On ext2 to ext4 and f2fs the kernel finds any file by its number, if it is in memory; on others those are found
 * that a process of the start has mapped now. For a process of its own with CAP_DAC_READ_SEARCH and CAP_SYS_PTRACE: a hostile process may keep it
 * waiting, after which it is killed. */
void prefetch_names_find(struct prefetch_list *l, const struct prefetch_places *places, const struct prefetch_tasks *tasks);

/* A line of /proc/PID/maps. Returns false for one of no file. *ret_path: within the line. */
bool prefetch_names_parse(char *line, uint32_t *ret_dev, uint64_t *ret_ino, const char **ret_path);
