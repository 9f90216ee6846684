/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prometheus' text format 0.0.4, which node_exporter's textfile collector reads, too:
 * https://prometheus.io/docs/instrumenting/exposition_formats/ */
#include <inttypes.h>
#include <stdio.h>

#include "client.h"
#include "names.h"
#include "units.h"
#include "verbs.h"

/* Counters of the daemon; one that is not listed here is left out until this table says what it means. */
static const struct {
        const char *key, *metric, *help;
} counters[] = {
        { "events", "brio_events_total", "Events taken in from all sources." },
        { "events_lost", "brio_events_lost_total", "Events that a source could not deliver." },
        { "events_invalid", "brio_events_invalid_total", "Events dropped as senseless." },
        { "ticks", "brio_ticks_total", "Rounds of observing and deciding." },
        { "writes", "brio_writes_total", "Settings written." },
        { "write_errors", "brio_write_errors_total", "Settings that could not be written." },
        { "foreign_writes", "brio_foreign_writes_total", "Settings found written by another program." },
        { "restores", "brio_restores_total", "Settings put back to their originals." },
        { "drive_changes", "brio_drive_changes_total", "Looks into a drive because a change of it was told." },
        { "priorities_refused", "brio_priorities_refused_total", "Processes that a law wanted to step back, and that were left alone." },
        { "priorities_inherited", "brio_priorities_inherited_total", "Children that got back the I/O priority that their parent had had." },
        { "priorities_lowered", "brio_priorities_lowered_total", "Processes that a user asked to step back." },
        { "processes_refused", "brio_processes_refused_total", "Processes not followed because the table was full." },
        { "devices_refused", "brio_devices_refused_total", "Drives not watched because there were too many." },
        { "requests_refused", "brio_requests_refused_total", "Single requests not followed because a table was full." },
        { "flows_refused", "brio_flows_refused_total", "Single requests whose process is not known because the table of processes that ask was full." },
        { "requests_unmatched", "brio_requests_unmatched_total", "Completions of requests that were not seen before." },
        { "requests_aged", "brio_requests_aged_total", "Requests that were never seen to end." },
        { "startups_refused", "brio_startups_refused_total", "Starts of applications, processes of one, or programs served meanwhile, beyond what there is room for." },
        { "prefetch_starts", "brio_prefetch_starts_total", "Starts of applications that were helped: what they read was read ahead." },
        { "prefetch_controls", "brio_prefetch_controls_total", "Starts that were not, to show what the help is worth." },
        { "prefetch_learnt", "brio_prefetch_learnt_total", "Starts that were learnt from." },
        { "prefetch_bytes", "brio_prefetch_bytes_total", "Bytes that were read ahead from drives." },
        { "prefetch_refused", "brio_prefetch_refused_total", "Starts not helped or not learnt from for want of room, or because it failed." },
        { "recordings_lost", "brio_recordings_lost_total", "Events that slow readers of recordings lost." },
        { "streams_refused", "brio_streams_refused_total", "Streams for which there was no room, once a look." },
        { "request_events", "brio_request_events_total", "Events of single requests taken in." },
        { "request_bytes", "brio_request_bytes_total", "Bytes of trace buffers read for them." },
        { "request_wakeups", "brio_request_wakeups_total", "Times that briod woke for them." },
};

