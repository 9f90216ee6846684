/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "client.h"
#include "format.h"
#include "verbs.h"

static int run(const struct cli_invocation *inv) {
        _cleanup_value_ struct json_object *done = NULL;
        _cleanup_client_ struct client client;
        int r = client_open(&client, inv->bus);

        if (r >= 0)
                r = client_call(&client, NULL, "Undo", "s", inv->argv[0]);
        if (r < 0)
                return client_failed(&client, r);
        if (inv->json) {
                done = json_object_new_object();
                json_object_object_add(done, "undone", json_object_new_string(inv->argv[0]));
                value_print(done);
        } else {
                printf("Undone %s. `brioctl decisions` shows what came of it.\n", inv->argv[0]);
        }
        return CLI_OK;
}

const struct cli_verb verb_undo = {
        .name = "undo",
        .operands = "ID",
        .needs = "an id of `brioctl decisions`",
        .summary = "Take an applied decision back",
        .details = "The setting returns to its original and is left alone on that drive until the mode is set. Where something was read\n"
                   "ahead for a start: as `brioctl prefetch off` for its application. ID stands in `brioctl decisions`.",
        .min_operands = 1,
        .max_operands = 1,
        .json = true,
        .run = run,
};
