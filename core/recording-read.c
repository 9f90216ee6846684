/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "macro.h"
#include "recording.h"
#include "str.h"

/* Of checksums that were wrong, ahead of the bytes passed: damage by chance makes a block or two. */
#define REFUTED_AHEAD_MAX (16 * RECORDING_BLOCK_MAX)

void recording_reader_init(struct recording_reader *r, recording_fill_fn fill, void *userdata) {
        memset(r, 0, sizeof(*r));
        r->fill = fill;
        r->userdata = userdata;
}

/* Sees to it that n bytes are there, if there are as many. Returns how many are, or -errno. */
static ssize_t want(struct recording_reader *r, size_t n) {
        if (sizeof(r->buffer) - r->start < n) {
                memmove(r->buffer, r->buffer + r->start, r->used);
                r->start = 0;
        }
        while (r->used < n && !r->eof) {
                ssize_t got = r->fill(r->userdata, r->buffer + r->start + r->used, sizeof(r->buffer) - r->start - r->used);
                if (got < 0)
                        return got;
                r->eof = got == 0;
                r->used += (size_t) got;
        }
        return (ssize_t) r->used;
}

static void take(struct recording_reader *r, size_t n) {
        r->start += n;
        r->used -= n;
}

static int begin(struct recording_reader *r) {
        const uint8_t *p;
        ssize_t n = want(r, RECORDING_MARK_BYTES);

        if (n < 0)
                return (int) n;
        p = r->buffer + r->start;
        if (n == 0)
                return -ENODATA;
        if (n < RECORDING_MARK_BYTES || memcmp(p, RECORDING_MAGIC, RECORDING_MAGIC_BYTES) != 0)
                return -EBADMSG;
        if (get_u16(p + RECORDING_MAGIC_BYTES) != RECORDING_VERSION)
                return -EPROTONOSUPPORT;
        take(r, RECORDING_MARK_BYTES);
        r->begun = true;
        return 0;
}

/* Returns whether this begins a place of damage: later bytes of it belong to the same. */
static bool damaged(struct recording_reader *r, size_t bytes) {
        bool first = !r->in_damage;

        take(r, bytes);
        r->counters.damaged_bytes += bytes;
        r->counters.damages += first;
        r->in_damage = true;
        return first;
}

static void tell_loss(const struct recording_reader *r, struct recording_item *ret) {
        *ret = (struct recording_item){
                .kind = RECORDING_EVENT,
                .t = r->last,
                .event = { .t = r->last, .kind = EVENT_LOST, .flags = EVENT_REQUESTS },
        };
}

/* The whole block at the front, or 0 where there is none that can be trusted. */
static size_t check_block(struct recording_reader *r) {
        const uint8_t *p = r->buffer + r->start;
        size_t size;

        size = r->used < RECORDING_HEAD_BYTES ? 0 : recording_block_size(p);
        if (size == 0 || size > r->used || r->counters.refuted_bytes + size > r->counters.damaged_bytes + REFUTED_AHEAD_MAX)
                return 0;
        if (get_u32(p + HEAD_CHECKSUM) == recording_checksum(p, size))
                return size;
        r->counters.refuted_bytes += size;
        return 0;
}

/* Sees to it that a block is there, and waits for no more: more may come much later. As want(). */
static ssize_t want_block(struct recording_reader *r) {
        ssize_t n = want(r, RECORDING_HEAD_BYTES);
        size_t size = n < RECORDING_HEAD_BYTES ? 0 : recording_block_size(r->buffer + r->start);

        return size > 0 ? want(r, size) : n;
}

/* Copies the body of a block of text. Returns false where it is no text. */
static bool take_text(struct recording_reader *r, const uint8_t *body, size_t size) {
        char *line = r->text, *next;

        memcpy(r->text, body, size);
        r->text[size] = '\0';
        if (strlen(r->text) != size)
                return false;
        for (; line; line = next) {
                bool is_text;
                next = strchr(line, '\n');
                if (next)
                        *next = '\0';
                is_text = str_is_text(line);
                if (next)
                        *next++ = '\n';
                if (!is_text)
                        return false;
        }
        return true;
}

