/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "checksum.h"
#include "recording.h"
#include "test.h"

#define DEV DEV_NUMBER(8, 16)
#define EVENTS 3000 /* several blocks */

static struct {
        uint8_t bytes[256 * 1024];
        size_t size, at;
        size_t step; /* handed out at a time at most; 0: all */
} file;

static ssize_t fill(void *userdata, void *buf, size_t size) {
        size_t n = MIN(size, file.size - file.at);

        (void) userdata;
        if (file.step)
                n = MIN(n, file.step);
        memcpy(buf, file.bytes + file.at, n);
        file.at += n;
        return (ssize_t) n;
}

static void append(const void *data, size_t size) {
        memcpy(file.bytes + file.size, data, size);
        file.size += size;
}

static struct recording_block block;
static struct recording_reader reader;

static void add(const struct event *e) {
        if (recording_block_add(&block, e) == -ENOSPC) {
                recording_block_seal(&block);
                append(block.data, block.size);
                recording_block_begin(&block, e->t);
                recording_block_add(&block, e);
        }
}

static struct event random_event(uint64_t *state, enum event_kind kind, nsec_t t) {
        struct event e = {
                .t = t, .kind = (uint16_t) kind, .flags = (uint16_t) (test_random(state) & 3 ? 0 : test_random(state)),
                .dev = DEV + (uint32_t) (test_random(state) & 1), .tgid = (int32_t) test_random(state),
        };
        uint64_t sector = test_random(state) >> (test_random(state) & 63);

        switch (kind) {
        case EVENT_DEVICE_STAT:
                e.device_stat = (struct event_device_stat){ (uint32_t) test_random(state), 1, 2, 3, 4, 5, UINT32_MAX, 7, 8, 9 };
                break;
        case EVENT_PROCESS_IO:
                e.process_io = (struct event_process_io){ UINT64_MAX, 1, (uint32_t) test_random(state), UINT32_MAX };
                break;
        case EVENT_PROCESS_NAME:
                e.process_name = (struct event_process_name){ test_random(state), "fifteen letters" };
                break;
        case EVENT_LOST:
                e.lost.count = test_random(state);
                break;
        case EVENT_WATCH:
                e.watch = (struct event_watch){ .on = true, .rotational = test_random(state) & 1 };
                break;
        case EVENT_REQUEST_QUEUE:
        case EVENT_REQUEST_SPLIT:
        case EVENT_REQUEST_ISSUE:
        case EVENT_REQUEST_REQUEUE:
        case EVENT_REQUEST_COMPLETE:
                e.request = (struct event_request){ sector, (uint32_t) test_random(state), REQUEST_DISCARD };
                break;
        case EVENT_PRESENCE:
                e.presence.presence = PRESENCE_SOMEBODY;
                break;
        case EVENT_STACK:
                e.stack = (struct event_stack){ .upper = (uint32_t) test_random(state), .drives = UINT8_MAX };
                break;
        case EVENT_PROCESS_WAIT:
                e.process_wait = (struct event_process_wait){ test_random(state), 1, UINT32_MAX };
                break;
        case EVENT_PROCESS_FORK:
                e.process_fork.parent = (int32_t) test_random(state);
                break;
        case EVENT_PROCESS_EXEC:
                e.process_exec = (struct event_process_exec){ test_random(state), INT32_MAX, 1, (int32_t) test_random(state), "fifteen letters" };
                break;
        case EVENT_PROCESS_APPLICATION:
                e.process_application = (struct event_process_application){ test_random(state), "org.gnome.TextEditor" };
                break;
        case EVENT_PROCESS_WORK:
                e.process_work = (struct event_process_work){ test_random(state), 1, 2, (uint32_t) test_random(state), UINT32_MAX, 3 };
                break;
        case EVENT_PROCESS_STALL:
                e.process_stall = (struct event_process_stall){ (uint32_t) test_random(state), UINT32_MAX };
                break;
        case EVENT_DEVICE_MERGES:
                e.merges = (struct event_device_merges){ 250000, (uint32_t) test_random(state) };
                break;
        case EVENT_MEMORY:
                e.memory = (struct event_memory){ 1000000, UINT32_MAX, 2, (uint32_t) test_random(state), 4, 5, UINT32_MAX };
                break;
        case EVENT_PROCESS_PRIORITY:
                e.process_priority = (struct event_process_priority){ test_random(state), IO_CLASS_IDLE, 7, (uint32_t) test_random(state) };
                break;
        case EVENT_PROCESS_USER:
                e.process_user = (struct event_process_user){ test_random(state), PROCESS_UID_UNKNOWN };
                break;
        case EVENT_SUMS:
                e.sums = (struct event_sums){ 1, (uint32_t) test_random(state), 2, SUMS_NEVER, 3, 4, 5, (uint32_t) test_random(state),
                                              (uint16_t) test_random(state), UINT16_MAX, 16000, REQUEST_WRITE, 32 };
                break;
        case EVENT_TOTAL:
                e.total = (struct event_total){ 1, (uint32_t) test_random(state), 2, 16, REQUEST_WRITE };
                break;
        case EVENT_LATENCIES:
                e.latencies = (struct event_latencies){ .counts = { 1, 0, UINT32_MAX }, .op = REQUEST_WRITE, .first = 184 };
                e.latencies.counts[LATENCIES_BUCKETS - 1] = (uint32_t) test_random(state);
                break;
        case EVENT_DEVICE_GONE:
        case EVENT_PROCESS_EXIT:
        case EVENT_PROCESS_READY:
        case _EVENT_KIND_MAX:
                break;
        }
        return e;
}

