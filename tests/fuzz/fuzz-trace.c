/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whatever a page of the trace buffer holds, each record lies within it, and each request or page of a file that is found is whole. */
#include <string.h>

#include "fuzz.h"
#include "trace-formats.h"
#include "trace-page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct trace_page p;
        struct trace_data d;
        struct trace_filemap_record page;
        struct trace_record r;

        if (trace_page_begin(&p, data, size, trace_formats_6_18.commit_bytes) < 0)
                return 0;
        while (trace_page_next(&p, &d) > 0) {
                MUST(d.data >= data && d.size <= size && d.data + d.size <= data + size);
                if (trace_record_parse(&trace_formats_6_18, d.data, d.size, &r) > 0)
                        MUST(r.request.sectors > 0 && r.request.op < REQUEST_FLUSH && trace_kind_to_event(r.kind) < _EVENT_KIND_MAX);
                if (trace_filemap_parse(&trace_filemap_6_18, d.data, d.size, &page) > 0)
                        MUST(page.kind == TRACE_FILEMAP_FORK || page.count > 0);
        }
        return 0;
}
