/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a replay tells, as lines: for people, or a JSON object each. */
#pragma once

#include "replay.h"
#include "value.h"

/* replay_fn; userdata: a bool, whether it is JSON that is wanted. */
void replay_show_note(void *userdata, const struct replay_note *note);

/* The text of the recording's RECORDING_ENVIRONMENT. */
void replay_show_environment(bool json, const char *text);

/* The end: what it was all in all. */
void replay_show_summary(bool json, const struct replay_summary *s, const struct recording_reader *reader);
