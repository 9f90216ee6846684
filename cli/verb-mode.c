/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "client.h"
#include "describe.h"
#include "verbs.h"

static const char *const modes[] = { "auto", "advise", "off" };

static bool is_mode(const char *word) {
        for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
                if (streq(modes[i], word))
                        return true;
        return false;
}

static int run(const struct cli_invocation *inv) {
        _cleanup_value_ struct json_object *manager = NULL, *shown = NULL;
        _cleanup_client_ struct client client = {};
        const char *mode;
        struct output out;
        int r;

        if (inv->argc > 0 && !is_mode(inv->argv[0]))
                return cli_usage_error("mode", "there is no mode \"%s\": auto, advise or off.", inv->argv[0]);
        r = client_open(&client, inv->bus);
        if (r >= 0 && inv->argc > 0)
                r = client_call(&client, NULL, "SetMode", "s", inv->argv[0]);
        if (r >= 0 && inv->argc == 0)
                r = client_manager(&client, &manager);
        if (r < 0)
                return client_failed(&client, r);
        mode = inv->argc > 0 ? inv->argv[0] : value_text(manager, "mode");
        output_init(&out, stdout);
        if (inv->json) {
                shown = json_object_new_object();
                json_object_object_add(shown, "mode", json_object_new_string(mode));
                value_print(shown);
        } else {
                output_styled(&out, describe_mode_style(mode), "%s", mode);
                putchar('\n');
        }
        return CLI_OK;
}

const struct cli_verb verb_mode = {
        .name = "mode",
        .operands = "[auto|advise|off]",
        .summary = "Show or set the mode",
        .details = "auto: decide and act. advise: decide, write nothing. off: watch only.\n"
                   "Leaving auto restores everything that Brio set; setting a mode ends all holds.",
        .max_operands = 1,
        .json = true,
        .run = run,
};
