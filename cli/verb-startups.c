/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <strings.h>

#include "client.h"
#include "describe.h"
#include "follow.h"
#include "format.h"
#include "startup-timeline-show.h"
#include "str.h"
#include "verbs.h"

enum { OPTION_FOLLOW };

static const struct cli_option options[] = {
        [OPTION_FOLLOW] = { "follow", 'f', NULL, "tell each start as it ends; with APP, only its own" },
        {},
};

static const char *const culprit_fields[] = { "name", "pid", "permille", NULL };

static void name_culprits(struct json_object *startup) {
        struct json_object *culprits = json_object_get(value_get(startup, "culprits"));

        if (culprits)
                json_object_object_add(startup, "culprits", value_name_fields(culprits, culprit_fields));
}

static int get_startups(struct client *c, const char *application, struct json_object **ret) {
        struct json_object *startups;
        int r = client_call(c, &startups, "GetStartups", "s", application);

        if (r < 0)
                return r;
        for (size_t i = 0; i < value_length(startups); i++)
                name_culprits(value_at(startups, i));
        *ret = startups;
        return 0;
}

static const char *const slice_fields[] = { "computing_usec", "reading_usec", "waiting_usec", "read_bytes", NULL };

static const char *const stall_fields[] = { "processor_usec", "memory_usec", NULL };

/* To each slice; an older daemon tells none. */
static void add_stalls(struct json_object *slices, struct json_object *stalls) {
        for (size_t i = 0; i < value_length(slices) && i < value_length(stalls); i++)
                for (size_t k = 0; stall_fields[k]; k++)
                        json_object_object_add(value_at(slices, i), stall_fields[k], json_object_get(value_at(value_at(stalls, i), k)));
}

/* Of the newest starts alone the daemon keeps what they did over their time; an older daemon of none. */
static void add_timeline(struct client *c, struct json_object *startup) {
        struct json_object *timeline, *slices;

        if (client_call(c, &timeline, "GetStartupTimeline", "st", value_text(startup, "application"), value_u64(startup, "time_usec")) < 0)
                return;
        slices = json_object_get(value_get(timeline, "slices"));
        if (slices)
                json_object_object_add(timeline, "slices", value_name_fields(slices, slice_fields));
        add_stalls(value_get(timeline, "slices"), value_get(timeline, "stalls"));
        json_object_object_del(timeline, "stalls");
        json_object_object_add(startup, "timeline", timeline);
}

/* An older daemon reads nothing ahead. */
static void add_prefetch(struct client *c, struct json_object *startup) {
        struct json_object *lists;

        if (client_call(c, &lists, "GetPrefetch", "s", value_text(startup, "application")) < 0)
                return;
        if (value_length(lists) > 0)
                json_object_object_add(startup, "prefetch", json_object_get(value_at(lists, 0)));
        json_object_put(lists);
}

/* "firefox" is org.mozilla.firefox, if nothing has that very name. */
static bool names(const char *application, const char *word, bool exactly) {
        const char *dot = strrchr(application, '.');

        return exactly ? streq(application, word) : strcasecmp(application, word) == 0 || (dot && strcasecmp(dot + 1, word) == 0);
}

/* The id of the application that the word means; word itself where none is, and the daemon says so. */
static const char *find_application(struct json_object *startups, const char *word) {
        for (int exactly = 1; exactly >= 0; exactly--)
                for (size_t i = 0; i < value_length(startups); i++) {
                        const char *application = value_text(value_at(startups, i), "application");
                        if (names(application, word, exactly))
                                return application;
                }
        return word;
}

static const char *kind(struct json_object *startup) {
        return value_bool(startup, "cold") ? "cold" : "warm";
}

static void add_culprit(struct table *t, struct json_object *startup) {
        struct json_object *first = value_at(value_get(startup, "culprits"), 0);

        if (first)
                table_add(t, STYLE_PLAIN, "%s %" PRIu64 " %%", value_text(first, "name"), value_u64(first, "permille") / 10);
        else
                table_add(t, STYLE_PLAIN, "%s", "");
}

