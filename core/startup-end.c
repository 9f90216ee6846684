/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When a start has ended: at the beginning of the first quiet window of its processes. */
#include "macro.h"
#include "names.h"
#include "startup.h"
#include "str.h"

/* Processes compute side by side, and beside one that waits: that counts as long as it took, and as the first of these. */
static void note_slice(struct startup *s, const struct startup_sample *sample) {
        struct startup_slice slice = {
                .computing_us = sample->cpu_us - MIN(sample->queued_us, sample->cpu_us),
                .queued_us = sample->queued_us,
                .memory_us = sample->memory_us,
                .waited_us = sample->waited_us,
                .behind_us = sample->behind_us,
                .read_bytes = sample->read_bytes,
        };
        nsec_t to = nsec_sub(sample->t, s->view.begun);

        startup_slice_fit(&slice, sample->span_us);
        startup_timeline_add(&s->timeline, nsec_sub(to, sample->span_us * NSEC_PER_USEC), to, &slice);
}

void startup_close_sample(struct startup *s) {
        struct startup_sample *sample = &s->sample;
        nsec_t span;

        if (sample->t == 0)
                return;
        span = sample->span_us * NSEC_PER_USEC;
        if (s->requested && !sample->accounted)
                sample->waited_us = sample->requested_us;
        s->view.observed |= s->requested || sample->accounted;
        sample->waited_us = MIN(sample->waited_us, sample->span_us); /* several wait side by side */
        s->view.waited += sample->waited_us * NSEC_PER_USEC;
        sample->hard |= sample->accounted && sample->waited_us * NSEC_PER_USEC * 10 > span;
        s->samples[s->n_samples++ % STARTUP_SAMPLES] = *sample;
        note_slice(s, sample);
        *sample = (struct startup_sample){ 0 };
}

static const struct startup_sample *get(const struct startup *s, size_t i) {
        return &s->samples[i % STARTUP_SAMPLES];
}

static nsec_t window(const struct startup *s) {
        nsec_t length = STARTUP_QUIET_MIN_NS + STARTUP_QUIET_READS * s->read_latency_us * NSEC_PER_USEC;

        return streq(s->view.application, BRIO_SESSION) ? STARTUP_QUIET_SESSION_NS : MIN(length, STARTUP_QUIET_MAX_NS);
}

static uint64_t cpu_permille(uint64_t cpu_us, uint64_t span_us) {
        return cpu_us * 1000 / MAX(span_us, (uint64_t) 1);
}

/* Whether a quiet window begins with sample i. Returns 1; 0: none does; -EAGAIN-like -1: so far one would, but it is not over. */
static int begins_quiet(const struct startup *s, size_t i) {
        nsec_t span = 0;
        uint64_t cpu_us = 0, read_bytes = 0;

        for (size_t k = i; k < s->n_samples; k++) {
                const struct startup_sample *sample = get(s, k);
                read_bytes += sample->read_bytes;
                if (sample->hard || read_bytes >= STARTUP_QUIET_READ_BYTES)
                        return 0;
                cpu_us += sample->cpu_us;
                span += sample->span_us * NSEC_PER_USEC;
                if (span >= window(s))
                        return cpu_permille(cpu_us, span / NSEC_PER_USEC) < STARTUP_QUIET_CPU_PERMILLE;
        }
        return -1;
}

/* The work of the first samples of a quiet window is the end of the start, not quiet yet. */
static size_t skip_work(const struct startup *s, size_t i) {
        while (i + 1 < s->n_samples && cpu_permille(get(s, i)->cpu_us, get(s, i)->span_us) >= STARTUP_QUIET_CPU_PERMILLE)
                i++;
        return i;
}

bool startup_find_end(const struct startup *s, nsec_t *ret) {
        size_t first = s->n_samples > STARTUP_SAMPLES ? s->n_samples - STARTUP_SAMPLES : 0;

        for (size_t i = first; i < s->n_samples; i++) {
                int quiet = begins_quiet(s, i);
                const struct startup_sample *sample;
                if (quiet < 0)
                        return false;
                if (quiet == 0)
                        continue;
                sample = get(s, skip_work(s, i));
                *ret = nsec_sub(sample->t, sample->span_us * NSEC_PER_USEC);
                return true;
        }
        return false;
}
