/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One event or tick as bytes:
 *
 *   code (5 bits; 30: CODE_LATER), and whether flags, drive and process follow, or are as in the last event of that kind
 *   time since the item before, signed; [flags] [drive] [process, signed]; then the fields of the kind in the table's order
 *
 * Numbers are LEB128, signed ones zigzag; a sector is the distance to the last one. */
#include <errno.h>

#include "macro.h"
#include "recording.h"
#include "str.h"

#define CODE_TICK 31u
#define CODE_LATER 30u /* kinds from 32 on: then come the kind, a length, and so many bytes, so that a reader that does not know it can go on */
#define CODE_MASK 31u
#define HAS_FLAGS 0x20u
#define HAS_DEV 0x40u
#define HAS_TGID 0x80u

enum field_coding {
        FIELD_NUMBER,
        FIELD_SECTOR,
        FIELD_NAME, /* a length and so many bytes */
};

struct field {
        uint8_t offset, size;
        enum field_coding coding;
        uint64_t max; /* 0: whatever fits */
};

#define FIELDS_MAX 13

struct coding {
        uint8_t code; /* in files: never changes, whatever becomes of enum event_kind; 0: there is none */
        struct field fields[FIELDS_MAX]; /* size 0 ends them */
};

#define MEMBER_SIZE(member) sizeof(((struct event *) NULL)->member)
#define FIELD(member, ...) { offsetof(struct event, member), MEMBER_SIZE(member), __VA_ARGS__ }
#define NUMBER(member) FIELD(member, FIELD_NUMBER, 0)
#define REQUEST_FIELDS                                  \
        {                                               \
                FIELD(request.sector, FIELD_SECTOR, 0), \
                NUMBER(request.sectors),                \
                NUMBER(request.op),                     \
        }

