/* SPDX-License-Identifier: GPL-3.0-or-later */
/* org.brio.Brio1.Device: marshals, and nothing else. */
#include "bus-private.h"
#include "law.h"
#include "statement.h"

/* Every getter has sd-bus's signature; the body sees drive, device (may be NULL), reply and the reader that it goes to. */
#define GETTER(name)                                                                                                                 \
        static int append_##name(sd_bus_message *reply, const struct manager_drive *drive, const struct controller_device *device,   \
                                 const struct reader *reader);                                                                       \
        static int get_##name(sd_bus *bus _unused_, const char *path _unused_, const char *interface _unused_,                       \
                              const char *property _unused_, sd_bus_message *reply, void *userdata, sd_bus_error *error _unused_) {  \
                const struct manager_drive *drive = userdata;                                                                        \
                const struct reader reader = audience_reader_of(drive->manager->bus->audience, reply);                               \
                return append_##name(reply, drive, controller_find_device(drive->manager->controller, drive->drive.dev), &reader);   \
        }                                                                                                                            \
        static int append_##name(sd_bus_message *reply, const struct manager_drive *drive _unused_,                                  \
                                 const struct controller_device *device _unused_, const struct reader *reader _unused_)

GETTER(name) {
        return sd_bus_message_append(reply, "s", drive->drive.name);
}

GETTER(model) {
        return sd_bus_message_append(reply, "s", drive->drive.model);
}

GETTER(class) {
        return sd_bus_message_append(reply, "s", device_class_to_string(drive->drive.class));
}

GETTER(class_reason) {
        return bus_append_told(reply, reader, drive->drive.class_reason);
}

GETTER(class_reason_data) {
        return bus_append_statements(reply, reader, drive->drive.class_reason);
}

GETTER(scheduler) {
        /* Read now: it may have changed since the last look, and its name may be one that we do not know. */
        manager_see_settings(drive->manager, drive);
        return sd_bus_message_append(reply, "s", drive->texts[TUNABLE_QUEUE_SCHEDULER]);
}

GETTER(schedulers) {
        int r = sd_bus_message_open_container(reply, 'a', "s");

        for (int s = 0; r >= 0 && device && s < _SCHEDULER_MAX; s++)
                if (device->facts.schedulers & (1u << s) && scheduler_to_string((enum scheduler) s))
                        r = sd_bus_message_append(reply, "s", scheduler_to_string((enum scheduler) s));
        return r < 0 ? r : sd_bus_message_close_container(reply);
}

GETTER(awaited_scheduler) {
        const char *name = device ? scheduler_to_string(controller_awaited_scheduler(device)) : NULL;

        return sd_bus_message_append(reply, "s", name ? name : "");
}

GETTER(policy) {
        const struct policy *p = device ? device->policy : NULL;

        return sd_bus_message_append(reply, "(ss)", p ? p->name : "", p ? p->file : "");
}

GETTER(workload) {
        const struct manager *m = drive->manager;
        const struct device_view *v = snapshot_find_device(m->snapshot, drive->drive.dev);

        for (size_t i = 0; i < m->n_verdicts; i++) /* the kinds are in order of strength */
                if (m->verdicts[i].dev == drive->drive.dev && verdict_is_workload(m->verdicts[i].kind))
                        return sd_bus_message_append(reply, "s", verdict_kind_to_string(m->verdicts[i].kind));
        return sd_bus_message_append(reply, "s", v && v->busy_since ? "busy" : "idle");
}

GETTER(state) {
        return sd_bus_message_append(reply, "s", device_state_to_string(device ? device->state : DEVICE_STATE_IGNORED));
}

const char *bus_drive_reason(const struct manager_drive *d) {
        const struct controller_device *c = controller_find_device(d->manager->controller, d->drive.dev);

        if (drive_workers_is_silent(d->manager->workers, d->drive.name))
                return statement_plain(SAY_DRIVE_SILENT);
        return c ? c->reason : "";
}

GETTER(reason) {
        return bus_append_told(reply, reader, bus_drive_reason(drive));
}

GETTER(reason_data) {
        return bus_append_statements(reply, reader, bus_drive_reason(drive));
}

/* What a switch of ours has set anew is ours, too: it has an original, and goes back to it. */
static enum tunable_owner owner_of(const struct controller_tunable *t, const char *original, const char *current) {
        return t->owner == OWNER_KERNEL && original && !streq(original, current) ? OWNER_BRIO : t->owner;
}

