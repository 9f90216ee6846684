/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose I/O priority is not to be lowered, whatever a law thinks: docs/step-back.md, "What never steps back". */
#pragma once

#include "priority-process.h"

/* An application that was started so lately is still starting, or its owner looks at it. */
#define PRIORITY_YOUNG_APPLICATION_S 10

/* Why it is not to be touched now, a literal: "a terminal's foreground ..."; NULL: it may be. Priorities that were set are
 * priority_threads_survey()'s to find. */
const char *priority_guard_refuses(int proc_fd, const struct process_stat *p, uint16_t wanted);

/* That part of it which can become so while a process has what was written. */
const char *priority_guard_recalls(int proc_fd, const struct process_stat *p, uint16_t written);
