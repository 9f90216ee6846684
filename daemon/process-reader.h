/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads what another process can keep the kernel from answering, in a process of its own: that one holds no lock, bus or trace, and is killed
 * and given up where it does not answer. The kernel lets it end when what it waits for is there; until then nothing can be asked.
 * The event loop does not wait for it: each answer comes from there. */
#pragma once

#include <stdint.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

#include "exec-entry.h"
#include "proc-scan.h"
#include "process-launch.h"

#define PROCESS_READER_ANSWER_MS 20 /* that it has for each answer, on a CPU or waiting for anything but one */
#define PROCESS_READER_PAUSE_NS (1 * NSEC_PER_SEC) /* from one that was given up to the next one */

/* At a time. Each time may have to wait for a CPU twice, for the reader and for what it said. */
#define PROCESS_READER_COUNTERS_MAX 64
#define PROCESS_READER_SHUN_NS (60 * NSEC_PER_SEC) /* that a process that held a reader up is not looked at */

struct process_reader;

/* error: 0, or why there are no counters: -ETIMEDOUT, it did not answer; -EBUSY, a reader that was asked before did not;
 * -EPIPE, it ended; or -errno of the scan. */
typedef void (*process_counted_fn)(void *userdata, int error, const struct proc_counters *counters, size_t n);

/* result: 1; 0: it is in the midst of no exec (of process_reader_look() alone); -errno: as above, or it is gone.
 * launch and entry: NULL unless 1; entry has the directory and the program alone, and is NULL for one that runs its program. */
typedef void (*process_launch_fn)(void *userdata, int32_t tgid, int result, const struct process_launch *launch, const struct exec_entry *entry);

/* The process is started with the first question. Returns 0, -ENOMEM or -errno of the event loop. */
int process_reader_new(sd_event *event, struct process_reader **ret);
struct process_reader *process_reader_free(struct process_reader *r);

/* All of these return 0 where the answer comes later, once, or -errno where none will: -EBUSY as above, also where the process held a
 * reader up a short while ago. */

/* The counters of so many processes at most, as proc_scan_some(). -ENOENT: of none of them, for the same reason. */
int process_reader_count(struct process_reader *r, const int32_t *tgids, size_t n, process_counted_fn fn, void *userdata);
/* As exec_entry_look(), and for one in the midst of an exec process_launch_look(). */
int process_reader_look(struct process_reader *r, int32_t tgid, int32_t parent, process_launch_fn fn, void *userdata);
/* As process_launch_look() of one that runs its program. */
int process_reader_launch(struct process_reader *r, int32_t tgid, int32_t parent, process_launch_fn fn, void *userdata);

/* The caller that asked with this userdata wants no answer any more. */
void process_reader_forget(struct process_reader *r, const void *userdata);

/* The CPU time that readers have taken. */
nsec_t process_reader_cpu(const struct process_reader *r);

/* How many readers were given up. */
uint64_t process_reader_given_up(const struct process_reader *r);
