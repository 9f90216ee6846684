/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "describe.h"
#include "show.h"
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
        return show_manager_property(inv, "sources", print);
}

const struct cli_verb verb_probe = {
        .name = "probe",
        .operands = "",
        .summary = "Show what briod can learn here, and what would enable the rest",
        .json = true,
        .run = run,
};
