/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verbs: each in its file verb-NAME.c, listed once more in main.c. */
#pragma once

#include "cli.h"

extern const struct cli_verb verb_advise, verb_apply, verb_decisions, verb_devices, verb_explain, verb_help, verb_hold,
        verb_holds, verb_lower, verb_metrics, verb_mode, verb_policy, verb_prefetch, verb_probe, verb_program, verb_record, verb_replay,
        verb_restore, verb_startups, verb_status, verb_streams, verb_top, verb_undo, verb_version;
