/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model as the detectors see it in one tick: constant, sorted, complete. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arrivals.h"
#include "event.h"
#include "histogram.h"
#include "pace.h"
#include "writing.h"
#include "rhythm.h"
#include "soft-rt.h"
#include "startup.h"

/* Requests of kernel threads (dm-crypt, btrfs, loop) do not say which process waits for them: with more than this part of the
 * reads theirs, readers are counted from /proc after all. */
#define ANONYMOUS_PERMILLE_MAX 50

#define SNAPSHOT_DEVICES_MAX 64
#define SNAPSHOT_PROCESSES_MAX 256 /* the busiest ones; detectors use the counts, people see this list */

#define SNAPSHOT_STREAMS_MAX 64 /* streams first, then what comes nearest to one */

/* Latencies of the requests completed in the last two to four seconds, in us. */
struct latency_view {
        uint32_t requests; /* 0: none, and the figures are 0 */
        uint32_t median_us, p99_us, longest_us;
};

/* By enum request_op: of reads and writes. */
struct latencies_view {
        struct latency_view wait[2];    /* from queuing to completion */
        struct latency_view service[2]; /* from dispatch to completion */
};

/* A process, as verdicts, plans and receipts name it. */
struct subject {
        int32_t tgid;         /* 0: none, that is the drive as a whole */
        uint64_t start_ticks; /* with tgid the identity of a process */
        char name[EVENT_NAME_MAX]; /* "": not known, it has ended */
        uint32_t uid;         /* PROCESS_UID_UNKNOWN, or 0 where it was not asked for: only readers that see all are told of it */
};

bool subject_same(const struct subject *a, const struct subject *b);

/* A process that waits for a drive, and which ones that serves meanwhile (core/blame.h): parts of its time while the wait lasted. */
struct wait_view {
        struct subject subject;
        nsec_t since;             /* followed from then on */
        uint32_t served_us;       /* that the parts are of */
        uint32_t wait_permille;   /* part of the last two to four seconds in which it had a read under way */
        uint32_t own_permille;    /* for itself */
        uint32_t kernel_permille; /* for what no process asked for: mostly what is written back */
        struct subject culprit;   /* the process that got most */
        uint32_t culprit_permille;
};
#define SNAPSHOT_WAITS_MAX 4

/* Of a drive's settings, what detectors have to know. */
struct drive_settings {
        bool known;
        bool rotational;
        bool idles;                /* the active scheduler may keep the drive idle for a process */
        uint32_t wait_us;          /* how long it does at most, as it is set; 0: not at all */
        bool honours_class, honours_level, honours_weight; /* the active scheduler, of processes' I/O priorities and of groups' weights */
        const char *scheduler;     /* its name, a literal; "": one that is not known */
        uint32_t wbt_us;           /* target of blk-wbt; 0: it is off */
        uint32_t nr_requests, queue_depth; /* 0: not known */
        bool throttled;            /* what is written is held back by a setting of ours */
        bool turns;                /* bfq schedules it; then */
        bool low_latency;          /* ... it raises what starts and what is soft real-time */
        uint32_t slice_idle_us, turn_ms;
        uint32_t hz;               /* jiffies a second, as far as its settings tell; 0: they do not */
};

#define PEAK_SPAN_MIN_US 200000 /* a shorter one may hold what was merged or cached */

