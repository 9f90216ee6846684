/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "macro.h"
#include "names.h"
#include "polkit.h"

/* Callers that wait for a password at one time. */
#define QUESTIONS_MAX 32
#define QUESTIONS_PER_USER_MAX 4

/* The user may be typing a password, but not for ever. */
#define ANSWER_TIMEOUT_USEC (5 * 60 * 1000000ULL)

struct question {
        sd_bus_message *call; /* NULL: free */
        uid_t uid;
        sd_bus_slot *slot;
        sd_bus_message_handler_t handler;
        void *userdata;
        enum { ASKED, ALLOWED, REFUSED } answer;
};

struct polkit {
        struct callers *callers;
        bool ask;
        struct question questions[QUESTIONS_MAX];
};

struct polkit *polkit_new(struct callers *callers, bool ask) {
        struct polkit *p = calloc(1, sizeof(*p));

        if (p) {
                p->callers = callers;
                p->ask = ask;
        }
        return p;
}

static void question_clear(struct question *q) {
        sd_bus_slot_unref(q->slot);
        sd_bus_message_unref(q->call);
        *q = (struct question){ 0 };
}

struct polkit *polkit_free(struct polkit *p) {
        for (size_t i = 0; p && i < QUESTIONS_MAX; i++)
                question_clear(&p->questions[i]);
        free(p);
        return NULL;
}

static int on_answer(sd_bus_message *reply, void *userdata, sd_bus_error *ret_error _unused_) {
        struct question *q = userdata;
        sd_bus_message *call;
        int authorized = 0;

        if (sd_bus_message_is_method_error(reply, NULL) || sd_bus_message_enter_container(reply, 'r', "bba{ss}") < 0 ||
            sd_bus_message_read(reply, "b", &authorized) < 0)
                authorized = 0;
        q->answer = authorized ? ALLOWED : REFUSED;
        call = sd_bus_message_ref(q->call);
        callers_call_again(call, q->handler, q->userdata); /* finds the answer in polkit_authorize(), where it still needs one */
        if (q->call == call && q->answer != ASKED)
                question_clear(q);
        sd_bus_message_unref(call);
        return 1;
}

static int ask(struct question *q, const char *action) {
        sd_bus *bus = sd_bus_message_get_bus(q->call);
        sd_bus_message *m = NULL;
        uint32_t interactive = sd_bus_message_get_allow_interactive_authorization(q->call) > 0;
        int r = sd_bus_message_new_method_call(bus, &m, "org.freedesktop.PolicyKit1", "/org/freedesktop/PolicyKit1/Authority",
                                               "org.freedesktop.PolicyKit1.Authority", "CheckAuthorization");

        if (r >= 0)
                r = sd_bus_message_append(m, "(sa{sv})sa{ss}us", "system-bus-name", 1, "name", "s", sd_bus_message_get_sender(q->call),
                                          action, 0, interactive, "");
        if (r >= 0)
                r = sd_bus_call_async(bus, &q->slot, m, on_answer, q, ANSWER_TIMEOUT_USEC);
        sd_bus_message_unref(m);
        return r;
}

static struct question *find_question(struct polkit *p, const sd_bus_message *call) {
        for (size_t i = 0; i < QUESTIONS_MAX; i++)
                if (p->questions[i].call == call)
                        return &p->questions[i];
        return NULL;
}

static int refuse(sd_bus_error *error, const char *action) {
        return sd_bus_error_setf(error, BRIO_ERROR_NOT_AUTHORIZED, "not allowed: it needs %s", action);
}

int polkit_authorize(struct polkit *p, sd_bus_message *call, const char *action, sd_bus_message_handler_t handler, void *userdata,
                     sd_bus_error *error) {
        struct question *free_slot = NULL, *asked = find_question(p, call);
        unsigned of_this_user = 0;
        uid_t uid;
        int r;

        if (asked) {
                bool allowed = asked->answer == ALLOWED;
                question_clear(asked);
                return allowed ? 1 : refuse(error, action);
        }
        r = callers_get_user(p->callers, call, handler, userdata, &uid, error);
        if (r <= 0)
                return r;
        for (size_t i = 0; i < QUESTIONS_MAX; i++) {
                struct question *q = &p->questions[i];
                if (!q->call && !free_slot)
                        free_slot = q;
                of_this_user += q->call && q->uid == uid;
        }
        if (uid == 0 || uid == geteuid())
                return 1;
        if (!p->ask)
                return refuse(error, action);
        if (!free_slot || of_this_user >= QUESTIONS_PER_USER_MAX)
                return sd_bus_error_set(error, BRIO_ERROR_LIMIT_REACHED, "too many callers wait for an authorization");
        *free_slot = (struct question){ .call = sd_bus_message_ref(call), .uid = uid, .handler = handler, .userdata = userdata };
        r = ask(free_slot, action);
        if (r < 0) {
                question_clear(free_slot);
                return r;
        }
        return 0;
}
