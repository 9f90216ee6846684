/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A policy as text that `policy check` takes, and as JSON. Every key of policy_key_table() is in both. */
#pragma once

#include <stdio.h>

#include "policy.h"
#include "value.h"

void policy_print(const struct policy *p, FILE *to);

/* {"name", "file", "drop_ins", SECTION: {KEY: VALUE as text}}. The caller frees it. */
struct json_object *policy_to_json(const struct policy *p);
