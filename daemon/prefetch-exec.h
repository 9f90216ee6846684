/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kernel reads of a program to begin it: of the program, and of the one that loads its libraries. It tells of an exec only after that, so what tells of
 * pages comes too late for it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "prefetch-list.h"
#include "prefetch-place.h"

struct prefetch_exec {
        size_t n;
        uint32_t files[2]; /* places in the list */
};

/* The two files, as /proc/PID/auxv says where the kernel put them (AT_PHDR, AT_BASE); the list has them then. For a process of its own with CAP_SYS_PTRACE,
 * as prefetch_names_find(). */
void prefetch_exec_find(struct prefetch_list *seen, const struct prefetch_places *places, int32_t tgid, struct prefetch_exec *ret);

/* Adds of them what is in memory now. Of files that another user owns the kernel does not say (can_do_mincore()); they are left as they are. */
void prefetch_exec_add(struct prefetch_list *seen, const struct prefetch_places *places, const struct prefetch_exec *exec);