static const struct coding codings[_EVENT_KIND_MAX] = {
        [EVENT_DEVICE_STAT] = { 1, {
                NUMBER(device_stat.span_us),
                NUMBER(device_stat.reads), NUMBER(device_stat.read_sectors), NUMBER(device_stat.read_ms),
                NUMBER(device_stat.writes), NUMBER(device_stat.write_sectors), NUMBER(device_stat.write_ms),
                NUMBER(device_stat.inflight), NUMBER(device_stat.busy_ms), NUMBER(device_stat.queue_ms),
        } },
        [EVENT_DEVICE_GONE] = { .code = 2 },
        [EVENT_PROCESS_IO] = { 3, {
                NUMBER(process_io.start_ticks), NUMBER(process_io.span_us),
                NUMBER(process_io.read_bytes), NUMBER(process_io.write_bytes),
        } },
        [EVENT_PROCESS_NAME] = { 4, { NUMBER(process_name.start_ticks), FIELD(process_name.name, FIELD_NAME, 0) } },
        [EVENT_PROCESS_EXIT] = { .code = 5 },
        [EVENT_LOST] = { 6, { NUMBER(lost.count) } },
        [EVENT_WATCH] = { 7, { FIELD(watch.on, FIELD_NUMBER, 1), FIELD(watch.rotational, FIELD_NUMBER, 1) } },
        [EVENT_REQUEST_QUEUE] = { 8, REQUEST_FIELDS },
        [EVENT_REQUEST_SPLIT] = { 9, REQUEST_FIELDS },
        [EVENT_REQUEST_ISSUE] = { 10, REQUEST_FIELDS },
        [EVENT_REQUEST_REQUEUE] = { 11, REQUEST_FIELDS },
        [EVENT_REQUEST_COMPLETE] = { 12, REQUEST_FIELDS },
        [EVENT_PRESENCE] = { 13, { FIELD(presence.presence, FIELD_NUMBER, _PRESENCE_MAX - 1) } },
        [EVENT_STACK] = { 15, { NUMBER(stack.upper), NUMBER(stack.drives) } },
        [EVENT_PROCESS_FORK] = { 16, { NUMBER(process_fork.parent) } },
        [EVENT_PROCESS_EXEC] = { 17, {
                NUMBER(process_exec.start_ticks), NUMBER(process_exec.parent), NUMBER(process_exec.session), NUMBER(process_exec.job),
                FIELD(process_exec.name, FIELD_NAME, 0),
        } },
        [EVENT_PROCESS_APPLICATION] = { 18, {
                NUMBER(process_application.start_ticks), FIELD(process_application.text, FIELD_NAME, 0),
        } },
        [EVENT_PROCESS_WORK] = { 19, {
                NUMBER(process_work.start_ticks), NUMBER(process_work.span_us), NUMBER(process_work.cpu_us),
                NUMBER(process_work.waited_us), NUMBER(process_work.faults), NUMBER(process_work.read_bytes),
        } },
        [EVENT_PROCESS_READY] = { .code = 20 },
        [EVENT_SUMS] = { 24, {
                NUMBER(sums.span_us), NUMBER(sums.requests), NUMBER(sums.sectors), NUMBER(sums.asked_us), NUMBER(sums.done_us),
                NUMBER(sums.waited_us), NUMBER(sums.idle_us), NUMBER(sums.seeks), NUMBER(sums.seeks_n), NUMBER(sums.inflight),
                NUMBER(sums.think_samples), NUMBER(sums.think_us), NUMBER(sums.op),
        } },
        [EVENT_LATENCIES] = { 25, {
                NUMBER(latencies.op), NUMBER(latencies.first),
                NUMBER(latencies.counts[0]), NUMBER(latencies.counts[1]), NUMBER(latencies.counts[2]), NUMBER(latencies.counts[3]),
                NUMBER(latencies.counts[4]), NUMBER(latencies.counts[5]), NUMBER(latencies.counts[6]), NUMBER(latencies.counts[7]),
        } },
        [EVENT_TOTAL] = { 26, {
                NUMBER(total.span_us), NUMBER(total.requests), NUMBER(total.sectors), NUMBER(total.one_in), NUMBER(total.op),
        } },
        [EVENT_PROCESS_WAIT] = { 14, {
                NUMBER(process_wait.start_ticks), NUMBER(process_wait.span_us), NUMBER(process_wait.waited_us),
        } },
        [EVENT_PROCESS_USER] = { 27, { NUMBER(process_user.start_ticks), NUMBER(process_user.uid) } },
        [EVENT_PROCESS_STALL] = { 32, { NUMBER(process_stall.queued_us), NUMBER(process_stall.memory_us) } },
        [EVENT_DEVICE_MERGES] = { 21, { NUMBER(merges.span_us), NUMBER(merges.writes) } },
        [EVENT_MEMORY] = { 22, {
                NUMBER(memory.span_us), NUMBER(memory.dirty_kib), NUMBER(memory.writeback_kib), NUMBER(memory.limit_kib),
                NUMBER(memory.background_kib), NUMBER(memory.stalls), NUMBER(memory.scans),
        } },
        [EVENT_PROCESS_PRIORITY] = { 23, {
                NUMBER(process_priority.start_ticks), FIELD(process_priority.io_class, FIELD_NUMBER, _IO_CLASS_MAX - 1),
                FIELD(process_priority.io_level, FIELD_NUMBER, IO_LEVELS - 1), NUMBER(process_priority.weight),
        } },
};

static uint64_t zigzag(uint64_t difference) {
        return difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);
}

static uint64_t unzigzag(uint64_t value) {
        return value >> 1 ^ (value & 1 ? UINT64_MAX : 0);
}

static uint8_t *put_number(uint8_t *p, uint64_t value) {
        for (; value >= 0x80; value >>= 7)
                *p++ = (uint8_t) (value | 0x80);
        *p++ = (uint8_t) value;
        return p;
}

/* Reads from *p, short of end, and moves it on. Returns 0 or -EBADMSG. */
static int get_number(const uint8_t **p, const uint8_t *end, uint64_t *ret) {
        uint64_t value = 0;

        for (unsigned shift = 0; *p < end && shift < 64; shift += 7) {
                uint8_t byte = *(*p)++;
                if (shift == 63 && byte > 1)
                        return -EBADMSG;
                value |= (uint64_t) (byte & 0x7f) << shift;
                if (byte < 0x80) {
                        *ret = value;
                        return 0;
                }
        }
        return -EBADMSG;
}

static uint64_t load(const struct event *e, const struct field *f) {
        const char *p = (const char *) e + f->offset;
        uint64_t u64;
        uint32_t u32;
        uint16_t u16;

        switch (f->size) {
        case sizeof(uint64_t):
                memcpy(&u64, p, sizeof(u64));
                return u64;
        case sizeof(uint32_t):
                memcpy(&u32, p, sizeof(u32));
                return u32;
        case sizeof(uint16_t):
                memcpy(&u16, p, sizeof(u16));
                return u16;
        }
        return *(const uint8_t *) p;
}

