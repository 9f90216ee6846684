/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "blktrace-bytes.h"
#include "blktrace-record.h"
#include "test.h"

static uint8_t bytes[BLKTRACE_HEADER_MAX + 64];

static struct blktrace_bytes some(uint64_t action) {
        return (struct blktrace_bytes) { .version = 7, .sequence = 5, .t = 77, .sector = 1000, .bytes = 4096, .action = action,
                                         .tid = 1234, .dev = BLKTRACE_DEV, .cpu = 3 };
}

static int parse(struct blktrace_bytes b, struct blktrace_record *ret) {
        return blktrace_record_parse(bytes, blktrace_bytes_put(bytes, b), ret);
}

/* As the kernel lays it out, written by hand: 4 KiB read from sector 0x1122334455 by thread 0x1234 on CPU 2, drive 8:16. */
TEST(a_record_of_version_7_is_read_byte_for_byte) {
        static const uint8_t little[] = {
                0x07, 0x74, 0x61, 0x65, 0x2a, 0x00, 0x00, 0x00, 0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01,
                0x55, 0x44, 0x33, 0x22, 0x11, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x07, 0x00, 0x41, 0x01,
                0x34, 0x12, 0x00, 0x00, 0x10, 0x00, 0x80, 0x00, 0x02, 0x00, 0x00, 0x00, 0x05, 0x00, 0x00, 0x00,
        };
        struct blktrace_record r;
        size_t size;

        CHECK_INT(sizeof(little), 48);
        CHECK_INT(blktrace_record_parse(little, sizeof(little), &r), 1);
        CHECK_INT(r.kind, BLKTRACE_REQUEST);
        CHECK_INT(r.sequence, 42);
        CHECK(r.t == 0x0123456789abcdef);
        CHECK_INT(r.cpu, 2);
        CHECK_INT(r.dev, DEV_NUMBER(8, 16));
        CHECK(!r.note);
        CHECK_INT(r.request.kind, TRACE_RQ_ISSUE);
        CHECK_INT(r.request.tid, 0x1234);
        CHECK(r.request.request.sector == 0x1122334455);
        CHECK_INT(r.request.request.sectors, 8);
        CHECK_INT(r.request.request.op, REQUEST_READ);
        CHECK_INT(blktrace_record_size(little, sizeof(little), &size), 1);
        CHECK_INT(size, 48);
}

TEST(a_record_of_version_8_is_read_byte_for_byte) {
        static const uint8_t little[] = {
                0x08, 0x74, 0x61, 0x65, 0x2a, 0x00, 0x00, 0x00, 0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01,
                0x55, 0x44, 0x33, 0x22, 0x11, 0x00, 0x00, 0x00, 0x00, 0x20, 0x00, 0x00, 0x34, 0x12, 0x00, 0x00,
                0x08, 0x00, 0x82, 0x01, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x80, 0x00, 0x02, 0x00, 0x00, 0x00,
                0x05, 0x00, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
                'a', 'b', 'c',
        };
        struct blktrace_record r;
        size_t size;

        CHECK_INT(blktrace_record_size(little, sizeof(little), &size), 1);
        CHECK_INT(size, 67);
        CHECK_INT(blktrace_record_parse(little, sizeof(little), &r), 1);
        CHECK_INT(r.kind, BLKTRACE_REQUEST);
        CHECK_INT(r.cpu, 2);
        CHECK_INT(r.dev, DEV_NUMBER(8, 16));
        CHECK_INT(r.tid, 0x1234);
        CHECK_INT(r.request.kind, TRACE_RQ_COMPLETE);
        CHECK_INT(r.request.request.sectors, 16);
        CHECK_INT(r.request.request.op, REQUEST_WRITE);
}

