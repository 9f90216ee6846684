/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OpenMetrics 1.0: https://prometheus.io/docs/specs/om/open_metrics_spec/ */
#include <inttypes.h>

#include "client.h"
#include "describe.h"
#include "units.h"
#include "verbs.h"

/* Counters of the daemon; one that is not listed here is left out until this table says what it means. */
static const struct {
        const char *key, *metric, *help;
} counters[] = {
        { "events", "brio_events", "Events taken in from all sources." },
        { "events_lost", "brio_events_lost", "Events that a source could not deliver." },
        { "events_invalid", "brio_events_invalid", "Events dropped as senseless." },
        { "ticks", "brio_ticks", "Rounds of observing and deciding." },
        { "writes", "brio_writes", "Settings written." },
        { "write_errors", "brio_write_errors", "Settings that could not be written." },
        { "foreign_writes", "brio_foreign_writes", "Settings found written by somebody else." },
        { "restores", "brio_restores", "Settings put back to their originals." },
        { "drive_changes", "brio_drive_changes", "Looks into a drive because a change of it was told." },
        { "priorities_refused", "brio_priorities_refused", "Processes that a law wanted to step back, and that were left alone." },
        { "priorities_inherited", "brio_priorities_inherited", "Children that got back the I/O priority that their parent had had." },
        { "processes_refused", "brio_processes_refused", "Processes not followed because the table was full." },
        { "devices_refused", "brio_devices_refused", "Drives not watched because there were too many." },
        { "requests_refused", "brio_requests_refused", "Single requests not followed because a table was full." },
        { "flows_refused", "brio_flows_refused", "Single requests that are nobody's because the table of processes that ask was full." },
        { "requests_unmatched", "brio_requests_unmatched", "Completions of requests that were not seen before." },
        { "requests_aged", "brio_requests_aged", "Requests that were never seen to end." },
        { "startups_refused", "brio_startups_refused", "Starts of applications, processes of one, or programs served meanwhile, beyond what there is room for." },
        { "recordings_lost", "brio_recordings_lost", "Events that slow readers of recordings lost." },
        { "streams_refused", "brio_streams_refused", "Streams for which there was no room, once a look." },
        { "request_events", "brio_request_events", "Events of single requests taken in." },
        { "request_bytes", "brio_request_bytes", "Bytes of trace buffers read for them." },
        { "request_wakeups", "brio_request_wakeups", "Times that briod woke for them." },
};

/* A drive's numbers, in base units. */
static const struct {
        const char *key, *metric, *unit, *help;
        double divisor;
} gauges[] = {
        { "read_latency_usec", "brio_drive_read_latency_seconds", "seconds", "Mean time of the reads of the last sample; 0: none.", USEC_PER_SEC },
        { "write_latency_usec", "brio_drive_write_latency_seconds", "seconds", "Mean time of the writes of the last sample; 0: none.", USEC_PER_SEC },
        { "read_bytes_per_second", "brio_drive_read_bytes_per_second", "bytes_per_second", "Read over the last sample.", 1 },
        { "write_bytes_per_second", "brio_drive_write_bytes_per_second", "bytes_per_second", "Written over the last sample.", 1 },
        { "utilisation_permille", "brio_drive_utilisation_ratio", "ratio", "Share of the last sample with at least one request.", 1000 },
        { "queue_depth_milli", "brio_drive_queue_depth_requests", "requests", "Mean requests in flight over the last sample.", 1000 },
        { "readers", "brio_drive_readers", NULL, "Processes that read in the last second.", 1 },
};

/* The same from its single requests, while these are looked at. */
static const struct {
        const char *key, *metric, *unit, *help;
        double divisor;
} request_gauges[] = {
        { "asked_reads_per_second", "brio_drive_asked_reads_per_second", NULL, "Reads asked of it, of a drive that is told in sums: each is counted.", 1 },
        { "asked_writes_per_second", "brio_drive_asked_writes_per_second", NULL, "Writes asked of it, of a drive that is told in sums.", 1 },
        { "hole_permille", "brio_drive_hole_ratio", "ratio", "Share of the time in which it idled while requests waited for it.", 1000 },
        { "idle_permille", "brio_drive_idle_window_ratio", "ratio", "Share of the time with nothing to do just after a reader was served.", 1000 },
        { "peak_bytes_per_second", "brio_drive_peak_bytes_per_second", "bytes_per_second", "At its best, as bfq estimates it; 0: not known yet.", 1 },
};

static const char *const states[] = { "ignored", "observing", "trial", "holding", "reverting", "manual" };
static const char *const modes[] = { "auto", "advise", "off" };

static void print_family(const char *name, const char *type, const char *unit, const char *help) {
        printf("# TYPE %s %s\n", name, type);
        if (unit)
                printf("# UNIT %s %s\n", name, unit);
        printf("# HELP %s %s\n", name, help);
}

/* name="value" with the three characters that need it escaped. */
static void print_label(const char *name, const char *value) {
        printf("%s=\"", name);
        for (; *value; value++) {
                if (*value == '\n') {
                        fputs("\\n", stdout);
                        continue;
                }
                if (*value == '"' || *value == '\\')
                        putchar('\\');
                putchar(*value);
        }
        putchar('"');
}

