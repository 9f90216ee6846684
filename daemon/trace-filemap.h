/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The events that tell which pages of files a thread brings into memory, and what it begets, out of the bytes of a record. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "trace-record.h"

enum trace_filemap_kind { TRACE_FILEMAP_ADD, TRACE_FILEMAP_FORK, _TRACE_FILEMAP_KIND_MAX };

struct trace_filemap_format {
        size_t commit_bytes; /* of a page's header */
        uint64_t ids[_TRACE_FILEMAP_KIND_MAX];
        struct trace_field id, pid;               /* common to all events */
        struct trace_field ino, index, dev, order; /* order: Linux 5.17 and later; before, each page is told of */
        struct trace_field child;
};

struct trace_filemap_record {
        enum trace_filemap_kind kind;
        int32_t tid;
        int32_t child;         /* of a fork */
        uint32_t dev, count;   /* of the file system, the kernel's own number; pages */
        uint64_t ino, first;
};

/* What the kernel calls the event, and the group that it is in. */
const char *trace_filemap_system(enum trace_filemap_kind kind);
const char *trace_filemap_event(enum trace_filemap_kind kind);

/* Returns 1; 0 for a record that is none of these; -EBADMSG where a field lies outside of it. */
int trace_filemap_parse(const struct trace_filemap_format *f, const uint8_t *data, size_t size, struct trace_filemap_record *ret);
