/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws stream-guard and writeback-guard: their vectors, and when they have anything to want. */
#include "detect.h"
#include "facts.h"
#include "law.h"
#include "policy.h"
#include "test.h"
#include "told.h"

#define DRIVE 1

static struct policy policy;
static struct controller_device device;
static struct device_view view;
static struct snapshot snapshot;
static struct controller_input input;
static struct verdict verdict;
static struct law_wish wishes[LAW_WISHES_MAX];

static void write_much(void) {
        for (unsigned i = 0; i < WRITING_SECONDS; i++)
                view.writing[i] = (struct writing_second){ .span_us = 1000000, .reads = 4, .read_sectors = 2048, .writes = 96, .write_sectors = 195312, .busy_ms = 1000 };
}

/* A disk with heads that is written to at 100 MB/s, in requests that take 10 ms each, and read from a little. */
static void make_drive(enum scheduler scheduler) {
        policy_init(&policy, "test", "test.conf");
        policy.stream_guard.enabled = policy.writeback_guard.enabled = true;
        policy.writeback_guard.min_read_us = 0;
        policy.stream_guard.longest_freeze_us = policy.writeback_guard.longest_freeze_us = 500000;
        device = (struct controller_device){ .used = true, .policy = &policy, .facts = { .dev = DRIVE, .scheduler = scheduler, .rotational = true } };
        facts_set(&device.facts, TUNABLE_QUEUE_NR_REQUESTS, 64);
        if (scheduler == SCHEDULER_MQ_DEADLINE)
                facts_set(&device.facts, TUNABLE_MQ_DEADLINE_ASYNC_DEPTH, 64);
        view = (struct device_view){ .dev = DRIVE, .readers = 1 };
        write_much();
        snapshot = (struct snapshot){ .now = NSEC_PER_SEC };
        input = (struct controller_input){ .now = NSEC_PER_SEC, .snapshot = &snapshot, .verdicts = &verdict, .n_verdicts = 1 };
}

static size_t hear(size_t (*law)(const struct law_input *l, struct law_wish *ret), enum verdict_kind kind, enum verdict_direction direction) {
        verdict = (struct verdict){ .kind = kind, .direction = direction, .dev = DRIVE, .subject = { .tgid = 4711 }, .sentence = "mpv (4711) reads 1 MB/s" };
        return law(&(struct law_input){ .d = &device, .in = &input, .view = &view, .v = &verdict, .n = 1 }, wishes);
}

TEST(requests_are_as_many_as_are_served_within_the_longest_wait_in_powers_of_two) {
        static const struct {
                uint32_t wait_us, service_us, readers, n;
        } vectors[] = {
                { 60000, 13000, 1, 4 }, { 60000, 7500, 1, 8 }, { 60000, 7501, 1, 4 }, { 60000, 3750, 1, 16 }, { 60000, 100, 1, 512 },
                { 60000, 100000, 1, 4 }, { 60000, 0, 0, 32768 }, { 0, 10000, 0, 4 },
                { 60000, 13000, 4, 4 }, { 60000, 13000, 5, 8 }, { 60000, 13000, 32, 32 }, { UINT32_MAX, 0, UINT32_MAX, 1u << 31 },
        };

        for (size_t i = 0; i < ARRAY_SIZE(vectors); i++)
                CHECK_INT(law_write_requests(vectors[i].wait_us, vectors[i].service_us, vectors[i].readers), vectors[i].n);
}

TEST(beside_a_stream_writes_get_a_short_queue) {
        make_drive(SCHEDULER_BFQ);
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 1);
        CHECK_INT(wishes[0].law, LAW_STREAM_GUARD);
        CHECK_INT(wishes[0].tunable, TUNABLE_QUEUE_NR_REQUESTS);
        CHECK_INT(wishes[0].value, 4);
        CHECK(wishes[0].costs_throughput);
        CHECK_STR(told(wishes[0].sentence), "mpv (4711) reads 1 MB/s, beside 100 MB/s that are written; nr_requests = 60 ms / 10 ms a request, as a power of two, "
                                      "at least 4, and one a reader (1) = 4, base 64");
}

