/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tells of pages, with a kernel in its place that tells without an end. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "macro.h"
#include "page-source.h"
#include "prefetch-resident.h"
#include "prefetch-trace.h"
#include "test.h"
#include "trace-format.h"
#include "trace-instance.h"

/* More than any look may take. */
#define ENDLESS (1u << 20)

#define LARGE_BYTES 16384

long __real_sysconf(int name);
long __wrap_sysconf(int name);
int __wrap_mincore(void *at, size_t size, unsigned char *resident);

static bool large_pages;
static size_t asked_bytes;

long __wrap_sysconf(int name) {
        return large_pages && name == _SC_PAGESIZE ? LARGE_BYTES : __real_sysconf(name);
}

/* Of a kernel with large pages: all but the first are in memory. */
int __wrap_mincore(void *at _unused_, size_t size, unsigned char *resident) {
        asked_bytes = size;
        for (size_t i = 1; i < size / LARGE_BYTES; i++)
                resident[i] = 1;
        return 0;
}

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
int __wrap_bpf_map_update_elem(int fd, const void *key, const void *value, uint64_t flags);
struct ring_buffer *__wrap_ring_buffer__new(int fd, ring_buffer_sample_fn fn, void *ctx, const struct ring_buffer_opts *opts);
int __wrap_ring_buffer__consume(struct ring_buffer *ring);
void __wrap_ring_buffer__free(struct ring_buffer *ring);

/* The programs' variables. Each map takes as much as the skeleton says, which may be less than this libbpf has for one. */
int __wrap_bpf_object__open_skeleton(struct bpf_object_skeleton *s, const struct bpf_object_open_opts *opts _unused_) {
        static uint64_t variables[64];

        for (int i = 0; i < s->map_cnt; i++) {
                const struct bpf_map_skeleton *map = (const void *) ((const char *) s->maps + i * s->map_skel_sz);
                if (map->mmaped)
                        *map->mmaped = variables;
        }
        return 0;
}

int __wrap_bpf_object__load_skeleton(struct bpf_object_skeleton *s _unused_) {
        return 0;
}

int __wrap_bpf_object__attach_skeleton(struct bpf_object_skeleton *s _unused_) {
        return 0;
}

int __wrap_bpf_map_update_elem(int fd _unused_, const void *key _unused_, const void *value _unused_, uint64_t flags _unused_) {
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

static struct bpf_page_record record;
static size_t n_records = ENDLESS;

/* As libbpf: until one is refused. */
int __wrap_ring_buffer__consume(struct ring_buffer *ring _unused_) {
        struct bpf_page_record r = record;
        int error = 0;

        for (size_t i = 0; i < n_records && error >= 0; i++)
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

TEST(pages_of_the_kernels_that_are_larger_are_so_many_of_the_lists) {
        struct prefetch_list *l;
        struct prefetch_trace *t;
        int start;

        large_pages = true;
        CHECK_INT(prefetch_trace_new(&t), 0);
        start = prefetch_trace_begin(t, getpid(), "editor", 1000);
        CHECK(start > 0);
        record = (struct bpf_page_record){ .ino = 5, .first = 3, .count = 2, .dev = 1, .start = (uint32_t) start, .kind = BPF_PAGE_RANGE };
        n_records = 1;
        prefetch_trace_drain(t);
        record.first = UINT32_MAX / 4; /* more than a list has numbers for */
        l = prefetch_trace_end(t, start, NULL);
        CHECK(l && l->n_ranges == 1);
        CHECK_INT(l->ranges[0].first, 12);
        CHECK_INT(l->ranges[0].count, 8);
        prefetch_list_free(l);
        prefetch_trace_free(t);
        large_pages = false;
}
#endif

TEST(what_is_in_memory_is_asked_in_whole_pages_of_the_kernels) {
        char path[] = "/tmp/brio-page-source-XXXXXX";
        _cleanup_close_ int fd = mkostemp(path, O_CLOEXEC);
        struct prefetch_file f = { .ino = 5, .size = 1 << 20 };
        struct prefetch_list *l;
        int file;

        CHECK(fd >= 0 && unlink(path) == 0 && ftruncate(fd, 1 << 20) == 0);
        CHECK_INT(prefetch_list_new("editor", 1000, &l), 0);
        file = prefetch_list_add_file(l, &f, "/a");
        CHECK(file >= 0);
        large_pages = true;
        prefetch_resident_add(fd, 5, 6, l, (uint32_t) file); /* from the second of the kernel's to the third */
        large_pages = false;
        CHECK_INT(asked_bytes, 2 * LARGE_BYTES);
        CHECK_INT(l->n_ranges, 1);
        CHECK_INT(l->ranges[0].first, 8);
        CHECK_INT(l->ranges[0].count, 4);
        prefetch_list_free(l);
}
