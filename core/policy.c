/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>

#include "policy-keys.h"
#include "str.h"

void policy_init(struct policy *p, const char *name, const char *file) {
        *p = (struct policy) { .n_schedulers = 0 };
        str_copy(p->name, sizeof(p->name), name);
        str_copy(p->file, sizeof(p->file), file);
        for (const struct policy_key *k = policy_key_table(); k->section; k++)
                if (k->fallback > 0)
                        *(uint32_t *) ((char *) p + k->offset) = k->fallback;
}

const char *policy_source_file(const struct policy *p, struct policy_source source) {
        return source.file > 0 && source.file <= p->n_dropins ? p->dropins[source.file - 1] : p->file;
}

/* Remembers a file that settings come from. Beyond POLICY_DROPINS_MAX the main file stands for it, without a line. */
static struct policy_source source_intern(struct policy *p, const char *file, int line) {
        if (streq(file, p->file))
                return (struct policy_source) { .line = line };
        for (size_t i = 0; i < p->n_dropins; i++)
                if (streq(file, p->dropins[i]))
                        return (struct policy_source) { .line = line, .file = (uint8_t) (i + 1) };
        if (p->n_dropins == POLICY_DROPINS_MAX)
                return (struct policy_source) { .line = 0 };
        str_copy(p->dropins[p->n_dropins++], sizeof(p->dropins[0]), file);
        return (struct policy_source) { .line = line, .file = (uint8_t) p->n_dropins };
}

/* A key that no row of this section has: says what it might have been. */
static void explain_unknown(const char *section, const char *key, struct policy_complaint *why) {
        struct policy_hint keys = { .word = key }, sections = { .word = section };
        const struct policy_key *elsewhere = NULL;
        bool known = false;

        for (const struct policy_key *k = policy_key_table(); k->section; k++) {
                policy_hint_consider(&sections, k->section);
                if (streq(k->section, section)) {
                        known = true;
                        policy_hint_consider(&keys, k->name);
                } else if (streq(k->name, key))
                        elsewhere = k;
        }
        if (*section == '\0')
                snprintf(why->text, sizeof(why->text), "%s stands before the first [Section]", key);
        else if (!known) {
                snprintf(why->text, sizeof(why->text), "unknown section [%s]", section);
                policy_hint_append(&sections, why);
        } else if (elsewhere)
                snprintf(why->text, sizeof(why->text), "%s belongs in [%s]", key, elsewhere->section);
        else {
                snprintf(why->text, sizeof(why->text), "unknown key %s", key);
                policy_hint_append(&keys, why);
        }
}

static int set_key(struct policy *p, const char *section, const char *key, const char *value, struct policy_source source,
                   struct policy_complaint *ret_why) {
        const struct policy_key *k;
        int r;

        if (*key == '\0') {
                snprintf(ret_why->text, sizeof(ret_why->text), "the key before = is missing");
                return -ENOENT;
        }
        if (streq(section, POLICY_LIMITS_SECTION))
                return policy_limit_set(p, key, value, source, ret_why);
        k = policy_key_find(section, key);
        if (!k) {
                explain_unknown(section, key, ret_why);
                return -ENOENT;
        }
        if (*value == '\0') {
                snprintf(ret_why->text, sizeof(ret_why->text), "%s needs a value", key);
                return -EINVAL;
        }
        if (!k->type)
                return policy_programs_read(p, (enum program_rule) k->min, value, source, ret_why);
        r = k->type->set(p, k, value, ret_why);
        if (r == 0 && k->source_offset > 0)
                *(struct policy_source *) (void *) ((char *) p + k->source_offset) = source;
        return r;
}

int policy_set(struct policy *p, const char *section, const char *key, const char *value,
               const char *file, int line, policy_report_fn report, void *userdata) {
        size_t before = p->n_dropins;
        struct policy_source source = source_intern(p, file, line);
        struct policy_complaint why = { "" };
        int r = set_key(p, section, key, value, source, &why);

        if (r < 0) {
                if (p->n_dropins > before) /* nothing of ours comes from that file, or not yet */
                        memset(p->dropins[--p->n_dropins], 0, sizeof(p->dropins[0]));
                report(userdata, POLICY_ERROR, file, line, why.text);
        }
        return r;
}

const struct policy *policy_match(const struct policy *policies, size_t n, enum device_class c) {
        while (n-- > 0)
                if (policies[n].classes & UINT32_C(1) << c)
                        return &policies[n];
        return NULL;
}
