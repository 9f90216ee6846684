/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "client.h"
#include "config.h"
#include "format.h"
#include "verbs.h"

static int run(const struct cli_invocation *inv) {
        _cleanup_value_ struct json_object *manager = NULL, *shown = NULL;
        _cleanup_client_ struct client client;
        const char *daemon = NULL;
        struct output out;
        int r = client_open(&client, inv->bus);

        if (r >= 0)
                r = client_manager(&client, &manager);
        if (r < 0 && !client_no_daemon(&client, r))
                return client_failed(&client, r);
        if (r >= 0)
                daemon = value_text(manager, "version");
        output_init(&out, stdout);
        if (inv->json) {
                shown = json_object_new_object();
                json_object_object_add(shown, "brioctl", json_object_new_string(BRIO_VERSION));
                json_object_object_add(shown, "briod", daemon ? json_object_new_string(daemon) : NULL);
                value_print(shown);
        } else {
                printf("brioctl %s\n", BRIO_VERSION);
                output_styled(&out, STYLE_PLAIN, "briod %s", daemon ? daemon : "is not running");
                putchar('\n');
        }
        return CLI_OK;
}

const struct cli_verb verb_version = {
        .name = "version",
        .operands = "",
        .summary = "Show the versions of brioctl and of the running briod",
        .details = "Exit code 0 also where briod is not running; briod is null in JSON then.",
        .json = true,
        .run = run,
};
