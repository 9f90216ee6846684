/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In the place of prefetch-trace.c where libbpf, bpftool or a clang that compiles for BPF is not there to build with. */
#include <errno.h>

#include "macro.h"
#include "prefetch-trace.h"
#include "str.h"

int prefetch_trace_new(bool recorded _unused_, struct prefetch_trace **ret) {
        *ret = NULL;
        return 0;
}

struct prefetch_trace *prefetch_trace_free(struct prefetch_trace *t _unused_) {
        return NULL;
}

int prefetch_trace_begin(struct prefetch_trace *t _unused_, int32_t tgid _unused_, const char *application _unused_, uint32_t uid _unused_) {
        return -ENODEV;
}

void prefetch_trace_drain(struct prefetch_trace *t _unused_) {
}

struct prefetch_list *prefetch_trace_end(struct prefetch_trace *t _unused_, int start _unused_) {
        return NULL;
}

void prefetch_trace_rest(struct prefetch_trace *t _unused_) {
}

void prefetch_trace_probe(struct prefetch_trace *t _unused_, struct source_info *ret) {
        *ret = (struct source_info){ .name = "pages", .state = SOURCE_UNAVAILABLE };
        str_copy(ret->detail, sizeof(ret->detail), "briod was built without BPF: that needs libbpf, bpftool and a clang that compiles for it");
}
