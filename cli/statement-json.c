/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "mention.h"
#include "statement-json.h"
#include "statement.h"
#include "str.h"

static struct json_object *make_statements(const char *text, unsigned depth);

static struct json_object *make_argument(const char *text, const struct parameter *p, unsigned depth) {
        int64_t number = 0;

        if (argument_is_number(p->kind)) {
                (void) str_parse_i64(text, &number);
                return json_object_new_int64(number);
        }
        return statement_is_in(text) ? make_statements(text, depth + 1) : json_object_new_string(text);
}

static struct json_object *make_statement(const struct statement_part *part, unsigned depth) {
        struct json_object *o = json_object_new_object();
        char text[STATEMENT_ARGUMENT_MAX], key[PARAMETER_KEY_MAX];
        struct parameter p;

        json_object_object_add(o, "id", json_object_new_string(part->statement ? part->statement->id : "text"));
        if (!part->statement)
                json_object_object_add(o, "text", json_object_new_string_len(part->begin, (int) (part->end - part->begin)));
        for (unsigned i = 0; part->statement && statement_parameter(part->statement, i, &p); i++)
                json_object_object_add(o, parameter_key(&p, key), make_argument(statement_argument(part, i, text, sizeof(text)), &p, depth));
        return o;
}

static struct json_object *make_statements(const char *text, unsigned depth) {
        struct json_object *list = json_object_new_array();
        struct statement_part part;

        while (depth < STATEMENT_DEPTH_MAX && statement_next(&text, &part))
                json_object_array_add(list, make_statement(&part, depth));
        return list;
}

static bool sees_all(const void *reader _unused_, uint32_t uid _unused_) {
        return true;
}

struct json_object *statement_json(const char *text) {
        char masked[MENTION_TOLD_MAX];

        return make_statements(mention_mask(text, sees_all, NULL, masked, sizeof(masked)), 0);
}
