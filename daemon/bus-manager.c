/* SPDX-License-Identifier: GPL-3.0-or-later */
/* org.brio.Brio1.Manager: marshals, and nothing else. data/org.brio.Brio1.xml says what each member means. */
#include <errno.h>
#include <stdio.h>

#include "bus-private.h"
#include "config.h"
#include "names.h"
#include "str.h"

/* A probe opens dozens of files, and what works here changes rarely. */
#define PROBE_LIFE_NS NSEC_PER_SEC

/* Every getter has sd-bus's signature; the body sees reply and b. */
#define GETTER(name)                                                                                                                  \
        static int append_##name(sd_bus_message *reply, struct bus *b);                                                               \
        static int get_##name(sd_bus *bus _unused_, const char *path _unused_, const char *interface _unused_,                        \
                              const char *property _unused_, sd_bus_message *reply, void *userdata, sd_bus_error *error _unused_) {   \
                return append_##name(reply, userdata);                                                                                \
        }                                                                                                                             \
        static int append_##name(sd_bus_message *reply, struct bus *b _unused_)

GETTER(version) {
        return sd_bus_message_append(reply, "s", BRIO_VERSION);
}

GETTER(mode) {
        return sd_bus_message_append(reply, "s", mode_to_string(b->manager->mode));
}

GETTER(mode_origin) {
        return sd_bus_message_append(reply, "s", mode_origin_to_string(b->manager->mode_origin));
}

GETTER(attention) {
        return sd_bus_message_append(reply, "u", (uint32_t) b->manager->attention);
}

GETTER(attention_reason) {
        const struct reader reader = audience_reader_of(b->audience, reply);

        return bus_append_told(reply, &reader, b->manager->attention_reason);
}

GETTER(attention_reason_data) {
        const struct reader reader = audience_reader_of(b->audience, reply);

        return bus_append_statements(reply, &reader, b->manager->attention_reason);
}

GETTER(presence) {
        return sd_bus_message_append(reply, "s", presence_to_string(manager_get_presence(b->manager)));
}

GETTER(presence_reason) {
        return bus_append_told(reply, &(struct reader){}, manager_get_presence_reason(b->manager));
}

GETTER(presence_reason_data) {
        return bus_append_statements(reply, &(struct reader){}, manager_get_presence_reason(b->manager));
}

GETTER(sources) {
        nsec_t now = manager_now();
        int r = sd_bus_message_open_container(reply, 'a', "(sss)");

        if (b->probed == 0 || now - b->probed >= PROBE_LIFE_NS) {
                b->n_sources = manager_probe(b->manager, b->sources);
                b->probed = now;
        }
        for (size_t i = 0; r >= 0 && i < b->n_sources; i++) {
                const struct source_info *s = &b->sources[i];
                r = sd_bus_message_append(reply, "(sss)", s->name, source_state_to_string(s->state), s->detail);
        }
        return r < 0 ? r : sd_bus_message_close_container(reply);
}

GETTER(devices) {
        int r = sd_bus_message_open_container(reply, 'a', "o");

        for (size_t i = 0; r >= 0 && i < ARRAY_SIZE(b->manager->drives); i++) {
                const struct manager_drive *d = &b->manager->drives[i];
                _cleanup_free_ char *device = d->announced ? bus_device_path(d->drive.name) : NULL;
                if (device)
                        r = sd_bus_message_append(reply, "o", device);
        }
        return r < 0 ? r : sd_bus_message_close_container(reply);
}

GETTER(holds) {
        int r = sd_bus_message_open_container(reply, 'a', "(usss)");

        for (size_t i = 0; r >= 0 && i < HOLDS_MAX; i++) {
                const struct hold_entry *h = &b->manager->holds.entries[i];
                if (h->cookie)
                        r = sd_bus_message_append(reply, "(usss)", h->cookie, hold_to_string(h->mode), h->reason, h->application_id);
        }
        return r < 0 ? r : sd_bus_message_close_container(reply);
}

