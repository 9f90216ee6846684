/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statements (statement.h) as JSON, with the keys that they have on the bus. */
#pragma once

#include <json-c/json.h>

/* A new array of the text's statements; for a reader that sees all. */
struct json_object *statement_json(const char *text);