/* Ten writers had filled 512 of 1024 requests when a video began; until these were done it stood still for 2.9 s. */
TEST(a_queue_that_holds_too_much_to_be_stopped_serves_one_at_a_time_until_it_holds_less) {
        static const struct {
                unsigned inflight, queue_depth, average;
                enum tunable_id held, wanted;
                enum law_id holder;
        } vectors[] = {
                { 50, 0, 0, _TUNABLE_INVALID, TUNABLE_QUEUE_NR_REQUESTS, LAW_NONE },
                { 51, 0, 0, _TUNABLE_INVALID, TUNABLE_BFQ_STRICT_GUARANTEES, LAW_NONE },
                { 51, 0, 0, TUNABLE_QUEUE_SCHEDULER, TUNABLE_BFQ_STRICT_GUARANTEES, LAW_SCHEDULER },
                { 32, 32, 51, _TUNABLE_INVALID, TUNABLE_BFQ_STRICT_GUARANTEES, LAW_NONE }, /* a kernel that counts the scheduler's in the mean alone */
                { 33, 32, 51, _TUNABLE_INVALID, TUNABLE_QUEUE_NR_REQUESTS, LAW_NONE },
                { 51, 0, 0, TUNABLE_BFQ_STRICT_GUARANTEES, TUNABLE_BFQ_STRICT_GUARANTEES, LAW_STREAM_GUARD },
                { 50, 0, 0, TUNABLE_BFQ_STRICT_GUARANTEES, TUNABLE_QUEUE_NR_REQUESTS, LAW_STREAM_GUARD },
                { 51, 0, 0, TUNABLE_BFQ_STRICT_GUARANTEES, TUNABLE_BFQ_STRICT_GUARANTEES, LAW_WRITEBACK_GUARD },
                { 51, 0, 0, TUNABLE_QUEUE_NR_REQUESTS, TUNABLE_QUEUE_NR_REQUESTS, LAW_STREAM_GUARD }, /* it stands: nothing to stop for */
                { 51, 0, 0, TUNABLE_QUEUE_NR_REQUESTS, TUNABLE_QUEUE_NR_REQUESTS, LAW_WRITEBACK_GUARD },
                { 51, 0, 0, TUNABLE_QUEUE_NR_REQUESTS, TUNABLE_BFQ_STRICT_GUARANTEES, LAW_REQUEST_POOL },
        };

        for (size_t i = 0; i < ARRAY_SIZE(vectors); i++)
                for (int writeback = 0; writeback < 2; writeback++) {
                        make_drive(SCHEDULER_BFQ);
                        facts_set(&device.facts, TUNABLE_BFQ_STRICT_GUARANTEES, 0);
                        view.inflight = vectors[i].inflight; /* of 10 ms each */
                        view.depth_milli = 1000 * vectors[i].average;
                        device.facts.queue_depth = vectors[i].queue_depth;
                        if (vectors[i].held != _TUNABLE_INVALID)
                                device.tunables[vectors[i].held] =
                                        (struct controller_tunable){ .owner = OWNER_BRIO, .law = vectors[i].holder, .original_known = true, .original = 64 };
                        if (writeback)
                                CHECK_INT(hear(law_writeback_guard, VERDICT_WRITEBACK, DIRECTION_READS_STARVE), 1);
                        else
                                CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 1);
                        CHECK_INT(wishes[0].law, writeback ? LAW_WRITEBACK_GUARD : LAW_STREAM_GUARD);
                        CHECK_INT(wishes[0].tunable, vectors[i].wanted);
                        CHECK(wishes[0].costs_throughput);
                        if (i == 1 && !writeback) {
                                CHECK_INT(wishes[0].value, 1);
                                CHECK_STR(told(wishes[0].sentence), "mpv (4711) reads 1 MB/s, beside 100 MB/s that are written; fewer requests would stop the queue until the 51 that "
                                                              "it has are done, some 510 ms, and more than 500 ms: one at a time instead");
                        }
                }
}

static size_t hear_start_beside_stream(void) {
        static const struct verdict both[2] = { { .kind = VERDICT_STARTUP, .dev = DRIVE, .sentence = "a start" },
                                                { .kind = VERDICT_SOFT_RT, .dev = DRIVE, .sentence = "mpv (4711) reads 1 MB/s" } };

        return law_stream_guard(&(struct law_input){ .d = &device, .in = &input, .view = &view, .v = both, .n = 2 }, wishes);
}

/* Within a call, beside a copy, LibreOffice took 29 s with eight requests and 14 s with one at a time in the drive; bfq alone: 33 s. */
TEST(beside_a_stream_what_starts_gets_its_requests_back_at_once_and_the_drive_serves_one_at_a_time) {
        make_drive(SCHEDULER_BFQ);
        facts_set(&device.facts, TUNABLE_BFQ_STRICT_GUARANTEES, 0);
        CHECK_INT(hear_start_beside_stream(), 1);
        CHECK_INT(wishes[0].tunable, TUNABLE_BFQ_STRICT_GUARANTEES);
        CHECK_INT(wishes[0].value, 1);
        CHECK_INT(wishes[0].hold_us, policy.stream_guard.hold_us);
        CHECK_STR(told(wishes[0].sentence), "mpv (4711) reads 1 MB/s, beside 100 MB/s that are written; a program starts, and would have too few of fewer requests: "
                                      "one at a time instead");
        device.tunables[TUNABLE_QUEUE_NR_REQUESTS] =
                (struct controller_tunable){ .owner = OWNER_BRIO, .law = LAW_STREAM_GUARD, .original_known = true, .original = 64 };
        CHECK_INT(hear_start_beside_stream(), 2);
        CHECK_INT(wishes[0].tunable, TUNABLE_BFQ_STRICT_GUARANTEES);
        CHECK_INT(wishes[1].tunable, TUNABLE_QUEUE_NR_REQUESTS);
        CHECK_INT(wishes[1].value, 4); /* not before the other stands */
        device.tunables[TUNABLE_BFQ_STRICT_GUARANTEES] =
                (struct controller_tunable){ .owner = OWNER_BRIO, .law = LAW_STREAM_GUARD, .original_known = true, .wanted = 1 };
        CHECK_INT(hear_start_beside_stream(), 2);
        CHECK_INT(wishes[0].tunable, TUNABLE_BFQ_STRICT_GUARANTEES);
        CHECK_INT(wishes[1].tunable, TUNABLE_QUEUE_NR_REQUESTS);
        CHECK_INT(wishes[1].value, 64);
        CHECK(wishes[1].at_once && !wishes[1].costs_throughput);
        device.tunables[TUNABLE_QUEUE_NR_REQUESTS].law = LAW_REQUEST_POOL; /* as many as it can have */
        CHECK_INT(hear_start_beside_stream(), 1);
        device.tunables[TUNABLE_BFQ_STRICT_GUARANTEES].owner = OWNER_FOREIGN; /* fewer requests are better than nothing */
        CHECK_INT(hear_start_beside_stream(), 1);
        CHECK_INT(wishes[0].tunable, TUNABLE_QUEUE_NR_REQUESTS);
        CHECK_INT(wishes[0].value, 4);
}

