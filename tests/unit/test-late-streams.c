/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Players and recorders on a drive that is busy with what others write: their answers come late, and none of them is bulk for that. */
#include "detection.h"
#include "macro.h"
#include "model.h"
#include "test.h"

#define KB UINT64_C(1000)
#define MB UINT64_C(1000000)
#define DRIVE 1
#define PROGRAM 10
#define SECTOR SECTOR_BYTES
#define LOOK (SEC / 4)

/* How the drive answers: at random within these, but for a longer time each ten seconds (0: never). What others do on it meanwhile. The first so many bytes are
 * there in 5 ms. For five seconds, from the fifth on, each answer takes so long (0: as ever). */
struct answers {
        unsigned least_ms, most_ms, stall_ms;
        uint64_t written_per_s, read_per_s, near_bytes;
        unsigned held_up_ms;
};

/* Plays or records so much; asks for a piece at a time, as soon as its buffer lacks a burst, until that is full. What came too late it skips, where it keeps its
 * clock; else it stops for it. */
struct program {
        uint64_t bytes_per_s, piece, burst, store;
        bool keeps_clock;
};

struct run {
        struct model *m;
        uint64_t random;
        nsec_t answered; /* when what is under way will be; 0: nothing is */
        uint64_t sector, under_way;
        uint64_t counted, moved; /* by the drive for it, up to the last look and by now */
        unsigned bulk;           /* looks at which it was named so */
        nsec_t first, last;      /* looks at which law stream-guard would have it go first as one that keeps its own pace; 0: none */
};

static void feed(struct run *r, nsec_t t, enum event_kind kind, enum request_op op, uint64_t sector, uint64_t bytes) {
        struct event e = { .t = t, .kind = (uint16_t) kind, .dev = DRIVE, .tgid = kind == EVENT_REQUEST_QUEUE ? PROGRAM : 0 };

        e.request = (struct event_request){ .sector = sector, .sectors = (uint32_t) (bytes / SECTOR), .op = (uint8_t) op };
        model_feed(r->m, &e);
}

static nsec_t answer_time(struct run *r, const struct answers *a, nsec_t t) {
        unsigned ms = a->least_ms + (unsigned) (test_random(&r->random) % (a->most_ms - a->least_ms + 1));

        if (r->moved < a->near_bytes)
                return t + 5 * MSEC;
        if (a->held_up_ms && t >= 15 * SEC && t < 20 * SEC)
                return t + a->held_up_ms * MSEC;
        return t + (a->stall_ms && t / MSEC % 10000 < 50 ? a->stall_ms : ms) * MSEC;
}

static void tell_drive(struct run *r, const struct answers *a, nsec_t t, uint64_t read, uint64_t written) {
        struct event stat = { .t = t, .kind = EVENT_DEVICE_STAT, .dev = DRIVE };

        stat.device_stat = (struct event_device_stat){ .span_us = LOOK / NSEC_PER_USEC, .reads = 40, .read_ms = 100, .writes = 100, .busy_ms = LOOK / MSEC,
                                                       .read_sectors = (uint32_t) ((read + a->read_per_s / 4) / SECTOR),
                                                       .write_sectors = (uint32_t) ((written + a->written_per_s / 4) / SECTOR) };
        model_feed(r->m, &stat);
}

static bool keeps_its_pace(void) {
        const struct process_view *p = snapshot_find_process(&snapshot, PROGRAM, 7);

        return p && p->paced && snapshot.n_streams == 1 && snapshot.streams[0].tgid == PROGRAM && snapshot.streams[0].dev == DRIVE;
}

/* What the counters say each quarter of a second: of the process what it read and dirtied, and whether it waits. */
static void look(struct run *r, const struct answers *a, nsec_t t, uint64_t read, uint64_t dirtied) {
        struct event io = { .t = t, .kind = EVENT_PROCESS_IO, .dev = DRIVE, .tgid = PROGRAM, .flags = r->answered ? EVENT_WAITING : 0 };

        tell_drive(r, a, t, read, r->moved - r->counted - read);
        r->counted = r->moved;
        io.process_io = (struct event_process_io){ .start_ticks = 7, .span_us = LOOK / NSEC_PER_USEC, .read_bytes = (uint32_t) read, .write_bytes = (uint32_t) dirtied };
        model_feed(r->m, &io);
        model_snapshot(r->m, t, &snapshot);
        r->bulk += find_about(VERDICT_BULK, PROGRAM) != NULL;
        if (keeps_its_pace()) {
                r->first = r->first ? r->first : t;
                r->last = t;
        }
}

