/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Owns everything and sequences the tick: sources -> model -> detectors -> controller -> actuator -> bus. */
#pragma once

#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#include "actuator.h"
#include "controller.h"
#include "decisions.h"
#include "detector.h"
#include "devices.h"
#include "drive-workers.h"
#include "holds.h"
#include "model.h"
#include "names.h"
#include "options.h"
#include "policy-load.h"
#include "mount-table.h"
#include "prefetch.h"
#include "prefetch-login.h"
#include "priorities.h"
#include "recorders.h"
#include "replay-tree.h"
#include "process-facts.h"
#include "request-sources.h"
#include "source-bfq.h"
#include "source-disk.h"
#include "source-logind.h"
#include "source-memory.h"
#include "source-process.h"
#include "source-psi.h"
#include "source-replay.h"
#include "startup-history.h"
#include "stream-log.h"
#include "streams.h"
#include "user-budget.h"
#include "wake-budget.h"

/* How closely the daemon looks: at the drives' counters, at the processes' too, at single requests of some drives too. */
enum attention { ATTENTION_DRIVES, ATTENTION_PROCESSES, ATTENTION_REQUESTS };
#define ATTENTION_REASON_MAX 512

/* Level 0 looks once a second: enough to notice within a second that a drive is busy, and a wake-up a second is the aim. */
#define TICK_IDLE_NS NSEC_PER_SEC
/* Levels 1 and 2: four looks in the second over which readers are counted. */
#define TICK_BUSY_NS (250 * NSEC_PER_MSEC)
/* The first looks after something began: what counts is how soon after the onset of a load its settings are in place. */
#define TICK_ONSET_NS (100 * NSEC_PER_MSEC)
#define ONSET_NS (2 * NSEC_PER_SEC)
/* Hundreds of processes take seconds to be born, and read when the last is: two bursts are looked for to their end. */
#define ONSET_LOOKS (2 * ONSET_NS / TICK_ONSET_NS)
/* After a wake-up by a burst of processes or by pressure: soon, but not for each of them. */
#define TICK_SOON_NS (50 * NSEC_PER_MSEC)
/* Level 1 ends when no drive was busy for so long. */
#define ATTENTION_DWELL_NS (10 * NSEC_PER_SEC)

/* A busy drive's settings are read anew that often: what was set by hand is what a law starts from. */
#define SETTINGS_FRESH_NS NSEC_PER_SEC

struct bus;

/* Attention level 2 of one drive. */
struct drive_watch {
        bool on;
        nsec_t until; /* unless something asks for it again */
        bool summed;     /* in sums */
        uint32_t one_in; /* of which so much is looked at, as the reason says */
        nsec_t retry[2]; /* not before, after it could not be had: request by request, in sums */
        uint64_t subject; /* what the reason is about */
        char why[ATTENTION_REASON_MAX], reason[ATTENTION_REASON_MAX]; /* as it began, and with how much is looked at */
        size_t n_uppers;
        struct upper uppers[UPPERS_MAX]; /* told because they stand on it */
        nsec_t uppers_next;              /* when they are looked for again */
};

struct manager_drive {
        bool used;
        struct drive_watch watch;
        struct drive drive;
        int sysfs_fd;
        struct manager *manager;
        nsec_t settings_read; /* when all of its settings were read last */
        char texts[_TUNABLE_MAX][TUNABLE_VALUE_MAX]; /* those, as they stood there; "": not there */
        bool announced;       /* on the bus: its settings are known, or it does not answer */
        bool owed;            /* to be put back when it answers again */
        unsigned owed_how;    /* enum put_back */
        const char *owed_reason;
        uint64_t published; /* digest of the properties last announced */
};

/* Something that is kept in the state directory: how far it is behind. */
struct state_file {
        nsec_t dirty; /* since when the file lacks some; 0: it does not */
        nsec_t retry; /* not before, after it could not be written */
};

struct manager_counters {
        uint64_t cold_starts, cold_starts_usec; /* those that ended since briod began, and how long they took in sum */
        uint64_t cold_starts_within[BRIO_COLD_START_BOUNDS]; /* of them, those that took no longer than each bound */
        uint64_t ticks, writes, write_errors, foreign_writes, restores;
        uint64_t starts_uncounted; /* their user has no session, or started too many */
        uint64_t lowered; /* processes that a user asked to step back */
        uint64_t drive_changes; /* looks into a drive because a change of it was told */
};

/* Where the mode is from. */
enum mode_origin {
        MODE_ORIGIN_DEFAULT,       /* none */
        MODE_ORIGIN_CONFIGURATION,
        MODE_ORIGIN_COMMAND_LINE,
        MODE_ORIGIN_KEPT,          /* it was set, and is on disk */
        MODE_ORIGIN_SET,           /* it was set, and lasts until briod ends: it could not be written */
        _MODE_ORIGIN_MAX,
};