/* Whole events are compared: what the kind does not have is zero. */
static struct event written[EVENTS];

/* later: an item of a kind that is not known, a nanosecond after the one before, to stand in the middle, and a block of such a kind; NULL:
 * neither. */
static void append_end(uint64_t n) {
        uint8_t end[RECORDING_END_BYTES];

        recording_write_end(end, n);
        append(end, sizeof(end));
}

static void write_file_with(bool end, const uint8_t *later, size_t size) {
        uint64_t state = test_seed();
        uint8_t mark[RECORDING_MARK_BYTES];
        nsec_t t = 5000;

        memset(written, 0, sizeof(written));
        memset(&file, 0, sizeof(file));
        recording_write_mark(mark);
        append(mark, sizeof(mark));
        recording_block_set_text(&block, RECORDING_BLOCK_ENVIRONMENT, 0, "kernel=6.1\nhz=250\n");
        append(block.data, block.size);
        if (later) {
                recording_block_set_text(&block, (enum recording_block_kind) 9, 0, "what=ever\n");
                append(block.data, block.size);
        }
        recording_block_begin(&block, t);
        for (size_t i = 0; i < EVENTS; i++) {
                if (later && i == EVENTS / 2) {
                        memcpy(block.data + block.size, later, size);
                        block.size += size;
                        block.n++;
                        block.state.t++;
                }
                t += test_random(&state) % 4000000 - 1000000; /* the CPUs' clocks disagree a little */
                written[i] = random_event(&state, (enum event_kind) (i % _EVENT_KIND_MAX), t);
                add(&written[i]);
        }
        recording_block_seal(&block);
        append(block.data, block.size);
        if (!end)
                return;
        append_end(EVENTS + (later ? 1 : 0));
}

static void write_file(bool end) {
        write_file_with(end, NULL, 0);
}

