/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The workers of all drives, as the daemon sees them: each does one thing after the other, and no drive waits for another.
 *
 * A drive that neither answers nor completes a request for a while is silent. What it was asked stays asked: its answers come when it
 * wakes up. */
#pragma once

#include <systemd/sd-event.h>

#include "drive-worker.h"

struct drive_workers;

/* What a worker is asked to do. */
struct drive_job {
        struct drive_request request;
        const char *reason; /* literal, of RECOVER */
};

struct drive_workers_config {
        struct actuator *actuator; /* borrowed */
        sd_event *event;           /* NULL: answers come in drive_workers_wait() and drive_workers_recover() alone */
        bool within;               /* there is nothing to wait for: no processes, and each answer comes before the call returns */
        nsec_t patience, patience_max; /* 0: three seconds, and twenty for drive_workers_recover() */
        /* All but lines and DONE. */
        void (*answer)(void *userdata, const char *name, const struct drive_job *job, const struct drive_answer *answer);
        void (*silent)(void *userdata, const char *name, bool silent);
        void (*idle)(void *userdata); /* from the event loop: a worker has done all */
        void *userdata;
};

struct drive_workers *drive_workers_new(const struct drive_workers_config *config);
struct drive_workers *drive_workers_free(struct drive_workers *s); /* ends all, whatever they do */

/* A drive came, or came back. Returns 0 or -errno. */
int drive_workers_add(struct drive_workers *s, const char *name, uint32_t dev);
/* A drive left. reason: puts back what the journal has of it before its worker ends; NULL: the worker is given up at once. */
void drive_workers_remove(struct drive_workers *s, const char *name, const char *reason);

/* Returns 0; -ENODEV without that drive, -ENOMEM. */
int drive_workers_ask(struct drive_workers *s, const char *name, const struct drive_job *job);
/* The changes that have no receipt yet; of all drives: NULL. answering: without those of silent drives. */
size_t drive_workers_count_changes(const struct drive_workers *s, const char *name, bool answering);
bool drive_workers_is_busy(const struct drive_workers *s, const char *name);
bool drive_workers_is_silent(const struct drive_workers *s, const char *name);

/* Until that drive (NULL: every one) has done all, or is silent; no longer than limit. */
void drive_workers_wait(struct drive_workers *s, const char *name, nsec_t limit);
/* Each tick: finds out which are silent. */
void drive_workers_check(struct drive_workers *s);

/* Puts back what the journal has of all drives at a time, as actuator_recover_device(), and leaves the silent ones alone. A change that is underway
 * is put back as well; those that have not begun are dropped. Returns the number restored. */
size_t drive_workers_recover(struct drive_workers *s, nsec_t now, const char *reason);
/* Ends those that have nothing to do, and no drive. */
void drive_workers_end_idle(struct drive_workers *s);
