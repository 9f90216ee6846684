/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>

#include "config.h"
#include "fdio.h"
#include "line-file.h"
#include "macro.h"
#include "outcome-store.h"
#include "str.h"

#define FIELDS 20
#define FIELDS_WITHOUT_P95 18 /* as they once were */
/* No policy remembers for longer; a clock that was wrong may say so. */
#define HOLDS_MAX_NS (3650 * 86400 * NSEC_PER_SEC)

static const struct line_file file = {
        .name = "outcomes", .name_new = "outcomes.new", .name_damaged = "outcomes.damaged",
        .bytes_max = (size_t) OUTCOMES_MAX * OUTCOME_LINE_MAX,
};

size_t outcome_line_format(char *buf, const struct outcome *o, const struct outcome_clock *clock) {
        const uint64_t numbers[] = { o->figures.before, o->figures.after, o->figures.n_before, o->figures.n_after, o->figures.confidence_permille, o->reverts };
        const char *scheduler = scheduler_to_string(o->key.scheduler);
        uint64_t until = clock->realtime_usec + nsec_sub(o->until, clock->now) / NSEC_PER_USEC;

        snprintf(buf, OUTCOME_LINE_MAX, LINE_MAGIC "\toutcome");
        line_add_text(buf, OUTCOME_LINE_MAX, BRIO_VERSION);
        line_add_number(buf, OUTCOME_LINE_MAX, nsec_sub(until, nsec_sub(clock->now, o->until) / NSEC_PER_USEC));
        line_add_text(buf, OUTCOME_LINE_MAX, o->key.model);
        line_add_text(buf, OUTCOME_LINE_MAX, device_class_to_string(o->key.class));
        line_add_text(buf, OUTCOME_LINE_MAX, scheduler ? scheduler : "");
        line_add_text(buf, OUTCOME_LINE_MAX, law_to_string(o->key.law));
        line_add_text(buf, OUTCOME_LINE_MAX, o->key.workload);
        line_add_text(buf, OUTCOME_LINE_MAX, outcome_result_to_string(o->result));
        line_add_text(buf, OUTCOME_LINE_MAX, trial_measure_name(o->figures.measure));
        for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
                line_add_number(buf, OUTCOME_LINE_MAX, numbers[i]);
        line_add_text(buf, OUTCOME_LINE_MAX, o->change);
        line_add_number(buf, OUTCOME_LINE_MAX, o->figures.p95_before_us);
        line_add_number(buf, OUTCOME_LINE_MAX, o->figures.p95_after_us);
        return line_seal(buf, OUTCOME_LINE_MAX);
}

static int take_key(char **f, struct outcome_key *ret) {
        int class = device_class_from_string(f[1]), law = law_from_string(f[3]);

        ret->scheduler = scheduler_from_string(f[2]);
        if (line_take_text(f[0], ret->model, sizeof(ret->model)) < 0 || line_take_text(f[4], ret->workload, sizeof(ret->workload)) < 0 || class < 0 || law < 0)
                return -EBADMSG;
        ret->class = (enum device_class) class;
        ret->law = (enum law_id) law;
        return 0;
}

/* One that is over stays known: how often in a row it was reverted says for how long the next revert holds. */
static nsec_t until_of(uint64_t until_usec, const struct outcome_clock *clock) {
        uint64_t left = until_usec > clock->realtime_usec ? until_usec - clock->realtime_usec : 0;

        return left == 0 ? MIN(clock->now, 1u) : clock->now + MIN(left, HOLDS_MAX_NS / NSEC_PER_USEC) * NSEC_PER_USEC;
}

int outcome_line_parse(const char *line, size_t length, const struct outcome_clock *clock, struct outcome *ret) {
        char text[OUTCOME_LINE_MAX], *f[FIELDS];
        uint64_t until, numbers[6], p95[2] = { 0 };
        struct outcome o = { 0 };
        int n = line_split(line, length, text, sizeof(text), f, ARRAY_SIZE(f)), result, measure;

        if (n < 3 || !streq(f[1], "outcome"))
                return -EBADMSG;
        if (!streq(f[2], BRIO_VERSION))
                return 1;
        if ((n != FIELDS && n != FIELDS_WITHOUT_P95) || str_parse_u64_most(f[3], UINT64_MAX, &until) < 0 || take_key(f + 4, &o.key) < 0 ||
            line_take_text(f[17], o.change, sizeof(o.change)) < 0)
                return -EBADMSG;
        for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
                if (str_parse_u64_most(f[11 + i], UINT32_MAX, &numbers[i]) < 0)
                        return -EBADMSG;
        for (size_t i = 0; n == FIELDS && i < ARRAY_SIZE(p95); i++)
                if (str_parse_u64_most(f[FIELDS_WITHOUT_P95 + i], UINT32_MAX, &p95[i]) < 0)
                        return -EBADMSG;
        result = outcome_result_from_string(f[9]);
        measure = trial_measure_from_name(f[10]);
        if (measure < 0) /* that of an earlier law */
                return 1;
        if (result < 0)
                return -EBADMSG;
        o.figures = (struct trial_figures){
                .measure = (enum trial_measure) measure, .before = (uint32_t) numbers[0], .after = (uint32_t) numbers[1], .n_before = (uint32_t) numbers[2],
                .n_after = (uint32_t) numbers[3], .confidence_permille = (uint32_t) MIN(numbers[4], 1000u), .p95_before_us = (uint32_t) p95[0],
                .p95_after_us = (uint32_t) p95[1],
        };
        o.result = (enum outcome_result) result;
        o.reverts = (uint32_t) numbers[5];
        o.until = until_of(until, clock);
        *ret = o;
        return 0;
}

struct loading {
        struct outcomes *outcomes;
        const struct outcome_clock *clock;
};

static int take(void *userdata, const char *line, size_t length) {
        struct loading *l = userdata;
        struct outcome o;
        int r = outcome_line_parse(line, length, l->clock, &o);

        if (r == 0)
                outcomes_add(l->outcomes, &o);
        return MIN(r, 0);
}

int outcome_store_load(const char *dir, const struct outcome_clock *clock, struct outcomes *o, size_t *ret_damaged) {
        struct loading loading = { o, clock };

        return line_file_load(dir, &file, take, &loading, ret_damaged);
}

struct saving {
        const struct outcomes *outcomes;
        const struct outcome_clock *clock;
};

static int write_outcomes(int fd, const void *userdata) {
        const struct saving *s = userdata;
        char line[OUTCOME_LINE_MAX];
        int r = 0;

        for (size_t i = 0; r == 0 && i < OUTCOMES_MAX; i++) {
                const struct outcome *o = &s->outcomes->entries[i];
                if (o->until == 0)
                        continue;
                r = fdio_write_all(fd, line, outcome_line_format(line, o, s->clock));
        }
        return r;
}

int outcome_store_save(const char *dir, const struct outcome_clock *clock, const struct outcomes *o) {
        const struct saving saving = { o, clock };

        return line_file_save(dir, &file, write_outcomes, &saving);
}
