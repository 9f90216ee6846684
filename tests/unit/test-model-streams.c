/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "detector.h"
#include "macro.h"
#include "model-private.h"
#include "str.h"
#include "test.h"
#include "tick.h"
#include "told.h"

#define DRIVE DEV_NUMBER(8, 0)
#define OTHER_DRIVE DEV_NUMBER(8, 16)
#define SEC NSEC_PER_SEC
#define MSEC NSEC_PER_MSEC

static struct snapshot snapshot;
static struct detectors detectors;
static struct verdict verdicts[DETECTORS_VERDICTS_MAX];

DEFINE_TRIVIAL_CLEANUP_FUNC(struct model *, model_free)

static void feed(struct model *m, nsec_t t, enum event_kind kind, int32_t tgid, uint64_t sector, uint32_t sectors) {
        struct event e = { .t = t, .kind = (uint16_t) kind, .dev = DRIVE, .tgid = tgid };

        e.request = (struct event_request){ .sector = sector, .sectors = sectors };
        model_feed(m, &e);
}

/* From its queuing at t to its completion. */
static void read_at(struct model *m, nsec_t t, nsec_t takes, int32_t tgid, uint64_t sector, uint32_t sectors) {
        feed(m, t, EVENT_REQUEST_QUEUE, tgid, sector, sectors);
        feed(m, t + NSEC_PER_USEC, EVENT_REQUEST_ISSUE, 0, sector, sectors);
        feed(m, t + takes, EVENT_REQUEST_COMPLETE, 0, sector, sectors);
}

static void name(struct model *m, nsec_t t, int32_t tgid, const char *text) {
        struct event e = { .t = t, .kind = EVENT_PROCESS_NAME, .tgid = tgid, .process_name = { .start_ticks = 7 } };

        str_copy(e.process_name.name, sizeof(e.process_name.name), text);
        model_feed(m, &e);
}

static void stat_drive(struct model *m, nsec_t t) {
        struct event e = { .t = t, .kind = EVENT_DEVICE_STAT, .dev = DRIVE };

        e.device_stat = (struct event_device_stat){ .span_us = 250000, .reads = 2, .read_sectors = 512, .read_ms = 10 };
        model_feed(m, &e);
}

static void watch(struct model *m, nsec_t t) {
        struct event e = { .t = t, .kind = EVENT_WATCH, .dev = DRIVE, .watch = { .on = true } };

        model_feed(m, &e);
        stat_drive(m, t);
}

/* 1 MiB/s, 128 KiB at a time. */
static nsec_t play(struct model *m, nsec_t t, int32_t tgid, nsec_t until) {
        static uint64_t sector = 1000;

        for (; t < until; t += 125 * MSEC, sector += 256)
                read_at(m, t, 5 * MSEC, tgid, sector, 256);
        return t;
}

static size_t look(struct model *m, nsec_t now) {
        model_snapshot(m, now, &snapshot);
        return detectors_run(&detectors, &snapshot, verdicts);
}

static const struct stream_view *find(int32_t tgid) {
        for (size_t i = 0; i < snapshot.n_streams; i++)
                if (snapshot.streams[i].tgid == tgid)
                        return &snapshot.streams[i];
        return NULL;
}

TEST(a_player_on_an_idle_drive_is_a_stream_with_all_its_numbers) {
        _cleanup_(model_freep) struct model *m = model_new();
        const struct stream_view *s;
        size_t n;

        watch(m, SEC);
        name(m, SEC, 100, "mpv");
        play(m, 2 * SEC, 100, 12 * SEC);
        n = look(m, 12 * SEC);
        s = find(100);
        CHECK(s);
        CHECK_INT(s->state, STREAM_IS);
        CHECK_INT(s->start_ticks, 7);
        CHECK_INT(s->figures.bytes_per_s, 1048576);
        CHECK_INT(s->figures.period_us, 125000);
        CHECK_INT(s->figures.regularity_permille, 1000);
        CHECK_INT(s->kernel.answer, SOFT_RT_YES);
        CHECK(s->kernel.yes > 70 && s->kernel.no <= 10); /* those in which bfq takes it for one that starts */
        CHECK(s->kernel.margin_us == 88000 || s->kernel.margin_us == 92000); /* 256 sectors by 7000 a second are 9 jiffies of 4 ms */
        CHECK_INT(s->arrivals.n, ARRIVALS_MAX);
        for (size_t i = 0; i < ARRIVALS_MAX; i++) {
                const struct arrival *a = arrivals_at(&s->arrivals, i);
                CHECK(a->period_us == 125000 && a->pause_us == 120000 && a->bytes == 131072 && !a->left_out);
                CHECK(a->answer == SOFT_RT_YES && (a->margin_us == 88000 || a->margin_us == 92000));
        }
        CHECK_INT(n, 1);
        CHECK_INT(verdicts[0].kind, VERDICT_SOFT_RT);
        CHECK_INT(verdicts[0].subject.tgid, 100);
        CHECK_INT(verdict_evidence(&verdicts[0], "rate", 0), 1048576);
        CHECK_INT(verdict_evidence(&verdicts[0], "batches", 0), 80);
        CHECK_STR(told(verdicts[0].sentence), "mpv (100) reads 1.0 MB/s in a rhythm of 125 ms (100 % regular)");
}