/* All that are known: at most three. */
static void add_culprits(struct table *t, struct json_object *startup) {
        struct json_object *culprits = value_get(startup, "culprits");
        char text[128] = "";

        for (size_t i = 0; i < value_length(culprits); i++)
                str_append(text, sizeof(text), "%s%s %" PRIu64 " %%", i > 0 ? ", " : "", value_text(value_at(culprits, i), "name"),
                           value_u64(value_at(culprits, i), "permille") / 10);
        table_add(t, STYLE_PLAIN, "%s", text);
}

/* More than twice its best is noticed. */
static enum style latency_style(struct json_object *startup) {
        uint64_t best = value_u64(startup, "best_usec");

        return value_bool(startup, "cold") && best > 0 && value_u64(startup, "latency_usec") > 2 * best ? STYLE_WARNING : STYLE_PLAIN;
}

/* Over the starts of one kind. */
enum { USUAL, P95, BEST, FIGURES };

static uint64_t figure(struct json_object *startup, bool cold, size_t which) {
        static const char *const keys[2][FIGURES] = {
                { "warm_usual_usec", "warm_p95_usec", "warm_best_usec" }, { "usual_usec", "p95_usec", "best_usec" },
        };

        return value_u64(startup, keys[cold][which]);
}

static void print_applications(const struct output *o, struct json_object *startups) {
        static const struct table_column columns[] = {
                COLUMN("APPLICATION"), COLUMN_RIGHT("LAST"), COLUMN_DROP("KIND", 2), COLUMN_RIGHT("USUAL"), COLUMN_RIGHT_DROP("P95", 3),
                COLUMN_RIGHT("BEST"), COLUMN_RIGHT("WAITED"), COLUMN_DROP("CULPRIT", 1), COLUMN_RIGHT_DROP("STARTS", 4),
        };
        _cleanup_(table_freep) struct table *t = table_new(columns, ARRAY_SIZE(columns));
        char buf[32];

        for (size_t i = 0; i < value_length(startups); i++) {
                struct json_object *s = value_at(startups, i);
                table_add(t, STYLE_BOLD, "%s", value_text(s, "application"));
                table_add(t, latency_style(s), "%s", format_latency(buf, sizeof(buf), value_u64(s, "latency_usec")));
                table_add(t, STYLE_PLAIN, "%s", kind(s));
                for (size_t k = 0; k < FIGURES; k++)
                        table_add(t, STYLE_PLAIN, "%s", format_latency(buf, sizeof(buf), figure(s, value_bool(s, "cold"), k)));
                table_add(t, STYLE_PLAIN, "%s", format_permille(buf, sizeof(buf), value_u64(s, "waited_permille")));
                add_culprit(t, s);
                table_add(t, STYLE_PLAIN, "%" PRIu64, value_u64(s, "starts"));
        }
        table_print(t, o, 0);
}

static void print_figures(const struct output *o, struct json_object *last, bool cold) {
        uint64_t n = value_u64(last, cold ? "cold_starts" : "warm_starts");
        char usual[32], p95[32], best[32];

        if (n == 0)
                return;
        output_paragraph(o, 2, "%s: usually %s, 95 of 100 within %s, at best %s (%" PRIu64 " %s).", cold ? "Cold" : "Warm",
                         format_latency(usual, sizeof(usual), figure(last, cold, USUAL)), format_latency(p95, sizeof(p95), figure(last, cold, P95)),
                         format_latency(best, sizeof(best), figure(last, cold, BEST)), n, n == 1 ? "start" : "starts");
}

