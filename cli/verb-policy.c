/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <inttypes.h>

#include "client.h"
#include "policy-files.h"
#include "policy-show.h"
#include "show.h"
#include "verbs.h"

enum { OPTION_DIRECTORY };

static const struct cli_option options[] = {
        [OPTION_DIRECTORY] = { "policy-dir", '\0', "DIR", "read this directory alone, and ask no daemon" },
        {},
};

/* userdata: NULL prints, an array collects for JSON. */
static void report_finding(void *userdata, enum policy_severity severity, const char *file, int line, const char *message) {
        struct json_object *finding;

        if (!userdata) {
                policy_print_finding(stdout, severity, file, line, message);
                return;
        }
        finding = json_object_new_object();
        json_object_object_add(finding, "file", json_object_new_string(file));
        json_object_object_add(finding, "line", json_object_new_int(line));
        json_object_object_add(finding, "severity", json_object_new_string(policy_severity_name(severity)));
        json_object_object_add(finding, "message", json_object_new_string(message));
        json_object_array_add(userdata, finding);
}

static struct json_object *summaries(const struct policy_set *set) {
        struct json_object *list = json_object_new_array();

        for (size_t i = 0; i < set->n; i++) {
                struct json_object *p = json_object_new_object();
                json_object_object_add(p, "name", json_object_new_string(set->policies[i].name));
                json_object_object_add(p, "file", json_object_new_string(set->policies[i].file));
                json_object_object_add(p, "description", json_object_new_string(set->policies[i].description));
                json_object_array_add(list, p);
        }
        return list;
}

static int list_from_files(const char *directory, struct json_object **ret) {
        _cleanup_policies_ struct policy_set set = {};
        int r = policy_files_load(directory, &set);

        if (r < 0)
                return r;
        *ret = summaries(&set);
        return 0;
}

/* Returns an exit code, or -1 where the files must tell: no daemon. */
static int list_from_daemon(const char *bus, struct json_object **ret) {
        _cleanup_value_ struct json_object *manager = NULL;
        _cleanup_client_ struct client client;
        int r = client_open(&client, bus);

        if (r >= 0)
                r = client_manager(&client, &manager);
        if (r < 0 && client_no_daemon(&client, r)) {
                fputs("brioctl: briod is not running; these are the files that it would read.\n", stderr);
                return -1;
        }
        if (r < 0)
                return client_failed(&client, r);
        *ret = json_object_get(value_get(manager, "policies"));
        return CLI_OK;
}

static void print_list(const struct output *o, struct json_object *policies) {
        static const struct table_column columns[] = {
                COLUMN_KEEP("POLICY"), COLUMN("DESCRIPTION"), COLUMN("FILE"),
        };
        _cleanup_(table_freep) struct table *t = table_new(columns, ARRAY_SIZE(columns));

        if (value_length(policies) == 0) {
                printf("No policies.\n");
                return;
        }
        for (size_t i = 0; i < value_length(policies); i++) {
                struct json_object *p = value_at(policies, i);
                table_add(t, STYLE_BOLD, "%s", value_text(p, "name"));
                table_add(t, STYLE_PLAIN, "%s", value_text(p, "description"));
                table_add(t, STYLE_PLAIN, "%s", value_text(p, "file"));
        }
        table_print(t, o, 0);
}

static int run_list(const struct cli_invocation *inv) {
        _cleanup_value_ struct json_object *policies = NULL;
        const char *directory = inv->options[OPTION_DIRECTORY];
        int r = directory ? -1 : list_from_daemon(inv->bus, &policies);

        if (r > 0)
                return r;
        if (r < 0 && list_from_files(directory, &policies) < 0)
                return CLI_FAILED;
        return show_value(inv, policies, print_list);
}

static const struct policy *find(const struct policy_set *set, const char *name) {
        for (size_t i = 0; i < set->n; i++)
                if (streq(set->policies[i].name, name))
                        return &set->policies[i];
        return NULL;
}

/* A daemon with a directory of its own, as ./dev run starts it, has policies that the standard ones lack: that of this policy,
 * or NULL, also where there is no daemon. */