TEST(a_stream_is_found_beside_500_busier_processes) {
        _cleanup_(model_freep) struct model *m = model_new();
        uint64_t random = test_seed();
        nsec_t t = 2 * SEC;

        watch(m, SEC);
        for (unsigned step = 0; step < 80; step++, t += 125 * MSEC) {
                for (int32_t tgid = 1000; tgid < 1500; tgid++)
                        read_at(m, t + 2 * MSEC + test_random(&random) % (80 * MSEC), MSEC, tgid, test_random(&random) % 1000000000, 16384);
                play(m, t, 100, t + MSEC);
        }
        look(m, t);
        CHECK(find(100));
        CHECK_INT(find(100)->state, STREAM_IS);
        for (size_t i = 0; i < snapshot.n_streams; i++)
                CHECK(snapshot.streams[i].tgid == 100 || snapshot.streams[i].state != STREAM_IS);
        CHECK(snapshot.n_streams <= SNAPSHOT_STREAMS_MAX);
}

/* What is seen of its state four times a second, beside requests of 128 KiB eight times a second. */
static void work(struct model *m, nsec_t t, nsec_t until, int32_t tgid, uint16_t state) {
        for (; t < until; t += 250 * MSEC) {
                struct event e = { .t = t + 249 * MSEC, .kind = EVENT_PROCESS_IO, .flags = state, .dev = DRIVE, .tgid = tgid };

                e.process_io = (struct event_process_io){ .start_ticks = 7, .span_us = 250000, .read_bytes = 262144 };
                play(m, t, tgid, t + 250 * MSEC);
                model_feed(m, &e);
                look(m, e.t);
        }
}

TEST(a_process_that_computes_all_the_time_is_no_stream_however_evenly_it_reads_and_one_that_sleeps_between_is) {
        _cleanup_(model_freep) struct model *m = model_new(), *other = model_new();
        char sentence[256];

        watch(m, SEC);
        name(m, SEC, 200, "xz");
        work(m, 2 * SEC, 20 * SEC, 200, EVENT_RUNNABLE);
        CHECK(find(200));
        CHECK_INT(find(200)->state, STREAM_NEAR_MISS);
        CHECK_INT(find(200)->figures.flaw, RHYTHM_COMPUTES);
        stream_describe(find(200), sentence, sizeof(sentence));
        CHECK_STR(told(sentence), "xz (200) is no stream: it computes for 100 % of its time, and one for 75 % at most");
        watch(other, SEC);
        work(other, 2 * SEC, 20 * SEC, 200, 0);
        CHECK_INT(find(200)->state, STREAM_IS);
}

/* Each row that it writes is on the drive before the next, by the journal's doing: its own requests show none of that. */
TEST(a_database_that_waits_for_the_journal_all_the_time_is_no_stream_however_even_its_writes_are) {
        _cleanup_(model_freep) struct model *m = model_new();

        watch(m, SEC);
        name(m, SEC, 200, "sqlite3");
        work(m, 2 * SEC, 20 * SEC, 200, EVENT_WAITING);
        CHECK(find(200));
        CHECK_INT(find(200)->state, STREAM_NEAR_MISS);
        CHECK_INT(find(200)->figures.flaw, RHYTHM_NO_PAUSE);
        CHECK(find(200)->figures.value < 100);
}

