/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the sources tell the model: one small value, the same from every source. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "dev-number.h"
#include "io-priority.h"
#include "units.h"

enum event_kind {
        EVENT_DEVICE_STAT, /* what a drive did since the last event of this kind */
        EVENT_DEVICE_GONE,
        EVENT_PROCESS_IO,  /* what a process did since the last event of this kind for the same drive */
        EVENT_PROCESS_NAME,
        EVENT_PROCESS_EXIT,
        EVENT_LOST,        /* the source lost events: what follows is incomplete */
        EVENT_WATCH,       /* from now on the drive's single requests are told, or no longer */
        EVENT_REQUEST_QUEUE,    /* a process asked for something */
        EVENT_REQUEST_SPLIT,    /* so many sectors at the front of it go their own way */
        EVENT_REQUEST_ISSUE,    /* it, or what it was merged into or split into, went to the drive */
        EVENT_REQUEST_REQUEUE,  /* and came back undone */
        EVENT_REQUEST_COMPLETE, /* so many sectors of it are done */
        EVENT_PROCESS_WAIT, /* how long a process waited, where the kernel accounts it; before the EVENT_PROCESS_IO of the same sample */
        EVENT_PRESENCE,    /* whether a user is at the machine; told when it changes, and before the first time it is not known */
        EVENT_STACK,       /* the block device `upper` stands on the watched drive, until told otherwise, or that is watched no longer */
        EVENT_PROCESS_FORK, /* a process that starts has a child */
        EVENT_PROCESS_EXEC, /* a process runs another program from now on; of the drive that the program lies on */
        EVENT_PROCESS_APPLICATION, /* what application a process is, told behind its EVENT_PROCESS_EXEC or when it becomes known */
        EVENT_PROCESS_WORK, /* what a process that starts did since the last event of this kind; all of one look have the same time */
        EVENT_PROCESS_READY, /* the session says that the application has started: its window is there */
        EVENT_DEVICE_MERGES, /* how many writes were merged, where there are many; before the EVENT_DEVICE_STAT of the same sample */
        EVENT_MEMORY,      /* how the machine's memory stands with what is to be written, while much is */
        EVENT_PROCESS_PRIORITY, /* what priority its I/O was given; told when it is not, or no longer, the usual one */
        EVENT_SUMS,        /* what a process, or kernel threads (tgid 0), asked of a drive whose requests are told in sums */
        EVENT_LATENCIES,   /* how long that took */
        EVENT_PROCESS_USER, /* whose a process is; told where that is known */
        EVENT_TOTAL,       /* what was asked of a drive in all; before the EVENT_SUMS of the same look, which may be estimates */
        EVENT_PROCESS_STALL, /* what a process that starts waited for beside drives; behind its EVENT_PROCESS_WORK, of the same time */
        _EVENT_KIND_MAX,
};

enum event_flags {
        EVENT_INFERRED = 1 << 0, /* the drive was inferred (open files, only busy drive), not observed */
        EVENT_WAITING = 1 << 1,  /* EVENT_PROCESS_IO: at its end it waits without interruption (state D), so what it asked for is under way */
        EVENT_REQUESTS = 1 << 2, /* EVENT_LOST: single requests were among it */
        EVENT_UNSEEN = 1 << 3,   /* EVENT_REQUEST_COMPLETE: it was found out afterwards; how long it took is not known */
        EVENT_TERMINAL = 1 << 4, /* EVENT_PROCESS_EXEC: it is of a job of a terminal, and its parent is of another: it was typed */
        EVENT_LAUNCHED = 1 << 5, /* EVENT_PROCESS_EXEC: a launcher started it as an application (in a unit of its own, or its environment says so) */
        EVENT_CONTINUES = 1 << 6, /* EVENT_PROCESS_APPLICATION: the rest of the name is in the next one */
        EVENT_ACCOUNTED = 1 << 7, /* EVENT_PROCESS_WORK: the kernel accounted how long it waited; else it is estimated from its state */
        EVENT_SUMMED = 1 << 8,   /* EVENT_WATCH: it is told in sums, not request by request */
        EVENT_SAMPLED = 1 << 9,  /* EVENT_SUMS, EVENT_LATENCIES: estimated from some of the requests; the drive's EVENT_TOTAL is exact */
        EVENT_RUNNABLE = 1 << 10, /* EVENT_PROCESS_IO: at its end its first thread runs, or waits for a CPU (state R) */
        EVENT_BEGINS = 1 << 11,  /* EVENT_PROCESS_EXEC: it is about to, and waits for the program's first pages; an event without follows when it runs */
        EVENT_ELSEWHERE = 1 << 12, /* EVENT_PROCESS_IO of no drive: all drives of ours together read less, so it was read elsewhere */
        EVENT_HOLDS_SOUND = 1 << 13, /* EVENT_PROCESS_IO: it has a sound device open, or is connected to the sound server */
        EVENT_HOLDS_VIDEO = 1 << 14, /* EVENT_PROCESS_IO: it has a video device open: a camera, a grabber */
};

