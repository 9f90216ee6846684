/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs model, detectors and controller over a recording, with drives and processes that take every setting: the same recording and the same
 * policies always give the same. Pure. */
#pragma once

#include "controller.h"
#include "model.h"
#include "policy.h"
#include "recording.h"
#include "startup-history.h"
#include "stream-log.h"

struct replay;

enum replay_note_kind {
        REPLAY_DRIVE,           /* it is there; with the policy that it falls under */
        REPLAY_VERDICT_BEGINS,
        REPLAY_VERDICT_CHANGES, /* its sentence does: told at most once a second */
        REPLAY_VERDICT_ENDS,    /* with what was said of it last */
        REPLAY_STARTUP,         /* an application has started */
        REPLAY_CHANGE,          /* a setting would be written */
        REPLAY_TRIAL,           /* of what was written */
        REPLAY_STREAM_STARTS,
        REPLAY_STREAM_ENDS,
        REPLAY_STREAM_SUMMARY,  /* at the end, once for each that was a stream or came near */
};

struct replay_note {
        enum replay_note_kind kind;
        nsec_t t;                            /* since the recording began */
        const char *device;
        const struct device_facts *facts;    /* REPLAY_DRIVE */
        const struct policy *policy;         /* REPLAY_DRIVE; NULL: there is none */
        const struct verdict *verdict;       /* REPLAY_VERDICT_* */
        const struct startup_record *startup; /* REPLAY_STARTUP; its time is since the recording began */
        const struct setting_change *change; /* REPLAY_CHANGE of a drive's tunable; else NULL */
        const struct priority_change *priority; /* REPLAY_CHANGE of a process's I/O priority; else NULL */
        const struct trial_report *trial;    /* REPLAY_TRIAL */
        const char *old, *new;               /* REPLAY_CHANGE: the value that it replaces, and the new one */
        const struct stream_entry *stream;   /* REPLAY_STREAM_* */
};

typedef void (*replay_fn)(void *userdata, const struct replay_note *note);

struct replay_summary {
        nsec_t span;              /* from the first item to the last */
        uint64_t ticks, verdicts, changes, streams;
        uint64_t lost_events;     /* while it was recorded, and by damage since */
        uint64_t drives_refused;  /* beyond SNAPSHOT_DEVICES_MAX, or text that names none */
        struct model_counters model;
};

/* policies must outlive it; fn is told what happens as it does. NULL without memory. */
struct replay *replay_new(const struct policy *policies, size_t n_policies, replay_fn fn, void *userdata);
struct replay *replay_free(struct replay *r);

/* From now on single requests are passed over, as where no source tells them: only /proc says what processes do. */
void replay_set_proc_only(struct replay *r);

/* Which process is a stream is judged otherwise, for comparison. */
void replay_set_judge(struct replay *r, enum stream_judge judge);

void replay_take(struct replay *r, const struct recording_item *item);

/* At the end: tells the REPLAY_STREAM_SUMMARY. */
void replay_finish(struct replay *r);

void replay_summarize(const struct replay *r, struct replay_summary *ret);

/* For a drive of any replay. The first takes the settings of schedulers that are not active away, and adds those that the active one
 * begins with where none is known. The second puts what was set on c in this replay in the place of what was recorded. */
void replay_complete_settings(struct device_facts *f);
void replay_keep_ours(const struct controller_device *c, struct device_facts *f);
