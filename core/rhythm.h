/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a process asks for its data in a rhythm of its own, as what plays, records or calls does: Brio's own verdict beside the
 * kernel's (soft-rt.h), which one slow second of a greedy process can pass.
 *
 * A batch begins with a request after a pause in which it neither asked for anything nor got anything: so it was time for it, and
 * not the end of the one before, that made it ask. From the beginning of one batch to that of the next is a period. What counts is
 * when it asks, not when it is served: a period in which it waited for the drive, and would have been as long as the others had it
 * not waited, says nothing, and is left out. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "units.h"

#define RHYTHM_PAUSE_NS (8 * NSEC_PER_MSEC) /* bfq's slice_idle: a process that asks sooner than that is taken to go on */
/* A stream above bfq's limit may have shorter pauses: of RHYTHM_SHORT_PAUSE_NS. They are looked for once a batch has gone on for RHYTHM_SHORT_PAUSES_NS and
 * the process waited for the drive in half of it at most. A process that fills a buffer as fast as it can rests less. */
#define RHYTHM_SHORT_PAUSE_NS (2 * NSEC_PER_MSEC)
#define RHYTHM_SHORT_PAUSES_NS (500 * NSEC_PER_MSEC)
#define RHYTHM_PERIODS 16                   /* that are remembered */

/* With periods of seconds, a few milliseconds do not end a batch. A rest shorter than this part of the mean period, and than RHYTHM_PAUSE_MAX_NS, is no pause. */
#define RHYTHM_PAUSE_PART 32
#define RHYTHM_PAUSE_MAX_NS (250 * NSEC_PER_MSEC)

/* Thresholds are chosen on the training part of the corpus (docs/accuracy.md).
 *
 * Fewer periods say nothing; what plays sound needs ten seconds for so many. */
#define RHYTHM_PERIODS_MIN 5
/* One less is enough where they span so much, and each of them is regular: sound of 24 kB/s is read every seven seconds. */
#define RHYTHM_LONG_SPAN_NS (15 * NSEC_PER_SEC)
/* It has to keep it up for so long, or what is remembered has to span so much: a slow second of a greedy process is no stream. */
#define RHYTHM_STEADY_NS (3 * NSEC_PER_SEC)
#define RHYTHM_SPAN_NS (6 * NSEC_PER_SEC)
/* A stream that was held up catches up in a few short periods: if so lately, drifting for less than that begins nothing anew. */
#define RHYTHM_HELD_UP_NS (2 * NSEC_PER_SEC)
#define RHYTHM_SLIP_NS (500 * NSEC_PER_MSEC)
/* A fast stream with short periods is remembered for less than this. A busy CPU may wake it late in half of them, so it is let off likewise. */
#define RHYTHM_BRIEF_NS NSEC_PER_SEC
/* A period is regular within a quarter of the median of all; or, since a player that reads ahead skips a turn now and then, near a multiple of it or
 * of its half: within 15 % of that, or 6 ms, in which a busy CPU wakes a process. Of random (exponential) pauses a third are so. */
#define RHYTHM_NEAR_PERMILLE 250
#define RHYTHM_BEAT_PERMILLE 150
#define RHYTHM_BEAT_NS (6 * NSEC_PER_MSEC)
#define RHYTHM_BEATS 2
#define RHYTHM_BEAT_MIN_NS (20 * NSEC_PER_MSEC) /* nearer to each other, beats are everywhere */
/* The part of the periods that are regular, to become a stream and to stay one. */
#define RHYTHM_REGULAR_PERMILLE 700
#define RHYTHM_REGULAR_STAYS_PERMILLE 500
/* To become one, so many of its last periods are not left out. A greedy process waits in each, so that only its shortest periods would count, which are alike. */
#define RHYTHM_TOLD_PERMILLE 500
/* Four periods at a time, the longest of these against the shortest: what is driven by a clock does not drift. */
#define RHYTHM_GROUP 4
#define RHYTHM_DRIFT_PERMILLE 2200
/* A process that asks so long after each answer has no clock, however even that pause is: its period is as long as the answer takes. Periods off the median
 * (by as much as RHYTHM_NEAR_PERMILLE, and RHYTHM_BEAT_NS) tell it: the pause in them was as ever, and no more was asked for. A process with a clock
 * pauses the shorter for what it waited; where it waited too long for that, it asks for the more. So many such, and the part of them that only followed
 * the answer, for being none, and for being one no longer. */
#define RHYTHM_UNEVEN_MIN 3
#define RHYTHM_UNEVEN_STAYS_MIN 8
#define RHYTHM_FOLLOWS_PERMILLE 600
#define RHYTHM_FOLLOWS_STAYS_PERMILLE 750
/* A process that waits so much that it hardly pauses keeps its rate, if it has one, in so many of its uneven periods. What takes as much as it gets has more in
 * those in which it is answered sooner. */