/* Returns 0 or -EBADMSG: there is no such value. */
static int store(struct event *e, const struct field *f, uint64_t value) {
        char *p = (char *) e + f->offset;
        uint64_t most = f->size == sizeof(uint64_t) ? UINT64_MAX : (UINT64_C(1) << 8 * f->size) - 1;
        uint32_t u32 = (uint32_t) value;
        uint16_t u16 = (uint16_t) value;

        if (value > (f->max ? f->max : most))
                return -EBADMSG;
        switch (f->size) {
        case sizeof(uint64_t):
                memcpy(p, &value, sizeof(value));
                return 0;
        case sizeof(uint32_t):
                memcpy(p, &u32, sizeof(u32));
                return 0;
        case sizeof(uint16_t):
                memcpy(p, &u16, sizeof(u16));
                return 0;
        }
        *(uint8_t *) p = (uint8_t) value;
        return 0;
}

static uint8_t *put_field(struct recording_state *s, const struct event *e, const struct field *f, uint8_t *p) {
        const char *text = (const char *) e + f->offset;
        uint64_t value;
        size_t length;

        switch (f->coding) {
        case FIELD_NUMBER:
                return put_number(p, load(e, f));
        case FIELD_SECTOR:
                value = load(e, f);
                p = put_number(p, zigzag(value - s->sector));
                s->sector = value;
                return p;
        case FIELD_NAME:
                length = strnlen(text, f->size - 1u);
                *p++ = (uint8_t) length;
                return mempcpy(p, text, length);
        }
        return p;
}

static int get_field(struct recording_state *s, struct event *e, const struct field *f, const uint8_t **p, const uint8_t *end) {
        uint64_t value;
        int r = get_number(p, end, &value);

        if (r < 0)
                return r;
        switch (f->coding) {
        case FIELD_NUMBER:
                return store(e, f, value);
        case FIELD_SECTOR:
                s->sector += unzigzag(value);
                return store(e, f, s->sector);
        case FIELD_NAME:
                if (value >= f->size || value > (size_t) (end - *p))
                        return -EBADMSG;
                memcpy((char *) e + f->offset, *p, value);
                *p += value;
                if (e->kind != EVENT_PROCESS_APPLICATION) /* whose parts may end within a character */
                        str_make_text((char *) e + f->offset, f->size);
                return 0;
        }
        return -EBADMSG;
}

static uint8_t *put_fields(struct recording_state *s, const struct event *e, const struct coding *c, uint8_t *p) {
        for (const struct field *f = c->fields; f < c->fields + FIELDS_MAX && f->size > 0; f++)
                p = put_field(s, e, f, p);
        return p;
}

/* What is behind the time of a kind from 32 on; all of the bytes: flags, drive, process, fields. */
static uint8_t *put_later(struct recording_state *s, const struct event *e, const struct coding *c, uint8_t *p) {
        uint8_t bytes[RECORDING_ITEM_BYTES_MAX], *end = bytes;

        end = put_number(end, e->flags);
        end = put_number(end, e->dev);
        end = put_number(end, zigzag((uint64_t) e->tgid));
        end = put_fields(s, e, c, end);
        p = put_number(p, c->code);
        p = put_number(p, (uint64_t) (end - bytes));
        return mempcpy(p, bytes, (size_t) (end - bytes));
}

size_t recording_encode_event(struct recording_state *s, const struct event *e, uint8_t *p) {
        const struct coding *c = e->kind < _EVENT_KIND_MAX ? &codings[e->kind] : NULL;
        uint8_t *at = p + 1;

        if (!c || c->code == 0)
                return 0;
        *p = c->code > CODE_MASK ? CODE_LATER : c->code;
        at = put_number(at, zigzag(e->t - s->t));
        s->t = e->t;
        if (c->code > CODE_MASK)
                return (size_t) (put_later(s, e, c, at) - p);
        if (e->flags) {
                *p |= HAS_FLAGS;
                at = put_number(at, e->flags);
        }
        if (e->dev != s->last[e->kind].dev) {
                *p |= HAS_DEV;
                at = put_number(at, e->dev);
        }
        if (e->tgid != s->last[e->kind].tgid) {
                *p |= HAS_TGID;
                at = put_number(at, zigzag((uint64_t) e->tgid));
        }
        s->last[e->kind].dev = e->dev;
        s->last[e->kind].tgid = e->tgid;
        return (size_t) (put_fields(s, e, c, at) - p);
}

