/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <systemd/sd-login.h>

#include "clock.h"
#include "macro.h"
#include "name-owner.h"
#include "source-logind.h"
#include "statement.h"
#include "str.h"

#define LOGIND "org.freedesktop.login1"
#define LOGIND_PATH "/org/freedesktop/login1"
#define SESSIONS_MAX 64 /* on a server with more than that, whether one of the others is in use changes little */
#define ANSWER_TIMEOUT_USEC (5 * USEC_PER_SEC)
#define ASK_SOON_NS NSEC_PER_SEC
#define ASK_AGAIN_NS (60 * NSEC_PER_SEC)

/* One question to logind about a session. */
struct session_query {
        struct source_logind *owner;
        sd_bus_slot *slot; /* NULL: not under way */
        struct session_facts facts;
        bool answered;
};

struct source_logind {
        struct event_sink sink;
        presence_changed_fn changed;
        void *userdata;

        sd_bus *bus; /* NULL: not connected yet */
        sd_bus_slot *matches[4], *list;
        struct session_query queries[SESSIONS_MAX];
        size_t n_queries, n_waiting;
        bool again;   /* something changed since the last question */
        nsec_t asked; /* 0: never */
        uint64_t sessions_refused;

        int error; /* why it does not know: -errno; -EAGAIN: no answer yet */
        uint32_t users[SESSIONS_MAX]; /* that have an active session */
        size_t n_users;
        enum presence presence;
        char reason[PRESENCE_REASON_MAX];
};

static bool is_users(const struct session_facts *f) {
        /* "user", "user-early", "user-light"; the rest are greeters, lock screens, and what runs for no user */
        return startswith(f->class, "user");
}

enum presence presence_judge(const struct session_facts *sessions, size_t n, char ret_reason[PRESENCE_REASON_MAX]) {
        const struct session_facts *in_front = NULL;
        size_t users = 0;

        for (size_t i = 0; i < n; i++) {
                const struct session_facts *f = &sessions[i];
                if (!is_users(f))
                        continue;
                users++;
                if (f->active && (!in_front || (in_front->idle && !f->idle)))
                        in_front = f;
        }
        if (!in_front) {
                str_copy(ret_reason, PRESENCE_REASON_MAX, statement_plain(users ? SAY_NO_FOREGROUND : SAY_NO_LOGIN));
                return PRESENCE_NOBODY;
        }
        *ret_reason = '\0';
        if (*in_front->seat)
                SAY(ret_reason, PRESENCE_REASON_MAX, in_front->idle ? SAY_SESSION_IDLE : SAY_SESSION_USED, in_front->id, in_front->type, in_front->seat);
        else
                SAY(ret_reason, PRESENCE_REASON_MAX, in_front->idle ? SAY_REMOTE_IDLE : SAY_REMOTE_USED, in_front->id, in_front->type);
        return in_front->idle ? PRESENCE_IDLE : PRESENCE_SOMEBODY;
}

static void set_presence(struct source_logind *s, enum presence presence, const char *reason) {
        struct event e = { .t = clock_now(CLOCK_MONOTONIC), .kind = EVENT_PRESENCE, .presence = { .presence = presence } };
        bool same = presence == s->presence;

        if (same && streq(reason, s->reason))
                return;
        s->presence = presence;
        str_copy(s->reason, sizeof(s->reason), reason);
        if (!same)
                s->sink.fn(s->sink.userdata, &e);
        if (s->changed)
                s->changed(s->userdata);
}

static const char *explain(int error) {
        switch (error) {
        case -EAGAIN:
                return statement_plain(SAY_NOT_KNOWN_YET);
        case -EHOSTUNREACH: /* org.freedesktop.DBus.Error.ServiceUnknown, and NameHasNoOwner */
        case -ENXIO:
                return statement_plain(SAY_LOGIND_ABSENT);
        case -EACCES:
        case -EPERM:
                return statement_plain(SAY_LOGIND_FORBIDDEN);
        case -ETIMEDOUT:
                return statement_plain(SAY_LOGIND_SILENT);
        default:
                return statement_plain(SAY_LOGIND_FAILS);
        }
}

static void fail(struct source_logind *s, int error) {
        s->error = error;
        set_presence(s, PRESENCE_UNKNOWN, explain(error));
}

static void forget_queries(struct source_logind *s) {
        for (size_t i = 0; i < s->n_queries; i++)
                s->queries[i].slot = sd_bus_slot_unref(s->queries[i].slot);
        s->n_queries = s->n_waiting = 0;
}

