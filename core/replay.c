/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "macro.h"
#include "recording-drive.h"
#include "recording-outcome.h"
#include "replay.h"
#include "str.h"
#include "tick.h"

/* A sentence has numbers that move with each tick. */
#define SENTENCE_INTERVAL_NS NSEC_PER_SEC

/* What stands, as it was told last. */
struct standing {
        bool stands;
        char device[32];
        nsec_t told;
        struct verdict verdict;
};

struct replay {
        const struct policy *policies;
        size_t n_policies;
        replay_fn fn;
        void *userdata;
        bool proc_only;

        nsec_t first, last; /* of what has a time; first 0: none yet */
        struct replay_summary summary;

        struct model *model;
        struct controller *controller;
        struct detectors detectors;
        struct stream_log streams;
        struct snapshot snapshot;
        struct plan plan;
        struct verdict verdicts[DETECTORS_VERDICTS_MAX];
        struct standing standing[DETECTORS_VERDICTS_MAX];
};

struct replay *replay_new(const struct policy *policies, size_t n_policies, replay_fn fn, void *userdata) {
        struct replay *r = calloc(1, sizeof(*r));

        if (!r)
                return NULL;
        r->policies = policies;
        r->n_policies = n_policies;
        r->fn = fn;
        r->userdata = userdata;
        r->model = model_new();
        r->controller = controller_new();
        return r->model && r->controller ? r : replay_free(r);
}

struct replay *replay_free(struct replay *r) {
        if (!r)
                return NULL;
        model_free(r->model);
        controller_free(r->controller);
        free(r);
        return NULL;
}

void replay_set_proc_only(struct replay *r) {
        r->proc_only = true;
}

void replay_set_judge(struct replay *r, enum stream_judge judge) {
        model_set_judge(r->model, judge);
}

static nsec_t since_first(const struct replay *r, nsec_t t) {
        return r->first ? nsec_sub(t, r->first) : 0;
}

static const char *device_name(const struct replay *r, uint32_t dev) {
        const struct controller_device *c = controller_find_device(r->controller, dev);

        return c ? c->facts.name : "?";
}

static void tell_verdict(struct replay *r, enum replay_note_kind kind, nsec_t now, struct standing *s) {
        struct replay_note note = { .kind = kind, .t = since_first(r, now), .device = s->device, .verdict = &s->verdict };

        s->told = now;
        s->stands = kind != REPLAY_VERDICT_ENDS;
        r->fn(r->userdata, &note);
}

static bool same_verdict(const struct verdict *a, const struct verdict *b) {
        return a->dev == b->dev && a->kind == b->kind && subject_same(&a->subject, &b->subject);
}

static struct standing *find_standing(struct replay *r, const struct verdict *v) {
        struct standing *free_slot = NULL;

        for (size_t i = 0; i < ARRAY_SIZE(r->standing); i++) {
                struct standing *s = &r->standing[i];
                if (s->stands && same_verdict(&s->verdict, v))
                        return s;
                if (!s->stands && !free_slot)
                        free_slot = s;
        }
        return free_slot; /* there is one: no tick has more verdicts, and what ended is taken out first */
}

static bool still_stands(const struct replay *r, size_t n, const struct standing *s) {
        for (size_t i = 0; i < n; i++)
                if (same_verdict(&r->verdicts[i], &s->verdict))
                        return true;
        return false;
}

static void tell_verdicts(struct replay *r, nsec_t now, size_t n) {
        for (size_t i = 0; i < ARRAY_SIZE(r->standing); i++)
                if (r->standing[i].stands && !still_stands(r, n, &r->standing[i]))
                        tell_verdict(r, REPLAY_VERDICT_ENDS, now, &r->standing[i]);
        for (size_t i = 0; i < n; i++) {
                const struct verdict *v = &r->verdicts[i];
                struct standing *s = find_standing(r, v);
                bool begins = s && !s->stands;
                if (!s || (!begins && (streq(s->verdict.sentence, v->sentence) || nsec_sub(now, s->told) < SENTENCE_INTERVAL_NS)))
                        continue;
                s->verdict = *v;
                str_copy(s->device, sizeof(s->device), device_name(r, v->dev));
                r->summary.verdicts += begins;
                tell_verdict(r, begins ? REPLAY_VERDICT_BEGINS : REPLAY_VERDICT_CHANGES, now, s);
        }
}

/* A scheduler's settings as the kernel begins with them (Documentation/block/bfq-iosched.rst, deadline-iosched.rst), where
 * the recording is of another one: those that laws move or reckon with. */