const char *mode_origin_to_string(enum mode_origin o); /* "command-line" */

struct errand;
typedef void (*errand_done_fn)(void *userdata, struct manager *m, const struct errand *e);

/* What a caller asked for, until the drives that it is about have answered, or are found silent. */
struct errand {
        bool used;
        bool puts_back;            /* all that is ours on dev (0: all drives); else it waits for what was planned */
        bool afresh;               /* the mode was set: everything begins anew when it ends */
        bool wants_held;           /* a process: to have stepped back */
        bool wants_look;           /* ends with the look that it asked for, and waits for no drive */
        uint32_t dev;
        unsigned how;              /* enum put_back */
        const char *reason;        /* literal */
        struct receipt of;         /* what was planned */
        uint64_t first;            /* decision that may be of it */
        uint64_t restores, errors; /* counters as it began */
        errand_done_fn done;
        void *userdata;
        /* When it ends. */
        int result;
        uint32_t restored, failed;
};

#define ERRANDS_MAX 64

struct manager {
        const struct options *options;
        struct options replay_options;      /* of a replay: options, with the tree for a root */
        struct replay_tree *replay_tree;    /* NULL: no replay */
        struct source_replay *source_replay;
        enum hold replay_hold;              /* that was there when it was recorded */
        bool replay_over;
        sd_event *event;
        sd_event_source *timer;
        struct bus *bus;
        enum mode mode;
        enum mode_origin mode_origin;
        enum attention attention; /* the highest of any drive's */
        char attention_reason[ATTENTION_REASON_MAX]; /* "" at the lowest */
        nsec_t started, attention_until, last_tick;
        nsec_t attention_stands_until; /* the reason of level 1: then the next that is given takes its place */
        nsec_t sampling; /* since when the tick waits for what the processes did; 0: it does not */
        bool woken; /* a burst of processes or pressure asks to look now */
        nsec_t onset_until; /* look often till then */
        nsec_t writer_looks_until; /* processes are looked at till then, since a drive is written to evenly; 0: never yet */
        struct wake_budget onsets; /* of looking often at level 0: what begins there all the time comes to nothing */
        nsec_t onset_next;         /* not before */
        sd_event_source *startup_timer;    /* of looking at processes that start */
        struct wake_budget startup_looks;  /* ... where no drive is read from */
        uint64_t startup_changes;          /* those that the last tick knew of */
        struct startup_history *startups;  /* those that have ended */
        struct state_file startups_file, outcomes_file;
        uint64_t outcomes_saved;           /* changes of the controller's outcomes that the file has */

        struct policy_set policies;
        struct policy_programs programs; /* with a rule that was set, not that of a policy */
        struct devices *devices;
        struct manager_drive drives[SNAPSHOT_DEVICES_MAX];
        uint64_t drives_refused;

        struct source_disk *source_disk;
        struct source_process *source_process;
        struct source_psi *source_psi;
        struct source_memory *source_memory;
        struct source_logind *source_logind;
        struct user_budget starts;
        struct request_sources *source_requests;
        struct source_bfq *source_bfq;
        struct prefetch *prefetch;         /* NULL: a tree of files */
        struct prefetch_login *login;      /* NULL with that */
        struct mount_table *own_mounts;
        struct streams *streams;
        struct recorders *recorders;

        struct model *model;
        struct detectors detectors;
        struct stream_log stream_log;
        struct snapshot *snapshot;
        struct verdict *verdicts; /* DETECTORS_VERDICTS_MAX */
        size_t n_verdicts;
        struct controller *controller;
        struct plan *plan;
        struct actuator *actuator;
        struct drive_workers *workers;
        bool recovering;           /* what comes back was left by an earlier run */
        struct errand errands[ERRANDS_MAX];
        struct priorities *priorities;
        struct journal *priorities_journal; /* NULL: the actuator's */

        struct holds holds;
        struct decisions decisions;
        struct manager_counters counters;
};

/* Puts back what a briod that was killed has left, and nothing else. Returns 0, -EBUSY while another briod runs, -EIO where
 * something could not be put back, or -errno; after having logged why. */
int manager_recover(const struct options *options);

/* Sets everything up: recovers what an earlier run left, opens sources, finds the drives. No bus yet.
 * Returns 0 or -errno after having logged why. */
int manager_new(const struct options *options, sd_event *event, struct manager **ret);

/* Puts every original back, then frees. */
struct manager *manager_free(struct manager *m);

