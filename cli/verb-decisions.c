/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "describe.h"
#include "follow.h"
#include "str.h"
#include "verbs.h"

enum { OPTION_FOLLOW, OPTION_DEVICE, OPTION_LINES };

static const struct cli_option options[] = {
        [OPTION_FOLLOW] = { "follow", 'f', NULL, "go on with each new decision; waits while briod is away" },
        [OPTION_DEVICE] = { "device", 'd', "DEV", "only those about this drive" },
        [OPTION_LINES] = { "lines", 'n', "COUNT", "only the newest so many of those already made" },
        {},
};

struct follow {
        struct client client;
        struct output out;
        const char *device;
        size_t limit;
        bool json;
        uint64_t last; /* sequence of the newest one printed */
};

static void show(struct follow *f, struct json_object *decision) {
        if (f->json)
                value_print_line(decision);
        else
                describe_decision(&f->out, decision, 0);
        fflush(f->out.file);
}

/* What was decided before, and whatever came between this call and the signals' start. */
static int show_past(struct follow *f) {
        _cleanup_value_ struct json_object *past = NULL;
        int r = client_decisions(&f->client, f->last, f->device, f->limit, &past);

        if (r < 0)
                return r;
        for (size_t i = 0; i < value_length(past); i++) {
                show(f, value_at(past, i));
                f->last = value_u64(value_at(past, i), "sequence");
        }
        return 0;
}

static int on_decision(sd_bus_message *m, void *userdata, _unused_ sd_bus_error *error) {
        _cleanup_value_ struct json_object *decision = NULL;
        struct follow *f = userdata;

        if (value_decode(m, &decision) < 0)
                return 0; /* not for us to judge: a signal that is not ours by its form */
        if (!sd_bus_message_is_signal(m, NULL, "TrialEnded")) {
                if (value_u64(decision, "sequence") <= f->last)
                        return 0; /* was in GetDecisions() */
                f->last = value_u64(decision, "sequence");
        }
        if (!f->device || streq(f->device, value_text(decision, "device")))
                show(f, decision);
        return 0;
}

static int show_past_again(void *userdata, bool again) {
        struct follow *f = userdata;

        if (again) { /* a new daemon counts from one again */
                f->last = 0;
                f->limit = SIZE_MAX;
        }
        return show_past(f);
}

static int list(struct follow *f) {
        _cleanup_value_ struct json_object *decisions = NULL;
        int r = client_decisions(&f->client, 0, f->device, f->limit, &decisions);

        if (r < 0)
                return client_failed(&f->client, r);
        if (f->json)
                value_print(decisions);
        else if (value_length(decisions) == 0)
                printf("No decisions yet.\n");
        for (size_t i = 0; !f->json && i < value_length(decisions); i++)
                describe_decision(&f->out, value_at(decisions, i), 0);
        return CLI_OK;
}

static int run(const struct cli_invocation *inv) {
        const char *device = inv->options[OPTION_DEVICE];
        static const char *const signals[] = { "DecisionMade", "TrialEnded", NULL };
        struct follow f = { .device = device ? cli_drive_name(device) : NULL, .json = inv->json };
        struct follow_config config = { signals, on_decision, show_past_again, &f };
        uint64_t limit = SIZE_MAX;
        int r;

        if (inv->options[OPTION_LINES] && str_parse_u64(inv->options[OPTION_LINES], &limit) < 0)
                return cli_usage_error("decisions", "--lines needs a number, not \"%s\".", inv->options[OPTION_LINES]);
        f.limit = limit;
        output_init(&f.out, stdout);
        r = client_open_observing(&f.client, inv);
        if (r < 0)
                r = client_failed(&f.client, r);
        else
                r = inv->options[OPTION_FOLLOW] ? follow(&f.client, &config) : list(&f);
        client_close(&f.client);
        return r;
}

const struct cli_verb verb_decisions = {
        .name = "decisions",
        .operands = "",
        .summary = "Show what was changed, when and why",
        .details = "Newest last. With --follow, a decision comes again with what its trial found. With --follow --json, one object a line.",
        .json = true,
        .observes = true,
        .options = options,
        .run = run,
};
