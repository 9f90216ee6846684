/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stddef.h>

#include "verbs.h"

/* In the order of `brioctl help`: look, understand, act, the rest. */
static const struct cli_verb *const verbs[] = {
        &verb_status,
        &verb_devices,
        &verb_top,
        &verb_startups,
        &verb_prefetch,
        &verb_explain,
        &verb_streams,
        &verb_decisions,
        &verb_advise,
        &verb_apply,
        &verb_undo,
        &verb_mode,
        &verb_hold,
        &verb_holds,
        &verb_restore,
        &verb_lower,
        &verb_program,
        &verb_policy,
        &verb_record,
        &verb_replay,
        &verb_probe,
        &verb_metrics,
        &verb_version,
        &verb_help,
        NULL,
};

int main(int argc, char **argv) {
        return cli_run(verbs, argc, argv);
}
