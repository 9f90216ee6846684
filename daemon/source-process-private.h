/* SPDX-License-Identifier: GPL-3.0-or-later */
/* source-process.c finds out what processes do, source-process-tell.c says it. */
#pragma once

#include "proc-connector.h"
#include "proc-scan.h"
#include "io-weight.h"
#include "process-burst.h"
#include "process-reader.h"
#include "process-reaped.h"
#include "process-sweep.h"
#include "scan-table.h"
#include "snapshot.h"
#include "source-process.h"

#define BIRTHS_MAX 1024 /* between two samples; with more a full scan is cheaper anyway */

#define KIN_MAX 1024 /* births whose parents are remembered: their execs follow at once */
#define READS_UNKNOWN UINT64_MAX
#define WORKS_MAX 256 /* processes that start, and those of them that have started: their deaths are told */
/* Execs are looked up so often a second, that is for a hundredth of a CPU: a compilation does many more, and no user waits for each. */
#define EXEC_LOOKS_PER_S 200

/* Births that may be about to exec, looked at until they do: on a drive that is not busy that takes a millisecond. */
#define NASCENT_MAX 32

struct process_nascent {
        int32_t tgid; /* 0: free */
        uint32_t looks;
        bool asked; /* the answer is to come */
        nsec_t born, due;
};

struct process_kin {
        int32_t tgid, parent;
};

/* A process that starts, as it was looked at last. */
struct process_work {
        int32_t tgid; /* 0: free */
        int32_t parent; /* 0: not known */
        uint64_t start_ticks; /* 0: not looked at yet */
        nsec_t t;
        uint64_t leader_ns, queued_ns, others_ns, memory_ns, read_bytes, faults;
        bool named; /* its application was told */
        struct wait_account wait;
};

/* Samples of the last half minute, by which a process that is looked at now was looked at last. */
#define READS_NOTED_MAX 128

struct drives_read {
        nsec_t t;
        uint64_t bytes;
};

struct source_process {
        struct source_process_config config;
        char *root;
        struct proc_scan *scan;           /* with a root prefix; without one */
        struct proc_connector *connector;
        struct process_reader *reader;   /* of what stands in memory, which a file of any user may hold up */
        struct process_reader *counter;  /* for the sweeps: none of that hides what other processes do */
        struct process_sweep *sweep;
        struct task_stats *stats;
        struct drive_finder *finder;
        struct io_weights *weights;
        struct scan_table *table;
        struct reaped reaped; /* children of those in the table */
        struct process_burst burst;
        uint64_t ticks_per_s;

        bool resting;
        bool want_full; /* births or deaths were lost */
        uint64_t sample;
        nsec_t last_sample, last_full; /* 0: none since the start or the rest */
        nsec_t full_cpu;               /* that the last scan of all took */
        int error;                     /* of the last sample */

        size_t n_births, n_births_scanned, n_wanted, wanted_size;
        int32_t births[BIRTHS_MAX], *wanted;
        uint64_t births_refused, processes_refused, waits_refused;

        struct process_kin kin[KIN_MAX]; /* by tgid */
        struct process_nascent nascent[NASCENT_MAX];
        sd_event_source *nascent_timer; /* NULL with a root prefix */
        struct proc_change exec;        /* that is looked up; what came after it waits */
        struct process_launch launch;   /* what is known of it */
        struct process_work works[WORKS_MAX];
        struct reaped reaped_works; /* children of those */
        struct process_sweep *looks_sweep; /* NULL with a root prefix */
        size_t n_looks; /* that are under way */
        int32_t looks[PROCESS_LOOKS_MAX];
        uint64_t looks_read[PROCESS_LOOKS_MAX]; /* by each, bytes; READS_UNKNOWN where it was not read */
        nsec_t looks_spent_until;
        uint64_t execs_refused;

        size_t n_reads;
        struct drives_read reads[READS_NOTED_MAX]; /* the newest is the one before n_reads */

        /* of the sample that runs, or the last one */
        nsec_t now, boot_now;
        bool scans_all;
        nsec_t scan_cpu, reader_cpu; /* that had been taken before it */
        struct drive_activity drives[SNAPSHOT_DEVICES_MAX];
        size_t n_drives, n_waits;
};

/* source-process-start.c: of the births, execs and deaths of processes that start. */
void process_note_fork(struct source_process *s, const struct proc_change *c);
void process_note_exec(struct source_process *s, const struct proc_change *c);
/* It is about to run the program that entry names. */
void process_tell_entry(struct source_process *s, const struct proc_change *c, const struct process_launch *launch, const struct exec_entry *entry);
/* The process that forked it, where that is known; else 0. */
int32_t process_find_parent(const struct source_process *s, int32_t tgid);
/* Whether it was one that starts, or has started. */
bool process_note_end(struct source_process *s, int32_t tgid, nsec_t t);

int process_looks_attach(struct source_process *s);

/* source_process_follow(), for sweeps. */
void process_follow(void *source_process);

/* source-process-nascent.c: of births whose exec is not done yet. */
int process_nascent_attach(struct source_process *s, sd_event *event);
void process_nascent_note(struct source_process *s, const struct proc_change *c);
void process_nascent_end(struct source_process *s, int32_t tgid);

void process_tell(struct source_process *s, const struct event *e);
/* The process is known to the sink from then on. */
void process_tell_name(struct source_process *s, struct scan_entry *p, nsec_t t);
void process_tell_user(struct source_process *s, int32_t tgid, uint64_t start_ticks, uint32_t uid, nsec_t t);
void process_tell_exit(struct source_process *s, const struct scan_entry *p, nsec_t t);
/* What priority its I/O was given, where that is new; looked up every two seconds. */
void process_tell_priority(struct source_process *s, struct scan_entry *p);
/* state: EVENT_WAITING or EVENT_RUNNABLE, or neither. */
struct process_use {
        uint64_t read_bytes, write_bytes;
        uint64_t mapped_bytes; /* of those read, what it has mapped */
};
void process_tell_io(struct source_process *s, const struct scan_entry *p, const struct process_use *use, uint16_t state);
/* It asked for something before and has not got it yet: on a drive that is slow enough, longer than readers are remembered. */
void process_tell_state(struct source_process *s, const struct scan_entry *p, uint16_t state);
/* How long the kernel says that it waited since the last sample. */
void process_tell_wait(struct source_process *s, struct scan_entry *p, bool waiting, bool did_io);