static void conclude(struct source_logind *s) {
        struct session_facts sessions[SESSIONS_MAX];
        char reason[PRESENCE_REASON_MAX];
        enum presence presence;
        size_t n = 0;

        for (size_t i = 0; i < s->n_queries; i++)
                if (s->queries[i].answered)
                        sessions[n++] = s->queries[i].facts;
        s->error = 0;
        s->n_users = 0;
        for (size_t i = 0; i < n; i++)
                if (is_users(&sessions[i]) && sessions[i].active)
                        s->users[s->n_users++] = sessions[i].uid;
        presence = presence_judge(sessions, n, reason);
        set_presence(s, presence, reason);
}

/* A value that is text or truth, into what it belongs to; anything else is passed over. */
static int read_property(sd_bus_message *m, struct session_facts *f) {
        const char *key, *text = NULL, *type;
        int r = sd_bus_message_read(m, "s", &key), truth = 0;
        char kind;

        if (r >= 0)
                r = sd_bus_message_peek_type(m, &kind, &type);
        if (r < 0)
                return r;
        if (streq(type, "s") && (r = sd_bus_message_read(m, "v", "s", &text)) >= 0) {
                if (streq(key, "Type"))
                        str_copy(f->type, sizeof(f->type), text);
                else if (streq(key, "Class"))
                        str_copy(f->class, sizeof(f->class), text);
        } else if (streq(type, "b") && (r = sd_bus_message_read(m, "v", "b", &truth)) >= 0) {
                if (streq(key, "Active"))
                        f->active = truth;
                else if (streq(key, "IdleHint"))
                        f->idle = truth;
        } else if (r >= 0)
                r = sd_bus_message_skip(m, "v");
        return r;
}

static int read_properties(sd_bus_message *m, struct session_facts *f) {
        int r = sd_bus_message_enter_container(m, 'a', "{sv}");

        while (r >= 0 && (r = sd_bus_message_enter_container(m, 'e', "sv")) > 0) {
                r = read_property(m, f);
                if (r >= 0)
                        r = sd_bus_message_exit_container(m);
        }
        return r;
}

static int on_session(sd_bus_message *m, void *userdata, sd_bus_error *error _unused_) {
        struct session_query *q = userdata;
        struct source_logind *s = q->owner;

        /* An error: it ended meanwhile. */
        q->answered = !sd_bus_message_is_method_error(m, NULL) && read_properties(m, &q->facts) >= 0;
        str_make_text(q->facts.type, sizeof(q->facts.type));
        if (--s->n_waiting == 0)
                conclude(s);
        return 1;
}

static int call(struct source_logind *s, sd_bus_slot **slot, const char *path, const char *interface, const char *member,
                const char *argument, sd_bus_message_handler_t handler, void *userdata) {
        sd_bus_message *m = NULL;
        int r = sd_bus_message_new_method_call(s->bus, &m, LOGIND, path, interface, member);

        if (r >= 0 && argument)
                r = sd_bus_message_append(m, "s", argument);
        if (r >= 0)
                r = sd_bus_message_set_auto_start(m, false); /* where it does not run, it is not wanted */
        if (r >= 0)
                r = sd_bus_call_async(s->bus, slot, m, handler, userdata, ANSWER_TIMEOUT_USEC);
        sd_bus_message_unref(m);
        return r;
}

static int ask_about(struct source_logind *s, const char *id, uint32_t uid, const char *seat, const char *path) {
        struct session_query *q = &s->queries[s->n_queries];
        int r;

        if (s->n_queries == SESSIONS_MAX) {
                s->sessions_refused++;
                return 0;
        }
        *q = (struct session_query) { .owner = s };
        q->facts.uid = uid;
        str_copy(q->facts.id, sizeof(q->facts.id), id);
        str_copy(q->facts.seat, sizeof(q->facts.seat), seat);
        str_make_text(q->facts.id, sizeof(q->facts.id));
        str_make_text(q->facts.seat, sizeof(q->facts.seat));
        r = call(s, &q->slot, path, "org.freedesktop.DBus.Properties", "GetAll", LOGIND ".Session", on_session, q);
        if (r < 0)
                return r;
        s->n_queries++;
        s->n_waiting++;
        return 0;
}

/* a(susso): id, user's number and name, seat, object */
static int read_sessions(struct source_logind *s, sd_bus_message *m) {
        const char *id, *user, *seat, *path;
        uint32_t uid;
        int r = sd_bus_message_enter_container(m, 'a', "(susso)");

        while (r >= 0 && (r = sd_bus_message_read(m, "(susso)", &id, &uid, &user, &seat, &path)) > 0)
                r = ask_about(s, id, uid, seat, path);
        return r;
}

