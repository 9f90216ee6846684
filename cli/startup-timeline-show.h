/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "format.h"
#include "value.h"

/* What a start did over its time, a column a slice: reading, waiting, computing, and what is left, which add up to what it took; and what was
 * decided meanwhile. Nothing where timeline is NULL or empty. */
void startup_print_timeline(const struct output *o, struct json_object *timeline);
