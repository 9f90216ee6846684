/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "fdio.h"
#include "macro.h"
#include "sample.h"
#include "str.h"
#include "streams.h"

/* A tick may come a little before the interval is over; better early by this much than late by a tick. */
#define STREAM_SLACK_NS (20 * NSEC_PER_MSEC)

struct sums {
        uint32_t dev; /* 0: free */
        uint64_t span_us, reads, read_bytes, read_ms, writes, write_bytes, write_ms, busy_ms, queue_ms;
        uint32_t inflight;
};

struct stream {
        int fd; /* -1: free */
        uid_t uid;
        nsec_t interval, sent, taken; /* taken: the last time that the pipe had room */
        uint32_t dropped;
        struct sums sums[SNAPSHOT_DEVICES_MAX];
};

struct streams {
        struct stream streams[STREAMS_MAX];
};

struct streams *streams_new(void) {
        struct streams *s = calloc(1, sizeof(*s));

        for (size_t i = 0; s && i < STREAMS_MAX; i++)
                s->streams[i].fd = -1;
        return s;
}

struct streams *streams_free(struct streams *s) {
        for (size_t i = 0; s && i < STREAMS_MAX; i++)
                safe_close(s->streams[i].fd);
        free(s);
        return NULL;
}

int streams_open(struct streams *s, uid_t uid, uint32_t interval_ms, nsec_t now) {
        struct stream *free_slot = NULL;
        unsigned of_this_user = 0;
        int fds[2], r;

        if (interval_ms < STREAM_INTERVAL_MIN_MS || interval_ms > STREAM_INTERVAL_MAX_MS)
                return -EINVAL;
        for (size_t i = 0; i < STREAMS_MAX; i++) {
                struct stream *stream = &s->streams[i];
                if (stream->fd < 0)
                        free_slot = stream;
                else
                        of_this_user += stream->uid == uid;
        }
        if (!free_slot)
                return -ENOSPC;
        if (of_this_user >= STREAMS_PER_USER_MAX)
                return -EDQUOT;
        r = fdio_pipe(fds);
        if (r < 0)
                return r;
        *free_slot = (struct stream){ .fd = fds[1], .uid = uid, .interval = interval_ms * NSEC_PER_MSEC, .sent = now, .taken = now };
        return fds[0];
}

static struct sums *get_sums(struct stream *stream, uint32_t dev) {
        struct sums *free_slot = NULL;

        for (size_t i = 0; i < SNAPSHOT_DEVICES_MAX; i++) {
                if (stream->sums[i].dev == dev)
                        return &stream->sums[i];
                if (!free_slot && stream->sums[i].dev == 0)
                        free_slot = &stream->sums[i];
        }
        if (free_slot)
                *free_slot = (struct sums){ .dev = dev };
        return free_slot;
}

void streams_feed(struct streams *s, const struct event *e) {
        const struct event_device_stat *d = &e->device_stat;

        if (e->kind != EVENT_DEVICE_STAT || e->dev == 0)
                return;
        for (size_t i = 0; i < STREAMS_MAX; i++) {
                struct sums *sums = s->streams[i].fd >= 0 ? get_sums(&s->streams[i], e->dev) : NULL;
                if (!sums)
                        continue;
                sums->span_us += d->span_us;
                sums->reads += d->reads;
                sums->read_bytes += d->read_sectors * SECTOR_BYTES;
                sums->read_ms += d->read_ms;
                sums->writes += d->writes;
                sums->write_bytes += d->write_sectors * SECTOR_BYTES;
                sums->write_ms += d->write_ms;
                sums->busy_ms += d->busy_ms;
                sums->queue_ms += d->queue_ms;
                sums->inflight = d->inflight;
        }
}

static uint32_t capped(uint64_t value) {
        return (uint32_t) MIN(value, UINT32_MAX);
}

