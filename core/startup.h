/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The start of an application: from the exec (or from its unit's first process) to the first quiet window of all of its processes, or to
 * its exit. docs/detectors.md has the account. Plain data, bounded, allocates nothing; all zero at the start.
 *
 * A start belongs to what was started: a command of a terminal (EVENT_TERMINAL) or what a launcher started (EVENT_LAUNCHED).
 * The children of its processes are its processes, whatever they run: wrappers, helpers and forked servers count with it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"
#include "startup-timeline.h"

#define STARTUPS_MAX 16         /* under way at a time: a login starts about ten */
#define STARTUP_MEMBERS_MAX 64  /* processes of one at a time */
#define STARTUP_DRIVES_MAX 4
#define STARTUP_CULPRITS_MAX 16 /* programs that are served meanwhile */
#define STARTUP_SAMPLES 128     /* kept: at the shortest interval more than the longest quiet window */
#define STARTUPS_RUNNING_MAX 64 /* applications known to run, once they have started */
#define STARTUPS_ENDED_MAX 16   /* waiting to be taken */
#define APPLICATION_MAX 64      /* "org.libreoffice.LibreOffice.writer" */

/* Within a quiet window there is no major fault, none of them waits for a drive, no more than this is read, */
#define STARTUP_QUIET_READ_BYTES 16384u
/* and no more than this part of one CPU used. */
#define STARTUP_QUIET_CPU_PERMILLE 300u
/* How long it is: QUIET_MIN, and 20 of the drive's reads longer, up to QUIET_MAX. On a slow drive a start pauses longer between what it
 * reads: 300 ms are right for an SSD, 700 ms for a hard disk. */
#define STARTUP_QUIET_MIN_NS (300 * NSEC_PER_MSEC)
#define STARTUP_QUIET_MAX_NS (700 * NSEC_PER_MSEC)
#define STARTUP_QUIET_READS 20
/* Of a session: its parts wait for each other. */
#define STARTUP_QUIET_SESSION_NS (2500 * NSEC_PER_MSEC)
/* A start that is not quiet after so long has another work to do: a game, an import. */
#define STARTUP_GIVE_UP_NS (60 * NSEC_PER_SEC)
/* A command of a terminal is followed no longer while it has read nothing from a drive. */
#define STARTUP_COMMAND_NS (2 * NSEC_PER_SEC)
/* A start is cold once it has read that much, or had so many faults that had to be read. */
#define STARTUP_COLD_BYTES 262144u
#define STARTUP_COLD_FAULTS 5u
/* A command that has waited for a drive for so long, and read anything from it, starts. */
#define STARTUP_WAITED_NS (20 * NSEC_PER_MSEC)
/* What is launched by a process that started so lately is the same start: a wrapper starts what the user wanted. */
#define STARTUP_WRAPPER_NS (2 * NSEC_PER_SEC)
/* A process that had less than this of the drive while a start waited is no culprit. */
#define STARTUP_CULPRIT_PERMILLE 100u

enum startup_end {
        STARTUP_RUNS,       /* it is under way */
        STARTUP_QUIET,      /* its first quiet window began */
        STARTUP_EXIT,       /* its last process ended before that */
        STARTUP_READY,      /* the session said that its window is there */
        _STARTUP_END_MAX,
};

const char *startup_end_to_string(enum startup_end e); /* "running", "quiet", "exit", "ready" */

/* A process that was served on the drive while a start waited for it. */
struct startup_culprit {
        char name[EVENT_NAME_MAX];
        int32_t tgid; /* of several processes of that name the first */
        uint64_t start_ticks;
        uint32_t uid;
        uint16_t permille; /* of all that the drive did meanwhile */
};

#define STARTUP_CULPRITS_SHOWN 3

/* A start, under way or ended. */
struct startup_view {
        int32_t tgid; /* of its first process */
        uint64_t start_ticks;
        char name[EVENT_NAME_MAX];         /* of the program that it runs now */
        char application[APPLICATION_MAX]; /* its id as its unit or desktop file has it, else the program's name */
        uint32_t uid;                      /* PROCESS_UID_UNKNOWN */
        bool launched;                     /* else it is a command of a terminal */
        bool cold;
        bool observed;         /* what it waited is from single requests or accounted by the kernel, not estimated from states */
        enum startup_end end;
        nsec_t begun, latency; /* so far, while it is under way */
        nsec_t noticed;        /* from its begin to the first verdict about it; 0: there was none */
        nsec_t waited;         /* of it, for drives */
        uint64_t read_bytes;
        uint32_t requests;     /* reads from the drives while their requests were told; 0: none was */
        uint32_t faults, processes;
        size_t n_devs;
        uint32_t devs[STARTUP_DRIVES_MAX]; /* that its program lies on or that were read from; first the one that it waited for or read from most */
        size_t n_culprits;
        struct startup_culprit culprits[STARTUP_CULPRITS_SHOWN]; /* by share */
};

struct startup_sample {
        nsec_t t; /* its end */
        uint32_t span_us, cpu_us, read_bytes, waited_us;
        uint32_t queued_us, memory_us; /* as struct event_process_stall has them */
        uint32_t requested_us; /* waited, by its single requests */
        uint32_t behind_us;    /* of the drive's time meanwhile: others', by their single requests */
        bool accounted;        /* waited_us is the kernel's account */
        bool hard;             /* a process waited for a drive or had a fault */
};

/* What others had of the drive: time of it by single requests, bytes by samples. */
struct startup_served {
        struct startup_culprit culprit;
        uint64_t ns[2], bytes[2]; /* by enum request_op: reads, writes */
        uint64_t before_ns, before_bytes; /* of the one whose place it took: it may have had as much itself */
};

struct startup {
        struct startup_view view; /* tgid 0: free */
        bool named;               /* by its unit or desktop file */
        bool continues;           /* the rest of its id follows */
        bool begins;              /* its program does not run yet: what never does was no start */
        int32_t launcher; /* tgid of the process that started it; 0: not known */
        int32_t session, job;
        nsec_t last;              /* look at its processes; 0: none yet */
        int32_t members[STARTUP_MEMBERS_MAX]; /* tgids; 0: free */
        struct startup_sample sample; /* the one that is being told; t 0: none */
        size_t n_samples;             /* ever */
        struct startup_sample samples[STARTUP_SAMPLES];
        uint64_t read_latency_us;     /* of the slowest of its drives lately */
        bool requested;               /* a drive of it is watched request by request */
        nsec_t waited_lately[STARTUP_DRIVES_MAX]; /* by that, in the interval that was counted last, for each of view.devs */
        bool read_from[STARTUP_DRIVES_MAX]; /* of view.devs; the others are where its programs lie */
        nsec_t waited_on[STARTUP_DRIVES_MAX]; /* for each of view.devs, by single requests */
        uint64_t read_on[STARTUP_DRIVES_MAX]; /* bytes, by samples */
        nsec_t requested_wait;        /* and in those since a sample was begun */
        nsec_t behind;                /* others' part of its drives' time while it waited, since then */
        uint64_t own_ns, anonymous_ns[2]; /* of the drive meanwhile: itself; no known process */
        uint64_t served_refused;          /* for want of room: those that had least made room */
        uint64_t rest_ns, rest_bytes[2];  /* that they had had */
        size_t n_served;
        struct startup_served served[STARTUP_CULPRITS_MAX];
        struct startup_timeline timeline;
};

struct startup_ended {
        struct startup_view view;
        struct startup_timeline timeline;
};

/* An application whose start ended and that still runs: one that comes again and leaves at once was handed over to it. */
struct startup_running {
        int32_t tgid; /* 0: free */
        char application[APPLICATION_MAX];
};

struct startup_table {
        size_t n;
        uint64_t changes; /* counts those that began to be worth telling, or ended after that */
        struct startup startups[STARTUPS_MAX];
        size_t next_running;
        struct startup_running running[STARTUPS_RUNNING_MAX];
        size_t n_ended;
        struct startup_ended ended[STARTUPS_ENDED_MAX];
        uint64_t refused;     /* starts, processes, ended ones and programs served meanwhile that found no room */
        uint64_t handed_over, given_up;
};

/* Takes EVENT_PROCESS_FORK, _EXEC, _USER, _APPLICATION, _WORK, _STALL, _EXIT, _IO and _READY; other kinds are nothing to it. name, uid: the process's, ""
 * and PROCESS_UID_UNKNOWN where they are not known. */
void startup_table_feed(struct startup_table *t, const struct event *e, const char *name, uint32_t uid);

/* Counts what was told up to now, and looks for what has ended. Call it once a tick. */
void startup_table_step(struct startup_table *t, nsec_t now);

/* The start that a process belongs to, while it is under way; NULL */
struct startup *startup_table_find(struct startup_table *t, int32_t tgid);

/* Whether it started an application whose start is under way: a desktop's shell, a session's manager. */
bool startup_table_launches(const struct startup_table *t, int32_t tgid);

bool startup_has_member(const struct startup *s, int32_t tgid);
/* The place in view.devs of a drive that it has read from; -1: it has not. */
int startup_reads_from(const struct startup *s, uint32_t dev);
/* has_read: else its program lies there. 0 and what is known are fine. Returns its place in view.devs, or -1. */
int startup_add_drive(struct startup *s, uint32_t dev, bool has_read);

/* Whether it is worth telling: what was launched at once, a command of a terminal once it reads from a drive and has waited for that
 * so long that a user may wait for it, or is cold. */
bool startup_tells(const struct startup *s);

/* A verdict about the start of that process fell. */
void startup_table_note_verdict(struct startup_table *t, int32_t tgid, nsec_t now);

/* The processes to look at now, at most max: those of the starts whose next look is due. ret_next: when one is due next, 0 while no
 * start is under way. A start is looked at every 20 ms at first, every 50 ms after 2 s, every 100 ms after 10 s. */
size_t startup_table_due(const struct startup_table *t, nsec_t now, int32_t *ret, size_t max, nsec_t *ret_next);

/* Fills ret with the figures as of now. */
void startup_get_view(const struct startup *s, nsec_t now, struct startup_view *ret);

/* The oldest that has ended and was not taken yet. Returns false where there is none. */
bool startup_table_take(struct startup_table *t, struct startup_ended *ret);

/* startup-end.c: the quiet window. */

/* Adds the sample that was being told, if there is one. */
void startup_close_sample(struct startup *s);
/* When the first quiet window began. Returns false where there was none yet. */
bool startup_find_end(const struct startup *s, nsec_t *ret);

/* startup-culprit.c: the processes that were served meanwhile. */

/* A process was served: for so long, or so much. tgid 0: a kernel thread. */
void startup_note_served(struct startup *s, const struct startup_culprit *culprit, unsigned op, uint64_t ns, uint64_t bytes);
/* What others had during a start that was handed over counts for the one that takes it. */
void startup_merge_served(struct startup *to, const struct startup *from);
void startup_list_culprits(const struct startup *s, struct startup_view *ret);

/* startup-handover.c: starts that another process takes. */

/* Its start is over, but it runs on. */
void startup_note_running(struct startup_table *t, const struct startup *s);
bool startup_runs_already(const struct startup_table *t, const char *application);
/* Another start of the user's application, under way; NULL */
struct startup *startup_find_other(struct startup_table *t, const struct startup *s);
/* What s was counts for the other from then on, and that has begun with it. */
void startup_hand_over(struct startup *s, struct startup *to);
