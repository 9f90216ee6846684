/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a forked process of the daemon's keeps of the daemon's descriptors: its own alone, so that neither its locks nor the bus nor what traces outlive the daemon
 * in it. */
#pragma once

#include <stddef.h>

/* /dev/null in place of standard input, output and error, and every other descriptor closed but those n, of which some may be -1. Where that fails, the process
 * ends. */
void child_keep_only(const int *kept, size_t n);