/* A copy pauses for longer than five seconds; what stands then is in the way of what starts. */
TEST(what_outlasts_a_stream_or_the_writes_beside_it_comes_back_at_once_for_what_starts) {
        static const struct verdict start = { .kind = VERDICT_STARTUP, .dev = DRIVE, .sentence = "a start" };
        struct law_input l = { .d = &device, .in = &input, .view = &view, .v = &start, .n = 1 };

        make_drive(SCHEDULER_BFQ);
        facts_set(&device.facts, TUNABLE_BFQ_STRICT_GUARANTEES, 0);
        CHECK_INT(law_stream_guard(&l, wishes), 0);
        device.tunables[TUNABLE_BFQ_STRICT_GUARANTEES] =
                (struct controller_tunable){ .owner = OWNER_BRIO, .law = LAW_STREAM_GUARD, .original_known = true, .wanted = 1 };
        device.tunables[TUNABLE_QUEUE_NR_REQUESTS] =
                (struct controller_tunable){ .owner = OWNER_BRIO, .law = LAW_STREAM_GUARD, .original_known = true, .original = 64 };
        for (int i = 0; i < 2; i++) { /* no stream, then one beside which nothing is written */
                CHECK_INT(i == 0 ? law_stream_guard(&l, wishes) : hear_start_beside_stream(), 1);
                CHECK_INT(wishes[0].tunable, TUNABLE_QUEUE_NR_REQUESTS);
                CHECK_INT(wishes[0].value, 64);
                CHECK(wishes[0].at_once);
                memset(view.writing, 0, sizeof(view.writing));
        }
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 0); /* and without a start there is no need of it */
}

/* A game that was loaded after a call had one request at a time in the drive for half a minute, for no stream's sake. */
TEST(once_nothing_has_played_for_five_seconds_what_starts_has_the_drive_too) {
        static const struct verdict start = { .kind = VERDICT_STARTUP, .dev = DRIVE, .sentence = "a start" };
        struct law_input l = { .d = &device, .in = &input, .view = &view, .v = &start, .n = 1 };

        make_drive(SCHEDULER_BFQ);
        facts_set(&device.facts, TUNABLE_BFQ_STRICT_GUARANTEES, 1);
        device.tunables[TUNABLE_BFQ_STRICT_GUARANTEES] = (struct controller_tunable){
                .owner = OWNER_BRIO, .law = LAW_STREAM_GUARD, .original_known = true, .wanted = 1
        };
        device.played = input.now;
        input.now += policy.hold_us * NSEC_PER_USEC - 1;
        CHECK_INT(law_stream_guard(&l, wishes), 0);
        input.now++;
        device.tunables[TUNABLE_BFQ_STRICT_GUARANTEES].unwanted_since = input.now - 1; /* one whose clock showed, and shows no more */
        CHECK_INT(law_stream_guard(&l, wishes), 0);
        device.tunables[TUNABLE_BFQ_STRICT_GUARANTEES].unwanted_since = device.played;
        CHECK_INT(law_stream_guard(&l, wishes), 1);
        CHECK_INT(wishes[0].tunable, TUNABLE_BFQ_STRICT_GUARANTEES);
        CHECK_INT(wishes[0].value, 0);
        CHECK(wishes[0].at_once);
        memset(view.writing, 0, sizeof(view.writing)); /* a stream beside which nothing is written for the moment */
        CHECK_INT(hear_start_beside_stream(), 0);
}

TEST(while_fewer_requests_cannot_be_set_again_yet_the_drive_serves_one_at_a_time) {
        make_drive(SCHEDULER_BFQ);
        facts_set(&device.facts, TUNABLE_BFQ_STRICT_GUARANTEES, 0);
        device.tunables[TUNABLE_QUEUE_NR_REQUESTS].returned = input.now;
        input.now += policy.dwell_us * NSEC_PER_USEC - 1;
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 1);
        CHECK_INT(wishes[0].tunable, TUNABLE_BFQ_STRICT_GUARANTEES);
        CHECK_STR(told(wishes[0].sentence), "mpv (4711) reads 1 MB/s, beside 100 MB/s that are written; a program that started had its requests back a moment ago: "
                                      "one at a time instead of fewer");
        input.now++;
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 1);
        CHECK_INT(wishes[0].tunable, TUNABLE_QUEUE_NR_REQUESTS);
        device.tunables[TUNABLE_QUEUE_NR_REQUESTS].returns = 4; /* one start after the other */
        input.now = device.tunables[TUNABLE_QUEUE_NR_REQUESTS].returned + 16 * policy.dwell_us * NSEC_PER_USEC - 1;
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 1);
        CHECK_INT(wishes[0].tunable, TUNABLE_BFQ_STRICT_GUARANTEES);
}

TEST(where_one_at_a_time_cannot_be_set_the_queue_is_stopped_all_the_same) {
        for (int i = 0; i < 4; i++) {
                make_drive(SCHEDULER_BFQ);
                view.inflight = 500;
                if (i > 0) /* 0: a kernel without it */
                        facts_set(&device.facts, TUNABLE_BFQ_STRICT_GUARANTEES, 0);
                if (i == 1)
                        policy.limits[TUNABLE_BFQ_STRICT_GUARANTEES] = (struct policy_limit){ .set = true };
                if (i > 1)
                        device.tunables[TUNABLE_BFQ_STRICT_GUARANTEES].owner = i == 2 ? OWNER_FOREIGN : OWNER_GIVEN_UP;
                CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 1);
                CHECK_INT(wishes[0].tunable, TUNABLE_QUEUE_NR_REQUESTS);
        }
}

TEST(without_a_stream_or_without_writes_beside_it_there_is_nothing_to_guard) {
        make_drive(SCHEDULER_BFQ);
        CHECK_INT(hear(law_stream_guard, VERDICT_BULK, DIRECTION_NONE), 0);
        for (unsigned i = 0; i < WRITING_SECONDS; i++)
                view.writing[i].write_sectors = 4 << 11; /* as much as the policy lets pass, and a sector less than it */
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 1);
        view.writing[0].write_sectors -= WRITING_SECONDS;
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 0);
        make_drive(SCHEDULER_BFQ);
        policy.stream_guard.enabled = false;
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 0);
        make_drive(SCHEDULER_BFQ);
        view = (struct device_view){ .dev = DRIVE };
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 0);
}

