/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "client.h"
#include "describe.h"
#include "str.h"
#include "verbs.h"

enum { OPTION_DEFAULT };

static const struct cli_option options[] = {
        [OPTION_DEFAULT] = { "default", 0, NULL, "drop the mode that was set: briod's command line or configuration say it again" },
        {},
};

static const char *const modes[] = { "auto", "advise", "off" };

static bool is_mode(const char *word) {
        for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
                if (streq(modes[i], word))
                        return true;
        return false;
}

/* What says it, in a sentence; "" of a daemon that does not tell. */
static const char *describe_origin(const char *origin) {
        static const struct {
                const char *origin, *text;
        } texts[] = {
                { "kept", "It was set, and is kept over restarts. `brioctl mode --default` drops it." },
                { "set", "It was set, and lasts until briod ends, for it could not be written (see briod's log)." },
                { "command-line", "briod's command line says so." },
                { "configuration", "briod's configuration says so." },
        };

        for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
                if (streq(texts[i].origin, origin))
                        return texts[i].text;
        return "";
}

static void show(const char *mode, const char *origin, bool as_json) {
        struct output out;

        output_init(&out, stdout);
        if (as_json) {
                _cleanup_value_ struct json_object *shown = json_object_new_object();

                json_object_object_add(shown, "mode", json_object_new_string(mode));
                if (*origin)
                        json_object_object_add(shown, "mode_origin", json_object_new_string(origin));
                value_print(shown);
                return;
        }
        output_styled(&out, describe_mode_style(mode), "%s", mode);
        printf("%s\n", streq(origin, "default") ? " (default)" : "");
        if (*describe_origin(origin))
                output_paragraph(&out, 0, "%s", describe_origin(origin));
}

/* What was asked for is done; what holds now cannot be read. */
static int could_not_ask(const struct client *c, int r, const char *wanted, const struct cli_invocation *inv) {
        int code;

        if (wanted)
                fprintf(stderr, "brioctl: The mode is set to %s, but whether it is kept could not be asked.\n", wanted);
        else if (inv->options[OPTION_DEFAULT])
                fputs("brioctl: The mode that was set is dropped, but which one holds now could not be asked.\n", stderr);
        code = client_failed(c, r);
        if (!wanted)
                return code;
        show(wanted, "", inv->json);
        return CLI_OK;
}

static int run(const struct cli_invocation *inv) {
        _cleanup_value_ struct json_object *manager = NULL;
        _cleanup_client_ struct client client = {};
        const char *wanted = inv->argc > 0 ? inv->argv[0] : NULL;
        int r;

        if (wanted && !is_mode(wanted))
                return cli_usage_error("mode", "there is no mode \"%s\": auto, advise or off.", wanted);
        if (wanted && inv->options[OPTION_DEFAULT])
                return cli_usage_error("mode", "--default goes without a mode.");
        r = client_open(&client, inv->bus);
        if (r >= 0 && wanted)
                r = client_call(&client, NULL, "SetMode", "s", wanted);
        if (r >= 0 && inv->options[OPTION_DEFAULT])
                r = client_call(&client, NULL, "ResetMode", "");
        if (r < 0)
                return client_failed(&client, r);
        r = client_manager(&client, &manager);
        if (r < 0)
                return could_not_ask(&client, r, wanted, inv);
        show(wanted ? wanted : value_text(manager, "mode"), value_text(manager, "mode_origin"), inv->json);
        return CLI_OK;
}

const struct cli_verb verb_mode = {
        .name = "mode",
        .operands = "[auto|advise|off]",
        .summary = "Show or set the mode",
        .details = "auto: decide and act. advise: decide, write nothing. off: watch only.\n"
                   "Leaving auto restores everything that Brio set, a scheduler once its drive is quiet; setting a mode ends all holds.\n"
                   "The mode is kept over restarts of briod.",
        .options = options,
        .max_operands = 1,
        .json = true,
        .run = run,
};
