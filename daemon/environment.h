/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a recording says of where it was made. */
#pragma once

#include <stddef.h>

#include "controller.h"
#include "policy-load.h"

/* KEY=VALUE lines: version, kernel, machine, hz (where the kernel's configuration is there to be read), cpus, time_usec, mode, policies.
 * root: see options.h. Returns buf. */
char *environment_describe(const char *root, enum mode mode, const struct policy_set *policies, char *buf, size_t size);