size_t recording_encode_tick(struct recording_state *s, nsec_t now, uint8_t hold, uint8_t *p) {
        uint8_t *at = p;

        *at++ = CODE_TICK;
        at = put_number(at, zigzag(now - s->t));
        s->t = now;
        *at++ = hold & 0x7f; /* a number below 128 is one byte */
        return (size_t) (at - p);
}

static int find_kind(uint64_t code) {
        for (int k = 0; k < _EVENT_KIND_MAX; k++)
                if (code != 0 && codings[k].code == code)
                        return k;
        return -EBADMSG;
}

static int get_fields(struct recording_state *s, struct event *e, const uint8_t **p, const uint8_t *end) {
        int r = 0;

        for (const struct field *f = codings[e->kind].fields; r >= 0 && f < codings[e->kind].fields + FIELDS_MAX && f->size > 0; f++)
                r = get_field(s, e, f, p, end);
        return r;
}

static int get_event(struct recording_state *s, uint8_t first, const uint8_t **p, const uint8_t *end, struct event *ret) {
        int kind = find_kind(first & CODE_MASK), r = kind < 0 ? kind : 0;
        struct event e = { .t = s->t };
        uint64_t value = 0;

        if (r < 0)
                return r;
        e.kind = (uint16_t) kind;
        e.dev = s->last[kind].dev;
        e.tgid = s->last[kind].tgid;
        if (first & HAS_FLAGS) {
                r = get_number(p, end, &value);
                e.flags = (uint16_t) value;
        }
        if (r >= 0 && first & HAS_DEV) {
                r = get_number(p, end, &value);
                e.dev = (uint32_t) value;
        }
        if (r >= 0 && first & HAS_TGID) {
                r = get_number(p, end, &value);
                e.tgid = (int32_t) (uint32_t) unzigzag(value);
        }
        s->last[kind].dev = e.dev;
        s->last[kind].tgid = e.tgid;
        if (r >= 0)
                r = get_fields(s, &e, p, end);
        if (r >= 0)
                *ret = e;
        return r;
}

static int get_later_event(struct recording_state *s, int kind, const uint8_t *p, const uint8_t *end, struct event *ret) {
        struct event e = { .t = s->t, .kind = (uint16_t) kind };
        uint64_t flags, dev, tgid;
        int r = get_number(&p, end, &flags);

        if (r >= 0)
                r = get_number(&p, end, &dev);
        if (r >= 0)
                r = get_number(&p, end, &tgid);
        if (r < 0)
                return r;
        e.flags = (uint16_t) flags;
        e.dev = (uint32_t) dev;
        e.tgid = (int32_t) (uint32_t) unzigzag(tgid);
        r = get_fields(s, &e, &p, end);
        if (r >= 0)
                *ret = e;
        return r;
}

/* Of a kind that is not known here it is known where it ends; of one that is, what else a later version tells is passed over. */
static int get_later(struct recording_state *s, const uint8_t **p, const uint8_t *end, struct recording_item *ret) {
        uint64_t code, length;
        int kind, r = get_number(p, end, &code);

        if (r >= 0)
                r = get_number(p, end, &length);
        if (r < 0)
                return r;
        if (length > (uint64_t) (end - *p))
                return -EBADMSG;
        kind = code > CODE_MASK ? find_kind(code) : -EBADMSG;
        if (kind < 0)
                ret->kind = RECORDING_LATER;
        else
                r = get_later_event(s, kind, *p, *p + length, &ret->event);
        *p += length;
        return r;
}

ssize_t recording_decode(struct recording_state *s, const uint8_t *p, size_t size, struct recording_item *ret) {
        const uint8_t *at = p, *end = p + size;
        struct recording_item item = { .kind = RECORDING_EVENT };
        uint64_t value;
        uint8_t first;
        int r;

        if (size == 0)
                return -EBADMSG;
        first = *at++;
        r = get_number(&at, end, &value);
        if (r < 0)
                return r;
        s->t += unzigzag(value);
        item.t = s->t;
        if ((first & CODE_MASK) == CODE_TICK) {
                item.kind = RECORDING_TICK;
                r = get_number(&at, end, &value);
                item.hold = (uint8_t) MIN(value, UINT8_MAX);
        } else if ((first & CODE_MASK) == CODE_LATER) {
                r = get_later(s, &at, end, &item);
        } else {
                r = get_event(s, first, &at, end, &item.event);
        }
        if (r < 0)
                return r;
        *ret = item;
        return at - p;
}
