/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What has inherited a lower priority from a process that stepped back: docs/step-back.md, "Children get it back at once". */
#pragma once

#include "journal.h"
#include "priority-process.h"

/* Whether it was begotten by that process, itself or through others, after the process stepped back. */
bool priority_is_kin(const struct journal_priority *parent, const struct process_stat *p);

/* Called for each process whose first thread has one of these priorities. */
typedef void (*priority_kin_fn)(void *userdata, int32_t tgid, uint16_t priority);

/* Returns 0, or -errno where /proc cannot be read. Costs a system call for each process of the machine. */
int priority_kin_scan(const uint16_t *priorities, size_t n, priority_kin_fn fn, void *userdata);
