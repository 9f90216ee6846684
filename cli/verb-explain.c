/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "client.h"
#include "describe.h"
#include "law.h"
#include "str.h"
#include "verbs.h"

#define DECISIONS_SHOWN 8
/* Of each kind of finding so many with their evidence, so that all of it fits on a screen; and so many more by name. --json has all. */
#define VERDICTS_SHOWN 2
#define OTHERS_MAX 12
#define STREAMS_SHOWN 4

static void print_identity(const struct output *o, struct json_object *d) {
        struct json_object *policy = value_get(d, "policy");
        const char *state = value_text(d, "state"), *model = value_text(d, "model"), *awaited = value_text(d, "awaited_scheduler");

        output_styled(o, STYLE_BOLD, "%s", value_text(d, "name"));
        output_styled(o, STYLE_PLAIN, "%s%s", model[0] ? ": " : "", model);
        putchar('\n');
        output_paragraph(o, 2, "Class      %s, because: %s", value_text(d, "class"), value_text(d, "class_reason"));
        output_paragraph(o, 2, awaited[0] ? "Scheduler  %s; %s once the drive is quiet" : "Scheduler  %s", value_text(d, "scheduler"), awaited);
        output_paragraph(o, 2, "Workload   %s", value_text(d, "workload"));
        if (value_text(policy, "name")[0])
                output_paragraph(o, 2, "Policy     %s (%s)", value_text(policy, "name"), value_text(policy, "file"));
        else
                output_paragraph(o, 2, "Policy     none matches this drive, so nothing is set");
        printf("  State      ");
        output_styled(o, describe_state_style(state), "%s", state);
        putchar('\n');
        if (value_text(d, "reason")[0])
                output_paragraph(o, 4, "%s", value_text(d, "reason"));
}

/* Of a drive that is told in sums. */
static void print_asked(const struct output *o, struct json_object *requests) {
        uint64_t one_in = value_u64(requests, "sampled_one_in");
        char estimated[96] = "";

        if (!value_get(requests, "asked_reads_per_second"))
                return;
        if (one_in > 1)
                snprintf(estimated, sizeof(estimated), "; the rest is estimated from one request in %" PRIu64, one_in);
        output_paragraph(o, 4, "All that was asked of it is counted: %" PRIu64 " reads and %" PRIu64 " writes a second%s.",
                         value_u64(requests, "asked_reads_per_second"), value_u64(requests, "asked_writes_per_second"), estimated);
}

static void print_requests(const struct output *o, struct json_object *requests) {
        static const struct table_column columns[] = {
                COLUMN_KEEP("REQUESTS"), COLUMN_RIGHT_DROP("NUMBER", 2), COLUMN_RIGHT("WAIT"), COLUMN_RIGHT("P99"), COLUMN_RIGHT_DROP("IN DRIVE", 3),
                COLUMN_RIGHT_DROP("P99", 4),
        };
        static const char *const rows[][6] = {
                { "reads", "reads", "read_latency_usec", "read_latency_p99_usec", "read_service_usec", "read_service_p99_usec" },
                { "writes", "writes", "write_latency_usec", "write_latency_p99_usec", "write_service_usec", "write_service_p99_usec" },
        };
        _cleanup_(table_freep) struct table *t = table_new(columns, ARRAY_SIZE(columns));
        char buf[32], filled[32];

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                table_add(t, STYLE_PLAIN, "%s", rows[i][0]);
                table_add(t, STYLE_PLAIN, "%" PRIu64, value_u64(requests, rows[i][1]));
                for (size_t k = 2; k < ARRAY_SIZE(rows[i]); k++)
                        table_add(t, STYLE_PLAIN, "%s", format_latency(buf, sizeof(buf), value_u64(requests, rows[i][k])));
        }
        table_print(t, o, 4);
        print_asked(o, requests);
        if (value_u64(requests, "hole_permille") > 0)
                output_paragraph(o, 4, "The drive idled for %s of the time while requests waited for it; %s of that ended with what was hoped for.",
                                 format_permille(buf, sizeof(buf), value_u64(requests, "hole_permille")),
                                 format_permille(filled, sizeof(filled), value_u64(requests, "filled_permille")));
        if (value_u64(requests, "peak_bytes_per_second") > 0)
                output_paragraph(o, 4, "At its best it moves %s, as bfq estimates it; bfq raises a program that starts for %s.",
                                 format_rate(buf, sizeof(buf), value_u64(requests, "peak_bytes_per_second")),
                                 format_latency(filled, sizeof(filled), value_u64(requests, "raise_usec")));
}

static void print_attention(const struct output *o, struct json_object *d) {
        const char *reason = value_text(d, "attention_reason");

        if (!reason[0])
                return;
        output_paragraph(o, 2, "Attention  level 2: its single requests are looked at, because: %s", reason);
        if (value_length(value_get(d, "requests")) > 0)
                print_requests(o, value_get(d, "requests"));
}

