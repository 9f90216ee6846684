/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "client.h"
#include "format.h"
#include "verbs.h"

static void print(const char *device, uint64_t restored, uint64_t failed) {
        printf("%" PRIu64 " setting%s back to what %s before Brio.", restored, restored == 1 ? "" : "s", restored == 1 ? "it was" : "they were");
        if (device[0])
                printf(" %s is left alone until `brioctl mode auto`.\n", device);
        else
                printf(" The mode is now off, and stays so; `brioctl mode auto` acts again, `brioctl mode --default` goes by the configuration.\n");
        if (failed > 0)
                fprintf(stderr, "brioctl: %" PRIu64 " could not be put back; `brioctl decisions` has the reasons.\n", failed);
}

static int run(const struct cli_invocation *inv) {
        _cleanup_value_ struct json_object *counts = NULL, *shown = NULL;
        const char *device = inv->argc > 0 ? cli_drive_name(inv->argv[0]) : "";
        _cleanup_client_ struct client client = {};
        uint64_t restored, failed;
        int r;

        if (inv->argc > 0 && !device[0])
                return cli_usage_error("restore", "DEV is empty; leave it out to restore all drives.");
        r = client_open(&client, inv->bus);
        if (r >= 0 && device[0])
                r = client_check_drive(&client, device);
        if (r >= 0)
                r = client_call(&client, &counts, "Restore", "s", device);
        if (r < 0)
                return client_failed(&client, r);
        restored = json_object_get_uint64(value_at(counts, 0));
        failed = json_object_get_uint64(value_at(counts, 1));
        if (inv->json) {
                shown = json_object_new_object();
                json_object_object_add(shown, "restored", json_object_new_uint64(restored));
                json_object_object_add(shown, "failed", json_object_new_uint64(failed));
                value_print(shown);
        } else {
                print(device, restored, failed);
        }
        return failed > 0 ? CLI_FAILED : CLI_OK;
}

const struct cli_verb verb_restore = {
        .name = "restore",
        .operands = "[DEV]",
        .summary = "Put every original setting back and stop acting",
        .details = "Without DEV on all drives, and the mode becomes off. With DEV on this drive alone, which is then left alone\n"
                   "until the mode is set. A scheduler comes back once its drive is quiet. Exit code 1 where a setting could not be put back.",
        .max_operands = 1,
        .json = true,
        .run = run,
};
