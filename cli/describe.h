/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How drives, their settings and decisions about them read: shared by the verbs that show them. */
#pragma once

#include "format.h"
#include "value.h"

enum style describe_state_style(const char *state);
enum style describe_mode_style(const char *mode);
enum style describe_source_style(const char *state);

/* Whether a user is at the machine, as the beginning of a sentence; NULL where that is not known. */
const char *describe_presence(const char *presence);

/* What Brio set on a drive: "slice_idle_us 2000, timeout_sync 41"; "" for nothing. Malloc'ed. */
char *describe_settings(struct json_object *device);

/* True for a setting worth telling: not as the kernel had it, wanted otherwise, or with an owner. */
bool describe_setting_is_notable(struct json_object *tunable);

/* What a decision is of: "slice_idle_us", "ioprio of tar (4711)". Malloc'ed. */
char *describe_setting(struct json_object *decision);
/* "tar (4711)", of the values of these keys; without the number where that is 0: another user's. To be freed. */
char *describe_process(struct json_object *o, const char *name_key, const char *pid_key);

/* "8000 → 2000 us" of a decision. Malloc'ed. */
char *describe_change(struct json_object *decision);

/* Of streams in that state, under a heading, what is said of each, of at most max (0: of all); nothing where there is none. */
void describe_streams(const struct output *o, struct json_object *streams, const char *state, const char *heading, size_t max);

/* What came of a law's trial, a paragraph; nothing where there is nothing to say. state: "outcome" of a decision, "trial" of a law. */
void describe_trial(const struct output *o, unsigned indent, const char *state, const char *effect);

/* A decision in full: a line of what was done, and below its id, the law and the reason, and what came of its trial. */
void describe_decision(const struct output *o, struct json_object *decision, unsigned indent);

/* What it is worth that an application is helped, of an entry of GetPrefetch(): "1.1 s; without help 2.9 s (4 starts to compare)"; "" where it is not known. */
void describe_prefetch(struct json_object *list, char *buf, size_t size);