GETTER(policies) {
        int r = sd_bus_message_open_container(reply, 'a', "(sss)");

        for (size_t i = 0; r >= 0 && i < b->manager->policies.n; i++) {
                const struct policy *p = &b->manager->policies.policies[i];
                r = sd_bus_message_append(reply, "(sss)", p->name, p->file, p->description);
        }
        return r < 0 ? r : sd_bus_message_close_container(reply);
}

static int append_cold_starts(sd_bus_message *reply, const struct manager_counters *c) {
        static const unsigned bounds_ms[] = { BRIO_COLD_START_BOUNDS_MS };
        char name[sizeof(BRIO_COLD_STARTS_WITHIN) + 10];
        int r = sd_bus_message_append(reply, "{st}{st}", "cold_starts", c->cold_starts, "cold_starts_usec", c->cold_starts_usec);

        for (size_t i = 0; r >= 0 && i < ARRAY_SIZE(bounds_ms); i++) {
                snprintf(name, sizeof(name), BRIO_COLD_STARTS_WITHIN, bounds_ms[i]);
                r = sd_bus_message_append(reply, "{st}", name, c->cold_starts_within[i]);
        }
        return r;
}

GETTER(counters) {
        struct manager *m = b->manager;
        struct source_cost cost;
        struct model_counters c;
        struct prefetch_counters prefetch = { 0 };
        struct priorities_counters p;
        int r;

        model_get_counters(m->model, &c);
        priorities_get_counters(m->priorities, &p);
        request_sources_cost(m->source_requests, &cost);
        if (m->prefetch)
                prefetch_get_counters(m->prefetch, &prefetch);
        const struct {
                const char *name;
                uint64_t value;
        } counters[] = {
                { "events", c.events },
                { "events_lost", m->snapshot->lost_events },
                { "events_invalid", c.invalid },
                { "ticks", m->counters.ticks },
                { "writes", m->counters.writes },
                { "write_errors", m->counters.write_errors },
                { "foreign_writes", m->counters.foreign_writes },
                { "restores", m->counters.restores },
                { "drive_changes", m->counters.drive_changes },
                { "stepped_back", priorities_held(m->priorities) },
                { "priorities_refused", p.refused + m->controller->processes_refused },
                { "priorities_inherited", p.children },
                { "priorities_lowered", m->counters.lowered },
                { "processes_known", m->snapshot->processes_known },
                { "processes_refused", c.processes_refused },
                { "devices_refused", c.devices_refused + m->drives_refused },
                { "requests_refused", c.requests_refused },
                { "flows_refused", c.flows_refused },
                { "requests_unmatched", c.requests_unmatched },
                { "requests_aged", c.requests_aged },
                { "streams_refused", c.streams_refused },
                { "startups_refused", c.startups_refused + m->counters.starts_uncounted },
                { "recordings_lost", recorders_lost(m->recorders) },
                { "prefetch_starts", prefetch.played },
                { "prefetch_controls", prefetch.controls },
                { "prefetch_learnt", prefetch.learnt },
                { "prefetch_bytes", prefetch.bytes },
                { "prefetch_refused", prefetch.failed + prefetch.refused },
                { "request_events", cost.events },
                { "request_bytes", cost.bytes },
                { "request_wakeups", cost.wakeups },
                { "uptime_usec", (manager_now() - m->started) / NSEC_PER_USEC },
        };
        r = sd_bus_message_open_container(reply, 'a', "{st}");
        for (size_t i = 0; r >= 0 && i < ARRAY_SIZE(counters); i++)
                r = sd_bus_message_append(reply, "{st}", counters[i].name, counters[i].value);
        if (r >= 0)
                r = append_cold_starts(reply, &m->counters);
        return r < 0 ? r : sd_bus_message_close_container(reply);
}

/* Of a call that is answered when its errand ends. r: whether there is one. */
static int await(sd_bus_message *call, int r, sd_bus_error *error) {
        if (r >= 0)
                return 1;
        sd_bus_message_unref(call);
        return r == -EBUSY ? sd_bus_error_setf(error, BRIO_ERROR_LIMIT_REACHED, "%d calls wait for drives already", ERRANDS_MAX) : r;
}