TEST(a_process_that_lacks_only_time_to_be_a_stream_is_guarded_and_so_is_one_that_just_began_where_one_was) {
        make_drive(SCHEDULER_BFQ);
        snapshot.n_streams = 1;
        snapshot.streams[0] = (struct stream_view){ .state = STREAM_NEAR_MISS, .dev = DRIVE, .tgid = 4712, .name = "mpv",
                                                    .figures = { .flaw = RHYTHM_TOO_SHORT, .value = 1200000, .limit = 3000000 } };
        CHECK_INT(hear(law_stream_guard, VERDICT_BULK, DIRECTION_NONE), 1);
        CHECK(strstr(told(wishes[0].sentence), "mpv (4712) is no stream yet: its rhythm is steady for 1.2 s of 3 s, beside 100 MB/s"));
        CHECK_INT(wishes[0].hold_us, 0);
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 1);
        CHECK_INT(wishes[0].hold_us, policy.stream_guard.hold_us);
        snapshot.streams[0].figures.flaw = RHYTHM_TOO_FEW;
        CHECK_INT(hear(law_stream_guard, VERDICT_BULK, DIRECTION_NONE), 0);
        device.tunables[TUNABLE_QUEUE_NR_REQUESTS] = (struct controller_tunable){ .owner = OWNER_BRIO, .law = LAW_STREAM_GUARD, .original_known = true, .original = 64 };
        CHECK_INT(hear(law_stream_guard, VERDICT_BULK, DIRECTION_NONE), 0); /* what was guarded only came near, too, as dpkg does */
        device.tunables[TUNABLE_QUEUE_NR_REQUESTS].hold_us = policy.stream_guard.hold_us;
        CHECK_INT(hear(law_stream_guard, VERDICT_BULK, DIRECTION_NONE), 1);
        snapshot.streams[0].figures.flaw = RHYTHM_TOO_FAST; /* a copy */
        CHECK_INT(hear(law_stream_guard, VERDICT_BULK, DIRECTION_NONE), 0);
        snapshot.streams[0].figures.flaw = RHYTHM_FOLLOWS; /* one that asks again so long after each answer */
        CHECK_INT(hear(law_stream_guard, VERDICT_BULK, DIRECTION_NONE), 0);
        snapshot.streams[0].figures.flaw = RHYTHM_TOO_SHORT;
        snapshot.streams[0].dev = DRIVE + 1;
        CHECK_INT(hear(law_stream_guard, VERDICT_BULK, DIRECTION_NONE), 0);
}

/* mpv (4711) plays from a disk of which another process reads 100 MB/s and that is written to little; the drive has kept a read of it for so long. */
static void make_read_drive(uint32_t kept_us) {
        make_drive(SCHEDULER_BFQ);
        facts_set(&device.facts, TUNABLE_BFQ_STRICT_GUARANTEES, 0);
        for (unsigned i = 0; i < WRITING_SECONDS; i++)
                view.writing[i] = (struct writing_second){ .span_us = 1000000, .reads = 96, .read_sectors = 195312, .writes = 4, .write_sectors = 2048, .busy_ms = 1000 };
        snapshot.n_streams = snapshot.n_processes = 1;
        snapshot.streams[0] = (struct stream_view){ .state = STREAM_IS, .dev = DRIVE, .tgid = 4711, .name = "mpv", .figures = { .bytes_per_s = 1000000 } };
        snapshot.processes[0] = (struct process_view){ .tgid = 4711, .dev = DRIVE, .requests = { .told = true } };
        snapshot.processes[0].requests.latencies.service[REQUEST_READ].longest_us = kept_us;
}

/* As it stands once the law has set it for that. */
static void serve_one_at_a_time(void) {
        device.tunables[TUNABLE_BFQ_STRICT_GUARANTEES] = (struct controller_tunable){
                .owner = OWNER_BRIO, .law = LAW_STREAM_GUARD, .original_known = true, .wanted = 1, .lasting = true
        };
}

/* Beside one dd 61 % of a film's frames were late under bfq, and its reads stood in the drive for up to two seconds. */
TEST(where_the_drive_kept_a_request_of_a_stream_it_serves_one_at_a_time) {
        make_read_drive(2030000);
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 1);
        CHECK_INT(wishes[0].tunable, TUNABLE_BFQ_STRICT_GUARANTEES);
        CHECK_INT(wishes[0].value, 1);
        CHECK_INT(wishes[0].hold_us, 2 * policy.stream_guard.hold_us);
        CHECK(wishes[0].costs_throughput);
        CHECK_STR(told(wishes[0].sentence), "mpv (4711) reads 1 MB/s, beside 99 MB/s that are read; the drive kept a request of a stream for 2.03 s: one at a time");
        snapshot.streams[0].state = STREAM_NEAR_MISS; /* the clock of one that waits for seconds may be all that shows */
        snapshot.streams[0].figures = (struct rhythm_figures){ .clocked = true, .flaw = RHYTHM_NO_PAUSE, .regularity_permille = 800 };
        CHECK_INT(hear(law_stream_guard, VERDICT_BULK, DIRECTION_NONE), 1);
        CHECK_INT(wishes[0].tunable, TUNABLE_BFQ_STRICT_GUARANTEES);
        make_read_drive(240000);
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 1);
        make_read_drive(239999);
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 0);
}

TEST(no_process_is_held_up_for_a_stream_that_the_drive_did_not_keep_or_that_has_the_drive_for_itself) {
        for (int i = 0; i < 8; i++) {
                make_read_drive(2000000);
                switch (i) {
                case 0: snapshot.processes[0].requests.told = false; break;
                case 1: snapshot.processes[0].dev = DRIVE + 1; break;
                case 2: snapshot.streams[0].figures.bytes_per_s = 100000000; break; /* all that is read is its own */
                case 3: snapshot.streams[0].writes = true; break;
                case 4: policy.limits[TUNABLE_BFQ_STRICT_GUARANTEES] = (struct policy_limit){ .set = true }; break;
                case 5: device.tunables[TUNABLE_BFQ_STRICT_GUARANTEES].owner = OWNER_FOREIGN; break;
                case 6: device.facts.scheduler = SCHEDULER_MQ_DEADLINE; break;
                case 7: snapshot.streams[0].state = STREAM_CANDIDATE; break;
                }
                CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 0);
        }
}

