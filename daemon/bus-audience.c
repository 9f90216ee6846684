/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Observe(), and what each reader is told (audience.h decides). */
#include <errno.h>
#include <stdio.h>

#include "bus-private.h"
#include "names.h"
#include "statement.h"
#include "str.h"

static int append_statements(sd_bus_message *m, const char *text, unsigned depth);

int bus_append_told(sd_bus_message *m, const struct reader *reader, const char *sentence) {
        char text[MENTION_TOLD_MAX];

        return sd_bus_message_append(m, "s", mention_tell(sentence, reader_sees, reader, text, sizeof(text)));
}

/* A text that has statements is told as these, any other one as a string. */
static int append_argument(sd_bus_message *m, const struct statement_part *part, const struct parameter *p, unsigned i, unsigned depth) {
        char key[PARAMETER_KEY_MAX], text[STATEMENT_ARGUMENT_MAX];
        int64_t number = 0;
        int r;

        parameter_key(p, key);
        statement_argument(part, i, text, sizeof(text));
        if (argument_is_number(p->kind)) {
                (void) str_parse_i64(text, &number);
                return bus_append_pair(m, key, "x", number);
        }
        if (!statement_is_in(text))
                return bus_append_pair(m, key, "s", text);
        r = bus_open_pair(m, key, "aa{sv}");
        return bus_close_pair(m, r < 0 ? r : append_statements(m, text, depth + 1));
}

static int append_part(sd_bus_message *m, const struct statement_part *part, unsigned depth) {
        char text[STATEMENT_ARGUMENT_MAX];
        struct parameter p;
        int r = sd_bus_message_open_container(m, 'a', "{sv}");

        if (r >= 0)
                r = bus_append_pair(m, "id", "s", part->statement ? part->statement->id : "text");
        if (r >= 0 && !part->statement) {
                snprintf(text, sizeof(text), "%.*s", (int) (part->end - part->begin), part->begin);
                r = bus_append_pair(m, "text", "s", text);
        }
        for (unsigned i = 0; r >= 0 && part->statement && statement_parameter(part->statement, i, &p); i++)
                r = append_argument(m, part, &p, i, depth);
        return r < 0 ? r : sd_bus_message_close_container(m);
}

static int append_statements(sd_bus_message *m, const char *text, unsigned depth) {
        struct statement_part part;
        int r = sd_bus_message_open_container(m, 'a', "a{sv}");

        while (r >= 0 && depth < STATEMENT_DEPTH_MAX && statement_next(&text, &part))
                r = append_part(m, &part, depth);
        return r < 0 ? r : sd_bus_message_close_container(m);
}

int bus_append_statements(sd_bus_message *m, const struct reader *reader, const char *sentence) {
        char text[MENTION_TOLD_MAX];

        return append_statements(m, mention_mask(sentence, reader_sees, reader, text, sizeof(text)), 0);
}

static int append_both(sd_bus_message *m, const struct reader *reader, const char *key, const char *data_key, const char *sentence) {
        char text[MENTION_TOLD_MAX];
        int r = bus_append_pair(m, key, "s", mention_tell(sentence, reader_sees, reader, text, sizeof(text)));

        if (r < 0)
                return r;
        r = bus_open_pair(m, data_key, "aa{sv}");
        return bus_close_pair(m, r < 0 ? r : bus_append_statements(m, reader, sentence));
}

int bus_append_sentence(sd_bus_message *m, const struct reader *reader, const char *key, const char *sentence) {
        char data_key[32];

        snprintf(data_key, sizeof(data_key), "%s_data", key);
        return append_both(m, reader, key, data_key, sentence);
}

int bus_append_process(sd_bus_message *m, const struct reader *reader, const char *pid_key, const char *name_key, const struct subject *subject) {
        bool sees = reader_sees(reader, subject->uid);
        int r = bus_append_pair(m, pid_key, "u", sees ? (uint32_t) subject->tgid : 0);

        return r < 0 ? r : bus_append_pair(m, name_key, "s", sees ? subject->name : MENTION_NOT_SEEN);
}

