/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A page of the kernel's trace ring buffer, as trace_pipe_raw gives it (kernel/trace/ring_buffer.c; libtraceevent's kbuffer
 * reads the same, but trusts what it reads). Nothing beyond the bytes given is looked at, whatever they are. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "units.h"

#define TRACE_PAGE_BYTES_MAX 65536 /* 4 KiB unless the machine has larger pages */

struct trace_page {
        const uint8_t *at, *end; /* records not taken yet */
        nsec_t t;                /* of the last record taken */
        bool lost;               /* the kernel threw records away before this page */
};

/* Begins with a page of size bytes. commit_bytes: the width of the header's second field (events/header_page), 4 or 8. Returns
 * 0, or -EBADMSG for what is no page. */
int trace_page_begin(struct trace_page *p, const void *data, size_t size, size_t commit_bytes);

struct trace_data {
        nsec_t t;
        const uint8_t *data; /* not aligned */
        size_t size;
};

/* Takes the next record. Returns 1; 0 at the end; -EBADMSG where the rest makes no sense. */
int trace_page_next(struct trace_page *p, struct trace_data *ret);
