/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "checksum.h"
#include "log.h"
#include "macro.h"
#include "request-sources.h"
#include "source-blktrace.h"
#include "source-bpf.h"
#include "source-tracefs.h"
#include "str.h"

static int open_bpf(const struct request_sources_config *c, sd_event *event, void **ret) {
        struct source_bpf *s;
        int r = source_bpf_new(c->root, event, c->sink, &s);

        if (r >= 0)
                *ret = s;
        return r;
}

static int open_tracefs(const struct request_sources_config *c, sd_event *event, void **ret) {
        struct source_tracefs *s;
        int r = source_tracefs_new(c->root, event, c->sink, &s);

        if (r >= 0)
                *ret = s;
        return r;
}

static int open_blktrace(const struct request_sources_config *c, sd_event *event, void **ret) {
        struct source_blktrace *s;
        int r = source_blktrace_new(c->root, c->state_dir, event, c->sink, &s);

        if (r >= 0)
                *ret = s;
        return r;
}

#define DEFINE_CLOSE_AND_DRAIN(name)                            \
        static void close_##name(void *source) {                \
                source_##name##_free(source);                   \
        }                                                       \
                                                                \
        static void drain_##name(void *source, nsec_t now) {    \
                source_##name##_drain(source, now);             \
        }

DEFINE_CLOSE_AND_DRAIN(bpf)
DEFINE_CLOSE_AND_DRAIN(tracefs)
DEFINE_CLOSE_AND_DRAIN(blktrace)

/* Best first: what costs least for the same events, and names every process. */
static const struct type {
        const char *name;
        bool sums; /* it can sum up */
        const struct source_ops *ops;
        int (*open)(const struct request_sources_config *c, sd_event *event, void **ret);
        void (*close)(void *source);
        void (*drain)(void *source, nsec_t now);
} types[] = {
        { "bpf", true, &source_bpf_ops, open_bpf, close_bpf, drain_bpf },
        { "tracefs", false, &source_tracefs_ops, open_tracefs, close_tracefs, drain_tracefs },
        { "blktrace", false, &source_blktrace_ops, open_blktrace, close_blktrace, drain_blktrace },
};

_Static_assert(ARRAY_SIZE(types) <= REQUEST_SOURCES_MAX, "there is room for each");

/* For as many drives and what stands on them; of more, the oldest may be said again. */
#define REFUSALS_MAX (ARRAY_SIZE(types) * 128)

/* What was said of why a source cannot tell of a drive: it is tried again and again. */
struct refusal {
        uint32_t dev; /* 0: of any */
        uint32_t sum; /* of the sentence; 0: none */
        size_t type;
};

struct request_sources {
        const char *choice;
        struct source sources[ARRAY_SIZE(types)]; /* in the order of types; ops NULL: not opened yet */
        struct refusal refusals[REFUSALS_MAX];
        size_t next_refusal;
};

const char *request_sources_choice(const char *word) {
        for (size_t i = 0; i < ARRAY_SIZE(types); i++)
                if (streq(word, types[i].name))
                        return types[i].name;
        if (streq(word, REQUEST_SOURCE_AUTO))
                return REQUEST_SOURCE_AUTO;
        return streq(word, REQUEST_SOURCE_PROC) ? REQUEST_SOURCE_PROC : NULL;
}

static bool may_use(const struct request_sources *s, size_t i) {
        return streq(s->choice, REQUEST_SOURCE_AUTO) || streq(s->choice, types[i].name);
}

int request_sources_new(const struct request_sources_config *config, sd_event *event, struct request_sources **ret) {
        struct request_sources *s = calloc(1, sizeof(*s));

        if (!s)
                return -ENOMEM;
        s->choice = config->choice;
        for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
                int r = types[i].open(config, event, &s->sources[i].self);
                if (r < 0) {
                        log_error("cannot prepare %s: %s", types[i].name, strerror(-r));
                        request_sources_free(s);
                        return r;
                }
                s->sources[i].ops = types[i].ops;
        }
        *ret = s;
        return 0;
}

struct request_sources *request_sources_free(struct request_sources *s) {
        for (size_t i = 0; s && i < ARRAY_SIZE(types); i++)
                if (s->sources[i].ops)
                        types[i].close(s->sources[i].self);
        free(s);
        return NULL;
}

size_t request_sources_clean_up(const char *root, const char *state_dir) {
        return source_tracefs_clean_up(root) + (state_dir ? source_blktrace_clean_up(root, state_dir) : 0);
}

