/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is read ahead when an application starts: marshals, and nothing else. Answers come when a child process has looked. */
#include <errno.h>

#include "bus-private.h"
#include "names.h"
#include "prefetch-store.h"
#include "str.h"

static int append_summary(sd_bus_message *m, const struct prefetch_summary *s) {
        const struct bus_number numbers[] = {
                { "files", s->files }, { "bytes", s->bytes },
                { "helped_usec", s->worth.helped_ms * USEC_PER_MSEC }, { "helped_starts", s->worth.helped },
                { "unhelped_usec", s->worth.unhelped_ms * USEC_PER_MSEC }, { "unhelped_starts", s->worth.unhelped },
        };
        int r = sd_bus_message_open_container(m, 'a', "{sv}");

        if (r >= 0)
                r = bus_append_pair(m, "application", "s", s->application);
        if (r >= 0 && s->uid != PREFETCH_EVERYBODY)
                r = bus_append_pair(m, "uid", "u", s->uid);
        if (r >= 0)
                r = bus_append_numbers(m, numbers, ARRAY_SIZE(numbers));
        if (r >= 0)
                r = bus_append_pair(m, "state", "s", s->off ? "off" : s->worthless ? "no-gain" : s->bytes == 0 ? "nothing" : "on");
        return r < 0 ? r : sd_bus_message_close_container(m);
}

static int append_summaries(sd_bus_message *m, const char *said, size_t size) {
        struct prefetch_summary s;
        int r = 0;

        for (; r >= 0 && size >= sizeof(s); said += sizeof(s), size -= sizeof(s)) {
                memcpy(&s, said, sizeof(s));
                r = append_summary(m, &s);
        }
        return r;
}

static int append_files(sd_bus_message *m, const char *said, size_t size) {
        struct prefetch_shown f;
        int r = 0;

        for (; r >= 0 && size >= sizeof(f); said += sizeof(f) + f.path_size, size -= sizeof(f) + f.path_size) {
                memcpy(&f, said, sizeof(f));
                if (f.path_size == 0 || f.path_size > size - sizeof(f) || said[sizeof(f) + f.path_size - 1] != '\0')
                        return -EBADMSG;
                r = sd_bus_message_open_container(m, 'a', "{sv}");
                if (r >= 0)
                        r = bus_append_pair(m, "path", "s", said + sizeof(f));
                if (r >= 0)
                        r = bus_append_pair(m, "uid", "u", f.uid);
                if (r >= 0)
                        r = bus_append_numbers(m, (const struct bus_number[]){ { "bytes", f.bytes }, { "ranges", f.ranges } }, 2);
                if (r >= 0)
                        r = sd_bus_message_close_container(m);
        }
        return r;
}

static void fail(sd_bus_message *call, int error) {
        if (error == -E2BIG)
                (void) sd_bus_reply_method_errorf(call, BRIO_ERROR_LIMIT_REACHED, "%d applications are off already", PREFETCH_OFF_MAX);
        else if (error == -ENOENT || error == -EINVAL)
                (void) sd_bus_reply_method_errorf(call, BRIO_ERROR_NOT_FOUND, "no start of that application was learnt from");
        else
                (void) sd_bus_reply_method_errorf(call, BRIO_ERROR_FAILED, "what is kept of starts cannot be read or written: %s", strerror(-error));
}

static void reply_list(sd_bus_message *call, int result, const char *said, size_t size, int (*append)(sd_bus_message *, const char *, size_t)) {
        sd_bus_message *reply;
        int r = result;

        if (r >= 0)
                r = bus_begin_list(call, &reply);
        if (r >= 0)
                r = bus_send_list(reply, append(reply, said, size));
        if (r < 0)
                fail(call, r);
        sd_bus_message_unref(call);
}

static void on_summaries(void *userdata, int result, const char *said, size_t size) {
        reply_list(userdata, result, said, size, append_summaries);
}

static void on_files(void *userdata, int result, const char *said, size_t size) {
        reply_list(userdata, result, said, size, append_files);
}

static void on_done(void *userdata, int result, const char *said _unused_, size_t size _unused_) {
        sd_bus_message *call = userdata;

        if (result < 0)
                fail(call, result);
        else
                (void) sd_bus_reply_method_return(call, "u", (uint32_t) result);
        sd_bus_message_unref(call);
}

static int ask(sd_bus_message *call, struct bus *b, struct prefetch_question *q, const char *application, prefetch_answer_fn fn, sd_bus_error *error) {
        char echo[BUS_ECHO_MAX];
        int r;

        if (!str_copy(q->application, sizeof(q->application), application))
                return sd_bus_error_setf(error, BRIO_ERROR_NOT_FOUND, "no start of \"%s\" was learnt from", bus_echo(echo, application));
        r = manager_ask_prefetch(b->manager, q, fn, sd_bus_message_ref(call));
        if (r >= 0)
                return 1;
        sd_bus_message_unref(call);
        if (r == -EBUSY)
                return sd_bus_error_setf(error, BRIO_ERROR_LIMIT_REACHED, "too many questions wait for drives already");
        return r;
}

/* Of the caller's own starts; root sees all. */
static int tell(sd_bus_message *call, struct bus *b, enum prefetch_wish wish, sd_bus_message_handler_t self, prefetch_answer_fn fn, sd_bus_error *error) {
        struct prefetch_question q = { .wish = wish };
        const char *application;
        uid_t uid;
        int r = bus_read_again(call, "s", &application);
        if (r >= 0)
                r = callers_get_user(b->callers, call, self, b, &uid, error);
        if (r <= 0)
                return r < 0 ? r : 1;
        q.uid = uid == 0 ? PREFETCH_EVERYBODY : uid;
        return ask(call, b, &q, application, fn, error);
}

int bus_get_prefetch(sd_bus_message *call, void *userdata, sd_bus_error *error) {
        return tell(call, userdata, PREFETCH_WISH_LIST, bus_get_prefetch, on_summaries, error);
}

int bus_get_prefetch_files(sd_bus_message *call, void *userdata, sd_bus_error *error) {
        return tell(call, userdata, PREFETCH_WISH_FILES, bus_get_prefetch_files, on_files, error);
}

int bus_forget_prefetch(sd_bus_message *call, void *userdata, sd_bus_error *error) {
        struct prefetch_question q = { .wish = PREFETCH_WISH_FORGET, .uid = PREFETCH_EVERYBODY };
        struct bus *b = userdata;
        const char *application;
        int r = polkit_authorize(b->polkit, call, BRIO_POLKIT_ACTION_MANAGE, bus_forget_prefetch, userdata, error);

        if (r <= 0)
                return r < 0 ? r : 1;
        r = bus_read_again(call, "s", &application);
        return r < 0 ? r : ask(call, b, &q, application, on_done, error);
}

int bus_set_prefetch(sd_bus_message *call, void *userdata, sd_bus_error *error) {
        struct prefetch_question q = { .uid = PREFETCH_EVERYBODY };
        struct bus *b = userdata;
        const char *application;
        int on, r = polkit_authorize(b->polkit, call, BRIO_POLKIT_ACTION_MANAGE, bus_set_prefetch, userdata, error);

        if (r <= 0)
                return r < 0 ? r : 1;
        r = bus_read_again(call, "sb", &application, &on);
        if (r < 0)
                return r;
        q.wish = on ? PREFETCH_WISH_ON : PREFETCH_WISH_OFF;
        return ask(call, b, &q, application, on_done, error);
}