static const struct {
        enum tunable_id tunable;
        int64_t value;
} defaults[] = {
        { TUNABLE_BFQ_SLICE_IDLE, 8 },
        { TUNABLE_BFQ_SLICE_IDLE_US, 8000 },
        { TUNABLE_BFQ_LOW_LATENCY, 1 },
        { TUNABLE_BFQ_TIMEOUT_SYNC, 125 },
        { TUNABLE_MQ_DEADLINE_READ_EXPIRE, 500 },
        { TUNABLE_MQ_DEADLINE_WRITE_EXPIRE, 5000 },
        { TUNABLE_MQ_DEADLINE_FIFO_BATCH, 16 },
};

static bool is_of(int id, enum scheduler scheduler) {
        return tunable_get((enum tunable_id) id)->scheduler == scheduler;
}

void replay_complete_settings(struct device_facts *f) {
        bool known = false;

        for (int id = 0; id < _TUNABLE_MAX; id++) {
                if (!is_of(id, SCHEDULER_ANY) && !is_of(id, f->scheduler))
                        f->values[id].present = false;
                known |= f->values[id].present && is_of(id, f->scheduler);
        }
        for (size_t i = 0; !known && i < ARRAY_SIZE(defaults); i++)
                if (is_of(defaults[i].tunable, f->scheduler)) {
                        f->values[defaults[i].tunable].present = f->values[defaults[i].tunable].numeric = true;
                        f->values[defaults[i].tunable].number = defaults[i].value;
                }
}

void replay_keep_ours(const struct controller_device *c, struct device_facts *f) {
        bool switched = c->tunables[TUNABLE_QUEUE_SCHEDULER].owner == OWNER_BRIO;

        if (switched)
                f->scheduler = c->facts.scheduler;
        for (int id = 0; id < _TUNABLE_MAX; id++)
                if (c->tunables[id].owner == OWNER_BRIO || (switched && !is_of(id, SCHEDULER_ANY)))
                        f->values[id] = c->facts.values[id];
}

static void set_drive(struct replay *r, const char *text) {
        struct controller_device *known;
        struct device_facts facts;
        struct replay_note note = { .kind = REPLAY_DRIVE, .t = since_first(r, r->last), .device = facts.name, .facts = &facts };

        if (recording_parse_drive(text, &facts) < 0) {
                r->summary.drives_refused++;
                return;
        }
        note.policy = policy_match(r->policies, r->n_policies, facts.class);
        known = controller_find_device(r->controller, facts.dev);
        if (known)
                replay_keep_ours(known, &facts);
        replay_complete_settings(&facts);
        if (controller_set_device(r->controller, &facts, note.policy) < 0)
                r->summary.drives_refused++;
        else if (!known)
                r->fn(r->userdata, &note);
}

/* The drive does as it is told, at once. */
static void perform(struct replay *r, const struct setting_change *change, nsec_t now) {
        struct controller_device *c = controller_find_device(r->controller, change->dev);
        struct replay_note note = { .kind = REPLAY_CHANGE, .t = since_first(r, now), .change = change };
        struct receipt receipt = {
                .id = change->id, .dev = change->dev, .tunable = change->tunable, .law = change->law, .t = now,
                .result = change->action == CHANGE_RESTORE ? RECEIPT_RESTORED : RECEIPT_APPLIED,
        };

        if (!c)
                return;
        tunable_format(change->tunable, c->facts.values[change->tunable].number, receipt.old, sizeof(receipt.old));
        str_copy(receipt.wanted, sizeof(receipt.wanted), change->value);
        str_copy(receipt.observed, sizeof(receipt.observed), change->value);
        note.device = c->facts.name;
        note.old = receipt.old;
        note.new = receipt.wanted;
        r->summary.changes++;
        r->fn(r->userdata, &note);
        controller_commit(r->controller, &receipt);
        if (change->tunable == TUNABLE_QUEUE_SCHEDULER) {
                struct device_facts facts = c->facts;
                replay_complete_settings(&facts);
                controller_set_device(r->controller, &facts, c->policy);
        }
}

/* And so do the processes: they have no priority of their own, and no caller waits for them. */
static void perform_priority(struct replay *r, const struct priority_change *change, nsec_t now) {
        struct controller_device *c = controller_find_device(r->controller, change->dev);
        const struct controller_process *p = controller_find_process(r->controller, &change->process);
        struct replay_note note = { .kind = REPLAY_CHANGE, .t = since_first(r, now), .priority = change, .device = c ? c->facts.name : "" };
        bool set = change->action == CHANGE_SET;
        struct receipt receipt = {
                .id = change->id, .dev = change->dev, .tunable = _TUNABLE_INVALID, .process = change->process, .law = change->law, .t = now,
                .result = set ? RECEIPT_APPLIED : RECEIPT_RESTORED,
        };

        io_priority_format(set || !p ? IO_PRIORITY_NONE : p->wanted, receipt.old, sizeof(receipt.old));
        io_priority_format(set ? change->priority : IO_PRIORITY_NONE, receipt.wanted, sizeof(receipt.wanted));
        str_copy(receipt.observed, sizeof(receipt.observed), receipt.wanted);
        note.old = receipt.old;
        note.new = receipt.wanted;
        r->summary.changes++;
        r->fn(r->userdata, &note);
        controller_commit(r->controller, &receipt);
}

