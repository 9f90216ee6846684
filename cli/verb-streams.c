/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "describe.h"
#include "follow.h"
#include "kernel-verdicts.h"
#include "str.h"
#include "verbs.h"

enum { OPTION_FOLLOW, OPTION_DEVICE, OPTION_KERNEL };

static const struct cli_option options[] = {
        [OPTION_FOLLOW] = { "follow", 'f', NULL, "current streams, then each start and end; waits while briod is away" },
        [OPTION_DEVICE] = { "device", 'd', "DEV", "only those on this drive" },
        [OPTION_KERNEL] = { "kernel", 'k', NULL, "also what bfq itself says, heard for five seconds (needs administrator rights)" },
        {},
};

struct streams {
        struct client client;
        struct output out;
        const char *device;
        bool json, kernel;
};

static enum style state_style(const char *state) {
        if (streq(state, "stream"))
                return STYLE_GOOD;
        return streq(state, "near-miss") ? STYLE_WARNING : STYLE_DIM;
}

static void print_table(const struct output *o, struct json_object *streams) {
        static const struct table_column columns[] = {
                COLUMN_KEEP("STATE"), COLUMN("PROCESS"), COLUMN_RIGHT("PID"), COLUMN_KEEP("DRIVE"), COLUMN_RIGHT("RATE"), COLUMN_RIGHT("PERIOD"),
                COLUMN_RIGHT_DROP("REGULAR", 2), COLUMN_RIGHT_DROP("PAUSES", 4), COLUMN_DROP("BFQ SAYS", 3), COLUMN_RIGHT_DROP("SINCE", 1),
        };
        _cleanup_(table_freep) struct table *t = table_new(columns, ARRAY_SIZE(columns));
        char buf[32];

        for (size_t i = 0; i < value_length(streams); i++) {
                struct json_object *s = value_at(streams, i);
                table_add(t, state_style(value_text(s, "state")), "%s", value_text(s, "state"));
                table_add(t, STYLE_PLAIN, "%s", value_text(s, "name"));
                table_add(t, STYLE_PLAIN, "%" PRIu64, value_u64(s, "pid"));
                table_add(t, STYLE_PLAIN, "%s", value_text(s, "device"));
                table_add(t, STYLE_PLAIN, "%s", format_rate(buf, sizeof(buf), value_u64(s, "bytes_per_second")));
                table_add(t, STYLE_PLAIN, "%s", format_latency(buf, sizeof(buf), value_u64(s, "period_usec")));
                table_add(t, STYLE_PLAIN, "%s", format_permille(buf, sizeof(buf), value_u64(s, "regularity_permille")));
                table_add(t, STYLE_PLAIN, "%s", format_permille(buf, sizeof(buf), value_u64(s, "pause_permille")));
                table_add(t, STYLE_PLAIN, "%s", value_text(s, "kernel"));
                table_add(t, STYLE_PLAIN, "%s", str_format_duration_us(buf, sizeof(buf), value_u64(s, "since_usec")));
        }
        table_print(t, o, 0);
}

/* A line of one that begins or ends. */
static void show_one(struct streams *s, struct json_object *stream) {
        const char *state = value_text(stream, "state");

        if (s->json)
                value_print_line(stream);
        else {
                output_styled(&s->out, state_style(state), "%-6s", state);
                output_paragraph(&s->out, 0, "  %s: %s", value_text(stream, "device"), value_text(stream, "sentence"));
        }
        fflush(stdout);
}

static int show_all(struct streams *s) {
        _cleanup_value_ struct json_object *streams = NULL;
        int r = client_streams(&s->client, s->device, &streams);

        if (r >= 0 && s->kernel)
                r = kernel_verdicts_hear(&s->client, streams);
        if (r < 0)
                return r;
        if (s->json)
                value_print(streams);
        else if (value_length(streams) == 0)
                printf("No soft real-time streams, and nothing that comes near.\n");
        if (s->json || value_length(streams) == 0)
                return 0;
        print_table(&s->out, streams);
        describe_streams(&s->out, streams, "candidate", "Candidates", 0);
        describe_streams(&s->out, streams, "near-miss", "Near misses", 0);
        if (s->kernel)
                kernel_verdicts_print(&s->out, streams);
        return 0;
}

/* Those that are some now; the others come as they begin. */
static int show_standing(void *userdata, _unused_ bool again) {
        _cleanup_value_ struct json_object *streams = NULL;
        struct streams *s = userdata;
        int r = client_streams(&s->client, s->device, &streams);

        for (size_t i = 0; r >= 0 && i < value_length(streams); i++)
                if (streq(value_text(value_at(streams, i), "state"), "stream"))
                        show_one(s, value_at(streams, i));
        return r;
}

static int on_stream(sd_bus_message *m, void *userdata, _unused_ sd_bus_error *error) {
        _cleanup_value_ struct json_object *stream = NULL;
        struct streams *s = userdata;

        if (value_decode(m, &stream) < 0 || (s->device && !streq(s->device, value_text(stream, "device"))))
                return 0;
        client_name_arrivals(stream);
        show_one(s, stream);
        return 0;
}

static int run(const struct cli_invocation *inv) {
        static const char *const signals[] = { "StreamStarted", "StreamEnded", NULL };
        const char *device = inv->options[OPTION_DEVICE];
        struct streams s = { .device = device ? cli_drive_name(device) : NULL, .json = inv->json,
                             .kernel = inv->options[OPTION_KERNEL] };
        struct follow_config config = { signals, on_stream, show_standing, &s };
        int r;

        if (s.kernel && inv->options[OPTION_FOLLOW])
                return cli_usage_error("streams", "--kernel listens for a few seconds, and does not go with --follow.");
        output_init(&s.out, stdout);
        r = client_open_observing(&s.client, inv);
        if (r >= 0 && inv->options[OPTION_FOLLOW])
                r = follow(&s.client, &config);
        else {
                if (r >= 0)
                        r = show_all(&s);
                r = r < 0 ? client_failed(&s.client, r) : CLI_OK;
        }
        client_close(&s.client);
        return r;
}

const struct cli_verb verb_streams = {
        .name = "streams",
        .operands = "",
        .summary = "Show what plays, records or calls, and why what comes near is no stream",
        .details = "States: stream; candidate (its counters look like one's, and its single requests are not looked at); near-miss; ended.\n"
                   "BFQ SAYS: what bfq's own rule says, computed from the same requests. With --kernel, what bfq itself says, too; it needs the\n"
                   "kernel's tracer for that, which another program may use. With --follow --json, one object a line.",
        .json = true,
        .observes = true,
        .options = options,
        .run = run,
};
