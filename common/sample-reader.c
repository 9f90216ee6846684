/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <string.h>

#include "macro.h"
#include "sample-reader.h"

/* The part of a record that says how long it is. */
#define PREFIX_BYTES offsetof(struct brio_sample, t_ns)

/* How many bytes the record that starts in partial needs; 0 while that is not known. -EBADMSG. */
static int wanted_bytes(const struct sample_reader *r) {
        struct brio_sample prefix;

        if (r->used < PREFIX_BYTES)
                return 0;
        memcpy(&prefix, r->partial, PREFIX_BYTES);
        if (prefix.magic != BRIO_SAMPLE_MAGIC || prefix.size < sizeof(prefix) || prefix.size > SAMPLE_READER_RECORD_MAX)
                return -EBADMSG;
        return (int) prefix.size;
}

int sample_reader_feed(struct sample_reader *r, const void *data, size_t n, sample_reader_fn fn, void *userdata) {
        const uint8_t *p = data;

        while (n > 0) {
                struct brio_sample sample;
                int wanted = wanted_bytes(r);
                size_t missing, take;

                if (wanted < 0)
                        return wanted;
                missing = (wanted > 0 ? (size_t) wanted : PREFIX_BYTES) - r->used;
                take = MIN(n, missing);
                memcpy(r->partial + r->used, p, take);
                r->used += take;
                p += take;
                n -= take;
                if (wanted == 0 || take < missing)
                        continue;

                memcpy(&sample, r->partial, sizeof(sample));
                if (!memchr(sample.device, '\0', sizeof(sample.device)) || *sample.device == '\0')
                        return -EBADMSG;
                r->used = 0;
                fn(userdata, &sample);
        }
        /* Bad magic or size at the very end is found now rather than with the next bytes. */
        return wanted_bytes(r) < 0 ? -EBADMSG : 0;
}
