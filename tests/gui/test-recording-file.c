/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h" /* before GLib, which brings its own MIN() */

#include "recording-file.h"
#include "recording.h"

#define BLOCKS 40

static void append_block(GByteArray *to, const struct recording_block *b) {
        g_byte_array_append(to, b->data, (guint) b->size);
}

/* As the daemon sends one. Returns its events and ticks. */
static uint64_t write_recording(uint64_t *seed, GByteArray *to) {
        uint8_t mark[RECORDING_MARK_BYTES];
        struct recording_block b;
        uint64_t n = 0;

        recording_write_mark(mark);
        g_byte_array_append(to, mark, sizeof(mark));
        recording_block_set_text(&b, RECORDING_BLOCK_ENVIRONMENT, 0, "KERNEL=6.1\n");
        append_block(to, &b);
        for (unsigned i = 0; i < BLOCKS; i++) {
                nsec_t t = i * NSEC_PER_SEC;

                recording_block_begin(&b, t);
                for (uint64_t k = 1 + test_random(seed) % 100; k > 0; k--, n++)
                        if (test_random(seed) % 2)
                                recording_block_add_tick(&b, t, 0);
                        else
                                recording_block_add(&b, &(struct event){ .t = t, .kind = EVENT_LOST, .lost.count = 1 });
                recording_block_seal(&b);
                append_block(to, &b);
        }
        return n;
}

static void append_end(GByteArray *to, uint64_t n) {
        uint8_t end[RECORDING_END_BYTES];

        recording_write_end(end, n);
        g_byte_array_append(to, end, sizeof(end));
}

static bool take_in_pieces(struct recording_file *f, uint64_t *seed, const GByteArray *from, guint size) {
        for (guint at = 0, n; at < size; at += n) {
                n = 1 + (guint) (test_random(seed) % 5000);
                n = MIN(n, size - at);
                if (!recording_file_take(f, from->data + at, n))
                        return false;
        }
        return true;
}

static bool is_same(GBytes *file, const GByteArray *expected) {
        gsize size;
        const void *data = g_bytes_get_data(file, &size);

        return size == expected->len && memcmp(data, expected->data, size) == 0;
}

TEST(what_comes_in_pieces_is_a_file_that_says_that_nothing_is_missing) {
        uint64_t seed = test_seed();

        for (unsigned round = 0; round < 20; round++) {
                g_autoptr(GByteArray) sent = g_byte_array_new();
                g_autoptr(GBytes) file = NULL;
                struct recording_file f = { 0 };
                uint64_t n = write_recording(&seed, sent);

                CHECK(take_in_pieces(&f, &seed, sent, sent->len));
                append_end(sent, n);
                file = recording_file_end(&f);
                CHECK(is_same(file, sent));
        }
}

/* Without the last block, whose items are counted. */
static guint last_block(const GByteArray *sent) {
        guint last = 0;

        for (guint at = RECORDING_MARK_BYTES; at < sent->len; at += RECORDING_HEAD_BYTES + sent->data[at + 4] + sent->data[at + 5] * 256u)
                last = at;
        return last;
}

TEST(a_block_that_is_cut_is_left_out) {
        uint64_t seed = test_seed();
        g_autoptr(GByteArray) sent = g_byte_array_new();
        g_autoptr(GBytes) file = NULL;
        struct recording_file f = { 0 };
        uint64_t n = write_recording(&seed, sent);
        guint last = last_block(sent);

        CHECK(take_in_pieces(&f, &seed, sent, sent->len - 1));
        n -= sent->data[last + 8];
        g_byte_array_set_size(sent, last);
        append_end(sent, n);
        file = recording_file_end(&f);
        CHECK(is_same(file, sent));
}

TEST(what_is_no_recording_is_refused) {
        uint64_t seed = test_seed();
        g_autoptr(GByteArray) sent = g_byte_array_new();
        struct recording_file f = { 0 };

        write_recording(&seed, sent);
        CHECK(recording_file_end(&f) == NULL); /* nothing came */
        CHECK(!recording_file_take(&f, "0123456789abcdef", 16));
        CHECK(recording_file_end(&f) == NULL);
        sent->data[last_block(sent)] ^= 1; /* no block begins there */
        CHECK(!take_in_pieces(&f, &seed, sent, sent->len));
        recording_file_clear(&f);
        sent->data[8] ^= 2; /* another version */
        CHECK(!take_in_pieces(&f, &seed, sent, sent->len));
        recording_file_clear(&f);
}

/* The first block's head says that size. */
static bool takes_block(const GByteArray *sent, guint size) {
        struct recording_file f = { 0 };
        bool taken;

        put_u16(sent->data + RECORDING_MARK_BYTES + HEAD_LENGTH, (uint16_t) (size - RECORDING_HEAD_BYTES));
        taken = recording_file_take(&f, sent->data, RECORDING_MARK_BYTES + RECORDING_HEAD_BYTES);
        recording_file_clear(&f);
        return taken;
}

TEST(a_block_larger_than_a_pipe_takes_at_once_is_refused) {
        uint64_t seed = test_seed();
        g_autoptr(GByteArray) sent = g_byte_array_new();

        write_recording(&seed, sent);
        CHECK(takes_block(sent, RECORDING_BLOCK_MAX));
        CHECK(!takes_block(sent, RECORDING_BLOCK_MAX + 1));
        CHECK(!takes_block(sent, RECORDING_HEAD_BYTES + UINT16_MAX));
}
