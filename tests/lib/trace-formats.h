/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How Linux 6.18 lays out the events that are traced, for tests without a kernel that does. */
#pragma once

#include "trace-filemap.h"

enum { ID_BIO_QUEUE = 2097, ID_SPLIT = 2092, ID_RQ_ISSUE = 2104, ID_RQ_COMPLETE = 2107, ID_RQ_REQUEUE = 2108, ID_FILEMAP_ADD = 520, ID_FORK = 310 };

static const struct trace_formats trace_formats_6_18 = {
        .commit_bytes = 8,
        .id = { 0, 2 },
        .pid = { 4, 4 },
        .formats = {
                [TRACE_BIO_QUEUE] = { .known = true, .id = ID_BIO_QUEUE, .dev = { 8, 4 }, .sector = { 16, 8 }, .sectors = { 24, 4 }, .rwbs = { 28, 10 } },
                [TRACE_SPLIT] = { .known = true, .id = ID_SPLIT, .dev = { 8, 4 }, .sector = { 16, 8 }, .sectors = { 24, 8 }, .rwbs = { 32, 10 } },
                [TRACE_RQ_ISSUE] = { .known = true, .id = ID_RQ_ISSUE, .dev = { 8, 4 }, .sector = { 16, 8 }, .sectors = { 24, 4 }, .rwbs = { 34, 10 } },
                [TRACE_RQ_REQUEUE] = { .known = true, .id = ID_RQ_REQUEUE, .dev = { 8, 4 }, .sector = { 16, 8 }, .sectors = { 24, 4 }, .rwbs = { 30, 10 } },
                [TRACE_RQ_COMPLETE] = { .known = true, .id = ID_RQ_COMPLETE, .dev = { 8, 4 }, .sector = { 16, 8 }, .sectors = { 24, 4 }, .rwbs = { 34, 10 } },
        },
};

static const struct trace_filemap_format trace_filemap_6_18 = {
        .commit_bytes = 8,
        .ids = { [TRACE_FILEMAP_ADD] = ID_FILEMAP_ADD, [TRACE_FILEMAP_FORK] = ID_FORK },
        .id = { 0, 2 },
        .pid = { 4, 4 },
        .ino = { 16, 8 },
        .index = { 24, 8 },
        .dev = { 32, 4 },
        .order = { 36, 1 },
        .child = { 16, 4 },
};
