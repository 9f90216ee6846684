/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In the place of source-bpf.c where libbpf, bpftool or a clang that compiles for BPF is not there to build with. */
#include <errno.h>

#include "macro.h"
#include "source-bpf.h"
#include "str.h"

int source_bpf_new(const char *root _unused_, sd_event *event _unused_, struct event_sink sink _unused_, struct source_bpf **ret) {
        *ret = NULL;
        return 0;
}

struct source_bpf *source_bpf_free(struct source_bpf *s _unused_) {
        return NULL;
}

void source_bpf_limit(struct source_bpf *s _unused_, uint32_t looked_max _unused_) {
}

void source_bpf_drain(struct source_bpf *s _unused_, nsec_t now _unused_) {
}

static int start(void *source _unused_, const struct source_drive *drive _unused_, nsec_t now _unused_) {
        return -ENODEV;
}

static void stop(void *source _unused_, uint32_t dev _unused_, nsec_t now _unused_) {
}

static size_t probe(void *source _unused_, struct source_info *ret) {
        *ret = (struct source_info){ .name = "bpf", .state = SOURCE_UNAVAILABLE };
        str_copy(ret->detail, sizeof(ret->detail), "briod was built without BPF: that needs libbpf, bpftool and a clang that compiles for it");
        return 1;
}

const struct source_ops source_bpf_ops = { .probe = probe, .start = start, .stop = stop };
