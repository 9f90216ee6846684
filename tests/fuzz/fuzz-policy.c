/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whatever a policy file holds, what comes of it keeps the rules of core/policy.h. */
#include <stdint.h>
#include <stdlib.h>

#include "fuzz.h"
#include "policy-load.h"
#include "str.h"

struct tally {
        int errors, line;
};

static void on_finding(void *userdata, enum policy_severity severity, const char *file, int line, const char *message) {
        struct tally *t = userdata;

        MUST(severity == POLICY_ERROR);
        MUST(streq(file, "fuzz.conf"));
        MUST(*message && str_is_text(message));
        MUST(line >= 0);
        t->errors++;
        t->line = MAX(t->line, line);
}

static void check_limits(const struct policy *p) {
        for (int id = 0; id < _TUNABLE_MAX; id++) {
                const struct tunable *t = tunable_get((enum tunable_id) id);
                const struct policy_limit *l = &p->limits[id];
                int64_t low = policy_clamp(p, (enum tunable_id) id, INT64_MIN);
                int64_t high = policy_clamp(p, (enum tunable_id) id, INT64_MAX);

                MUST(low >= t->min && high <= t->max && low <= high);
                if (l->set)
                        MUST(l->min <= l->max && low == l->min && high == l->max && l->source.line > 0);
        }
}

static void check_programs(const struct policy *p) {
        const struct policy_programs *programs = &p->step_back.programs;

        MUST(programs->n <= POLICY_PROGRAMS_MAX);
        for (size_t i = 0; i < programs->n; i++) {
                const struct policy_program *program = &programs->all[i];
                struct policy_programs again = { .n = 0 };

                MUST(memchr(program->name, '\0', sizeof(program->name)) && policy_programs_find(programs, program->name) == program);
                MUST(program->rule > PROGRAM_UNRULED && program->rule < _PROGRAM_RULE_MAX && program->source.line > 0);
                MUST(policy_programs_set(&again, program->name, program->rule, program->source) == 0 && str_is_text(program->name));
                MUST(policy_program_rule(p, program->name) == program->rule);
        }
}

static void check_policy(const struct policy *p) {
        MUST(p->n_schedulers <= POLICY_SCHEDULERS_MAX);
        for (size_t i = 0; i < p->n_schedulers; i++)
                MUST(scheduler_to_string(p->schedulers[i]));
        MUST((p->classes & (UINT32_C(1) << DEVICE_CLASS_SKIP)) == 0 && p->classes >> _DEVICE_CLASS_MAX == 0);
        MUST(memchr(p->description, '\0', sizeof(p->description)) && str_is_text(p->description));
        MUST(p->idle_limit.group_slice_us >= 10000 && p->idle_limit.min_readers >= 2 && p->slice_share.min_readers >= 4);
        MUST(p->dwell_us >= 100000 && p->switch_quiet_us >= 100000 && p->hysteresis_percent <= 100);
        MUST(p->n_dropins == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct tally t = { .errors = 0 };
        struct policy p;
        int lines = 1, errors;

        for (size_t i = 0; i < size; i++)
                lines += data[i] == '\n';
        policy_init(&p, "fuzz", "fuzz.conf");
        errors = policy_parse_text(&p, "fuzz.conf", (const char *) data, size, on_finding, &t);
        MUST(errors == t.errors && t.line <= lines);
        check_policy(&p);
        check_limits(&p);
        check_programs(&p);
        t.errors = 0;
        MUST((policy_validate(&p, on_finding, &t) == 0) == (t.errors == 0));
        return 0;
}
