/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What of the processes `top` shows, and in which order. */
#pragma once

#include "value.h"

enum top_sort {
        TOP_SORT_BYTES, /* what the daemon gives: read and written */
        TOP_SORT_READ,
        TOP_SORT_WRITE,
        TOP_SORT_REQUESTS,
        TOP_SORT_WAIT,
        TOP_SORT_LATENCY,
        TOP_SORT_P99,
        TOP_SORT_PID,
        TOP_SORT_NAME,
        TOP_SORT_DRIVE,
        _TOP_SORT_MAX,
};

/* The words of --sort, and back; -1 for another word. */
int top_sort_from_string(const char *word);
const char *top_sort_to_string(enum top_sort sort);
/* All of them for a message: "bytes, read, ...". */
const char *top_sort_words(void);

/* Those that use this drive (NULL: all), numbers falling and texts rising, equal ones as they came. The caller frees it. */
struct json_object *top_select(struct json_object *processes, enum top_sort sort, const char *device);
