/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the manager's files see each other: manager.c sequences, manager-setup.c begins and ends, manager-drives.c keeps the list
 * of drives, manager-attention.c says how closely to look, manager-actions.c carries out plans and requests, manager-probe.c says
 * how well the sources work, manager-mode.c keeps the mode, manager-outcomes.c what trials found, manager-recording.c begins recordings, manager-replay.c serves one. */
#pragma once

#include "manager.h"

/* event_sink_fn for the sources: to the model, and to the listeners. */
void manager_take_event(void *userdata, const struct event *e);

/* What wakes the tick: the timer, a burst of new processes, pressure. */
int manager_on_timer(sd_event_source *source, uint64_t usec, void *userdata);
nsec_t manager_next_tick(struct manager *m); /* how long until then, after a tick; takes of a budget */
void manager_on_burst(void *userdata);
void manager_on_sampled(void *userdata, int error);
void manager_on_looked(void *userdata, int error);
void manager_on_pressure(void *userdata);

void manager_on_presence(void *userdata);

/* A recording in the place of this machine (manager-replay.c). begin: before all else; -errno after having logged why. */
int manager_begin_replay(struct manager *m);
/* Hands on what is due, and looks and decides where that was done when it was recorded. */
void manager_replay(struct manager *m, nsec_t now);
/* What follows when all events up to now are in the model: look, decide, act, tell. */
void manager_look(struct manager *m, nsec_t now, enum hold hold);
/* Where originals and the history of starts are kept. Returns buf, or what the options or systemd say. */
const char *manager_state_dir(const struct options *o, char *buf, size_t size);

/* manager-startup.c: an event of a process that may start or have ended its start; process_starting_fn; the timer; what has ended. */
void manager_note_startup(struct manager *m, const struct event *e);
bool manager_process_starts(void *userdata, int32_t tgid);
/* What a user starts counts while the user has an active session, and sixty times a minute. */
bool manager_process_may_start(void *userdata, uint32_t uid, nsec_t now);
int manager_on_startup(sd_event_source *source, uint64_t usec, void *userdata);
void manager_take_startups(struct manager *m, nsec_t now);
/* The history: from dir, and back to it where it is due, or at once. Neither is worth ending for: what goes wrong is logged. */
void manager_load_startups(struct manager *m, const char *dir);
void manager_save_startups(struct manager *m, nsec_t now, bool at_once);

/* manager-prefetch.c: what starts is read ahead, and learnt of. Nothing in a replay. */
int manager_open_prefetch(struct manager *m);
void manager_prepare_prefetch(struct manager *m, const struct policy *p); /* there is a drive with that policy, or, where it is NULL, with none */
void manager_follow_prefetch(struct manager *m, nsec_t now);
bool manager_end_prefetch(struct manager *m, const struct startup_view *v);
/* No start of that application is helped any more. As manager_undo(). */
int manager_undo_start(struct manager *m, const struct decision *d, errand_done_fn done, void *userdata);

/* manager-actions.c: something was read ahead for the start of an application, or is not to be any more. No setting of a drive is counted. */
void manager_record_start(struct manager *m, const struct receipt *r, const char *application, const char *reason);

/* manager-programs.c: those that have a rule. */
void manager_load_programs(struct manager *m, policy_report_fn report);

/* manager-mode.c: the mode, as it was set before, or as the options say. keep: it changes, and is kept for the next start. */
void manager_load_mode(struct manager *m, const char *dir);
void manager_keep_mode(struct manager *m, enum mode mode);

/* manager-outcomes.c: what trials found, in the same way. In a replay there are none. */
void manager_load_outcomes(struct manager *m, const char *dir);
void manager_save_outcomes(struct manager *m, nsec_t now, bool at_once);

/* Written when no drive is busy, where that comes soon enough. */
bool manager_save_is_due(const struct manager *m, const struct state_file *f, nsec_t now, bool at_once);
/* r: what came of it. Returns true where that is worth a warning: once, not each minute. */
bool manager_take_saved(struct state_file *f, int r, nsec_t now, bool at_once);

/* drive_fn for devices_new() */
void manager_on_drive(void *userdata, enum drive_action action, const struct drive *drive);

/* At least level 1 for a while. */
void manager_raise_attention(struct manager *m, nsec_t now, const char *reason);

