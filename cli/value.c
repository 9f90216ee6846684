/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>

#include "value.h"

static int decode_basic(sd_bus_message *m, char type, struct json_object **ret) {
        union {
                uint8_t byte;
                int boolean;
                int16_t i16;
                uint16_t u16;
                int32_t i32;
                uint32_t u32;
                int64_t i64;
                uint64_t u64;
                double real;
                const char *text;
        } u = {};
        int r = sd_bus_message_read_basic(m, type, &u);

        if (r < 0)
                return r;
        switch (type) {
        case SD_BUS_TYPE_BYTE:
                *ret = json_object_new_int(u.byte);
                break;
        case SD_BUS_TYPE_BOOLEAN:
                *ret = json_object_new_boolean(u.boolean);
                break;
        case SD_BUS_TYPE_INT16:
                *ret = json_object_new_int(u.i16);
                break;
        case SD_BUS_TYPE_UINT16:
                *ret = json_object_new_int(u.u16);
                break;
        case SD_BUS_TYPE_INT32:
                *ret = json_object_new_int(u.i32);
                break;
        case SD_BUS_TYPE_UINT32:
                *ret = json_object_new_int64(u.u32);
                break;
        case SD_BUS_TYPE_INT64:
                *ret = json_object_new_int64(u.i64);
                break;
        case SD_BUS_TYPE_UINT64:
                *ret = json_object_new_uint64(u.u64);
                break;
        case SD_BUS_TYPE_DOUBLE:
                *ret = json_object_new_double(u.real);
                break;
        case SD_BUS_TYPE_STRING:
        case SD_BUS_TYPE_OBJECT_PATH:
        case SD_BUS_TYPE_SIGNATURE:
                *ret = json_object_new_string(u.text);
                break;
        default: /* a file descriptor: nothing that JSON could hold */
                *ret = NULL;
        }
        return 0;
}

static int decode_entry(sd_bus_message *m, struct json_object *object) {
        struct json_object *value = NULL;
        const char *key, *contents;
        char type;
        int r = sd_bus_message_peek_type(m, &type, &contents);

        if (r < 0)
                return r;
        r = sd_bus_message_enter_container(m, type, contents);
        if (r < 0)
                return r;
        if (contents[0] != SD_BUS_TYPE_STRING && contents[0] != SD_BUS_TYPE_OBJECT_PATH)
                return -EBADMSG;
        r = sd_bus_message_read_basic(m, contents[0], &key);
        if (r < 0)
                return r;
        r = value_decode(m, &value);
        if (r < 0)
                return r;
        json_object_object_add(object, key, value);
        return sd_bus_message_exit_container(m);
}

static int decode_container(sd_bus_message *m, char type, const char *contents, struct json_object **ret) {
        bool dictionary = type == SD_BUS_TYPE_ARRAY && contents[0] == SD_BUS_TYPE_DICT_ENTRY_BEGIN;
        _cleanup_value_ struct json_object *list = dictionary ? json_object_new_object() : json_object_new_array();
        int r = sd_bus_message_enter_container(m, type, contents);

        if (r < 0)
                return r;
        while ((r = sd_bus_message_at_end(m, false)) == 0) {
                struct json_object *element = NULL;
                r = dictionary ? decode_entry(m, list) : value_decode(m, &element);
                if (r < 0)
                        return r;
                if (!dictionary)
                        json_object_array_add(list, element);
        }
        if (r < 0)
                return r;
        r = sd_bus_message_exit_container(m);
        if (r < 0)
                return r;
        *ret = TAKE_PTR(list);
        return 0;
}

static int decode_variant(sd_bus_message *m, const char *contents, struct json_object **ret) {
        _cleanup_value_ struct json_object *value = NULL;
        int r = sd_bus_message_enter_container(m, SD_BUS_TYPE_VARIANT, contents);

        if (r < 0)
                return r;
        r = value_decode(m, &value);
        if (r < 0)
                return r;
        r = sd_bus_message_exit_container(m);
        if (r < 0)
                return r;
        *ret = TAKE_PTR(value);
        return 0;
}