/* Whether a user is there is asked on that bus from now on; not in a replay. Returns 0 or -errno of the bus. */
int manager_follow_presence(struct manager *m, sd_bus *bus);
/* What came of it. */
enum presence manager_get_presence(const struct manager *m);
const char *manager_get_presence_reason(const struct manager *m);

/* The tick. Runs by itself on a timer; a bus request that wants to be acted on at once calls it, too. */
void manager_tick(struct manager *m);

struct manager_drive *manager_find_drive(struct manager *m, const char *name);
struct manager_drive *manager_find_drive_by_dev(struct manager *m, uint32_t dev);

/* The session says that the application of that process has started: its window is there. uid: the user that says so; only that of the process
 * may, and root. -ESRCH: there is no such process, it does not start, or it is another user's. */
int manager_startup_ready(struct manager *m, int32_t tgid, uint32_t uid);

/* The file of a policy that has a rule for the program, or NULL. */
const char *manager_find_program_file(const struct manager *m, const char *name);
/* The programs with a rule beside the policies, all of them: kept, and in force with the next tick. Returns 0 or -errno: as it was. */
int manager_set_programs(struct manager *m, const struct policy_programs *programs);

/* What bus methods ask for. done is called when the drives have answered, or are silent: before the call returns, or later. It is not called
 * where one fails. -EBUSY: ERRANDS_MAX are asked for already. */

/* Kept for the next start, where that is possible: m->mode_origin says whether it was. */
int manager_set_mode(struct manager *m, enum mode mode, errand_done_fn done, void *userdata);
/* The mode is what command line or configuration say, and nothing is kept. -errno of that: nothing changes then. */
int manager_reset_mode(struct manager *m, errand_done_fn done, void *userdata);
/* name NULL: all drives, and the mode becomes off, which is kept. -ENOENT: no such drive. */
int manager_restore(struct manager *m, const char *name, errand_done_fn done, void *userdata);
/* -ENOENT: no such advice now. The errand's result: 0; -EIO: it failed, the last decision says why; -ETIMEDOUT: its drive
 * does not answer; -ENOENT: it is no advice any more; -ECANCELED: another mode was set, or briod ends. */
int manager_apply(struct manager *m, const char *id, errand_done_fn done, void *userdata);
/* Whether it is advice, still what would be done, and its latest mention. */
bool manager_advice_stands(const struct manager *m, const struct decision *d);
/* -ENOENT: no such decision, or nothing of it stands any more. The result as above. */
int manager_undo(struct manager *m, const char *id, errand_done_fn done, void *userdata);
/* A process steps back at once, as a user asks. Returns 0 with the decision; -ENOENT: no process with that number reads or writes; -EPERM: it does not step
 * back, and *ret_why says why, a text of statements; -ENOSPC; or -errno of the write, -EIO where it was not kept. */
int manager_lower(struct manager *m, int32_t tgid, const struct decision **ret, const char **ret_why);
/* What is known of starts, or is to be. As prefetch_ask(); of a recorded machine nothing is, and fn is called at once. */
int manager_ask_prefetch(struct manager *m, const struct prefetch_question *q, prefetch_answer_fn fn, void *userdata);
/* done (NULL: none) is called with the look that sees the holds as they are now. */
void manager_holds_changed(struct manager *m, errand_done_fn done, void *userdata);
/* Has d->texts be what stands there now, or what was seen last of a drive that does not answer at once. */
void manager_see_settings(struct manager *m, const struct manager_drive *d);
/* A caller wants to see processes: level 1 for a while. */
void manager_want_processes(struct manager *m);
/* Nothing is known of those of a recorded machine. */
void manager_get_process_facts(const struct manager *m, const struct process_view *p, struct process_facts *ret);
/* The application whose unit it is in, as it is now. False where there is none. */
bool manager_get_process_application(const struct manager *m, const struct process_view *p, char ret[static APPLICATION_MAX]);
/* The descriptor; -EINVAL; -EDQUOT: the user has as many as one may; -ENOSPC; or -errno. */
int manager_open_stream(struct manager *m, uid_t uid, uint32_t interval_ms);
/* Opens a recording: of these drives (NULL-terminated names), which are then looked at request by request, or of all, as they are
 * looked at. Returns the reading end, -ENODEV with ret_missing (borrowed from names), -ENOSPC with RECORDERS_MAX, -E2BIG, or -errno. */
int manager_open_recording(struct manager *m, char **names, const char **ret_missing);

/* Has bfq say what it decides, on all drives that it schedules, for that long from now. Returns 0, or as source_bfq_want(). */
int manager_want_kernel_verdicts(struct manager *m, nsec_t duration);

/* Fills at most so many. Returns the number. */
#define MANAGER_SOURCES_MAX 36
size_t manager_probe(struct manager *m, struct source_info *ret);

nsec_t manager_now(void);
