/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "client.h"
#include "show.h"
#include "str.h"
#include "verbs.h"

static void print(const struct output *o, struct json_object *holds) {
        static const struct table_column columns[] = {
                COLUMN_RIGHT("COOKIE"), COLUMN_KEEP("MODE"), COLUMN("APPLICATION"), COLUMN("REASON"),
        };
        _cleanup_(table_freep) struct table *t = table_new(columns, ARRAY_SIZE(columns));

        if (value_length(holds) == 0) {
                printf("No holds.\n");
                return;
        }
        for (size_t i = 0; i < value_length(holds); i++) {
                struct json_object *h = value_at(holds, i);
                table_add(t, STYLE_PLAIN, "%" PRIu64, value_u64(h, "cookie"));
                table_add(t, STYLE_BOLD, "%s", value_text(h, "mode"));
                table_add(t, STYLE_PLAIN, "%s", value_text(h, "application_id"));
                table_add(t, STYLE_PLAIN, "%s", value_text(h, "reason"));
        }
        table_print(t, o, 0);
}

static int release(const struct cli_invocation *inv, uint32_t cookie) {
        _cleanup_value_ struct json_object *done = NULL;
        _cleanup_client_ struct client client;
        int r = client_open(&client, inv->bus);

        if (r >= 0)
                r = client_call(&client, NULL, "ReleaseHold", "u", cookie);
        if (r < 0)
                return client_failed(&client, r);
        if (inv->json) {
                done = json_object_new_object();
                json_object_object_add(done, "released", json_object_new_uint64(cookie));
                value_print(done);
        }
        return CLI_OK;
}

static int run(const struct cli_invocation *inv) {
        uint64_t cookie;

        if (inv->argc == 0)
                return show_manager_property(inv, "active_holds", print);
        if (!streq(inv->argv[0], "release"))
                return cli_usage_error("holds", "there is no \"%s\": release.", inv->argv[0]);
        if (inv->argc < 2 || str_parse_u64_most(inv->argv[1], UINT32_MAX, &cookie) < 0 || cookie == 0)
                return cli_usage_error("holds", "release needs a cookie of `brioctl holds`.");
        return release(inv, (uint32_t) cookie);
}

const struct cli_verb verb_holds = {
        .name = "holds",
        .operands = "[release COOKIE]",
        .summary = "List the holds in force, or end one",
        .details = "release: ends any hold, as an administrator; its holder is told.",
        .max_operands = 2,
        .json = true,
        .run = run,
};
