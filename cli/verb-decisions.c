/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <systemd/sd-event.h>

#include "client.h"
#include "describe.h"
#include "names.h"
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
        if (value_u64(decision, "sequence") <= f->last)
                return 0; /* was in GetDecisions() */
        f->last = value_u64(decision, "sequence");
        if (!f->device || streq(f->device, value_text(decision, "device")))
                show(f, decision);
        return 0;
}

static int on_owner(sd_bus_message *m, void *userdata, _unused_ sd_bus_error *error) {
        const char *name, *old, *new;
        struct follow *f = userdata;

        if (sd_bus_message_read(m, "sss", &name, &old, &new) < 0)
                return 0;
        if (!new[0]) {
                fputs("brioctl: briod went away; waiting for it.\n", stderr);
                return 0;
        }
        fputs("brioctl: briod is back.\n", stderr);
        f->last = 0; /* a new daemon counts from one again */
        f->limit = 0;
        show_past(f);
        return 0;
}

static int on_disconnected(_unused_ sd_bus_message *m, void *userdata, _unused_ sd_bus_error *error) {
        return sd_event_exit(userdata, -ECONNRESET);
}

static int subscribe(struct follow *f, sd_event *event) {
        int r = sd_bus_match_signal(f->client.bus, NULL, BRIO_BUS_NAME, BRIO_OBJECT_PATH, BRIO_MANAGER_INTERFACE, "DecisionMade",
                                    on_decision, f);

        if (r < 0)
                return r;
        r = sd_bus_add_match(f->client.bus, NULL,
                             "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
                             "member='NameOwnerChanged',arg0='" BRIO_BUS_NAME "'",
                             on_owner, f);
        if (r < 0)
                return r;
        r = sd_bus_match_signal(f->client.bus, NULL, "org.freedesktop.DBus.Local", "/org/freedesktop/DBus/Local",
                                "org.freedesktop.DBus.Local", "Disconnected", on_disconnected, event);
        return r < 0 ? r : sd_bus_attach_event(f->client.bus, event, SD_EVENT_PRIORITY_NORMAL);
}

static int follow(struct follow *f) {
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        int r = sd_event_new(&event);

        if (r >= 0)
                r = subscribe(f, event);
        if (r >= 0)
                r = show_past(f);
        if (r < 0)
                return client_failed(&f->client, r);
        r = sd_event_loop(event);
        fprintf(stderr, "brioctl: the bus went away: %s.\n", strerror(-r));
        return CLI_FAILED;
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
        struct follow f = { .device = device ? cli_drive_name(device) : NULL, .json = inv->json };
        uint64_t limit = 0;
        int r;

        if (inv->options[OPTION_LINES] && str_parse_u64(inv->options[OPTION_LINES], &limit) < 0)
                return cli_usage_error("decisions", "--lines wants a number, not \"%s\".", inv->options[OPTION_LINES]);
        f.limit = limit;
        output_init(&f.out, stdout);
        r = client_open(&f.client, inv->bus);
        if (r < 0)
                r = client_failed(&f.client, r);
        else
                r = inv->options[OPTION_FOLLOW] ? follow(&f) : list(&f);
        client_close(&f.client);
        return r;
}

const struct cli_verb verb_decisions = {
        .name = "decisions",
        .operands = "",
        .summary = "Show what was changed, when and why",
        .details = "Newest last. With --follow --json, one object a line.",
        .json = true,
        .options = options,
        .run = run,
};
