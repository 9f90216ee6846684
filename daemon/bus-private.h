/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the bus files see each other. */
#pragma once

#include "bus.h"
#include "polkit.h"

struct hold_watch {
        uint32_t cookie; /* 0: free */
        struct bus *owner;
        sd_bus_track *track;
};

struct bus {
        struct manager *manager;
        sd_bus *connection;
        struct callers *callers;
        struct polkit *polkit;
        struct source_info sources[MANAGER_SOURCES_MAX];
        size_t n_sources;
        nsec_t probed; /* 0: not yet */
        struct hold_watch watches[HOLDS_MAX];
};

extern const sd_bus_vtable bus_manager_vtable[];
extern const sd_bus_vtable bus_device_vtable[];

/* "/org/brio/Brio1/device/sda", to be freed; NULL without memory */
char *bus_device_path(const char *name);

/* What a caller wrote, as an error repeats it: its first bytes, fit for a terminal. Returns buf. */
#define BUS_ECHO_MAX 64
const char *bus_echo(char buf[static BUS_ECHO_MAX], const char *text);

/* Appends one entry of an a{sv}, of a basic type. Returns 0 or -errno. */
int bus_append_pair(sd_bus_message *m, const char *key, const char *type, ...);
/* The numbers of what a trial found, each a pair; none where it has found nothing. */
int bus_append_figures(sd_bus_message *m, const struct trial_figures *f);

/* Begins a reply that is an aa{sv}. The caller gives it to bus_send_list() in any case. Returns 0 or more, or -errno. */
int bus_begin_list(sd_bus_message *call, sd_bus_message **ret);
/* Ends that and sends it, and drops it. r: what the filling came to; where that is negative nothing is sent, and it is returned. Returns 0 or more, or -errno. */
int bus_send_list(sd_bus_message *reply, int r);

struct bus_number {
        const char *key;
        uint64_t value;
};

/* Appends entries of an a{sv}, of type t. Returns 0 or -errno. */
int bus_append_numbers(sd_bus_message *m, const struct bus_number *numbers, size_t n);

/* Appends one decision as a{sv}. Returns 0 or -errno. */
int bus_append_decision(sd_bus_message *m, const struct decision *d);

/* GetDecisions() and GetAdvice() */
int bus_get_decisions(sd_bus_message *call, void *userdata, sd_bus_error *error);
int bus_get_advice(sd_bus_message *call, void *userdata, sd_bus_error *error);

/* GetProcesses() */
int bus_get_processes(sd_bus_message *call, void *userdata, sd_bus_error *error);

/* GetKernelVerdicts() */
int bus_get_kernel_verdicts(sd_bus_message *call, void *userdata, sd_bus_error *error);

/* Appends a stream, or what is or was nearly one, as a{sv}. Returns 0 or -errno. */
int bus_append_stream(sd_bus_message *m, struct manager *manager, const struct stream_entry *e);
/* GetStreams() */
int bus_get_streams(sd_bus_message *call, void *userdata, sd_bus_error *error);

/* GetStartups(), GetStartupTimeline() and StartupReady() */
int bus_get_startups(sd_bus_message *call, void *userdata, sd_bus_error *error);
int bus_get_startup_timeline(sd_bus_message *call, void *userdata, sd_bus_error *error);
int bus_startup_ready(sd_bus_message *call, void *userdata, sd_bus_error *error);

/* Watches the holder of a hold: it is released when the holder leaves the bus. */
int bus_watch_holder(struct bus *b, const char *holder, uint32_t cookie);
void bus_unwatch_holder(struct bus *b, uint32_t cookie);
