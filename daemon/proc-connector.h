/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Births and deaths of processes, and what they run, from the kernel's process connector (drivers/connector/cn_proc.c). */
#pragma once

#include <stdbool.h>
#include <systemd/sd-event.h>

#include "source.h"
#include "units.h"

enum proc_change_kind {
        PROC_BORN,
        PROC_DIED,
        PROC_EXEC, /* it runs another program from now on */
        PROC_LOST, /* the kernel dropped messages: what is known of births and deaths is incomplete */
        PROC_ACK,  /* the answer to our request; never given to the callback */
};

struct proc_change {
        enum proc_change_kind kind;
        int32_t tgid;
        int32_t parent; /* PROC_BORN: tgid of the process that forked it */
        nsec_t t;
        uint32_t ack;   /* PROC_ACK: what it answers */
        uint32_t error; /* PROC_ACK: errno or 0 */
};

typedef void (*proc_change_fn)(void *userdata, const struct proc_change *c);

/* Reads one netlink datagram. Threads and events of other kinds are nothing to us.
 * Returns 1 and fills ret, 0 for nothing, -EBADMSG for what is too short or not the connector's. */
int proc_connector_parse(const void *data, size_t size, struct proc_change *ret);

struct proc_connector;

/* receive_bytes: of the socket's buffer, 0 for PROC_CONNECTOR_BUFFER_BYTES. Returns 0 also where the kernel does not let us
 * listen (probe says so), -ENOMEM, or -errno of the event loop. */
#define PROC_CONNECTOR_BUFFER_BYTES (2 << 20) /* 2700 births with their deaths: as many as the busiest second of a compilation */
int proc_connector_new(sd_event *event, size_t receive_bytes, proc_change_fn fn, void *userdata, struct proc_connector **ret);
struct proc_connector *proc_connector_free(struct proc_connector *c);

/* Takes what has come, without having been woken for it: each tick does, and so spares that wake-up. At other times briod is woken for
 * births, execs and deaths at once after quiet, but twice a second at most (wake-budget.h) while they go on, or as often as the buffer fills. */
void proc_connector_follow(struct proc_connector *c);

/* While briod looks closely anyway, it is woken for them after WAKE_HURRY_NS at most: an application that starts must not wait. */
void proc_connector_hurry(struct proc_connector *c, bool hurry);

/* From within the callback: it is called no more until proc_connector_resume(), and what comes waits in the kernel's buffer. */
void proc_connector_pause(struct proc_connector *c);
void proc_connector_resume(struct proc_connector *c);

/* Wake-ups since the start. */
uint64_t proc_connector_wakeups(const struct proc_connector *c);

void proc_connector_probe(const struct proc_connector *c, struct source_info *ret);
