/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two things that are done about a start in a process of their own, which may wait for drives: to read ahead what it is known to read, and to take note
 * of what it did read. Neither looks into a file. */
#pragma once

#include "event.h"
#include "prefetch-account.h"
#include "prefetch-exec.h"
#include "prefetch-list.h"
#include "prefetch-place.h"

enum prefetch_outcome {
        PREFETCH_NONE,      /* nothing is known of it yet */
        PREFETCH_PLAYED,
        PREFETCH_CONTROL,   /* its turn to start without help */
        PREFETCH_OFF,       /* none is wanted */
        PREFETCH_WORTHLESS, /* it gains nothing */
        PREFETCH_SHORT,     /* of memory, or of what may be read ahead: a part at most was */
        PREFETCH_STOPPED,   /* by briod or its own time, before it was done */
        PREFETCH_FAILED,
        _PREFETCH_OUTCOME_MAX,
};

const char *prefetch_outcome_to_string(enum prefetch_outcome o);

/* Whether it is one of a start for which something was read ahead. */
bool prefetch_outcome_is_help(enum prefetch_outcome o);

struct prefetch_limits {
        uint64_t bytes;          /* most to be read ahead */
        uint64_t used;           /* of these already, by lists before this one */
        uint32_t memory_percent; /* of what memory is available, most, of all that read ahead at the time */
        uint32_t control_every;  /* each so many starts are without help; 0: none */
        nsec_t time;             /* after that the rest is left */
        struct prefetch_account *account; /* of all that read ahead; NULL: it is the only one */
        size_t play;                      /* its number there */
};

struct prefetch_result {
        enum prefetch_outcome outcome;
        uint32_t files, missing; /* missing: replaced, gone, or no longer where they may be read */
        uint32_t ranges;
        uint32_t dev;        /* the drive that most of what is wanted lies on; 0: nothing is */
        bool heads;          /* that one has some */
        uint64_t bytes;      /* that were asked for */
        uint64_t read_bytes; /* that were not in memory */
        uint16_t priority;   /* I/O priority that it was done with */
        struct prefetch_exec exec; /* of a start without help */
        nsec_t took, cpu; /* cpu: of the whole process that read ahead */
        struct prefetch_worth worth; /* of such starts so far */
};

/* What is known of reading ahead before anything is: as of one that was stopped at once. */
void prefetch_play_begin(const struct prefetch_list *l, const struct prefetch_places *p, struct prefetch_result *ret);

/* Reads ahead what the list wants. ret: as prefetch_play_begin() left it. */
void prefetch_play(const struct prefetch_list *l, const struct prefetch_places *p, const struct prefetch_limits *limits, struct prefetch_result *ret);

/* What is to be done about a start: PREFETCH_PLAYED: it is to be helped. */
enum prefetch_outcome prefetch_choose(const struct prefetch_list *l, const struct prefetch_limits *limits);

/* How a cold start went that has ended. */
struct prefetch_ended {
        enum prefetch_outcome outcome;
        uint32_t ms;
};

/* What is known with that start. seen: with paths and numbers as the kernel told them. Only regular files that every user may read are learnt, on the file
 * systems of p. Returns 0 or -errno. */
int prefetch_learn(const struct prefetch_list *old, const struct prefetch_list *seen, const struct prefetch_places *p, const struct prefetch_ended *ended,
                   struct prefetch_list **ret);
