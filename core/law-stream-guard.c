/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Law stream-guard: while somebody plays or records, what is written beside it is kept from filling the drive's queue. bfq gives the stream
 * its turn at once (it raises it 30 times and preempts for it), yet what the drive has already taken stands before it all the same. Readers beside a stream
 * are step-back's: bfq has at most one of them in the drive at a time. docs/laws.md has the account. */
#include <stdio.h>

#include "law.h"
#include "law-private.h"
#include "macro.h"
#include "rhythm.h"
#include "str.h"

/* What streams themselves write, of the drive's writes. */
static uint64_t written_by_streams(const struct law_input *l) {
        uint64_t sum = 0;

        for (size_t i = 0; i < l->in->snapshot->n_streams; i++) {
                const struct stream_view *s = &l->in->snapshot->streams[i];
                if (s->state == STREAM_IS && s->dev == l->d->facts.dev && s->writes)
                        sum += s->figures.bytes_per_s;
        }
        return sum;
}

size_t law_stream_guard(const struct law_input *l, struct law_wish *ret) {
        const struct policy_stream_guard *p = &l->d->policy->stream_guard;
        const struct verdict *stream = law_find_verdict(l, VERDICT_SOFT_RT);
        char because[VERDICT_SENTENCE_MAX + 64], rate[32];
        uint64_t written, own;

        if (!p->enabled || !stream)
                return 0;
        written = law_write_load(l->view).bytes_per_s;
        own = written_by_streams(l);
        if (written <= own || written - own < (uint64_t) p->min_written_mib << 20)
                return 0;
        snprintf(because, sizeof(because), "%s, beside %s/s that are written", stream->sentence, str_format_bytes(rate, sizeof(rate), written - own));
        return law_bound_writes(l, LAW_STREAM_GUARD, p->longest_wait_us, because, ret);
}