/* Reads to the end. Returns what recording_read() returned last; counts the events that are as they were written, and losses. */
static int read_file(size_t *ret_same, size_t *ret_lost) {
        struct recording_item item;
        size_t next = 0;
        int r;

        file.at = 0;
        *ret_same = *ret_lost = 0;
        recording_reader_init(&reader, fill, NULL);
        while ((r = recording_read(&reader, &item)) > 0) {
                size_t i = next;
                if (item.kind != RECORDING_EVENT)
                        continue;
                while (i < EVENTS && memcmp(&item.event, &written[i], sizeof(item.event)) != 0)
                        i++;
                if (i < EVENTS) {
                        ++*ret_same;
                        next = i + 1;
                } else {
                        *ret_lost += item.event.kind == EVENT_LOST && item.event.lost.count == 0 && item.event.flags == EVENT_REQUESTS;
                }
        }
        return r;
}

TEST(the_checksum_is_that_of_rfc_3720) {
        uint8_t zeros[32] = { 0 };

        CHECK_INT(checksum_crc32c(0, zeros, sizeof(zeros)), 0x8a9136aa);
        CHECK_INT(checksum_crc32c(0, "123456789", 9), 0xe3069283);
        CHECK_INT(checksum_crc32c(checksum_crc32c(0, "1234", 4), "56789", 5), 0xe3069283);
}

TEST(every_kind_of_event_comes_back_as_it_was) {
        size_t same, lost;

        write_file(true);
        for (file.step = 0; file.step < 3; file.step++) { /* in whatever pieces it comes */
                CHECK_INT(read_file(&same, &lost), 0);
                CHECK_INT(same, EVENTS);
                CHECK_INT(lost, 0);
                CHECK(reader.ended);
                CHECK_INT(reader.counters.events, EVENTS);
                CHECK_INT(reader.counters.damages, 0);
        }
}

/* A version that comes later writes an item, and a block, of a kind of its own. */
TEST(kinds_that_come_later_are_passed_over_and_cost_nothing) {
        const uint8_t later[] = { 30, 2 /* 1 ns on */, 200, 1 /* kind 200 */, 3, 0xff, 30, 31 };
        struct recording_state s = { .t = 41 };
        struct recording_item item = { .kind = RECORDING_EVENT };
        size_t same, lost;

        CHECK_INT(recording_decode(&s, later, sizeof(later), &item), sizeof(later));
        CHECK_INT(item.kind, RECORDING_LATER);
        CHECK_INT(item.t, 42);
        for (size_t n = 0; n < sizeof(later); n++) {
                s.t = 41;
                CHECK_INT(recording_decode(&s, later, n, &item), -EBADMSG);
        }
        write_file_with(true, later, sizeof(later));
        CHECK_INT(read_file(&same, &lost), 0);
        CHECK_INT(same, EVENTS);
        CHECK_INT(lost, 0);
        CHECK(reader.ended);
        CHECK_INT(reader.counters.later, 2);
        CHECK_INT(reader.counters.damages, 0);
}

TEST(of_a_kind_that_is_known_what_a_later_version_tells_besides_is_passed_over) {
        const uint8_t longer[] = { 30, 2, 32, 6, 0, 0, 14 /* process 7 */, 5, 6, 99 }, shorter[] = { 30, 2, 32, 4, 0, 0, 14, 5, 6 };
        struct recording_state s = { .t = 41 };
        struct recording_item item;

        CHECK_INT(recording_decode(&s, longer, sizeof(longer), &item), sizeof(longer));
        CHECK_INT(item.kind, RECORDING_EVENT);
        CHECK(item.event.kind == EVENT_PROCESS_STALL && item.event.t == 42 && item.event.tgid == 7);
        CHECK(item.event.process_stall.queued_us == 5 && item.event.process_stall.memory_us == 6);
        CHECK_INT(recording_decode(&s, shorter, sizeof(shorter), &item), -EBADMSG);
}

