/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws stream-guard and writeback-guard: their vectors, and when they have anything to want. */
#include "detect.h"
#include "facts.h"
#include "law.h"
#include "policy.h"
#include "test.h"
#include "told.h"

#define DRIVE 1
#define STRICT TUNABLE_BFQ_STRICT_GUARANTEES

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
        device = (struct controller_device){ .used = true, .policy = &policy, .facts = { .dev = DRIVE, .scheduler = scheduler, .rotational = true } };
        facts_set(&device.facts, TUNABLE_QUEUE_NR_REQUESTS, 64);
        if (scheduler == SCHEDULER_MQ_DEADLINE)
                facts_set(&device.facts, TUNABLE_MQ_DEADLINE_ASYNC_DEPTH, 64);
        if (scheduler == SCHEDULER_BFQ)
                facts_set(&device.facts, STRICT, 0);
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

TEST(beside_a_stream_that_cannot_go_first_the_drive_has_one_request_at_a_time) {
        make_drive(SCHEDULER_BFQ);
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 1);
        CHECK_INT(wishes[0].law, LAW_STREAM_GUARD);
        CHECK_INT(wishes[0].tunable, STRICT);
        CHECK_INT(wishes[0].value, 1);
        CHECK(wishes[0].costs_throughput);
        CHECK_STR(told(wishes[0].sentence), "mpv (4711) reads 1 MB/s, beside 100 MB/s that are written; within 60 ms the drive serves 4 requests of 10 ms, and the queue "
                                            "may have 64: one at a time");
}

/* The kernel stops the queue to change its size, until all that it has is done: with 1024 requests a read waited for 7.9 s for that. */
TEST(no_guard_changes_the_size_of_a_queue_that_is_in_use) {
        for (int writeback = 0; writeback < 2; writeback++)
                for (unsigned inflight = 0; inflight < 2000; inflight += 100) {
                        make_drive(SCHEDULER_BFQ);
                        view.inflight = inflight;
                        if (writeback)
                                CHECK_INT(hear(law_writeback_guard, VERDICT_WRITEBACK, DIRECTION_READS_STARVE), 1);
                        else
                                CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 1);
                        CHECK_INT(wishes[0].tunable, STRICT);
                }
}

static size_t hear_start_beside_stream(void) {
        static const struct verdict both[2] = { { .kind = VERDICT_STARTUP, .dev = DRIVE, .sentence = "a start" },
                                                { .kind = VERDICT_SOFT_RT, .dev = DRIVE, .sentence = "mpv (4711) reads 1 MB/s" } };

        return law_stream_guard(&(struct law_input){ .d = &device, .in = &input, .view = &view, .v = both, .n = 2 }, wishes);
}

/* A copy pauses for longer than five seconds; what stands then is in the way of what starts. */
TEST(what_outlasts_a_stream_or_the_writes_beside_it_comes_back_at_once_for_what_starts) {
        static const struct verdict start = { .kind = VERDICT_STARTUP, .dev = DRIVE, .sentence = "a start" };
        struct law_input l = { .d = &device, .in = &input, .view = &view, .v = &start, .n = 1 };

        make_drive(SCHEDULER_BFQ);
        CHECK_INT(law_stream_guard(&l, wishes), 0);
        device.tunables[STRICT] = (struct controller_tunable){ .owner = OWNER_BRIO, .law = LAW_STREAM_GUARD, .original_known = true, .wanted = 1 };
        for (int i = 0; i < 2; i++) { /* no stream, then one beside which nothing is written */
                CHECK_INT(i == 0 ? law_stream_guard(&l, wishes) : hear_start_beside_stream(), 1);
                CHECK_INT(wishes[0].tunable, STRICT);
                CHECK_INT(wishes[0].value, 0);
                CHECK(wishes[0].at_once);
                memset(view.writing, 0, sizeof(view.writing));
        }
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 0); /* and without a start there is no need of it */
}

