/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "test.h"
#include "trace-page.h"

#define PAGE 4096
#define HEADER 16

/* A page being written, as the kernel's ring buffer does. */
static struct {
        uint8_t bytes[PAGE];
        size_t n;
} page;

static void begin(nsec_t t) {
        memset(&page, 0, sizeof(page));
        memcpy(page.bytes, &t, sizeof(t));
        page.n = HEADER;
}

static void put(uint32_t word) {
        memcpy(page.bytes + page.n, &word, sizeof(word));
        page.n += sizeof(word);
}

static void put_record(unsigned type, uint32_t delta) {
        put(type | delta << 5);
}

/* The page with its length and flags, in a block that ends where it does: a sanitizer sees a read beyond. */
static uint8_t *finish(uint64_t flags, size_t cut, size_t *ret_size) {
        uint64_t commit = (page.n - HEADER) | flags;
        uint8_t *copy = malloc(page.n - cut);

        memcpy(page.bytes + 8, &commit, sizeof(commit));
        memcpy(copy, page.bytes, page.n - cut);
        *ret_size = page.n - cut;
        return copy;
}

TEST(records_of_every_kind_add_up_to_the_time_of_each) {
        _cleanup_free_ uint8_t *bytes = NULL;
        struct trace_page p;
        struct trace_data d;
        size_t size;

        begin(1000);
        put_record(2, 5); /* two words of data */
        put(11);
        put(12);
        put_record(30, 3); /* time: 3 + 1 << 27 */
        put(1);
        put_record(0, 7); /* the length stands before it */
        put(4 + 8);
        put(21);
        put(22);
        put_record(29, 1); /* discarded, and without a time of its own */
        put(4 + 4);
        put(0);
        put_record(29, 9); /* discarded, with one */
        put(4 + 4);
        put(0);
        put_record(1, 1);
        put(31);
        put_record(29, 0); /* the rest is padding */
        put(0xffffffff);
        bytes = finish(0, 0, &size);

        CHECK_INT(trace_page_begin(&p, bytes, size, 8), 0);
        CHECK(!p.lost);
        CHECK_INT(trace_page_next(&p, &d), 1);
        CHECK_INT(d.t, 1005);
        CHECK_INT(d.size, 8);
        CHECK_INT(d.data[4], 12);
        CHECK_INT(trace_page_next(&p, &d), 1);
        CHECK_INT(d.t, 1005 + 3 + (1 << 27) + 7);
        CHECK_INT(d.size, 8);
        CHECK_INT(d.data[0], 21);
        CHECK_INT(trace_page_next(&p, &d), 1);
        CHECK_INT(d.t, 1005 + 3 + (1 << 27) + 7 + 9 + 1);
        CHECK_INT(d.data[0], 31);
        CHECK_INT(trace_page_next(&p, &d), 0);
        CHECK_INT(trace_page_next(&p, &d), 0);
}

TEST(an_absolute_time_keeps_the_bits_that_it_has_no_room_for) {
        const nsec_t high = 3ULL << 59;
        _cleanup_free_ uint8_t *bytes = NULL;
        struct trace_page p;
        struct trace_data d;
        size_t size;

        begin(high + 500);
        put_record(31, 700);
        put(0);
        put_record(1, 0);
        put(1);
        put_record(31, 600); /* earlier: the bits that have no room went on by one */
        put(0);
        put_record(1, 0);
        put(1);
        bytes = finish(0, 0, &size);

        CHECK_INT(trace_page_begin(&p, bytes, size, 8), 0);
        CHECK_INT(trace_page_next(&p, &d), 1);
        CHECK(d.t == high + 700);
        CHECK_INT(trace_page_next(&p, &d), 1);
        CHECK(d.t == high + (1ULL << 59) + 600);
}

TEST(a_page_says_that_records_before_it_were_lost) {
        _cleanup_free_ uint8_t *bytes = NULL;
        struct trace_page p;
        struct trace_data d;
        size_t size;

        begin(1);
        put_record(1, 1);
        put(7);
        bytes = finish(1u << 31 | 1u << 30, 0, &size); /* and how many: behind the end, where we do not look */
        CHECK_INT(trace_page_begin(&p, bytes, size, 8), 0);
        CHECK(p.lost);
        CHECK_INT(trace_page_next(&p, &d), 1);
        CHECK_INT(trace_page_next(&p, &d), 0);
}

TEST(a_header_of_32_bits_is_understood) {
        const uint32_t header[] = { 5, 0, 4, 1 | 2 << 5 };
        struct trace_page p;
        struct trace_data d;

        CHECK_INT(trace_page_begin(&p, header, sizeof(header), 4), 0);
        CHECK_INT(trace_page_next(&p, &d), -EBADMSG); /* a record whose data is not there */
        CHECK_INT(trace_page_next(&p, &d), 0);
}

TEST(what_is_no_page_is_refused) {
        static const uint8_t zeros[64];
        uint8_t ones[64];
        struct trace_page p;
        struct trace_data d;

        memset(ones, 0xff, sizeof(ones));
        CHECK_INT(trace_page_begin(&p, zeros, 15, 8), -EBADMSG);
        CHECK_INT(trace_page_begin(&p, zeros, 64, 7), -EBADMSG);
        CHECK_INT(trace_page_begin(&p, ones, 64, 8), -EBADMSG);
        CHECK_INT(trace_page_begin(&p, zeros, 64, 8), 0);
        CHECK_INT(trace_page_next(&p, &d), 0);
}

/* Cut anywhere, with any byte changed: it ends, and gives nothing beyond the bytes that are there. */
TEST(a_broken_page_ends) {
        uint64_t seed = test_seed();

        for (unsigned round = 0; round < 20000; round++) {
                _cleanup_free_ uint8_t *bytes = NULL;
                size_t size, records = 0;
                struct trace_page p;
                struct trace_data d;
                int r;

                begin(1);
                for (unsigned i = 0; i < 20; i++)
                        put((uint32_t) test_random(&seed) >> test_random(&seed) % 32);
                bytes = finish(0, 0, &size);
                r = trace_page_begin(&p, bytes, size, 8);
                CHECK_INT(r, 0);
                while ((r = trace_page_next(&p, &d)) > 0) {
                        CHECK(d.data >= bytes + HEADER && d.data + d.size <= bytes + size);
                        CHECK(++records <= 20);
                }
                CHECK(r == 0 || r == -EBADMSG);
                CHECK_INT(trace_page_next(&p, &d), 0);
        }
}
