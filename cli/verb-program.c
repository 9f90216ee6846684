/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "client.h"
#include "show.h"
#include "str.h"
#include "verbs.h"

static void print(const struct output *o, struct json_object *rules) {
        static const struct table_column columns[] = { COLUMN_KEEP("PROGRAM"), COLUMN_KEEP("RULE"), COLUMN("FILE") };
        _cleanup_(table_freep) struct table *t = table_new(columns, ARRAY_SIZE(columns));

        if (value_length(rules) == 0) {
                printf("No program has a rule.\n");
                return;
        }
        for (size_t i = 0; i < value_length(rules); i++) {
                struct json_object *rule = value_at(rules, i);
                table_add(t, STYLE_BOLD, "%s", value_text(rule, "program"));
                table_add(t, STYLE_PLAIN, "%s", value_text(rule, "rule"));
                table_add(t, STYLE_PLAIN, "%s", value_text(rule, "file"));
        }
        table_print(t, o, 0);
}

static int set(const struct cli_invocation *inv, const char *word, const char *program) {
        _cleanup_value_ struct json_object *done = NULL;
        _cleanup_client_ struct client client;
        int r = client_open(&client, inv->bus);

        if (r >= 0)
                r = client_call(&client, NULL, "SetProgramRules", "a(ss)", 1, program, streq(word, "forget") ? "" : word);
        if (r < 0)
                return client_failed(&client, r);
        if (inv->json) {
                done = json_object_new_object();
                json_object_object_add(done, word, json_object_new_string(program));
                value_print(done);
        }
        return CLI_OK;
}

static int run(const struct cli_invocation *inv) {
        const char *word = inv->argc > 0 ? inv->argv[0] : NULL;

        if (!word)
                return show_manager_property(inv, "program_rules", print);
        if (!streq(word, "never") && !streq(word, "always") && !streq(word, "forget"))
                return cli_usage_error("program", "there is no \"%s\": never, always or forget.", word);
        if (inv->argc < 2 || !*inv->argv[1])
                return cli_usage_error("program", "%s needs a program's name, as `brioctl top` has it.", word);
        return set(inv, word, inv->argv[1]);
}

const struct cli_verb verb_program = {
        .name = "program",
        .operands = "[never|always|forget NAME]",
        .summary = "List the programs with a rule, or set one",
        .details = "never: its processes are never slowed down. always: they wait for others. forget: Brio decides.\n"
                   "NAME is that of a process, as `brioctl top` has it. A rule is kept over restarts of briod.",
        .max_operands = 2,
        .json = true,
        .run = run,
};