/* Numbers as of now; daemons that do not tell one leave it out. */
static const struct metric {
        const char *key, *name, *help;
        double divisor;
        bool absent_at_zero; /* where 0 means that there was none, an average must not count it */
} daemon_gauges[] = {
        { "uptime_usec", "brio_uptime_seconds", "Since briod started.", USEC_PER_SEC, false },
        { "processes_known", "brio_processes_known", "Processes with I/O that are followed now.", 1, false },
        { "stepped_back", "brio_processes_stepped_back", "Processes whose I/O priority Brio has changed for now.", 1, false },
}, drive_gauges[] = {
        { "read_latency_usec", "brio_drive_read_latency_seconds", "Mean time of the reads of the last sample; absent without one.", USEC_PER_SEC, true },
        { "write_latency_usec", "brio_drive_write_latency_seconds", "Mean time of the writes of the last sample; absent without one.", USEC_PER_SEC,
          true },
        { "read_bytes_per_second", "brio_drive_read_bytes_per_second", "Read over the last sample.", 1, false },
        { "write_bytes_per_second", "brio_drive_write_bytes_per_second", "Written over the last sample.", 1, false },
        { "utilisation_permille", "brio_drive_utilisation_ratio", "Share of the last sample with at least one request.", 1000, false },
        { "queue_depth_milli", "brio_drive_queue_depth_requests", "Mean requests in flight over the last sample.", 1000, false },
        { "readers", "brio_drive_readers", "Processes that read in the last second.", 1, false },
}, request_gauges[] = { /* from a drive's single requests, while these are looked at */
        { "read_latency_p99_usec", "brio_drive_read_latency_p99_seconds", "What 99 of 100 reads did not exceed; absent without one.", USEC_PER_SEC, true },
        { "write_latency_p99_usec", "brio_drive_write_latency_p99_seconds", "What 99 of 100 writes did not exceed; absent without one.", USEC_PER_SEC,
          true },
        { "asked_reads_per_second", "brio_drive_asked_reads_per_second", "Reads asked of a drive that is told in sums: each is counted.", 1, false },
        { "asked_writes_per_second", "brio_drive_asked_writes_per_second", "Writes asked of a drive that is told in sums.", 1, false },
        { "hole_permille", "brio_drive_hole_ratio", "Share of the time in which it idled while requests waited for it.", 1000, false },
        { "idle_permille", "brio_drive_idle_window_ratio", "Share of the time with nothing to do just after a reader was served.", 1000, false },
        { "peak_bytes_per_second", "brio_drive_peak_bytes_per_second", "At its best, as bfq estimates it; absent before that is known.", 1, true },
};

static const char *const states[] = { "ignored", "observing", "trial", "holding", "reverting", "manual" };
static const char *const modes[] = { "auto", "advise", "off" };

