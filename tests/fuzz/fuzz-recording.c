/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whatever a file holds, reading it as a recording ends, and what is told of drives and events is whole. What begins as a recording
 * is taken as it is. Of anything else blocks are made, since no fuzzer finds a checksum: a byte for the kind, two for the length,
 * one for the number of items, the body. */
#include <errno.h>
#include <stdlib.h>

#include "fuzz.h"
#include "macro.h"
#include "recording-drive.h"
#include "recording.h"
#include "str.h"

#define CHUNK_HEAD_BYTES 4

struct input {
        const uint8_t *data;
        size_t size;
};

static ssize_t fill(void *userdata, void *buf, size_t size) {
        struct input *in = userdata;
        size_t n = MIN(size, in->size);

        memcpy(buf, in->data, n);
        in->data += n;
        in->size -= n;
        return (ssize_t) n;
}

/* Returns the file, to be freed, and its size. */
static uint8_t *make_file(const uint8_t *data, size_t size, size_t *ret_size) {
        uint8_t *file = malloc(RECORDING_MARK_BYTES + size * (RECORDING_HEAD_BYTES + 1)), *at = file;

        MUST(file);
        recording_write_mark(at);
        at += RECORDING_MARK_BYTES;
        while (size >= CHUNK_HEAD_BYTES) {
                size_t length = (data[1] | (size_t) data[2] << 8) % (RECORDING_TEXT_MAX + 1);
                length = MIN(length, size - CHUNK_HEAD_BYTES);
                memset(at, 0, RECORDING_HEAD_BYTES);
                put_u32(at + HEAD_MARK, RECORDING_BLOCK_MARK);
                put_u16(at + HEAD_LENGTH, (uint16_t) length);
                at[HEAD_KIND] = (uint8_t) (1 + data[0] % 6);
                put_u32(at + HEAD_N, data[3] * 8u);
                memcpy(at + RECORDING_HEAD_BYTES, data + CHUNK_HEAD_BYTES, length);
                put_u32(at + HEAD_CHECKSUM, recording_checksum(at, RECORDING_HEAD_BYTES + length));
                at += RECORDING_HEAD_BYTES + length;
                data += CHUNK_HEAD_BYTES + length;
                size -= CHUNK_HEAD_BYTES + length;
        }
        *ret_size = (size_t) (at - file);
        return file;
}

/* Written anew and read, it is the same. */
static void check_event(const struct event *e) {
        struct recording_state write = { 0 }, read = { 0 };
        uint8_t bytes[2][RECORDING_ITEM_BYTES_MAX];
        struct recording_item again;
        size_t n = recording_encode_event(&write, e, bytes[0]);

        MUST(n > 0 && n <= sizeof(bytes[0]));
        MUST(recording_decode(&read, bytes[0], n, &again) == (ssize_t) n && again.kind == RECORDING_EVENT);
        write = (struct recording_state){ 0 };
        MUST(recording_encode_event(&write, &again.event, bytes[1]) == n && memcmp(bytes[0], bytes[1], n) == 0);
}

static void check_drive(const char *text) {
        struct device_facts *facts = malloc(sizeof(*facts));

        MUST(facts);
        if (recording_parse_drive(text, facts) == 0)
                MUST(memchr(facts->name, '\0', sizeof(facts->name)) && str_is_text(facts->name) && str_is_text(facts->model));
        free(facts);
}

static void check_item(const struct recording_item *item) {
        switch (item->kind) {
        case RECORDING_EVENT:
                check_event(&item->event);
                break;
        case RECORDING_DRIVE:
                check_drive(item->text);
                break;
        case RECORDING_ENVIRONMENT:
        case RECORDING_OUTCOME:
                MUST(strlen(item->text) <= RECORDING_TEXT_MAX);
                break;
        case RECORDING_TICK:
        case RECORDING_LATER:
                break;
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        static struct recording_reader reader;
        bool is_whole = size >= RECORDING_MARK_BYTES && memcmp(data, RECORDING_MAGIC, RECORDING_MAGIC_BYTES) == 0;
        struct input in = { data, size };
        uint8_t *file = NULL;
        struct recording_item item;
        int r;

        if (!is_whole)
                in.data = file = make_file(data, size, &in.size);
        size = in.size;
        recording_reader_init(&reader, fill, &in);
        while ((r = recording_read(&reader, &item)) > 0)
                check_item(&item);
        MUST(r == 0 || (is_whole && r == -EPROTONOSUPPORT));
        MUST(reader.counters.damaged_bytes <= size);
        free(file);
        return 0;
}