static void begin(struct run *r, const struct answers *a, bool told, uint64_t seed) {
        struct event watch = { .t = 9 * SEC, .kind = EVENT_WATCH, .dev = DRIVE, .watch = { .on = true } };

        *r = (struct run){ .m = model_new(), .random = seed, .sector = 1000 };
        detectors = (struct detectors){ 0 };
        tell_drive(r, a, 9 * SEC, 0, 0);
        if (told)
                model_feed(r->m, &watch);
}

/* For a minute. */
static struct run watch(const struct program *p, const struct answers *a, bool told, uint64_t seed) {
        uint64_t got = 0, due = 0, played = 0, seen = 0;
        bool fills = true;
        struct run r;

        begin(&r, a, told, seed);
        for (nsec_t t = 10 * SEC; t < 70 * SEC; t += MSEC) {
                if (r.answered && t >= r.answered) {
                        if (told)
                                feed(&r, t, EVENT_REQUEST_COMPLETE, REQUEST_READ, r.sector, p->piece);
                        r.sector += p->piece / SECTOR;
                        got += p->piece;
                        r.moved += p->piece;
                        r.answered = 0;
                }
                due = (p->keeps_clock ? due : played) + p->bytes_per_s / 1000;
                played = MIN(due, got);
                fills = got - played < (fills ? p->store : p->store - p->burst + 1);
                if (!r.answered && fills) {
                        if (told)
                                feed(&r, t, EVENT_REQUEST_QUEUE, REQUEST_READ, r.sector, p->piece);
                        r.answered = answer_time(&r, a, t);
                }
                if ((t - 10 * SEC) % LOOK == LOOK - MSEC) {
                        look(&r, a, t, got - seen, 0);
                        seen = got;
                }
        }
        model_free(r.m);
        return r;
}

/* At how many looks it was named bulk. */
static unsigned play(const struct program *p, const struct answers *a, bool told, uint64_t seed) {
        return watch(p, a, told, seed).bulk;
}

/* Writes each frame as it comes, but for the time in which it syncs what it has written in a second, for a minute. What comes meanwhile it writes then. */
static unsigned record(const struct program *p, const struct answers *a, bool told, uint64_t seed) {
        uint64_t came = 0, dirty = 0, dirtied = 0;
        struct run r;

        begin(&r, a, told, seed);
        for (nsec_t t = 10 * SEC; t < 70 * SEC; t += MSEC) {
                came += p->bytes_per_s / 1000;
                if (r.answered && t >= r.answered) {
                        for (uint64_t done = 0; told && done < r.under_way; done += p->piece)
                                feed(&r, t, EVENT_REQUEST_COMPLETE, REQUEST_WRITE, r.sector + done / SECTOR, p->piece);
                        r.sector += r.under_way / SECTOR;
                        r.moved += r.under_way;
                        r.answered = 0;
                }
                if (!r.answered && t / MSEC % 40 == 0) {
                        dirty += came;
                        dirtied += came;
                        came = 0;
                }
                if (!r.answered && dirty >= p->burst) {
                        r.under_way = dirty / p->piece * p->piece;
                        for (uint64_t done = 0; told && done < r.under_way; done += p->piece)
                                feed(&r, t, EVENT_REQUEST_QUEUE, REQUEST_WRITE, r.sector + done / SECTOR, p->piece);
                        dirty -= r.under_way;
                        r.answered = answer_time(&r, a, t);
                }
                if ((t - 10 * SEC) % LOOK == LOOK - MSEC) {
                        look(&r, a, t, 0, dirtied);
                        dirtied = 0;
                }
        }
        model_free(r.m);
        return r.bulk;
}

static const struct program even_12 = { 12 * MB, 250 * KB, 250 * KB, 12 * MB, false }, even_24 = { 24 * MB, 500 * KB, 500 * KB, 24 * MB, false },
                            bursts_5 = { 2 * MB, 250 * KB, 5 * MB, 20 * MB, false }, bursts_20 = { 8 * MB, 500 * KB, 20 * MB, 60 * MB, false },
                            mapped_12 = { 12 * MB, 128 * 1024, 128 * 1024, 512 * 1024, false }, /* by page faults, which read ahead of themselves */
                            skips_12 = { 12 * MB, 128 * 1024, 128 * 1024, 12 * MB, true }, greedy = { 200 * MB, 500 * KB, 500 * KB, 60 * MB, false };