#define EVENT_NAME_MAX 16 /* TASK_COMM_LEN */

/* Differences since the last sample, as /proc/diskstats counts them (facts: requests at their completion). */
struct event_device_stat {
        uint32_t span_us;
        uint32_t reads, read_sectors, read_ms;
        uint32_t writes, write_sectors, write_ms;
        uint32_t inflight; /* now, not a difference */
        uint32_t busy_ms;  /* time with at least one request; jiffy granularity */
        uint32_t queue_ms; /* sum over requests of their time in queue */
};

struct event_process_io {
        uint64_t start_ticks; /* with tgid the identity of a process: PIDs are reused */
        uint32_t span_us;     /* time that the difference is over */
        uint32_t read_bytes;  /* saturating */
        uint32_t write_bytes; /* saturating; charged when a page is dirtied, not when it is written */
};

struct event_process_wait {
        uint64_t start_ticks;
        uint32_t span_us;   /* time that it is over */
        uint32_t waited_us; /* of it, for block I/O; at most all of it: threads wait side by side */
};

struct event_process_fork {
        int32_t parent; /* tgid */
};

struct event_process_exec {
        uint64_t start_ticks;
        int32_t parent;       /* tgid of the process that forked it; 0: not known */
        int32_t session, job; /* as in /proc/PID/stat */
        char name[EVENT_NAME_MAX];
};

#define EVENT_TEXT_MAX 32

struct event_process_application {
        uint64_t start_ticks;
        char text[EVENT_TEXT_MAX]; /* an application's id, or part of it: "org.gnome.TextEditor" */
};

struct event_process_work {
        uint64_t start_ticks;
        uint32_t span_us;    /* time that the rest is over */
        uint32_t cpu_us;     /* used, or waited for: a process that cannot run is not at rest */
        uint32_t waited_us;  /* for block I/O; at most all of span_us */
        uint32_t faults;     /* that had to be read from a drive */
        uint32_t read_bytes; /* from drives */
};

/* In the span of that EVENT_PROCESS_WORK. */
struct event_process_stall {
        uint32_t queued_us; /* of its cpu_us: its first thread could run, and had no processor */
        uint32_t memory_us; /* its threads, together: until memory was freed, moved together, swapped in or read again */
};

#define IO_WEIGHT_USUAL 100

struct event_process_priority {
        uint64_t start_ticks;
        uint8_t io_class, io_level; /* enum io_class; of its first thread */
        uint32_t weight; /* of the control groups that it is in, the innermost that has not the usual one; 0: all have */
};

#define PROCESS_UID_UNKNOWN UINT32_MAX /* as the kernel has it: no user's number */

struct event_process_user {
        uint64_t start_ticks;
        uint32_t uid; /* real: of the user that started it */
};

struct event_device_merges {
        uint32_t span_us;
        uint32_t writes; /* merged into others, in that time */
};

/* From /proc/vmstat; the last two are differences. */
struct event_memory {
        uint32_t span_us;
        uint32_t dirty_kib, writeback_kib, limit_kib, background_kib; /* limits in force; saturating */
        uint32_t stalls; /* tasks that had to free memory themselves to get some (allocstall) */
        uint32_t scans;  /* pages that they looked at for that (pgscan_direct) */
};