/* A film of 12 MB/s asks for 128 KiB every 10.9 ms. bfq raises no such fast stream, and even with the fewest requests two writes of 10 ms
 * may go before each of its reads. */
TEST(beside_what_is_written_a_stream_whose_pieces_are_shorter_than_two_writes_has_one_at_a_time) {
        static const struct {
                uint64_t bytes_per_s;
                uint32_t period_us;
                enum stream_state state;
                bool strict;
        } vectors[] = {
                { 12000000, 10900, STREAM_IS, true },       { 12000000, 19999, STREAM_IS, true },       { 12000000, 20000, STREAM_IS, false },
                { 12000000, 420000, STREAM_IS, false }, /* in bursts of 5 MB */
                { 1000000, 10900, STREAM_IS, false },   /* which bfq raises */
                { 12000000, 10900, STREAM_NEAR_MISS, false }, { 12000000, 0, STREAM_IS, false }, /* by what it has open: its rhythm is not known yet */
        };

        for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
                make_read_drive(0);
                write_much();
                snapshot.streams[0].state = vectors[i].state;
                snapshot.streams[0].figures = (struct rhythm_figures){ .bytes_per_s = vectors[i].bytes_per_s, .period_us = vectors[i].period_us };
                CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 1);
                CHECK_INT(wishes[0].tunable, vectors[i].strict ? TUNABLE_BFQ_STRICT_GUARANTEES : TUNABLE_QUEUE_NR_REQUESTS);
                if (i == 0)
                        CHECK_STR(told(wishes[0].sentence), "mpv (4711) reads 1 MB/s, beside 100 MB/s that are written; its pieces last 10.9 ms each, and fewer requests would let 2 "
                                                            "writes of together 20 ms before each: one at a time");
        }
        make_read_drive(0);
        snapshot.streams[0].figures = (struct rhythm_figures){ .bytes_per_s = 12000000, .period_us = 10900 };
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 0); /* what is read waits its turn */
}

/* Ten writers at a time have half as much where the drive has one request, and fewer are enough for a player beside them. */
TEST(beside_what_is_written_fewer_requests_are_tried_first_and_have_time_to_help) {
        make_read_drive(2000000);
        write_much();
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 1);
        CHECK_INT(wishes[0].tunable, TUNABLE_QUEUE_NR_REQUESTS);
        device.tunables[TUNABLE_QUEUE_NR_REQUESTS] = (struct controller_tunable){
                .owner = OWNER_BRIO, .law = LAW_STREAM_GUARD, .original_known = true, .original = 64, .written = input.now, .hold_us = policy.stream_guard.hold_us
        };
        input.now += (5 + 2) * NSEC_PER_SEC - 1; /* and as long as it was kept */
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 1);
        CHECK_INT(wishes[0].tunable, TUNABLE_QUEUE_NR_REQUESTS);
        input.now++;
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 1);
        CHECK_INT(wishes[0].tunable, TUNABLE_BFQ_STRICT_GUARANTEES);
}

/* A copy reads and writes in turn; each time that it began with either the film would stand still once more. */
TEST(one_at_a_time_stays_as_long_as_much_is_read_or_written_beside_the_stream) {
        static const struct {
                uint32_t read, written; /* sectors a second */
                size_t wishes;
        } vectors[] = { { 195312, 0, 1 }, { 0, 195312, 1 }, { 195312, 195312, 1 }, { 8192 + 1954, 0, 1 }, { 8192 + 1953, 0, 0 }, { 0, 8192, 1 }, { 0, 8191, 0 } };

        for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
                make_read_drive(20000);
                serve_one_at_a_time();
                for (unsigned k = 0; k < WRITING_SECONDS; k++)
                        view.writing[k] = (struct writing_second){ .span_us = 1000000, .read_sectors = vectors[i].read, .write_sectors = vectors[i].written,
                                                                   .reads = 50, .writes = 50, .busy_ms = 1000 };
                CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), vectors[i].wishes);
                if (vectors[i].wishes)
                        CHECK_INT(wishes[0].tunable, TUNABLE_BFQ_STRICT_GUARANTEES);
        }
        make_read_drive(20000);
        serve_one_at_a_time();
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 1);
        CHECK(strstr(told(wishes[0].sentence), "; the drive has one at a time as long as that lasts"));
        device.tunables[TUNABLE_BFQ_STRICT_GUARANTEES].lasting = false; /* set for another reason */
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 0);
}

TEST(where_fewer_requests_cannot_be_set_the_drive_serves_one_at_a_time_once_it_kept_a_request) {
        for (int i = 0; i < 3; i++) {
                make_read_drive(i == 2 ? 100000 : 2000000);
                write_much();
                if (i == 0)
                        device.tunables[TUNABLE_QUEUE_NR_REQUESTS].owner = OWNER_FOREIGN;
                else
                        facts_set(&device.facts, TUNABLE_QUEUE_NR_REQUESTS, 4); /* the user's own choice is short enough, and yet no help */
                CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), i < 2);
                if (i < 2)
                        CHECK_INT(wishes[0].tunable, TUNABLE_BFQ_STRICT_GUARANTEES);
        }
}

