/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the model's files see each other: model.c keeps drives and processes from samples, model-requests.c what is known from
 * single requests. */
#pragma once

#include "blame.h"
#include "burst.h"
#include "candidate.h"
#include "flow.h"
#include "model.h"
#include "peak-rate.h"
#include "process-table.h"
#include "queue-burst.h"
#include "recent.h"
#include "request-table.h"
#include "startup.h"
#include "turn.h"

/* What a drive's single requests tell; all zero while they are not told. */
struct device_requests {
        nsec_t since; /* 0: not told */
        bool rotational;
        nsec_t anonymous[FLOW_SIDES], anonymous_told[FLOW_SIDES]; /* time that it worked for no known process; of it, told to the starts */
        bool summed; /* told in sums */
        uint32_t one_in; /* so much of it is looked at; 0: what is told in all is not known, and the sums of its processes are all */
        uint64_t waiting, issued;       /* sectors: queued but not at the drive; at the drive */
        uint32_t at_drive, most_at_drive; /* requests: now, and at a time so far */
        struct idling idling;
        struct peak_rate peak;
        struct seek_history seeks;      /* of what went to the drive, as merged */
        struct recent_sum asked[FLOW_SIDES]; /* of EVENT_TOTAL */
        struct recent_sum reads, anonymous_reads, anonymous_sectors;
        uint64_t explained;             /* of anonymous_sectors, those that processes asked for at what stands on the drive */
        struct recent_sum injected;     /* requests that were served while a process paused for no longer than slice_idle */
        struct flow_side sides[FLOW_SIDES];
        struct histogram_window foremost_reads; /* their waits, but for those of processes that let others go first */
        struct soft_rt_rule rule;       /* bfq's, on this drive */
        uint32_t hz;                    /* jiffies a second; 0: not known */
        struct turn turn;               /* where bfq schedules it */
        struct queue_burst burst;
        struct blame blame;
};

/* Samples kept of a drive: at the shortest interval that can be asked for, twice the reader window. */
#define RECENT_SAMPLES 32

struct device {
        uint32_t dev; /* 0: free */
        struct device_view view;
        struct device_requests requests;
        struct burst processes; /* that begin to use it */
        struct writing writing;
        struct pace read_pace, write_pace;
        nsec_t smoothed_at;
        uint32_t n_samples; /* ever; the last RECENT_SAMPLES are kept */
        struct {
                nsec_t t;
                struct event_device_stat stat;
        } samples[RECENT_SAMPLES];
};

#define STACKS_MAX 64 /* devices that stand on watched drives */

struct stack {
        uint32_t upper, dev;
        uint8_t drives;
};

#define FOUND_BITS 4

struct model {
        struct process_table processes;
        struct request_table requests;
        struct flow_table flows;
        bool unseen; /* the completion that is being fed is an EVENT_UNSEEN */
        struct startup_table startups;
        nsec_t startups_counted; /* what their drives did, till then */
        nsec_t requests_expired; /* when the old ones were given up last */
        uint32_t devs[MODEL_DEVICES_MAX]; /* of devices, side by side: one is looked for at each request ... */
        uint8_t found[1 << FOUND_BITS];   /* ... and these are where those were that were found last, by hash */
        struct device devices[MODEL_DEVICES_MAX];
        size_t n_stacks;
        struct stack stacks[STACKS_MAX];
        uint64_t stacks_refused;
        struct memory_state memory;
        uint64_t newest_ticks; /* the latest birth of a process that is known: now is later */
        struct model_counters counters;
        uint64_t lost, lost_lately;
        nsec_t last_loss;
        uint64_t streams_refused;
        enum stream_judge judge;
        struct candidates candidates;
        enum presence presence;
        nsec_t presence_since;
};

/* The drive's, or NULL; dev 0 finds a free one. */
struct device *model_find_device(struct model *m, uint32_t dev);

/* Finds or makes it; NULL where all are taken, counted. */
struct device *model_get_device(struct model *m, uint32_t dev);

/* EVENT_WATCH and EVENT_REQUEST_*. */
void model_watch(struct model *m, const struct event *e);
void model_feed_request(struct model *m, const struct event *e);

/* Whether the process lets others go first, by the priority that its I/O was given. */
bool model_yields(const struct model *m, int32_t tgid);

/* EVENT_SUMS, EVENT_LATENCIES and EVENT_TOTAL. */
void model_feed_sums(struct model *m, const struct event *e);
void model_feed_latencies(struct model *m, const struct event *e);
void model_feed_total(struct model *m, const struct event *e);

/* What stands on watched drives. above: an EVENT_REQUEST_QUEUE of a process, of a device that may be one of these. */
void model_stack(struct model *m, const struct event *e);
void model_unstack(struct model *m, uint32_t dev);
bool model_is_upper(const struct model *m, uint32_t dev);
void model_feed_above(struct model *m, const struct event *e);
/* How much of the drives' reads by kernel threads that accounts for, as of now. */
void model_explain_requests(struct model *m, nsec_t now);

/* What a process's request, asked for and ended, says about whether it is a stream. Before flow_ask(). */
void model_feed_stream(struct model *m, struct device *d, struct flow *f, const struct event *e);
void model_end_stream(const struct device *d, struct flow *f, const struct request *r, nsec_t t, bool lost);
/* A process was seen to wait, at the end of a sample. */
void model_feed_waiting(struct model *m, const struct event *e);
/* An unknown process asks: kernel threads write for others. */
void model_feed_nobodys(struct model *m, struct device *d, const struct event *e);
/* The same of every request, whosever it is, as bfq gives it its turn; before model_end_stream(). */
void model_feed_turn(struct model *m, struct device *d, enum request_step what, const struct request *r, nsec_t t);
void model_count_turns(struct model *m);
void model_set_rule(struct device *d);
/* The same by its counters, after process_account(). */
void model_feed_candidate(struct model *m, const struct process *p, const struct event *e);
/* Whether it has been read from little and evenly lately, by its samples: a stream may be playing. */
bool model_is_steady(const struct device *d, nsec_t now);
bool model_is_written_evenly(const struct device *d, nsec_t now);
/* The streams that the kernel's rule finds, and Brio's; into the snapshot. */
void model_view_streams(struct model *m, nsec_t now, struct snapshot *s);

/* Events were lost: what is under way may have ended unseen. */
void model_doubt_requests(struct model *m, nsec_t t);
void model_forget_requests(struct model *m, uint32_t dev, nsec_t t);
void model_expire_requests(struct model *m, nsec_t now);

/* Whether the drive's readers can be counted from its requests: they have been told for long enough, and mostly say whose they are. */
bool model_knows_readers(const struct device *d, nsec_t now);
/* Counts them into their drives' views, where that is so. */
void model_count_flows(struct model *m, nsec_t now);

void model_view_requests(const struct device *d, nsec_t now, struct device_view *ret);
/* Which processes wait for the drive, and which ones it serves meanwhile. */
void model_choose_blame(struct model *m, nsec_t now);
void model_view_blame(const struct model *m, const struct device *d, nsec_t now, struct device_view *ret);
/* model-startup.c: the events of processes that start; what single requests say of them, as of now; those under way. */
void model_feed_startup(struct model *m, const struct event *e);
void model_view_startups(struct model *m, nsec_t now, struct snapshot *ret);

/* Completes the processes of a snapshot. */
void model_view_flows(const struct model *m, nsec_t now, struct snapshot *s);
