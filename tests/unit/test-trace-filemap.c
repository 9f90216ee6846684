/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "test.h"
#include "trace-formats.h"

static uint8_t bytes[64];

static void put(size_t at, const void *value, size_t size) {
        memcpy(bytes + at, value, size);
}

static void begin(uint16_t id, int32_t tid) {
        memset(bytes, 0, sizeof(bytes));
        put(0, &id, sizeof(id));
        put(4, &tid, sizeof(tid));
}

static void add(uint64_t ino, uint64_t index, uint32_t dev, uint8_t order) {
        begin(ID_FILEMAP_ADD, 4711);
        put(16, &ino, sizeof(ino));
        put(24, &index, sizeof(index));
        put(32, &dev, sizeof(dev));
        put(36, &order, sizeof(order));
}

TEST(a_page_that_comes_into_memory_has_its_file_and_its_place) {
        struct trace_filemap_record r;

        add(131, 7, DEV_NUMBER(7, 1), 2);
        CHECK_INT(trace_filemap_parse(&trace_filemap_6_18, bytes, 40, &r), 1);
        CHECK_INT(r.kind, TRACE_FILEMAP_ADD);
        CHECK_INT(r.tid, 4711);
        CHECK_INT(r.ino, 131);
        CHECK_INT(r.first, 7);
        CHECK_INT(r.count, 4);
        CHECK_INT(r.dev, DEV_NUMBER(7, 1));
}

/* Before Linux 5.17. */
TEST(without_an_order_each_page_is_one) {
        struct trace_filemap_format f = trace_filemap_6_18;
        struct trace_filemap_record r;

        f.order = (struct trace_field){ 0 };
        add(131, 7, DEV_NUMBER(7, 1), 2);
        CHECK_INT(trace_filemap_parse(&f, bytes, 36, &r), 1);
        CHECK_INT(r.count, 1);
}

TEST(an_order_that_no_kernel_has_is_bounded) {
        struct trace_filemap_record r;

        add(131, 7, DEV_NUMBER(7, 1), 255);
        CHECK_INT(trace_filemap_parse(&trace_filemap_6_18, bytes, 40, &r), 1);
        CHECK_INT(r.count, 1 << 15);
}

TEST(a_fork_has_parent_and_child) {
        struct trace_filemap_record r;
        int32_t child = 4712;

        begin(ID_FORK, 4711);
        put(16, &child, sizeof(child));
        CHECK_INT(trace_filemap_parse(&trace_filemap_6_18, bytes, 20, &r), 1);
        CHECK_INT(r.kind, TRACE_FILEMAP_FORK);
        CHECK_INT(r.tid, 4711);
        CHECK_INT(r.child, 4712);
}

TEST(what_is_neither_or_cut_tells_nothing) {
        struct trace_filemap_record r;

        begin(5, 4711);
        CHECK_INT(trace_filemap_parse(&trace_filemap_6_18, bytes, 40, &r), 0);
        add(131, 7, DEV_NUMBER(7, 1), 0);
        for (size_t size = 0; size < 37; size++)
                CHECK_INT(trace_filemap_parse(&trace_filemap_6_18, bytes, size, &r), -EBADMSG);
}