TEST(what_only_came_near_to_a_stream_does_not_prolong_one_at_a_time) {
        make_read_drive(2000000);
        serve_one_at_a_time();
        device.tunables[TUNABLE_BFQ_STRICT_GUARANTEES].hold_us = policy.stream_guard.hold_us;
        snapshot.streams[0].state = STREAM_NEAR_MISS;
        snapshot.streams[0].figures = (struct rhythm_figures){ .flaw = RHYTHM_TOO_SHORT, .value = 1200000, .limit = 3000000 };
        CHECK_INT(hear(law_stream_guard, VERDICT_BULK, DIRECTION_NONE), 0);
        for (unsigned k = 0; k < WRITING_SECONDS; k++)
                view.writing[k].write_sectors = 195312;
        CHECK_INT(hear(law_stream_guard, VERDICT_BULK, DIRECTION_NONE), 0);
}

TEST(with_a_limit_of_nothing_pure_writes_get_fewer_requests_first_all_the_same) {
        make_read_drive(2000000);
        policy.stream_guard.min_written_mib = 0;
        for (unsigned k = 0; k < WRITING_SECONDS; k++)
                view.writing[k] = (struct writing_second){ .span_us = 1000000, .writes = 96, .write_sectors = 195312, .busy_ms = 1000 };
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 1);
        CHECK_INT(wishes[0].tunable, TUNABLE_QUEUE_NR_REQUESTS);
        memset(view.writing, 0, sizeof(view.writing));
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 0);
}

TEST(one_at_a_time_is_held_for_twice_as_long_however_long_that_is) {
        static const uint32_t vectors[][2] = { { 0, 0 }, { 1, 2 }, { 30000000, 60000000 }, { 2147483648u, UINT32_MAX }, { 3600000000u, UINT32_MAX } };

        for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
                make_read_drive(2000000);
                policy.stream_guard.hold_us = vectors[i][0];
                CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 1);
                CHECK_INT(wishes[0].hold_us, vectors[i][1]);
                CHECK(wishes[0].lasting);
        }
}

TEST(what_starts_while_the_drive_serves_one_at_a_time_has_all_requests_at_once) {
        make_read_drive(2000000);
        device.tunables[TUNABLE_QUEUE_NR_REQUESTS] =
                (struct controller_tunable){ .owner = OWNER_BRIO, .law = LAW_STREAM_GUARD, .original_known = true, .original = 64 };
        input.now += 10 * NSEC_PER_SEC;
        CHECK_INT(hear_start_beside_stream(), 1); /* not before the other stands */
        CHECK_INT(wishes[0].tunable, TUNABLE_BFQ_STRICT_GUARANTEES);
        make_read_drive(20000);
        serve_one_at_a_time();
        CHECK_INT(hear_start_beside_stream(), 1);
        device.tunables[TUNABLE_QUEUE_NR_REQUESTS] =
                (struct controller_tunable){ .owner = OWNER_BRIO, .law = LAW_STREAM_GUARD, .original_known = true, .original = 64 };
        CHECK_INT(hear_start_beside_stream(), 2);
        CHECK_INT(wishes[0].tunable, TUNABLE_BFQ_STRICT_GUARANTEES);
        CHECK_INT(wishes[1].tunable, TUNABLE_QUEUE_NR_REQUESTS);
        CHECK_INT(wishes[1].value, 64);
        CHECK(wishes[1].at_once);
}

/* A day with a call beside a copy had it changed six times in half a minute, and the queue frozen each time until all that it had was done. */
TEST(half_or_twice_of_what_stands_is_near_enough_unless_a_reader_would_have_none) {
        static const struct {
                unsigned standing, readers;
                uint32_t busy_ms; /* of a second with 100 requests */
                int64_t value;
        } vectors[] = { { 4, 1, 750, 4 }, { 4, 1, 375, 16 }, { 8, 1, 1000, 8 }, { 16, 1, 1000, 4 }, { 4, 5, 1000, 8 }, { 8, 8, 1000, 8 } };

        for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
                make_drive(SCHEDULER_BFQ);
                device.tunables[TUNABLE_QUEUE_NR_REQUESTS] =
                        (struct controller_tunable){ .owner = OWNER_BRIO, .law = LAW_STREAM_GUARD, .original_known = true, .original = 64 };
                facts_set(&device.facts, TUNABLE_QUEUE_NR_REQUESTS, vectors[i].standing);
                view.readers = vectors[i].readers;
                for (unsigned k = 0; k < WRITING_SECONDS; k++)
                        view.writing[k].busy_ms = vectors[i].busy_ms;
                CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 1);
                CHECK_INT(wishes[0].value, vectors[i].value);
        }
        CHECK(!strstr(told(wishes[0].sentence), "near enough"));
        view.readers = 1;
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 1);
        CHECK(strstr(told(wishes[0].sentence), "and one a reader (1) = 4, base 64, to which the 8 that stand are near enough"));
}

/* A process that reads, thinks for as long each time, and reads again looks like one as long as the answers take as long, too. */
TEST(an_even_rhythm_of_less_than_a_second_is_not_guarded_unless_one_was_guarded) {
        make_drive(SCHEDULER_BFQ);
        snapshot.n_streams = 1;
        snapshot.streams[0] = (struct stream_view){ .state = STREAM_NEAR_MISS, .dev = DRIVE, .tgid = 4712, .name = "fio",
                                                    .figures = { .flaw = RHYTHM_TOO_SHORT, .value = 999999, .limit = 3000000 } };
        CHECK_INT(hear(law_stream_guard, VERDICT_BULK, DIRECTION_NONE), 0);
        snapshot.streams[0].figures.value = 1000000;
        CHECK_INT(hear(law_stream_guard, VERDICT_BULK, DIRECTION_NONE), 1);
        snapshot.streams[0].figures.value = 200000;
        CHECK_INT(hear(law_stream_guard, VERDICT_BULK, DIRECTION_NONE), 0);
        device.tunables[TUNABLE_QUEUE_NR_REQUESTS] = (struct controller_tunable){ .owner = OWNER_BRIO, .law = LAW_STREAM_GUARD, .original_known = true, .original = 64 };
        CHECK_INT(hear(law_stream_guard, VERDICT_BULK, DIRECTION_NONE), 0); /* what was guarded only came near, too, as dpkg does */
        device.tunables[TUNABLE_QUEUE_NR_REQUESTS].hold_us = policy.stream_guard.hold_us;
        CHECK_INT(hear(law_stream_guard, VERDICT_BULK, DIRECTION_NONE), 1);
}