static int on_list(sd_bus_message *m, void *userdata, sd_bus_error *error _unused_) {
        struct source_logind *s = userdata;
        int r;

        s->list = sd_bus_slot_unref(s->list);
        if (sd_bus_message_is_method_error(m, NULL)) {
                fail(s, -sd_bus_message_get_errno(m));
                return 1;
        }
        r = read_sessions(s, m);
        if (r < 0) {
                forget_queries(s);
                fail(s, r);
        } else if (s->n_waiting == 0)
                conclude(s);
        return 1;
}

static int ask(struct source_logind *s, nsec_t now) {
        s->again = false;
        s->asked = now;
        forget_queries(s);
        s->list = sd_bus_slot_unref(s->list);
        return call(s, &s->list, LOGIND_PATH, LOGIND ".Manager", "ListSessions", NULL, on_list, s);
}

void source_logind_follow(struct source_logind *s, nsec_t now) {
        nsec_t since = nsec_sub(now, s->asked);
        int r;

        if (!s->bus || since < ASK_SOON_NS || (!s->again && since < ASK_AGAIN_NS))
                return;
        r = ask(s, now);
        if (r < 0)
                fail(s, r);
}

/* Whatever changed: it is looked at as a whole. What changes all the time is looked at once a second, with the tick. */
static int on_signal(sd_bus_message *m _unused_, void *userdata, sd_bus_error *error _unused_) {
        struct source_logind *s = userdata;

        s->again = true;
        source_logind_follow(s, clock_now(CLOCK_MONOTONIC));
        return 0;
}

int source_logind_connect(struct source_logind *s, sd_bus *bus) {
        static const char *const rules[] = {
                "type='signal',sender='" LOGIND "',interface='" LOGIND ".Manager',member='SessionNew'",
                "type='signal',sender='" LOGIND "',interface='" LOGIND ".Manager',member='SessionRemoved'",
                "type='signal',sender='" LOGIND "',interface='org.freedesktop.DBus.Properties',member='PropertiesChanged',"
                "path_namespace='" LOGIND_PATH "/session'",
                NAME_OWNER_MATCH(LOGIND),
        };
        int r = 0;

        _Static_assert(ARRAY_SIZE(rules) == ARRAY_SIZE(s->matches), "a slot for each rule");
        for (size_t i = 0; r >= 0 && i < ARRAY_SIZE(rules); i++)
                r = sd_bus_add_match_async(bus, &s->matches[i], rules[i], on_signal, NULL, s);
        if (r < 0)
                return r;
        s->bus = sd_bus_ref(bus);
        return ask(s, clock_now(CLOCK_MONOTONIC));
}

struct source_logind *source_logind_new(struct event_sink sink, presence_changed_fn changed, void *userdata) {
        struct source_logind *s = calloc(1, sizeof(*s));

        if (!s)
                return NULL;
        *s = (struct source_logind) { .sink = sink, .changed = changed, .userdata = userdata, .error = -EAGAIN };
        str_copy(s->reason, sizeof(s->reason), explain(s->error));
        return s;
}

struct source_logind *source_logind_free(struct source_logind *s) {
        if (!s)
                return NULL;
        forget_queries(s);
        sd_bus_slot_unref(s->list);
        for (size_t i = 0; i < ARRAY_SIZE(s->matches); i++)
                sd_bus_slot_unref(s->matches[i]);
        sd_bus_unref(s->bus);
        free(s);
        return NULL;
}

/* logind tells of a session on the bus when the user's manager runs already, and is asked once a second. Its files know it before that. */
static bool begins_session(uint32_t uid) {
        _cleanup_free_ char *state = NULL;

        return sd_uid_get_state(uid, &state) >= 0 && (streq(state, "opening") || streq(state, "active"));
}

bool source_logind_has_session(const struct source_logind *s, uint32_t uid) {
        for (size_t i = 0; i < s->n_users; i++)
                if (s->users[i] == uid)
                        return true;
        return s->error < 0 || begins_session(uid);
}

enum presence source_logind_presence(const struct source_logind *s) {
        return s->presence;
}

const char *source_logind_reason(const struct source_logind *s) {
        return s->reason;
}

static size_t probe(void *source, struct source_info *ret) {
        const struct source_logind *s = source;
        char reason[PRESENCE_REASON_MAX];

        statement_tell(s->reason, NULL, reason, sizeof(reason));
        *ret = (struct source_info) { .name = "logind", .state = s->error < 0 ? SOURCE_UNAVAILABLE : SOURCE_WORKS };
        snprintf(ret->detail, sizeof(ret->detail), s->error < 0 ? "%s; whether a user is there is not known" : "whether a user is there: %s",
                 reason);
        if (s->sessions_refused > 0)
                str_append(ret->detail, sizeof(ret->detail), "; sessions beyond the first %d were passed over %" PRIu64 " times", SESSIONS_MAX,
                           s->sessions_refused);
        return 1;
}

const struct source_ops source_logind_ops = { .probe = probe };