/* What a machine of the other byte order recorded: the same as above, each number turned round. */
TEST(the_other_byte_order_is_recognised) {
        static const uint8_t big[] = {
                0x65, 0x61, 0x74, 0x07, 0x00, 0x00, 0x00, 0x2a, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
                0x00, 0x00, 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x00, 0x00, 0x10, 0x00, 0x01, 0x41, 0x00, 0x07,
                0x00, 0x00, 0x12, 0x34, 0x00, 0x80, 0x00, 0x10, 0x00, 0x00, 0x00, 0x02, 0x00, 0x05, 0x00, 0x00,
        };
        struct blktrace_record r;

        CHECK_INT(blktrace_record_parse(big, sizeof(big), &r), 1);
        CHECK_INT(r.kind, BLKTRACE_REQUEST);
        CHECK_INT(r.sequence, 42);
        CHECK(r.t == 0x0123456789abcdef);
        CHECK_INT(r.dev, DEV_NUMBER(8, 16));
        CHECK_INT(r.request.kind, TRACE_RQ_ISSUE);
        CHECK(r.request.request.sector == 0x1122334455);
        CHECK_INT(r.request.request.sectors, 8);
}

TEST(actions_are_what_happens_to_a_request) {
        static const struct {
                uint64_t action;
                enum trace_kind kind; /* _TRACE_KIND_MAX: passed over */
                enum request_op op;
        } cases[] = {
                { BYTES_QUEUE_READ, TRACE_BIO_QUEUE, REQUEST_READ },
                { BYTES_QUEUE_WRITE, TRACE_BIO_QUEUE, REQUEST_WRITE },
                { BYTES_QUEUE_DISCARD, TRACE_BIO_QUEUE, REQUEST_DISCARD },
                { BYTES_QUEUE_READ | 0x100, TRACE_BIO_QUEUE, REQUEST_READ }, /* with a cgroup */
                { BYTES_ISSUE_READ, TRACE_RQ_ISSUE, REQUEST_READ },
                { 0x00420007, TRACE_RQ_ISSUE, REQUEST_WRITE },
                { BYTES_REQUEUE_READ, TRACE_RQ_REQUEUE, REQUEST_READ },
                { BYTES_COMPLETE_READ, TRACE_RQ_COMPLETE, REQUEST_READ },
                { 0x81820008, TRACE_RQ_COMPLETE, REQUEST_WRITE }, /* with FUA */
                { BYTES_COMPLETE_BIO, _TRACE_KIND_MAX, 0 },
                { BYTES_ISSUE_COMMAND, _TRACE_KIND_MAX, 0 },
                { BYTES_INSERT_READ, _TRACE_KIND_MAX, 0 },
                { 0x00110002, _TRACE_KIND_MAX, 0 }, /* merged */
                { 0x00110004, _TRACE_KIND_MAX, 0 }, /* got a request */
                { 0x00110009, _TRACE_KIND_MAX, 0 }, /* plug */
                { 0x0011000f, _TRACE_KIND_MAX, 0 }, /* remap: the drive's own number is queued, too */
                { 0x00400007, _TRACE_KIND_MAX, 0 }, /* neither read nor write */
                { 0x0000beef, _TRACE_KIND_MAX, 0 },
        };
        struct blktrace_record r;

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                CHECK_INT(parse(some(cases[i].action), &r), 1);
                CHECK_INT(r.kind, cases[i].kind == _TRACE_KIND_MAX ? BLKTRACE_OTHER : BLKTRACE_REQUEST);
                if (r.kind == BLKTRACE_REQUEST)
                        CHECK_INT(r.request.kind, cases[i].kind);
                if (r.kind == BLKTRACE_REQUEST)
                        CHECK_INT(r.request.request.op, cases[i].op);
        }
}

TEST(what_moves_no_data_is_passed_over) {
        struct blktrace_bytes flush = some(BYTES_FLUSH), odd = some(BYTES_ISSUE_READ);
        struct blktrace_record r;

        flush.bytes = 0;
        CHECK_INT(parse(flush, &r), 1);
        CHECK_INT(r.kind, BLKTRACE_OTHER);
        odd.bytes = 511;
        CHECK_INT(parse(odd, &r), 1);
        CHECK_INT(r.kind, BLKTRACE_OTHER);
}

/* In version 7 the kernel calls them writes, or tells none of them. */
TEST(version_8_knows_zones_and_zeroes_from_writes) {
        struct blktrace_record r;

        for (int category = 15; category <= 23; category++) {
                struct blktrace_bytes b = some(BYTES_QUEUE_WRITE | UINT64_C(1) << (16 + category));
                b.version = 8;
                CHECK_INT(parse(b, &r), 1);
                CHECK_INT(r.kind, category == 15 || category == 23 ? BLKTRACE_REQUEST : BLKTRACE_OTHER);
        }
}

