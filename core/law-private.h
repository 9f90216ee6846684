/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the laws share. Private to core/. */
#pragma once

#include "law.h"
#include "statement.h"

/* The first verdict of that kind on the drive, or NULL. */
const struct verdict *law_find_verdict(const struct law_input *l, enum verdict_kind kind);

/* The drive makes it wait for so long that it hardly pauses, and so it is none; yet it keeps its own rate. */
bool law_starves(const struct stream_view *s);

/* One that lacks nothing but time, and has kept it up for a while, or that shows its clock; and where a stream was guarded a moment ago,
 * one that has only begun: films and songs follow each other, and what is between them is longer than the time for which a setting is held. */
bool law_is_nearly_stream(const struct law_input *l, const struct stream_view *s);

/* A stream of that drive that bfq serves first, or is about to (law-stream-first.c); NULL: there is none, or none may. */
const struct stream_view *law_stream_first(const struct law_input *l);

/* Whether the process is what law stream-guard lets go first there, but for a start: then it makes no room, either. */
bool law_stream_guard_knows(const struct controller *c, const struct controller_device *d, const struct controller_input *in, const struct process_view *process);

/* The wishes that bfq waits for a shorter time for the next request, and that what was bound before for the stream's sake comes back at
 * once; with the law, hold and the beginning of the sentence of `because`. Returns the number of wishes. */
size_t law_stream_first_settings(const struct law_input *l, const struct law_wish *because, struct law_wish *ret);

/* Appends what is written beside the streams, or read where that counts, too. False where that is not much. */
bool law_say_beside(const struct law_input *l, bool also_reads, char *buf, size_t size);

/* The value that stood before Brio came. Returns false where the tunable is not there or is no number. */
bool law_original(const struct controller_device *d, enum tunable_id id, int64_t *ret);

/* What is written on a drive, over its last seconds. */
struct write_load {
        uint64_t bytes_per_s;
        uint64_t read_bytes_per_s; /* meanwhile */
        uint32_t service_us; /* the drive's time for a request, of seconds in which more was written than read; 0: there were none */
};
/* view may be NULL: nothing is. */
struct write_load law_write_load(const struct device_view *view);

/* How what is written is to be bounded. because: a clause that the sentence begins with. */
struct write_bound {
        enum law_id law;
        uint32_t longest_wait_us;   /* for what the drive has taken before */
        uint32_t hold_us;           /* the wishes' */
        const char *because;
};

/* The wish for that, where the drive's queue may have more than law_write_requests(): one request in the drive at a time under bfq, half as many writes as that
 * under mq-deadline. Returns the number of wishes. */
size_t law_bound_writes(const struct law_input *l, const struct write_bound *b, struct law_wish *ret);

/* Whether bfq can be told to have one request in the drive at a time: strict_guarantees is there, no other program's, and within the policy's limits; and no
 * process of the idle class uses the drive. */
bool law_can_serve_one_at_a_time(const struct controller_device *d);

/* The wish for that: the shortest wait that there is, set without a stop; but a disk that gets its next write only when it has done the last misses a turn
 * between neighbours. Of b, its law, hold_us and because; the sentence is to be ended by the law that wants it. */
void law_one_at_a_time(const struct write_bound *b, struct law_wish *ret);

/* Wishes that what the law has set there comes back at once. Returns the number of wishes. */
size_t law_give_back(const struct law_input *l, enum law_id law, const char *because, struct law_wish *ret);

/* What bounds the wait for the next request of the process in turn; _TUNABLE_INVALID where the scheduler has no such wait. */
enum tunable_id law_idle_tunable(const struct device_facts *f);

/* Whether bfq and cfq wait there for the next request of each reader in turn: not on a solid-state drive that queues commands. */
bool law_waits_for_readers(const struct device_facts *f);

/* Whether what that law has set stands there. */
bool law_holds(const struct controller_device *d, enum tunable_id id, enum law_id law);

/* Whether it does, or, where it only advises, its advice does. */
bool law_stands(const struct controller_device *d, enum tunable_id id, enum law_id law);

/* The same variable of the kernel, in this unit or another. */
bool law_same_variable(enum tunable_id a, enum tunable_id b);

/* Why the drive may be given to what moves much: a phrase; NULL where a user may wait. */
const char *law_nobody_waits(const struct law_input *l);