/* From what the drives' counters show: level 1 or none. */
void manager_choose_attention(struct manager *m, nsec_t now);

/* A drive that does more requests a second than this is not slow for any process, and recording each would make it slower: at ten times
 * that by a seventh. What is looked at may do twice as many, so that a load near the limit does not come and go. It is the limit of
 * all drives together that are told request by request. beside: what others of them do. */
#define WATCH_IOPS_MAX 20000
bool manager_affords_watch(const struct device_view *v, uint64_t beside, bool is_watched);

/* What the other drives do a second that are told request by request, but for those that do more than this one: the fastest have to
 * make room. */
uint64_t manager_told_beside(const struct manager *m, const struct manager_drive *d);

/* Whether such a verdict is reason enough to look at the drive's single requests. */
bool manager_verdict_wants_requests(enum verdict_kind k);

/* The same of a process on a drive: it may play, beside what is written or steps back there. d: the drive, or NULL. */
bool manager_pace_wants_requests(const struct process_view *p, const struct controller_device *d);

/* From what the detectors found: the drives whose single requests are looked at. */
void manager_choose_watched(struct manager *m, nsec_t now);
/* Level 2 while one of them is watched. */
void manager_show_watched(struct manager *m);
void manager_end_watch(struct manager *m, struct manager_drive *d, nsec_t now);

/* Carries out m->plan: processes at once, of the drives what their workers get to; what comes of that is committed, decided, logged, told. */
void manager_perform(struct manager *m, nsec_t now);

/* manager-errands.c: the workers, and what takes until they have answered. */
int manager_open_workers(struct manager *m);
struct errand *manager_new_errand(struct manager *m, errand_done_fn done, void *userdata); /* NULL: ERRANDS_MAX */
void manager_await(struct manager *m, struct errand *e); /* ends it where there is nothing to wait for */
void manager_follow_errands(struct manager *m);
void manager_end_looks(struct manager *m); /* errands that want a look, which there was */
void manager_end_errands(struct manager *m, bool modes_alone); /* those of an earlier mode; all: briod ends */

/* For it, manager-actions.c: what workers tell. */
void manager_take_receipt(struct manager *m, const struct receipt *r, const char *reason);
void manager_take_recovered(struct manager *m, const char *name, const struct receipt *r, const char *reason);
/* What came of what was planned for a caller. Returns 0 or -errno. */
int manager_judge(const struct manager *m, const struct errand *e);
/* manager-mode.c: as if briod began anew. */
void manager_start_afresh(struct manager *m);
/* manager-drives.c: a drive's settings, as they are. */
void manager_take_settings(struct manager *m, struct manager_drive *d, const struct sysfs_settings *s);

/* Takes note of what another program did to processes that step back. */
void manager_follow_processes(struct manager *m, nsec_t now);

/* Has the drive's settings read anew, after udev's "change". A scheduler that another program switched to, where the policy would have chosen, is
 * theirs from then on. */
void manager_refresh_drive(struct manager *m, struct manager_drive *d);

/* Each tick: has the workers look whether another program wrote what is ours, and read anew the settings that may have been made while
 * they were not: the kernel sends no event for them, and they are what a law starts from. */
void manager_follow_settings(struct manager *m, nsec_t now);

/* Takes note of one tunable that is no longer ours to set. */
void manager_take_loss(struct manager *m, const struct receipt *r);

/* Announces the properties of drives that changed since they were last announced. */
void manager_publish(struct manager *m);

enum put_back {
        PUT_BACK_QUIETLY = 0,          /* a scheduler waits until its drive is quiet */
        PUT_BACK_AT_ONCE = 1 << 0,     /* it does not: there is no later, or nothing is under way on the drive */
        PUT_BACK_LEAVE_ALONE = 1 << 1, /* and the drive is left alone until the mode is set */
};

/* Puts back all that is ours, on one drive (dev) or all (0), for that errand. reason is literal. */
void manager_put_back_for(struct manager *m, struct errand *e, uint32_t dev, enum put_back how, const char *reason);

/* The end: priorities first, then all drives, each as long as it answers. */
void manager_put_all_back(struct manager *m);
/* Says what could not be put back. */
void manager_report_left(struct manager *m);

/* Which drives are quiet, as of now: the snapshot's is of the last tick. */
void manager_view_drives(struct manager *m, nsec_t now);
