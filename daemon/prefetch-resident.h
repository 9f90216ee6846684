/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which pages of a file are in memory. */
#pragma once

#include "prefetch-list.h"
#include "prefetch-place.h"

/* How many of a list's pages, of 4 KiB, one of the kernel's is. */
uint32_t prefetch_pages_in_kernels(void);

/* Opens a file to ask that of it, and looks at it. Returns a descriptor, or -errno: -EPERM of one that another user owns, since the kernel does not say
 * (can_do_mincore()). */
int prefetch_resident_open(const struct prefetch_places *places, const char *path, struct prefetch_file *ret);

/* Adds to a file of the list what is in memory of so many pages of it, whole pages of the kernel's. Refusals are counted there. */
void prefetch_resident_add(int fd, uint32_t first, uint32_t count, struct prefetch_list *l, uint32_t file);

/* The same of all of a file whose path is from the root of its file system, if it is still that file. */
void prefetch_resident_add_file(const struct prefetch_places *places, struct prefetch_list *l, uint32_t file);