GETTER(tunables) {
        int r = sd_bus_message_open_container(reply, 'a', "{s(ssss)}");

        manager_see_settings(drive->manager, drive);
        for (int i = 0; r >= 0 && device && i < _TUNABLE_MAX; i++) {
                enum tunable_id id = (enum tunable_id) i;
                const struct controller_tunable *t = &device->tunables[id];
                char initial[TUNABLE_VALUE_MAX], wanted[TUNABLE_VALUE_MAX] = "";
                const char *original, *current = drive->texts[id];
                bool coarser = !tunable_is_primary(id) && device->facts.values[tunable_get(id)->twin].present;

                if (coarser || !device->facts.values[id].present || *current == '\0')
                        continue;
                original = actuator_original(drive->manager->actuator, drive->drive.dev, id);
                snprintf(initial, sizeof(initial), "%s", original ? original : current);
                if (t->original_known)
                        tunable_format(id, t->wanted, wanted, sizeof(wanted));
                else if (t->advice_known)
                        tunable_format(id, t->advice, wanted, sizeof(wanted));
                r = sd_bus_message_append(reply, "{s(ssss)}", tunable_get(id)->name, initial, wanted, current,
                                          tunable_owner_to_string(owner_of(t, original, current)));
        }
        return r < 0 ? r : sd_bus_message_close_container(reply);
}

/* What it has set now: names, for a list of them. */
static int append_held(sd_bus_message *reply, const struct controller_device *d, enum law_id law) {
        int r = bus_open_pair(reply, "tunables", "as");

        if (r >= 0)
                r = sd_bus_message_open_container(reply, 'a', "s");
        for (int id = 0; r >= 0 && id < _TUNABLE_MAX; id++)
                if (d->tunables[id].original_known && d->tunables[id].law == law)
                        r = sd_bus_message_append(reply, "s", tunable_get((enum tunable_id) id)->name);
        if (r >= 0 && controller_stepped_back_for(&d->stepped_back, law))
                r = sd_bus_message_append(reply, "s", RECEIPT_PRIORITY);
        if (r >= 0)
                r = sd_bus_message_close_container(reply);
        return bus_close_pair(reply, r);
}

static const char *reason_of(const struct controller_device *d, enum law_id law) {
        const struct stepped_back_for *s = controller_stepped_back_for(&d->stepped_back, law);

        for (int id = 0; id < _TUNABLE_MAX; id++)
                if (d->tunables[id].original_known && d->tunables[id].law == law)
                        return d->tunables[id].reason;
        return s ? s->reason : "";
}

static int append_law(sd_bus_message *reply, const struct controller_device *d, const struct reader *reader, enum law_id law, bool enabled,
                      struct policy_source source, nsec_t now) {
        const struct law_trial *t = &d->trial.laws[law];
        bool away = d->barred & 1u << law && t->state != TRIAL_PROBING; /* its old values are back for a moment */
        int r = sd_bus_message_open_container(reply, 'a', "{sv}");

        if (r >= 0)
                r = sd_bus_message_append(reply, "{sv}{sv}{sv}{sv}", "law", "s", law_to_string(law), "enabled", "b", (int) enabled, "file", "s",
                                          policy_source_file(d->policy, source), "line", "u", (uint32_t) source.line);
        if (r >= 0)
                r = append_held(reply, d, law);
        if (r >= 0)
                r = bus_append_sentence(reply, reader, "reason", reason_of(d, law));
        if (r >= 0)
                r = sd_bus_message_append(reply, "{sv}{sv}{sv}", "trial", "s", trial_state_to_string(t->state),
                                          "since_usec", "t", (uint64_t) (t->since ? nsec_sub(now, t->since) / NSEC_PER_USEC : 0),
                                          "retry_usec", "t", (uint64_t) (away ? nsec_sub(t->until, now) / NSEC_PER_USEC : 0));
        if (r >= 0)
                r = bus_append_sentence(reply, reader, "effect", t->effect);
        if (r >= 0)
                r = bus_append_figures(reply, &t->figures);
        return r < 0 ? r : sd_bus_message_close_container(reply);
}

GETTER(laws) {
        int r = sd_bus_message_open_container(reply, 'a', "a{sv}");

        for (int law = 0; r >= 0 && device && device->policy && law < _LAW_MAX; law++) {
                struct policy_source source;
                bool enabled;
                if (law_in_policy(device->policy, (enum law_id) law, &enabled, &source))
                        r = append_law(reply, device, reader, (enum law_id) law, enabled, source, drive->manager->snapshot->now);
        }
        return r < 0 ? r : sd_bus_message_close_container(reply);
}