/* In time, late now and then, mostly late and always so late that it gets less than it plays. */
static const struct answers beside_writers[] = {
        { 2, 10, 0, 130 * MB, 0, 0, 0 },
        { 5, 25, 2000, 130 * MB, 0, 0, 0 },
        { 10, 30, 1000, 100 * MB, 0, 0, 0 },
        { 5, 60, 3000, 60 * MB, 0, 0, 0 },
        { 20, 60, 5000, 130 * MB, 0, 0, 0 },
};

TEST(a_player_is_not_bulk_however_late_its_answers_come_beside_what_others_write) {
        static const struct program *const players[] = { &even_12, &even_24, &bursts_5, &bursts_20, &mapped_12 };
        uint64_t seed = test_seed();

        for (size_t i = 0; i < ARRAY_SIZE(players); i++)
                for (size_t k = 0; k < ARRAY_SIZE(beside_writers); k++)
                        for (unsigned told = 0; told <= 1; told++)
                                CHECK_INT(play(players[i], &beside_writers[k], told, seed), 0);
}

/* So a card does that has to tidy up: less and less comes, and once it answers again the player reads as fast as it can. */
TEST(a_player_that_was_held_up_is_not_bulk_while_it_catches_up) {
        static const struct answers card = { .least_ms = 3, .most_ms = 4, .written_per_s = 9 * MB, .held_up_ms = 150 };

        for (unsigned told = 0; told <= 1; told++)
                CHECK_INT(play(&skips_12, &card, told, test_seed()), 0);
}

TEST(a_process_that_reads_all_that_it_can_is_bulk_once_it_gets_more_than_a_stream_needs_or_waits_for_what_others_read) {
        static const struct answers fast = { 4, 12, 0, 160 * MB, 0, 0, 0 }, alone = { 10, 30, 0, 0, 0, 0, 0 }, beside_readers = { 10, 30, 0, 0, 100 * MB, 0, 0 };
        uint64_t seed = test_seed();

        for (unsigned told = 0; told <= 1; told++) {
                CHECK(play(&greedy, &fast, told, seed) > 150);
                CHECK(play(&greedy, &alone, told, seed) > 150);
                CHECK(play(&greedy, &beside_readers, told, seed) > 150);
        }
}

TEST(a_player_that_never_pauses_beside_what_others_write_is_taken_to_keep_its_pace_once_it_has_moved_much) {
        static const struct answers late = { .least_ms = 20, .most_ms = 60, .written_per_s = 130 * MB };
        struct run r = watch(&even_24, &late, true, test_seed());

        CHECK(r.first > 10 * SEC && r.first <= 12 * SEC && r.last > 69 * SEC);
        r = watch(&mapped_12, &late, true, test_seed());
        CHECK(r.first > 10 * SEC && r.first <= 16 * SEC && r.last > 69 * SEC);
}

TEST(what_has_read_more_than_a_stream_needs_is_not_for_a_minute) {
        static const struct answers once_fast = { .least_ms = 10, .most_ms = 30, .written_per_s = 130 * MB, .near_bytes = 400 * MB };

        CHECK(watch(&greedy, &once_fast, true, test_seed()).last <= 12 * SEC);
}

/* Sixteen MB a second, of which a sync takes up to nine tenths of the time until the next is due. */
TEST(a_recorder_that_syncs_is_not_bulk_while_its_syncs_leave_it_a_rest) {
        static const struct program recorder = { 16 * MB, 512 * 1024, 16 * MB, 0, false };
        static const struct answers syncs[] = { { 100, 300, 0, 130 * MB, 0, 0, 0 }, { 200, 900, 0, 100 * MB, 0, 0, 0 } };
        uint64_t seed = test_seed();

        for (size_t k = 0; k < ARRAY_SIZE(syncs); k++)
                for (unsigned told = 0; told <= 1; told++)
                        CHECK_INT(record(&recorder, &syncs[k], told, seed), 0);
}