#define RHYTHM_STARVES_PERMILLE 500
/* What a network paces does not catch up: after a wait of RHYTHM_LATE_PERIODS it moves less than RHYTHM_MADE_UP_PERMILLE of what it missed. A network's buffer may
 * hold what comes in fewer periods. After RHYTHM_LATE_STAYS_MIN such waits a stream is one no longer. */
#define RHYTHM_MADE_UP_PERMILLE 750
#define RHYTHM_LATE_PERIODS 3
#define RHYTHM_LATE_STAYS_MIN 4
/* The other way round, periods that stay as they are while the answers take longer and shorter show a clock, however little pause that leaves: beside what is
 * written a player may wait for nine tenths of its time. Of so many periods: how far the answers are off their median, at the median, is so much at least, and
 * of the periods a third of that at most. A process that asks so long after each answer has both alike; of random pauses it may be less than half. */
#define RHYTHM_CLOCK_PERIODS_MIN 8
#define RHYTHM_CLOCK_ANSWERS_NS (6 * NSEC_PER_MSEC)
#define RHYTHM_CLOCK_PERMILLE 333
/* A program that sleeps for 10 ms at a time until it is due asks up to so much too late, or for half of a short period, but adds none of that up: each of its
 * batches begins where its mean rate puts it. Of pauses at random the errors add up. */
#define RHYTHM_PUNCTUAL_NS (10500 * NSEC_PER_USEC)
/* The mean rate: of a picture of 4K as it comes from a camera at most, a quarter more to stay; and at least speech of 64 kbit/s. */
#define RHYTHM_RATE_MAX UINT64_C(40000000)
#define RHYTHM_RATE_STAYS (RHYTHM_RATE_MAX + RHYTHM_RATE_MAX / 4)
#define RHYTHM_RATE_MIN 8000
/* The part of its time in which it waits for nothing: the rest of a greedy process is short, even where the CPU is slow to wake it. */
#define RHYTHM_PAUSE_PERMILLE 200
/* It may also wait with nothing of its own under way, for a file system's journal. How it is seen four times a second tells: so roughly, and on a busy drive
 * so seldom where a process rests little, that it is enough to have rested as long at some time within so long. It is asked once it has been seen for so long. */
#define RHYTHM_RESTED_NS (5 * NSEC_PER_SEC)
#define RHYTHM_LOOKED_NS (2 * NSEC_PER_SEC)
/* The part of its time in which it computes, or would if it had a CPU, to become a stream and to stay one: what plays sleeps until it is time, what
 * compresses sleeps for nothing but the drive, however evenly it reads. A player on a busy machine waits for a CPU for half of its time. */
#define RHYTHM_COMPUTES_PERMILLE 750
#define RHYTHM_COMPUTES_STAYS_PERMILLE 900
/* Too fast lately: bfq's rule would have it wait that much longer, or four periods. Above bfq's limit (soft-rt.h) that rule says nothing. */
#define RHYTHM_EARLY_RATE_MAX (7000 * SECTOR_BYTES)
#define RHYTHM_EARLY_NS NSEC_PER_SEC
#define RHYTHM_EARLY_PERIODS 4
/* Out of step for so long, a stream is given up: with short periods, what is remembered is less than a second. Not so one that is too fast. */
#define RHYTHM_GIVE_UP_NS (2 * NSEC_PER_SEC)
/* A stream that neither asks nor waits for so long, or for four periods, has ended. */
#define RHYTHM_SILENCE_NS (2 * NSEC_PER_SEC)
#define RHYTHM_SILENCE_PERIODS 4
#define RHYTHM_PERIOD_MAX_NS (20 * NSEC_PER_SEC) /* 160 kbit/s, read 384 KiB at a time; longer is no rhythm that can be watched */
/* What a stream may fetch at once after a stall, or after a jump to another place in the film, beside one and a half of its batches: so
 * much, or what it moves in so many seconds, for which a drive may keep a request. More is greed. */
#define RHYTHM_CATCH_UP_BYTES (8u << 20)
#define RHYTHM_CATCH_UP_S 2u
/* A rate above bfq's limit is at most so many times that of the typical period. */
#define RHYTHM_TYPICAL_FACTOR 4

enum rhythm_flaw {
        RHYTHM_FITS,
        RHYTHM_TOO_FEW,    /* periods */
        RHYTHM_TOO_FAST,   /* bytes a second */
        RHYTHM_TOO_SLOW,
        RHYTHM_COMPUTES,   /* permille of its time */
        RHYTHM_NO_PAUSE,   /* permille of its time */
        RHYTHM_SEEKY,      /* seeks of its last 32 requests */
        RHYTHM_FOLLOWS,    /* permille of its uneven periods */
        RHYTHM_IRREGULAR,  /* permille of its periods */
        RHYTHM_DRIFTS,     /* permille */
        RHYTHM_FAST_LATELY,/* us too early */
        RHYTHM_STARVES,    /* permille of its time that it pauses: the drive makes it wait for the rest, and it keeps its rate nevertheless */
        RHYTHM_TOO_SHORT,  /* us that all this has held */
        _RHYTHM_FLAW_MAX,
};

