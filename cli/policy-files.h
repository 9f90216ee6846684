/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the policy files as the daemon does, for verbs that work without it. */
#pragma once

#include <stdio.h>

#include "macro.h"
#include "policy-load.h"

static inline void policy_files_done(struct policy_set *s) {
        policy_set_done(s);
}
#define _cleanup_policies_ _cleanup_(policy_files_done)

const char *policy_severity_name(enum policy_severity severity);

/* FILE:LINE: SEVERITY: MESSAGE, as editors and compilers have it. Line 0: the file as a whole. */
void policy_print_finding(FILE *to, enum policy_severity severity, const char *file, int line, const char *message);

/* directory NULL: the standard ones. Returns 0 or -errno after having said why; errors within files are reported and are no failure. */
int policy_files_load(const char *directory, struct policy_set *ret);
