/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <traceevent/event-parse.h>

#include "macro.h"
#include "trace-format.h"

struct trace_format_parser {
        struct tep_handle *tep;
        struct trace_formats *formats;
};

struct trace_format_parser *trace_format_parser_new(const char *header_page, struct trace_formats *formats) {
        struct trace_format_parser *p = calloc(1, sizeof(*p));
        _cleanup_free_ char *text = header_page ? strdup(header_page) : NULL;

        if (!p)
                return NULL;
        p->tep = tep_alloc();
        if (!p->tep || (header_page && !text))
                return trace_format_parser_free(p);
        tep_set_loglevel(TEP_LOG_NONE);
        p->formats = formats;
        *formats = (struct trace_formats) { .commit_bytes = sizeof(long) };
        if (text && tep_parse_header_page(p->tep, text, strlen(text), sizeof(long)) == 0)
                formats->commit_bytes = (size_t) tep_get_header_page_size(p->tep);
        return p;
}

struct trace_format_parser *trace_format_parser_free(struct trace_format_parser *p) {
        if (p)
                tep_free(p->tep);
        free(p);
        return NULL;
}

/* Returns whether the event has it, in a size that makes sense. */
static bool take_field(struct tep_event *event, const char *name, int size_min, struct trace_field *ret) {
        const struct tep_format_field *f = tep_find_any_field(event, name);

        if (!f || f->size < size_min || f->offset < 0 || f->size > UINT16_MAX || f->offset > UINT16_MAX)
                return false;
        *ret = (struct trace_field) { .offset = (uint16_t) f->offset, .size = (uint16_t) f->size };
        return true;
}

static struct tep_event *parse_event(struct trace_format_parser *p, const char *system, const char *name, const char *text) {
        struct tep_event *event;

        if (tep_parse_event(p->tep, text, strlen(text), system) != TEP_ERRNO__SUCCESS)
                return NULL;
        event = tep_find_event_by_name(p->tep, system, name);
        return event && event->id >= 0 && event->id <= UINT16_MAX ? event : NULL;
}

int trace_format_find(struct trace_format_parser *p, const char *system, const char *name, const char *text, const struct trace_wanted *wanted, size_t n) {
        struct tep_event *event = parse_event(p, system, name, text);

        if (!event)
                return -EBADMSG;
        for (size_t i = 0; i < n; i++)
                if (!take_field(event, wanted[i].name, wanted[i].size_min, wanted[i].ret))
                        *wanted[i].ret = (struct trace_field) { 0 };
        return event->id;
}

int trace_format_parse(struct trace_format_parser *p, enum trace_kind kind, const char *text) {
        struct trace_format *f = &p->formats->formats[kind];
        struct tep_event *event = parse_event(p, "block", trace_kind_to_string(kind), text);

        if (!event)
                return -EBADMSG;
        if (!take_field(event, "common_type", sizeof(uint16_t), &p->formats->id) ||
            !take_field(event, "common_pid", sizeof(uint32_t), &p->formats->pid) ||
            !take_field(event, "dev", sizeof(uint32_t), &f->dev) || !take_field(event, "sector", sizeof(uint32_t), &f->sector) ||
            !take_field(event, kind == TRACE_SPLIT ? "new_sector" : "nr_sector", sizeof(uint32_t), &f->sectors) || !take_field(event, "rwbs", 1, &f->rwbs))
                return -EBADMSG;
        f->id = (uint16_t) event->id;
        f->known = true;
        return 0;
}