TEST(where_one_at_a_time_cannot_be_set_nothing_is) {
        for (int i = 0; i < 4; i++) {
                make_drive(SCHEDULER_BFQ);
                if (i == 0) /* a kernel without it */
                        device.facts.values[STRICT].present = false;
                if (i == 1)
                        policy.limits[STRICT] = (struct policy_limit){ .set = true };
                if (i > 1)
                        device.tunables[STRICT].owner = i == 2 ? OWNER_FOREIGN : OWNER_GIVEN_UP;
                CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 0);
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
        device.tunables[STRICT] = (struct controller_tunable){ .owner = OWNER_BRIO, .law = LAW_STREAM_GUARD, .original_known = true, .wanted = 1 };
        CHECK_INT(hear(law_stream_guard, VERDICT_BULK, DIRECTION_NONE), 0); /* what was guarded only came near, too, as dpkg does */
        device.tunables[STRICT].hold_us = policy.stream_guard.hold_us;
        CHECK_INT(hear(law_stream_guard, VERDICT_BULK, DIRECTION_NONE), 1);
        snapshot.streams[0].figures.flaw = RHYTHM_TOO_FAST; /* a copy */
        CHECK_INT(hear(law_stream_guard, VERDICT_BULK, DIRECTION_NONE), 0);
        snapshot.streams[0].figures.flaw = RHYTHM_FOLLOWS; /* one that asks again so long after each answer */
        CHECK_INT(hear(law_stream_guard, VERDICT_BULK, DIRECTION_NONE), 0);
        snapshot.streams[0].figures.flaw = RHYTHM_TOO_SHORT;
        snapshot.streams[0].dev = DRIVE + 1;
        CHECK_INT(hear(law_stream_guard, VERDICT_BULK, DIRECTION_NONE), 0);
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
        device.tunables[STRICT] = (struct controller_tunable){ .owner = OWNER_BRIO, .law = LAW_STREAM_GUARD, .original_known = true, .wanted = 1 };
        CHECK_INT(hear(law_stream_guard, VERDICT_BULK, DIRECTION_NONE), 0); /* what was guarded only came near, too, as dpkg does */
        device.tunables[STRICT].hold_us = policy.stream_guard.hold_us;
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
                        CHECK(strstr(told(wishes[0].sentence), "mpv (4712) is no stream: it pauses for 14 % of its time, and one for 20 % at least, yet it keeps its time "
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
        CHECK_INT(wishes[0].tunable, STRICT);
        CHECK_INT(wishes[0].value, 1);
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
        device.tunables[STRICT] = (struct controller_tunable){ .owner = OWNER_BRIO, .law = LAW_WRITEBACK_GUARD, .original_known = true, .wanted = 1 };
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
        device.tunables[STRICT] = (struct controller_tunable){ .owner = OWNER_BRIO, .law = LAW_WRITEBACK_GUARD, .original_known = true, .wanted = 1 };
        CHECK_INT(law_writeback_guard(&l, wishes), 1);
        CHECK_INT(wishes[0].value, 0);
        CHECK(wishes[0].at_once);
        view.readers = 3;
        CHECK_INT(law_writeback_guard(&l, wishes), 1);
        CHECK(wishes[0].value == 1 && !wishes[0].at_once);
        l.v--;
        l.n = 2;
        CHECK_INT(law_writeback_guard(&l, wishes), 1);
        CHECK(wishes[0].value == 0 && wishes[0].at_once);
}

TEST(guards_compute_from_the_original_number_of_requests) {
        make_drive(SCHEDULER_BFQ);
        facts_set(&device.facts, TUNABLE_QUEUE_NR_REQUESTS, 4);
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 0); /* the user's own choice is short enough */
        device.tunables[TUNABLE_QUEUE_NR_REQUESTS] = (struct controller_tunable){ .owner = OWNER_BRIO, .original_known = true, .original = 64 };
        CHECK_INT(hear(law_stream_guard, VERDICT_SOFT_RT, DIRECTION_NONE), 1);
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
        uint32_t held_off;

        make_drive(SCHEDULER_BFQ);
        CHECK_INT(law_collect(&(struct law_input){ .d = &device, .in = &input, .view = &view, .v = both, .n = 2 }, all, &held_off), 1);
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
        CHECK_INT(plan.changes[0].tunable, STRICT);
        CHECK_STR(plan.changes[0].value, "1");
        commit(c, &plan.changes[0], RECEIPT_APPLIED, "0", input.now);
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
        CHECK_STR(plan.changes[0].value, "0");
        commit(c, &plan.changes[0], RECEIPT_RESTORED, "1", input.now);
        CHECK(!controller_holds(controller_find_device(c, DRIVE), LAW_STREAM_GUARD));
        controller_free(c);
}