/* Time in which it was not known is no rest. */
TEST(a_database_that_has_just_begun_is_not_taken_to_rest_for_that) {
        _cleanup_(model_freep) struct model *m = model_new();

        watch(m, SEC);
        work(m, 2 * SEC, 9 * SEC / 2, 200, EVENT_WAITING);
        CHECK(find(200));
        CHECK_INT(find(200)->figures.flaw, RHYTHM_NO_PAUSE);
        CHECK(find(200)->figures.value < 100);
}

TEST(what_nearly_is_one_says_which_condition_failed_and_by_how_much) {
        _cleanup_(model_freep) struct model *m = model_new();
        static const unsigned ms[] = { 40, 250, 120, 25 };
        char sentence[256];
        nsec_t t = 2 * SEC;

        watch(m, SEC);
        name(m, SEC, 200, "tar");
        for (unsigned i = 0; i < 80; i++) {
                read_at(m, t, 3 * MSEC, 200, 1000 + i * 256, 256);
                t += ms[i % 4] * MSEC;
        }
        CHECK_INT(look(m, t), 0);
        CHECK(find(200));
        CHECK_INT(find(200)->state, STREAM_NEAR_MISS);
        CHECK_INT(find(200)->figures.flaw, RHYTHM_IRREGULAR);
        CHECK_INT(find(200)->figures.limit, RHYTHM_REGULAR_PERMILLE);
        stream_describe(find(200), sentence, sizeof(sentence));
        CHECK_STR(told(sentence), "tar (200) is no stream: 50 % of its periods are about as long as the others, and of one 70 % at least");
        look(m, t + 11 * SEC);
        CHECK(!find(200)); /* it is over */
}

TEST(of_a_rhythm_that_is_steady_from_this_moment_on_no_time_is_told) {
        struct stream_view v = { .state = STREAM_NEAR_MISS, .name = "mpv", .tgid = 7,
                                 .figures = { .flaw = RHYTHM_TOO_SHORT, .value = 0, .limit = 3000000 } };
        char sentence[256];

        stream_describe(&v, sentence, sizeof(sentence));
        CHECK_STR(told(sentence), "mpv (7) is no stream yet: its rhythm has to be steady for 3 s");
        v.figures.value = 1500000;
        stream_describe(&v, sentence, sizeof(sentence));
        CHECK_STR(told(sentence), "mpv (7) is no stream yet: its rhythm is steady for 1.5 s of 3 s");
}

TEST(seed_003s_greedy_process_that_slows_down_is_a_false_positive_of_the_forgetful_rule_alone) {
        _cleanup_(model_freep) struct model *m = model_new();
        uint64_t random = test_seed();
        nsec_t t = 3 * SEC;

        watch(m, SEC);
        for (unsigned i = 0; t < 20 * SEC; i++) { /* 60 MB at full speed, then slow for a second: the CPU is busy */
                for (unsigned k = 0; k < 900; k++, t += 700 * NSEC_PER_USEC)
                        read_at(m, t, 690 * NSEC_PER_USEC, 300, (i * 1000 + k) * 128, 128);
                for (nsec_t end = t + SEC; t < end; t += (40 + test_random(&random) % 60) * MSEC)
                        read_at(m, t, MSEC, 300, t / MSEC * 128, 128);
                look(m, t);
                CHECK(!find(300) || find(300)->state != STREAM_IS);
        }
        CHECK(find(300));
        CHECK_INT(find(300)->kernel.yes, 0);
        CHECK(find(300)->kernel.yes_without_memory > 100);
}

TEST(one_of_another_priority_is_a_stream_that_bfq_does_not_raise) {
        struct event e = { .t = SEC, .kind = EVENT_PROCESS_PRIORITY, .tgid = 100 };
        _cleanup_(model_freep) struct model *m = model_new();

        e.process_priority = (struct event_process_priority){ .start_ticks = 7, .io_class = IO_CLASS_BEST_EFFORT, .io_level = 0 };
        watch(m, SEC);
        name(m, SEC, 100, "mpv");
        model_feed(m, &e);
        play(m, 2 * SEC, 100, 12 * SEC);
        look(m, 12 * SEC);
        CHECK_INT(find(100)->state, STREAM_IS);
        CHECK_INT(find(100)->kernel.answer, SOFT_RT_OTHER_WEIGHT);
        CHECK_INT(find(100)->kernel.yes, 0);
}

