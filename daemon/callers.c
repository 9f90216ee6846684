/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "callers.h"
#include "macro.h"
#include "manager.h"
#include "names.h"
#include "str.h"
#include "user-budget.h"

/* Connections that are remembered; a system bus has at most 2048, of which each user has 256. */
#define CALLERS_MAX 512
#define CALLERS_ALIKE 8 /* among so many neighbours in the table one is replaced: a look-up stays short */

/* Calls that wait until the bus has said whose they are. */
#define WAITING_MAX 64
#define WAITING_PER_CALLER_MAX 4

/* What a connection may ask for before its user is known; the bus answers within milliseconds. */
#define CALLS_UNKNOWN_MAX 32

/* The dashboard and brioctl top make ten calls a second, and a hundred when they begin. */
#define CALLS_PER_SECOND 100
#define CALLS_AT_ONCE 200
static const struct user_rate rate = { .period = NSEC_PER_SEC / CALLS_PER_SECOND, .at_once = CALLS_AT_ONCE };

/* What a call that does not fit counts as: sd-bus goes through each byte of a long text, which takes milliseconds for a megabyte, before it tells its length.
 * So the calls that follow are refused for a second, which looks at no value. Each part of a path it would look up by itself, which takes a second for the
 * longest: such a call does not come so far. */
#define CALLS_PER_MISFIT (CALLS_AT_ONCE + CALLS_PER_SECOND)

/* What a call counts as that has briod look at all drives and processes at once, tell hundreds of entries, or start a process. */
#define CALLS_PER_DEAR 10
static const char *const dear[] = {
        "Hold", "ReleaseHold", "OpenSampleStream", "GetDecisions", "GetAdvice", "GetStartups", "GetPrefetch", "GetPrefetchFiles",
};

struct caller {
        char name[CALLER_NAME_MAX]; /* unique bus name, of which there is never a second; empty: free */
        struct callers *owner;
        sd_bus_slot *question; /* while the bus is asked */
        uid_t uid;
        bool known;
        unsigned calls; /* before it was known */
        uint64_t seen;
};

struct waiting {
        sd_bus_message *call; /* NULL: free */
        sd_bus_message_handler_t handler;
        void *userdata;
};

struct callers {
        sd_bus *connection;
        sd_bus_slot *filter;
        uint64_t clock;
        struct user_budget budget;
        struct caller callers[CALLERS_MAX];
        struct waiting waiting[WAITING_MAX];
};

void callers_call_again(sd_bus_message *call, sd_bus_message_handler_t handler, void *userdata) {
        sd_bus_error error = SD_BUS_ERROR_NULL;
        int r = handler(call, userdata, &error);

        if (r < 0 || sd_bus_error_is_set(&error))
                sd_bus_reply_method_errno(call, r, &error);
        sd_bus_error_free(&error);
}

static void caller_clear(struct caller *caller) {
        sd_bus_slot_unref(caller->question);
        *caller = (struct caller){ 0 };
}

/* The calls that waited for this caller go on, or fail where the bus did not say. */
static void end_waiting(struct callers *c, const struct caller *caller) {
        for (size_t i = 0; i < WAITING_MAX; i++) {
                struct waiting w = c->waiting[i];

                if (!w.call || !streq(sd_bus_message_get_sender(w.call), caller->name))
                        continue;
                c->waiting[i] = (struct waiting){ 0 };
                if (caller->known)
                        callers_call_again(w.call, w.handler, w.userdata);
                else
                        sd_bus_reply_method_errorf(w.call, BRIO_ERROR_FAILED, "the bus does not say which user calls");
                sd_bus_message_unref(w.call);
        }
}

static int on_user(sd_bus_message *reply, void *userdata, sd_bus_error *ret_error _unused_) {
        struct caller *caller = userdata;
        struct callers *c = caller->owner;
        uint32_t uid;

        caller->question = sd_bus_slot_unref(caller->question);
        if (!sd_bus_message_is_method_error(reply, NULL) && sd_bus_message_read(reply, "u", &uid) >= 0) {
                caller->uid = uid;
                caller->known = true;
                user_budget_charge(&c->budget, &rate, uid, caller->calls, manager_now());
        }
        end_waiting(c, caller);
        if (!caller->known)
                caller_clear(caller); /* it has left the bus, or is asked about anew with its next call */
        return 0;
}

static int ask(struct callers *c, struct caller *caller) {
        if (caller->known || caller->question)
                return 0;
        return sd_bus_call_method_async(c->connection, &caller->question, "org.freedesktop.DBus", "/org/freedesktop/DBus",
                                        "org.freedesktop.DBus", "GetConnectionUnixUser", on_user, caller, "s", caller->name);
}

static size_t hash(const char *name) {
        size_t h = 5381; /* D. J. Bernstein's */

        for (; *name; name++)
                h = h * 33 + (unsigned char) *name;
        return h;
}

static size_t first_place(const char *name) {
        return hash(name) % (CALLERS_MAX / CALLERS_ALIKE) * CALLERS_ALIKE;
}

bool callers_know(const struct callers *c, const char *name, uid_t *ret_uid) {
        size_t first = first_place(name);

        for (size_t i = first; i < first + CALLERS_ALIKE; i++)
                if (c->callers[i].known && streq(c->callers[i].name, name)) {
                        *ret_uid = c->callers[i].uid;
                        return true;
                }
        return false;
}

