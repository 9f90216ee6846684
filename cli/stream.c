/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>

#include "macro.h"
#include "stream.h"

int stream_open(struct stream *s, int fd) {
        int flags = fcntl(fd, F_GETFL);

        if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) {
                int r = -errno;
                safe_close(fd);
                return r;
        }
        s->fd = fd;
        s->used = 0;
        return 0;
}

void stream_close(struct stream *s) {
        s->fd = safe_close(s->fd);
        s->used = 0;
}

/* Hands on the whole records in the buffer and keeps the rest. */
static int take_records(struct stream *s, stream_fn fn, void *userdata) {
        struct brio_sample sample;
        size_t at = 0;
        int n = 0;

        while (s->used - at >= sizeof(sample)) {
                memcpy(&sample, s->buffer + at, sizeof(sample));
                if (sample.magic != BRIO_SAMPLE_MAGIC || sample.size < sizeof(sample) || sample.size > PIPE_BUF)
                        return -EBADMSG;
                if (s->used - at < sample.size)
                        break;
                sample.device[sizeof(sample.device) - 1] = '\0';
                fn(userdata, &sample);
                at += sample.size;
                n++;
        }
        memmove(s->buffer, s->buffer + at, s->used - at);
        s->used -= at;
        return n;
}

int stream_read(struct stream *s, stream_fn fn, void *userdata) {
        int total = 0;

        for (;;) {
                ssize_t n = read(s->fd, s->buffer + s->used, sizeof(s->buffer) - s->used);
                int r;
                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0 && errno == EAGAIN)
                        return total;
                if (n < 0)
                        return -errno;
                if (n == 0)
                        return total > 0 ? total : -EPIPE;
                s->used += (size_t) n;
                r = take_records(s, fn, userdata);
                if (r < 0)
                        return r;
                total += r;
        }
}