static struct refusal *find_refusal(struct request_sources *s, uint32_t dev, size_t type) {
        for (size_t i = 0; i < REFUSALS_MAX; i++)
                if (s->refusals[i].sum && s->refusals[i].dev == dev && s->refusals[i].type == type)
                        return &s->refusals[i];
        return NULL;
}

static void forget_refusal(struct request_sources *s, uint32_t dev, size_t type) {
        struct refusal *said = find_refusal(s, dev, type);

        if (said)
                said->sum = 0;
}

/* dev: 0 where it is of any drive. */
static void tell_once(struct request_sources *s, size_t type, uint32_t dev, const char *text) {
        uint32_t sum = MAX(checksum_crc32c(0, text, strlen(text)), 1u);
        struct refusal *said = find_refusal(s, dev, type);

        if (said && said->sum == sum)
                return;
        if (!said)
                said = &s->refusals[s->next_refusal++ % REFUSALS_MAX];
        *said = (struct refusal){ .dev = dev, .sum = sum, .type = type };
        log_info("%s", text);
}

static void tell_refusal(struct request_sources *s, size_t type, uint32_t dev, const char *name, int error) {
        struct source_info infos[SOURCE_INFOS_MAX];
        char text[SOURCE_DETAIL_MAX + 128];

        types[type].ops->probe(s->sources[type].self, infos);
        if (infos[0].state == SOURCE_UNAVAILABLE) {
                snprintf(text, sizeof(text), "single requests cannot be told by %s: %s", types[type].name, infos[0].detail);
                tell_once(s, type, 0, text);
                return;
        }
        snprintf(text, sizeof(text), "%s: its requests cannot be told by %s (%s): %s", name, types[type].name, strerror(-error),
                 infos[0].detail);
        tell_once(s, type, dev, text);
}

int request_sources_start(struct request_sources *s, const struct source_drive *drive, const char *name, nsec_t now) {
        int r = drive->summed ? -EOPNOTSUPP : -ENODEV;

        for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
                if (!may_use(s, i) || (drive->summed && !types[i].sums))
                        continue;
                r = types[i].ops->start(s->sources[i].self, drive, now);
                if (r < 0) {
                        tell_refusal(s, i, drive->dev, name, r);
                        continue;
                }
                forget_refusal(s, drive->dev, i);
                forget_refusal(s, 0, i);
                return r;
        }
        return r;
}

/* By whichever it was begun: one that does not know the drive does nothing. */
void request_sources_stop(struct request_sources *s, uint32_t dev, nsec_t now) {
        for (size_t i = 0; i < ARRAY_SIZE(types); i++)
                types[i].ops->stop(s->sources[i].self, dev, now);
}

void request_sources_drain(struct request_sources *s, nsec_t now) {
        for (size_t i = 0; i < ARRAY_SIZE(types); i++)
                types[i].drain(s->sources[i].self, now);
}

void request_sources_cost(struct request_sources *s, struct source_cost *ret) {
        *ret = (struct source_cost){ 0 };
        for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
                struct source_cost c = { 0 };

                types[i].ops->cost(s->sources[i].self, &c);
                ret->wakeups += c.wakeups;
                ret->events += c.events;
                ret->bytes += c.bytes;
                ret->active_ns = MAX(ret->active_ns, c.active_ns);
        }
}

const struct source *request_sources_get(const struct request_sources *s, size_t i) {
        return i < ARRAY_SIZE(types) ? &s->sources[i] : NULL;
}

/* The first before index i that can be used; NULL: none. */
static const char *find_better(struct request_sources *s, size_t i) {
        for (size_t better = 0; better < i; better++) {
                struct source_info infos[SOURCE_INFOS_MAX];

                if (!may_use(s, better))
                        continue;
                types[better].ops->probe(s->sources[better].self, infos);
                if (infos[0].state != SOURCE_UNAVAILABLE)
                        return types[better].name;
        }
        return NULL;
}

void request_sources_explain(struct request_sources *s, size_t i, struct source_info *info) {
        bool works = info->state != SOURCE_UNAVAILABLE;
        const char *better;

        if (!may_use(s, i)) {
                str_append(info->detail, sizeof(info->detail), "; not used: the configuration asks for %s", s->choice);
                info->state = works ? info->state : SOURCE_UNNEEDED;
                return;
        }
        better = find_better(s, i);
        if (!better)
                return;
        str_append(info->detail, sizeof(info->detail), works ? "; in reserve: %s is better" : "; not needed: %s is better", better);
        info->state = works ? info->state : SOURCE_UNNEEDED;
}
