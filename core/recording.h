/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording: what the sources told and when the daemon looked at it, as bytes. docs/brio.recording.5.scd describes them.
 * Pure: a block is made in memory and read from memory; where the bytes go and come from is the caller's.
 *
 * A file is a mark and blocks. A block stands for itself: it can be lost, and what follows can still be read. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "event.h"
#include "recording-block.h"

#define RECORDING_TEXT_MAX (RECORDING_BLOCK_MAX - RECORDING_HEAD_BYTES)

/* What a block is made of, as a reader hands it on. */
enum recording_item_kind {
        RECORDING_ENVIRONMENT,
        RECORDING_DRIVE,
        RECORDING_OUTCOME,
        RECORDING_EVENT,
        RECORDING_TICK, /* the daemon looked at what it knew, and decided */
        RECORDING_LATER, /* of a kind that came after this version: passed over, and never handed out */
};

struct recording_item {
        enum recording_item_kind kind;
        nsec_t t;            /* of the event, the tick or the outcome; 0 for other texts */
        uint8_t hold;        /* of a tick: enum hold, the strongest that was active; not checked */
        struct event event;
        const char *text;    /* KEY=VALUE lines, until the next call; text that is fit for a terminal, and newlines */
};

/* What the deltas of a block are from: begins anew with each. */
struct recording_state {
        nsec_t t;
        uint64_t sector;
        struct {
                uint32_t dev;
                int32_t tgid;
        } last[_EVENT_KIND_MAX];
};

#define RECORDING_ITEM_BYTES_MAX 128 /* the longest event takes less, whatever its numbers are */

/* Writes e to p, which has room for RECORDING_ITEM_BYTES_MAX. Returns its length; 0: there is no coding for its kind. */
size_t recording_encode_event(struct recording_state *s, const struct event *e, uint8_t *p);
size_t recording_encode_tick(struct recording_state *s, nsec_t now, uint8_t hold, uint8_t *p);
/* Reads an event or a tick from at most size bytes. Returns its length, or -EBADMSG: these are none. */
ssize_t recording_decode(struct recording_state *s, const uint8_t *p, size_t size, struct recording_item *ret);

/* A block that is being filled. */
struct recording_block {
        struct recording_state state;
        uint32_t n;  /* items in it */
        size_t size; /* with its head */
        uint8_t data[RECORDING_BLOCK_MAX];
};

void recording_block_begin(struct recording_block *b, nsec_t t);
/* Returns 0; -ENOSPC: it is full, seal it and begin another; -EINVAL: there is no coding for that kind of event. */
int recording_block_add(struct recording_block *b, const struct event *e);
int recording_block_add_tick(struct recording_block *b, nsec_t now, uint8_t hold);
/* Fills in the head of a block of events: data has its size bytes now. */
void recording_block_seal(struct recording_block *b);
/* A block of one text that holds from time t on, or all the time (0); more than RECORDING_TEXT_MAX is cut behind the last whole line. */
void recording_block_set_text(struct recording_block *b, enum recording_block_kind kind, nsec_t t, const char *text);

/* Fills at most size bytes. Returns their number, 0 at the end, or -errno. */
typedef ssize_t (*recording_fill_fn)(void *userdata, void *buf, size_t size);

struct recording_counters {
        uint64_t events, ticks;
        uint64_t later;         /* items and blocks of kinds that are not known here, and cost nothing else */
        uint64_t damages;       /* places where something is not as it was written */
        uint64_t damaged_bytes; /* passed over there */
        uint64_t refuted_bytes; /* that looked like a block, and whose checksum was wrong: each may be summed up more than once */
};

/* Reads a recording from its beginning to its end, block by block. Not small: on the heap or static. */
struct recording_reader {
        recording_fill_fn fill;
        void *userdata;
        bool begun, eof;
        bool ended;             /* the block that says that it is complete has been read */
        bool in_damage;
        struct recording_counters counters;
        struct recording_state state;
        nsec_t last;            /* time of the last item */
        uint64_t later_items;   /* of counters.later */
        size_t at, block_end;   /* in the block of events that is being read */
        uint32_t left;          /* items of it */
        size_t start, used;     /* of the bytes that are there, and not taken yet */
        uint8_t buffer[2 * RECORDING_BLOCK_MAX];
        char text[RECORDING_TEXT_MAX + 1];
};

void recording_reader_init(struct recording_reader *r, recording_fill_fn fill, void *userdata);

/* The next item. What was damaged is passed over and counted, and in its place comes an EVENT_LOST of an unknown number.
 * Where much looks like blocks and is none, up to 64 KiB behind it may be passed over, too: reading takes a time that is
 * proportional to the length, whatever the bytes are.
 * Returns 1; 0 at the end (r->ended: and nothing is missing); -ENODATA: it is empty; -EBADMSG: it is no recording;
 * -EPROTONOSUPPORT: one of another version; or what fill returned. */
int recording_read(struct recording_reader *r, struct recording_item *ret);

/* The value of KEY in the text of an item, copied and cut to size. Returns false where it is not there. */
bool recording_get(const char *text, const char *key, char *ret, size_t size);
