/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processes that source-process knows, by number. */
#pragma once

#include "process-drives.h"
#include "taskstats.h"

#define PROCESSES_MAX 65536 /* more than the 10 000 that Brio promises; 13 MiB */

struct scan_entry {
        struct scan_entry *next; /* in its bucket */
        int32_t tgid, parent;
        uint64_t start_ticks;
        uint64_t read_bytes, write_bytes; /* the base of the next difference */
        uint64_t called_bytes, faults;    /* the same */
        nsec_t t;            /* of the base; 0: none */
        nsec_t active_until; /* a candidate till then; 0: it is none */
        uint64_t asked, seen; /* number of the last sample that asked for it, that found it */
        bool announced;      /* the sink knows its name */
        char name[EVENT_NAME_MAX];
        struct wait_account wait;
        struct process_drives drives;
        struct {
                nsec_t t;      /* looked up then; 0: never */
                uint8_t io_class, io_level;
                uint32_t weight;
        } priority;            /* as told last; all zero: the usual one, of which nothing is told */
};

struct scan_table;

struct scan_table *scan_table_new(void); /* NULL without memory */
struct scan_table *scan_table_free(struct scan_table *t);
size_t scan_table_count(const struct scan_table *t);
struct scan_entry *scan_table_find(const struct scan_table *t, int32_t tgid);
/* A new entry; there must be none of that number. NULL without memory or with PROCESSES_MAX. */
struct scan_entry *scan_table_add(struct scan_table *t, int32_t tgid);
void scan_table_remove(struct scan_table *t, int32_t tgid);

/* Calls fn for each entry and removes those for which it returns false. */
typedef bool (*scan_table_fn)(void *userdata, struct scan_entry *p);
void scan_table_sweep(struct scan_table *t, scan_table_fn fn, void *userdata);
