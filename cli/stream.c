/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>

#include "macro.h"
#include "stream.h"

#define STREAM_BUFFER_BYTES 16384 /* a second of a hundred drives */

int stream_open(struct stream *s, int fd) {
        int flags = fcntl(fd, F_GETFL);

        if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) {
                int r = -errno;
                safe_close(fd);
                return r;
        }
        s->fd = fd;
        s->reader.used = 0;
        return 0;
}

void stream_close(struct stream *s) {
        s->fd = safe_close(s->fd);
        s->reader.used = 0;
}

struct taken {
        sample_reader_fn fn;
        void *userdata;
        int n;
};

static void take(void *userdata, const struct brio_sample *sample) {
        struct taken *t = userdata;

        t->n++;
        t->fn(t->userdata, sample);
}

int stream_read(struct stream *s, sample_reader_fn fn, void *userdata) {
        struct taken taken = { .fn = fn, .userdata = userdata };
        uint8_t buffer[STREAM_BUFFER_BYTES];

        for (;;) {
                ssize_t n = read(s->fd, buffer, sizeof(buffer));
                int r;
                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0 && errno == EAGAIN)
                        return taken.n;
                if (n < 0)
                        return -errno;
                if (n == 0)
                        return taken.n > 0 ? taken.n : -EPIPE;
                r = sample_reader_feed(&s->reader, buffer, (size_t) n, take, &taken);
                if (r < 0)
                        return r;
        }
}
