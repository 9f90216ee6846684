/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts of applications, and the session's word for their end: marshals, and nothing else. data/org.brio.Brio1.xml says what each
 * key means. */
#include <errno.h>

#include "bus-private.h"
#include "names.h"
#include "str.h"

static int append_culprits(sd_bus_message *m, const struct reader *reader, const struct startup_view *s) {
        int r = bus_open_pair(m, "culprits", "a(sut)");

        if (r >= 0)
                r = sd_bus_message_open_container(m, 'a', "(sut)");
        for (size_t i = 0; r >= 0 && i < s->n_culprits; i++) {
                const struct startup_culprit *c = &s->culprits[i];
                bool sees = reader_sees(reader, c->uid);
                r = sd_bus_message_append(m, "(sut)", sees ? c->name : MENTION_NOT_SEEN, sees ? (uint32_t) c->tgid : 0, (uint64_t) c->permille);
        }
        if (r >= 0)
                r = sd_bus_message_close_container(m);
        return bus_close_pair(m, r);
}

/* What there is to say of one start. */
static int append_record(sd_bus_message *m, const struct reader *reader, const struct startup_record *record, const struct startup_application *a) {
        const struct startup_view *s = &record->start;
        const struct bus_number numbers[] = {
                { "time_usec", record->time_usec },
                { "latency_usec", s->latency / NSEC_PER_USEC },
                { "noticed_usec", s->noticed / NSEC_PER_USEC },
                { "waited_usec", s->waited / NSEC_PER_USEC },
                { "waited_permille", s->latency ? s->waited * 1000 / s->latency : 0 },
                { "read_bytes", s->read_bytes },
                { "requests", s->requests },
                { "faults", s->faults },
                { "processes", s->processes },
        };
        char sentence[STARTUP_SENTENCE_MAX];
        const struct {
                const char *key, *value;
        } texts[] = {
                { "application", s->application },
                { "name", s->name },
                { "device", record->device },
                { "end", startup_end_to_string(s->end) },
        };
        int r = bus_append_numbers(m, numbers, ARRAY_SIZE(numbers));

        for (size_t i = 0; r >= 0 && i < ARRAY_SIZE(texts); i++)
                r = bus_append_pair(m, texts[i].key, "s", texts[i].value);
        if (r >= 0)
                r = bus_append_sentence(m, reader, "sentence", startup_format_sentence(record, a, sentence, sizeof(sentence)));
        if (r >= 0)
                r = sd_bus_message_append(m, "{sv}{sv}{sv}{sv}{sv}", "pid", "u", (uint32_t) s->tgid, "launched", "b", (int) s->launched, "cold", "b", (int) s->cold,
                                          "measured", "b", (int) s->observed, "helped", "b", (int) record->helped);
        return r < 0 ? r : append_culprits(m, reader, s);
}

/* Its figures over the cold starts, where there are any. */
static int append_figures(sd_bus_message *m, const struct startup_application *a) {
        struct startup_figures cold, warm;
        const struct startup_figures *f = &cold;

        startup_history_figures(a, true, &cold);
        startup_history_figures(a, false, &warm);
        if (cold.n == 0)
                f = &warm;
        const struct bus_number numbers[] = {
                { "starts", a->starts },
                { "cold_starts", cold.n },
                { "warm_starts", warm.n },
                { "usual_usec", f->median / NSEC_PER_USEC },
                { "p95_usec", f->p95 / NSEC_PER_USEC },
                { "best_usec", f->best / NSEC_PER_USEC },
                { "warm_usual_usec", warm.median / NSEC_PER_USEC },
                { "warm_p95_usec", warm.p95 / NSEC_PER_USEC },
                { "warm_best_usec", warm.best / NSEC_PER_USEC },
        };
        return bus_append_numbers(m, numbers, ARRAY_SIZE(numbers));
}

