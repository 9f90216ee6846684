/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model-ssd.h"

#include <errno.h>

#include "macro.h"
#include "parts.h"

#define PERMILLE 1000

uint64_t ssd_written_permille(const struct ssd_params *p) {
        uint64_t cells = 100 + p->spare_percent;

        return MAX(cells * PERMILLE / (2 * (cells - p->filled_percent)), PERMILLE);
}

static nsec_t over_link(struct ssd *s, nsec_t at, uint64_t bytes) {
        s->link_free_at = MAX(s->link_free_at, at) + s->params.overhead_ns + drive_transfer_ns(bytes, s->params.link_rate);
        return s->link_free_at;
}

static void finish(struct ssd *s, struct drive_request *r, nsec_t done) {
        r->done = done;
        s->last_done = MAX(s->last_done, done);
}

static nsec_t quiet_since(const struct ssd *s) {
        nsec_t at = s->last_done;

        for (size_t c = 0; c < s->params.channels; c++)
                at = MAX(at, s->channels[c].program_free_at);
        return at;
}

/* What it moved out of the cells of one bit since the last look. */
static void fold(struct ssd *s, nsec_t now) {
        nsec_t from = MAX(quiet_since(s) + s->params.fold_after_ns, s->known_until);

        if (now > from)
                s->slc_used_bytes -= MIN(s->slc_used_bytes, (uint64_t) ((double) (now - from) / (double) NSEC_PER_SEC * (double) s->params.fold_rate));
        s->known_until = now;
}

/* ---- Reads ---- */

/* Returns when the channel has read. */
static nsec_t read_from(struct ssd *s, struct ssd_channel *c, nsec_t at, uint64_t bytes) {
        const struct ssd_params *p = &s->params;
        nsec_t duration = p->read_ns + drive_transfer_ns(bytes, p->read_rate / p->channels);

        at = MAX(at, c->read_free_at);
        if (c->program_free_at <= at)
                c->suspended = 0;
        else if (c->suspended < p->suspends) {
                c->suspended++;
                at += p->suspend_ns;
                c->program_free_at += p->suspend_ns + duration;
        } else {
                c->suspended = 0;
                at += MIN(p->program_ns, c->program_free_at - at);
                c->program_free_at = MAX(c->program_free_at, at) + duration;
        }
        c->read_free_at = at + duration;
        return c->read_free_at;
}

static void serve_read(struct ssd *s, nsec_t now, struct drive_request *r) {
        const struct ssd_params *p = &s->params;
        uint64_t bytes[SSD_CHANNELS_MAX] = { 0 }, offset = r->offset, end = r->offset + r->length;
        nsec_t link_done = over_link(s, now, r->length), done = 0;

        while (offset < end) {
                uint64_t n = MIN(end - offset, p->page_bytes - offset % p->page_bytes);

                bytes[offset / p->page_bytes % p->channels] += n;
                offset += n;
        }
        for (size_t c = 0; c < p->channels; c++) {
                nsec_t read = bytes[c] > 0 ? read_from(s, &s->channels[c], now + p->overhead_ns, bytes[c]) : 0;

                done = MAX(done, read);
        }
        /* All but the last page went over the link meanwhile. */
        finish(s, r, MAX(link_done, done + drive_transfer_ns(MIN(r->length, p->page_bytes), p->link_rate)));
}

/* ---- Writes ---- */

static struct ssd_channel *first_free(struct ssd *s) {
        struct ssd_channel *best = &s->channels[0];

        for (size_t c = 1; c < s->params.channels; c++)
                if (s->channels[c].program_free_at < best->program_free_at)
                        best = &s->channels[c];
        return best;
}

static nsec_t program_ns(struct ssd *s, uint64_t bytes, bool small) {
        const struct ssd_params *p = &s->params;

        if (s->slc_used_bytes + bytes <= s->slc_bytes) {
                s->slc_used_bytes += bytes;
                return drive_transfer_ns(bytes, p->slc_rate / p->channels);
        }
        return drive_transfer_ns(small ? bytes * ssd_written_permille(p) / PERMILLE : bytes, p->rate / p->channels);
}

static void serve_write(struct ssd *s, nsec_t now, struct drive_request *r) {
        const struct ssd_params *p = &s->params;

        for (uint64_t left = r->length; left > 0;) {
                struct ssd_channel *c = first_free(s);
                uint64_t n = MIN(left, p->page_bytes);

                c->program_free_at = MAX(MAX(c->program_free_at, c->read_free_at), now) + program_ns(s, n, r->length < p->small_bytes);
                left -= n;
        }
        finish(s, r, over_link(s, now, r->length));
}

/* How long until the buffer has room again: what is still to be programmed, over all channels, is to be no more than it holds. */
static nsec_t until_room_ns(const struct ssd *s, nsec_t now) {
        const struct ssd_params *p = &s->params;
        nsec_t left = 0, room = drive_transfer_ns(p->buffer_bytes, s->slc_used_bytes < s->slc_bytes ? p->slc_rate : p->rate);

        for (size_t c = 0; c < p->channels; c++)
                left += nsec_sub(s->channels[c].program_free_at, now);
        return nsec_sub(left / p->channels, room);
}

static void flush(struct ssd *s, nsec_t now, struct drive_request *r) {
        nsec_t link_done = over_link(s, now, 0), quiet = quiet_since(s);

        s->held_until = MAX(link_done, quiet) + s->params.flush_ns;
        finish(s, r, s->held_until);
}

/* Reads first, whatever waits for room in the buffer; nothing overtakes a flush. */
static int ssd_start(struct drive_model *m, nsec_t now, struct drive_request *const *queue, size_t n) {
        struct ssd *s = container_of(m, struct ssd, model);
        size_t write = n;
        nsec_t full_ns = until_room_ns(s, now);

        fold(s, now);
        m->wake = s->held_until;
        if (now < s->held_until)
                return -1;
        for (size_t i = 0; i < n && !queue[i]->flush; i++) {
                if (!queue[i]->write) {
                        serve_read(s, now, queue[i]);
                        return (int) i;
                }
                write = MIN(write, i);
        }
        if (write < n && full_ns == 0) {
                serve_write(s, now, queue[write]);
                return (int) write;
        }
        if (write < n) {
                m->wake = now + full_ns;
                return -1;
        }
        flush(s, now, queue[0]);
        return 0;
}

int ssd_init(struct ssd *s, const struct ssd_params *p) {
        if (p->queue_depth == 0 || p->queue_depth > DRIVE_QUEUE_MAX || p->channels == 0 || p->channels > SSD_CHANNELS_MAX ||
            p->read_rate < p->channels || p->slc_rate < p->channels || p->rate < p->channels || p->link_rate == 0 || p->page_bytes == 0 ||
            p->buffer_bytes == 0 || p->filled_percent >= 100)
                return -EINVAL;
        *s = (struct ssd) {
                .model = { .start = ssd_start, .queue_depth = p->queue_depth, .write_cache = true },
                .params = *p,
                .slc_bytes = p->slc_bytes / 100 * (100 - p->filled_percent),
        };
        return 0;
}