static void on_mode_set(void *userdata, struct manager *m _unused_, const struct errand *e _unused_) {
        sd_bus_message *call = userdata;

        (void) sd_bus_reply_method_return(call, NULL);
        sd_bus_message_unref(call);
}

static void on_restored(void *userdata, struct manager *m _unused_, const struct errand *e) {
        sd_bus_message *call = userdata;

        (void) sd_bus_reply_method_return(call, "uu", e->restored, e->failed);
        sd_bus_message_unref(call);
}

/* The decision that says why, the newest; NULL. */
static const struct decision *find_failed(const struct decisions *all, const struct errand *e) {
        for (uint64_t i = all->count; i > 0 && i >= e->first; i--) {
                const struct decision *d = decisions_get(all, i);
                if (d && d->receipt.error < 0 && receipt_same_setting(&d->receipt, &e->of))
                        return d;
        }
        return NULL;
}

static void on_acted(void *userdata, struct manager *m, const struct errand *e) {
        sd_bus_message *call = userdata;
        const struct manager_drive *drive = manager_find_drive_by_dev(m, e->of.dev);
        const struct decision *failed = find_failed(&m->decisions, e);
        const char *name = drive ? drive->drive.name : "";

        if (e->result == 0)
                (void) sd_bus_reply_method_return(call, NULL);
        else if (e->result == -ENOENT)
                (void) sd_bus_reply_method_errorf(call, BRIO_ERROR_NOT_FOUND, "no change in force has that id");
        else if (e->result == -ETIMEDOUT)
                (void) sd_bus_reply_method_errorf(call, BRIO_ERROR_FAILED, "%s: the drive does not answer; it is done when it does", name);
        else
                (void) sd_bus_reply_method_errorf(call, BRIO_ERROR_FAILED, "%s: %s could not be written: %s", failed ? failed->device : name,
                                                  receipt_setting(&e->of), strerror(failed ? -failed->receipt.error : -e->result));
        sd_bus_message_unref(call);
}

static int method_set_mode(sd_bus_message *call, void *userdata, sd_bus_error *error) {
        struct bus *b = userdata;
        char echo[BUS_ECHO_MAX];
        const char *word;
        int mode, r;

        r = bus_read_again(call, "s", &word);
        if (r < 0)
                return r;
        mode = mode_from_string(word);
        if (mode < 0)
                return sd_bus_error_setf(error, BRIO_ERROR_INVALID_ARGUMENT, "\"%s\" is not a mode: auto, advise or off", bus_echo(echo, word));
        r = polkit_authorize(b->polkit, call, BRIO_POLKIT_ACTION_MANAGE, method_set_mode, userdata, error);
        if (r <= 0)
                return r < 0 ? r : 1;
        return await(call, manager_set_mode(b->manager, (enum mode) mode, on_mode_set, sd_bus_message_ref(call)), error);
}

static int method_reset_mode(sd_bus_message *call, void *userdata, sd_bus_error *error) {
        struct bus *b = userdata;
        int r = polkit_authorize(b->polkit, call, BRIO_POLKIT_ACTION_MANAGE, method_reset_mode, userdata, error);

        if (r <= 0)
                return r < 0 ? r : 1;
        r = manager_reset_mode(b->manager, on_mode_set, sd_bus_message_ref(call));
        if (r >= 0 || r == -EBUSY)
                return await(call, r, error);
        sd_bus_message_unref(call);
        return sd_bus_error_setf(error, BRIO_ERROR_FAILED, "the mode that is kept cannot be dropped: %s", strerror(-r));
}

static void on_look(void *userdata, struct manager *m _unused_, const struct errand *e _unused_) {
        sd_bus_message *reply = userdata;

        (void) sd_bus_message_send(reply);
        sd_bus_message_unref(reply);
}