struct device_view {
        uint32_t dev;
        struct drive_settings settings;
        nsec_t t;                  /* of the last sample; 0: none yet */
        uint32_t span_us;          /* of the last sample */
        uint32_t read_iops, write_iops;
        uint32_t peak_iops;        /* the most of both together that any sample of PEAK_SPAN_MIN_US and more had */
        uint64_t read_bytes_per_s, write_bytes_per_s;
        uint32_t read_latency_us, write_latency_us; /* mean over the last sample's completed requests; 0: none */
        uint32_t utilisation_permille;
        uint32_t depth_milli;      /* mean requests in flight, thousandths */
        uint32_t inflight;
        struct {                   /* over the last READER_WINDOW: steadier than one sample, for sentences and counts */
                uint32_t reads;    /* completed */
                uint32_t read_iops;
                uint64_t read_bytes_per_s;
                uint32_t read_size_bytes, read_latency_us; /* means; 0: none completed */
        } recent;
        uint32_t readers;          /* processes with a read in the last READER_WINDOW; never more than requests to account for them */
        uint32_t readers_smoothed; /* fast up, slow down: cfq's average of busy queues (seed 001's descendant) */
        uint32_t small_readers;    /* of readers, those that read less than SMALL_READER_BYTES_PER_S */
        uint32_t inferred_readers; /* of readers, those whose drive was inferred, not observed */
        struct {                   /* processes that began to use it one after the other, the last time that they did (core/burst.h) */
                uint32_t n;
                bool inferred;     /* from when they were born */
                nsec_t began, last; /* 0: never */
        } burst;
        struct writing_second writing[WRITING_SECONDS]; /* its last seconds, in no order */
        struct moved moved[2];     /* by enum request_op */
        uint32_t alone_us;         /* what a read takes while next to nothing is written; 0: not known */
        bool steady;               /* read from little and evenly for some seconds */
        bool written_evenly;       /* the same of what is written, by samples a second apart: a process that writes through the page cache is seen so at most */
        nsec_t busy_since;         /* start of the current period with I/O; 0: idle */
        nsec_t idle_since;         /* start of the current period without I/O; 0: busy */
        struct {                   /* from single requests, while these are told */
                nsec_t since;      /* 0: they are not */
                uint32_t one_in;   /* in sums, estimated from one request in so many; else 1 */
                bool summed;       /* in sums: services, holes, idling, injection, sequences and peak rate are not known */
                uint64_t asked_per_s[2];     /* in sums, by enum request_op: each was counted, whatever part was looked at; 0 where that is not told */
                struct latencies_view latencies;
                struct latency_view foremost_reads; /* from queuing to completion, but for those of processes that let others go first */
                const struct histogram_window *read_waits; /* from queuing to completion: the model's own, good until it is fed again; NULL: not known */
                uint32_t anonymous_permille; /* part of the reads lately that no process is known for */
                uint32_t hole_permille;      /* part of the time lately in which the drive idled while requests waited for it */
                uint32_t filled_permille;    /* of that, the part that ended with a request of the process that was waited for */
                uint32_t idle_permille;      /* part of the time lately in which it had nothing to do just after it had served a reader */
                uint32_t injected;           /* requests lately that were served while another process paused for no longer than slice_idle */
                uint32_t sequential_permille; /* of the last 32 that went to the drive */
                uint64_t peak_bytes_per_s;   /* as bfq estimates it; 0: not known yet */
                size_t n_waits;
                struct wait_view waits[SNAPSHOT_WAITS_MAX];
                uint32_t raise_ms;           /* for how long bfq raises a start on such a drive; 0: not known yet */
        } requests;
};

/* Drives that a process has used within so long it uses at the same time. */
#define USED_TOGETHER_NS (5 * NSEC_PER_SEC)
#define OTHER_DRIVES_MAX 3

struct process_view {
        int32_t tgid;
        uint64_t start_ticks;
        char name[EVENT_NAME_MAX];
        uint32_t dev;              /* where it read and wrote most lately; 0: not known */
        uint32_t other_devs[OTHER_DRIVES_MAX]; /* that it uses besides; 0: none */
        uint16_t flags;            /* EVENT_INFERRED */
        uint64_t read_bytes_per_s, write_bytes_per_s;
        uint64_t read_bytes, write_bytes; /* since the model knows it */
        struct moved moved[2];     /* on dev, by enum request_op; what it read since requests are told is what these say */
        nsec_t last_io;
        bool paced;                /* it keeps a pace of its own there, not the drive's; told of those that move much */
        bool behind_writes;        /* it reads, and what is written there keeps it waiting; told of those that move much */
        bool starts;               /* it is of an application that was launched and whose start is under way; told of those that move much */
        bool in_start;             /* it is of any start under way, a command's included, or launched one */
        uint8_t io_class, io_level; /* enum io_class, as given to it */
        uint32_t io_weight;        /* of its control group; 0: the usual one */
        uint32_t uid;              /* PROCESS_UID_UNKNOWN */
        bool wait_known;
        uint32_t wait_permille;    /* part of the last two to four seconds in which it waited for what it read: from single
                                    * requests where these are told, else from the kernel's delay accounting, else from how often
                                    * it was seen waiting */
        struct {                   /* of what it asks of dev, from single requests */
                bool told;
                bool seeky;
                bool begun, seeky_so_far; /* by the few requests that there are: they are enough to say; most were seeks */
                uint32_t think_time_us; /* mean pause between completion and next request, at most 16 ms; 0: none yet */
                uint32_t per_s[2];      /* completed a second lately, by enum request_op */
                uint32_t sequential_permille; /* of its last 32 */
                uint32_t idle_permille; /* part of the time lately in which it paused, for no longer than a scheduler waits */
                uint32_t hole_permille; /* part of the time lately in which the drive idled for it while others waited */
                uint32_t injection_permille; /* what its reads take with others served in its pauses, to alone; 0: not known */
                uint32_t served_permille; /* part of the time lately that the drive spent on it */
                uint32_t injection_limit; /* requests that bfq would have under way in its pauses by now; 0: not known, or none */
                uint64_t count[2];      /* completed since the drive is watched, by enum request_op */
                struct latencies_view latencies;
        } requests;
};

