/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>

#include "detector.h"
#include "format.h"
#include "mention.h"
#include "policy.h"
#include "replay-show.h"
#include "statement-json.h"
#include "str.h"

static const char *const note_names[] = {
        [REPLAY_DRIVE] = "drive",
        [REPLAY_VERDICT_BEGINS] = "verdict-begins",
        [REPLAY_VERDICT_CHANGES] = "verdict-changes",
        [REPLAY_VERDICT_ENDS] = "verdict-ends",
        [REPLAY_STARTUP] = "startup",
        [REPLAY_CHANGE] = "change",
        [REPLAY_TRIAL] = "trial",
        [REPLAY_STREAM_STARTS] = "stream-starts",
        [REPLAY_STREAM_ENDS] = "stream-ends",
        [REPLAY_STREAM_SUMMARY] = "stream",
};

static const char *scheduler_name(enum scheduler s) {
        const char *name = scheduler_to_string(s);

        return name ? name : "";
}

static void add_text(struct json_object *o, const char *key, const char *value) {
        json_object_object_add(o, key, json_object_new_string(value));
}

/* A recording is its reader's: all of it is told. */
static void add_sentence(struct json_object *o, const char *key, const char *sentence) {
        char text[MENTION_TOLD_MAX], data_key[32];

        add_text(o, key, mention_tell_all(sentence, text, sizeof(text)));
        snprintf(data_key, sizeof(data_key), "%s_data", key);
        json_object_object_add(o, data_key, statement_json(sentence));
}

static void add_number(struct json_object *o, const char *key, uint64_t value) {
        json_object_object_add(o, key, json_object_new_uint64(value));
}

/* Returns it, or NULL where there is no process. */
static struct json_object *add_subject(struct json_object *o, const char *key, const struct subject *s) {
        struct json_object *named;

        if (s->tgid == 0)
                return NULL;
        named = json_object_new_object();
        add_number(named, "pid", (uint64_t) s->tgid);
        add_text(named, "name", s->name);
        json_object_object_add(o, key, named);
        return named;
}

static void add_verdict(struct json_object *o, const struct verdict *v) {
        struct json_object *evidence = json_object_new_object(), *culprit;

        add_text(o, "verdict", verdict_kind_to_string(v->kind));
        add_subject(o, "process", &v->subject);
        culprit = add_subject(o, "culprit", &v->culprit);
        if (culprit)
                add_number(culprit, "permille", v->culprit_permille);
        add_sentence(o, "sentence", v->sentence);
        add_number(o, "severity", v->severity);
        add_number(o, "confidence", v->confidence);
        for (size_t i = 0; i < v->n_evidence; i++)
                json_object_object_add(evidence, v->evidence[i].name, json_object_new_int64(v->evidence[i].value));
        json_object_object_add(o, "evidence", evidence);
}

static void add_change(struct json_object *o, const struct replay_note *note) {
        const struct priority_change *p = note->priority;

        add_text(o, "tunable", p ? RECEIPT_PRIORITY : tunable_get(note->change->tunable)->name);
        add_text(o, "unit", p ? "" : tunable_get(note->change->tunable)->unit);
        if (p)
                add_subject(o, "process", &p->process);
        add_text(o, "old", note->old);
        add_text(o, "new", note->new);
        add_text(o, "law", law_to_string(p ? p->law : note->change->law));
        add_sentence(o, "reason", p ? p->reason : note->change->reason);
}