static char *daemon_directory(const char *bus, const char *name) {
        _cleanup_value_ struct json_object *manager = NULL;
        _cleanup_client_ struct client client;
        struct json_object *policies;

        if (client_open(&client, bus) < 0 || client_manager(&client, &manager) < 0)
                return NULL;
        policies = value_get(manager, "policies");
        for (size_t i = 0; i < value_length(policies); i++) {
                const char *file = value_text(value_at(policies, i), "file"), *slash = strrchr(file, '/');
                if (slash && streq(value_text(value_at(policies, i), "name"), name))
                        return strndup(file, (size_t) (slash - file));
        }
        return NULL;
}

static int run_show(const struct cli_invocation *inv) {
        _cleanup_value_ struct json_object *shown = NULL;
        _cleanup_policies_ struct policy_set set = {}, set_of_daemon = {};
        _cleanup_free_ char *elsewhere = NULL;
        const char *directory = inv->options[OPTION_DIRECTORY], *name = inv->argv[1];
        const struct policy *found;

        if (policy_files_load(directory, &set) < 0)
                return CLI_FAILED;
        found = find(&set, name);
        if (!found && !directory)
                elsewhere = daemon_directory(inv->bus, name);
        if (elsewhere) {
                if (policy_files_load(elsewhere, &set_of_daemon) < 0)
                        return CLI_FAILED;
                found = find(&set_of_daemon, name);
        }
        if (!found) {
                fprintf(stderr, "brioctl: there is no policy \"%s\"; `brioctl policy list` shows their names.\n", name);
                return CLI_FAILED;
        }
        if (inv->json) {
                shown = policy_to_json(found);
                value_print(shown);
        } else {
                policy_print(found, stdout);
        }
        return CLI_OK;
}

static int run_check(const struct cli_invocation *inv) {
        _cleanup_value_ struct json_object *findings = inv->json ? json_object_new_array() : NULL;
        bool good = true;

        for (char **file = inv->argv + 1; *file; file++) {
                struct policy p;
                int r = policy_load_file(*file, report_finding, findings, &p);
                if (r < 0)
                        report_finding(findings, POLICY_ERROR, *file, 0, strerror(-r));
                good &= r == 0;
        }
        if (findings)
                value_print(findings);
        return good ? CLI_OK : CLI_FAILED;
}

static const struct {
        const char *name;
        int min_operands, max_operands; /* of its own; max -1: any number */
        int (*run)(const struct cli_invocation *inv);
} commands[] = {
        { "list", 0, 0, run_list },
        { "show", 1, 1, run_show },
        { "check", 1, -1, run_check },
};

static int run(const struct cli_invocation *inv) {
        for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
                if (!streq(commands[i].name, inv->argv[0]))
                        continue;
                if (inv->argc - 1 < commands[i].min_operands)
                        return cli_usage_error("policy", "policy %s needs %s.", commands[i].name, streq(commands[i].name, "show") ? "a policy's name" : "a file");
                if (commands[i].max_operands >= 0 && inv->argc - 1 > commands[i].max_operands)
                        return cli_usage_error("policy", "policy %s takes no \"%s\".", commands[i].name, inv->argv[commands[i].max_operands + 1]);
                return commands[i].run(inv);
        }
        return cli_usage_error("policy", "policy has no \"%s\": list, show or check.", inv->argv[0]);
}

const struct cli_verb verb_policy = {
        .name = "policy",
        .operands = "list|show NAME|check FILE…",
        .needs = "list, show or check",
        .summary = "List the policies, show one, or check files",
        .details = "list: those in force, weakest first; without briod, those in the directories.\n"
                   "show: all of one, drop-ins and defaults included, as a policy file would say it.\n"
                   "check: FILE:LINE: SEVERITY: MESSAGE for each finding; exit code 1 where one is an error.\n"
                   "show and check need no briod.",
        .min_operands = 1,
        .max_operands = -1,
        .json = true,
        .options = options,
        .run = run,
};
