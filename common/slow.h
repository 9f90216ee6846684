/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which starts are worth a notification, how seldom, and what it says, translated. No clock; nothing here allocates. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "units.h"

/* Of the same kind, cold or warm, the one that is judged among them: with fewer there is nothing usual yet. */
#define SLOW_KNOWN_MIN 5
/* "Much longer": times what is usual. */
#define SLOW_FACTOR 2
/* And by so much that a person that waits loses the thread: the second limit of Nielsen, Usability Engineering (1993), 5.5. */
#define SLOW_EXCESS_US ((int64_t) USEC_PER_SEC)
/* Between two notifications, and between two of the same application. */
#define SLOW_PAUSE_US (600 * (int64_t) USEC_PER_SEC)
#define SLOW_APPLICATION_PAUSE_US (6 * 3600 * (int64_t) USEC_PER_SEC)

#define SLOW_APPLICATIONS_MAX 64 /* that are remembered; the oldest makes room */
#define SLOW_APPLICATION_SIZE 64
#define SLOW_TITLE_MAX 256
#define SLOW_BODY_MAX 512

/* As the bus tells a start; what is not told is 0 or "". */
struct slow_start {
        bool launched;                    /* else it is a command of a terminal */
        int64_t known;                    /* starts of its kind (cold or warm), this one among them */
        int64_t latency_us, waited_us;    /* how long it took, and of that waited for drives */
        int64_t median_us, p95_us;        /* over its kind */
        const char *drive;                /* "": not known */
        const char *culprit;              /* the process that had most of the drive meanwhile; NULL: not known */
        unsigned culprit_permille;
};

/* Whether the user that started it from a launcher waited much longer than usual, because of other programs: by the daemon's own figures. It took
 * at least twice the median of its kind and a second more, at least what 95 of 100 of them do not exceed, at least half of what it took
 * over the median it waited for the drive, and it is known which program had the drive. */
bool slow_is_worth_telling(const struct slow_start *s);

/* All zero at the start. */
struct slow_limit {
        struct {
                char application[SLOW_APPLICATION_SIZE];
                int64_t told_us;
        } known[SLOW_APPLICATIONS_MAX];
        size_t n, next;
        int64_t last_us;
};

/* Whether there may be a notification about this application now (a monotonic time); if so, there was one now. */
bool slow_limit_take(struct slow_limit *l, const char *application, int64_t now_us);

/* "Firefox took 4.72 s to start"; name is the application's. Returns buf. */
char *slow_format_title(const struct slow_start *s, const char *name, char *buf, size_t size);
/* What is usual, and which program had the drive. Returns buf. */
char *slow_format_body(const struct slow_start *s, char *buf, size_t size);
