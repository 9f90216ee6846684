/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "format.h"
#include "policy-show.h"
#include "str.h"
#include "units.h"

/* Section -> key -> value, each value as a file would have it: one tree serves text and JSON. */
struct shown {
        struct json_object *sections;
};

static void put(struct shown *s, const char *section, const char *key, const char *value) {
        struct json_object *keys = value_get(s->sections, section);

        if (!keys) {
                keys = json_object_new_object();
                json_object_object_add(s->sections, section, keys);
        }
        json_object_object_add(keys, key, json_object_new_string(value));
}

/* In the largest unit that loses nothing. */
static void put_duration(struct shown *s, const char *section, const char *key, uint32_t us) {
        char value[32] = "";

        if (us % USEC_PER_SEC == 0 && us > 0)
                snprintf(value, sizeof(value), "%" PRIu32 "s", us / (uint32_t) USEC_PER_SEC);
        else if (us % USEC_PER_MSEC == 0)
                snprintf(value, sizeof(value), "%" PRIu32 "ms", us / (uint32_t) USEC_PER_MSEC);
        else
                snprintf(value, sizeof(value), "%" PRIu32 "us", us);
        put(s, section, key, value);
}

static void put_count(struct shown *s, const char *section, const char *key, uint32_t count) {
        char value[16];

        snprintf(value, sizeof(value), "%" PRIu32, count);
        put(s, section, key, value);
}

static void put_limits(struct shown *s, const struct policy *p) {
        for (int id = 0; id < _TUNABLE_MAX; id++) {
                const struct tunable *t = tunable_get((enum tunable_id) id);
                const char *scheduler = scheduler_to_string(t->scheduler);
                char key[96], value[64];

                if (!p->limits[id].set)
                        continue;
                snprintf(key, sizeof(key), "%s.%s", scheduler ? scheduler : "queue", t->name);
                snprintf(value, sizeof(value), "%" PRId64 "..%" PRId64, p->limits[id].min, p->limits[id].max);
                put(s, "Limits", key, value);
        }
}

static void put_lists(struct shown *s, const struct policy *p) {
        char list[256] = "";

        for (int c = 0; c < _DEVICE_CLASS_MAX; c++)
                if (p->classes & UINT32_C(1) << c)
                        str_append(list, sizeof(list), "%s%s", list[0] ? " " : "", device_class_to_string((enum device_class) c));
        put(s, "Policy", "Class", list);
        list[0] = '\0';
        for (size_t i = 0; i < p->n_schedulers; i++)
                str_append(list, sizeof(list), "%s%s", list[0] ? " " : "", scheduler_to_string(p->schedulers[i]));
        if (p->n_schedulers > 0)
                put(s, "Scheduler", "Prefer", list);
}

static struct json_object *sections_of(const struct policy *p) {
        struct shown s = { .sections = json_object_new_object() };
        char percent[16];

        if (p->description[0])
                put(&s, "Policy", "Description", p->description);
        put_lists(&s, p);
        put_duration(&s, "Scheduler", "QuietTime", p->switch_quiet_us);
        put(&s, "IdleLimit", "Enabled", p->idle_limit.enabled ? "yes" : "no");
        put_duration(&s, "IdleLimit", "GroupSlice", p->idle_limit.group_slice_us);
        put_count(&s, "IdleLimit", "MinReaders", p->idle_limit.min_readers);
        put_duration(&s, "IdleLimit", "ShortestWait", p->idle_limit.shortest_wait_us);
        put(&s, "SliceShare", "Enabled", p->slice_share.enabled ? "yes" : "no");
        put_count(&s, "SliceShare", "MinReaders", p->slice_share.min_readers);
        put_duration(&s, "SliceShare", "Floor", p->slice_share.floor_us);
        put_duration(&s, "Timing", "Dwell", p->dwell_us);
        put_duration(&s, "Timing", "Hold", p->hold_us);
        snprintf(percent, sizeof(percent), "%" PRIu32 "%%", p->hysteresis_percent);
        put(&s, "Timing", "Hysteresis", percent);
        put_limits(&s, p);
        return s.sections;
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