static int append_startup(sd_bus_message *m, const struct reader *reader, const struct startup_record *record, const struct startup_application *a) {
        int r = sd_bus_message_open_container(m, 'a', "{sv}");

        if (r >= 0)
                r = append_record(m, reader, record, a);
        if (r >= 0)
                r = append_figures(m, a);
        if (r >= 0)
                r = sd_bus_message_close_container(m);
        return r < 0 ? r : 1;
}

static int append_all(sd_bus_message *m, const struct reader *reader, const struct startup_history *h, const struct startup_application *one) {
        int r = 0;

        for (size_t i = 0; r >= 0 && one && i < one->n; i++)
                r = append_startup(m, reader, &one->records[i], one);
        for (size_t i = 0; r >= 0 && !one && i < STARTUP_APPLICATIONS_MAX; i++) {
                struct startup_application a;
                startup_history_select(&h->applications[i], reader_sees, reader, &a);
                if (a.n > 0)
                        r = append_startup(m, reader, &a.records[a.n - 1], &a);
        }
        return r;
}

int bus_get_startups(sd_bus_message *call, void *userdata, sd_bus_error *error) {
        struct bus *b = userdata;
        sd_bus_message *reply = NULL;
        char echo[BUS_ECHO_MAX];
        const char *application;
        struct startup_application a = { 0 };
        const struct startup_application *known;
        struct reader reader;
        int r = audience_get_reader(b->audience, call, bus_get_startups, userdata, &reader, error);

        if (r <= 0)
                return r < 0 ? r : 1;
        r = bus_read_again(call, "s", &application);
        if (r < 0)
                return r;
        known = startup_history_find(b->manager->startups, application);
        if (known)
                startup_history_select(known, reader_sees, &reader, &a);
        if (*application && a.n == 0)
                return sd_bus_error_setf(error, BRIO_ERROR_NOT_FOUND, "no start of \"%s\" is known", bus_echo(echo, application));
        r = bus_begin_list(call, &reply);
        if (r >= 0)
                r = append_all(reply, &reader, b->manager->startups, *application ? &a : NULL);
        return bus_send_list(reply, r);
}

static int append_slices(sd_bus_message *m, const struct startup_timeline *t) {
        int r = bus_open_pair(m, "slices", "a(uuuu)");

        if (r >= 0)
                r = sd_bus_message_open_container(m, 'a', "(uuuu)");
        for (size_t i = 0; r >= 0 && i < t->n; i++) {
                const struct startup_slice *s = &t->slices[i];
                r = sd_bus_message_append(m, "(uuuu)", s->computing_us, s->waited_us - s->behind_us, s->behind_us, s->read_bytes);
        }
        if (r >= 0)
                r = sd_bus_message_close_container(m);
        return bus_close_pair(m, r);
}

static int append_stalls(sd_bus_message *m, const struct startup_timeline *t) {
        int r = bus_open_pair(m, "stalls", "a(uu)");

        if (r >= 0)
                r = sd_bus_message_open_container(m, 'a', "(uu)");
        for (size_t i = 0; r >= 0 && i < t->n; i++)
                r = sd_bus_message_append(m, "(uu)", t->slices[i].queued_us, t->slices[i].memory_us);
        if (r >= 0)
                r = sd_bus_message_close_container(m);
        return bus_close_pair(m, r);
}

static bool was_meanwhile(const struct decision *d, const struct startup_record *r) {
        return d->time_usec >= r->time_usec && d->time_usec <= r->time_usec + r->start.latency / NSEC_PER_USEC && streq(d->device, r->device);
}

static int append_decisions(sd_bus_message *m, const struct decisions *all, const struct startup_record *record) {
        uint64_t found[DECISIONS_MAX];
        size_t n = 0;
        int r = bus_open_pair(m, "decisions", "at");

        for (uint64_t sequence = decisions_first(all); sequence <= all->count; sequence++)
                if (was_meanwhile(decisions_get(all, sequence), record))
                        found[n++] = sequence;
        if (r >= 0)
                r = sd_bus_message_append_array(m, 't', found, n * sizeof(found[0]));
        return bus_close_pair(m, r);
}

