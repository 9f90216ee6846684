/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads what another process can keep the kernel from answering, in a process of its own: that one holds no lock, bus or trace, and is killed
 * and given up where it does not answer. The kernel lets it end when what it waits for is there; until then all reads fail at once. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "exec-entry.h"
#include "proc-scan.h"

#define PROCESS_READER_ANSWER_MS 20 /* that an answer is waited for */
#define PROCESS_READER_PAUSE_NS (1 * NSEC_PER_SEC) /* from one that was given up to the next one */
#define PROCESS_READER_TEXT_MAX EXEC_ENVIRONMENT_BYTES

/* At a time. Each time may have to wait for a CPU twice, for the reader and for what it said. */
#define PROCESS_READER_COUNTERS_MAX 64
#define PROCESS_READER_SHUN_NS (60 * NSEC_PER_SEC) /* that a process that held a reader up is not looked at */

struct process_reader;

/* The process is started with the first read. Returns 0 or -ENOMEM. */
int process_reader_new(struct process_reader **ret);
struct process_reader *process_reader_free(struct process_reader *r);

/* As exec_entry_look(). Also -ETIMEDOUT: it did not answer, and -EBUSY: one that did not answer was given up, or the process held one up. */
int process_reader_look(struct process_reader *r, int32_t tgid, struct exec_entry *ret);

/* Reads /proc/TGID/NAME, up to size bytes; nothing is terminated. Returns the length, or -errno as above. */
ssize_t process_reader_file(struct process_reader *r, int32_t tgid, const char *name, char *buf, size_t size);

/* The counters of so many processes at most, as proc_scan_some(). */
int process_reader_count(struct process_reader *r, const int32_t *tgids, size_t n, proc_scan_fn fn, void *userdata);

/* The CPU time that readers have taken. */
nsec_t process_reader_cpu(const struct process_reader *r);

/* How many readers were given up. */
uint64_t process_reader_given_up(const struct process_reader *r);
