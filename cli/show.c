/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "client.h"
#include "show.h"

int show_value(const struct cli_invocation *inv, struct json_object *shown, show_print_fn print) {
        struct output out;

        output_init(&out, stdout);
        if (inv->json)
                value_print(shown);
        else
                print(&out, shown);
        return CLI_OK;
}

int show_manager_property(const struct cli_invocation *inv, const char *key, show_print_fn print) {
        _cleanup_value_ struct json_object *manager = NULL;
        _cleanup_client_ struct client client;
        int r = client_open(&client, inv->bus);

        if (r >= 0)
                r = client_manager(&client, &manager);
        if (r < 0)
                return client_failed(&client, r);
        return show_value(inv, value_get(manager, key), print);
}
