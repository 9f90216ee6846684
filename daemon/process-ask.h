/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Has what an exec can hold up read by a process of its own, and waits for it briefly. From Linux 6.18 on, and earlier where that was brought to an
 * older one, whatever of /proc/PID asks whether the process may be traced takes the lock of an exec: stat, exe, cwd, root and fd. Under it the kernel
 * closes files, and a file may be of a server that never answers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROCESS_ASK_ANSWER_MS 20 /* that it has for each answer, on a CPU or waiting for anything but one */
#define PROCESS_ASK_MAX (16u << 10) /* bytes of a question, and of an answer */

/* Runs in the other process, which is a fork of this one: it may read what stays as it is. Returns 0 or more, or -errno. */
typedef int (*process_ask_fn)(const void *question, void *answer);

/* From then on this process, and none that it forks, asks of others; until then, in those, and of itself, fn is called in place. */
void process_ask_begin(void);
/* While it hurries no process is left out for what another one did, nor is it waited for that one's end: each is to get its priority back. */
void process_ask_hurry(bool hurry);
void process_ask_end(void);

/* Calls fn with a copy of the question, and copies the answer back, as far as fn returns none that is negative. tgid: the process that is read of.
 * Returns what fn returns, or -EBUSY where that is not known: it held up the other process, which was given up, or did so within the last minute, or
 * another one did, and nine times as long as it was waited for is not over. */
int process_ask(int32_t tgid, process_ask_fn fn, const void *question, size_t question_size, void *answer, size_t answer_size);

uint64_t process_ask_given_up(void);
