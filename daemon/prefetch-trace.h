/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes lists of what the kernel tells of the pages of files that starts bring into memory (page-source.h), while one is followed and a little longer. */
#pragma once

#include <stdint.h>

#include "event.h"
#include "prefetch-list.h"
#include "prefetch-names.h"
#include "source.h"

struct prefetch_trace;

/* Returns 0 or -ENOMEM. */
int prefetch_trace_new(struct prefetch_trace **ret);
struct prefetch_trace *prefetch_trace_free(struct prefetch_trace *t);

/* Loads what tells of pages; else that is done when the first start begins. */
void prefetch_trace_prepare(struct prefetch_trace *t);

/* A start of that application begins with that process, and whatever that begets. Returns its number, above 0; -ENOSPC with as many as can be
 * followed, or -errno where the kernel tells nothing, which is tried again at the next start where there was no room for it (-ENOMEM, -EMFILE and the like). */
int prefetch_trace_begin(struct prefetch_trace *t, int32_t tgid, const char *application, uint32_t uid);

/* Takes what was told; often enough that the kernel's buffer has room: each 100 ms. */
void prefetch_trace_drain(struct prefetch_trace *t);

/* What the start read, which is the caller's from then on. Files have paths from the root of their file system, whose number is dev, or PREFETCH_UNNAMED.
 * tasks: unless NULL, the threads that the names may be asked of (prefetch-names.h). NULL: no such start. */
struct prefetch_list *prefetch_trace_end(struct prefetch_trace *t, int start, struct prefetch_tasks *tasks);

/* Nothing starts: the kernel tells no longer. */
void prefetch_trace_rest(struct prefetch_trace *t);

/* For brioctl probe. */
void prefetch_trace_probe(struct prefetch_trace *t, struct source_info *ret);
