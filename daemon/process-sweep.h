/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Has the reader read the counters of processes, some at a time, while the event loop goes on: one in the midst of an exec can hold up
 * /proc/PID/io. The list of processes no process can. */
#pragma once

#include "process-reader.h"

struct process_sweep;

/* None of these is called within process_sweep_all() and process_sweep_some(). */
struct process_sweep_calls {
        void (*follow)(void *userdata);          /* before some are told: tells which have ended by now, whose counters may be in those of their parents */
        proc_scan_fn counted;                    /* for each process that is there */
        void (*done)(void *userdata, int error); /* at the end of the last one: 0, or -errno as of process_counted_fn; then only some were told */
};

/* Returns 0 or -ENOMEM. */
int process_sweep_new(struct process_reader *reader, const struct process_sweep_calls *calls, void *userdata, struct process_sweep **ret);
struct process_sweep *process_sweep_free(struct process_sweep *w);

/* As proc_scan_all() and proc_scan_some(), but 1 where it is under way. tgids stay with the caller, and as they are. One at a time: what was
 * under way ends without a word. */
int process_sweep_all(struct process_sweep *w);
int process_sweep_some(struct process_sweep *w, const int32_t *tgids, size_t n);
void process_sweep_stop(struct process_sweep *w);

bool process_sweep_is_under_way(const struct process_sweep *w);

/* It has ended: what the reader may have read of it before that is not told. */
void process_sweep_leave_out(struct process_sweep *w, int32_t tgid);

/* CPU time that was taken here for the last one, without the reader's. */
nsec_t process_sweep_cpu(const struct process_sweep *w);
