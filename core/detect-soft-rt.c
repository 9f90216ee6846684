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
        const char *name, *phrase;
} holds[_STREAM_HOLD_MAX] = {
        [HOLDS_NOTHING] = { "", "" },
        [HOLDS_SOUND] = { "sound", "sound" },
        [HOLDS_VIDEO] = { "video", "a video device" },
};

const char *stream_hold_to_string(enum stream_hold h) {
        return holds[h].name;
}

/* Why it is none. */
static void describe_flaw(const struct stream_view *v, char *ret, size_t size) {
        const struct rhythm_figures *f = &v->figures;
        const char *asks = v->writes ? "writes" : "reads";
        char value[32], limit[32];

        str_format_bytes(value, sizeof(value), (uint64_t) MAX(f->value, 0));
        str_format_bytes(limit, sizeof(limit), (uint64_t) MAX(f->limit, 0));
        switch (f->flaw) {
        case RHYTHM_FITS:
                break;
        case RHYTHM_TOO_FEW:
                str_append(ret, size, "no stream yet: it has kept its rhythm for %" PRId64 " of %" PRId64 " periods", f->value, f->limit);
                break;
        case RHYTHM_TOO_FAST:
                str_append(ret, size, "no stream: it %s %s/s, and one takes at most %s/s", asks, value, limit);
                break;
        case RHYTHM_TOO_SLOW:
                str_append(ret, size, "no stream: it %s %s/s, and one takes at least %s/s", asks, value, limit);
                break;
        case RHYTHM_NO_PAUSE:
                str_append(ret, size, "no stream: it pauses for %" PRId64 "%% of its time, and one for %" PRId64 "%% at least", f->value / 10,
                           f->limit / 10);
                break;
        case RHYTHM_COMPUTES:
                str_append(ret, size, "no stream: it computes for %" PRId64 "%% of its time, and one for %" PRId64 "%% at most", f->value / 10, f->limit / 10);
                break;
        case RHYTHM_SEEKY:
                str_append(ret, size, "no stream: each of its last 32 requests was far from the one before");
                break;
        case RHYTHM_FOLLOWS:
                str_append(ret, size, "no stream: it asks so long after each answer, whenever that comes: %" PRId64 "%% of its uneven periods are so for that alone, and of one %"
                           PRId64 "%% at most", f->value / 10, f->limit / 10);
                break;
        case RHYTHM_IRREGULAR:
                str_append(ret, size, "no stream: %" PRId64 "%% of its periods are about as long as the others, and of one %" PRId64 "%% at least",
                           f->value / 10, f->limit / 10);
                break;
        case RHYTHM_DRIFTS:
                str_append(ret, size, "no stream: four of its periods take up to %" PRId64 "%% of what four others take, and of one %" PRId64
                           "%% at most", f->value / 10, f->limit / 10);
                break;
        case RHYTHM_FAST_LATELY:
                str_format_duration_us(value, sizeof(value), (uint64_t) MAX(f->value, 0));
                str_append(ret, size, "no stream: it was fast a moment ago, and by its mean rate comes %s too early", value);
                break;
        case RHYTHM_STARVES:
                str_append(ret, size, "no stream yet, for it is starved: it pauses for %" PRId64 "%% of its time, and one for %" PRId64 "%% at least, but makes up for what it waited",
                           f->value / 10, f->limit / 10);
                break;
        case RHYTHM_TOO_SHORT:
                str_format_duration_us(value, sizeof(value), (uint64_t) MAX(f->value, 0));
                str_format_duration_us(limit, sizeof(limit), (uint64_t) MAX(f->limit, 0));
                str_append(ret, size, "no stream yet: its rhythm is steady for %s of %s", value, limit);
                break;
        case _RHYTHM_FLAW_MAX:
                break;
        }
}

void stream_describe(const struct stream_view *v, char *ret, size_t size) {
        const struct rhythm_figures *f = &v->figures;
        char rate[32], period[32], name[MENTION_MAX];

        str_copy(ret, size, mention(name, *v->name ? v->name : "a process", v->tgid, v->uid));
        str_append(ret, size, " ");
        if (v->state == STREAM_NEAR_MISS) {
                str_append(ret, size, "is ");
                describe_flaw(v, ret, size);
                return;
        }
        str_append(ret, size, "%s %s/s", v->writes ? "writes" : "reads", str_format_bytes(rate, sizeof(rate), f->bytes_per_s));
        if (v->holds)
                str_append(ret, size, " while it has %s open", holds[v->holds].phrase);
        else if (v->from_proc)
                str_append(ret, size, " evenly (%u%%)", (unsigned) f->regularity_permille / 10);
        else if (f->period_us > 0)
                str_append(ret, size, " in a rhythm of %s (%u%% regular)", str_format_duration_us(period, sizeof(period), f->period_us),
                           (unsigned) f->regularity_permille / 10);
        if (v->from_proc && !v->holds)
                str_append(ret, size, ", as far as its counters tell");
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
                v->severity = (uint16_t) MIN(s->figures.bytes_per_s * 1000 / RHYTHM_EARLY_RATE_MAX, 1000ull);
                v->confidence = MIN(v->confidence, s->confidence);
                verdict_add(v, "rate", (int64_t) s->figures.bytes_per_s, (int64_t) RHYTHM_RATE_MAX, "bytes/s");
                if (!s->holds)
                        add_rhythm(s, v);
                stream_describe(s, v->sentence, sizeof(v->sentence));
        }
}