struct event_process_name {
        uint64_t start_ticks;
        char name[EVENT_NAME_MAX];
};

struct event_lost {
        uint64_t count; /* 0: unknown */
};

struct event_watch {
        bool on;
        bool rotational; /* for the kernel's rule of what is a seek */
};

enum presence {
        PRESENCE_UNKNOWN,
        PRESENCE_NOBODY,   /* no session of a user is in the foreground */
        PRESENCE_IDLE,     /* one is, and has not been touched for a while */
        PRESENCE_SOMEBODY,
        _PRESENCE_MAX,
};

const char *presence_to_string(enum presence p); /* "unknown", "nobody", "idle", "somebody" */

struct event_presence {
        uint8_t presence; /* enum presence */
};

/* What is queued at upper, which is no drive itself, ends up at the drive, and at others: dm-crypt, md, a loop device. */
struct event_stack {
        uint32_t upper; /* DEV_NUMBER() */
        uint8_t drives; /* below it in all; 0: it stands on this one no longer */
};

enum request_op { REQUEST_READ, REQUEST_WRITE, REQUEST_DISCARD, REQUEST_FLUSH, _REQUEST_OP_MAX };

/* Sectors on the whole drive, as the kernel's block events have them. The tgid of a QUEUE is that of the process that asked, 0 for a kernel
 * thread or one that was gone before it could be looked up; that of the others is 0: they run in whatever task is current. */
struct event_request {
        uint64_t sector;
        uint32_t sectors; /* 0: a flush */
        uint8_t op;       /* enum request_op */
};

#define SUMS_NEVER UINT32_MAX

/* In one direction, since the last event of this kind for the same. What is of both (seeks, think time) either may have; what
 * adds up over time (waited, idle) one of them has. */
struct event_sums {
        uint32_t span_us;           /* that it is over; it ends with the event's time */
        uint32_t requests, sectors; /* completed */
        uint32_t asked_us, done_us; /* so long before the end it asked, and was served, last; SUMS_NEVER: not in the span */
        uint32_t waited_us;         /* of the span, with a read under way */
        uint32_t idle_us;           /* of the span, pauses between a completion and the next request, of each at most slice_idle */
        uint32_t seeks;             /* struct seek_history's bits */
        uint16_t inflight;          /* at the end; saturating */
        uint16_t think_samples, think_us; /* struct think_time's samples, and its mean */
        uint8_t op;                 /* REQUEST_READ or REQUEST_WRITE */
        uint8_t seeks_n;
};

#define LATENCIES_BUCKETS 8 /* a doubling of struct histogram */

/* From queuing to completion, of the requests of the same span. */
struct event_latencies {
        uint32_t counts[LATENCIES_BUCKETS]; /* in the buckets of struct histogram from `first` on */
        uint8_t op;
        uint8_t first;
};

/* In one direction, since the last event of this kind for the same. */
struct event_total {
        uint32_t span_us;
        uint32_t requests, sectors; /* queued */
        uint32_t one_in;            /* of so many windows of time one is looked at; 1: all */
        uint8_t op;                 /* REQUEST_READ or REQUEST_WRITE */
};

struct event {
        nsec_t t;
        uint16_t kind;  /* enum event_kind */
        uint16_t flags; /* enum event_flags */
        uint32_t dev;   /* DEV_NUMBER() of the whole drive; 0: none */
        int32_t tgid;   /* 0: none */
        union {
                struct event_device_stat device_stat;
                struct event_process_io process_io;
                struct event_process_wait process_wait;
                struct event_process_name process_name;
                struct event_process_fork process_fork;
                struct event_process_exec process_exec;
                struct event_process_application process_application;
                struct event_process_work process_work;
                struct event_process_stall process_stall;
                struct event_process_priority process_priority;
                struct event_process_user process_user;
                struct event_device_merges merges;
                struct event_memory memory;
                struct event_lost lost;
                struct event_watch watch;
                struct event_stack stack;
                struct event_request request;
                struct event_presence presence;
                struct event_sums sums;
                struct event_latencies latencies;
                struct event_total total;
        };
};

_Static_assert(sizeof(struct event) <= 64, "an event is a cache line at most");
