/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ProgramRules and SetProgramRules() of the Manager: marshals, and nothing else. */
#include <errno.h>

#include "bus-private.h"
#include "names.h"

/* file: "" of those that were set here. */
static int append(sd_bus_message *m, const struct policy_programs *programs, const struct policy *p) {
        int r = 0;

        for (size_t i = 0; r >= 0 && i < programs->n; i++)
                r = sd_bus_message_append(m, "(sss)", programs->all[i].name, program_rule_to_string(programs->all[i].rule),
                                          p ? policy_source_file(p, programs->all[i].source) : "");
        return r;
}

int bus_get_program_rules(sd_bus *bus _unused_, const char *path _unused_, const char *interface _unused_, const char *property _unused_,
                          sd_bus_message *reply, void *userdata, sd_bus_error *error _unused_) {
        const struct manager *m = ((struct bus *) userdata)->manager;
        int r = sd_bus_message_open_container(reply, 'a', "(sss)");

        if (r >= 0)
                r = append(reply, &m->programs, NULL);
        for (size_t i = 0; r >= 0 && i < m->policies.n; i++)
                r = append(reply, &m->policies.policies[i].step_back.programs, &m->policies.policies[i]);
        return r < 0 ? r : sd_bus_message_close_container(reply);
}

/* One rule of the call, into programs. Returns 0, or what error says. */
static int take(const struct manager *m, struct policy_programs *programs, const char *name, const char *word, sd_bus_error *error) {
        int rule = program_rule_from_string(word), r;
        const char *file = manager_find_program_file(m, name);
        char echo[BUS_ECHO_MAX];

        if (rule < 0)
                return sd_bus_error_setf(error, BRIO_ERROR_INVALID_ARGUMENT, "\"%s\" is no rule: never, always, or nothing", bus_echo(echo, word));
        if (file && rule != PROGRAM_UNRULED)
                return sd_bus_error_setf(error, BRIO_ERROR_FAILED, "%s has a rule for \"%s\": it is changed there", file, bus_echo(echo, name));
        r = policy_programs_set(programs, name, (enum program_rule) rule, (struct policy_source) { 0 });
        if (r == -EINVAL)
                return sd_bus_error_setf(error, BRIO_ERROR_INVALID_ARGUMENT, "no process is named \"%s\": it is 1 to %d bytes of text, as in /proc/PID/comm",
                                         bus_echo(echo, name), EVENT_NAME_MAX - 1);
        if (r == -ENOSPC)
                return sd_bus_error_setf(error, BRIO_ERROR_LIMIT_REACHED, "%d programs have a rule already", POLICY_PROGRAMS_MAX);
        if (r == -ENOENT)
                return sd_bus_error_setf(error, BRIO_ERROR_NOT_FOUND, file ? "the rule for \"%s\" is that of %s" : "there is no rule for \"%s\"",
                                         bus_echo(echo, name), file);
        return 0;
}

/* All of the call's rules, or none. */
static int read_rules(sd_bus_message *call, const struct manager *m, struct policy_programs *programs, sd_bus_error *error) {
        const char *name, *word;
        int r = sd_bus_message_rewind(call, true);

        *programs = m->programs;
        if (r >= 0)
                r = sd_bus_message_enter_container(call, 'a', "(ss)");
        while (r >= 0 && (r = sd_bus_message_read(call, "(ss)", &name, &word)) > 0)
                r = take(m, programs, name, word, error);
        return r;
}

int bus_set_program_rules(sd_bus_message *call, void *userdata, sd_bus_error *error) {
        struct bus *b = userdata;
        struct policy_programs programs;
        int r = polkit_authorize(b->polkit, call, BRIO_POLKIT_ACTION_MANAGE, bus_set_program_rules, userdata, error);

        if (r <= 0)
                return r < 0 ? r : 1;
        r = read_rules(call, b->manager, &programs, error);
        if (r < 0)
                return r;
        r = manager_set_programs(b->manager, &programs);
        if (r < 0)
                return sd_bus_error_setf(error, BRIO_ERROR_FAILED, "the rules cannot be written: %s", strerror(-r));
        return sd_bus_reply_method_return(call, "");
}
