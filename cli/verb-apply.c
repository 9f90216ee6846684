/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "client.h"
#include "format.h"
#include "verbs.h"

static int run(const struct cli_invocation *inv) {
        _cleanup_value_ struct json_object *done = NULL;
        _cleanup_client_ struct client client;
        int r = client_open(&client, inv->bus);

        if (r >= 0)
                r = client_call(&client, NULL, "Apply", "s", inv->argv[0]);
        if (r < 0)
                return client_failed(&client, r);
        if (inv->json) {
                done = json_object_new_object();
                json_object_object_add(done, "applied", json_object_new_string(inv->argv[0]));
                value_print(done);
        } else {
                printf("Applied %s. `brioctl decisions` shows what came of it.\n", inv->argv[0]);
        }
        return CLI_OK;
}

const struct cli_verb verb_apply = {
        .name = "apply",
        .operands = "ID",
        .needs = "an id of `brioctl advise`",
        .summary = "Carry out a piece of advice",
        .details = "ID stands in `brioctl advise`.",
        .min_operands = 1,
        .max_operands = 1,
        .json = true,
        .run = run,
};