static void tell_trials(struct replay *r, nsec_t now) {
        struct trial_report report;

        while (controller_take_report(r->controller, &report)) {
                struct replay_note note = { .kind = REPLAY_TRIAL, .t = since_first(r, now), .device = device_name(r, report.dev), .trial = &report };
                r->fn(r->userdata, &note);
        }
}

static void tell_stream(struct replay *r, enum replay_note_kind kind, nsec_t now, const struct stream_entry *e) {
        struct replay_note note = { .kind = kind, .t = since_first(r, now), .device = device_name(r, e->view.dev), .stream = e };

        r->fn(r->userdata, &note);
}

static void on_stream(void *userdata, enum stream_change change, const struct stream_entry *e) {
        struct replay *r = userdata;

        r->summary.streams += change == STREAM_STARTED;
        tell_stream(r, change == STREAM_STARTED ? REPLAY_STREAM_STARTS : REPLAY_STREAM_ENDS, r->snapshot.now, e);
}

void replay_finish(struct replay *r) {
        for (size_t i = 0; i < STREAM_LOG_MAX; i++)
                if (r->streams.entries[i].view.tgid)
                        tell_stream(r, REPLAY_STREAM_SUMMARY, r->last, &r->streams.entries[i]);
}

static void tell_startups(struct replay *r, nsec_t now) {
        struct startup_ended ended;

        while (model_take_startup(r->model, &ended)) {
                struct startup_record record = { .start = ended.view };
                struct replay_note note = { .kind = REPLAY_STARTUP, .t = since_first(r, now), .startup = &record };
                note.device = record.start.n_devs > 0 ? device_name(r, record.start.devs[0]) : "?";
                record.time_usec = since_first(r, record.start.begun) / NSEC_PER_USEC;
                if (!streq(note.device, "?"))
                        str_copy(record.device, sizeof(record.device), note.device);
                r->fn(r->userdata, &note);
        }
}

static void tick(struct replay *r, nsec_t now, enum hold hold) {
        struct controller_input in = { .now = now, .mode = MODE_AUTO, .hold = hold, .snapshot = &r->snapshot };
        size_t n;

        r->summary.ticks++;
        tick_observe(r->model, r->controller, now, &r->snapshot);
        n = tick_decide(&r->detectors, r->controller, &in, r->verdicts, &r->plan);
        tick_note_starts(r->model, r->verdicts, n, now);
        stream_log_follow(&r->streams, &r->snapshot, on_stream, r);
        tell_verdicts(r, now, n);
        tell_startups(r, now);
        for (size_t i = 0; i < r->plan.n; i++)
                perform(r, &r->plan.changes[i], now);
        for (size_t i = 0; i < r->plan.n_priorities; i++)
                perform_priority(r, &r->plan.priorities[i], now);
        tell_trials(r, now);
}

/* What a source of single requests tells, its losses among it. */
static bool is_of_requests(const struct event *e) {
        return e->kind == EVENT_WATCH || (e->kind >= EVENT_REQUEST_QUEUE && e->kind <= EVENT_REQUEST_COMPLETE) || e->kind == EVENT_STACK ||
               e->kind == EVENT_SUMS || e->kind == EVENT_LATENCIES || e->kind == EVENT_TOTAL ||
               (e->kind == EVENT_LOST && (e->flags & EVENT_REQUESTS));
}

static void take_event(struct replay *r, const struct event *e) {
        if (r->proc_only && is_of_requests(e))
                return;
        model_feed(r->model, e);
        if (e->kind == EVENT_DEVICE_GONE)
                controller_remove_device(r->controller, e->dev);
}

static void take_time(struct replay *r, nsec_t t) {
        if (!r->first)
                r->first = t;
        r->last = MAX(r->last, t);
}

void replay_take(struct replay *r, const struct recording_item *item) {
        switch (item->kind) {
        case RECORDING_ENVIRONMENT:
        case RECORDING_LATER:
                return;
        case RECORDING_DRIVE:
                set_drive(r, item->text);
                return;
        case RECORDING_OUTCOME:
                recording_take_outcome(r->controller, item->text, item->t); /* of a drive that was refused, nothing is decided */
                return;
        case RECORDING_EVENT:
                take_time(r, item->t);
                take_event(r, &item->event);
                return;
        case RECORDING_TICK:
                take_time(r, item->t);
                tick(r, item->t, item->hold < _HOLD_MAX ? (enum hold) item->hold : HOLD_NONE);
                return;
        }
}

void replay_summarize(const struct replay *r, struct replay_summary *ret) {
        *ret = r->summary;
        ret->span = nsec_sub(r->last, r->first);
        ret->lost_events = r->snapshot.lost_events;
        model_get_counters(r->model, &ret->model);
}
