/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the bus files see each other. */
#pragma once

#include "audience.h"
#include "bus.h"
#include "mention.h"
#include "peer.h"
#include "polkit.h"

struct hold_watch {
        uint32_t cookie; /* 0: free */
        struct bus *owner;
        struct peer peer;
};

struct bus {
        struct manager *manager;
        sd_bus *connection;
        struct callers *callers;
        struct audience *audience;
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

/* Reads the arguments of a call that may come twice: again once polkit has answered. Returns as sd_bus_message_read(). */
int bus_read_again(sd_bus_message *call, const char *types, ...);

/* Begins one entry of an a{sv}, whose value of that type the caller appends. Returns 0 or more, or -errno. */
int bus_open_pair(sd_bus_message *m, const char *key, const char *type);
/* Ends it. r: what the appending came to; a negative one is returned. Returns 0 or more, or -errno. */
int bus_close_pair(sd_bus_message *m, int r);
/* Appends one, of a basic type. Returns 0 or -errno. */
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

/* The sentence with what a reader may see of its mentions, in English, and behind it, under key_data, its statements: two entries of an a{sv}. Returns 0 or
 * -errno. */
int bus_append_sentence(sd_bus_message *m, const struct reader *reader, const char *key, const char *sentence);
/* The same as a value of type s. */
int bus_append_told(sd_bus_message *m, const struct reader *reader, const char *sentence);
/* Its statements as a value of type aa{sv}. */
int bus_append_statements(sd_bus_message *m, const struct reader *reader, const char *sentence);
/* A process by its number and its name, as a reader may see it: 0 and MENTION_NOT_SEEN for what it does not. Two entries of an a{sv}. */
int bus_append_process(sd_bus_message *m, const struct reader *reader, const char *pid_key, const char *name_key, const struct subject *subject);

/* Sends a signal to each connection of the audience, with what fill appends for it; where that returns 0, it is not told. */
typedef int (*bus_fill_fn)(sd_bus_message *m, struct bus *b, const struct reader *reader, const void *what);
void bus_tell(struct bus *b, const char *signal, bus_fill_fn fill, const void *what);

/* What changed of a drive's or the daemon's sentences, to each of the audience as it may read it. */
void bus_tell_drive(struct bus *b, const char *path, const struct manager_drive *d);
void bus_tell_attention(struct bus *b);
/* The property Reason, with mentions. */
const char *bus_drive_reason(const struct manager_drive *d);

/* Appends one decision as a{sv}. Returns 1, or -errno. */
int bus_append_decision(sd_bus_message *m, const struct reader *reader, const struct decision *d);

/* GetDecisions() and GetAdvice() */
int bus_get_decisions(sd_bus_message *call, void *userdata, sd_bus_error *error);
int bus_get_advice(sd_bus_message *call, void *userdata, sd_bus_error *error);

/* Observe() */
int bus_observe(sd_bus_message *call, void *userdata, sd_bus_error *error);

/* GetProcesses() and LowerPriority() */
int bus_get_processes(sd_bus_message *call, void *userdata, sd_bus_error *error);
int bus_lower_priority(sd_bus_message *call, void *userdata, sd_bus_error *error);

/* GetKernelVerdicts() */
int bus_get_kernel_verdicts(sd_bus_message *call, void *userdata, sd_bus_error *error);

/* GetStreams() */
int bus_get_streams(sd_bus_message *call, void *userdata, sd_bus_error *error);

/* GetStartups(), GetStartupTimeline() and StartupReady() */
int bus_get_startups(sd_bus_message *call, void *userdata, sd_bus_error *error);
int bus_get_startup_timeline(sd_bus_message *call, void *userdata, sd_bus_error *error);
int bus_startup_ready(sd_bus_message *call, void *userdata, sd_bus_error *error);

/* GetPrefetch(), GetPrefetchFiles(), ForgetPrefetch() and SetPrefetch() */
int bus_get_prefetch(sd_bus_message *call, void *userdata, sd_bus_error *error);
int bus_get_prefetch_files(sd_bus_message *call, void *userdata, sd_bus_error *error);
int bus_forget_prefetch(sd_bus_message *call, void *userdata, sd_bus_error *error);
int bus_set_prefetch(sd_bus_message *call, void *userdata, sd_bus_error *error);

/* ProgramRules and SetProgramRules() */
int bus_get_program_rules(sd_bus *bus, const char *path, const char *interface, const char *property, sd_bus_message *reply, void *userdata, sd_bus_error *error);
int bus_set_program_rules(sd_bus_message *call, void *userdata, sd_bus_error *error);

/* Watches the holder of a hold: it is released when the holder leaves the bus. */
int bus_watch_holder(struct bus *b, const char *holder, uint32_t cookie);
void bus_unwatch_holder(struct bus *b, uint32_t cookie);
