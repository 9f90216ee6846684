/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "format.h"
#include "policy-keys.h"
#include "policy-show.h"
#include "str.h"

static void put(struct json_object *sections, const char *section, const char *key, const char *value) {
        struct json_object *keys = value_get(sections, section);

        if (!keys) {
                keys = json_object_new_object();
                json_object_object_add(sections, section, keys);
        }
        json_object_object_add(keys, key, json_object_new_string(value));
}

static void put_limits(struct json_object *sections, const struct policy *p) {
        for (int id = 0; id < _TUNABLE_MAX; id++) {
                const struct tunable *t = tunable_get((enum tunable_id) id);
                const char *scheduler = scheduler_to_string(t->scheduler);
                char key[96], value[64];

                if (!p->limits[id].set)
                        continue;
                snprintf(key, sizeof(key), "%s.%s", scheduler ? scheduler : "queue", t->name);
                snprintf(value, sizeof(value), "%" PRId64 "..%" PRId64, p->limits[id].min, p->limits[id].max);
                put(sections, POLICY_LIMITS_SECTION, key, value);
        }
}

static void put_programs(struct json_object *sections, const struct policy_programs *programs, enum program_rule rule, const char *key) {
        char value[POLICY_PROGRAMS_MAX * (EVENT_NAME_MAX + 1)] = "";

        for (size_t i = 0; i < programs->n; i++)
                if (programs->all[i].rule == rule)
                        str_append(value, sizeof(value), "%s%s", *value ? ", " : "", programs->all[i].name);
        if (*value)
                put(sections, "StepBack", key, value);
}

/* Section -> key -> value, each value as a file would have it: one tree serves text and JSON. */
static struct json_object *sections_of(const struct policy *p) {
        struct json_object *sections = json_object_new_object();
        char value[POLICY_TEXT_MAX];

        for (const struct policy_key *k = policy_key_table(); k->section; k++)
                if (policy_key_format(p, k, value))
                        put(sections, k->section, k->name, value);
        put_programs(sections, &p->step_back.programs, PROGRAM_NEVER, "Never");
        put_programs(sections, &p->step_back.programs, PROGRAM_ALWAYS, "Always");
        put_limits(sections, p);
        return sections;
}

void policy_print(const struct policy *p, FILE *to) {
        _cleanup_value_ struct json_object *sections = sections_of(p);

        fprintf(to, "# %s\n", p->file);
        for (size_t i = 0; i < p->n_dropins; i++)
                fprintf(to, "# %s\n", p->dropins[i]);
        json_object_object_foreach(sections, section, keys) {
                fprintf(to, "\n[%s]\n", section);
                json_object_object_foreach(keys, key, value)
                        fprintf(to, "%s = %s\n", key, json_object_get_string(value));
        }
}

struct json_object *policy_to_json(const struct policy *p) {
        struct json_object *v = json_object_new_object(), *dropins = json_object_new_array();
        _cleanup_value_ struct json_object *sections = sections_of(p);

        for (size_t i = 0; i < p->n_dropins; i++)
                json_object_array_add(dropins, json_object_new_string(p->dropins[i]));
        json_object_object_add(v, "name", json_object_new_string(p->name));
        json_object_object_add(v, "file", json_object_new_string(p->file));
        json_object_object_add(v, "drop_ins", dropins);
        json_object_object_foreach(sections, section, keys)
                json_object_object_add(v, section, json_object_get(keys));
        return v;
}