static int append_evidence(sd_bus_message *reply, const struct verdict *v) {
        int r = bus_open_pair(reply, "evidence", "a(sxxs)");

        if (r >= 0)
                r = sd_bus_message_open_container(reply, 'a', "(sxxs)");
        for (size_t i = 0; r >= 0 && i < v->n_evidence; i++)
                r = sd_bus_message_append(reply, "(sxxs)", v->evidence[i].name, v->evidence[i].value, v->evidence[i].limit, v->evidence[i].unit);
        if (r >= 0)
                r = sd_bus_message_close_container(reply);
        return bus_close_pair(reply, r);
}

/* Its subject and its culprit; left out where that is the drive as a whole, or none. */
static int append_subjects(sd_bus_message *reply, const struct reader *reader, const struct verdict *v) {
        int r = 0;

        if (v->subject.tgid > 0)
                r = bus_append_process(reply, reader, "pid", "name", &v->subject);
        if (r >= 0 && v->culprit.tgid > 0)
                r = bus_append_process(reply, reader, "culprit_pid", "culprit_name", &v->culprit);
        if (r >= 0 && v->culprit.tgid > 0)
                r = sd_bus_message_append(reply, "{sv}", "culprit_permille", "u", (uint32_t) v->culprit_permille);
        return r;
}

GETTER(verdicts) {
        const struct manager *m = drive->manager;
        int r = sd_bus_message_open_container(reply, 'a', "a{sv}");

        for (size_t i = 0; r >= 0 && i < m->n_verdicts; i++) {
                const struct verdict *v = &m->verdicts[i];
                if (v->dev != drive->drive.dev)
                        continue;
                r = sd_bus_message_open_container(reply, 'a', "{sv}");
                if (r >= 0)
                        r = sd_bus_message_append(reply, "{sv}{sv}{sv}{sv}", "kind", "s", verdict_kind_to_string(v->kind),
                                                  "since_usec", "t", (uint64_t) (nsec_sub(m->snapshot->now, v->since) / NSEC_PER_USEC),
                                                  "severity", "u", (uint32_t) v->severity, "confidence", "u", (uint32_t) v->confidence);
                if (r >= 0)
                        r = bus_append_sentence(reply, reader, "sentence", v->sentence);
                if (r >= 0)
                        r = append_subjects(reply, reader, v);
                if (r >= 0)
                        r = append_evidence(reply, v);
                if (r >= 0)
                        r = sd_bus_message_close_container(reply);
        }
        return r < 0 ? r : sd_bus_message_close_container(reply);
}

/* The live figures: zero until the first sample. */
static const struct device_view *view_of(const struct manager_drive *drive) {
        static const struct device_view none;
        const struct device_view *v = snapshot_find_device(drive->manager->snapshot, drive->drive.dev);

        return v ? v : &none;
}

GETTER(read_latency) {
        return sd_bus_message_append(reply, "t", (uint64_t) view_of(drive)->read_latency_us);
}

GETTER(write_latency) {
        return sd_bus_message_append(reply, "t", (uint64_t) view_of(drive)->write_latency_us);
}

GETTER(read_rate) {
        return sd_bus_message_append(reply, "t", view_of(drive)->read_bytes_per_s);
}

GETTER(write_rate) {
        return sd_bus_message_append(reply, "t", view_of(drive)->write_bytes_per_s);
}

GETTER(utilisation) {
        return sd_bus_message_append(reply, "u", view_of(drive)->utilisation_permille);
}

GETTER(depth) {
        return sd_bus_message_append(reply, "u", view_of(drive)->depth_milli);
}

GETTER(readers) {
        return sd_bus_message_append(reply, "u", view_of(drive)->readers);
}

GETTER(attention_reason) {
        return bus_append_told(reply, reader, drive->watch.reason);
}

GETTER(attention_reason_data) {
        return bus_append_statements(reply, reader, drive->watch.reason);
}

#define SINGLE_FROM 2  /* the values from here on are of single requests, */
#define IN_SUMS_UP_TO 10 /* and those up to here are known in sums, too */

