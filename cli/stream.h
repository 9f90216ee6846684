/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the records of OpenSampleStream() from its pipe, in whatever pieces they come. */
#pragma once

#include "sample-reader.h"

struct stream {
        int fd; /* owned; -1: closed */
        struct sample_reader reader;
};

/* Takes over fd and makes it non-blocking. Returns 0 or -errno (the descriptor is then closed). */
int stream_open(struct stream *s, int fd);
void stream_close(struct stream *s);

/* Hands on every whole record that is there now. Returns their number; -EPIPE once the daemon closed its end;
 * -EBADMSG where what comes is no record (the stream is of no more use then); or -errno. */
int stream_read(struct stream *s, sample_reader_fn fn, void *userdata);