TEST(eight_that_start_at_once_are_a_burst_to_bfq) {
        _cleanup_(model_freep) struct model *m = model_new();
        nsec_t t = 5 * SEC;

        watch(m, SEC);
        for (unsigned i = 0; i < 40; i++)
                for (int32_t k = 0; k < 8; k++, t += 20 * MSEC)
                        read_at(m, t, MSEC, 400 + k, (uint64_t) k * 1000000 + i * 256, 256);
        look(m, t);
        CHECK(find(400));
        CHECK_INT(find(400)->kernel.answer, SOFT_RT_BURST);
        CHECK_INT(find(400)->state, STREAM_IS); /* that they start together does not tell what they are */
}

/* What /proc tells of a player of 128 KiB every half a second; and of the drive. */
static nsec_t play_in_proc(struct model *m, nsec_t t, nsec_t until) {
        for (unsigned i = 0; t < until; t += 250 * MSEC, i++) {
                struct event e = { .t = t, .kind = EVENT_PROCESS_IO, .dev = DRIVE, .tgid = 100 };
                e.process_io = (struct event_process_io){ .start_ticks = 7, .span_us = 250000, .read_bytes = i % 2 ? 0 : 131072 };
                stat_drive(m, t);
                model_feed(m, &e);
        }
        return t;
}

TEST(by_its_counters_a_player_is_a_candidate_and_where_no_source_tells_requests_a_stream_of_low_confidence) {
        _cleanup_(model_freep) struct model *m = model_new();
        nsec_t t;

        name(m, SEC, 100, "mpv");
        t = play_in_proc(m, 10 * SEC, 23 * SEC);
        CHECK_INT(look(m, t), 0);
        CHECK(snapshot.devices[0].steady);
        CHECK(find(100));
        CHECK_INT(find(100)->state, STREAM_CANDIDATE);
        CHECK(find(100)->asks);
        t = play_in_proc(m, t, 27 * SEC);
        CHECK_INT(look(m, t), 1);
        CHECK_INT(find(100)->state, STREAM_IS);
        CHECK_INT(verdicts[0].kind, VERDICT_SOFT_RT);
        CHECK_INT(verdicts[0].confidence, 300);
        CHECK_INT(verdict_evidence(&verdicts[0], "period", -1), -1);
}

/* What writes through the page cache: its counters, and that the drive's requests are told, none of which is its own. */
static nsec_t record_in_proc(struct model *m, nsec_t t, nsec_t until, uint16_t state, bool waits) {
        for (unsigned i = 0; t < until; t += 250 * MSEC, i++) {
                struct event e = { .t = t, .kind = EVENT_PROCESS_IO, .dev = DRIVE, .tgid = 100, .flags = waits ? EVENT_WAITING : state };
                e.process_io = (struct event_process_io){ .start_ticks = 7, .span_us = 250000, .write_bytes = i % 6 ? 0 : 262144 };
                stat_drive(m, t);
                model_feed(m, &e);
        }
        look(m, t);
        return t;
}

TEST(a_recorder_that_writes_through_the_page_cache_is_a_stream_by_its_counters_also_where_requests_are_told) {
        _cleanup_(model_freep) struct model *m = model_new();
        nsec_t t = 10 * SEC;

        watch(m, t);
        name(m, t, 100, "arecord");
        t = record_in_proc(m, t, 25 * SEC, 0, false);
        CHECK_INT(find(100)->state, STREAM_CANDIDATE);
        for (unsigned i = 0; i < 30; i++) {
                t = record_in_proc(m, t, t + 1500 * MSEC, 0, false);
                CHECK(i < 3 || (find(100) && find(100)->state == STREAM_IS));
        }
        CHECK(!find(100)->asks);
        CHECK_INT(find(100)->confidence, 300);
        CHECK_INT(find(100)->figures.period_us, 1500000);
}

TEST(a_process_that_writes_evenly_because_it_computes_or_waits_for_the_drive_is_none) {
        for (unsigned waits = 0; waits <= 1; waits++) {
                _cleanup_(model_freep) struct model *m = model_new();
                nsec_t t = 10 * SEC;

                watch(m, t);
                name(m, t, 100, "xz");
                for (unsigned i = 0; i < 30; i++) {
                        t = record_in_proc(m, t, t + 1500 * MSEC, EVENT_RUNNABLE, waits);
                        CHECK(!find(100));
                }
        }
}

