/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "client.h"
#include "describe.h"
#include "str.h"
#include "verbs.h"

/* What found no room: nothing is known of it, and nothing is decided for it. */
static void print_refused(const struct output *o, struct json_object *counters) {
        static const struct {
                const char *key, *could_not, *one, *many;
        } kinds[] = {
                { "devices_refused", "watch", "drive", "drives" },
                { "processes_refused", "follow", "process", "processes" },
                { "requests_refused", "follow", "single request", "single requests" },
                { "flows_refused", "say whose", "single request was", "single requests were" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
                uint64_t n = value_u64(counters, kinds[i].key);
                if (n > 0)
                        output_paragraph(o, 0, "No room: since its start briod could not %s %" PRIu64 " %s.", kinds[i].could_not, n,
                                         n == 1 ? kinds[i].one : kinds[i].many);
        }
}

static void print_manager(const struct output *o, struct json_object *manager) {
        struct json_object *holds = value_get(manager, "active_holds"), *sources = value_get(manager, "sources");
        static const char *const levels[] = { "drives", "drives and processes", "drives, processes and single requests" };
        const char *mode = value_text(manager, "mode"), *reason = value_text(manager, "attention_reason"),
                   *presence = value_text(manager, "presence");

        printf("briod ");
        output_styled(o, STYLE_BOLD, "%s", value_text(manager, "version"));
        printf(", mode ");
        output_styled(o, describe_mode_style(mode), "%s", mode);
        printf(", watching %s\n", levels[MIN(value_u64(manager, "attention_level"), ARRAY_SIZE(levels) - 1)]);
        if (reason[0])
                output_paragraph(o, 0, "Watched this closely because %s", reason);
        if (describe_presence(presence))
                output_paragraph(o, 0, "%s: %s", describe_presence(presence), value_text(manager, "presence_reason"));
        for (size_t i = 0; i < value_length(holds); i++) {
                struct json_object *h = value_at(holds, i);
                output_paragraph(o, 0, "Hold: %s, for %s: %s", value_text(h, "mode"), value_text(h, "application_id"), value_text(h, "reason"));
        }
        for (size_t i = 0; i < value_length(sources); i++) {
                struct json_object *s = value_at(sources, i);
                if (streq(value_text(s, "state"), "unavailable")) /* "reduced" is for `probe`: it lasts, and nothing is wrong */
                        output_paragraph(o, 0, "Source %s is %s: %s", value_text(s, "name"), value_text(s, "state"), value_text(s, "note"));
        }
        print_refused(o, value_get(manager, "counters"));
}

/* Why Brio has no business on such a drive, for people. */
static const char *reason_of_class(const char *class) {
        static const struct {
                const char *class, *reason;
        } reasons[] = {
                { "nvme", "NVMe drives are faster without a scheduler" },
                { "virtual", "the host of this virtual machine schedules its drives" },
                { "zoned", "the order in which a zoned drive is written depends on its scheduler" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
                if (streq(reasons[i].class, class))
                        return reasons[i].reason;
        return "its policy lets no law act";
}

/* Why no law acts on the drive, or NULL where one may, or where an older daemon does not tell. */
static const char *reason_to_leave_alone(struct json_object *device) {
        struct json_object *laws = value_get(device, "laws");

        if (!json_object_is_type(laws, json_type_array))
                return NULL;
        if (!value_text(value_get(device, "policy"), "name")[0])
                return "no policy is for drives of its class";
        for (size_t i = 0; i < value_length(laws); i++)
                if (value_bool(value_at(laws, i), "enabled"))
                        return NULL;
        return reason_of_class(value_text(device, "class"));
}

/* A line for all drives of one reason, where the first of them stands. */
static void print_left_alone(const struct output *o, struct json_object *devices, size_t first) {
        const char *reason = reason_to_leave_alone(value_at(devices, first));
        char names[256] = "";

        for (size_t i = 0; reason && i < value_length(devices); i++) {
                const char *other = reason_to_leave_alone(value_at(devices, i));

                if (!other || !streq(other, reason))
                        continue;
                if (i < first)
                        return;
                str_append(names, sizeof(names), "%s%s", *names ? ", " : "", value_text(value_at(devices, i), "name"));
        }
        if (reason)
                output_paragraph(o, 0, "%s: left alone: %s.", names, reason);
}

static void print_drives(const struct output *o, struct json_object *devices) {
        static const struct table_column columns[] = {
                COLUMN_KEEP("DRIVE"), COLUMN_DROP("CLASS", 4), COLUMN_DROP("SCHEDULER", 1), COLUMN_DROP("WORKLOAD", 3), COLUMN("STATE"),
                COLUMN_RIGHT_DROP("UTIL", 2), COLUMN("SET BY BRIO"),
        };
        _cleanup_(table_freep) struct table *t = table_new(columns, ARRAY_SIZE(columns));

        if (value_length(devices) == 0) {
                printf("\nbriod looks after no drive. `briod --include NAME` adds one that it passes over, such as a loop device.\n");
                return;
        }
        for (size_t i = 0; i < value_length(devices); i++) {
                struct json_object *d = value_at(devices, i);
                const char *state = value_text(d, "state");
                _cleanup_free_ char *set = describe_settings(d);
                char utilisation[32];

                table_add(t, STYLE_BOLD, "%s", value_text(d, "name"));
                table_add(t, STYLE_PLAIN, "%s", value_text(d, "class"));
                table_add(t, STYLE_PLAIN, "%s", value_text(d, "scheduler"));
                table_add(t, STYLE_PLAIN, "%s", value_text(d, "workload"));
                table_add(t, describe_state_style(state), "%s", state);
                table_add(t, STYLE_PLAIN, "%s", format_permille(utilisation, sizeof(utilisation), value_u64(d, "utilisation_permille")));
                table_add(t, STYLE_PLAIN, "%s", set);
        }
        putchar('\n');
        table_print(t, o, 0);
        for (size_t i = 0; i < value_length(devices); i++)
                print_left_alone(o, devices, i);
        printf("\n`brioctl explain DRIVE` says why.\n");
}

static int run(const struct cli_invocation *inv) {
        _cleanup_value_ struct json_object *manager = NULL, *devices = NULL;
        _cleanup_client_ struct client client;
        struct output out;
        int r = client_open_observing(&client, inv);

        if (r >= 0)
                r = client_manager(&client, &manager);
        if (r >= 0)
                r = client_devices(&client, &devices);
        if (r < 0)
                return client_failed(&client, r);
        if (inv->json) {
                json_object_object_add(manager, "drives", json_object_get(devices));
                json_object_object_del(manager, "devices"); /* the bare object paths */
                value_print(manager);
                return CLI_OK;
        }
        output_init(&out, stdout);
        print_manager(&out, manager);
        print_drives(&out, devices);
        return CLI_OK;
}

const struct cli_verb verb_status = {
        .name = "status",
        .operands = "",
        .summary = "Show the mode, the drives and what is set on them",
        .details = "WORKLOAD, what the drive is used for:\n"
                   "  idle        no process uses it\n"
                   "  busy        processes do, in no way that has a name\n"
                   "  many-sync   many processes read, a little each, and wait for it\n"
                   "  startup     an application starts\n"
                   "  soft-rt     something plays, records or calls\n"
                   "  writeback   writes in the background hold up reads\n"
                   "  burst       many processes began to use it one right after the other, as in a compilation\n"
                   "  bulk        a process has moved much for seconds, such as a copy\n"
                   "  shared      several processes read at the same time\n"
                   "STATE, what Brio does there:\n"
                   "  ignored     nothing, ever: no policy is for drives of its class\n"
                   "  observing   it watches, and nothing is set\n"
                   "  trial       it compares what it has set with what was there before\n"
                   "  holding     what it has set stands\n"
                   "  reverting   what it has set goes back soon, as nothing needs it any more\n"
                   "  manual      nothing: another program set it, or the drive is left alone on request",
        .json = true,
        .observes = true,
        .run = run,
};
