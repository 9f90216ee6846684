/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bfq's own verdicts, out of the messages that it gives the kernel's block tracer (block/bfq-iosched.c: bfq_log_bfqq()). bfq says at
 * each dispatch of a queue that it has raised, how long that has been so and by what factor. It does not say when it ends: then
 * a dispatch comes without those words.
 *
 * The words are no interface of the kernel's, and may change: what is not known is passed over. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "units.h"

/* The factors by which bfq raises a queue's weight: 30, and a hundred times that for what it takes for soft real-time. */
#define BFQ_COEFFICIENT_INTERACTIVE 30
#define BFQ_COEFFICIENT_SOFT_RT 3000

enum bfq_log_kind {
        BFQ_LOG_OTHER,      /* nothing that we need */
        BFQ_LOG_IN_SERVICE, /* the queue has its turn */
        BFQ_LOG_SERVED,     /* one of its requests is dispatched, in its turn or in another's */
        BFQ_LOG_RAISED,     /* and in its turn, and its weight is raised */
        BFQ_LOG_EXPIRED,    /* its turn is over */
        BFQ_LOG_LOST,       /* the kernel had no room for what was here */
        _BFQ_LOG_KIND_MAX,
};

/* A queue is that of a thread, and of the requests that are waited for (sync) or not. */
struct bfq_queue {
        uint32_t dev;
        int32_t tid; /* of the one that began it; 0: several share it, and bfq does not say which */
        bool sync;
};

struct bfq_log_message {
        enum bfq_log_kind kind;
        nsec_t t; /* CLOCK_MONOTONIC */
        struct bfq_queue queue; /* not of BFQ_LOG_OTHER and BFQ_LOG_LOST */
        uint32_t coefficient;   /* BFQ_LOG_RAISED: these three */
        uint32_t raised_ms;     /* since it was raised, or that was prolonged */
        uint32_t period_ms;     /* for so long */
};

/* The text of one message, as blktrace has it: without terminator. ret->t and ret->queue.dev are left alone. */
void bfq_log_parse_text(const char *text, size_t size, struct bfq_log_message *ret);

/* One line of trace_pipe while the "blk" tracer is on, without its end; t is as the trace's clock has it. */
void bfq_log_parse_line(const char *line, size_t size, struct bfq_log_message *ret);

/* Queues that are known at a time; the one that was quiet longest makes room, which is counted. */
#define BFQ_QUEUES_MAX 256
/* Drives whose turn is followed. */
#define BFQ_DRIVES_MAX 16

struct bfq_verdict {
        struct bfq_queue queue;
        uint32_t coefficient; /* 1: raised no more */
        nsec_t since;         /* it has that */
        nsec_t seen;          /* the last dispatch in its turn */
};

struct bfq_turn {
        uint32_t dev; /* 0: none */
        bool known;   /* whose turn it is */
        struct bfq_queue queue;
        bool open;    /* it was served, and no word of raising has come yet */
        nsec_t served;
};

struct bfq_verdicts {
        size_t n;
        struct bfq_verdict verdicts[BFQ_QUEUES_MAX];
        struct bfq_turn turns[BFQ_DRIVES_MAX];
        uint64_t evicted, lost; /* lost: times that messages were */
};

/* Messages of a drive come in order of time. Returns the verdict where this message changed one (a queue is raised, by another
 * factor, or no more), or NULL. It lies in v. */
const struct bfq_verdict *bfq_verdicts_feed(struct bfq_verdicts *v, const struct bfq_log_message *m);