TEST(the_longest_event_fits_in_the_room_that_is_kept_for_it) {
        struct recording_state s = { 0 };
        uint8_t bytes[RECORDING_ITEM_BYTES_MAX];

        for (int k = 0; k < _EVENT_KIND_MAX; k++) {
                struct event e;
                memset(&e, 0xff, sizeof(e));
                e.kind = (uint16_t) k;
                e.t = 1ULL << 63; /* as far away as can be */
                e.request.op = 0xff;
                if (k == EVENT_WATCH)
                        e.watch = (struct event_watch){ true, true };
                if (k == EVENT_PRESENCE)
                        e.presence.presence = PRESENCE_SOMEBODY;
                if (k == EVENT_REQUEST_QUEUE)
                        e.request.sector = 1ULL << 63;
                s.t = 0;
                CHECK(recording_encode_event(&s, &e, bytes) > 0);
                CHECK(recording_encode_event(&s, &e, bytes) <= sizeof(bytes));
        }
}

/* So that files written before a change can still be read after it. */
TEST(the_numbers_of_the_kinds_are_those_of_the_manual) {
        static const uint8_t codes[] = {
                [EVENT_DEVICE_STAT] = 1, [EVENT_DEVICE_GONE] = 2, [EVENT_PROCESS_IO] = 3, [EVENT_PROCESS_NAME] = 4,
                [EVENT_PROCESS_EXIT] = 5, [EVENT_LOST] = 6, [EVENT_WATCH] = 7, [EVENT_REQUEST_QUEUE] = 8, [EVENT_REQUEST_SPLIT] = 9,
                [EVENT_REQUEST_ISSUE] = 10, [EVENT_REQUEST_REQUEUE] = 11, [EVENT_REQUEST_COMPLETE] = 12, [EVENT_PRESENCE] = 13,
                [EVENT_PROCESS_WAIT] = 14, [EVENT_STACK] = 15, [EVENT_PROCESS_FORK] = 16, [EVENT_PROCESS_EXEC] = 17,
                [EVENT_PROCESS_APPLICATION] = 18, [EVENT_PROCESS_WORK] = 19, [EVENT_PROCESS_READY] = 20,
                [EVENT_DEVICE_MERGES] = 21, [EVENT_MEMORY] = 22, [EVENT_PROCESS_PRIORITY] = 23,
                [EVENT_SUMS] = 24, [EVENT_LATENCIES] = 25, [EVENT_TOTAL] = 26, [EVENT_PROCESS_USER] = 27, [EVENT_PROCESS_STALL] = 30,
        };
        uint8_t bytes[RECORDING_ITEM_BYTES_MAX];

        CHECK_INT(ARRAY_SIZE(codes), _EVENT_KIND_MAX);
        for (int k = 0; k < _EVENT_KIND_MAX; k++) {
                struct recording_state s = { 0 };
                struct event e = { .kind = (uint16_t) k };
                CHECK(recording_encode_event(&s, &e, bytes) > 0);
                CHECK_INT(bytes[0] & 31, codes[k]);
        }
}

TEST(ticks_and_texts_stand_between_the_events) {
        struct event e = { .t = 20, .kind = EVENT_PROCESS_EXIT, .tgid = 7 };
        struct recording_item item;
        uint8_t mark[RECORDING_MARK_BYTES];
        char value[8];

        memset(&file, 0, sizeof(file));
        recording_write_mark(mark);
        append(mark, sizeof(mark));
        recording_block_set_text(&block, RECORDING_BLOCK_DRIVE, 0, "name=sda\nnames=no\nlong=0123456789\nempty=");
        append(block.data, block.size);
        recording_block_begin(&block, 10);
        CHECK_INT(recording_block_add(&block, &e), 0);
        CHECK_INT(recording_block_add_tick(&block, 15, 2), 0); /* earlier than the event before it */
        recording_block_seal(&block);
        append(block.data, block.size);
        append_end(2);

        recording_reader_init(&reader, fill, NULL);
        CHECK_INT(recording_read(&reader, &item), 1);
        CHECK_INT(item.kind, RECORDING_DRIVE);
        CHECK(recording_get(item.text, "name", value, sizeof(value)));
        CHECK_STR(value, "sda");
        CHECK(recording_get(item.text, "long", value, sizeof(value)));
        CHECK_STR(value, "0123456");
        CHECK(recording_get(item.text, "empty", value, sizeof(value)));
        CHECK_STR(value, "");
        CHECK(!recording_get(item.text, "na", value, sizeof(value)));
        CHECK_INT(recording_read(&reader, &item), 1);
        CHECK_INT(item.event.tgid, 7);
        CHECK_INT(recording_read(&reader, &item), 1);
        CHECK_INT(item.kind, RECORDING_TICK);
        CHECK_INT(item.t, 15);
        CHECK_INT(item.hold, 2);
        CHECK_INT(recording_read(&reader, &item), 0);
        CHECK(reader.ended);
        CHECK_INT(reader.counters.damages, 0);
}

