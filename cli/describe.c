/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "describe.h"
#include "prefetch-list.h"
#include "statement.h"
#include "str.h"
#include "units.h"

struct word_style {
        const char *word;
        enum style style;
};

/* Words that are not listed are a newer daemon's: plain. */
static enum style find_style(const struct word_style *styles, size_t n, const char *word) {
        for (size_t i = 0; i < n; i++)
                if (streq(styles[i].word, word))
                        return styles[i].style;
        return STYLE_PLAIN;
}

enum style describe_state_style(const char *state) {
        static const struct word_style styles[] = {
                { "holding", STYLE_GOOD }, { "trial", STYLE_GOOD }, { "reverting", STYLE_WARNING }, { "manual", STYLE_WARNING }, { "ignored", STYLE_DIM },
        };
        return find_style(styles, ARRAY_SIZE(styles), state);
}

enum style describe_mode_style(const char *mode) {
        static const struct word_style styles[] = { { "auto", STYLE_GOOD }, { "off", STYLE_WARNING } };

        return find_style(styles, ARRAY_SIZE(styles), mode);
}

enum style describe_source_style(const char *state) {
        static const struct word_style styles[] = {
                { "works", STYLE_GOOD }, { "reduced", STYLE_WARNING }, { "unavailable", STYLE_BAD },
        };
        return find_style(styles, ARRAY_SIZE(styles), state);
}

const char *describe_presence(const char *presence) {
        if (streq(presence, "somebody"))
                return "A user is at the machine";
        if (streq(presence, "idle"))
                return "The machine has not been touched lately";
        return streq(presence, "nobody") ? "No user is at the machine" : NULL;
}

static enum style result_style(const char *result) {
        static const struct word_style styles[] = {
                { "applied", STYLE_GOOD }, { "failed", STYLE_BAD }, { "foreign", STYLE_WARNING }, { "gone", STYLE_DIM },
        };
        return find_style(styles, ARRAY_SIZE(styles), result);
}

char *describe_settings(struct json_object *device) {
        struct json_object *tunables = value_get(device, "tunables");
        char *text = text_format("%s", "");

        if (!json_object_is_type(tunables, json_type_object))
                return text;
        json_object_object_foreach(tunables, name, tunable) {
                char *longer;
                if (!streq(value_text(tunable, "owner"), "brio"))
                        continue;
                longer = text_format("%s%s%s %s", text, text[0] ? ", " : "", name, value_text(tunable, "current"));
                free(text);
                text = longer;
        }
        return text;
}

bool describe_setting_is_notable(struct json_object *tunable) {
        return !streq(value_text(tunable, "initial"), value_text(tunable, "current")) || value_text(tunable, "wanted")[0] ||
               !streq(value_text(tunable, "owner"), "kernel");
}

char *describe_process(struct json_object *o, const char *name_key, const char *pid_key) {
        uint64_t pid = value_u64(o, pid_key);

        if (pid == 0)
                return text_format("%s", value_text(o, name_key));
        return text_format("%s (%" PRIu64 ")", value_text(o, name_key), pid);
}

char *describe_setting(struct json_object *decision) {
        _cleanup_free_ char *process = describe_process(decision, value_get(decision, "application") ? "application" : "process", "pid");

        if (!value_get(decision, "process"))
                return text_format("%s", value_text(decision, "tunable"));
        return text_format("%s of %s", value_text(decision, "tunable"), process);
}

char *describe_change(struct json_object *decision) {
        const char *old = value_text(decision, "old"), *new = value_text(decision, "new"), *unit = value_text(decision, "unit");

        if (streq(unit, "us"))
                unit = "µs";
        if (streq(value_text(decision, "result"), "foreign")) /* another program wrote it: what is there now */
                new = value_text(decision, "observed");
        if (!new[0] && streq(value_text(decision, "result"), "gone"))
                return text_format("%s%s%s", old, unit[0] ? " " : "", unit);
        if (!new[0] && streq(value_text(decision, "result"), "restored")) /* it went with the scheduler that it was set for */
                return text_format("%s%s%s → the scheduler's default", old[0] ? old : "?", unit[0] ? " " : "", unit);
        return text_format("%s → %s%s%s", old[0] ? old : "?", new[0] ? new : "?", unit[0] ? " " : "", unit);
}