int value_decode(sd_bus_message *m, struct json_object **ret) {
        const char *contents;
        char type;
        int r = sd_bus_message_peek_type(m, &type, &contents);

        if (r < 0)
                return r;
        if (r == 0)
                return -ENODATA;
        if (type == SD_BUS_TYPE_VARIANT)
                return decode_variant(m, contents, ret);
        if (type == SD_BUS_TYPE_ARRAY || type == SD_BUS_TYPE_STRUCT)
                return decode_container(m, type, contents, ret);
        return decode_basic(m, type, ret);
}

static bool is_tuple(struct json_object *v) {
        return value_length(v) > 0 && !json_object_is_type(value_at(v, 0), json_type_array);
}

static struct json_object *name_tuple(struct json_object *tuple, const char *const *fields) {
        struct json_object *object = json_object_new_object();

        for (size_t i = 0; fields[i] && i < value_length(tuple); i++)
                json_object_object_add(object, fields[i], json_object_get(value_at(tuple, i)));
        return object;
}

struct json_object *value_name_fields(struct json_object *v, const char *const *fields) {
        struct json_object *named;

        if (json_object_is_type(v, json_type_object)) {
                named = json_object_new_object();
                json_object_object_foreach(v, key, tuple)
                        json_object_object_add(named, key, name_tuple(tuple, fields));
        } else if (json_object_is_type(v, json_type_array) && is_tuple(v)) {
                named = name_tuple(v, fields);
        } else if (json_object_is_type(v, json_type_array)) {
                named = json_object_new_array();
                for (size_t i = 0; i < value_length(v); i++)
                        json_object_array_add(named, name_tuple(value_at(v, i), fields));
        } else {
                return v;
        }
        json_object_put(v);
        return named;
}

char *value_snake_case(const char *name, char *buf, size_t size) {
        size_t n = 0;

        for (const char *c = name; *c && n + 2 < size; c++) {
                if (c > name && isupper((unsigned char) c[0]) && islower((unsigned char) c[-1]))
                        buf[n++] = '_';
                buf[n++] = (char) tolower((unsigned char) *c);
        }
        buf[n] = '\0';
        return buf;
}

struct json_object *value_get(struct json_object *v, const char *key) {
        struct json_object *member = NULL;

        if (json_object_is_type(v, json_type_object))
                json_object_object_get_ex(v, key, &member);
        return member;
}

const char *value_text(struct json_object *v, const char *key) {
        struct json_object *member = value_get(v, key);

        return json_object_is_type(member, json_type_string) ? json_object_get_string(member) : "";
}

uint64_t value_u64(struct json_object *v, const char *key) {
        struct json_object *member = value_get(v, key);

        return json_object_is_type(member, json_type_int) ? json_object_get_uint64(member) : 0;
}

int64_t value_i64(struct json_object *v, const char *key) {
        struct json_object *member = value_get(v, key);

        return json_object_is_type(member, json_type_int) ? json_object_get_int64(member) : 0;
}

bool value_bool(struct json_object *v, const char *key) {
        struct json_object *member = value_get(v, key);

        return json_object_is_type(member, json_type_boolean) && json_object_get_boolean(member);
}

size_t value_length(struct json_object *v) {
        if (json_object_is_type(v, json_type_array))
                return json_object_array_length(v);
        return json_object_is_type(v, json_type_object) ? (size_t) json_object_object_length(v) : 0;
}

struct json_object *value_at(struct json_object *v, size_t i) {
        return json_object_is_type(v, json_type_array) ? json_object_array_get_idx(v, i) : NULL; /* beyond the end: NULL */
}

void value_print(struct json_object *v) {
        const int flags = JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE;

        puts(json_object_to_json_string_ext(v, flags));
}

void value_print_line(struct json_object *v) {
        puts(json_object_to_json_string_ext(v, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
        fflush(stdout);
}