TEST(a_text_that_is_too_long_is_cut_between_lines) {
        static char text[2 * RECORDING_TEXT_MAX];
        struct recording_item item;
        uint8_t mark[RECORDING_MARK_BYTES];

        for (size_t i = 0; i + 4 < sizeof(text); i += 4)
                memcpy(text + i, "a=b\n", 4);
        memset(&file, 0, sizeof(file));
        recording_write_mark(mark);
        append(mark, sizeof(mark));
        recording_block_set_text(&block, RECORDING_BLOCK_ENVIRONMENT, 0, text);
        append(block.data, block.size);
        recording_reader_init(&reader, fill, NULL);
        CHECK_INT(recording_read(&reader, &item), 1);
        CHECK_INT(strlen(item.text), RECORDING_TEXT_MAX / 4 * 4);
}

TEST(a_file_cut_anywhere_is_read_up_to_there_and_not_taken_for_whole) {
        size_t whole, same, lost;

        write_file(true);
        whole = file.size;
        for (size_t cut = 1; cut <= whole; cut += cut < 64 || whole - cut < 2 * RECORDING_BLOCK_MAX ? 1 : 61) {
                int r;
                file.size = whole - cut;
                r = read_file(&same, &lost);
                if (file.size == 0)
                        CHECK_INT(r, -ENODATA);
                else if (file.size < RECORDING_MARK_BYTES)
                        CHECK_INT(r, -EBADMSG);
                else
                        CHECK_INT(r, 0);
                CHECK(!reader.ended);
                CHECK(lost <= 1);
                CHECK_INT(reader.counters.damages, lost);
                CHECK_INT(same, reader.counters.events);
        }
}

TEST(a_changed_byte_costs_one_block_and_is_told) {
        uint64_t state = test_seed();
        size_t same, lost;

        write_file(true);
        for (int i = 0; i < 300; i++) {
                size_t at = RECORDING_MARK_BYTES + test_random(&state) % (file.size - RECORDING_MARK_BYTES);
                uint8_t flip = (uint8_t) (1 + test_random(&state) % 255);
                file.bytes[at] ^= flip;
                CHECK_INT(read_file(&same, &lost), 0);
                CHECK(same + RECORDING_BLOCK_MAX / 2 >= EVENTS);
                CHECK_INT(lost, 1);
                CHECK_INT(reader.counters.damages, 1);
                CHECK(reader.counters.damaged_bytes > 0 && reader.counters.damaged_bytes <= RECORDING_BLOCK_MAX);
                file.bytes[at] ^= flip;
        }
}