static void add_stream(struct json_object *o, const struct stream_entry *e) {
        const struct stream_view *v = &e->view;
        const struct rhythm_figures *f = &v->figures;
        const char *state = stream_entry_state(e);
        char sentence[VERDICT_SENTENCE_MAX];
        const struct {
                const char *key;
                uint64_t value;
        } numbers[] = {
                { "confidence", v->confidence },
                { "bytes_per_second", f->bytes_per_s },
                { "period_usec", f->period_us },
                { "regularity_permille", f->regularity_permille },
                { "pause_permille", f->pause_permille },
                { "drift_permille", f->drift_permille },
                { "batches", f->batches },
                { "periods", f->periods },
                { "kernel_yes", v->kernel.yes },
                { "kernel_no", v->kernel.no },
                { "kernel_yes_alone", v->kernel.yes_alone },
                { "kernel_yes_without_memory", v->kernel.yes_without_memory },
        };

        stream_describe(&e->view, sentence, sizeof(sentence));
        add_text(o, "state", state ? state : "near-miss");
        add_number(o, "pid", (uint32_t) v->tgid);
        add_text(o, "name", v->name);
        json_object_object_add(o, "records", json_object_new_boolean(v->writes));
        add_text(o, "source", v->from_proc ? "proc" : "requests");
        add_text(o, "holds", stream_hold_to_string(v->holds));
        for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
                add_number(o, numbers[i].key, numbers[i].value);
        add_text(o, "kernel", soft_rt_answer_to_string(v->kernel.answer));
        json_object_object_add(o, "margin_usec", json_object_new_int64(v->kernel.margin_us));
        add_text(o, "failed_condition", rhythm_flaw_to_string(f->flaw));
        json_object_object_add(o, "failed_value", json_object_new_int64(f->value));
        json_object_object_add(o, "failed_limit", json_object_new_int64(f->limit));
        add_text(o, "failed_unit", rhythm_flaw_unit(f->flaw));
        add_sentence(o, "sentence", sentence);
}

static void add_startup(struct json_object *o, const struct startup_record *r) {
        struct json_object *culprits = json_object_new_array();
        const struct startup_view *s = &r->start;
        char sentence[STARTUP_SENTENCE_MAX], application[APPLICATION_MAX];

        str_copy(application, sizeof(application), s->application);
        str_make_text(application, sizeof(application)); /* a recording has it in parts, each of any bytes */
        add_text(o, "application", application);
        add_text(o, "name", s->name);
        add_number(o, "pid", (uint64_t) s->tgid);
        add_number(o, "latency_usec", s->latency / NSEC_PER_USEC);
        json_object_object_add(o, "launched", json_object_new_boolean(s->launched));
        add_text(o, "end", startup_end_to_string(s->end));
        json_object_object_add(o, "cold", json_object_new_boolean(s->cold));
        add_number(o, "read_bytes", s->read_bytes);
        add_number(o, "requests", s->requests);
        add_number(o, "faults", s->faults);
        add_number(o, "processes", s->processes);
        add_number(o, "waited_usec", s->waited / NSEC_PER_USEC);
        add_number(o, "waited_permille", s->latency ? s->waited * 1000 / s->latency : 0);
        json_object_object_add(o, "measured", json_object_new_boolean(s->observed));
        for (size_t i = 0; i < s->n_culprits; i++) {
                struct json_object *culprit = json_object_new_object();
                add_text(culprit, "name", s->culprits[i].name);
                add_number(culprit, "pid", (uint64_t) s->culprits[i].tgid);
                add_number(culprit, "permille", s->culprits[i].permille);
                json_object_array_add(culprits, culprit);
        }
        json_object_object_add(o, "culprits", culprits);
        add_sentence(o, "sentence", startup_format_sentence(r, NULL, sentence, sizeof(sentence)));
        add_number(o, "begun_usec", r->time_usec);
}

/* With the keys that a decision has. */
static void add_figures(struct json_object *o, const struct trial_figures *f) {
        if (f->measure == TRIAL_NOT_MEASURED)
                return;
        add_text(o, "measure", trial_measure_name(f->measure));
        add_number(o, "before", f->before);
        add_number(o, "after", f->after);
        add_number(o, "samples_before", f->n_before);
        add_number(o, "samples_after", f->n_after);
        add_number(o, "confidence_permille", f->confidence_permille);
        if (f->p95_after_us) {
                add_number(o, "p95_before_usec", f->p95_before_us);
                add_number(o, "p95_after_usec", f->p95_after_us);
        }
}