static void print_evidence(const struct output *o, struct json_object *evidence) {
        static const struct table_column columns[] = {
                COLUMN("EVIDENCE"), COLUMN_RIGHT("VALUE"), COLUMN_RIGHT("LIMIT"),
        };
        _cleanup_(table_freep) struct table *t = table_new(columns, ARRAY_SIZE(columns));
        char buf[64];

        if (value_length(evidence) == 0)
                return;
        for (size_t i = 0; i < value_length(evidence); i++) {
                struct json_object *e = value_at(evidence, i);
                const char *unit = value_text(e, "unit");
                int64_t limit = value_i64(e, "limit"); /* 0: none */

                table_add(t, STYLE_PLAIN, "%s", value_text(e, "name"));
                table_add(t, STYLE_BOLD, "%s", format_quantity(buf, sizeof(buf), value_i64(e, "value"), unit));
                table_add(t, STYLE_PLAIN, "%s", limit ? format_quantity(buf, sizeof(buf), limit, unit) : "");
        }
        table_print(t, o, 4);
}

static void print_subjects(const struct output *o, struct json_object *v) {
        _cleanup_free_ char *process = describe_process(v, "name", "pid"), *culprit = describe_process(v, "culprit_name", "culprit_pid");
        char share[32];

        if (value_get(v, "pid"))
                output_paragraph(o, 4, "Process: %s", process);
        if (value_get(v, "culprit_pid"))
                output_paragraph(o, 4, "Because of: %s, %s", culprit, format_permille(share, sizeof(share), value_u64(v, "culprit_permille")));
}

static void print_verdict(const struct output *o, struct json_object *v) {
        char since[32], severity[32], confidence[32];

        output_paragraph(o, 2, "%s for %s, severity %s, confidence %s", value_text(v, "kind"),
                         str_format_duration_us(since, sizeof(since), value_u64(v, "since_usec")),
                         format_permille(severity, sizeof(severity), value_u64(v, "severity")),
                         format_permille(confidence, sizeof(confidence), value_u64(v, "confidence")));
        output_paragraph(o, 4, "%s", value_text(v, "sentence"));
        print_subjects(o, v);
        print_evidence(o, value_get(v, "evidence"));
}

static bool same_kind(struct json_object *verdicts, size_t i, size_t k) {
        return streq(value_text(value_at(verdicts, i), "kind"), value_text(value_at(verdicts, k), "kind"));
}

/* Those of a kind from first to before end, of which the names are enough. */
static void print_others(const struct output *o, struct json_object *verdicts, size_t first, size_t end) {
        char names[OTHERS_MAX * 40] = "";

        for (size_t i = first; i < end && i < first + OTHERS_MAX; i++) {
                struct json_object *v = value_at(verdicts, i);
                _cleanup_free_ char *name = describe_process(v, "name", "pid");
                str_append(names, sizeof(names), "%s%s", i > first ? ", " : "", name);
        }
        output_paragraph(o, 2, "%s, %zu more: %s%s", value_text(value_at(verdicts, first), "kind"), end - first, names,
                         end > first + OTHERS_MAX ? " and others" : "");
}

static void print_verdicts(const struct output *o, struct json_object *verdicts) {
        size_t n = value_length(verdicts);

        putchar('\n');
        output_heading(o, "Findings");
        if (n == 0)
                printf("  None: no detector sees anything to act on.\n");
        for (size_t i = 0, end; i < n; i = end) { /* by kind, and within it by severity */
                size_t shown;

                for (end = i + 1; end < n && same_kind(verdicts, i, end); end++)
                        ;
                shown = end - i > VERDICTS_SHOWN ? i + VERDICTS_SHOWN : end;
                for (; i < shown; i++)
                        print_verdict(o, value_at(verdicts, i));
                if (shown < end)
                        print_others(o, verdicts, shown, end);
        }
}

/* Of a law that may act and has set nothing. */
static void print_when_it_acts(const struct output *o, struct json_object *law, const char *scheduler) {
        int id = law_from_string(value_text(law, "law"));
        const char *words;

        if (id < 0) /* a newer daemon's */
                return;
        words = law_acts_when((enum law_id) id, scheduler_from_string(scheduler));
        if (words)
                output_paragraph(o, 4, "It acts when %s.", words);
        else
                output_paragraph(o, 4, "It has nothing to set under %s.", scheduler);
}

