/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kernel reads of a program to begin it: of the program, and of the one that loads its libraries. It tells of an exec only after that, so what tells of
 * pages may come too late for it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "prefetch-list.h"
#include "prefetch-place.h"

struct prefetch_exec {
        size_t n;
        struct {
                uint32_t dev; /* of its file system */
                uint64_t ino;
                char path[PREFETCH_PATH_MAX]; /* from the root of that */
        } files[2];
};

/* What /proc has of a process: where the kernel put the two, and what it has mapped; -1: it is not said. */
struct prefetch_exec_files {
        int auxv_fd, maps_fd;
};

/* For a process of its own with CAP_SYS_PTRACE, which the rest does not need: one that is kept waiting is killed. */
void prefetch_exec_open(int32_t tgid, struct prefetch_exec_files *ret);

/* The two files, as the auxiliary vector says (AT_PHDR, AT_BASE); for a process of its own as above. Closes both. */
void prefetch_exec_find(const struct prefetch_exec_files *files, const struct prefetch_places *places, struct prefetch_exec *ret);

/* Adds to what a start read what is in memory of them now. Of files that another user owns the kernel does not say (can_do_mincore()): nothing. */
void prefetch_exec_add(const struct prefetch_exec *exec, const struct prefetch_places *places, struct prefetch_list *seen);
