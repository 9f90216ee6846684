/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of earlier starts: the last ones of each application. Bounded, allocates nothing; all zero at the start. */
#pragma once

#include "mention.h"
#include "startup.h"

#define STARTUP_APPLICATIONS_MAX 256 /* one more takes the place of that which has not been started for longest */
#define STARTUP_RECORDS_MAX 32       /* of one application, the newest */
#define STARTUP_TIMELINES_MAX 64     /* of all applications, the newest; not kept in files */
#define STARTUP_DEVICE_MAX 32
#define STARTUP_SENTENCE_MAX 416

struct startup_record {
        uint64_t time_usec; /* CLOCK_REALTIME at its begin */
        char device[STARTUP_DEVICE_MAX]; /* the first of those that it read from; "" where none is known */
        bool helped; /* it was read ahead for it */
        struct startup_view start;       /* of the drives, only the name is kept in files */
};

struct startup_application {
        char application[APPLICATION_MAX]; /* "": free */
        uint64_t starts; /* ever seen, beyond those kept */
        size_t n;
        struct startup_record records[STARTUP_RECORDS_MAX]; /* oldest first */
};

/* Of the start of that application that began then. */
struct startup_course {
        char application[APPLICATION_MAX]; /* "": free */
        uint64_t time_usec;
        struct startup_timeline timeline;
};

struct startup_history {
        uint64_t forgotten; /* applications that made room */
        size_t next_course;
        struct startup_course courses[STARTUP_TIMELINES_MAX];
        struct startup_application applications[STARTUP_APPLICATIONS_MAX];
};

/* Over the starts of one kind, cold or warm. All 0 where there are none. */
struct startup_figures {
        size_t n;
        nsec_t best, median, p95; /* nearest rank */
};

/* Adds a start, whose application has a name. */
void startup_history_add(struct startup_history *h, const struct startup_record *r);

/* Keeps what the processes of a start did over its time, in place of the one kept for longest. */
void startup_history_add_course(struct startup_history *h, const struct startup_record *r, const struct startup_timeline *timeline);

/* Of the starts of users whose processes that reader sees, the one that began then; time_usec 0: the newest that has a course. NULL: there is none. */
const struct startup_course *startup_history_find_course(const struct startup_history *h, const char *application, uint64_t time_usec, mention_sees_fn sees,
                                                         const void *reader, const struct startup_record **ret_record);

/* NULL: it is not known. */
const struct startup_application *startup_history_find(const struct startup_history *h, const char *application);

/* Of an application, the starts of those users whose processes that reader sees, as if there were no others. */
void startup_history_select(const struct startup_application *a, mention_sees_fn sees, const void *reader, struct startup_application *ret);

void startup_history_figures(const struct startup_application *a, bool cold, struct startup_figures *ret);

/* One start for a person: "gedit started in 4.2 s, cold: 12 MB read from sda, 61 % of the time waiting for the drive; ...", with mentions (mention.h). Returns buf.
 * a: NULL where its best is not to be told. */
char *startup_format_sentence(const struct startup_record *r, const struct startup_application *a, char *buf, size_t size);
