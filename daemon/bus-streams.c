/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GetStreams(), StreamStarted and StreamEnded of the Manager: marshals, and nothing else. data/org.brio.Brio1.xml says what each key
 * means. */
#include "bus-private.h"
#include "names.h"

static int append_failed(sd_bus_message *m, const struct rhythm_figures *f) {
        return sd_bus_message_append(m, "{sv}{sv}{sv}{sv}", "failed_condition", "s", rhythm_flaw_to_string(f->flaw), "failed_value", "x", f->value,
                                     "failed_limit", "x", f->limit, "failed_unit", "s", rhythm_flaw_unit(f->flaw));
}

static int append_kernel(sd_bus_message *m, const struct stream_view *v) {
        const struct bus_number numbers[] = {
                { "kernel_yes", v->kernel.yes },
                { "kernel_no", v->kernel.no },
                { "kernel_yes_alone", v->kernel.yes_alone },
                { "kernel_yes_without_memory", v->kernel.yes_without_memory },
        };
        int r = sd_bus_message_append(m, "{sv}{sv}", "kernel", "s", soft_rt_answer_to_string(v->kernel.answer), "margin_usec", "x", v->kernel.margin_us);

        return r < 0 ? r : bus_append_numbers(m, numbers, ARRAY_SIZE(numbers));
}

static int append_figures(sd_bus_message *m, const struct rhythm_figures *f) {
        const struct bus_number numbers[] = {
                { "bytes_per_second", f->bytes_per_s },
                { "period_usec", f->period_us },
                { "regularity_permille", f->regularity_permille },
                { "pause_permille", f->pause_permille },
                { "drift_permille", f->drift_permille },
                { "batches", f->batches },
                { "periods", f->periods },
        };

        return bus_append_numbers(m, numbers, ARRAY_SIZE(numbers));
}

static int append_times(sd_bus_message *m, const struct stream_entry *e, nsec_t now) {
        nsec_t since = e->started ? e->started : e->view.since;
        int r = bus_append_pair(m, "since_usec", "t", (uint64_t) (nsec_sub(now, since) / NSEC_PER_USEC));

        if (r >= 0)
                r = bus_append_pair(m, "idle_usec", "t", (uint64_t) (nsec_sub(now, e->view.last_ask) / NSEC_PER_USEC));
        return r < 0 || !e->ended ? r : bus_append_pair(m, "ended_usec", "t", (uint64_t) (nsec_sub(now, e->ended) / NSEC_PER_USEC));
}

static int append_arrivals(sd_bus_message *m, const struct arrivals *a) {
        int r = bus_open_pair(m, "arrivals", "a(uuuisb)");

        if (r >= 0)
                r = sd_bus_message_open_container(m, 'a', "(uuuisb)");
        for (size_t i = 0; r >= 0 && i < a->n; i++) {
                const struct arrival *one = arrivals_at(a, i);
                r = sd_bus_message_append(m, "(uuuisb)", one->period_us, one->pause_us, one->bytes, one->margin_us,
                                          soft_rt_answer_to_string(one->answer), (int) !one->left_out);
        }
        if (r >= 0)
                r = sd_bus_message_close_container(m);
        return bus_close_pair(m, r);
}

static int append_stream(sd_bus_message *m, struct manager *manager, const struct reader *reader, const struct stream_entry *e) {
        const struct manager_drive *d = manager_find_drive_by_dev(manager, e->view.dev);
        const char *state = stream_entry_state(e);
        const struct stream_view *v = &e->view;
        char sentence[VERDICT_SENTENCE_MAX];
        int r = sd_bus_message_open_container(m, 'a', "{sv}");

        stream_describe(&e->view, sentence, sizeof(sentence));
        if (r >= 0)
                r = sd_bus_message_append(m, "{sv}{sv}{sv}{sv}{sv}{sv}{sv}{sv}", "state", "s", state ? state : "", "pid", "u", (uint32_t) v->tgid,
                                          "name", "s", v->name, "device", "s", d ? d->drive.name : "", "records", "b", (int) v->writes,
                                          "source", "s", v->from_proc ? "proc" : "requests", "holds", "s", stream_hold_to_string(v->holds),
                                          "confidence", "u", (uint32_t) v->confidence);
        if (r >= 0)
                r = append_times(m, e, manager->snapshot->now);
        if (r >= 0)
                r = append_figures(m, &v->figures);
        if (r >= 0 && !v->from_proc)
                r = append_kernel(m, v);
        if (r >= 0 && !v->from_proc)
                r = append_arrivals(m, &v->arrivals);
        if (r >= 0 && v->figures.flaw != RHYTHM_FITS)
                r = append_failed(m, &v->figures);
        if (r >= 0)
                r = bus_append_sentence(m, reader, "sentence", sentence);
        if (r >= 0)
                r = sd_bus_message_close_container(m);
        return r < 0 ? r : 1;
}

/* Streams first, then candidates and near misses, as the snapshot has them; what has ended last. */
static int append_state(sd_bus_message *reply, struct manager *manager, const struct reader *reader, const char *state) {
        int r = 0;

        for (size_t i = 0; r >= 0 && i < STREAM_LOG_MAX; i++) {
                const struct stream_entry *e = &manager->stream_log.entries[i];
                const char *is = stream_entry_state(e);
                if (is && streq(is, state) && reader_sees(reader, e->view.uid))
                        r = append_stream(reply, manager, reader, e);
        }
        return r;
}

int bus_get_streams(sd_bus_message *call, void *userdata, sd_bus_error *error) {
        static const char *const states[] = { "stream", "candidate", "near-miss", "ended" };
        struct bus *b = userdata;
        sd_bus_message *reply = NULL;
        struct reader reader;
        int r = audience_get_reader(b->audience, call, bus_get_streams, userdata, &reader, error);

        if (r <= 0)
                return r < 0 ? r : 1;
        r = bus_begin_list(call, &reply);
        for (size_t i = 0; r >= 0 && i < ARRAY_SIZE(states); i++)
                r = append_state(reply, b->manager, &reader, states[i]);
        return bus_send_list(reply, r);
}

static int fill_stream(sd_bus_message *m, struct bus *b, const struct reader *reader, const void *what) {
        const struct stream_entry *e = what;

        return reader_sees(reader, e->view.uid) ? append_stream(m, b->manager, reader, e) : 0;
}

void bus_stream_changed(struct bus *b, enum stream_change change, const struct stream_entry *e) {
        bus_tell(b, change == STREAM_STARTED ? "StreamStarted" : "StreamEnded", fill_stream, e);
}
