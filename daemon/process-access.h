/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much of other processes briod may see. */
#pragma once

#include "source.h"

/* Of the source "processes". root: as of a recorded machine, "" for the running one. error: of the last scan, 0 or -errno. */
void process_access_probe(const char *root, int error, struct source_info *ret);
