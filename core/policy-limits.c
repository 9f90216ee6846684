/* SPDX-License-Identifier: GPL-3.0-or-later */
/* [Limits]: what a law may set a tunable to, and the checks that only the whole policy allows. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "policy-keys.h"
#include "str.h"
#include "units.h"

#define QUEUE_PREFIX "queue" /* the "scheduler" of those tunables that every scheduler has */

static const char *owner_name(const struct tunable *t) {
        return t->scheduler == SCHEDULER_ANY ? QUEUE_PREFIX : scheduler_to_string(t->scheduler);
}

/* True if a key of [Limits] means this tunable: its file name, alone or after "OWNER.". */
static bool key_means(const char *key, const struct tunable *t) {
        const char *dot = strchr(key, '.'), *owner = owner_name(t);

        if (t->type == TUNABLE_NAME)
                return false;
        if (!dot)
                return streq(key, t->name);
        return (size_t) (dot - key) == strlen(owner) && strncmp(key, owner, strlen(owner)) == 0 && streq(dot + 1, t->name);
}

static int unknown_tunable(const char *key, struct policy_complaint *why) {
        const char *dot = strchr(key, '.');
        struct policy_hint hint = { .word = key };

        if (streq(dot ? dot + 1 : key, "scheduler")) {
                snprintf(why->text, sizeof(why->text), "scheduler has no limits, its choice is Prefer in [Scheduler]");
                return -ENOENT;
        }
        for (int id = 0; id < _TUNABLE_MAX; id++) {
                const struct tunable *t = tunable_get((enum tunable_id) id);
                char full[POLICY_NAME_MAX] = "";

                if (t->type == TUNABLE_NAME)
                        continue;
                if (dot)
                        str_append(full, sizeof(full), "%s.", owner_name(t));
                str_append(full, sizeof(full), "%s", t->name);
                policy_hint_consider(&hint, full);
        }
        snprintf(why->text, sizeof(why->text), "unknown tunable %s", key);
        policy_hint_append(&hint, why);
        return -ENOENT;
}

static int check_range(const char *key, const char *value, const struct tunable *t, int64_t min, int64_t max,
                       struct policy_complaint *why) {
        if (min >= t->min && max <= t->max)
                return 0;
        snprintf(why->text, sizeof(why->text), "%s = %s leaves the kernel's range for %s.%s, %" PRId64 "..%" PRId64 "%s%s", key, value,
                 owner_name(t), t->name, t->min, t->max, *t->unit ? " " : "", t->unit);
        return -EINVAL;
}

int policy_limit_set(struct policy *p, const char *name, const char *value, struct policy_source source,
                     struct policy_complaint *ret_why) {
        enum tunable_id meant[_TUNABLE_MAX];
        size_t n = 0;
        int64_t min, max;

        for (int id = 0; id < _TUNABLE_MAX; id++)
                if (key_means(name, tunable_get((enum tunable_id) id)))
                        meant[n++] = (enum tunable_id) id;
        if (n == 0)
                return unknown_tunable(name, ret_why);
        if (str_parse_range(value, &min, &max) < 0) {
                snprintf(ret_why->text, sizeof(ret_why->text),
                         "%s is a range A..B of whole numbers, A no greater than B, not \"%s\"", name, value);
                return -EINVAL;
        }
        for (size_t i = 0; i < n; i++)
                if (check_range(name, value, tunable_get(meant[i]), min, max, ret_why) < 0)
                        return -EINVAL;
        for (size_t i = 0; i < n; i++)
                p->limits[meant[i]] = (struct policy_limit) { .set = true, .min = min, .max = max, .source = source };
        return 0;
}

/* How many of the finer unit make one of t's. */
static int64_t microseconds(const struct tunable *t) {
        return streq(t->unit, "ms") ? (int64_t) USEC_PER_MSEC : 1;
}

/* The twin's limit in t's unit: the whole numbers within it. Where there is none (500..600 us in ms), the nearest below. */
static void limit_of_twin(const struct tunable *t, const struct policy_limit *twin, int64_t *ret_min, int64_t *ret_max) {
        int64_t from = microseconds(tunable_get(t->twin)), to = microseconds(t), min, max;

        if (__builtin_mul_overflow(twin->min, from, &min))
                min = INT64_MAX;
        if (__builtin_mul_overflow(twin->max, from, &max))
                max = INT64_MAX;
        max /= to;
        min = min / to + (min % to > 0);
        *ret_max = max;
        *ret_min = MIN(min, max);
}

/* The limit in force on a tunable: its own or its twin's, within the kernel's range. False where there is none. */
static bool get_limit(const struct policy *p, enum tunable_id id, int64_t *ret_min, int64_t *ret_max) {
        const struct tunable *t = tunable_get(id);
        int64_t min, max;

        if (p->limits[id].set) {
                min = p->limits[id].min;
                max = p->limits[id].max;
        } else if (t->twin != _TUNABLE_INVALID && p->limits[t->twin].set)
                limit_of_twin(t, &p->limits[t->twin], &min, &max);
        else
                return false;
        *ret_min = CLAMP(min, t->min, t->max);
        *ret_max = CLAMP(max, t->min, t->max);
        return true;
}