enum stream_state {
        STREAM_IS,        /* Brio says so; from_proc: as far as that can be known */
        STREAM_CANDIDATE, /* it looks like one in /proc; its single requests will tell */
        STREAM_NEAR_MISS, /* it asks after pauses, and is none */
        _STREAM_STATE_MAX,
};

const char *stream_state_to_string(enum stream_state s); /* "stream", "candidate", "near-miss" */

/* What a process has open that is a stream for that, whatever its rhythm. */
enum stream_hold { HOLDS_NOTHING, HOLDS_SOUND, HOLDS_VIDEO, _STREAM_HOLD_MAX };

const char *stream_hold_to_string(enum stream_hold h); /* "", "sound", "video" */

/* A process that asks for its data after pauses. Not bound to the list of processes: a stream is found beside any number of busier
 * ones. */
struct stream_view {
        enum stream_state state;
        uint32_t dev;
        int32_t tgid;
        uint64_t start_ticks; /* 0: not known yet */
        char name[EVENT_NAME_MAX];
        uint32_t uid;         /* PROCESS_UID_UNKNOWN */
        bool writes;          /* more than it reads */
        bool from_proc;       /* by its counters alone */
        enum stream_hold holds; /* a stream for that alone: its rhythm does not show it, or not yet */
        bool asks;            /* for its drive's single requests: they may yet decide of a candidate; law stream-guard lets none go first without them */
        nsec_t since;         /* a stream: when it became one; else when it was seen first */
        nsec_t last_ask;
        uint16_t confidence;  /* 0..1000 */
        struct rhythm_figures figures;
        struct {              /* what bfq says, where it schedules the drive; else what its rule would; nothing for a candidate */
                enum soft_rt_answer answer;  /* when it asked after a pause last */
                int64_t margin_us;           /* how long after next_start that was; below 0: how much too early */
                uint32_t yes, no;            /* how often it said what */
                uint32_t yes_alone;          /* how often it would have said yes, had the process the drive for itself */
                uint32_t yes_without_memory; /* the same before 2017 */
        } kernel;
        struct arrivals arrivals; /* of it; none of a candidate */
};

struct snapshot {
        nsec_t now;
        uint64_t lost_events;      /* since the start */
        nsec_t last_loss;          /* 0: never */
        uint64_t lost_lately;      /* by the last loss and those less than LOSS_MATTERS_NS before each other; 0: it matters no longer */
        enum presence presence;    /* whether a user is at the machine */
        nsec_t presence_since;     /* 0: never told */
        uint32_t processes_known;
        size_t n_devices;
        struct device_view devices[SNAPSHOT_DEVICES_MAX]; /* by dev */
        size_t n_startups;
        struct startup_view startups[STARTUPS_MAX]; /* under way */
        size_t n_processes;
        struct process_view processes[SNAPSHOT_PROCESSES_MAX]; /* by rate, then tgid */
        size_t n_streams;
        struct stream_view streams[SNAPSHOT_STREAMS_MAX]; /* by state, then how near, then tgid */
};

/* What was counted is in doubt so long after a source lost events: as long as briod looks on for, once it has begun to. */
#define LOSS_MATTERS_NS (10 * NSEC_PER_SEC)
bool snapshot_loss_matters(nsec_t last_loss, nsec_t now);

/* One sentence about it: what it is, or which condition failed and by how much. */
void stream_describe(const struct stream_view *v, char *ret, size_t size);

/* Whether the process has used that drive lately. */
bool process_view_uses(const struct process_view *p, uint32_t dev);

struct subject process_view_subject(const struct process_view *p);

/* Each returns the view, or NULL. */
const struct device_view *snapshot_find_device(const struct snapshot *s, uint32_t dev);
const struct process_view *snapshot_find_process(const struct snapshot *s, int32_t tgid, uint64_t start_ticks);
