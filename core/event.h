/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the sources tell the model: one small value, the same from every source. */
#pragma once

#include <stdint.h>

#include "units.h"

enum event_kind {
        EVENT_DEVICE_STAT, /* what a drive did since the last event of this kind */
        EVENT_DEVICE_GONE,
        EVENT_PROCESS_IO,  /* what a process did since the last event of this kind for the same drive */
        EVENT_PROCESS_NAME,
        EVENT_PROCESS_EXIT,
        EVENT_LOST,        /* the source lost events: what follows is incomplete */
        _EVENT_KIND_MAX,
};

enum event_flags {
        EVENT_INFERRED = 1 << 0, /* the drive was inferred (open files, only busy drive), not observed */
        EVENT_WAITING = 1 << 1,  /* EVENT_PROCESS_IO: it waits without interruption (state D), so what it asked for is under way */
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

struct event_process_name {
        uint64_t start_ticks;
        char name[EVENT_NAME_MAX];
};

struct event_lost {
        uint64_t count; /* 0: unknown */
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
                struct event_process_name process_name;
                struct event_lost lost;
        };
};

_Static_assert(sizeof(struct event) <= 64, "an event is a cache line at most");

/* A device number in one word, as the kernel's own dev_t: the form that traces use. */
#define DEV_NUMBER(major, minor) ((uint32_t) (major) << 20 | (uint32_t) (minor))
#define DEV_MAJOR(dev) ((dev) >> 20)
#define DEV_MINOR(dev) ((dev) & 0xfffffu)
