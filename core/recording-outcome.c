/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <inttypes.h>

#include "macro.h"
#include "recording-drive.h"
#include "recording.h"
#include "recording-outcome.h"
#include "str.h"

#define VALUE_MAX 128

/* A row for each number. */
static const struct number {
        const char *key;
        size_t offset;
        bool newer; /* older recordings do not have it */
} numbers[] = {
        { "before", offsetof(struct outcome, figures.before), false },
        { "after", offsetof(struct outcome, figures.after), false },
        { "samples_before", offsetof(struct outcome, figures.n_before), false },
        { "samples_after", offsetof(struct outcome, figures.n_after), false },
        { "confidence_permille", offsetof(struct outcome, figures.confidence_permille), false },
        { "p95_before_usec", offsetof(struct outcome, figures.p95_before_us), true },
        { "p95_after_usec", offsetof(struct outcome, figures.p95_after_us), true },
        { "reverts", offsetof(struct outcome, reverts), false },
};

char *recording_format_outcome(const struct outcome *o, const struct controller_device *d, nsec_t now, char *buf, size_t size) {
        const struct device_facts *f = &d->facts;
        const char *scheduler = scheduler_to_string(o->key.scheduler);

        if (o->until == 0 || o->key.class != f->class || !streq(o->key.model, controller_model(f)))
                return NULL;
        *buf = '\0';
        str_append(buf, size, "device=%" PRIu32 ":%" PRIu32 "\nscheduler=%s\nlaw=%s\nworkload=%s\nresult=%s\nmeasure=%s\nleft_usec=%" PRIu64 "\nchange=%s\n",
                   DEV_MAJOR(f->dev), DEV_MINOR(f->dev), scheduler ? scheduler : "", law_to_string(o->key.law), o->key.workload,
                   outcome_result_to_string(o->result), trial_measure_name(o->figures.measure), (uint64_t) (nsec_sub(o->until, now) / NSEC_PER_USEC), o->change);
        for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
                str_append(buf, size, "%s=%" PRIu32 "\n", numbers[i].key, *(const uint32_t *) ((const char *) o + numbers[i].offset));
        return buf;
}

static int take_number(const char *text, const char *key, uint64_t most, uint64_t *ret) {
        char value[VALUE_MAX];

        return recording_get(text, key, value, sizeof(value)) && str_parse_u64_most(value, most, ret) == 0 ? 0 : -EBADMSG;
}

/* Each by the name that it has everywhere. */
static int take_words(const char *text, struct outcome *o) {
        char value[VALUE_MAX];
        int law, result, measure;

        law = recording_get(text, "law", value, sizeof(value)) ? law_from_string(value) : -EINVAL;
        result = recording_get(text, "result", value, sizeof(value)) ? outcome_result_from_string(value) : -EINVAL;
        measure = recording_get(text, "measure", value, sizeof(value)) ? trial_measure_from_name(value) : -EINVAL;
        if (law < 0 || result < 0 || measure < 0)
                return -EBADMSG;
        o->key.law = (enum law_id) law;
        o->result = (enum outcome_result) result;
        o->figures.measure = (enum trial_measure) measure;
        o->key.scheduler = recording_get(text, "scheduler", value, sizeof(value)) ? scheduler_from_string(value) : SCHEDULER_OTHER;
        if (!recording_get(text, "workload", o->key.workload, sizeof(o->key.workload)))
                return -EBADMSG;
        recording_get(text, "change", o->change, sizeof(o->change));
        return 0;
}

int recording_take_outcome(struct controller *c, const char *text, nsec_t now) {
        const struct controller_device *d;
        struct outcome o = { 0 };
        char value[VALUE_MAX];
        uint64_t left = 0;
        uint32_t dev;

        if (!recording_get(text, "device", value, sizeof(value)) || dev_number_parse(value, &dev) < 0 || take_words(text, &o) < 0 ||
            take_number(text, "left_usec", UINT64_MAX / NSEC_PER_USEC / 2, &left) < 0)
                return -EBADMSG;
        for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
                uint64_t number = 0;
                if (take_number(text, numbers[i].key, UINT32_MAX, &number) < 0 && (!numbers[i].newer || recording_get(text, numbers[i].key, value, sizeof(value))))
                        return -EBADMSG;
                *(uint32_t *) ((char *) &o + numbers[i].offset) = (uint32_t) number;
        }
        d = controller_find_device(c, dev);
        if (!d)
                return -ENOENT;
        o.key.class = d->facts.class;
        str_copy(o.key.model, sizeof(o.key.model), controller_model(&d->facts));
        o.until = left ? now + left * NSEC_PER_USEC : 1; /* one that is over stays known */
        outcomes_add(&c->outcomes, &o);
        return 0;
}