TEST(a_split_tells_the_length_of_its_front) {
        uint64_t behind = htobe64(1000 + 128), with_cgroup[2] = { 1, behind };
        struct blktrace_bytes b = some(BYTES_SPLIT_READ);
        struct blktrace_record r;

        b.payload = &behind;
        b.payload_length = sizeof(behind);
        CHECK_INT(parse(b, &r), 1);
        CHECK_INT(r.request.kind, TRACE_SPLIT);
        CHECK_INT(r.request.request.sectors, 128);
        b.action |= 0x100;
        b.payload = with_cgroup;
        b.payload_length = sizeof(with_cgroup);
        CHECK_INT(parse(b, &r), 1);
        CHECK_INT(r.request.request.sectors, 128);
        b.payload_length = 12;
        CHECK_INT(parse(b, &r), 1);
        CHECK_INT(r.kind, BLKTRACE_BROKEN);
}

TEST(a_thread_is_named_and_the_time_of_day_is_told) {
        static const uint32_t when[2] = { 1700000000, 999999999 };
        struct blktrace_bytes b = some(BYTES_PROCESS);
        struct blktrace_record r;

        b.payload = "sixteen-letters!";
        b.payload_length = 16;
        CHECK_INT(parse(b, &r), 1);
        CHECK_INT(r.kind, BLKTRACE_PROCESS);
        CHECK(r.note);
        CHECK_INT(r.tid, 1234);
        CHECK_STR(r.name, "sixteen-letters");
        b.payload_length = 15;
        CHECK_INT(parse(b, &r), 1);
        CHECK_INT(r.kind, BLKTRACE_BROKEN);
        b = some(BYTES_TIMESTAMP);
        b.payload = when;
        b.payload_length = sizeof(when);
        CHECK_INT(parse(b, &r), 1);
        CHECK_INT(r.kind, BLKTRACE_TIMESTAMP);
        CHECK_INT(r.timestamp.seconds, 1700000000);
        CHECK_INT(r.timestamp.nanoseconds, 999999999);
        b.payload_length = 7;
        CHECK_INT(parse(b, &r), 1);
        CHECK_INT(r.kind, BLKTRACE_BROKEN);
}

TEST(a_message_is_without_its_cgroup) {
        static const char text[] = "\1\0\0\0\0\0\0\0bfq16398S raising";
        struct blktrace_bytes b = some(BYTES_MESSAGE_CGROUP);
        struct blktrace_record r;

        b.payload = text;
        b.payload_length = sizeof(text) - 1;
        CHECK_INT(parse(b, &r), 1);
        CHECK_INT(r.kind, BLKTRACE_MESSAGE);
        CHECK_INT(r.message.length, strlen("bfq16398S raising"));
        CHECK(memcmp(r.message.text, "bfq16398S raising", r.message.length) == 0);
        b.payload_length = 3; /* not even the cgroup */
        CHECK_INT(parse(b, &r), 1);
        CHECK_INT(r.message.length, 0);
}

TEST(a_record_that_goes_on_is_waited_for) {
        for (unsigned version = 7; version <= 8; version++) {
                struct blktrace_bytes b = some(BYTES_PROCESS);
                struct blktrace_record r;
                size_t size;

                b.version = version;
                b.payload = "0123456789abcdef";
                b.payload_length = 16;
                size = blktrace_bytes_put(bytes, b);
                for (size_t n = 0; n < size; n++)
                        CHECK_INT(blktrace_record_parse(bytes, n, &r), 0);
                CHECK_INT(blktrace_record_parse(bytes, size, &r), 1);
        }
}

TEST(what_is_no_record_is_refused) {
        struct blktrace_bytes b = some(BYTES_QUEUE_READ);
        struct blktrace_record r;
        uint8_t nothing[BLKTRACE_HEADER_MAX] = { 0 };

        CHECK_INT(blktrace_record_parse(nothing, sizeof(nothing), &r), -EBADMSG);
        b.version = 9;
        CHECK_INT(parse(b, &r), -EPROTONOSUPPORT);
        b.version = 6;
        CHECK_INT(parse(b, &r), -EPROTONOSUPPORT);
}