static void print_starts(const struct output *o, struct json_object *startups) {
        static const struct table_column columns[] = {
                COLUMN_KEEP("BEGUN"), COLUMN_RIGHT("TOOK"), COLUMN("KIND"), COLUMN_RIGHT("WAITED"), COLUMN_RIGHT_DROP("READ", 2),
                COLUMN_DROP("DRIVE", 3), COLUMN_DROP("CULPRIT", 1), COLUMN_DROP("END", 4),
        };
        struct json_object *last = value_at(startups, value_length(startups) - 1);
        _cleanup_(table_freep) struct table *t = table_new(columns, ARRAY_SIZE(columns));
        char buf[32], worth[128];

        output_heading(o, value_text(last, "application"));
        print_figures(o, last, true);
        print_figures(o, last, false);
        describe_prefetch(value_get(last, "prefetch"), worth, sizeof(worth));
        if (*worth)
                output_paragraph(o, 2, "Read ahead: %s.", worth);
        output_paragraph(o, 2, "%s", value_text(last, "sentence"));
        putchar('\n');
        startup_print_timeline(o, value_get(last, "timeline"));
        for (size_t i = 0; i < value_length(startups); i++) {
                struct json_object *s = value_at(startups, i);
                table_add(t, STYLE_PLAIN, "%s", format_time(buf, sizeof(buf), value_u64(s, "time_usec")));
                table_add(t, latency_style(s), "%s", format_latency(buf, sizeof(buf), value_u64(s, "latency_usec")));
                table_add(t, STYLE_PLAIN, "%s", kind(s));
                table_add(t, STYLE_PLAIN, "%s", format_permille(buf, sizeof(buf), value_u64(s, "waited_permille")));
                table_add(t, STYLE_PLAIN, "%s", str_format_bytes(buf, sizeof(buf), value_u64(s, "read_bytes")));
                table_add(t, STYLE_PLAIN, "%s", value_text(s, "device"));
                add_culprits(t, s);
                table_add(t, STYLE_PLAIN, "%s", value_text(s, "end"));
        }
        table_print(t, o, 0);
}

struct telling {
        struct client *client;
        struct output out;
        const char *word; /* NULL: all */
        bool json;
};

static int on_startup(sd_bus_message *m, void *userdata, _unused_ sd_bus_error *error) {
        _cleanup_value_ struct json_object *startup = NULL;
        const struct telling *f = userdata;
        char time[32];

        if (value_decode(m, &startup) < 0)
                return 0; /* not for us to judge: a signal that is not ours by its form */
        if (f->word && !names(value_text(startup, "application"), f->word, false))
                return 0;
        name_culprits(startup);
        if (f->json) {
                value_print_line(startup);
        } else {
                printf("%s\n", format_time(time, sizeof(time), value_u64(startup, "time_usec")));
                output_paragraph(&f->out, 2, "%s", value_text(startup, "sentence"));
        }
        fflush(stdout);
        return 0;
}

/* A reader that waits for a daemon that is not there should know. */
static int check(void *userdata, bool again _unused_) {
        _cleanup_value_ struct json_object *past = NULL;
        const struct telling *t = userdata;

        return get_startups(t->client, "", &past);
}

static int list(struct client *c, const struct cli_invocation *inv) {
        _cleanup_value_ struct json_object *all = NULL, *one = NULL;
        const char *word = inv->argc > 0 ? inv->argv[0] : NULL;
        struct output out;
        int r = get_startups(c, "", &all);

        if (r >= 0 && word)
                r = get_startups(c, find_application(all, word), &one);
        if (r < 0)
                return client_failed(c, r);
        for (size_t i = 0; one && i < value_length(one); i++)
                add_timeline(c, value_at(one, i));
        if (one && value_length(one) > 0)
                add_prefetch(c, value_at(one, value_length(one) - 1));
        output_init(&out, stdout);
        if (inv->json)
                value_print(word ? one : all);
        else if (value_length(word ? one : all) == 0)
                printf("No application has started yet.\n");
        else if (word)
                print_starts(&out, one);
        else
                print_applications(&out, all);
        return CLI_OK;
}

static int run(const struct cli_invocation *inv) {
        static const char *const signals[] = { "StartupFinished", NULL };
        _cleanup_client_ struct client client;
        struct telling t = { .client = &client, .word = inv->argc > 0 ? inv->argv[0] : NULL, .json = inv->json };
        const struct follow_config config = { signals, on_startup, check, &t };
        int r = client_open_observing(&client, inv);

        if (r < 0)
                return client_failed(&client, r);
        output_init(&t.out, stdout);
        return inv->options[OPTION_FOLLOW] ? follow(&client, &config) : list(&client, inv);
}

const struct cli_verb verb_startups = {
        .name = "startups",
        .operands = "[APP]",
        .summary = "Show how long applications take to start, and what was in the way",
        .details = "With APP (its id, or the last part of it): each of its starts. With --follow --json, one object a line.",
        .max_operands = 1,
        .json = true,
        .observes = true,
        .options = options,
        .run = run,
};
