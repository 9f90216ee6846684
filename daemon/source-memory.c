/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fdio.h"
#include "source-memory.h"
#include "str.h"

#define VMSTAT_BYTES 16384 /* 6 KiB on today's kernels */
#define STALE_NS (3 * MEMORY_INTERVAL_NS)

struct vmstat {
        uint64_t dirty, writeback, limit, background; /* pages */
        uint64_t stalls, scans;
};

struct source_memory {
        struct event_sink sink;
        char *path;
        uint64_t page_kib;
        nsec_t t; /* of the last reading; 0: none */
        int error;
        bool has_last; /* the last reading was one */
        struct vmstat last;
        char text[VMSTAT_BYTES];
};

struct source_memory *source_memory_new(const char *root, struct event_sink sink) {
        struct source_memory *s = calloc(1, sizeof(*s));

        if (!s)
                return NULL;
        s->sink = sink;
        s->page_kib = (uint64_t) sysconf(_SC_PAGESIZE) / 1024;
        if (asprintf(&s->path, "%s/proc/vmstat", root) < 0) {
                s->path = NULL;
                return source_memory_free(s);
        }
        return s;
}

struct source_memory *source_memory_free(struct source_memory *s) {
        if (!s)
                return NULL;
        free(s->path);
        free(s);
        return NULL;
}

/* Names that are there in each kernel that has dirty thresholds there (2.6.37 on); stalls are told zone by zone since 4.8, in one sum before. */
static bool take_line(const char *name, uint64_t value, struct vmstat *ret) {
        const struct {
                const char *name;
                uint64_t *value;
        } known[] = {
                { "nr_dirty", &ret->dirty }, { "nr_writeback", &ret->writeback }, { "nr_dirty_threshold", &ret->limit },
                { "nr_dirty_background_threshold", &ret->background },
        };

        for (size_t i = 0; i < ARRAY_SIZE(known); i++)
                if (streq(name, known[i].name)) {
                        *known[i].value = value;
                        return true;
                }
        if (startswith(name, "allocstall"))
                ret->stalls += value;
        else if (streq(name, "pgscan_direct") || (startswith(name, "pgscan_direct_") && !streq(name, "pgscan_direct_throttle")))
                ret->scans += value; /* by zone up to 4.7 */
        return false;
}

/* Returns 0, or -EBADMSG where a name is missing. */
static int parse(char *text, struct vmstat *ret) {
        size_t found = 0;
        char *line;

        *ret = (struct vmstat){ 0 };
        while ((line = strsep(&text, "\n"))) {
                char *name = strsep(&line, " ");
                uint64_t value;
                if (line && str_parse_u64(line, &value) == 0)
                        found += take_line(name, value, ret);
        }
        return found == 4 ? 0 : -EBADMSG;
}

static uint32_t to_kib(const struct source_memory *s, uint64_t pages) {
        return (uint32_t) MIN(pages * s->page_kib, UINT32_MAX);
}

static uint32_t difference(uint64_t now, uint64_t before) {
        return now > before ? (uint32_t) MIN(now - before, UINT32_MAX) : 0;
}

static void tell(struct source_memory *s, nsec_t now, const struct vmstat *v) {
        struct event e = { .t = now, .kind = EVENT_MEMORY };
        nsec_t span = s->has_last ? nsec_sub(now, s->t) : 0;
        bool knows = span > 0 && span <= STALE_NS;

        e.memory = (struct event_memory){
                .span_us = knows ? (uint32_t) (span / NSEC_PER_USEC) : 0,
                .dirty_kib = to_kib(s, v->dirty),
                .writeback_kib = to_kib(s, v->writeback),
                .limit_kib = to_kib(s, v->limit),
                .background_kib = to_kib(s, v->background),
                .stalls = knows ? difference(v->stalls, s->last.stalls) : 0,
                .scans = knows ? difference(v->scans, s->last.scans) : 0,
        };
        s->sink.fn(s->sink.userdata, &e);
}

int source_memory_sample(struct source_memory *s, nsec_t now) {
        struct vmstat v;

        if (s->t && nsec_sub(now, s->t) < MEMORY_INTERVAL_NS)
                return 0;
        s->error = (int) fdio_read_at(AT_FDCWD, s->path, s->text, sizeof(s->text));
        if (s->error >= 0)
                s->error = parse(s->text, &v);
        if (s->error >= 0)
                tell(s, now, &v);
        s->has_last = s->error >= 0;
        if (s->has_last)
                s->last = v;
        s->t = now; /* where it cannot be read that is not tried more often either */
        return s->error;
}

static size_t probe(void *source, struct source_info *ret) {
        struct source_memory *s = source;
        struct vmstat v;
        int r = (int) fdio_read_at(AT_FDCWD, s->path, s->text, sizeof(s->text));

        if (r >= 0)
                r = parse(s->text, &v);
        *ret = (struct source_info){ .name = "vmstat", .state = r < 0 ? SOURCE_UNAVAILABLE : SOURCE_WORKS };
        if (r < 0)
                snprintf(ret->detail, sizeof(ret->detail), "/proc/vmstat %s, so whether memory waits for what is written is not known",
                         r == -EBADMSG ? "lacks the dirty thresholds" : "cannot be read");
        else
                snprintf(ret->detail, sizeof(ret->detail), "how memory stands with what is to be written, from /proc/vmstat, while much is");
        return 1;
}

const struct source_ops source_memory_ops = { .probe = probe };