int64_t policy_clamp(const struct policy *p, enum tunable_id id, int64_t value) {
        int64_t min, max;

        if (!get_limit(p, id, &min, &max)) {
                min = tunable_get(id)->min;
                max = tunable_get(id)->max;
        }
        return CLAMP(value, min, max);
}

struct finding {
        const struct policy *p;
        policy_report_fn report;
        void *userdata;
        int result;
};

static void find(struct finding *f, struct policy_source source, const char *format, ...) _printf_(3, 4);

static void find(struct finding *f, struct policy_source source, const char *format, ...) {
        char message[POLICY_MESSAGE_MAX];
        va_list args;

        va_start(args, format);
        vsnprintf(message, sizeof(message), format, args);
        va_end(args);
        f->report(f->userdata, POLICY_ERROR, policy_source_file(f->p, source), source.line, message);
        f->result = -EINVAL;
}

/* Two limits on one variable in two units that no value fits. */
static void check_twins(struct finding *f, enum tunable_id id) {
        const struct tunable *t = tunable_get(id);
        const struct policy_limit *own = &f->p->limits[id], *twin;
        int64_t min, max;

        if (t->twin == _TUNABLE_INVALID || t->twin < id || !own->set || !f->p->limits[t->twin].set)
                return;
        twin = &f->p->limits[t->twin];
        /* In microseconds both are exact. */
        min = MAX(own->min * microseconds(t), twin->min * microseconds(tunable_get(t->twin)));
        max = MIN(own->max * microseconds(t), twin->max * microseconds(tunable_get(t->twin)));
        if (min > max)
                find(f, twin->source, "the limits of %s and %s, which are one variable, contradict each other", t->name,
                     tunable_get(t->twin)->name);
}

/* What the laws act on, by their sections. */
static const enum tunable_id idle[] = { TUNABLE_BFQ_SLICE_IDLE_US, TUNABLE_CFQ_SLICE_IDLE_US, TUNABLE_CFQ_SLICE_IDLE };
static const enum tunable_id slice[] = { TUNABLE_BFQ_TIMEOUT_SYNC, TUNABLE_CFQ_SLICE_SYNC_US, TUNABLE_CFQ_SLICE_SYNC,
                                         TUNABLE_MQ_DEADLINE_FIFO_BATCH, TUNABLE_MQ_DEADLINE_READ_EXPIRE };
static const enum tunable_id writes[] = { TUNABLE_MQ_DEADLINE_ASYNC_DEPTH, TUNABLE_BFQ_STRICT_GUARANTEES };
static const enum tunable_id stream[] = { TUNABLE_MQ_DEADLINE_ASYNC_DEPTH, TUNABLE_BFQ_STRICT_GUARANTEES, TUNABLE_BFQ_SLICE_IDLE_US };
static const enum tunable_id ahead[] = { TUNABLE_QUEUE_READ_AHEAD_KB };
static const enum tunable_id long_turns[] = { TUNABLE_BFQ_TIMEOUT_SYNC, TUNABLE_BFQ_LOW_LATENCY, TUNABLE_CFQ_LOW_LATENCY };

static const struct law_reach {
        const char *section;
        const enum tunable_id *ids;
        size_t n;
} reaches[] = {
        { "IdleLimit", idle, ARRAY_SIZE(idle) },
        { "SliceShare", slice, ARRAY_SIZE(slice) },
        { "StreamGuard", stream, ARRAY_SIZE(stream) },
        { "WritebackGuard", writes, ARRAY_SIZE(writes) },
        { "Readahead", ahead, ARRAY_SIZE(ahead) },
        { "HoleFiller", idle, ARRAY_SIZE(idle) },
        { "Throughput", long_turns, ARRAY_SIZE(long_turns) },
};

/* A law that is switched on while all that it acts on is nailed to one value. */
static void check_law(struct finding *f, const struct law_reach *l) {
        struct policy_source source;

        if (!policy_is_enabled(f->p, l->section, &source))
                return;
        for (size_t i = 0; i < l->n; i++) {
                int64_t min, max;
                if (!get_limit(f->p, l->ids[i], &min, &max) || min < max)
                        return;
        }
        find(f, source, "[%s] is enabled, but the limits leave nothing that it may move", l->section);
}

int policy_validate(const struct policy *p, policy_report_fn report, void *userdata) {
        struct finding f = { .p = p, .report = report, .userdata = userdata };

        if (p->classes == 0)
                find(&f, (struct policy_source) { .line = 0 }, "no Class in [Policy]: it applies to no drive");
        for (int id = 0; id < _TUNABLE_MAX; id++)
                check_twins(&f, (enum tunable_id) id);
        for (size_t i = 0; i < ARRAY_SIZE(reaches); i++)
                check_law(&f, &reaches[i]);
        return f.result;
}
