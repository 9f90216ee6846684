/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "show.h"
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

static int run(const struct cli_invocation *inv) {
        return show_manager_property(inv, "active_holds", print);
}

const struct cli_verb verb_holds = {
        .name = "holds",
        .operands = "",
        .summary = "List the holds in force",
        .json = true,
        .run = run,
};
