/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process of its own for all that reads and writes one drive's settings: where the kernel has it wait for the drive, no other process
 * waits. It keeps neither the journal's file nor its lock, nor any other descriptor of the daemon. A record goes to the daemon and is
 * answered before the write that it is of; so a worker whose daemon has gone, or has given it up, writes nothing any more. */
#pragma once

#include "actuator.h"
#include "controller.h"
#include "journal-line.h"

/* From the daemon, one at a time. */
struct drive_request {
        enum {
                DRIVE_REQUEST_OPEN,     /* the drive came, or came back; tells its settings */
                DRIVE_REQUEST_APPLY,    /* the change; tells the receipt, and the settings where they may be others now */
                DRIVE_REQUEST_LOOK,     /* tells what was lost to others, and the settings: where they are wanted, or the scheduler is another */
                DRIVE_REQUEST_RECOVER,  /* puts back all that the journal has of it, as actuator_recover_device() */
                DRIVE_REQUEST_RECORDED, /* what became of the line that was passed on: result */
        } kind;
        nsec_t now;
        int result;
        uint32_t dev;
        bool settings;
        struct setting_change change;
};

struct sysfs_settings {
        struct device_facts facts; /* what sysfs says of them */
        char texts[_TUNABLE_MAX][TUNABLE_VALUE_MAX]; /* "": not there */
};

/* From the worker. */
struct drive_answer {
        enum {
                DRIVE_ANSWER_LINE,     /* for the journal; it waits for RECORDED. length 0: could not be synced */
                DRIVE_ANSWER_RECEIPT,  /* of the change, or of what was recovered */
                DRIVE_ANSWER_LOST,     /* receipt: another program wrote it, or it has gone */
                DRIVE_ANSWER_SETTINGS, /* result: 0 or -errno */
                DRIVE_ANSWER_DONE,     /* with the request. restored: how many settings, of RECOVER */
        } kind;
        int result;
        size_t restored, length;
        union {
                struct receipt receipt;
                struct sysfs_settings settings;
                char line[JOURNAL_LINE_MAX];
        };
};

/* One drive's end of that. */
struct drive_hand {
        struct actuator *actuator;
        char name[ACTUATOR_NAME_MAX];
        enum scheduler told; /* with the settings */
        void (*tell)(void *userdata, const struct drive_answer *answer);
        void *userdata;
};

/* Does what is asked, and tells what comes of it: DONE last. */
void drive_hand_perform(struct drive_hand *h, const struct drive_request *request);

/* Starts the worker of that drive, as a copy of the daemon. Returns the daemon's end of the connection, or -errno. */
int drive_worker_start(struct actuator *a, const char *name, pid_t *ret_pid);
