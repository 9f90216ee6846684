/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "macro.h"
#include "trace-filemap.h"

#define ORDER_MAX 15

static const struct {
        const char *system, *event;
} kinds[_TRACE_FILEMAP_KIND_MAX] = {
        [TRACE_FILEMAP_ADD] = { "filemap", "mm_filemap_add_to_page_cache" },
        [TRACE_FILEMAP_FORK] = { "sched", "sched_process_fork" },
};

const char *trace_filemap_system(enum trace_filemap_kind kind) {
        return kinds[kind].system;
}

const char *trace_filemap_event(enum trace_filemap_kind kind) {
        return kinds[kind].event;
}

static int parse_page(const struct trace_filemap_format *f, const uint8_t *data, size_t size, struct trace_filemap_record *r) {
        uint64_t dev, order = 0;

        if (!trace_field_read(f->ino, data, size, &r->ino) || !trace_field_read(f->index, data, size, &r->first) ||
            !trace_field_read(f->dev, data, size, &dev) || (f->order.size > 0 && !trace_field_read(f->order, data, size, &order)))
                return -EBADMSG;
        r->dev = (uint32_t) dev;
        r->count = 1u << MIN(order, (uint64_t) ORDER_MAX);
        return 1;
}

int trace_filemap_parse(const struct trace_filemap_format *f, const uint8_t *data, size_t size, struct trace_filemap_record *ret) {
        struct trace_filemap_record r = { 0 };
        uint64_t id, pid, child;

        if (!trace_field_read(f->id, data, size, &id) || !trace_field_read(f->pid, data, size, &pid))
                return -EBADMSG;
        r.tid = (int32_t) pid;
        if (id == f->ids[TRACE_FILEMAP_FORK]) {
                r.kind = TRACE_FILEMAP_FORK;
                if (!trace_field_read(f->child, data, size, &child))
                        return -EBADMSG;
                r.child = (int32_t) child;
        } else if (id == f->ids[TRACE_FILEMAP_ADD]) {
                r.kind = TRACE_FILEMAP_ADD;
                if (parse_page(f, data, size, &r) < 0)
                        return -EBADMSG;
        } else {
                return 0;
        }
        *ret = r;
        return 1;
}
