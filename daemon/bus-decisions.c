/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GetDecisions() and GetAdvice() of the Manager: marshals, and nothing else. data/org.brio.Brio1.xml says what each key means. */
#include <errno.h>

#include "bus-private.h"
#include "names.h"
#include "str.h"

int bus_append_figures(sd_bus_message *m, const struct trial_figures *f) {
        const struct {
                const char *key;
                uint32_t value;
                bool known;
        } numbers[] = {
                { "before", f->before, true },
                { "after", f->after, true },
                { "samples_before", f->n_before, true },
                { "samples_after", f->n_after, true },
                { "confidence_permille", f->confidence_permille, true },
                { "p95_before_usec", f->p95_before_us, f->p95_after_us > 0 },
                { "p95_after_usec", f->p95_after_us, f->p95_after_us > 0 },
        };
        int r;

        if (f->measure == TRIAL_NOT_MEASURED)
                return 0;
        r = bus_append_pair(m, "measure", "s", trial_measure_name(f->measure));
        for (size_t i = 0; r >= 0 && i < ARRAY_SIZE(numbers); i++)
                if (numbers[i].known)
                        r = bus_append_pair(m, numbers[i].key, "t", (uint64_t) numbers[i].value);
        return r;
}

int bus_append_decision(sd_bus_message *m, const struct reader *reader, const struct decision *d) {
        const struct receipt *r = &d->receipt;
        bool hidden = r->process.tgid > 0 && !reader_sees(reader, r->process.uid);
        char id[DECISION_ID_MAX];
        const struct {
                const char *key, *value;
        } texts[] = {
                { "id", hidden && r->result == RECEIPT_ADVISED ? "" : decision_format_id(d, id, sizeof(id)) }, /* which names the process */
                { "device", d->device },
                { "tunable", receipt_setting(r) },
                { "unit", receipt_unit(r) },
                { "old", r->old },
                { "new", r->wanted },
                { "observed", r->observed },
                { "law", law_to_string(r->law) },
                { "result", receipt_result_to_string(r->result) },
                { "error", r->error ? strerrorname_np(-r->error) : "" },
                { "outcome", d->trial == TRIAL_NONE ? "" : trial_state_to_string(d->trial) },
        };
        int e = sd_bus_message_open_container(m, 'a', "{sv}");

        if (e >= 0)
                e = bus_append_pair(m, "sequence", "t", d->sequence);
        if (e >= 0)
                e = bus_append_pair(m, "time_usec", "t", d->time_usec);
        if (e >= 0 && r->process.tgid > 0)
                e = bus_append_process(m, reader, "pid", "process", &r->process);
        if (e >= 0 && *d->application && !hidden)
                e = bus_append_pair(m, "application", "s", d->application);
        if (e >= 0)
                e = bus_append_sentence(m, reader, "reason", d->reason);
        if (e >= 0)
                e = bus_append_sentence(m, reader, "effect", d->effect);
        if (e >= 0)
                e = bus_append_sentence(m, reader, "expected", d->expected);
        for (size_t i = 0; e >= 0 && i < ARRAY_SIZE(texts); i++)
                e = bus_append_pair(m, texts[i].key, "s", texts[i].value ? texts[i].value : "");
        if (e >= 0)
                e = bus_append_figures(m, &d->figures);
        if (e >= 0)
                e = sd_bus_message_close_container(m);
        return e < 0 ? e : 1;
}

static int reply_decisions(sd_bus_message *call, struct manager *m, const struct reader *reader, uint64_t after, bool advice) {
        sd_bus_message *reply = NULL;
        int r = bus_begin_list(call, &reply);

        for (uint64_t i = MAX(decisions_first(&m->decisions), after == UINT64_MAX ? UINT64_MAX : after + 1); r >= 0 && i <= m->decisions.count; i++) {
                const struct decision *d = decisions_get(&m->decisions, i);
                if (!advice || manager_advice_stands(m, d))
                        r = bus_append_decision(reply, reader, d);
        }
        return bus_send_list(reply, r);
}

int bus_get_decisions(sd_bus_message *call, void *userdata, sd_bus_error *error) {
        struct bus *b = userdata;
        struct reader reader;
        uint64_t after;
        int r = audience_get_reader(b->audience, call, bus_get_decisions, userdata, &reader, error);

        if (r <= 0)
                return r < 0 ? r : 1;
        r = bus_read_again(call, "t", &after);
        return r < 0 ? r : reply_decisions(call, b->manager, &reader, after, false);
}

int bus_get_advice(sd_bus_message *call, void *userdata, sd_bus_error *error) {
        struct bus *b = userdata;
        struct reader reader;
        int r = audience_get_reader(b->audience, call, bus_get_advice, userdata, &reader, error);

        if (r <= 0)
                return r < 0 ? r : 1;
        return reply_decisions(call, b->manager, &reader, 0, true);
}
