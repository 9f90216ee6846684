/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In the place of source-tracefs.c where libtracefs is not there to build with. */
#include <errno.h>

#include "macro.h"
#include "source-tracefs.h"
#include "str.h"

int source_tracefs_new(const char *root _unused_, sd_event *event _unused_, struct event_sink sink _unused_,
                       struct source_tracefs **ret) {
        *ret = NULL;
        return 0;
}

size_t source_tracefs_clean_up(const char *root _unused_) {
        return 0;
}

struct source_tracefs *source_tracefs_free(struct source_tracefs *s _unused_) {
        return NULL;
}

void source_tracefs_drain(struct source_tracefs *s _unused_, nsec_t now _unused_) {
}

static int start(void *source _unused_, const struct source_drive *drive _unused_, nsec_t now _unused_) {
        return -ENODEV;
}

static void stop(void *source _unused_, uint32_t dev _unused_, nsec_t now _unused_) {
}

static size_t probe(void *source _unused_, struct source_info *ret) {
        *ret = (struct source_info) { .name = "tracefs", .state = SOURCE_UNAVAILABLE };
        str_copy(ret->detail, sizeof(ret->detail), "briod was built without libtracefs; single requests are not looked at");
        return 1;
}

const struct source_ops source_tracefs_ops = { .probe = probe, .start = start, .stop = stop };
