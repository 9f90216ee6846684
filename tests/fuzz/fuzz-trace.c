/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whatever a page of the trace buffer holds, the model takes it and stays in order. */
#include <stdlib.h>

#include "fuzz.h"
#include "macro.h"
#include "model.h"
#include "trace-formats.h"
#include "trace-page.h"

#define MUST(expr) ((expr) ? (void) 0 : abort())
#define DEV DEV_NUMBER(7, 1)

static void feed(struct model *m, nsec_t t, const struct trace_record *r) {
        struct event e = { .t = t, .kind = trace_kind_to_event(r->kind), .dev = DEV, .tgid = r->tid, .request = r->request };

        MUST(r->request.sectors > 0 && r->request.op < REQUEST_FLUSH);
        model_feed(m, &e);
}

static void check_latency(const struct latency_view *l) {
        MUST(l->median_us <= l->p99_us);
        MUST(l->requests > 0 || l->p99_us == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct event watch = { .t = 1, .kind = EVENT_WATCH, .dev = DEV, .watch = { .on = true } };
        struct snapshot *s = calloc(1, sizeof(*s));
        struct model *m = model_new();
        struct trace_page p;
        struct trace_data d;
        struct trace_record r;
        nsec_t last = 1;

        MUST(m && s);
        model_feed(m, &watch);
        if (trace_page_begin(&p, data, size, trace_formats_6_18.commit_bytes) == 0) {
                while (trace_page_next(&p, &d) > 0) {
                        MUST(d.data >= data && d.size <= size && d.data + d.size <= data + size);
                        last = d.t;
                        if (trace_record_parse(&trace_formats_6_18, d.data, d.size, &r) > 0)
                                feed(m, d.t, &r);
                }
        }
        model_expire(m, last);
        model_snapshot(m, last, s);
        MUST(s->n_devices == 1 && s->devices[0].requests.hole_permille <= 1000 && s->devices[0].requests.anonymous_permille <= 1000);
        for (int op = 0; op < 2; op++) {
                check_latency(&s->devices[0].requests.latencies.wait[op]);
                check_latency(&s->devices[0].requests.latencies.service[op]);
        }
        model_free(m);
        free(s);
        return 0;
}
