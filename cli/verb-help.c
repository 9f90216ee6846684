/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "value.h"
#include "verbs.h"

static void add_option(struct json_object *list, const struct cli_option *o) {
        struct json_object *option = json_object_new_object();

        json_object_object_add(option, "name", json_object_new_string(o->name));
        json_object_object_add(option, "letter", o->letter ? json_object_new_string_len(&o->letter, 1) : NULL);
        json_object_object_add(option, "argument", o->argument ? json_object_new_string(o->argument) : NULL);
        json_object_object_add(option, "help", json_object_new_string(o->help));
        json_object_array_add(list, option);
}

static struct json_object *describe_verb(const struct cli_verb *v) {
        struct json_object *verb = json_object_new_object(), *options = json_object_new_array();

        for (const struct cli_option *o = v->options; o && o->name; o++)
                add_option(options, o);
        for (const struct cli_option *o = cli_common_options; o->name; o++)
                if (cli_takes(v, o))
                        add_option(options, o);
        json_object_object_add(verb, "name", json_object_new_string(v->name));
        json_object_object_add(verb, "operands", json_object_new_string(v->operands));
        json_object_object_add(verb, "summary", json_object_new_string(v->summary));
        json_object_object_add(verb, "options", options);
        return verb;
}

static int run(const struct cli_invocation *inv) {
        const struct cli_verb *chosen = inv->argc > 0 ? cli_find_verb(inv->verbs, inv->argv[0]) : NULL;
        _cleanup_value_ struct json_object *described = NULL;

        if (inv->argc > 0 && !chosen)
                return cli_unknown_verb(inv->verbs, inv->argv[0]);
        if (!inv->json && chosen) {
                cli_print_help(chosen);
        } else if (!inv->json) {
                cli_print_overview(inv->verbs);
        } else if (chosen) {
                described = describe_verb(chosen);
        } else {
                described = json_object_new_array();
                for (const struct cli_verb *const *v = inv->verbs; *v; v++)
                        json_object_array_add(described, describe_verb(*v));
        }
        if (described)
                value_print(described);
        return CLI_OK;
}

const struct cli_verb verb_help = {
        .name = "help",
        .operands = "[VERB]",
        .summary = "Show the verbs, or the options of one",
        .max_operands = 1,
        .json = true,
        .run = run,
};