static void show_json(const struct replay_note *note) {
        _cleanup_value_ struct json_object *o = json_object_new_object();

        add_text(o, "type", note_names[note->kind]);
        add_number(o, "time_usec", note->t / NSEC_PER_USEC);
        add_text(o, "device", note->device);
        switch (note->kind) {
        case REPLAY_DRIVE:
                add_text(o, "class", device_class_to_string(note->facts->class));
                add_text(o, "scheduler", scheduler_name(note->facts->scheduler));
                add_text(o, "policy", note->policy ? note->policy->name : "");
                break;
        case REPLAY_VERDICT_BEGINS:
        case REPLAY_VERDICT_CHANGES:
        case REPLAY_VERDICT_ENDS:
                add_verdict(o, note->verdict);
                break;
        case REPLAY_STARTUP:
                add_startup(o, note->startup);
                break;
        case REPLAY_CHANGE:
                add_change(o, note);
                break;
        case REPLAY_TRIAL:
                add_text(o, "law", law_to_string(note->trial->law));
                add_text(o, "outcome", trial_state_to_string(note->trial->state));
                add_sentence(o, "effect", note->trial->effect);
                add_figures(o, &note->trial->figures);
                break;
        case REPLAY_STREAM_STARTS:
        case REPLAY_STREAM_ENDS:
        case REPLAY_STREAM_SUMMARY:
                add_stream(o, note->stream);
                break;
        }
        value_print_line(o);
}

static void print_line(const struct replay_note *note, const char *text) {
        printf("%5" PRIu64 ".%03" PRIu64 " s  %s: %s\n", (uint64_t) (note->t / NSEC_PER_SEC),
               (uint64_t) (note->t % NSEC_PER_SEC / NSEC_PER_MSEC), note->device, text);
}

/* What was said of it, and beside it what bfq says, and what its rule would with the drive for itself, with and without its memory. */
static char *describe_stream(const struct replay_note *note) {
        const struct stream_entry *e = note->stream;
        typeof(&e->view.kernel) k = &e->view.kernel;
        char sentence[VERDICT_SENTENCE_MAX];

        stream_describe(&e->view, sentence, sizeof(sentence));
        if (note->kind != REPLAY_STREAM_SUMMARY)
                return text_format("stream %s: %s", note->kind == REPLAY_STREAM_STARTS ? "starts" : "ends", sentence);
        return text_format("%s: %s; bfq takes it for one %" PRIu32 " of %" PRIu64 " times; its rule alone with its memory %" PRIu32
                           ", without it %" PRIu32 " times", e->started ? "stream" : "no stream", sentence, k->yes, (uint64_t) k->yes + k->no,
                           k->yes_alone, k->yes_without_memory);
}

static void show_text(const struct replay_note *note) {
        const struct verdict *v = note->verdict;
        const struct setting_change *c = note->change;
        const struct priority_change *p = note->priority;
        const struct stream_entry *e = note->stream;
        _cleanup_free_ char *text = NULL, *shown = NULL;
        char sentence[STARTUP_SENTENCE_MAX], told[MENTION_TOLD_MAX];

        if (note->kind == REPLAY_STREAM_SUMMARY && !e->started && e->view.kernel.yes + e->view.kernel.yes_alone + e->view.kernel.yes_without_memory == 0)
                return; /* no rule would take it for one; --json has it */

        switch (note->kind) {
        case REPLAY_DRIVE:
                text = text_format("%s, scheduler %s, %s%s", device_class_to_string(note->facts->class),
                                   scheduler_name(note->facts->scheduler), note->policy ? "policy " : "no policy for it",
                                   note->policy ? note->policy->name : "");
                break;
        case REPLAY_VERDICT_BEGINS:
                text = text_format("%s begins: %s", verdict_kind_to_string(v->kind), v->sentence);
                break;
        case REPLAY_VERDICT_CHANGES:
                text = text_format("%s: %s", verdict_kind_to_string(v->kind), v->sentence);
                break;
        case REPLAY_VERDICT_ENDS:
                text = text_format("%s ends", verdict_kind_to_string(v->kind));
                break;
        case REPLAY_STARTUP:
                text = text_format("%s", startup_format_sentence(note->startup, NULL, sentence, sizeof(sentence)));
                break;
        case REPLAY_CHANGE:
                if (p) {
                        text = text_format(RECEIPT_PRIORITY " of %s (%" PRId32 ") %s -> %s (%s): %s", p->process.name, p->process.tgid, note->old, note->new,
                                           law_to_string(p->law), p->reason);
                        break;
                }
                text = text_format("%s %s -> %s (%s): %s", tunable_get(c->tunable)->name, note->old, c->value, law_to_string(c->law), c->reason);
                break;
        case REPLAY_TRIAL:
                text = text_format("trial of %s: %s%s%s", law_to_string(note->trial->law), trial_state_to_string(note->trial->state),
                                   *note->trial->effect ? ": " : "", note->trial->effect);
                break;
        case REPLAY_STREAM_STARTS:
        case REPLAY_STREAM_ENDS:
        case REPLAY_STREAM_SUMMARY:
                text = describe_stream(note);
                break;
        }
        shown = text_make_harmless(text_format("%s", mention_tell_all(text, told, sizeof(told))));
        print_line(note, shown);
}

