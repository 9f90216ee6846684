/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by priorities.c (what a plan asks for), priorities-follow.c (what happens meanwhile) and priorities-recover.c. */
#pragma once

#include "priorities.h"
#include "priority-process.h"
#include "priority-threads.h"

/* A thread or child that was being born while its maker got back what it had, is seen by then. */
#define PRIORITY_DRAIN_NS (2 * NSEC_PER_SEC)

struct stepped_back {
        struct journal_priority entry;
        char name[EVENT_NAME_MAX];
        uint32_t uid;
        uint32_t dev;
        enum law_id law;
        nsec_t written;
        nsec_t returned;           /* 0: it has stepped back; else since when it has not, and only what inherited is looked for */
        unsigned long exe_dev, exe; /* its program; 0: not known */
};

struct priorities {
        bool recorded;             /* of a machine that is not this one */
        struct journal *journal;   /* borrowed */
        size_t n;
        struct stepped_back held[JOURNAL_PRIORITIES_MAX]; /* those that were returned lately, too */
        nsec_t scanned, scan_took;
        struct priorities_counters counters;
};

struct stepped_back *priorities_find(struct priorities *p, const struct subject *subject);

/* Opens it: its descriptor; -ESRCH where it has ended, or -errno. */
int priorities_open(const struct stepped_back *h, struct process_stat *ret);

/* The program that it runs. */
void priorities_read_program(int proc_fd, unsigned long *ret_dev, unsigned long *ret_inode);

/* The receipt's old, wanted and observed, as text. */
void priorities_tell(char *text, uint16_t priority);

/* It has no longer what we wrote, or has ended: what inherited it is looked for a little longer. */
void priorities_return(struct stepped_back *h, nsec_t now);

/* What has inherited from any of them gets back what its parent had. */
void priorities_return_children(struct priorities *p);

/* Forgets it, in the journal, too. The last one takes its place. */
void priorities_drop(struct priorities *p, struct stepped_back *h);