struct telling {
        struct bus *bus;
        const char *path, *interface, *signal;
        bus_fill_fn fill;
        const void *what;
};

static void tell_one(void *userdata, const char *name, const struct reader *reader) {
        const struct telling *t = userdata;
        sd_bus_message *m = NULL;

        if (sd_bus_message_new_signal(t->bus->connection, &m, t->path, t->interface, t->signal) >= 0 && t->fill(m, t->bus, reader, t->what) > 0)
                sd_bus_send_to(t->bus->connection, m, name, NULL);
        sd_bus_message_unref(m);
}

void bus_tell(struct bus *b, const char *signal, bus_fill_fn fill, const void *what) {
        struct telling t = { b, BRIO_OBJECT_PATH, BRIO_MANAGER_INTERFACE, signal, fill, what };

        if (b)
                audience_each(b->audience, tell_one, &t);
}

struct told_property {
        const char *interface, *name, *data_name, *value;
};

static int fill_properties(sd_bus_message *m, struct bus *b _unused_, const struct reader *reader, const void *what) {
        int r = 0;

        for (const struct told_property *p = what; r >= 0 && p->name; p++) {
                if (p == what)
                        r = sd_bus_message_append(m, "s", p->interface);
                if (r >= 0 && p == what)
                        r = sd_bus_message_open_container(m, 'a', "{sv}");
                if (r >= 0)
                        r = append_both(m, reader, p->name, p->data_name, p->value);
        }
        if (r >= 0)
                r = sd_bus_message_close_container(m);
        if (r >= 0)
                r = sd_bus_message_append(m, "as", 0);
        return r < 0 ? r : 1;
}

static void tell_properties(struct bus *b, const char *path, const struct told_property *properties) {
        struct telling t = { b, path, "org.freedesktop.DBus.Properties", "PropertiesChanged", fill_properties, properties };

        audience_each(b->audience, tell_one, &t);
}

void bus_tell_drive(struct bus *b, const char *path, const struct manager_drive *d) {
        const struct told_property properties[] = {
                { BRIO_DEVICE_INTERFACE, "Reason", "ReasonData", bus_drive_reason(d) },
                { BRIO_DEVICE_INTERFACE, "AttentionReason", "AttentionReasonData", d->watch.reason },
                {},
        };

        tell_properties(b, path, properties);
}

void bus_tell_attention(struct bus *b) {
        const struct told_property properties[] = { { BRIO_MANAGER_INTERFACE, "AttentionReason", "AttentionReasonData", b->manager->attention_reason }, {} };

        tell_properties(b, BRIO_OBJECT_PATH, properties);
}

int bus_observe(sd_bus_message *call, void *userdata, sd_bus_error *error) {
        struct bus *b = userdata;
        struct reader reader;
        uid_t uid;
        int r = polkit_authorize(b->polkit, call, BRIO_POLKIT_ACTION_OBSERVE, bus_observe, userdata, error);

        if (r == 0)
                return 1;
        if (r < 0 && !sd_bus_error_has_name(error, BRIO_ERROR_NOT_AUTHORIZED))
                return r;
        sd_bus_error_free(error); /* refused: the own processes are told all the same */
        reader.all = r > 0;
        r = callers_get_user(b->callers, call, bus_observe, userdata, &uid, error);
        if (r <= 0)
                return r < 0 ? r : 1;
        reader.uid = uid;
        r = audience_add(b->audience, sd_bus_message_get_sender(call), &reader);
        if (r == -EDQUOT)
                return sd_bus_error_setf(error, BRIO_ERROR_LIMIT_REACHED, "user %u observes with %d connections already", uid, AUDIENCE_PER_USER_MAX);
        if (r == -ENOSPC)
                return sd_bus_error_setf(error, BRIO_ERROR_LIMIT_REACHED, "%d connections observe already", AUDIENCE_MAX);
        return r < 0 ? r : sd_bus_reply_method_return(call, "b", (int) reader.all);
}