TEST(a_drive_that_is_written_every_five_seconds_is_written_evenly_and_one_that_is_written_once_or_little_is_not) {
        static const struct {
                uint32_t every_s, kib;
                bool is;
        } drives[] = { { 5, 1024, true }, { 5, 64, false }, { 30, 8192, false }, { 1, 200, true }, { 1, 200000, false } };

        for (size_t i = 0; i < ARRAY_SIZE(drives); i++) {
                _cleanup_(model_freep) struct model *m = model_new();

                for (unsigned s = 1; s <= 40; s++) {
                        struct event e = { .t = s * SEC, .kind = EVENT_DEVICE_STAT, .dev = DRIVE };
                        e.device_stat = (struct event_device_stat){ .span_us = 1000000, .writes = s % drives[i].every_s == 0,
                                                                    .write_sectors = s % drives[i].every_s == 0 ? drives[i].kib * 2 : 0 };
                        model_feed(m, &e);
                        if (s == 20) {
                                look(m, s * SEC);
                                CHECK(!snapshot.devices[0].written_evenly);
                        }
                }
                look(m, 40 * SEC);
                CHECK_INT(snapshot.devices[0].written_evenly, drives[i].is);
        }
}

/* Four times a second so much, as its counters tell, with so much open. */
static nsec_t move_in_proc(struct model *m, nsec_t t, nsec_t until, uint32_t read_bytes, uint16_t flags) {
        for (; t < until; t += 250 * MSEC) {
                struct event e = { .t = t, .kind = EVENT_PROCESS_IO, .dev = DRIVE, .tgid = 100, .flags = flags };
                e.process_io = (struct event_process_io){ .start_ticks = 7, .span_us = 250000, .read_bytes = read_bytes };
                stat_drive(m, t);
                model_feed(m, &e);
                look(m, t);
        }
        return t;
}

TEST(a_process_with_sound_open_is_a_stream_from_its_first_read_on_and_by_its_rhythm_alone_once_it_has_closed_that) {
        _cleanup_(model_freep) struct model *m = model_new();
        nsec_t t;

        name(m, SEC, 100, "mpv");
        t = move_in_proc(m, 10 * SEC, 10 * SEC + MSEC, 262144, EVENT_HOLDS_SOUND);
        CHECK(find(100));
        CHECK_INT(find(100)->state, STREAM_IS);
        CHECK_INT(find(100)->holds, HOLDS_SOUND);
        CHECK_INT(find(100)->since, 10 * SEC);
        CHECK(find(100)->asks); /* what goes first has its requests told */
        t = move_in_proc(m, t, 20 * SEC, 3000000, EVENT_HOLDS_SOUND);
        CHECK_INT(look(m, t), 1); /* and not bulk */
        CHECK_INT(verdicts[0].kind, VERDICT_SOFT_RT);
        CHECK_INT(verdicts[0].confidence, 800);
        CHECK(strstr(told(verdicts[0].sentence), "mpv (100) reads 1") && strstr(told(verdicts[0].sentence), " MB/s while it has sound open"));
        look(m, t + 15 * SEC); /* it reads ahead */
        CHECK_INT(find(100)->state, STREAM_IS);
        look(m, t + 21 * SEC);
        CHECK(!find(100) || find(100)->state != STREAM_IS);
        t = move_in_proc(m, t + 21 * SEC, t + 23 * SEC, 3000000, EVENT_HOLDS_VIDEO);
        CHECK_INT(find(100)->holds, HOLDS_VIDEO);
        t = move_in_proc(m, t, t + 250 * MSEC, 3000000, 0);
        CHECK(!find(100) || find(100)->state != STREAM_IS);
}

TEST(a_process_with_sound_open_that_moves_more_than_a_stream_may_or_next_to_nothing_is_none_for_that) {
        static const uint32_t bytes[] = { 25000000, 1024 };

        for (size_t i = 0; i < ARRAY_SIZE(bytes); i++) {
                _cleanup_(model_freep) struct model *m = model_new();
                name(m, SEC, 100, "game");
                move_in_proc(m, 10 * SEC, 20 * SEC, bytes[i], EVENT_HOLDS_SOUND);
                CHECK(!find(100) || find(100)->state != STREAM_IS);
        }
}