static void fill_sample(const struct sums *sums, nsec_t now, const struct snapshot *snapshot, const char *name, struct brio_sample *ret) {
        const struct device_view *view = snapshot_find_device(snapshot, sums->dev);
        const struct latency_view *wait = view && view->requests.since ? view->requests.latencies.wait : (struct latency_view[2]){ 0 };

        *ret = (struct brio_sample){
                .magic = BRIO_SAMPLE_MAGIC,
                .size = sizeof(*ret),
                .t_ns = now,
                .span_us = capped(sums->span_us),
                .read_iops = capped(sums->reads * USEC_PER_SEC / sums->span_us),
                .write_iops = capped(sums->writes * USEC_PER_SEC / sums->span_us),
                .read_latency_us = sums->reads ? capped(sums->read_ms * USEC_PER_MSEC / sums->reads) : 0,
                .write_latency_us = sums->writes ? capped(sums->write_ms * USEC_PER_MSEC / sums->writes) : 0,
                .utilisation_permille = capped(MIN(sums->busy_ms * USEC_PER_MSEC * 1000 / sums->span_us, 1000u)),
                .depth_milli = capped(sums->queue_ms * USEC_PER_MSEC * 1000 / sums->span_us),
                .inflight = sums->inflight,
                .read_bytes_per_s = sums->read_bytes * USEC_PER_SEC / sums->span_us,
                .write_bytes_per_s = sums->write_bytes * USEC_PER_SEC / sums->span_us,
                .readers = view ? view->readers : 0,
                .read_median_us = wait[REQUEST_READ].median_us,
                .read_p99_us = wait[REQUEST_READ].p99_us,
                .foremost_p99_us = view && view->requests.since ? view->requests.foremost_reads.p99_us : 0,
                .write_median_us = wait[REQUEST_WRITE].median_us,
                .write_p99_us = wait[REQUEST_WRITE].p99_us,
        };
        str_copy(ret->device, sizeof(ret->device), name);
}

static bool has_reader(int fd) {
        struct pollfd p = { .fd = fd };

        return poll(&p, 1, 0) <= 0 || !(p.revents & POLLERR);
}

static void send_stream(struct stream *stream, nsec_t now, const struct snapshot *snapshot, stream_name_fn name, void *userdata) {
        for (size_t i = 0; i < SNAPSHOT_DEVICES_MAX; i++) {
                struct sums *sums = &stream->sums[i];
                const char *text = sums->dev ? name(userdata, sums->dev) : NULL;
                struct brio_sample sample;
                ssize_t n;

                if (text && sums->span_us > 0) {
                        fill_sample(sums, now, snapshot, text, &sample);
                        sample.dropped = stream->dropped;
                        n = write(stream->fd, &sample, sizeof(sample)); /* at most PIPE_BUF: whole or not at all */
                        if (n >= 0)
                                stream->taken = now;
                        else if ((errno != EAGAIN && errno != EINTR) || nsec_sub(now, stream->taken) >= STREAM_FULL_NS) {
                                stream->fd = safe_close(stream->fd);
                                return;
                        }
                        stream->dropped = n < 0 ? stream->dropped + 1 : 0;
                }
                *sums = (struct sums){ 0 };
        }
        stream->sent = now;
        if (stream->taken < now && !has_reader(stream->fd)) /* nothing was written, which would have told */
                stream->fd = safe_close(stream->fd);
}

void streams_send(struct streams *s, nsec_t now, const struct snapshot *snapshot, stream_name_fn name, void *userdata) {
        for (size_t i = 0; i < STREAMS_MAX; i++) {
                struct stream *stream = &s->streams[i];
                if (stream->fd >= 0 && nsec_sub(now, stream->sent) + STREAM_SLACK_NS >= stream->interval)
                        send_stream(stream, now, snapshot, name, userdata);
        }
}

nsec_t streams_interval(const struct streams *s) {
        nsec_t shortest = 0;

        for (size_t i = 0; i < STREAMS_MAX; i++)
                if (s->streams[i].fd >= 0 && (!shortest || s->streams[i].interval < shortest))
                        shortest = s->streams[i].interval;
        return shortest;
}