/* Beside ten writers a player waited for 80 % of its time, so that it never paused for long enough to be a stream, and was 16 s late in the end. */
TEST(a_process_that_keeps_a_clocks_time_is_guarded_at_once_however_little_it_rests) {
        static const struct {
                enum rhythm_flaw flaw;
                uint32_t regularity;
                bool clocked, guarded;
        } vectors[] = {
                { RHYTHM_NO_PAUSE, 800, true, true },   { RHYTHM_NO_PAUSE, 800, false, false },
                { RHYTHM_TOO_SHORT, 800, true, true },  { RHYTHM_TOO_SHORT, 800, false, false },
                { RHYTHM_IRREGULAR, 500, true, true },  { RHYTHM_IRREGULAR, 499, true, false },
                { RHYTHM_TOO_FAST, 800, true, false },  { RHYTHM_FOLLOWS, 800, true, false },
                { RHYTHM_COMPUTES, 800, true, false },  { RHYTHM_STARVES, 300, false, true },
        };

        for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
                make_drive(SCHEDULER_BFQ);
                snapshot.n_streams = 1;
                snapshot.streams[0] = (struct stream_view){ .state = STREAM_NEAR_MISS, .dev = DRIVE, .tgid = 4712, .name = "mpv" };
                snapshot.streams[0].figures = (struct rhythm_figures){ .flaw = vectors[i].flaw, .value = 140, .limit = 200, .clocked = vectors[i].clocked,
                                                                       .regularity_permille = vectors[i].regularity };
                CHECK_INT(hear(law_stream_guard, VERDICT_BULK, DIRECTION_NONE), vectors[i].guarded);
                if (i == 0)
                        CHECK(strstr(told(wishes[0].sentence), "mpv (4712) is no stream: it pauses for 14% of its time, and one for 20% at least, yet it keeps its time "
                                                         "whatever the answers take, beside 100 MB/s that are written"));
        }
}

TEST(what_a_recorder_writes_itself_is_not_beside_it) {
        make_drive(SCHEDULER_BFQ);
        for (unsigned i = 0; i < WRITING_SECONDS; i++)
                view.writing[i].write_sectors = 5 << 11;
        snapshot.n_streams = 1;
        snapshot.streams[0] = (struct stream_view){ .state = STREAM_IS, .dev = DRIVE, .tgid = 4711, .writes = true, .figures = { .bytes_per_s = 2 << 20 } };
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 0);
        snapshot.streams[0].writes = false; /* a player: another process writes */
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 1);
        snapshot.streams[0].writes = true;
        snapshot.streams[0].dev = DRIVE + 1; /* records elsewhere */
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 1);
}

TEST(a_drive_that_is_fast_enough_as_it_is_keeps_its_queue) {
        make_drive(SCHEDULER_BFQ);
        for (unsigned i = 0; i < WRITING_SECONDS; i++)
                view.writing[i].writes = 4996; /* 0.2 ms each */
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 0);
        for (unsigned i = 0; i < WRITING_SECONDS; i++)
                view.writing[i].writes = 0; /* too few to tell */
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 0);
}

TEST(writing_is_held_back_where_reads_starve_and_let_go_where_that_hurts) {
        make_drive(SCHEDULER_BFQ);
        CHECK_INT(hear(law_writeback_guard, VERDICT_WRITEBACK, DIRECTION_READS_STARVE), 1);
        CHECK_INT(wishes[0].law, LAW_WRITEBACK_GUARD);
        CHECK_INT(wishes[0].value, 4);
        CHECK_INT(hear(law_writeback_guard, VERDICT_WRITEBACK, DIRECTION_THROTTLING_HURTS), 0);
        CHECK_INT(hear(law_writeback_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 0);
        policy.writeback_guard.enabled = false;
        CHECK_INT(hear(law_writeback_guard, VERDICT_WRITEBACK, DIRECTION_READS_STARVE), 0);
}

/* A player's reads stood in the drive for two seconds each, so that it had no rhythm to be known by, and no law guarded it. */
TEST(reads_are_guarded_once_a_person_notices_what_they_take_and_then_however_fast_they_are) {
        struct law_input l = { .d = &device, .in = &input, .view = &view, .v = &verdict, .n = 1 };

        make_drive(SCHEDULER_BFQ);
        policy.writeback_guard.min_read_us = 300000;
        CHECK_INT(hear(law_writeback_guard, VERDICT_WRITEBACK, DIRECTION_READS_STARVE), 0);
        verdict_add(&verdict, "read-latency", 299999, 100000, "us");
        CHECK_INT(law_writeback_guard(&l, wishes), 0);
        verdict.evidence[0].value = 300000;
        CHECK_INT(law_writeback_guard(&l, wishes), 1);
        verdict.evidence[0].value = 30000; /* because of it */
        device.tunables[TUNABLE_QUEUE_NR_REQUESTS] =
                (struct controller_tunable){ .owner = OWNER_BRIO, .law = LAW_WRITEBACK_GUARD, .original_known = true, .original = 64 };
        CHECK_INT(law_writeback_guard(&l, wishes), 1);
}

/* GTK 4 beside five readers and five writers took 16.7 s where the guard had left eight requests, and 5 s where it had not. */
TEST(beside_many_readers_or_a_start_reads_are_not_guarded_and_what_was_set_comes_back_at_once) {
        struct verdict both[2] = { { .kind = VERDICT_STARTUP, .dev = DRIVE, .sentence = "a start" },
                                   { .kind = VERDICT_WRITEBACK, .direction = DIRECTION_READS_STARVE, .dev = DRIVE, .sentence = "reads starve" } };
        struct law_input l = { .d = &device, .in = &input, .view = &view, .v = both, .n = 2 };

        make_drive(SCHEDULER_BFQ);
        CHECK_INT(law_writeback_guard(&l, wishes), 0);
        l.v++;
        l.n = 1;
        CHECK_INT(law_writeback_guard(&l, wishes), 1);
        view.readers = 4;
        CHECK_INT(law_writeback_guard(&l, wishes), 0);
        device.tunables[TUNABLE_QUEUE_NR_REQUESTS] =
                (struct controller_tunable){ .owner = OWNER_BRIO, .law = LAW_WRITEBACK_GUARD, .original_known = true, .original = 64 };
        CHECK_INT(law_writeback_guard(&l, wishes), 1);
        CHECK_INT(wishes[0].value, 64);
        CHECK(wishes[0].at_once);
        view.readers = 3;
        CHECK_INT(law_writeback_guard(&l, wishes), 1);
        CHECK(wishes[0].value < 64 && !wishes[0].at_once);
        l.v--;
        l.n = 2;
        CHECK_INT(law_writeback_guard(&l, wishes), 1);
        CHECK(wishes[0].value == 64 && wishes[0].at_once);
}

TEST(guards_compute_from_the_original_and_stand_while_their_own_value_does) {
        make_drive(SCHEDULER_BFQ);
        facts_set(&device.facts, TUNABLE_QUEUE_NR_REQUESTS, 4);
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 0); /* the user's own choice is short enough */
        device.tunables[TUNABLE_QUEUE_NR_REQUESTS] = (struct controller_tunable){ .owner = OWNER_BRIO, .original_known = true, .original = 64 };
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 1);
        CHECK_INT(wishes[0].value, 4);
}