static void print_law(const struct output *o, struct json_object *law, const char *scheduler) {
        struct json_object *tunables = value_get(law, "tunables");
        uint64_t line = value_u64(law, "line"), retry = value_u64(law, "retry_usec");
        _cleanup_free_ char *where = line ? text_format("%s:%" PRIu64, value_text(law, "file"), line) : text_format("by default");
        char names[128] = "", when[32];

        for (size_t i = 0; i < value_length(tunables); i++)
                str_append(names, sizeof(names), "%s%s", i > 0 ? ", " : "", json_object_get_string(value_at(tunables, i)));
        output_paragraph(o, 2, "%s, %s (%s)%s%s", value_text(law, "law"), value_bool(law, "enabled") ? "on" : "off", where,
                         names[0] ? ": has set " : "", names);
        if (value_text(law, "reason")[0])
                output_paragraph(o, 4, "%s", value_text(law, "reason"));
        if (names[0] || retry || !streq(value_text(law, "trial"), "unproven"))
                describe_trial(o, 4, value_text(law, "trial"), value_text(law, "effect"));
        if (retry)
                output_paragraph(o, 4, "It may be tried again in %s.", str_format_duration_us(when, sizeof(when), retry));
        if (value_bool(law, "enabled") && !names[0] && !retry && !streq(value_text(law, "trial"), "probing"))
                print_when_it_acts(o, law, scheduler);
}

static void print_laws(const struct output *o, struct json_object *laws, const char *scheduler) {
        if (value_length(laws) == 0)
                return;
        putchar('\n');
        output_heading(o, "Laws");
        for (size_t i = 0; i < value_length(laws); i++)
                print_law(o, value_at(laws, i), scheduler);
}

static enum style owner_style(const char *owner) {
        if (streq(owner, "brio"))
                return STYLE_GOOD;
        return streq(owner, "given-up") ? STYLE_BAD : STYLE_PLAIN;
}

static void print_settings(const struct output *o, struct json_object *tunables) {
        static const struct table_column columns[] = {
                COLUMN_KEEP("SETTING"), COLUMN_RIGHT("INITIAL"), COLUMN_RIGHT("WANTED"), COLUMN_RIGHT("CURRENT"),
                COLUMN("OWNER"),
        };
        _cleanup_(table_freep) struct table *t = table_new(columns, ARRAY_SIZE(columns));
        size_t n = 0;

        putchar('\n');
        output_heading(o, "Settings");
        if (json_object_is_type(tunables, json_type_object)) {
                json_object_object_foreach(tunables, name, tunable) {
                        const char *owner = value_text(tunable, "owner");
                        if (!describe_setting_is_notable(tunable))
                                continue;
                        table_add(t, STYLE_BOLD, "%s", name);
                        table_add(t, STYLE_PLAIN, "%s", value_text(tunable, "initial"));
                        table_add(t, STYLE_PLAIN, "%s", value_text(tunable, "wanted"));
                        table_add(t, STYLE_BOLD, "%s", value_text(tunable, "current"));
                        table_add(t, owner_style(owner), "%s", owner);
                        n++;
                }
        }
        if (n > 0)
                table_print(t, o, 2);
        printf("  %zu more as the kernel had them.\n", value_length(tunables) - n);
}

static void print_decisions(const struct output *o, struct json_object *decisions) {
        putchar('\n');
        output_heading(o, "Last decisions");
        if (value_length(decisions) == 0)
                printf("  None on this drive.\n");
        for (size_t i = 0; i < value_length(decisions); i++)
                describe_decision(o, value_at(decisions, i), 2);
}

static int run(const struct cli_invocation *inv) {
        _cleanup_value_ struct json_object *device = NULL, *decisions = NULL, *streams = NULL, *both = NULL;
        _cleanup_client_ struct client client;
        const char *name = cli_drive_name(inv->argv[0]);
        struct output out;
        int r = client_open_observing(&client, inv);

        if (r >= 0)
                r = client_device(&client, name, &device);
        if (r >= 0)
                r = client_decisions(&client, 0, name, DECISIONS_SHOWN, &decisions);
        if (r >= 0)
                r = client_streams(&client, name, &streams);
        if (r < 0)
                return client_failed(&client, r);
        if (inv->json) {
                both = json_object_new_object();
                json_object_object_add(both, "drive", TAKE_PTR(device));
                json_object_object_add(both, "decisions", TAKE_PTR(decisions));
                json_object_object_add(both, "streams", TAKE_PTR(streams));
                value_print(both);
                return CLI_OK;
        }
        output_init(&out, stdout);
        print_identity(&out, device);
        print_attention(&out, device);
        print_verdicts(&out, value_get(device, "verdicts"));
        describe_streams(&out, streams, "candidate", "Candidates for streams", STREAMS_SHOWN);
        describe_streams(&out, streams, "near-miss", "Almost streams", STREAMS_SHOWN);
        print_laws(&out, value_get(device, "laws"), value_text(device, "scheduler"));
        print_settings(&out, value_get(device, "tunables"));
        print_decisions(&out, decisions);
        return CLI_OK;
}

const struct cli_verb verb_explain = {
        .name = "explain",
        .operands = "DEV",
        .needs = "a drive, such as sda",
        .summary = "Say why a drive is set as it is, from the evidence to the values",
        .details = "`brioctl help status` has a line for each workload and each state.",
        .min_operands = 1,
        .max_operands = 1,
        .json = true,
        .observes = true,
        .run = run,
};