const char *rhythm_flaw_to_string(enum rhythm_flaw f); /* "regularity"; "" for RHYTHM_FITS */
const char *rhythm_flaw_unit(enum rhythm_flaw f);      /* "permille"; "" for a count */

/* What the figures are, over the remembered periods. */
struct rhythm_figures {
        uint32_t batches;             /* that have begun since it is looked at */
        uint32_t periods;             /* of them, that the figures are over */
        uint64_t bytes_per_s;
        uint32_t period_us;           /* median; so are the next two */
        uint32_t pause_us;
        uint32_t batch_bytes;
        uint32_t regularity_permille, pause_permille;
        uint32_t drift_permille;      /* 1000: none */
        bool clocked;                 /* it keeps its time whatever the answers take; a stream need not show that: they may all take as long */
        bool punctual;                /* it is where its mean rate puts it at the beginning of each, so that each is regular */
        enum rhythm_flaw flaw;        /* the first condition that fails, to become a stream, or to stay one */
        int64_t value, limit;         /* of that condition */
};

struct rhythm {
        nsec_t first;              /* batch; 0: none yet */
        nsec_t begun;              /* the running batch; 0: none yet */
        nsec_t last_ask, last_done;
        uint64_t bytes;            /* of the running batch */
        uint32_t inflight;         /* requests asked for and not done */
        nsec_t waits_since, waited; /* with something under way, in the running period */
        nsec_t waited_elsewhere;   /* of that, with nothing of its own under way */
        nsec_t seen_waiting;       /* last, by its state; 0: never */
        bool doubtful;             /* something of the running period was lost */
        bool short_pauses;         /* RHYTHM_SHORT_PAUSE_NS is a pause of its */
        uint32_t batches, excused;
        nsec_t held_up;            /* the last period ended that is left out: too long only because it waited, or some of it lost; 0: none */
        uint8_t n, at;             /* of the ring: in it; where the next one goes */
        struct rhythm_period {
                uint32_t us, pause_us;
                uint64_t bytes;
                uint32_t skipped_us, skipped_bytes; /* of those just before it that are left out */
        } periods[RHYTHM_PERIODS], ended; /* ended: with the running batch's beginning; us 0: none did */
        uint64_t late_us, late_bytes; /* since it waited for long last, and did not rest as ever yet; 0: it did not */
        bool ended_left_out;       /* that one is not in the ring */
        uint32_t skipped_us, skipped_bytes; /* left out since the last one that is in the ring; UINT32_MAX: not known */
        struct rhythm_bits {
                uint8_t n;         /* periods in bits, at most all of these */
                uint16_t bits;     /* the newest in the lowest */
        } left_out,                /* of all periods: whether it is left out since it only waited */
          followed,                /* of uneven periods: whether it was uneven for the answer's sake alone */
          kept,                    /* of the same: whether it asked for as much more or less as it was longer or shorter */
          lost;                    /* of those in which it waited for RHYTHM_LATE_PERIODS: whether that was not made up for */
        nsec_t rested;             /* was last seen to, for RHYTHM_PAUSE_PERMILLE of its time; 0: never */
        nsec_t fits_since;         /* everything but how long has held since, but for slips; 0: it does not */
        nsec_t confirmed;          /* a stream since; 0: it is none */
        nsec_t unfit_since;        /* out of step since; 0: it is not */
        struct rhythm_figures figures; /* as of the last period */
};

/* What else is known of it at the beginning of a batch. */
struct rhythm_traits {
        int64_t margin_ns;   /* how long after bfq's next_start it comes; below 0: how much too early */
        bool totally_seeky;
        uint32_t computes_permille, busy_permille; /* by the state in which it is seen: computing, of the time in which it waits for nothing; both. 0 also
                                                    * where it is not looked at */
};

/* It asks for so many bytes at t; whether a batch begins with it. Such a batch is judged by rhythm_judge() then. */
bool rhythm_ask(struct rhythm *r, nsec_t t, uint32_t bytes);
/* It got what it asked for; lost: it is not known whether it did. */
void rhythm_done(struct rhythm *r, nsec_t t, bool lost);
/* It was seen to wait without interruption, at t and for so long before: with nothing of its own under way that is for what others have to
 * do first, as a file system's journal. */
void rhythm_wait(struct rhythm *r, nsec_t t, nsec_t span);
/* After the beginning of a batch: whether it is a stream, into r->figures and r->confirmed. */
void rhythm_judge(struct rhythm *r, nsec_t t, const struct rhythm_traits *traits);

/* What has come to an end by now: a stream that is silent, or that takes as much as it can. Call it now and then. */
void rhythm_follow(struct rhythm *r, nsec_t now);
