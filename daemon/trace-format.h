/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the kernel's own description of its events, through libtraceevent. */
#pragma once

#include "trace-record.h"

struct trace_format_parser;

/* header_page: the text of events/header_page, or NULL where there is none (a kernel before 2.6.32). NULL without memory. */
struct trace_format_parser *trace_format_parser_new(const char *header_page, struct trace_formats *formats);
struct trace_format_parser *trace_format_parser_free(struct trace_format_parser *p);

/* Takes the text of events/block/NAME/format into the parser's formats. Returns 0, or -EBADMSG where it does not say what we need. */
int trace_format_parse(struct trace_format_parser *p, enum trace_kind kind, const char *text);

/* Where fields of any event lie. ret: those that it lacks have size 0. Returns its number, or -EBADMSG for what is no such text. */
struct trace_wanted {
        const char *name;
        int size_min;
        struct trace_field *ret;
};
int trace_format_find(struct trace_format_parser *p, const char *system, const char *event, const char *text, const struct trace_wanted *wanted, size_t n);