TEST(where_its_requests_are_told_a_process_with_sound_open_is_a_stream_with_their_figures) {
        _cleanup_(model_freep) struct model *m = model_new();

        watch(m, SEC);
        name(m, SEC, 100, "mpv");
        work(m, 2 * SEC, 3 * SEC, 100, EVENT_HOLDS_SOUND); /* too few periods for its rhythm to show */
        CHECK_INT(find(100)->state, STREAM_IS);
        CHECK_INT(find(100)->holds, HOLDS_SOUND);
        CHECK(!find(100)->from_proc);
        CHECK_INT(find(100)->figures.period_us, 125000);
        work(m, 3 * SEC, 12 * SEC, 100, EVENT_HOLDS_SOUND);
        CHECK_INT(find(100)->state, STREAM_IS);
        CHECK_INT(find(100)->holds, HOLDS_NOTHING); /* its rhythm shows it by now */
        CHECK_INT(snapshot.n_streams, 1);
}

TEST(requests_decide_about_a_candidate) {
        _cleanup_(model_freep) struct model *m = model_new();
        nsec_t t = play_in_proc(m, 10 * SEC, 23 * SEC);

        watch(m, t);
        for (nsec_t end = t + 40 * SEC; t < end; t += SEC) {
                play_in_proc(m, t, t + SEC);
                look(m, t);
                CHECK(!find(100) || find(100)->state == STREAM_CANDIDATE); /* no request of its own is ever seen */
        }
        CHECK(!find(100));
}

TEST(a_stream_that_uses_another_drive_too_is_no_candidate_there) {
        _cleanup_(model_freep) struct model *m = model_new();
        nsec_t t = 2 * SEC;

        struct event first[] = { { .t = SEC, .kind = EVENT_WATCH, .dev = OTHER_DRIVE, .watch = { .on = true } },
                                 { .t = SEC, .kind = EVENT_REQUEST_QUEUE, .dev = OTHER_DRIVE, .tgid = 100, .request = { .sector = 8, .sectors = 8 } } };

        for (size_t i = 0; i < ARRAY_SIZE(first); i++)
                model_feed(m, &first[i]);
        watch(m, SEC);
        name(m, SEC, 100, "mpv");
        for (unsigned i = 0; t < 40 * SEC; t += 250 * MSEC, i++) { /* what it does is counted now for the one, now for the other */
                struct event e = { .t = t, .kind = EVENT_PROCESS_IO, .dev = i % 3 ? DRIVE : OTHER_DRIVE, .tgid = 100 };
                e.process_io = (struct event_process_io){ .start_ticks = 7, .span_us = 250000, .read_bytes = 262144 };
                stat_drive(m, t);
                play(m, t, 100, t + 250 * MSEC);
                e.t += 249 * MSEC;
                model_feed(m, &e);
                look(m, e.t);
                for (size_t k = 0; k < snapshot.n_streams; k++)
                        CHECK(snapshot.streams[k].state != STREAM_CANDIDATE || t < 15 * SEC);
        }
        CHECK_INT(find(100)->state, STREAM_IS);
}

/* Beside a player, which bfq takes for soft real-time and lets take the other's turns. */
static void play_beside_a_greedy_one(struct model *m, const struct device_facts *facts) {
        struct drive_settings settings = tick_settings(facts);
        uint64_t sector = 50000000;
        nsec_t t;

        watch(m, SEC);
        model_set_settings(m, DRIVE, &settings);
        t = play(m, 3 * SEC, 100, 6 * SEC);
        for (nsec_t next = t + 7 * MSEC, end = t + 2 * SEC; t < end; t += 11 * MSEC, sector += 128) {
                feed(m, t, EVENT_REQUEST_QUEUE, 200, sector, 128);
                feed(m, t + NSEC_PER_USEC, EVENT_REQUEST_ISSUE, 0, sector, 128);
                if (t + 7 * MSEC >= next) {
                        read_at(m, t + 7 * MSEC, MSEC, 100, next, 256);
                        next += 125 * MSEC;
                }
                feed(m, t + 10 * MSEC, EVENT_REQUEST_COMPLETE, 0, sector, 128);
        }
        look(m, t);
}

static struct device_facts facts_of(enum scheduler scheduler, int64_t slice_idle_us, int64_t timeout_sync_ms) {
        struct device_facts f = { .dev = DRIVE, .scheduler = scheduler, .rotational = true };