static int append_timeline(sd_bus_message *m, const struct manager *manager, const struct startup_record *record,
                           const struct startup_timeline *t) {
        const struct bus_number numbers[] = {
                { "time_usec", record->time_usec },
                { "latency_usec", record->start.latency / NSEC_PER_USEC },
                { "slice_usec", t->width / NSEC_PER_USEC },
        };
        int r = sd_bus_message_open_container(m, 'a', "{sv}");

        if (r >= 0)
                r = bus_append_numbers(m, numbers, ARRAY_SIZE(numbers));
        if (r >= 0)
                r = append_slices(m, t);
        if (r >= 0)
                r = append_stalls(m, t);
        if (r >= 0)
                r = append_decisions(m, &manager->decisions, record);
        return r < 0 ? r : sd_bus_message_close_container(m);
}

int bus_get_startup_timeline(sd_bus_message *call, void *userdata, sd_bus_error *error) {
        struct bus *b = userdata;
        const struct startup_history *h = b->manager->startups;
        const struct startup_course *course;
        const struct startup_record *record;
        sd_bus_message *reply = NULL;
        char echo[BUS_ECHO_MAX];
        const char *application;
        uint64_t time_usec;
        struct reader reader;
        int r = audience_get_reader(b->audience, call, bus_get_startup_timeline, userdata, &reader, error);

        if (r <= 0)
                return r < 0 ? r : 1;
        r = bus_read_again(call, "st", &application, &time_usec);
        if (r < 0)
                return r;
        course = startup_history_find_course(h, application, time_usec, reader_sees, &reader, &record);
        if (!course)
                return sd_bus_error_setf(error, BRIO_ERROR_NOT_FOUND, "no timeline of that start of \"%s\" is kept: only of the last %d starts since briod began",
                                         bus_echo(echo, application), STARTUP_TIMELINES_MAX);
        r = sd_bus_message_new_method_return(call, &reply);
        if (r >= 0)
                r = append_timeline(reply, b->manager, record, &course->timeline);
        if (r >= 0)
                r = sd_bus_send(NULL, reply, NULL);
        sd_bus_message_unref(reply);
        return r;
}

int bus_startup_ready(sd_bus_message *call, void *userdata, sd_bus_error *error) {
        struct bus *b = userdata;
        uint32_t pid;
        uid_t uid;
        int r = polkit_authorize(b->polkit, call, BRIO_POLKIT_ACTION_HOLD, bus_startup_ready, userdata, error);

        if (r <= 0)
                return r < 0 ? r : 1;
        r = bus_read_again(call, "u", &pid);
        if (r >= 0)
                r = callers_get_user(b->callers, call, bus_startup_ready, userdata, &uid, error);
        if (r <= 0)
                return r < 0 ? r : 1;
        r = pid > INT32_MAX ? -ESRCH : manager_startup_ready(b->manager, (int32_t) pid, uid);
        if (r == -ESRCH)
                return sd_bus_error_setf(error, BRIO_ERROR_NOT_FOUND,
                                         "process %u does not start: it has started already, it was not launched, or it is another user's", pid);
        return r < 0 ? r : sd_bus_reply_method_return(call, NULL);
}

static int fill_startup(sd_bus_message *m, struct bus *b, const struct reader *reader, const void *what) {
        const struct startup_record *record = what;
        struct startup_application a;

        if (!reader_sees(reader, record->start.uid))
                return 0;
        startup_history_select(startup_history_find(b->manager->startups, record->start.application), reader_sees, reader, &a);
        return append_startup(m, reader, record, &a);
}

void bus_startup_finished(struct bus *b, const struct startup_record *record) {
        bus_tell(b, "StartupFinished", fill_startup, record);
}