/* NULL: its neighbours in the table all wait for the bus's answer. */
static struct caller *get_caller(struct callers *c, const char *name) {
        size_t first = first_place(name);
        struct caller *oldest = NULL;

        for (size_t i = first; i < first + CALLERS_ALIKE; i++) {
                struct caller *caller = &c->callers[i];
                if (streq(caller->name, name)) {
                        caller->seen = ++c->clock;
                        return caller;
                }
                if (!caller->question && (!oldest || caller->seen < oldest->seen))
                        oldest = caller;
        }
        if (!oldest)
                return NULL;
        caller_clear(oldest);
        oldest->owner = c;
        oldest->seen = ++c->clock;
        return str_copy(oldest->name, sizeof(oldest->name), name) ? oldest : NULL;
}

int callers_get_user(struct callers *c, sd_bus_message *call, sd_bus_message_handler_t handler, void *userdata, uid_t *ret_uid,
                     sd_bus_error *error) {
        struct caller *caller = get_caller(c, sd_bus_message_get_sender(call));
        struct waiting *free_slot = NULL;
        unsigned of_this_caller = 0;

        if (caller && caller->known) {
                *ret_uid = caller->uid;
                return 1;
        }
        for (size_t i = 0; caller && i < WAITING_MAX; i++) {
                struct waiting *w = &c->waiting[i];
                if (!w->call)
                        free_slot = w;
                else
                        of_this_caller += streq(sd_bus_message_get_sender(w->call), caller->name);
        }
        if (!free_slot || of_this_caller >= WAITING_PER_CALLER_MAX || ask(c, caller) < 0)
                return sd_bus_error_set(error, BRIO_ERROR_LIMIT_REACHED, "too many callers at a time");
        *free_slot = (struct waiting){ .call = sd_bus_message_ref(call), .handler = handler, .userdata = userdata };
        return 0;
}

/* Also those in containers. */
static bool values_fit(sd_bus_message *call, unsigned *left) {
        const char *text, *contents;
        char type;
        int r;

        while ((r = sd_bus_message_peek_type(call, &type, &contents)) > 0) {
                if ((*left)-- == 0)
                        return false;
                if (contents) {
                        if (sd_bus_message_enter_container(call, type, contents) < 0 || !values_fit(call, left) || sd_bus_message_exit_container(call) < 0)
                                return false;
                } else if (type == SD_BUS_TYPE_STRING || type == SD_BUS_TYPE_OBJECT_PATH) {
                        if (sd_bus_message_read_basic(call, type, &text) < 0 || strlen(text) > CALL_TEXT_MAX)
                                return false;
                } else if (sd_bus_message_skip(call, NULL) < 0) {
                        return false;
                }
        }
        return r == 0;
}

bool callers_values_fit(sd_bus_message *call) {
        unsigned left = CALL_VALUES_MAX;

        return values_fit(call, &left);
}

static unsigned count_of(sd_bus_message *call) {
        for (size_t i = 0; i < ARRAY_SIZE(dear); i++)
                if (streq(sd_bus_message_get_member(call), dear[i]))
                        return CALLS_PER_DEAR;
        return 1;
}

static bool may_call(struct callers *c, struct caller *caller, unsigned n) {
        if (caller->known)
                return caller->uid == 0 || user_budget_take(&c->budget, &rate, caller->uid, n, manager_now());
        if (ask(c, caller) < 0 || caller->calls >= CALLS_UNKNOWN_MAX)
                return false;
        caller->calls += n;
        return true;
}

static void charge_misfit(struct callers *c, struct caller *caller) {
        if (!caller->known)
                caller->calls += CALLS_PER_MISFIT;
        else if (caller->uid != 0)
                user_budget_charge(&c->budget, &rate, caller->uid, CALLS_PER_MISFIT, manager_now());
}

static int on_message(sd_bus_message *m, void *userdata, sd_bus_error *error) {
        struct callers *c = userdata;
        const char *sender = sd_bus_message_get_sender(m);
        struct caller *caller;

        if (sd_bus_message_is_method_call(m, NULL, NULL) <= 0 || !sender)
                return 0;
        caller = get_caller(c, sender);
        if (!caller || !may_call(c, caller, count_of(m)))
                return sd_bus_error_setf(error, BRIO_ERROR_LIMIT_REACHED, "more than %d calls a second", CALLS_PER_SECOND);
        if (strlen(sd_bus_message_get_path(m)) <= CALL_TEXT_MAX && callers_values_fit(m))
                return 0;
        charge_misfit(c, caller);
        return sd_bus_error_setf(error, BRIO_ERROR_INVALID_ARGUMENT, "a text or path has at most %d bytes, and a call at most %d values", CALL_TEXT_MAX,
                                 CALL_VALUES_MAX);
}

int callers_new(sd_bus *connection, struct callers **ret) {
        struct callers *c = calloc(1, sizeof(*c));
        int r;

        if (!c)
                return -ENOMEM;
        c->connection = connection;
        r = sd_bus_add_filter(connection, &c->filter, on_message, c);
        if (r < 0) {
                free(c);
                return r;
        }
        *ret = c;
        return 0;
}

struct callers *callers_free(struct callers *c) {
        if (!c)
                return NULL;
        sd_bus_slot_unref(c->filter);
        for (size_t i = 0; i < CALLERS_MAX; i++)
                caller_clear(&c->callers[i]);
        for (size_t i = 0; i < WAITING_MAX; i++)
                sd_bus_message_unref(c->waiting[i].call);
        free(c);
        return NULL;
}
