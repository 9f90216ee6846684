/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What comes over the bus, as JSON values: one tree feeds the tables and --json. Readers never fail: a key that is
 * missing or of another type reads as empty, since a newer or older daemon may say other things. */
#pragma once

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-bus.h>

#include "macro.h"

static inline struct json_object *value_free(struct json_object *v) {
        json_object_put(v);
        return NULL;
}
DEFINE_TRIVIAL_CLEANUP_FUNC(struct json_object *, value_free)
#define _cleanup_value_ _cleanup_(value_freep)

/* Decodes the next argument of a message. Dictionaries become objects, everything else nests as it is; file descriptors
 * become null. Returns 0, -ENODATA at the end, -EBADMSG for a dictionary without text keys, or another -errno. */
int value_decode(sd_bus_message *m, struct json_object **ret);

/* Turns the tuples in v (a tuple, or an array or object of them) into objects with these keys. Returns the result; v is
 * consumed. fields ends with NULL. */
struct json_object *value_name_fields(struct json_object *v, const char *const *fields);

/* "ReadLatencyUSec" as "read_latency_usec". Returns buf. */
char *value_snake_case(const char *name, char *buf, size_t size);

/* The member of an object, borrowed; NULL where there is none. */
struct json_object *value_get(struct json_object *v, const char *key);
/* "" where it is no text. Borrowed. */
const char *value_text(struct json_object *v, const char *key);
/* 0 where it is no number. */
uint64_t value_u64(struct json_object *v, const char *key);
int64_t value_i64(struct json_object *v, const char *key);
bool value_bool(struct json_object *v, const char *key);

/* Elements of an array or object; 0 for anything else. */
size_t value_length(struct json_object *v);
/* Borrowed; NULL where v is no array. */
struct json_object *value_at(struct json_object *v, size_t i);

/* Prints v to stdout and ends the line: on several lines for people, on one for a stream. */
void value_print(struct json_object *v);
void value_print_line(struct json_object *v);