TEST(under_mq_deadline_writes_alone_are_bound_and_where_nothing_can_be_nothing_is) {
        make_drive(SCHEDULER_MQ_DEADLINE);
        CHECK_INT(hear(law_writeback_guard, VERDICT_WRITEBACK, DIRECTION_READS_STARVE), 1);
        CHECK_INT(wishes[0].tunable, TUNABLE_MQ_DEADLINE_ASYNC_DEPTH);
        CHECK_INT(wishes[0].value, 2);
        make_drive(SCHEDULER_NONE); /* its requests are readers' as much as writers' */
        CHECK_INT(hear(law_writeback_guard, VERDICT_WRITEBACK, DIRECTION_READS_STARVE), 0);
}

TEST(of_two_guards_the_streams_is_heard_first) {
        struct verdict both[2] = { { .kind = VERDICT_SOFT_RT, .dev = DRIVE, .sentence = "a player" },
                                   { .kind = VERDICT_WRITEBACK, .direction = DIRECTION_READS_STARVE, .dev = DRIVE, .sentence = "reads starve" } };
        struct law_wish all[LAW_WISHES_ALL_MAX];

        make_drive(SCHEDULER_BFQ);
        CHECK_INT(law_collect(&(struct law_input){ .d = &device, .in = &input, .view = &view, .v = both, .n = 2 }, all), 1);
        CHECK_INT(all[0].law, LAW_STREAM_GUARD);
}

static void commit(struct controller *c, const struct setting_change *change, enum receipt_result result, const char *old, nsec_t t) {
        struct receipt r = { .id = change->id, .dev = change->dev, .tunable = change->tunable, .law = change->law, .result = result, .t = t };

        snprintf(r.old, sizeof(r.old), "%s", old);
        snprintf(r.wanted, sizeof(r.wanted), "%s", change->value);
        snprintf(r.observed, sizeof(r.observed), "%s", change->value);
        controller_commit(c, &r);
}

TEST(what_a_stream_was_given_goes_back_when_it_ends) {
        struct controller *c = controller_new();
        static struct plan plan;

        make_drive(SCHEDULER_BFQ);
        policy.trial.enabled = false;
        CHECK(c);
        CHECK_INT(controller_set_device(c, &device.facts, &policy), 0);
        snapshot.n_devices = 1;
        snapshot.devices[0] = view;
        verdict = (struct verdict){ .kind = VERDICT_SOFT_RT, .dev = DRIVE, .subject = { .tgid = 4711 }, .sentence = "mpv (4711) reads 1 MB/s" };
        controller_step(c, &input, &plan);
        CHECK_INT(plan.n, 1);
        CHECK_INT(plan.changes[0].tunable, TUNABLE_QUEUE_NR_REQUESTS);
        CHECK_STR(plan.changes[0].value, "4");
        commit(c, &plan.changes[0], RECEIPT_APPLIED, "64", input.now);
        CHECK(controller_holds(controller_find_device(c, DRIVE), LAW_STREAM_GUARD));
        CHECK(!controller_holds(controller_find_device(c, DRIVE), LAW_WRITEBACK_GUARD));
        input.n_verdicts = 0; /* it ends */
        for (unsigned s = 1; s <= 40; s++) {
                input.now = snapshot.now = (1 + s) * NSEC_PER_SEC;
                controller_step(c, &input, &plan);
                if (plan.n > 0)
                        break;
                CHECK(s <= policy.stream_guard.hold_us / USEC_PER_SEC);
        }
        CHECK(nsec_sub(input.now, 2 * NSEC_PER_SEC) >= policy.stream_guard.hold_us * NSEC_PER_USEC);
        CHECK_INT(plan.n, 1);
        CHECK_INT(plan.changes[0].action, CHANGE_RESTORE);
        CHECK_STR(plan.changes[0].value, "64");
        commit(c, &plan.changes[0], RECEIPT_RESTORED, "4", input.now);
        CHECK(!controller_holds(controller_find_device(c, DRIVE), LAW_STREAM_GUARD));
        controller_free(c);
}