void replay_show_note(void *userdata, const struct replay_note *note) {
        const bool *json = userdata;

        if (*json)
                show_json(note);
        else
                show_text(note);
}

/* All of its keys: its writer knew what is worth telling. */
static struct json_object *decode_environment(const char *text) {
        struct json_object *o = json_object_new_object();

        for (const char *line = text; *line;) {
                size_t length = strcspn(line, "\n"), key = strcspn(line, "=\n");
                if (key > 0 && key < length) {
                        _cleanup_free_ char *name = strndup(line, key);
                        if (name)
                                json_object_object_add(o, name, json_object_new_string_len(line + key + 1, (int) (length - key - 1)));
                }
                line += length + (line[length] == '\n');
        }
        return o;
}

void replay_show_environment(bool json, const char *text) {
        _cleanup_value_ struct json_object *o = decode_environment(text);

        if (json) {
                add_text(o, "type", "environment");
                value_print_line(o);
                return;
        }
        printf("Recorded by Brio %s with the kernel %s, in mode %s.\n", value_text(o, "version"), value_text(o, "kernel"),
               value_text(o, "mode"));
}

static void summary_json(const struct replay_summary *s, const struct recording_reader *r) {
        _cleanup_value_ struct json_object *o = json_object_new_object();
        const struct {
                const char *key;
                uint64_t value;
        } numbers[] = {
                { "events", r->counters.events },
                { "ticks", s->ticks },
                { "span_usec", s->span / NSEC_PER_USEC },
                { "verdicts", s->verdicts },
                { "changes", s->changes },
                { "streams", s->streams },
                { "events_lost", s->lost_events },
                { "events_invalid", s->model.invalid },
                { "processes_refused", s->model.processes_refused },
                { "devices_refused", s->model.devices_refused + s->drives_refused },
                { "requests_refused", s->model.requests_refused },
                { "flows_refused", s->model.flows_refused },
                { "requests_unmatched", s->model.requests_unmatched },
                { "requests_aged", s->model.requests_aged },
                { "damages", r->counters.damages },
                { "damaged_bytes", r->counters.damaged_bytes },
        };

        add_text(o, "type", "summary");
        for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
                add_number(o, numbers[i].key, numbers[i].value);
        json_object_object_add(o, "complete", json_object_new_boolean(r->ended));
        value_print_line(o);
}

void replay_show_summary(bool json, const struct replay_summary *s, const struct recording_reader *r) {
        uint64_t refused = s->model.processes_refused + s->model.devices_refused + s->drives_refused + s->model.requests_refused + s->model.flows_refused;

        if (json) {
                summary_json(s, r);
                return;
        }
        printf("%" PRIu64 " events and %" PRIu64 " ticks over %" PRIu64 ".%03" PRIu64 " s; verdicts: %" PRIu64 "; settings: %" PRIu64 ".\n",
               r->counters.events, s->ticks, (uint64_t) (s->span / NSEC_PER_SEC), (uint64_t) (s->span % NSEC_PER_SEC / NSEC_PER_MSEC),
               s->verdicts, s->changes);
        printf("Events lost: %" PRIu64 "; senseless: %" PRIu64 "; refused by a full table: %" PRIu64 "; requests without a beginning: %" PRIu64
               ", without an end: %" PRIu64 ".\n",
               s->lost_events, s->model.invalid, refused, s->model.requests_unmatched, s->model.requests_aged);
}
