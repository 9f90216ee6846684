/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs that never step back, or always do: lists of names, one for each rule in a file and one for both in memory. */
#include <errno.h>
#include <stdio.h>

#include "policy-keys.h"
#include "str.h"

static const char *const rules[_PROGRAM_RULE_MAX] = {
        [PROGRAM_UNRULED] = "",
        [PROGRAM_NEVER] = "never",
        [PROGRAM_ALWAYS] = "always",
};

const char *program_rule_to_string(enum program_rule r) {
        return rules[r];
}

int program_rule_from_string(const char *s) {
        for (enum program_rule r = 0; r < _PROGRAM_RULE_MAX; r++)
                if (streq(rules[r], s))
                        return (int) r;
        return -EINVAL;
}

/* What a line of a policy file can say, too. */
static bool is_name(const char *name) {
        size_t n = strlen(name);

        return n > 0 && n < EVENT_NAME_MAX && !strpbrk(name, ",\t") && name[0] != ' ' && name[n - 1] != ' ' && name[0] != ';' && !strstr(name, " ;") &&
               str_is_text(name);
}

static size_t find(const struct policy_programs *p, const char *name) {
        size_t i = 0;

        while (i < p->n && !streq(p->all[i].name, name))
                i++;
        return i;
}

const struct policy_program *policy_programs_find(const struct policy_programs *p, const char *name) {
        size_t i = find(p, name);

        return i < p->n ? &p->all[i] : NULL;
}

int policy_programs_set(struct policy_programs *p, const char *name, enum program_rule rule, struct policy_source source) {
        size_t i = find(p, name);

        if (!is_name(name))
                return -EINVAL;
        if (rule == PROGRAM_UNRULED) {
                if (i == p->n)
                        return -ENOENT;
                memmove(&p->all[i], &p->all[i + 1], (p->n - i - 1) * sizeof(p->all[0]));
                p->n--;
                return 0;
        }
        if (i == POLICY_PROGRAMS_MAX)
                return -ENOSPC;
        p->all[i] = (struct policy_program) { .rule = rule, .source = source };
        str_copy(p->all[i].name, sizeof(p->all[i].name), name);
        p->n = MAX(p->n, i + 1);
        return 0;
}

enum program_rule policy_program_rule(const struct policy *p, const char *name) {
        const struct policy_program *found = policy_programs_find(&p->step_back.programs, name);

        if (!found && p->step_back.kept)
                found = policy_programs_find(p->step_back.kept, name);
        return found ? found->rule : PROGRAM_UNRULED;
}

/* The next name of a list parted by commas, without the blanks around it. False where it does not fit; it is then cut. */
static bool take_name(const char **list, char *ret, size_t size) {
        size_t n, blanks = strspn(*list, " \t");

        *list += blanks;
        n = strcspn(*list, ",");
        str_copy(ret, size, *list);
        if (n < size)
                ret[n] = '\0';
        *list += n + ((*list)[n] == ',');
        while (n > 0 && n < size && (ret[n - 1] == ' ' || ret[n - 1] == '\t'))
                ret[--n] = '\0';
        return n < size;
}

int policy_programs_read(struct policy *p, enum program_rule rule, const char *value, struct policy_source source, struct policy_complaint *ret_why) {
        struct policy_programs programs = p->step_back.programs;
        char name[2 * EVENT_NAME_MAX];

        while (*value) {
                int r = take_name(&value, name, sizeof(name)) ? policy_programs_set(&programs, name, rule, source) : -EINVAL;
                if (r == -EINVAL)
                        snprintf(ret_why->text, sizeof(ret_why->text), "no process is named \"%s\": it is 1 to %d bytes of text, as in /proc/PID/comm", name,
                                 EVENT_NAME_MAX - 1);
                else if (r == -ENOSPC)
                        snprintf(ret_why->text, sizeof(ret_why->text), "a policy has at most %d programs", POLICY_PROGRAMS_MAX);
                if (r < 0)
                        return -EINVAL;
        }
        p->step_back.programs = programs;
        return 0;
}