static void print_daemon(struct json_object *manager) {
        struct json_object *values = value_get(manager, "counters");

        print_family("brio_daemon", "info", NULL, "The running briod.");
        printf("brio_daemon_info{");
        print_label("version", value_text(manager, "version"));
        printf("} 1\n");
        print_family("brio_mode", "stateset", NULL, "The mode in force.");
        for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
                printf("brio_mode{brio_mode=\"%s\"} %d\n", modes[i], streq(modes[i], value_text(manager, "mode")));
        print_family("brio_attention_level", "gauge", NULL, "0: drives are watched; 1: processes, too; 2: single requests, too.");
        printf("brio_attention_level %" PRIu64 "\n", value_u64(manager, "attention_level"));
        print_family("brio_holds", "gauge", NULL, "Holds in force.");
        printf("brio_holds %zu\n", value_length(value_get(manager, "active_holds")));
        print_family("brio_uptime_seconds", "gauge", "seconds", "Since briod started.");
        printf("brio_uptime_seconds %.6f\n", (double) value_u64(values, "uptime_usec") / (double) USEC_PER_SEC);
        print_family("brio_processes_known", "gauge", NULL, "Processes with I/O that are followed now.");
        printf("brio_processes_known %" PRIu64 "\n", value_u64(values, "processes_known"));
        print_family("brio_stepped_back", "gauge", NULL, "Processes whose I/O priority is lowered now.");
        printf("brio_stepped_back %" PRIu64 "\n", value_u64(values, "stepped_back"));
        for (size_t i = 0; i < ARRAY_SIZE(counters); i++) {
                if (!value_get(values, counters[i].key))
                        continue;
                print_family(counters[i].metric, "counter", NULL, counters[i].help);
                printf("%s_total %" PRIu64 "\n", counters[i].metric, value_u64(values, counters[i].key));
        }
}

static void print_drive_info(struct json_object *devices) {
        static const struct {
                const char *label, *key;
        } labels[] = { { "drive", "name" }, { "model", "model" }, { "class", "class" }, { "scheduler", "scheduler" } };

        print_family("brio_drive", "info", NULL, "What each drive is.");
        for (size_t i = 0; i < value_length(devices); i++) {
                printf("brio_drive_info{");
                for (size_t j = 0; j < ARRAY_SIZE(labels); j++) {
                        print_label(labels[j].label, value_text(value_at(devices, i), labels[j].key));
                        putchar(j + 1 < ARRAY_SIZE(labels) ? ',' : '}');
                }
                printf(" 1\n");
        }
}

static void print_drive_states(struct json_object *devices) {
        print_family("brio_drive_state", "stateset", NULL, "What Brio does with each drive.");
        for (size_t i = 0; i < value_length(devices); i++)
                for (size_t j = 0; j < ARRAY_SIZE(states); j++) {
                        struct json_object *d = value_at(devices, i);
                        printf("brio_drive_state{");
                        print_label("drive", value_text(d, "name"));
                        printf(",brio_drive_state=\"%s\"} %d\n", states[j], streq(states[j], value_text(d, "state")));
                }
}

static uint64_t settings_of_brio(struct json_object *device) {
        struct json_object *tunables = value_get(device, "tunables");
        uint64_t n = 0;

        if (json_object_is_type(tunables, json_type_object)) {
                json_object_object_foreach(tunables, name, tunable)
                        n += name && streq(value_text(tunable, "owner"), "brio");
        }
        return n;
}

static void print_drive_requests(struct json_object *devices) {
        for (size_t g = 0; g < ARRAY_SIZE(request_gauges); g++) {
                print_family(request_gauges[g].metric, "gauge", request_gauges[g].unit, request_gauges[g].help);
                for (size_t i = 0; i < value_length(devices); i++) {
                        struct json_object *d = value_at(devices, i), *requests = value_get(d, "requests");
                        if (!value_get(requests, request_gauges[g].key)) /* in sums less is known */
                                continue;
                        printf("%s{", request_gauges[g].metric);
                        print_label("drive", value_text(d, "name"));
                        printf("} %.15g\n", (double) value_u64(requests, request_gauges[g].key) / request_gauges[g].divisor);
                }
        }
}

static void print_drives(struct json_object *devices) {
        print_drive_info(devices);
        print_drive_states(devices);
        print_family("brio_drive_settings_held", "gauge", NULL, "Settings that are Brio's now.");
        for (size_t i = 0; i < value_length(devices); i++) {
                printf("brio_drive_settings_held{");
                print_label("drive", value_text(value_at(devices, i), "name"));
                printf("} %" PRIu64 "\n", settings_of_brio(value_at(devices, i)));
        }
        for (size_t g = 0; g < ARRAY_SIZE(gauges); g++) {
                print_family(gauges[g].metric, "gauge", gauges[g].unit, gauges[g].help);
                for (size_t i = 0; i < value_length(devices); i++) {
                        struct json_object *d = value_at(devices, i);
                        printf("%s{", gauges[g].metric);
                        print_label("drive", value_text(d, "name"));
                        printf("} %.15g\n", (double) value_u64(d, gauges[g].key) / gauges[g].divisor);
                }
        }
        print_drive_requests(devices);
}

static int run(const struct cli_invocation *inv) {
        _cleanup_value_ struct json_object *manager = NULL, *devices = NULL;
        _cleanup_client_ struct client client;
        int r = client_open(&client, inv->bus);

        if (r >= 0)
                r = client_manager(&client, &manager);
        if (r >= 0)
                r = client_devices(&client, &devices);
        if (r < 0)
                return client_failed(&client, r);
        print_daemon(manager);
        print_drives(devices);
        printf("# EOF\n");
        return CLI_OK;
}

const struct cli_verb verb_metrics = {
        .name = "metrics",
        .operands = "",
        .summary = "Print counters and gauges as OpenMetrics text",
        .details = "For node_exporter's textfile collector: write to a temporary file, then rename it into the directory.\n"
                   "`brioctl status --json` has the same numbers as JSON.",
        .run = run,
};
