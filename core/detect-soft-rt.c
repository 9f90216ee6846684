/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Soft real-time streams: what plays, records or calls. The model follows each process's requests (model-streams.c, rhythm.c,
 * soft-rt.c); here stands what is said of it. docs/detectors.md has the account. */
#include <inttypes.h>
#include <stdio.h>

#include "detect.h"
#include "macro.h"
#include "str.h"

static const char *const state_names[_STREAM_STATE_MAX] = {
        [STREAM_IS] = "stream",
        [STREAM_CANDIDATE] = "candidate",
        [STREAM_NEAR_MISS] = "near-miss",
};

const char *stream_state_to_string(enum stream_state s) {
        return state_names[s];
}

static const struct {
        const char *name;
        enum statement_id statement;
} holds[_STREAM_HOLD_MAX] = {
        [HOLDS_NOTHING] = { "", _STATEMENT_MAX },
        [HOLDS_SOUND] = { "sound", SAY_STREAM_SOUND },
        [HOLDS_VIDEO] = { "video", SAY_STREAM_VIDEO },
};

const char *stream_hold_to_string(enum stream_hold h) {
        return holds[h].name;
}

/* Why it is none: a condition that failed, with the value and the limit, each divided by that. */
static const struct {
        enum statement_id reads, writes;
        int64_t divisor;
} flaws[_RHYTHM_FLAW_MAX] = {
        [RHYTHM_FITS] = { _STATEMENT_MAX, _STATEMENT_MAX, 1 },
        [RHYTHM_TOO_FEW] = { SAY_STREAM_TOO_FEW, SAY_STREAM_TOO_FEW, 1 },
        [RHYTHM_TOO_FAST] = { SAY_STREAM_READS_TOO_FAST, SAY_STREAM_WRITES_TOO_FAST, 1 },
        [RHYTHM_TOO_SLOW] = { SAY_STREAM_READS_TOO_SLOW, SAY_STREAM_WRITES_TOO_SLOW, 1 },
        [RHYTHM_NO_PAUSE] = { SAY_STREAM_NO_PAUSE, SAY_STREAM_NO_PAUSE, 10 },
        [RHYTHM_COMPUTES] = { SAY_STREAM_COMPUTES, SAY_STREAM_COMPUTES, 10 },
        [RHYTHM_SEEKY] = { SAY_STREAM_SEEKY, SAY_STREAM_SEEKY, 1 },
        [RHYTHM_FOLLOWS] = { SAY_STREAM_FOLLOWS, SAY_STREAM_FOLLOWS, 10 },
        [RHYTHM_IRREGULAR] = { SAY_STREAM_IRREGULAR, SAY_STREAM_IRREGULAR, 10 },
        [RHYTHM_DRIFTS] = { SAY_STREAM_DRIFTS, SAY_STREAM_DRIFTS, 10 },
        [RHYTHM_FAST_LATELY] = { SAY_STREAM_FAST_LATELY, SAY_STREAM_FAST_LATELY, 1 },
        [RHYTHM_STARVES] = { SAY_STREAM_STARVES, SAY_STREAM_STARVES, 10 },
        [RHYTHM_TOO_SHORT] = { SAY_STREAM_TOO_SHORT, SAY_STREAM_TOO_SHORT, 1 },
};

void stream_describe(const struct stream_view *v, char *ret, size_t size) {
        const struct rhythm_figures *f = &v->figures;
        char buf[MENTION_MAX];
        const char *name = mention(buf, *v->name ? v->name : statement_plain(SAY_A_PROCESS), v->tgid, v->uid);

        *ret = '\0';
        if (v->state == STREAM_NEAR_MISS && f->flaw != RHYTHM_FITS) {
                int64_t divisor = flaws[f->flaw].divisor;
                if (f->flaw == RHYTHM_TOO_SHORT && f->value == 0)
                        SAY(ret, size, SAY_STREAM_NOT_STEADY, name, f->limit);
                else
                        SAY(ret, size, v->writes ? flaws[f->flaw].writes : flaws[f->flaw].reads, name, f->value / divisor, f->limit / divisor);
                return;
        }
        SAY(ret, size, v->writes ? SAY_STREAM_WRITES : SAY_STREAM_READS, name, f->bytes_per_s);
        if (v->holds)
                SAY(ret, size, holds[v->holds].statement);
        else if (v->from_proc)
                SAY(ret, size, SAY_STREAM_EVEN, f->regularity_permille / 10);
        else if (f->period_us > 0)
                SAY(ret, size, SAY_STREAM_RHYTHM, f->period_us, f->regularity_permille / 10);
        if (v->from_proc && !v->holds)
                SAY(ret, size, SAY_STREAM_COUNTED);
}

static void add_rhythm(const struct stream_view *s, struct verdict *v) {
        if (!s->from_proc)
                verdict_add(v, "period", s->figures.period_us, 0, "us");
        verdict_add(v, "regularity", s->figures.regularity_permille, RHYTHM_REGULAR_STAYS_PERMILLE, "permille");
        if (s->from_proc)
                return;
        verdict_add(v, "margin", s->kernel.margin_us, 0, "us");
        verdict_add(v, "batches", s->figures.batches, 0, "");
}

void detect_soft_rt(struct detection *d) {
        for (size_t i = 0; i < d->snapshot->n_streams; i++) {
                const struct stream_view *s = &d->snapshot->streams[i];
                struct subject subject = { .tgid = s->tgid, .start_ticks = s->start_ticks, .uid = s->uid };
                struct verdict *v;

                if (s->state != STREAM_IS || s->dev != d->view->dev)
                        continue;
                str_copy(subject.name, sizeof(subject.name), s->name);
                v = detection_add(d, &subject);
                if (!v)
                        return;
                v->severity = (uint16_t) MIN(s->figures.bytes_per_s * 1000 / RHYTHM_RATE_MAX, 1000ull);
                v->confidence = MIN(v->confidence, s->confidence);
                verdict_add(v, "rate", (int64_t) s->figures.bytes_per_s, (int64_t) RHYTHM_RATE_MAX, "bytes/s");
                if (!s->holds)
                        add_rhythm(s, v);
                stream_describe(s, v->sentence, sizeof(v->sentence));
        }
}
