/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "client.h"
#include "describe.h"
#include "format.h"
#include "macro.h"
#include "show.h"
#include "str.h"
#include "users.h"
#include "verbs.h"

enum { OPTION_ALL };

static const struct cli_option options[] = {
        [OPTION_ALL] = { "all", 0, NULL, "with forget: what was learnt of all applications" },
        {},
};

static void print_lists(const struct output *o, struct json_object *lists) {
        static const struct table_column columns[] = {
                COLUMN("APPLICATION"), COLUMN_DROP("USER", 1), COLUMN_KEEP("STATE"), COLUMN_RIGHT("FILES"), COLUMN_RIGHT("SIZE"), COLUMN("START"),
        };
        _cleanup_(table_freep) struct table *t = table_new(columns, ARRAY_SIZE(columns));

        if (value_length(lists) == 0) {
                printf("No start was learnt from yet. Those that a launcher makes are, not those of a shell.\n");
                return;
        }
        for (size_t i = 0; i < value_length(lists); i++) {
                struct json_object *l = value_at(lists, i);
                char worth[128], bytes[32];
                describe_prefetch(l, worth, sizeof(worth));
                table_add(t, STYLE_BOLD, "%s", value_text(l, "application"));
                if (json_object_object_get_ex(l, "uid", NULL))
                        table_add(t, STYLE_PLAIN, "%" PRIu64, value_u64(l, "uid"));
                else
                        table_add(t, STYLE_PLAIN, "all");
                table_add(t, STYLE_PLAIN, "%s", value_text(l, "state"));
                table_add(t, STYLE_PLAIN, "%" PRIu64, value_u64(l, "files"));
                table_add(t, STYLE_PLAIN, "%s", str_format_bytes(bytes, sizeof(bytes), value_u64(l, "bytes")));
                table_add(t, STYLE_PLAIN, "%s", worth);
        }
        table_print(t, o, 0);
}

static void print_files(const struct output *o, struct json_object *files) {
        static const struct table_column columns[] = { COLUMN_RIGHT("SIZE"), COLUMN_RIGHT("RANGES"), COLUMN("FILE") };
        _cleanup_(table_freep) struct table *t = table_new(columns, ARRAY_SIZE(columns));

        for (size_t i = 0; i < value_length(files); i++) {
                struct json_object *f = value_at(files, i);
                char bytes[32];
                table_add(t, STYLE_PLAIN, "%s", str_format_bytes(bytes, sizeof(bytes), value_u64(f, "bytes")));
                table_add(t, STYLE_PLAIN, "%" PRIu64, value_u64(f, "ranges"));
                table_add(t, STYLE_PLAIN, "%s", value_text(f, "path"));
        }
        table_print(t, o, 0);
}

static int look(const struct cli_invocation *inv, const char *method, const char *application, show_print_fn print) {
        _cleanup_value_ struct json_object *shown = NULL;
        _cleanup_client_ struct client client;
        int r = client_open(&client, inv->bus);

        if (r >= 0)
                r = client_call(&client, &shown, method, "s", application);
        return r < 0 ? client_failed(&client, r) : show_value(inv, shown, print);
}

static int finish(const struct cli_invocation *inv, const char *word, const char *application) {
        _cleanup_value_ struct json_object *done = NULL;

        if (inv->json) {
                done = json_object_new_object();
                json_object_object_add(done, word, json_object_new_string(application));
                value_print(done);
        }
        return CLI_OK;
}

static int change(const struct cli_invocation *inv, const char *word, const char *application) {
        _cleanup_client_ struct client client;
        int r = client_open(&client, inv->bus);

        if (r >= 0 && streq(word, "forget"))
                r = client_call(&client, NULL, "ForgetPrefetch", "s", application);
        else if (r >= 0)
                r = client_call(&client, NULL, "SetPrefetch", "sb", application, (int) streq(word, "on"));
        if (r < 0)
                return client_failed(&client, r);
        return finish(inv, word, application);
}

static int run(const struct cli_invocation *inv) {
        const char *word = inv->argc > 0 ? inv->argv[0] : "list", *application = inv->argc > 1 ? inv->argv[1] : "";
        bool all = inv->options[OPTION_ALL] != NULL;

        if (inv->argc > 1 && !*application) /* a script's variable that is not set: it would be all of them */
                return cli_usage_error("prefetch", "APP is empty; name an application, or leave it out.");
        if (all && (!streq(word, "forget") || *application))
                return cli_usage_error("prefetch", "--all goes with forget alone, and without an application.");
        if (streq(word, "list"))
                return look(inv, "GetPrefetch", application, print_lists);
        if (streq(word, "show"))
                return *application ? look(inv, "GetPrefetchFiles", application, print_files) :
                                      cli_usage_error("prefetch", "show needs an application of `brioctl prefetch`.");
        if (streq(word, "forget") && !*application && !all)
                return cli_usage_error("prefetch", "forget needs an application, or --all.");
        if (streq(word, "forget") || streq(word, "on") || streq(word, "off"))
                return change(inv, word, application);
        return cli_usage_error("prefetch", "there is no \"%s\": list, show, forget, on or off.", word);
}

const struct cli_verb verb_prefetch = {
        .name = "prefetch",
        .operands = "[list|show|forget|on|off] [APP]",
        .summary = "Show or change what is read ahead when applications start",
        .details = "Starts that a launcher makes are learnt from, not those of a shell.\n"
                   "list: what was learnt, and how long starts take with help and without. show: the files that are read ahead for APP.\n"
                   "forget: what was learnt of APP. off: no help for APP, or for none without one; on takes that back.",
        .options = options,
        .max_operands = 2,
        .json = true,
        .run = run,
};
