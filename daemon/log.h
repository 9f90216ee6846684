/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Structured entries for the journal (sd-journal), or plain lines on stderr where there is none. */
#pragma once

#include <syslog.h>

#include "macro.h"
#include "plan.h"

/* Chooses the journal if stderr is connected to it ($JOURNAL_STREAM), else stderr. level: messages above it are dropped. */
void log_open(int level);

void log_message(int priority, const char *format, ...) _printf_(2, 3);

/* A decision: MESSAGE_ID, BRIO_DEVICE, BRIO_TUNABLE, BRIO_OLD, BRIO_NEW, BRIO_OBSERVED, BRIO_LAW, BRIO_REASON, BRIO_RESULT,
 * BRIO_PID, ERRNO. */
void log_decision(const char *device, const struct receipt *r, const char *reason);

#define log_error(...) log_message(LOG_ERR, __VA_ARGS__)
#define log_warning(...) log_message(LOG_WARNING, __VA_ARGS__)
#define log_notice(...) log_message(LOG_NOTICE, __VA_ARGS__)
#define log_info(...) log_message(LOG_INFO, __VA_ARGS__)
#define log_debug(...) log_message(LOG_DEBUG, __VA_ARGS__)
