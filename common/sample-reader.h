/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cuts what comes out of OpenSampleStream's pipe into records. What comes is checked, never trusted. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "sample.h"

/* A record is at most PIPE_BUF bytes (common/sample.h). */
#define SAMPLE_READER_RECORD_MAX 4096

/* All zero is the start of a stream. */
struct sample_reader {
        uint8_t partial[SAMPLE_READER_RECORD_MAX];
        size_t used;
};

typedef void (*sample_reader_fn)(void *userdata, const struct brio_sample *sample);

/* Takes the next n bytes, in any slices, and calls fn for each record that is complete.
 * Returns 0, or -EBADMSG at the first bytes that are no record (magic, size, a device name without its end); the records
 * before it were delivered, and the stream must be closed, since nothing says where the next one starts. */
int sample_reader_feed(struct sample_reader *r, const void *data, size_t n, sample_reader_fn fn, void *userdata);
