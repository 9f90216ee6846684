/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "client.h"
#include "describe.h"
#include "verbs.h"

/* Advice is for what stands once the originals are back. */
static void print_returning(const struct output *o, struct json_object *devices) {
        for (size_t i = 0; i < value_length(devices); i++) {
                struct json_object *d = value_at(devices, i);

                if (streq(value_text(d, "state"), "reverting"))
                        output_paragraph(o, 0, "%s: %s", value_text(d, "name"), value_text(d, "reason"));
        }
}

static void print(const struct output *o, struct json_object *advice, struct json_object *devices, const char *mode) {
        if (value_length(advice) == 0) {
                printf("Nothing to advise.\n");
                print_returning(o, devices);
                if (!streq(mode, "advise"))
                        printf("In mode %s there is no advice; `brioctl mode advise` asks for it.\n", mode);
                return;
        }
        for (size_t i = 0; i < value_length(advice); i++) {
                struct json_object *a = value_at(advice, i);
                _cleanup_free_ char *change = describe_change(a), *setting = describe_setting(a);

                output_styled(o, STYLE_BOLD, "%s", value_text(a, "id"));
                output_styled(o, STYLE_PLAIN, "  %s  %s %s  by %s", value_text(a, "device"), setting, change,
                              value_text(a, "law"));
                putchar('\n');
                output_paragraph(o, 4, "%s", value_text(a, "reason"));
                if (value_text(a, "expected")[0])
                        output_paragraph(o, 4, "Expected: %s", value_text(a, "expected"));
        }
        printf("\n`brioctl apply ID` carries one out.\n");
}

static int run(const struct cli_invocation *inv) {
        _cleanup_value_ struct json_object *advice = NULL, *manager = NULL, *devices = NULL;
        _cleanup_client_ struct client client;
        struct output out;
        int r = client_open_observing(&client, inv);

        if (r >= 0)
                r = client_call(&client, &advice, "GetAdvice", "");
        if (r >= 0)
                r = client_manager(&client, &manager);
        if (r >= 0 && value_length(advice) == 0)
                r = client_devices(&client, &devices);
        if (r < 0)
                return client_failed(&client, r);
        if (inv->json) {
                value_print(advice);
                return CLI_OK;
        }
        output_init(&out, stdout);
        print(&out, advice, devices, value_text(manager, "mode"));
        return CLI_OK;
}

const struct cli_verb verb_advise = {
        .name = "advise",
        .operands = "",
        .summary = "Show what Brio would change in mode advise",
        .json = true,
        .observes = true,
        .run = run,
};