/* Answered when what the holds ask for is being done. cookie: NULL, or the new one's. */
static int answer_hold(struct bus *b, sd_bus_message *call, const uint32_t *cookie) {
        _cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
        int r = sd_bus_message_new_method_return(call, &reply);

        if (r >= 0 && cookie)
                r = sd_bus_message_append(reply, "u", *cookie);
        manager_holds_changed(b->manager, r < 0 ? NULL : on_look, r < 0 ? NULL : sd_bus_message_ref(reply));
        return r < 0 ? r : 1;
}

static int method_hold(sd_bus_message *call, void *userdata, sd_bus_error *error) {
        struct bus *b = userdata;
        const char *word, *reason, *application, *sender = sd_bus_message_get_sender(call);
        char echo[BUS_ECHO_MAX];
        struct hold_entry entry;
        uint32_t cookie;
        uid_t uid;
        int hold, r;

        r = bus_read_again(call, "sss", &word, &reason, &application);
        if (r < 0)
                return r;
        hold = hold_from_string(word);
        if (hold < 0)
                return sd_bus_error_setf(error, BRIO_ERROR_INVALID_ARGUMENT, "\"%s\" cannot be held: interactive, throughput or pause",
                                         bus_echo(echo, word));
        r = polkit_authorize(b->polkit, call, BRIO_POLKIT_ACTION_HOLD, method_hold, userdata, error);
        if (r <= 0)
                return r < 0 ? r : 1;
        r = callers_get_user(b->callers, call, method_hold, userdata, &uid, error);
        if (r <= 0)
                return r < 0 ? r : 1;
        r = holds_add(&b->manager->holds, sender, uid, (enum hold) hold, reason, application, &cookie);
        if (r == -EINVAL)
                return sd_bus_error_setf(error, BRIO_ERROR_INVALID_ARGUMENT, "reason and application id have at most %d bytes", HOLD_TEXT_MAX - 1);
        if (r == -ENOSPC)
                return sd_bus_error_setf(error, BRIO_ERROR_LIMIT_REACHED, "there are %d holds already", HOLDS_MAX);
        if (r == -EDQUOT)
                return sd_bus_error_setf(error, BRIO_ERROR_LIMIT_REACHED, "user %u has %d holds already", uid, HOLDS_PER_USER_MAX);
        r = bus_watch_holder(b, sender, cookie);
        if (r < 0) {
                holds_remove(&b->manager->holds, sender, cookie, &entry);
                return r;
        }
        return answer_hold(b, call, &cookie);
}

/* The caller's own, or after polkit's word another's, whose holder is told. */
static int method_release_hold(sd_bus_message *call, void *userdata, sd_bus_error *error) {
        struct bus *b = userdata;
        struct hold_entry hold;
        uint32_t cookie;
        int r = bus_read_again(call, "u", &cookie);

        if (r < 0)
                return r;
        if (holds_remove(&b->manager->holds, sd_bus_message_get_sender(call), cookie, &hold) >= 0) {
                bus_unwatch_holder(b, cookie);
        } else {
                r = polkit_authorize(b->polkit, call, BRIO_POLKIT_ACTION_MANAGE, method_release_hold, userdata, error);
                if (r <= 0)
                        return r < 0 ? r : 1;
                if (holds_remove(&b->manager->holds, NULL, cookie, &hold) < 0)
                        return sd_bus_error_setf(error, BRIO_ERROR_NOT_FOUND, "there is no hold %u", cookie);
                bus_hold_released(b, &hold);
        }
        return answer_hold(b, call, NULL);
}

static int method_restore(sd_bus_message *call, void *userdata, sd_bus_error *error) {
        struct bus *b = userdata;
        char echo[BUS_ECHO_MAX];
        const char *device;
        int r;

        r = bus_read_again(call, "s", &device);
        if (r < 0)
                return r;
        r = polkit_authorize(b->polkit, call, BRIO_POLKIT_ACTION_MANAGE, method_restore, userdata, error);
        if (r <= 0)
                return r < 0 ? r : 1;
        r = manager_restore(b->manager, *device ? device : NULL, on_restored, sd_bus_message_ref(call));
        if (r != -ENOENT)
                return await(call, r, error);
        sd_bus_message_unref(call);
        return sd_bus_error_setf(error, BRIO_ERROR_NOT_FOUND, "no drive \"%s\"", bus_echo(echo, device));
}