/* A mark every six bytes, each with the greatest length: what is summed up does not grow with their number. */
TEST(marks_without_blocks_are_read_in_linear_time_and_the_blocks_far_behind_them_are_found) {
        static const uint8_t bait[] = { 'R', 'B', 'L', 'K', RECORDING_TEXT_MAX & 0xff, RECORDING_TEXT_MAX >> 8 };
        size_t blocks, marks = 60 * 1024, damage = marks + 17 * RECORDING_BLOCK_MAX, same, lost;

        write_file(true);
        blocks = file.size - RECORDING_MARK_BYTES;
        CHECK(file.size + damage <= sizeof(file.bytes));
        memmove(file.bytes + RECORDING_MARK_BYTES + damage, file.bytes + RECORDING_MARK_BYTES, blocks);
        memset(file.bytes + RECORDING_MARK_BYTES, 0, damage);
        for (size_t i = 0; i < marks; i++)
                file.bytes[RECORDING_MARK_BYTES + i] = bait[i % sizeof(bait)];
        file.size += damage;
        CHECK_INT(read_file(&same, &lost), 0);
        CHECK(reader.ended);
        CHECK_INT(same, EVENTS);
        CHECK_INT(lost, 1);
        CHECK_INT(reader.counters.damaged_bytes, damage);
        CHECK(reader.counters.refuted_bytes > 0 && reader.counters.refuted_bytes <= damage + 16 * RECORDING_BLOCK_MAX);
}

TEST(a_block_that_is_missing_is_told) {
        uint8_t *middle;
        size_t same, lost, length;

        write_file(true);
        middle = memmem(file.bytes + file.size / 2, file.size / 2, "RBLK", 4);
        CHECK(middle);
        length = 24 + (middle[4] | (size_t) middle[5] << 8);
        memmove(middle, middle + length, file.size - (size_t) (middle - file.bytes) - length);
        file.size -= length;
        CHECK_INT(read_file(&same, &lost), 0);
        CHECK(same < EVENTS);
        CHECK(reader.ended);
        CHECK_INT(reader.counters.damages, 1);
}

TEST(what_is_no_recording_is_refused) {
        size_t same, lost;

        write_file(true);
        file.bytes[8]++;
        CHECK_INT(read_file(&same, &lost), -EPROTONOSUPPORT);
        file.bytes[0]++;
        CHECK_INT(read_file(&same, &lost), -EBADMSG);
        memset(file.bytes, 'a', file.size);
        CHECK_INT(read_file(&same, &lost), -EBADMSG);
        file.size = 0;
        CHECK_INT(read_file(&same, &lost), -ENODATA);
}

TEST(what_is_no_text_is_damage) {
        struct recording_item item;
        uint8_t mark[RECORDING_MARK_BYTES];

        memset(&file, 0, sizeof(file));
        recording_write_mark(mark);
        append(mark, sizeof(mark));
        recording_block_set_text(&block, RECORDING_BLOCK_DRIVE, 0, "name=\033[2J\n");
        append(block.data, block.size);
        recording_reader_init(&reader, fill, NULL);
        CHECK_INT(recording_read(&reader, &item), 1);
        CHECK_INT(item.event.kind, EVENT_LOST);
        CHECK_INT(recording_read(&reader, &item), 0);
        CHECK_INT(reader.counters.damages, 1);
}

static ssize_t fail(void *userdata, void *buf, size_t size) {
        (void) userdata;
        (void) buf;
        (void) size;
        return -EIO;
}

TEST(what_cannot_be_read_is_an_error_and_no_end) {
        struct recording_item item;

        recording_reader_init(&reader, fail, NULL);
        CHECK_INT(recording_read(&reader, &item), -EIO);
}

TEST(whatever_bytes_a_block_holds_it_ends) {
        uint64_t state = test_seed();

        for (int i = 0; i < 20000; i++) {
                struct recording_state s = { 0 };
                struct recording_item item;
                uint8_t bytes[64];
                size_t at = 0;
                for (size_t k = 0; k < sizeof(bytes); k++)
                        bytes[k] = (uint8_t) test_random(&state);
                while (at < sizeof(bytes)) {
                        ssize_t n = recording_decode(&s, bytes + at, sizeof(bytes) - at, &item);
                        CHECK(n != 0 && n <= (ssize_t) (sizeof(bytes) - at));
                        if (n < 0)
                                break;
                        at += (size_t) n;
                }
        }
}
