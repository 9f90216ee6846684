/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the records of OpenSampleStream() from its pipe, in whatever pieces they come. */
#pragma once

#include <stddef.h>

#include "sample.h"

#define STREAM_BUFFER_BYTES (64u * 1024)

struct stream {
        int fd; /* owned; -1: closed */
        size_t used;
        unsigned char buffer[STREAM_BUFFER_BYTES];
};

typedef void (*stream_fn)(void *userdata, const struct brio_sample *sample);

/* Takes over fd and makes it non-blocking. Returns 0 or -errno (the descriptor is then closed). */
int stream_open(struct stream *s, int fd);
void stream_close(struct stream *s);

/* Hands on every whole record that is there now. Returns their number; -EPIPE once the daemon closed its end;
 * -EBADMSG where what comes is no record (the stream is of no more use then); or -errno. */
int stream_read(struct stream *s, stream_fn fn, void *userdata);
