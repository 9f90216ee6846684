/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "client.h"
#include "describe.h"
#include "show.h"
#include "verbs.h"

static void print_list(const struct output *o, struct json_object *devices) {
        static const struct table_column columns[] = {
                COLUMN_KEEP("DRIVE"), COLUMN_DROP("MODEL", 5), COLUMN_DROP("CLASS", 1), COLUMN("SCHEDULER"), COLUMN_DROP("POLICY", 6),
                COLUMN("STATE"), COLUMN_RIGHT_DROP("READ", 3), COLUMN_RIGHT_DROP("WRITE", 3), COLUMN_RIGHT_DROP("READ LAT", 2),
                COLUMN_RIGHT_DROP("WRITE LAT", 4), COLUMN_RIGHT_DROP("DEPTH", 7), COLUMN_RIGHT("UTIL"),
        };
        _cleanup_(table_freep) struct table *t = table_new(columns, ARRAY_SIZE(columns));
        char buf[32];

        for (size_t i = 0; i < value_length(devices); i++) {
                struct json_object *d = value_at(devices, i);
                const char *state = value_text(d, "state");

                table_add(t, STYLE_BOLD, "%s", value_text(d, "name"));
                table_add(t, STYLE_PLAIN, "%s", value_text(d, "model"));
                table_add(t, STYLE_PLAIN, "%s", value_text(d, "class"));
                table_add(t, STYLE_PLAIN, "%s", value_text(d, "scheduler"));
                table_add(t, STYLE_PLAIN, "%s", value_text(value_get(d, "policy"), "name"));
                table_add(t, describe_state_style(state), "%s", state);
                table_add(t, STYLE_PLAIN, "%s", format_rate(buf, sizeof(buf), value_u64(d, "read_bytes_per_second")));
                table_add(t, STYLE_PLAIN, "%s", format_rate(buf, sizeof(buf), value_u64(d, "write_bytes_per_second")));
                table_add(t, STYLE_PLAIN, "%s", format_latency(buf, sizeof(buf), value_u64(d, "read_latency_usec")));
                table_add(t, STYLE_PLAIN, "%s", format_latency(buf, sizeof(buf), value_u64(d, "write_latency_usec")));
                table_add(t, STYLE_PLAIN, "%s", format_milli(buf, sizeof(buf), value_u64(d, "queue_depth_milli")));
                table_add(t, STYLE_PLAIN, "%s", format_permille(buf, sizeof(buf), value_u64(d, "utilisation_permille")));
        }
        table_print(t, o, 0);
}

static void print_settings(const struct output *o, struct json_object *tunables) {
        static const struct table_column columns[] = {
                COLUMN_KEEP("SETTING"), COLUMN_RIGHT("INITIAL"), COLUMN_RIGHT("WANTED"), COLUMN_RIGHT("CURRENT"),
                COLUMN("OWNER"),
        };
        _cleanup_(table_freep) struct table *t = table_new(columns, ARRAY_SIZE(columns));

        if (value_length(tunables) == 0)
                return;
        json_object_object_foreach(tunables, name, tunable) {
                table_add(t, STYLE_PLAIN, "%s", name);
                table_add(t, STYLE_PLAIN, "%s", value_text(tunable, "initial"));
                table_add(t, STYLE_PLAIN, "%s", value_text(tunable, "wanted"));
                table_add(t, describe_setting_is_notable(tunable) ? STYLE_BOLD : STYLE_PLAIN, "%s", value_text(tunable, "current"));
                table_add(t, STYLE_PLAIN, "%s", value_text(tunable, "owner"));
        }
        putchar('\n');
        table_print(t, o, 0);
}

static void print_one(const struct output *o, struct json_object *d) {
        struct json_object *schedulers = value_get(d, "schedulers"), *policy = value_get(d, "policy");
        char read[32], write[32], read_latency[32], write_latency[32], depth[32], utilisation[32];
        const char *state = value_text(d, "state");

        output_heading(o, value_text(d, "name"));
        output_paragraph(o, 2, "Model       %s", value_text(d, "model")[0] ? value_text(d, "model") : "unknown");
        output_paragraph(o, 2, "Class       %s: %s", value_text(d, "class"), value_text(d, "class_reason"));
        printf("  Scheduler   ");
        output_styled(o, STYLE_BOLD, "%s", value_text(d, "scheduler"));
        for (size_t i = 0; i < value_length(schedulers); i++)
                output_styled(o, STYLE_PLAIN, "%s%s", i == 0 ? ", of " : " ", json_object_get_string(value_at(schedulers, i)));
        putchar('\n');
        if (value_text(policy, "name")[0])
                output_paragraph(o, 2, "Policy      %s (%s)", value_text(policy, "name"), value_text(policy, "file"));
        else
                output_paragraph(o, 2, "Policy      none matches");
        output_paragraph(o, 2, "Workload    %s, %" PRIu64 " %s", value_text(d, "workload"), value_u64(d, "readers"), value_u64(d, "readers") == 1 ? "reader" : "readers");
        printf("  State       ");
        output_styled(o, describe_state_style(state), "%s", state);
        putchar('\n');
        output_paragraph(o, 2, "Throughput  %s read, %s written", format_rate(read, sizeof(read), value_u64(d, "read_bytes_per_second")),
                         format_rate(write, sizeof(write), value_u64(d, "write_bytes_per_second")));
        output_paragraph(o, 2, "Latency     %s reads, %s writes",
                         format_latency(read_latency, sizeof(read_latency), value_u64(d, "read_latency_usec")),
                         format_latency(write_latency, sizeof(write_latency), value_u64(d, "write_latency_usec")));
        output_paragraph(o, 2, "Queue       %s requests, %s of the time in use",
                         format_milli(depth, sizeof(depth), value_u64(d, "queue_depth_milli")),
                         format_permille(utilisation, sizeof(utilisation), value_u64(d, "utilisation_permille")));
        print_settings(o, value_get(d, "tunables"));
}

static int run(const struct cli_invocation *inv) {
        _cleanup_value_ struct json_object *shown = NULL;
        _cleanup_client_ struct client client;
        int r = client_open_observing(&client, inv);

        if (r >= 0)
                r = inv->argc > 0 ? client_device(&client, cli_drive_name(inv->argv[0]), &shown) : client_devices(&client, &shown);
        if (r < 0)
                return client_failed(&client, r);
        return show_value(inv, shown, inv->argc > 0 ? print_one : print_list);
}

const struct cli_verb verb_devices = {
        .name = "devices",
        .operands = "[DEV]",
        .summary = "List the drives, or show one with all its settings",
        .max_operands = 1,
        .json = true,
        .observes = true,
        .run = run,
};
