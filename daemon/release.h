/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which Linux this is, by its release ("4.19.0-27-amd64"). */
#pragma once

#include <stdbool.h>

/* Whether that release is older than Linux MAJOR.MINOR; one that cannot be read is not. */
bool release_is_before(const char *release, unsigned major, unsigned minor);

/* The same of the running kernel. */
bool kernel_is_before(unsigned major, unsigned minor);