static bool is_text_block(uint8_t kind, enum recording_item_kind *ret) {
        switch (kind) {
        case RECORDING_BLOCK_ENVIRONMENT:
                *ret = RECORDING_ENVIRONMENT;
                return true;
        case RECORDING_BLOCK_DRIVE:
                *ret = RECORDING_DRIVE;
                return true;
        case RECORDING_BLOCK_OUTCOME:
                *ret = RECORDING_OUTCOME;
                return true;
        }
        return false;
}

/* Takes a whole block. Returns 1 with an item, or 0: go on. */
static int take_block(struct recording_reader *r, size_t size, struct recording_item *ret) {
        const uint8_t *p = r->buffer + r->start, *body = p + RECORDING_HEAD_BYTES;
        size_t length = size - RECORDING_HEAD_BYTES;
        uint8_t kind = p[HEAD_KIND];
        enum recording_item_kind text;
        bool is_text = is_text_block(kind, &text);

        if (kind == RECORDING_BLOCK_EVENTS) {
                r->state = (struct recording_state){ .t = get_u64(p + HEAD_TIME) };
                r->left = get_u32(p + HEAD_N);
                r->at = r->start + RECORDING_HEAD_BYTES;
                r->block_end = r->start + size;
        } else if (kind == RECORDING_BLOCK_END && length >= sizeof(uint64_t)) {
                /* Fewer or more than were written: whole blocks are missing, or came twice. */
                if (get_u64(body) != r->counters.events + r->counters.ticks + r->later_items && r->counters.damages == 0)
                        r->counters.damages++;
                r->ended = true;
        } else if (is_text && take_text(r, body, length)) {
                *ret = (struct recording_item){ .kind = text, .t = get_u64(p + HEAD_TIME), .text = r->text };
        } else if (kind > RECORDING_BLOCK_OUTCOME) { /* as it was written, by a version that has more to say */
                r->counters.later++;
        } else {
                damaged(r, size);
                tell_loss(r, ret);
                r->in_damage = false;
                return 1;
        }
        r->in_damage = false;
        take(r, size);
        return is_text;
}

/* An item of the block that is being read. Returns 1 with it, or 0: go on. */
static int take_item(struct recording_reader *r, struct recording_item *ret) {
        ssize_t n = recording_decode(&r->state, r->buffer + r->at, r->block_end - r->at, ret);

        if (n < 0) { /* with a right checksum: written by another program */
                r->counters.damaged_bytes += r->block_end - r->at;
                r->counters.damages++;
                r->left = 0;
                tell_loss(r, ret);
                return 1;
        }
        r->at += (size_t) n;
        r->left--;
        r->last = ret->t;
        if (ret->kind == RECORDING_LATER) {
                r->counters.later++;
                r->later_items++;
                return 0;
        }
        r->counters.events += ret->kind == RECORDING_EVENT;
        r->counters.ticks += ret->kind == RECORDING_TICK;
        return 1;
}

int recording_read(struct recording_reader *r, struct recording_item *ret) {
        int e = r->begun ? 0 : begin(r);

        if (e < 0)
                return e;
        while (!r->ended || r->left > 0) {
                ssize_t there;
                size_t size;
                if (r->left > 0) {
                        if (take_item(r, ret) > 0)
                                return 1;
                        continue;
                }
                there = want_block(r);
                if (there <= 0)
                        return (int) there;
                size = check_block(r);
                if (size == 0) {
                        if (!damaged(r, 1))
                                continue;
                        tell_loss(r, ret);
                        return 1;
                }
                if (take_block(r, size, ret) > 0)
                        return 1;
        }
        return 0;
}

bool recording_get(const char *text, const char *key, char *ret, size_t size) {
        size_t length = strlen(key);

        for (const char *line = text; line; line = strchr(line, '\n')) {
                const char *value;
                line += *line == '\n';
                if (strncmp(line, key, length) != 0 || line[length] != '=')
                        continue;
                value = line + length + 1;
                if (size > 0) {
                        size_t n = MIN(strcspn(value, "\n"), size - 1);
                        memcpy(ret, value, n);
                        ret[n] = '\0';
                }
                return true;
        }
        return false;
}
