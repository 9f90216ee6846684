/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "macro.h"
#include "recording.h"

void recording_block_begin(struct recording_block *b, nsec_t t) {
        b->state = (struct recording_state){ .t = t };
        b->n = 0;
        b->size = RECORDING_HEAD_BYTES;
        put_u64(b->data + HEAD_TIME, t);
}

static bool is_full(const struct recording_block *b) {
        return sizeof(b->data) - b->size < RECORDING_ITEM_BYTES_MAX;
}

int recording_block_add(struct recording_block *b, const struct event *e) {
        size_t n;

        if (is_full(b))
                return -ENOSPC;
        n = recording_encode_event(&b->state, e, b->data + b->size);
        if (n == 0)
                return -EINVAL;
        b->size += n;
        b->n++;
        return 0;
}

int recording_block_add_tick(struct recording_block *b, nsec_t now, uint8_t hold) {
        if (is_full(b))
                return -ENOSPC;
        b->size += recording_encode_tick(&b->state, now, hold, b->data + b->size);
        b->n++;
        return 0;
}

void recording_block_seal(struct recording_block *b) {
        recording_block_frame(b->data, b->size, RECORDING_BLOCK_EVENTS, b->n);
}

void recording_block_set_text(struct recording_block *b, enum recording_block_kind kind, nsec_t t, const char *text) {
        size_t length = strlen(text);

        if (length > RECORDING_TEXT_MAX)
                for (length = RECORDING_TEXT_MAX; length > 0 && text[length - 1] != '\n';)
                        length--;
        recording_block_begin(b, t);
        memcpy(b->data + b->size, text, length);
        b->size += length;
        recording_block_frame(b->data, b->size, kind, 1);
}