/* Apply and Undo differ in what they call. */
static int act_on_id(sd_bus_message *call, struct bus *b, sd_bus_message_handler_t self, int (*act)(struct manager *, const char *, errand_done_fn, void *),
                     sd_bus_error *error) {
        char echo[BUS_ECHO_MAX];
        const char *id;
        int r;

        r = bus_read_again(call, "s", &id);
        if (r < 0)
                return r;
        r = polkit_authorize(b->polkit, call, BRIO_POLKIT_ACTION_MANAGE, self, b, error);
        if (r <= 0)
                return r < 0 ? r : 1;
        r = act(b->manager, id, on_acted, sd_bus_message_ref(call));
        if (r != -ENOENT)
                return await(call, r, error);
        sd_bus_message_unref(call);
        return sd_bus_error_setf(error, BRIO_ERROR_NOT_FOUND, "no change in force has the id \"%s\"", bus_echo(echo, id));
}

static int method_apply(sd_bus_message *call, void *userdata, sd_bus_error *error) {
        return act_on_id(call, userdata, method_apply, manager_apply, error);
}

static int method_undo(sd_bus_message *call, void *userdata, sd_bus_error *error) {
        return act_on_id(call, userdata, method_undo, manager_undo, error);
}

static int method_open_sample_stream(sd_bus_message *call, void *userdata, sd_bus_error *error) {
        struct bus *b = userdata;
        _cleanup_close_ int fd = -1;
        uint32_t interval_ms;
        uid_t uid;
        int r = bus_read_again(call, "u", &interval_ms);

        if (r >= 0)
                r = callers_get_user(b->callers, call, method_open_sample_stream, userdata, &uid, error);
        if (r <= 0)
                return r < 0 ? r : 1;
        fd = manager_open_stream(b->manager, uid, interval_ms);
        if (fd == -EINVAL)
                return sd_bus_error_setf(error, BRIO_ERROR_INVALID_ARGUMENT, "%u ms is not an interval: %d to %d", interval_ms,
                                         STREAM_INTERVAL_MIN_MS, STREAM_INTERVAL_MAX_MS);
        if (fd == -ENOSPC)
                return sd_bus_error_setf(error, BRIO_ERROR_LIMIT_REACHED, "there are %d streams already", STREAMS_MAX);
        if (fd == -EDQUOT)
                return sd_bus_error_setf(error, BRIO_ERROR_LIMIT_REACHED, "user %u has %d streams already", uid, STREAMS_PER_USER_MAX);
        if (fd < 0)
                return fd;
        return sd_bus_reply_method_return(call, "h", fd);
}

static int open_recording(sd_bus_message *call, struct manager *m, char **names, sd_bus_error *error) {
        char echo[BUS_ECHO_MAX];
        const char *missing = "";
        _cleanup_close_ int fd = manager_open_recording(m, names, &missing);

        if (fd == -ENODEV)
                return sd_bus_error_setf(error, BRIO_ERROR_NOT_FOUND, "no drive \"%s\"", bus_echo(echo, missing));
        if (fd == -ENOSPC)
                return sd_bus_error_setf(error, BRIO_ERROR_LIMIT_REACHED, "there are %d recordings already", RECORDERS_MAX);
        if (fd == -E2BIG)
                return sd_bus_error_setf(error, BRIO_ERROR_INVALID_ARGUMENT, "more than %d drives", SNAPSHOT_DEVICES_MAX);
        return fd < 0 ? fd : sd_bus_reply_method_return(call, "h", fd);
}

