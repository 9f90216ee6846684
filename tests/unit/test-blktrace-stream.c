/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blktrace-bytes.h"
#include "blktrace-stream.h"
#include "test.h"

#define CPU 2
#define NOW NSEC_PER_SEC

static struct blktrace_stream stream;
static struct blktrace_record got;

static void begin(void) {
        blktrace_stream_init(&stream, CPU, BLKTRACE_DEV);
}

static void feed(const void *data, size_t size) {
        size_t room;
        uint8_t *to = blktrace_stream_room(&stream, &room);

        if (size > room)
                abort();
        memcpy(to, data, size);
        blktrace_stream_add(&stream, size);
}

static void feed_record(struct blktrace_bytes b) {
        uint8_t bytes[256];

        feed(bytes, blktrace_bytes_put(bytes, b));
}

static struct blktrace_bytes number(uint32_t sequence, uint64_t t) {
        return (struct blktrace_bytes) { .version = 7, .sequence = sequence, .t = t, .sector = sequence, .bytes = 4096,
                                         .action = BYTES_QUEUE_READ, .dev = BLKTRACE_DEV, .cpu = CPU };
}

static bool next_is(uint32_t sequence) {
        return blktrace_stream_next(&stream, NOW, &got) == 1 && got.sequence == sequence;
}

static bool is_empty(void) {
        return blktrace_stream_next(&stream, NOW, &got) == 0;
}

TEST(records_come_whatever_pieces_they_were_read_in) {
        uint8_t bytes[3 * 48];

        for (size_t piece = 1; piece < sizeof(bytes); piece++) {
                uint32_t n = 0;

                for (uint32_t i = 0; i < 3; i++)
                        blktrace_bytes_put(bytes + 48 * i, number(i, i));
                begin();
                for (size_t at = 0; at < sizeof(bytes); at += piece) {
                        feed(bytes + at, MIN(piece, sizeof(bytes) - at));
                        while (blktrace_stream_next(&stream, NOW, &got) > 0)
                                CHECK_INT(got.sequence, n++);
                }
                CHECK_INT(n, 3);
                CHECK_INT(stream.malformed, 0);
        }
}

TEST(what_is_missing_from_the_sequence_was_lost) {
        struct blktrace_bytes note = number(0, 20);

        begin();
        note.action = BYTES_PROCESS;
        note.payload = "0123456789abcdef";
        note.payload_length = 16;
        feed_record(number(100, 10)); /* the first one that we see: what came before is not ours to count */
        feed_record(note);
        feed_record(number(101, 30));
        CHECK(next_is(100) && next_is(0) && next_is(101) && is_empty());
        CHECK_INT(stream.lost, 0);
        feed_record(number(105, 40));
        CHECK(next_is(105));
        CHECK_INT(stream.lost, 3);
        CHECK_INT(stream.malformed, 0);
}

TEST(the_sequence_may_run_over) {
        begin();
        feed_record(number(UINT32_MAX - 1, 10));
        feed_record(number(1, 20));
        CHECK(next_is(UINT32_MAX - 1) && next_is(1));
        CHECK_INT(stream.lost, 2);
}

/* What relay's room for the last record holds before it is written. */
TEST(a_record_that_was_not_written_yet_is_counted_as_lost) {
        uint8_t nothing[48] = { 0 };

        begin();
        feed_record(number(7, 700));
        feed(nothing, sizeof(nothing));
        CHECK(next_is(7) && is_empty());
        feed_record(number(9, 900));
        CHECK(next_is(9));
        CHECK_INT(stream.lost, 1);
        CHECK_INT(stream.malformed, 1);
        feed_record(number(3, 300)); /* it stands there since the buffer was last here */
        CHECK(is_empty());
        feed_record(number(11, 1100));
        CHECK(next_is(11));
        CHECK_INT(stream.lost, 2);
        CHECK_INT(stream.malformed, 2);
}

TEST(what_is_not_of_this_cpu_and_trace_and_past_is_passed_over) {
        struct blktrace_bytes cpu = number(2, 200), dev = number(2, 200), future = number(2, NOW + NSEC_PER_SEC + 1);

        begin();
        cpu.cpu = CPU + 1;
        dev.dev++;
        feed_record(number(1, 100));
        feed_record(cpu);
        feed_record(dev);
        feed_record(future);
        feed_record(number(2, 200));
        CHECK(next_is(1) && next_is(2) && is_empty());
        CHECK_INT(stream.malformed, 3);
        CHECK_INT(stream.lost, 0);
}

TEST(after_garbage_it_goes_on_with_the_next_record) {
        uint8_t garbage[1001];

        begin();
        memset(garbage, 0x07, sizeof(garbage)); /* what a record begins with */
        feed_record(number(1, 100));
        feed(garbage, sizeof(garbage));
        feed_record(number(2, 200));
        CHECK(next_is(1) && next_is(2) && is_empty());
        CHECK_INT(stream.malformed, 1);
}

TEST(a_record_longer_than_the_buffer_is_passed_over_as_it_comes) {
        uint8_t header[48], payload[1000] = { 0 };
        struct blktrace_bytes b = number(2, 200);
        size_t left = UINT16_MAX;

        begin();
        b.payload_length = 0;
        blktrace_bytes_put(header, b);
        memset(header + 46, 0xff, 2);
        feed_record(number(1, 100));
        feed(header, sizeof(header));
        CHECK(next_is(1) && is_empty());
        while (left > 0) {
                size_t n = MIN(left, sizeof(payload));
                feed(payload, n);
                CHECK(is_empty());
                left -= n;
        }
        feed_record(number(3, 300));
        CHECK(next_is(3));
        CHECK_INT(stream.malformed, 1);
        CHECK_INT(stream.lost, 1);
}

TEST(half_a_record_at_the_end_of_the_file_is_none) {
        uint8_t bytes[48];

        begin();
        blktrace_bytes_put(bytes, number(1, 100));
        feed(bytes, 30);
        CHECK(is_empty());
        blktrace_stream_dry(&stream);
        feed_record(number(2, 200));
        CHECK(next_is(2));
        CHECK_INT(stream.malformed, 1);
}
