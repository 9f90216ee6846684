/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <inttypes.h>

#include "recording.h"
#include "recording-drive.h"
#include "str.h"

#define VALUE_MAX 256
#define TUNABLE_KEY_MAX 64

struct device_facts *recording_drive_facts(const struct controller_device *c, struct device_facts *ret) {
        const struct controller_tunable *scheduler = &c->tunables[TUNABLE_QUEUE_SCHEDULER];

        *ret = c->facts;
        for (int id = 0; id < _TUNABLE_MAX; id++)
                if (c->tunables[id].original_known)
                        ret->values[id].number = c->tunables[id].original;
        if (!scheduler->original_known)
                return ret;
        /* What its settings were is not known: they come with the scheduler. */
        ret->scheduler = (enum scheduler) scheduler->original;
        for (int id = 0; id < _TUNABLE_MAX; id++)
                if (tunable_get((enum tunable_id) id)->scheduler != SCHEDULER_ANY)
                        ret->values[id].present = false;
        return ret;
}

static void format_schedulers(uint32_t schedulers, char *buf, size_t size) {
        str_append(buf, size, "schedulers=");
        for (int s = SCHEDULER_NONE, n = 0; s < SCHEDULER_OTHER; s++)
                if (schedulers & 1u << s)
                        str_append(buf, size, "%s%s", n++ > 0 ? "," : "", scheduler_to_string((enum scheduler) s));
        str_append(buf, size, "\n");
}

char *recording_format_drive(const struct device_facts *facts, char *buf, size_t size) {
        const char *scheduler = scheduler_to_string(facts->scheduler);

        *buf = '\0';
        str_append(buf, size, "name=%s\ndevice=%" PRIu32 ":%" PRIu32 "\nclass=%s\nrotational=%d\nqueue_depth=%" PRIu32 "\nscheduler=%s\n",
                   facts->name, DEV_MAJOR(facts->dev), DEV_MINOR(facts->dev), device_class_to_string(facts->class), facts->rotational,
                   facts->queue_depth, scheduler ? scheduler : "");
        format_schedulers(facts->schedulers, buf, size);
        for (int id = 0; id < _TUNABLE_MAX; id++) {
                char path[TUNABLE_KEY_MAX];
                if (id == TUNABLE_QUEUE_SCHEDULER || !facts->values[id].present || !facts->values[id].numeric)
                        continue;
                str_append(buf, size, "%s=%" PRIi64 "\n", tunable_path((enum tunable_id) id, path, sizeof(path)), facts->values[id].number);
        }
        return buf;
}

static uint32_t parse_schedulers(char *text) {
        uint32_t bits = 0;
        char *word;

        while ((word = strsep(&text, ",")))
                bits |= *word ? 1u << scheduler_from_string(word) : 0;
        return bits;
}

/* Nothing outside what the kernel can show: the laws reckon with it. */
static void parse_values(const char *text, struct device_facts *ret) {
        for (int id = 0; id < _TUNABLE_MAX; id++) {
                const struct tunable *t = tunable_get((enum tunable_id) id);
                char path[TUNABLE_KEY_MAX], value[TUNABLE_VALUE_MAX];
                int64_t number;
                if (id == TUNABLE_QUEUE_SCHEDULER || (t->scheduler != SCHEDULER_ANY && t->scheduler != ret->scheduler))
                        continue;
                if (!recording_get(text, tunable_path((enum tunable_id) id, path, sizeof(path)), value, sizeof(value)) ||
                    str_parse_i64(value, &number) < 0 || number < MIN(t->min, 0) || number > t->max)
                        continue;
                ret->values[id].present = ret->values[id].numeric = true;
                ret->values[id].number = number;
        }
}

int recording_parse_drive(const char *text, struct device_facts *ret) {
        struct device_facts facts = { .class = DEVICE_CLASS_SKIP };
        char value[VALUE_MAX];
        uint64_t number;
        int class;

        if (!recording_get(text, "name", facts.name, sizeof(facts.name)) || !*facts.name)
                return -EBADMSG;
        if (!recording_get(text, "device", value, sizeof(value)) || dev_number_parse(value, &facts.dev) < 0)
                return -EBADMSG;
        class = recording_get(text, "class", value, sizeof(value)) ? device_class_from_string(value) : -EINVAL;
        if (class >= 0)
                facts.class = (enum device_class) class;
        facts.rotational = recording_get(text, "rotational", value, sizeof(value)) && streq(value, "1");
        if (recording_get(text, "queue_depth", value, sizeof(value)) && str_parse_u64_most(value, UINT32_MAX, &number) == 0)
                facts.queue_depth = (uint32_t) number;
        facts.scheduler = recording_get(text, "scheduler", value, sizeof(value)) ? scheduler_from_string(value) : SCHEDULER_OTHER;
        if (recording_get(text, "schedulers", value, sizeof(value)))
                facts.schedulers = parse_schedulers(value);
        if (facts.schedulers) {
                facts.values[TUNABLE_QUEUE_SCHEDULER].present = facts.values[TUNABLE_QUEUE_SCHEDULER].numeric = true;
                facts.values[TUNABLE_QUEUE_SCHEDULER].number = facts.scheduler;
        }
        parse_values(text, &facts);
        *ret = facts;
        return 0;
}
