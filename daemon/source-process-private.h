/* SPDX-License-Identifier: GPL-3.0-or-later */
/* source-process.c finds out what processes do, source-process-tell.c says it. */
#pragma once

#include "proc-connector.h"
#include "proc-scan.h"
#include "process-burst.h"
#include "scan-table.h"
#include "snapshot.h"
#include "source-process.h"

#define BIRTHS_MAX 1024 /* between two samples; with more a full scan is cheaper anyway */

struct source_process {
        struct source_process_config config;
        char *root;
        struct proc_scan *scan;
        struct proc_connector *connector; /* NULL with a root prefix */
        struct task_stats *stats;
        struct drive_finder *finder;
        struct scan_table *table;
        struct process_burst burst;
        uint64_t ticks_per_s;

        bool resting;
        bool want_full; /* births or deaths were lost */
        uint64_t sample;
        nsec_t last_sample, last_full; /* 0: none since the start or the rest */
        nsec_t full_cpu;               /* that the last scan of all took */
        int error;                     /* of the last sample */

        size_t n_births, n_wanted, wanted_size;
        int32_t births[BIRTHS_MAX], *wanted;
        uint64_t births_refused, processes_refused, waits_refused;

        /* of the sample that runs */
        nsec_t now, boot_now;
        const struct drive_activity *drives;
        size_t n_drives, n_waits;
};

void process_tell(struct source_process *s, const struct event *e);
/* The process is known to the sink from then on. */
void process_tell_name(struct source_process *s, struct scan_entry *p, nsec_t t);
void process_tell_exit(struct source_process *s, const struct scan_entry *p, nsec_t t);
void process_tell_io(struct source_process *s, const struct scan_entry *p, uint64_t read_bytes, uint64_t write_bytes, bool waiting);
/* It asked for something before and has not got it yet: on a drive that is slow enough, longer than readers are remembered. */
void process_tell_waiting(struct source_process *s, const struct scan_entry *p);
/* How long the kernel says that it waited since the last sample. */
void process_tell_wait(struct source_process *s, struct scan_entry *p, bool waiting, bool did_io);
