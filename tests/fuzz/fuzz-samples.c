/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whatever comes out of the pipe of samples, in whatever pieces: the records are the same, each of a drive with a name. The first byte says
 * how long the pieces are. */
#include <errno.h>

#include "checksum.h"
#include "fuzz.h"
#include "macro.h"
#include "sample-reader.h"

struct seen {
        size_t n;
        uint32_t checksum;
};

static void take(void *userdata, const struct brio_sample *s) {
        struct seen *seen = userdata;

        MUST(s->magic == BRIO_SAMPLE_MAGIC && s->size >= sizeof(*s) && s->size <= SAMPLE_READER_RECORD_MAX);
        MUST(*s->device && memchr(s->device, '\0', sizeof(s->device)));
        seen->n++;
        seen->checksum = checksum_crc32c(seen->checksum, s, sizeof(*s));
}

static int run(const uint8_t *data, size_t size, size_t piece, struct seen *ret) {
        struct sample_reader r = { 0 };
        int result = 0;

        *ret = (struct seen){ 0 };
        for (size_t at = 0; at < size && result == 0; at += MIN(piece, size - at)) {
                result = sample_reader_feed(&r, data + at, MIN(piece, size - at), take, ret);
                MUST(r.used <= sizeof(r.partial));
        }
        return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct seen whole, pieces;
        int r;

        if (size == 0)
                return 0;
        r = run(data + 1, size - 1, SIZE_MAX, &whole);
        MUST(r == 0 || r == -EBADMSG);
        MUST(run(data + 1, size - 1, data[0] + 1u, &pieces) == r);
        MUST(pieces.n == whole.n && pieces.checksum == whole.checksum);
        return 0;
}
