/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tells of pages, with a kernel in its place that tells without an end. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "macro.h"
#include "page-source.h"
#include "test.h"
#include "trace-format.h"
#include "trace-instance.h"

/* More than any look may take. */
#define ENDLESS (1u << 20)

static size_t records_seen;

static int see(void *userdata _unused_, void *data _unused_, size_t size _unused_) {
        records_seen++;
        return 0;
}

#ifdef HAVE_TRACEFS
enum trace_obstacle __wrap_trace_instance_obstacle(void);
int __wrap_trace_instance_new(const char *purpose, unsigned buffer_kb, struct trace_instance **ret);
char *__wrap_trace_instance_read_header(void);
char *__wrap_trace_instance_read_format(struct trace_instance *i, const char *system, const char *event);
struct trace_instance *__wrap_trace_instance_free(struct trace_instance *i);
int __wrap_trace_instance_open_cpu(struct trace_instance *i, unsigned cpu);
struct trace_format_parser *__wrap_trace_format_parser_new(const char *header_page, struct trace_formats *formats);
struct trace_format_parser *__wrap_trace_format_parser_free(struct trace_format_parser *p);
int __wrap_trace_format_find(struct trace_format_parser *p, const char *system, const char *event, const char *text, const struct trace_wanted *wanted,
                             size_t n);
ssize_t __real_read(int fd, void *buf, size_t size);
ssize_t __wrap_read(int fd, void *buf, size_t size);

enum trace_obstacle __wrap_trace_instance_obstacle(void) {
        return TRACE_POSSIBLE;
}

int __wrap_trace_instance_new(const char *purpose _unused_, unsigned buffer_kb _unused_, struct trace_instance **ret) {
        *ret = calloc(1, 1);
        return *ret ? 0 : -ENOMEM;
}

char *__wrap_trace_instance_read_header(void) {
        return NULL;
}

char *__wrap_trace_instance_read_format(struct trace_instance *i _unused_, const char *system _unused_, const char *event _unused_) {
        return strdup("");
}

struct trace_instance *__wrap_trace_instance_free(struct trace_instance *i) {
        free(i);
        return NULL;
}

struct trace_format_parser *__wrap_trace_format_parser_new(const char *header_page _unused_, struct trace_formats *formats) {
        *formats = (struct trace_formats){ .commit_bytes = sizeof(uint64_t) };
        return calloc(1, 1);
}

struct trace_format_parser *__wrap_trace_format_parser_free(struct trace_format_parser *p) {
        free(p);
        return NULL;
}

int __wrap_trace_format_find(struct trace_format_parser *p _unused_, const char *system _unused_, const char *event _unused_, const char *text _unused_,
                             const struct trace_wanted *wanted, size_t n) {
        for (size_t i = 0; i < n; i++)
                wanted[i].ret->size = sizeof(uint32_t);
        return 1;
}

static int cpus[2] = { -1, -1 };
static size_t pages_read[2];

int __wrap_trace_instance_open_cpu(struct trace_instance *i _unused_, unsigned cpu) {
        return cpu < ARRAY_SIZE(cpus) ? (cpus[cpu] = open("/dev/zero", O_RDONLY | O_CLOEXEC)) : -ENOENT;
}

/* Of the first CPU there is always another page, though without a record. */
ssize_t __wrap_read(int fd, void *buf, size_t size) {
        for (size_t i = 0; i < ARRAY_SIZE(cpus); i++)
                if (fd == cpus[i] && pages_read[i]++ == ENDLESS)
                        return 0;
        return __real_read(fd, buf, size);
}

TEST(one_look_takes_no_more_from_tracefs_than_the_bound_and_from_each_cpu_its_part) {
        void *s;

        CHECK_INT(page_source_tracefs.open(see, NULL, &s), 0);
        CHECK_INT(page_source_tracefs.attach(s), 0);
        page_source_tracefs.drain(s);
        CHECK(pages_read[0] > 0 && pages_read[0] <= (4u << 20) / (size_t) sysconf(_SC_PAGESIZE));
        if (cpus[1] >= 0)
                CHECK_INT(pages_read[1], pages_read[0]);
        page_source_tracefs.drain(s); /* goes on */
        CHECK(pages_read[0] > 1 && pages_read[0] % 2 == 0);
        page_source_tracefs.close(s);
        cpus[0] = cpus[1] = -1;
}
#endif

#ifdef HAVE_BPF
#include <bpf/libbpf.h>

int __wrap_bpf_object__open_skeleton(struct bpf_object_skeleton *s, const struct bpf_object_open_opts *opts);
int __wrap_bpf_object__load_skeleton(struct bpf_object_skeleton *s);
int __wrap_bpf_object__attach_skeleton(struct bpf_object_skeleton *s);
int __wrap_bpf_map__fd(const struct bpf_map *map);
struct ring_buffer *__wrap_ring_buffer__new(int fd, ring_buffer_sample_fn fn, void *ctx, const struct ring_buffer_opts *opts);
int __wrap_ring_buffer__consume(struct ring_buffer *ring);
void __wrap_ring_buffer__free(struct ring_buffer *ring);

int __wrap_bpf_object__open_skeleton(struct bpf_object_skeleton *s _unused_, const struct bpf_object_open_opts *opts _unused_) {
        return 0;
}

int __wrap_bpf_object__load_skeleton(struct bpf_object_skeleton *s _unused_) {
        return 0;
}

int __wrap_bpf_object__attach_skeleton(struct bpf_object_skeleton *s _unused_) {
        return 0;
}

int __wrap_bpf_map__fd(const struct bpf_map *map _unused_) {
        return 0;
}

static ring_buffer_sample_fn ring_fn;
static void *ring_userdata;

struct ring_buffer *__wrap_ring_buffer__new(int fd _unused_, ring_buffer_sample_fn fn, void *ctx, const struct ring_buffer_opts *opts _unused_) {
        ring_fn = fn;
        ring_userdata = ctx;
        return (struct ring_buffer *) &ring_fn;
}

void __wrap_ring_buffer__free(struct ring_buffer *ring _unused_) {
}

/* As libbpf: until one is refused. */
int __wrap_ring_buffer__consume(struct ring_buffer *ring _unused_) {
        struct bpf_page_record r = { 0 };
        int error = 0;

        for (size_t i = 0; i < ENDLESS && error >= 0; i++)
                error = ring_fn(ring_userdata, &r, sizeof(r));
        return error;
}

TEST(one_look_takes_no_more_records_from_bpf_than_the_bound_and_the_next_goes_on) {
        size_t first;
        void *s;

        CHECK_INT(page_source_bpf.open(see, NULL, &s), 0);
        CHECK_INT(page_source_bpf.attach(s), 0);
        records_seen = 0;
        page_source_bpf.drain(s);
        first = records_seen;
        CHECK(first > 0 && first <= 65536);
        page_source_bpf.drain(s);
        CHECK_INT(records_seen, 2 * first);
        page_source_bpf.close(s);
}
#endif
