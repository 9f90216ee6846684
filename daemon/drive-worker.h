/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process of its own for all that reads and writes one drive's settings: where the kernel has it wait for the drive, nobody else
 * waits. It keeps neither the journal's file nor its lock, nor any other descriptor of the daemon. A record goes to the daemon and is
 * answered before the write that it is of; so a worker whose daemon has gone, or has given it up, writes nothing any more. */
#pragma once

#include "actuator.h"
#include "journal-line.h"

/* From the daemon, one message each. */
struct drive_request {
        enum { DRIVE_REQUEST_RECOVER, DRIVE_REQUEST_RECORDED } kind;
        nsec_t now;
        int result; /* RECORDED: what became of the line that was passed on */
};

/* From the worker. */
struct drive_answer {
        enum {
                DRIVE_ANSWER_LINE,    /* for the journal; it waits for RECORDED */
                DRIVE_ANSWER_RECEIPT,
                DRIVE_ANSWER_DONE,    /* with the request; restored: how many settings */
        } kind;
        size_t restored;
        struct receipt receipt;
        size_t length;
        char line[JOURNAL_LINE_MAX];
};

/* Starts the worker of that drive, as a copy of the daemon. Returns its end of the connection to the daemon, or -errno. */
int drive_worker_start(struct actuator *a, const char *name, pid_t *ret_pid);