static int method_open_recording(sd_bus_message *call, void *userdata, sd_bus_error *error) {
        struct bus *b = userdata;
        char **names = NULL;
        int r;

        r = polkit_authorize(b->polkit, call, BRIO_POLKIT_ACTION_RECORD, method_open_recording, userdata, error);
        if (r <= 0)
                return r < 0 ? r : 1;
        r = sd_bus_message_rewind(call, true);
        if (r >= 0)
                r = sd_bus_message_read_strv(call, &names);
        if (r >= 0)
                r = open_recording(call, b->manager, names, error);
        for (size_t i = 0; names && names[i]; i++)
                free(names[i]);
        free(names);
        return r;
}

#define OPEN SD_BUS_VTABLE_UNPRIVILEGED

const sd_bus_vtable bus_manager_vtable[] = {
        SD_BUS_VTABLE_START(0),
        SD_BUS_PROPERTY("Version", "s", get_version, 0, SD_BUS_VTABLE_PROPERTY_CONST),
        SD_BUS_PROPERTY("Mode", "s", get_mode, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
        SD_BUS_PROPERTY("ModeOrigin", "s", get_mode_origin, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
        SD_BUS_PROPERTY("AttentionLevel", "u", get_attention, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
        SD_BUS_PROPERTY("AttentionReason", "s", get_attention_reason, 0, 0),
        SD_BUS_PROPERTY("AttentionReasonData", "aa{sv}", get_attention_reason_data, 0, 0),
        SD_BUS_PROPERTY("Presence", "s", get_presence, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
        SD_BUS_PROPERTY("PresenceReason", "s", get_presence_reason, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
        SD_BUS_PROPERTY("PresenceReasonData", "aa{sv}", get_presence_reason_data, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
        SD_BUS_PROPERTY("Sources", "a(sss)", get_sources, 0, 0),
        SD_BUS_PROPERTY("Devices", "ao", get_devices, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
        SD_BUS_PROPERTY("ActiveHolds", "a(usss)", get_holds, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
        SD_BUS_PROPERTY("Policies", "a(sss)", get_policies, 0, SD_BUS_VTABLE_PROPERTY_CONST),
        SD_BUS_PROPERTY("ProgramRules", "a(sss)", bus_get_program_rules, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
        SD_BUS_PROPERTY("Counters", "a{st}", get_counters, 0, 0),
        SD_BUS_METHOD_WITH_ARGS("Observe", SD_BUS_NO_ARGS, SD_BUS_RESULT("b", all), bus_observe, OPEN),
        SD_BUS_METHOD_WITH_ARGS("Hold", SD_BUS_ARGS("s", mode, "s", reason, "s", application_id), SD_BUS_RESULT("u", cookie), method_hold, OPEN),
        SD_BUS_METHOD_WITH_ARGS("ReleaseHold", SD_BUS_ARGS("u", cookie), SD_BUS_NO_RESULT, method_release_hold, OPEN),
        SD_BUS_METHOD_WITH_ARGS("SetMode", SD_BUS_ARGS("s", mode), SD_BUS_NO_RESULT, method_set_mode, OPEN),
        SD_BUS_METHOD_WITH_ARGS("ResetMode", SD_BUS_NO_ARGS, SD_BUS_NO_RESULT, method_reset_mode, OPEN),
        SD_BUS_METHOD_WITH_ARGS("Restore", SD_BUS_ARGS("s", device), SD_BUS_RESULT("u", restored, "u", failed), method_restore, OPEN),
        SD_BUS_METHOD_WITH_ARGS("Apply", SD_BUS_ARGS("s", id), SD_BUS_NO_RESULT, method_apply, OPEN),
        SD_BUS_METHOD_WITH_ARGS("Undo", SD_BUS_ARGS("s", id), SD_BUS_NO_RESULT, method_undo, OPEN),
        SD_BUS_METHOD_WITH_ARGS("GetDecisions", SD_BUS_ARGS("t", after), SD_BUS_RESULT("aa{sv}", decisions), bus_get_decisions, OPEN),
        SD_BUS_METHOD_WITH_ARGS("GetAdvice", SD_BUS_NO_ARGS, SD_BUS_RESULT("aa{sv}", advice), bus_get_advice, OPEN),
        SD_BUS_METHOD_WITH_ARGS("GetProcesses", SD_BUS_ARGS("u", limit), SD_BUS_RESULT("aa{sv}", processes), bus_get_processes, OPEN),
        SD_BUS_METHOD_WITH_ARGS("GetStreams", SD_BUS_NO_ARGS, SD_BUS_RESULT("aa{sv}", streams), bus_get_streams, OPEN),
        SD_BUS_METHOD_WITH_ARGS("GetStartups", SD_BUS_ARGS("s", application), SD_BUS_RESULT("aa{sv}", startups), bus_get_startups, OPEN),
        SD_BUS_METHOD_WITH_ARGS("GetStartupTimeline", SD_BUS_ARGS("s", application, "t", time_usec), SD_BUS_RESULT("a{sv}", timeline),
                                bus_get_startup_timeline, OPEN),
        SD_BUS_METHOD_WITH_ARGS("StartupReady", SD_BUS_ARGS("u", pid), SD_BUS_NO_RESULT, bus_startup_ready, OPEN),
        SD_BUS_METHOD_WITH_ARGS("GetPrefetch", SD_BUS_ARGS("s", application), SD_BUS_RESULT("aa{sv}", applications), bus_get_prefetch, OPEN),
        SD_BUS_METHOD_WITH_ARGS("GetPrefetchFiles", SD_BUS_ARGS("s", application), SD_BUS_RESULT("aa{sv}", files), bus_get_prefetch_files, OPEN),
        SD_BUS_METHOD_WITH_ARGS("ForgetPrefetch", SD_BUS_ARGS("s", application), SD_BUS_RESULT("u", forgotten), bus_forget_prefetch, OPEN),
        SD_BUS_METHOD_WITH_ARGS("SetPrefetch", SD_BUS_ARGS("s", application, "b", on), SD_BUS_RESULT("u", changed), bus_set_prefetch, OPEN),
        SD_BUS_METHOD_WITH_ARGS("LowerPriority", SD_BUS_ARGS("u", pid), SD_BUS_RESULT("a{sv}", outcome), bus_lower_priority, OPEN),
        SD_BUS_METHOD_WITH_ARGS("SetProgramRules", SD_BUS_ARGS("a(ss)", rules), SD_BUS_NO_RESULT, bus_set_program_rules, OPEN),
        SD_BUS_METHOD_WITH_ARGS("OpenSampleStream", SD_BUS_ARGS("u", interval_ms), SD_BUS_RESULT("h", stream), method_open_sample_stream, OPEN),
        SD_BUS_METHOD_WITH_ARGS("OpenRecording", SD_BUS_ARGS("as", devices), SD_BUS_RESULT("h", recording), method_open_recording, OPEN),
        SD_BUS_METHOD_WITH_ARGS("GetKernelVerdicts", SD_BUS_ARGS("u", seconds), SD_BUS_RESULT("aa{sv}", verdicts), bus_get_kernel_verdicts, OPEN),
        SD_BUS_SIGNAL_WITH_ARGS("DecisionMade", SD_BUS_ARGS("a{sv}", decision), 0),
        SD_BUS_SIGNAL_WITH_ARGS("TrialEnded", SD_BUS_ARGS("a{sv}", decision), 0),
        SD_BUS_SIGNAL_WITH_ARGS("StreamStarted", SD_BUS_ARGS("a{sv}", stream), 0),
        SD_BUS_SIGNAL_WITH_ARGS("StreamEnded", SD_BUS_ARGS("a{sv}", stream), 0),
        SD_BUS_SIGNAL_WITH_ARGS("StartupFinished", SD_BUS_ARGS("a{sv}", startup), 0),
        SD_BUS_SIGNAL_WITH_ARGS("HoldReleased", SD_BUS_ARGS("u", cookie), 0),
        SD_BUS_VTABLE_END,
};