static void print_family(const char *name, const char *type, const char *help) {
        printf("# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
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

static void print_of_drive(const char *name, struct json_object *device) {
        printf("%s{", name);
        print_label("device", value_text(device, "name"));
        putchar('}');
}

/* How long cold starts took: each bucket counts those of the shorter ones, too. */
static void print_cold_starts(struct json_object *values) {
        static const char name[] = "brio_cold_start_duration_seconds";
        static const unsigned bounds_ms[] = { BRIO_COLD_START_BOUNDS_MS };
        uint64_t n = value_u64(values, "cold_starts");

        if (!value_get(values, "cold_starts")) /* an earlier daemon */
                return;
        print_family(name, "histogram", "Starts of applications that had to read from a drive, by how long they took.");
        for (size_t i = 0; i < ARRAY_SIZE(bounds_ms); i++) {
                char key[64];

                snprintf(key, sizeof(key), BRIO_COLD_STARTS_WITHIN, bounds_ms[i]);
                printf("%s_bucket{le=\"%g\"} %" PRIu64 "\n", name, bounds_ms[i] / 1000.0, value_u64(values, key));
        }
        printf("%s_bucket{le=\"+Inf\"} %" PRIu64 "\n", name, n);
        printf("%s_sum %.15g\n", name, (double) value_u64(values, "cold_starts_usec") / (double) USEC_PER_SEC);
        printf("%s_count %" PRIu64 "\n", name, n);
}

static void print_daemon(struct json_object *manager) {
        struct json_object *values = value_get(manager, "counters");

        print_family("brio_build_info", "gauge", "The running briod; always 1.");
        printf("brio_build_info{");
        print_label("version", value_text(manager, "version"));
        printf("} 1\n");
        print_family("brio_mode", "gauge", "1 for the mode in force.");
        for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
                printf("brio_mode{mode=\"%s\"} %d\n", modes[i], streq(modes[i], value_text(manager, "mode")));
        print_family("brio_attention_level", "gauge", "0: drives are watched; 1: processes, too; 2: single requests, too.");
        printf("brio_attention_level %" PRIu64 "\n", value_u64(manager, "attention_level"));
        print_family("brio_holds", "gauge", "Holds in force.");
        printf("brio_holds %zu\n", value_length(value_get(manager, "active_holds")));
        for (size_t i = 0; i < ARRAY_SIZE(daemon_gauges); i++) {
                const struct metric *g = &daemon_gauges[i];

                print_family(g->name, "gauge", g->help);
                printf("%s %.15g\n", g->name, (double) value_u64(values, g->key) / g->divisor);
        }
        for (size_t i = 0; i < ARRAY_SIZE(counters); i++) {
                if (!value_get(values, counters[i].key))
                        continue;
                print_family(counters[i].metric, "counter", counters[i].help);
                printf("%s %" PRIu64 "\n", counters[i].metric, value_u64(values, counters[i].key));
        }
        print_cold_starts(values);
}

static void print_drive_info(struct json_object *devices) {
        static const struct {
                const char *label, *key;
        } labels[] = { { "device", "name" }, { "model", "model" }, { "class", "class" }, { "scheduler", "scheduler" } };

        print_family("brio_drive_info", "gauge", "What each drive is; always 1.");
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
        print_family("brio_drive_state", "gauge", "1 for what Brio does with the drive now.");
        for (size_t i = 0; i < value_length(devices); i++)
                for (size_t j = 0; j < ARRAY_SIZE(states); j++) {
                        struct json_object *d = value_at(devices, i);
                        printf("brio_drive_state{");
                        print_label("device", value_text(d, "name"));
                        printf(",state=\"%s\"} %d\n", states[j], streq(states[j], value_text(d, "state")));
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

static void print_drive_settings(struct json_object *devices) {
        print_family("brio_drive_settings_held", "gauge", "Settings that are Brio's now.");
        for (size_t i = 0; i < value_length(devices); i++) {
                print_of_drive("brio_drive_settings_held", value_at(devices, i));
                printf(" %" PRIu64 "\n", settings_of_brio(value_at(devices, i)));
        }
}

/* within: the key of the dictionary that has them; NULL: the drive's own. */
static void print_drive_gauge(struct json_object *devices, const char *within, const struct metric *g) {
        bool begun = false;

        for (size_t i = 0; i < value_length(devices); i++) {
                struct json_object *d = value_at(devices, i), *values = within ? value_get(d, within) : d;
                uint64_t value = value_u64(values, g->key);

                if (!value_get(values, g->key) || (value == 0 && g->absent_at_zero))
                        continue;
                if (!begun)
                        print_family(g->name, "gauge", g->help);
                begun = true;
                print_of_drive(g->name, d);
                printf(" %.15g\n", (double) value / g->divisor);
        }
}

static void print_drives(struct json_object *devices) {
        if (value_length(devices) == 0)
                return;
        print_drive_info(devices);
        print_drive_states(devices);
        print_drive_settings(devices);
        for (size_t i = 0; i < ARRAY_SIZE(drive_gauges); i++)
                print_drive_gauge(devices, NULL, &drive_gauges[i]);
        for (size_t i = 0; i < ARRAY_SIZE(request_gauges); i++)
                print_drive_gauge(devices, "requests", &request_gauges[i]);
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
        return CLI_OK;
}

const struct cli_verb verb_metrics = {
        .name = "metrics",
        .operands = "",
        .summary = "Print counters and gauges for Prometheus",
        .details = "For node_exporter's textfile collector: write to a temporary file in its directory, then rename that to brio.prom.\n"
                   "`brioctl status --json` has the same numbers as JSON.",
        .run = run,
};
