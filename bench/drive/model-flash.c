/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model-flash.h"

#include <errno.h>

#include "macro.h"
#include "parts.h"

static void plan_stall(struct flash *f) {
        uint64_t every = f->params.stall_every_bytes;

        f->to_next_stall_bytes = every / 2 + (every > 0 ? drive_random(&f->random) % every : 0);
}

/* The link is a limit on throughput alone: a command that waits for a channel does not keep others from it. */
static nsec_t take_link(struct flash *f, nsec_t at, uint64_t bytes) {
        f->link_free_at = MAX(f->link_free_at, at) + f->params.overhead_ns + drive_transfer_ns(bytes, f->params.link_rate);
        return f->link_free_at;
}

static void use_channel(struct flash *f, size_t channel, nsec_t at, nsec_t duration) {
        f->free_at[channel] = MAX(f->free_at[channel], at) + duration;
}

/* Puts each page's bytes to its channel. */
static void spread(const struct flash *f, const struct drive_request *r, uint64_t *ret_bytes) {
        uint64_t offset = r->offset, left = r->length;

        while (left > 0) {
                uint64_t n = MIN(left, f->params.page_bytes - offset % f->params.page_bytes);

                ret_bytes[offset / f->params.page_bytes % f->params.channels] += n;
                offset += n;
                left -= n;
        }
}

static nsec_t serve_read(struct flash *f, nsec_t at, const struct drive_request *r) {
        const struct flash_params *p = &f->params;
        uint64_t bytes[FLASH_CHANNELS_MAX] = { 0 };
        nsec_t link_done = take_link(f, at, r->length), done = 0;

        spread(f, r, bytes);
        for (size_t c = 0; c < p->channels; c++) {
                if (bytes[c] == 0)
                        continue;
                use_channel(f, c, at + p->overhead_ns, p->read_ns + drive_transfer_ns(bytes[c], p->read_rate / p->channels));
                done = MAX(done, f->free_at[c]);
        }
        /* All but the last page went over the link meanwhile. */
        return MAX(link_done, done + drive_transfer_ns(MIN(r->length, p->page_bytes), p->link_rate));
}

/* What opening the segment costs where it is not open. */
static nsec_t open_segment(struct flash *f, uint64_t number, uint64_t bytes) {
        const struct flash_params *p = &f->params;
        struct flash_segment *oldest = &f->open[0];
        nsec_t cost = 0;

        f->uses++;
        for (size_t i = 0; i < p->open_segments; i++) {
                struct flash_segment *s = &f->open[i];

                if (s->last_use > 0 && s->number == number) {
                        s->written_bytes += bytes;
                        s->last_use = f->uses;
                        return 0;
                }
                if (s->last_use < oldest->last_use)
                        oldest = s;
        }
        if (oldest->last_use > 0 && oldest->written_bytes < p->segment_bytes)
                cost = (nsec_t) ((double) p->merge_ns * (double) (p->segment_bytes - oldest->written_bytes) /
                                 (double) p->segment_bytes);
        *oldest = (struct flash_segment) { .number = number, .written_bytes = bytes, .last_use = f->uses };
        return cost;
}

static size_t first_free_channel(const struct flash *f) {
        size_t best = 0;

        for (size_t c = 1; c < f->params.channels; c++)
                if (f->free_at[c] < f->free_at[best])
                        best = c;
        return best;
}

static void stall_when_due(struct flash *f, nsec_t at, uint64_t bytes) {
        if (f->params.stall_ns == 0)
                return;
        if (bytes < f->to_next_stall_bytes) {
                f->to_next_stall_bytes -= bytes;
                return;
        }
        for (size_t c = 0; c < f->params.channels; c++)
                use_channel(f, c, at, f->params.stall_ns);
        plan_stall(f);
}

static nsec_t serve_write(struct flash *f, nsec_t at, const struct drive_request *r) {
        const struct flash_params *p = &f->params;
        nsec_t link_done = take_link(f, at, r->length), done = 0, buffer_ns = drive_transfer_ns(p->buffer_bytes, p->write_rate);
        uint64_t offset = r->offset, left = r->length;

        stall_when_due(f, at, r->length);
        while (left > 0) {
                uint64_t n = MIN(left, p->segment_bytes - offset % p->segment_bytes);
                size_t c = first_free_channel(f);
                nsec_t cost = open_segment(f, offset / p->segment_bytes, n) + p->write_ns +
                              drive_transfer_ns(n, p->write_rate / p->channels);

                use_channel(f, c, at + p->overhead_ns, cost);
                done = MAX(done, f->free_at[c]);
                offset += n;
                left -= n;
        }
        return MAX(link_done, nsec_sub(done, buffer_ns));
}

static nsec_t serve_flush(struct flash *f, nsec_t at) {
        nsec_t done = take_link(f, at, 0);

        for (size_t c = 0; c < f->params.channels; c++)
                done = MAX(done, f->free_at[c]);
        done += f->params.flush_ns;
        for (size_t c = 0; c < f->params.channels; c++)
                f->free_at[c] = done;
        return done;
}

/* Whatever comes is put to work at once, the oldest first: the channels do the waiting. */
static int flash_start(struct drive_model *m, nsec_t now, struct drive_request *const *queue, size_t n) {
        struct flash *f = container_of(m, struct flash, model);
        struct drive_request *r = queue[0];

        (void) n;
        if (r->flush)
                r->done = serve_flush(f, now);
        else if (r->write)
                r->done = serve_write(f, now, r);
        else
                r->done = serve_read(f, now, r);
        return 0;
}

int flash_init(struct flash *f, const struct flash_params *p, uint64_t seed) {
        if (p->queue_depth == 0 || p->queue_depth > DRIVE_QUEUE_MAX || p->channels == 0 || p->channels > FLASH_CHANNELS_MAX ||
            p->read_rate < p->channels || p->write_rate < p->channels || p->link_rate == 0 || p->page_bytes == 0 ||
            p->segment_bytes == 0 || p->open_segments == 0 || p->open_segments > FLASH_OPEN_MAX ||
            (p->stall_ns > 0 && p->stall_every_bytes == 0))
                return -EINVAL;
        *f = (struct flash) {
                .model = { .start = flash_start, .queue_depth = p->queue_depth, .write_cache = p->buffer_bytes > 0 },
                .params = *p,
                .random = seed ^ UINT64_C(0x9e3779b97f4a7c15), /* its state must not be 0, as a seed may be */
        };
        plan_stall(f);
        return 0;
}
