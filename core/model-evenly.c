/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a drive's own counters say of streams: it is read from, or written to, little and evenly. */
#include "macro.h"
#include "model-private.h"

/* Two of them at once are few, and each of them has its rate limit: more is a load. */
#define STEADY_RATE_MAX (2 * RHYTHM_RATE_MAX)
#define STEADY_SECONDS 6     /* that the samples have to cover */
#define STEADY_ACTIVE_PART 3 /* in one of so many of them it is read from: the readahead of sound */

/* What is written through the page cache goes to the drive every five seconds (dirty_writeback_centisecs): so much at least, in each of three
 * stretches, none of them with more than half of it. Desktops at rest write less: journals, a browser's state. */
#define WRITTEN_SPAN_NS (24 * NSEC_PER_SEC)
#define WRITTEN_STRETCHES 3
#define WRITTEN_RATE_MIN 32000

bool model_is_written_evenly(const struct device *d, nsec_t now) {
        uint32_t n = MIN(d->n_samples, (uint32_t) RECENT_SAMPLES);
        uint64_t stretches[WRITTEN_STRETCHES] = { 0 }, all = 0;
        nsec_t first = now;

        for (uint32_t i = 1; i <= n; i++) { /* the newest first */
                uint32_t k = (d->n_samples - i) % RECENT_SAMPLES;
                nsec_t ago = nsec_sub(now, d->samples[k].t);
                uint64_t bytes = (uint64_t) d->samples[k].stat.write_sectors * SECTOR_BYTES;

                if (ago >= WRITTEN_SPAN_NS)
                        break;
                first = d->samples[k].t;
                stretches[ago * WRITTEN_STRETCHES / WRITTEN_SPAN_NS] += bytes;
                all += bytes;
        }
        if (nsec_sub(now, first) < WRITTEN_SPAN_NS - 2 * NSEC_PER_SEC || all * NSEC_PER_SEC / WRITTEN_SPAN_NS < WRITTEN_RATE_MIN ||
            all * NSEC_PER_SEC / WRITTEN_SPAN_NS > STEADY_RATE_MAX)
                return false;
        for (size_t i = 0; i < WRITTEN_STRETCHES; i++)
                if (stretches[i] == 0 || stretches[i] > all / 2)
                        return false;
        return true;
}

bool model_is_steady(const struct device *d, nsec_t now) {
        uint32_t n = MIN(d->n_samples, (uint32_t) RECENT_SAMPLES);
        nsec_t first = now, last_active = 0;
        uint64_t sectors = 0, active = 0, seconds;

        for (uint32_t i = 0; i < n; i++) { /* the oldest first */
                uint32_t k = (d->n_samples - n + i) % RECENT_SAMPLES;
                nsec_t t = d->samples[k].t;
                if (nsec_sub(now, t) > CANDIDATE_SECONDS * NSEC_PER_SEC)
                        continue;
                first = MIN(first, t);
                sectors += d->samples[k].stat.read_sectors;
                if (d->samples[k].stat.reads == 0 || t / NSEC_PER_SEC == last_active)
                        continue;
                active++;
                last_active = t / NSEC_PER_SEC;
        }
        seconds = nsec_sub(now, first) / NSEC_PER_SEC;
        return seconds >= STEADY_SECONDS && active * STEADY_ACTIVE_PART >= seconds && sectors * SECTOR_BYTES / seconds >= RHYTHM_RATE_MIN &&
               sectors * SECTOR_BYTES / seconds <= STEADY_RATE_MAX;
}
