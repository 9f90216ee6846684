/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whatever a file holds, a replay of it ends, and tells of drives, verdicts and settings that are whole. What begins as a recording
 * is taken as it is. Of anything else blocks are made, since no fuzzer finds a checksum: a byte for the kind, two for the length,
 * one for the number of items, the body. */
#include <errno.h>
#include <stdlib.h>

#include "fuzz.h"
#include "macro.h"
#include "recording-private.h"
#include "replay.h"
#include "str.h"

#define MUST(expr) ((expr) ? (void) 0 : abort())

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

static void check_note(void *userdata, const struct replay_note *note) {
        (void) userdata;
        MUST(str_is_text(note->device));
        if (note->verdict)
                MUST(note->verdict->n_evidence <= VERDICT_EVIDENCE_MAX && note->verdict->severity <= 1000 && note->verdict->confidence <= 1000);
        if (note->change)
                MUST(*note->change->value && *note->change->reason && note->change->tunable < _TUNABLE_MAX);
}

/* Every law, for every drive. */
static void make_policy(struct policy *p) {
        policy_init(p, "fuzz", "fuzz.conf");
        p->classes = UINT32_MAX;
        p->idle_limit.enabled = p->slice_share.enabled = true;
        p->n_schedulers = 1;
        p->schedulers[0] = SCHEDULER_BFQ;
}

#define CHUNK_HEAD_BYTES 4

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
                at[HEAD_KIND] = (uint8_t) (1 + data[0] % 5);
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct recording_reader *reader = malloc(sizeof(*reader));
        struct policy *policy = malloc(sizeof(*policy));
        bool is_whole = size >= RECORDING_MARK_BYTES && memcmp(data, recording_magic, sizeof(recording_magic)) == 0;
        struct input in = { data, size };
        uint8_t *file = NULL;
        struct recording_item item;
        struct replay_summary summary;
        struct replay *replay;
        int r;

        MUST(reader && policy);
        if (!is_whole)
                in.data = file = make_file(data, size, &in.size);
        size = in.size;
        make_policy(policy);
        replay = replay_new(policy, 1, check_note, NULL);
        MUST(replay);
        recording_reader_init(reader, fill, &in);
        while ((r = recording_read(reader, &item)) > 0)
                replay_take(replay, &item);
        MUST(r == 0 || (is_whole && r == -EPROTONOSUPPORT));
        MUST(reader->counters.damaged_bytes <= size);
        replay_summarize(replay, &summary);
        replay_free(replay);
        free(file);
        free(policy);
        free(reader);
        return 0;
}