        f.values[TUNABLE_BFQ_SLICE_IDLE_US] = (typeof(f.values[0])){ true, true, slice_idle_us };
        f.values[TUNABLE_BFQ_LOW_LATENCY] = (typeof(f.values[0])){ true, true, 1 };
        f.values[TUNABLE_BFQ_TIMEOUT_SYNC] = (typeof(f.values[0])){ true, true, timeout_sync_ms };
        return f;
}

static const struct flow *flow_of(struct model *m, int32_t tgid) {
        return flow_table_get(&m->flows, tgid, DRIVE);
}

TEST(a_greedy_process_whose_turns_a_player_takes_is_a_stream_to_bfq_alone) {
        struct device_facts bfq = facts_of(SCHEDULER_BFQ, 8000, 124), deadline = facts_of(SCHEDULER_MQ_DEADLINE, 8000, 124);
        _cleanup_(model_freep) struct model *m = model_new(), *other = model_new();

        play_beside_a_greedy_one(m, &bfq);
        CHECK(flow_of(m, 200)->stream.queue.kernel.yes > 5);
        CHECK_INT(flow_of(m, 200)->stream.alone.yes, 0);
        CHECK(!find(200) || find(200)->state != STREAM_IS);
        play_beside_a_greedy_one(other, &deadline); /* whose turns are its own */
        CHECK_INT(flow_of(other, 200)->stream.queue.kernel.yes, 0);
}

TEST(the_rule_goes_by_how_long_the_kernels_jiffies_are_and_by_what_is_set) {
        static const struct {
                int64_t timeout_sync_ms;
                uint32_t hz;
        } kernels[] = { { 120, 100 }, { 123, 300 }, { 124, 250 }, { 125, 1000 } };

        for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
                struct device_facts facts = facts_of(SCHEDULER_BFQ, 4000, kernels[i].timeout_sync_ms);
                struct drive_settings settings = tick_settings(&facts);
                _cleanup_(model_freep) struct model *m = model_new();
                const struct soft_rt_rule *rule;

                watch(m, SEC);
                rule = &model_find_device(m, DRIVE)->requests.rule;
                CHECK_INT(rule->hz, SOFT_RT_HZ);
                model_set_settings(m, DRIVE, &settings);
                CHECK_INT(rule->hz, kernels[i].hz);
                CHECK_INT(rule->slice_idle, 4 * MSEC);
                settings.hz = 100; /* the user has set what looks like it */
                model_set_settings(m, DRIVE, &settings);
                CHECK_INT(rule->hz, kernels[i].hz);
                settings.low_latency = false;
                model_set_settings(m, DRIVE, &settings);
                CHECK_INT(rule->rate, 0);
                CHECK_INT(rule->interactive_ms, 0);
        }
}

TEST(each_request_at_the_drive_is_counted_once) {
        _cleanup_(model_freep) struct model *m = model_new();

        watch(m, SEC);
        for (unsigned i = 0; i < 10; i++)
                read_at(m, 2 * SEC + i * SEC, MSEC, 100, 1000 * i, 8);
        CHECK_INT(model_find_device(m, DRIVE)->requests.most_at_drive, 1);
        CHECK_INT(model_find_device(m, DRIVE)->requests.at_drive, 0);
}

TEST(a_stream_that_exits_is_none) {
        _cleanup_(model_freep) struct model *m = model_new();
        struct event e = { .t = 12 * SEC, .kind = EVENT_PROCESS_EXIT, .tgid = 100 };

        watch(m, SEC);
        play(m, 2 * SEC, 100, 12 * SEC);
        look(m, 12 * SEC);
        CHECK(find(100));
        model_feed(m, &e);
        look(m, 12 * SEC);
        CHECK(!find(100));
}

TEST(a_stream_that_waits_while_others_are_served_stays_one) {
        _cleanup_(model_freep) struct model *m = model_new();
        nsec_t since, t;

        watch(m, SEC);
        t = play(m, 2 * SEC, 100, 12 * SEC);
        look(m, t);
        since = find(100)->since;
        feed(m, t, EVENT_REQUEST_QUEUE, 100, 5000000, 256);
        look(m, t + 9 * SEC);
        CHECK_INT(find(100)->since, since);
        feed(m, t + 9 * SEC, EVENT_REQUEST_COMPLETE, 0, 5000000, 256);
        t = play(m, t + 9 * SEC + 100 * MSEC, 100, t + 12 * SEC);
        look(m, t);
        CHECK_INT(find(100)->since, since);
        CHECK_INT(find(100)->state, STREAM_IS);
}