/* Empty while its single requests are not looked at. */
GETTER(requests) {
        const struct device_view *v = view_of(drive);
        const struct latency_view *wait = v->requests.latencies.wait, *service = v->requests.latencies.service;
        const struct {
                const char *key;
                uint64_t value;
        } values[] = {
                { "asked_reads_per_second", v->requests.asked_per_s[REQUEST_READ] },
                { "asked_writes_per_second", v->requests.asked_per_s[REQUEST_WRITE] },
                { "reads", wait[REQUEST_READ].requests },
                { "read_latency_usec", wait[REQUEST_READ].median_us },
                { "read_latency_p99_usec", wait[REQUEST_READ].p99_us },
                { "writes", wait[REQUEST_WRITE].requests },
                { "write_latency_usec", wait[REQUEST_WRITE].median_us },
                { "write_latency_p99_usec", wait[REQUEST_WRITE].p99_us },
                { "anonymous_permille", v->requests.anonymous_permille },
                { "sampled_one_in", v->requests.one_in },
                { "read_service_usec", service[REQUEST_READ].median_us },
                { "read_service_p99_usec", service[REQUEST_READ].p99_us },
                { "write_service_usec", service[REQUEST_WRITE].median_us },
                { "write_service_p99_usec", service[REQUEST_WRITE].p99_us },
                { "hole_permille", v->requests.hole_permille },
                { "filled_permille", v->requests.filled_permille },
                { "idle_permille", v->requests.idle_permille },
                { "injected", v->requests.injected },
                { "sequential_permille", v->requests.sequential_permille },
                { "peak_bytes_per_second", v->requests.peak_bytes_per_s },
                { "raise_usec", v->requests.raise_ms * USEC_PER_MSEC },
        };
        size_t first = v->requests.summed ? 0 : SINGLE_FROM, end = v->requests.summed ? IN_SUMS_UP_TO : ARRAY_SIZE(values);
        int r = sd_bus_message_open_container(reply, 'a', "{st}");

        for (size_t i = first; r >= 0 && drive->watch.on && v->requests.since && i < end; i++)
                r = sd_bus_message_append(reply, "{st}", values[i].key, values[i].value);
        return r < 0 ? r : sd_bus_message_close_container(reply);
}

#define CONSTANT SD_BUS_VTABLE_PROPERTY_CONST
#define CHANGES SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE

const sd_bus_vtable bus_device_vtable[] = {
        SD_BUS_VTABLE_START(0),
        SD_BUS_PROPERTY("Name", "s", get_name, 0, CONSTANT),
        SD_BUS_PROPERTY("Model", "s", get_model, 0, CONSTANT),
        SD_BUS_PROPERTY("Class", "s", get_class, 0, CHANGES),
        SD_BUS_PROPERTY("ClassReason", "s", get_class_reason, 0, CHANGES),
        SD_BUS_PROPERTY("ClassReasonData", "aa{sv}", get_class_reason_data, 0, CHANGES),
        SD_BUS_PROPERTY("Scheduler", "s", get_scheduler, 0, CHANGES),
        SD_BUS_PROPERTY("Schedulers", "as", get_schedulers, 0, CHANGES),
        SD_BUS_PROPERTY("AwaitedScheduler", "s", get_awaited_scheduler, 0, CHANGES),
        SD_BUS_PROPERTY("Policy", "(ss)", get_policy, 0, CHANGES),
        SD_BUS_PROPERTY("Workload", "s", get_workload, 0, CHANGES),
        SD_BUS_PROPERTY("State", "s", get_state, 0, CHANGES),
        SD_BUS_PROPERTY("Reason", "s", get_reason, 0, 0),
        SD_BUS_PROPERTY("ReasonData", "aa{sv}", get_reason_data, 0, 0),
        SD_BUS_PROPERTY("Tunables", "a{s(ssss)}", get_tunables, 0, CHANGES),
        SD_BUS_PROPERTY("Laws", "aa{sv}", get_laws, 0, 0),
        SD_BUS_PROPERTY("AttentionReason", "s", get_attention_reason, 0, 0),
        SD_BUS_PROPERTY("AttentionReasonData", "aa{sv}", get_attention_reason_data, 0, 0),
        SD_BUS_PROPERTY("Requests", "a{st}", get_requests, 0, 0),
        SD_BUS_PROPERTY("Verdicts", "aa{sv}", get_verdicts, 0, 0),
        SD_BUS_PROPERTY("ReadLatencyUSec", "t", get_read_latency, 0, 0),
        SD_BUS_PROPERTY("WriteLatencyUSec", "t", get_write_latency, 0, 0),
        SD_BUS_PROPERTY("ReadBytesPerSecond", "t", get_read_rate, 0, 0),
        SD_BUS_PROPERTY("WriteBytesPerSecond", "t", get_write_rate, 0, 0),
        SD_BUS_PROPERTY("UtilisationPermille", "u", get_utilisation, 0, 0),
        SD_BUS_PROPERTY("QueueDepthMilli", "u", get_depth, 0, 0),
        SD_BUS_PROPERTY("Readers", "u", get_readers, 0, 0),
        SD_BUS_VTABLE_END,
};
