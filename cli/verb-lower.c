/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "client.h"
#include "format.h"
#include "str.h"
#include "verbs.h"

static int lower(const struct cli_invocation *inv, uint32_t pid) {
        _cleanup_value_ struct json_object *outcome = NULL, *done = NULL;
        _cleanup_client_ struct client client;
        const char *id;
        int r = client_open(&client, inv->bus);

        if (r >= 0)
                r = client_call(&client, &outcome, "LowerPriority", "u", pid);
        if (r < 0)
                return client_failed(&client, r);
        id = value_text(outcome, "id");
        if (!*id) {
                fprintf(stderr, "brioctl: process %" PRIu32 " keeps its I/O priority: %s.\n", pid, value_text(outcome, "refusal"));
                return CLI_FAILED;
        }
        if (inv->json) {
                done = json_object_new_object();
                json_object_object_add(done, "lowered", json_object_new_int64(pid));
                json_object_object_add(done, "id", json_object_new_string(id));
                value_print(done);
        } else {
                printf("Process %" PRIu32 " lets others go first. `brioctl undo %s` takes it back.\n", pid, id);
        }
        return CLI_OK;
}

static int run(const struct cli_invocation *inv) {
        uint64_t pid;

        if (str_parse_u64_most(inv->argv[0], INT32_MAX, &pid) < 0)
                return cli_usage_error("lower", "\"%s\" is not the number of a process.", inv->argv[0]);
        return lower(inv, (uint32_t) pid);
}

const struct cli_verb verb_lower = {
        .name = "lower",
        .operands = "PID",
        .needs = "a process's number, as `brioctl top` has it",
        .summary = "Lower a process's I/O priority now",
        .details = "Its reads and writes wait for those of others until it ends or is undone. What never steps back is refused.\n"
                   "PID is that of a process, as `brioctl top` has it.",
        .min_operands = 1,
        .max_operands = 1,
        .json = true,
        .run = run,
};
