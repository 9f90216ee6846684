/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The learned start: what an application read while it started is read ahead when it starts again. This file follows starts from their exec to their end and
 * has child processes do what may wait for a drive (child-task.h): prefetch-play.h. docs/prefetch.md has the account. */
#pragma once

#include <systemd/sd-event.h>

#include "detector.h"
#include "prefetch-ask.h"
#include "prefetch-play.h"
#include "prefetch-place.h"
#include "source.h"
#include "startup.h"

struct prefetch;

struct prefetch_counters {
        uint64_t played, controls, learnt, bytes; /* bytes: that were read ahead and were not in memory */
        uint64_t failed, refused; /* refused: for want of room, or of the user's budget */
};

/* Something was read ahead. result: also where it was stopped, which says nothing of how much it was then. */
struct prefetch_told {
        struct subject subject;      /* the start's first process */
        const char *application; /* borrowed for the call */
        const struct prefetch_result *result;
};
typedef void (*prefetch_told_fn)(void *userdata, const struct prefetch_told *told);

/* sink is told of the process that reads ahead as of one of the start: what it reads, that reads. told: with sink's userdata. Returns 0 or -errno. */
int prefetch_new(sd_event *event, struct event_sink sink, prefetch_told_fn told, const char *state_dir, struct prefetch **ret);
struct prefetch *prefetch_free(struct prefetch *p);

/* Starts will come: what tells of their pages is loaded, a tenth of a second that the first of them would not be told of. */
void prefetch_prepare(struct prefetch *p);

/* A start is under way: called for each, often. places (borrowed): where its files may be, asked for while there are none, and
 * where it has become another application's or user's. */
typedef void (*prefetch_places_fn)(void *userdata, const struct startup_view *v, struct prefetch_places *ret, struct prefetch_limits *ret_limits);
void prefetch_follow(struct prefetch *p, nsec_t now, const struct startup_view *v, prefetch_places_fn places, void *userdata);

/* It has ended. Returns what was done about it. */
enum prefetch_outcome prefetch_end(struct prefetch *p, const struct startup_view *v);

/* Takes what the kernel told, and forgets starts that are not followed any more. */
void prefetch_look(struct prefetch *p, nsec_t now);

/* Whatever is read ahead now is read ahead no longer. */
void prefetch_stop(struct prefetch *p);

/* As prefetch_ask(). */
int prefetch_question(struct prefetch *p, const struct prefetch_question *q, prefetch_answer_fn fn, void *userdata);

/* What all that read ahead share, as long as p is there. */
struct prefetch_account *prefetch_get_account(const struct prefetch *p);

void prefetch_get_counters(const struct prefetch *p, struct prefetch_counters *ret);
void prefetch_probe(struct prefetch *p, struct source_info *ret);
