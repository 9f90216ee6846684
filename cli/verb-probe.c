/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "client.h"
#include "describe.h"
#include "verbs.h"

static void print(const struct output *o, struct json_object *sources) {
        for (size_t i = 0; i < value_length(sources); i++) {
                struct json_object *s = value_at(sources, i);
                const char *state = value_text(s, "state"), *note = value_text(s, "note");

                output_styled(o, STYLE_BOLD, "%s", value_text(s, "name"));
                printf(": ");
                output_styled(o, describe_source_style(state), "%s", state);
                putchar('\n');
                if (note[0])
                        output_paragraph(o, 4, "%s", note);
        }
}

static int run(const struct cli_invocation *inv) {
        _cleanup_value_ struct json_object *manager = NULL;
        _cleanup_client_ struct client client;
        struct output out;
        int r = client_open(&client, inv->bus);

        if (r >= 0)
                r = client_manager(&client, &manager);
        if (r < 0)
                return client_failed(&client, r);
        output_init(&out, stdout);
        if (inv->json)
                value_print(value_get(manager, "sources"));
        else
                print(&out, value_get(manager, "sources"));
        return CLI_OK;
}

const struct cli_verb verb_probe = {
        .name = "probe",
        .operands = "",
        .summary = "Show what briod can learn here, and what would enable the rest",
        .json = true,
        .run = run,
};
