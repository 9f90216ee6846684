/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds and reads policy files: NAME.conf in /usr/lib/brio/policies.d, /run/brio/policies.d and /etc/brio/policies.d
 * (a later directory's file of the same name wins, an empty one or a link to /dev/null masks it), each with drop-ins in
 * NAME.conf.d/ of any of the three. Files are taken in the order of their names; where two match, the later wins. */
#pragma once

#include <stddef.h>

#include "policy.h"

#define POLICY_FILE_BYTES_MAX 65536 /* the longest of ours has 2 KiB */

struct policy_set {
        size_t n;
        struct policy *policies; /* owned */
};

/* Reads them all. A file that cannot be read or parsed is reported with file and line; the others still work, and so do the
 * good lines of a file with bad ones. dir: read this directory alone (--policy-dir); NULL: the three above below root.
 * Returns the number of errors reported (0: all good), or -ENOMEM. */
int policy_load_all(const char *root, const char *dir, policy_report_fn report, void *userdata, struct policy_set *ret);

/* Reads one file, for `policy check`: 0, the number of errors, or -errno where it cannot be opened or is not a regular file of
 * at most POLICY_FILE_BYTES_MAX, or its name is too long (ret is then untouched). An empty one is an empty policy. What only the whole shows is not asked of a drop-in
 * (DIR/NAME.conf.d/X.conf). */
int policy_load_file(const char *path, policy_report_fn report, void *userdata, struct policy *ret);

/* Applies the text of a file, length bytes of anything, to p. Every line that does not fit is reported with its number.
 * Returns the number of errors. */
int policy_parse_text(struct policy *p, const char *file, const char *text, size_t length,
                      policy_report_fn report, void *userdata);

void policy_set_done(struct policy_set *s);