void describe_trial(const struct output *o, unsigned indent, const char *state, const char *effect) {
        static const struct {
                const char *state, *words;
        } words[] = {
                { "measuring", "On trial: it is compared with what was there before." },
                { "unproven", "Not tried yet: there was nothing to compare it with." },
                { "probing", "On trial: what was there before is back for a moment, to compare." },
                { "kept", "A trial found it better" },
                { "reverted", "A trial found it worse, so it went back" },
                { "inconclusive", "A trial found no difference that is sure" },
                { "known", "Known to be better from an earlier trial on such a drive" },
                { "barred", "It stays away: known to be worse from an earlier trial on such a drive" },
        };

        if (streq(state, "unproven") && effect[0]) {
                output_paragraph(o, indent, "A trial came to nothing, since %s.", effect);
                return;
        }
        for (size_t i = 0; i < ARRAY_SIZE(words); i++)
                if (streq(words[i].state, state))
                        output_paragraph(o, indent, "%s%s%s", words[i].words, effect[0] ? ": " : "", effect);
}

void describe_decision(const struct output *o, struct json_object *d, unsigned indent) {
        const char *new = value_text(d, "new"), *observed = value_text(d, "observed"), *error = value_text(d, "error");
        const char *result = value_text(d, "result"), *law = value_text(d, "law"), *reason = value_text(d, "reason");
        _cleanup_free_ char *change = describe_change(d), *setting = describe_setting(d);
        char when[32];

        fprintf(o->file, "%*s", (int) indent, "");
        output_styled(o, STYLE_DIM, "%s", format_time(when, sizeof(when), value_u64(d, "time_usec")));
        output_styled(o, STYLE_PLAIN, "  %s  ", value_text(d, "device"));
        output_styled(o, STYLE_BOLD, "%s", setting);
        output_styled(o, STYLE_PLAIN, " %s  ", change);
        output_styled(o, result_style(result), "%s%s%s", result, error[0] ? ": " : "", error);
        if (streq(result, "applied") && observed[0] && !streq(observed, new))
                output_styled(o, STYLE_PLAIN, " (reads back %s)", observed);
        fputc('\n', o->file);
        if (strncmp(reason, law, strlen(law)) == 0 || streq(law, "none"))
                law = ""; /* the sentence begins with it; or no law of ours did it */
        output_paragraph(o, indent + 4, "%s%s%s: %s", value_text(d, "id"), law[0] ? ", " : "", law, reason);
        if (!streq(value_text(d, "outcome"), "unproven") || value_text(d, "effect")[0]) /* most are, for a while */
                describe_trial(o, indent + 4, value_text(d, "outcome"), value_text(d, "effect"));
        if (!value_text(d, "outcome")[0] && value_text(d, "effect")[0]) /* of what is not tried */
                output_paragraph(o, indent + 4, "Measured: %s.", value_text(d, "effect"));
}

void describe_streams(const struct output *o, struct json_object *streams, const char *state, const char *heading, size_t max) {
        size_t n = 0;

        for (size_t i = 0; i < value_length(streams); i++) {
                struct json_object *s = value_at(streams, i);
                if (!streq(value_text(s, "state"), state))
                        continue;
                if (n++ == 0) {
                        putchar('\n');
                        output_heading(o, heading);
                }
                if (!max || n <= max)
                        output_paragraph(o, 2, "%s", value_text(s, "sentence"));
        }
        if (max && n > max)
                output_paragraph(o, 2, "and %zu more: brioctl streams", n - max);
}

void describe_prefetch(struct json_object *list, char *buf, size_t size) {
        const struct prefetch_worth w = {
                .helped_ms = (uint32_t) (value_u64(list, "helped_usec") / USEC_PER_MSEC), .helped = (uint32_t) value_u64(list, "helped_starts"),
                .unhelped_ms = (uint32_t) (value_u64(list, "unhelped_usec") / USEC_PER_MSEC), .unhelped = (uint32_t) value_u64(list, "unhelped_starts"),
        };
        char text[256];

        statement_tell(prefetch_worth_describe(&w, text, sizeof(text)), NULL, buf, size);
}
