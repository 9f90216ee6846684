/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The laws' arithmetic against the vectors that were computed from the seeds, and their wishes on whole drives. */
#include "facts.h"
#include "law.h"
#include "policy.h"
#include "test.h"
#include "told.h"

TEST(idle_limit_leaves_8_ms_up_to_37_readers) {
        for (uint32_t n = 0; n <= 37; n++)
                CHECK_INT(law_idle_limit_us(8000, 300000, n), 8000);
}

TEST(idle_limit_divides_the_group_slice_beyond) {
        CHECK_INT(law_idle_limit_us(8000, 300000, 38), 7894);
        CHECK_INT(law_idle_limit_us(8000, 300000, 64), 4687);
        CHECK_INT(law_idle_limit_us(8000, 300000, 100), 3000);
        CHECK_INT(law_idle_limit_us(8000, 300000, 500), 600);
        CHECK_INT(law_idle_limit_us(8000, 300000, UINT32_MAX), 0);
}

TEST(slice_share_follows_the_seed) {
        static const struct {
                uint32_t n;
                uint64_t us;
        } vectors[] = { { 1, 100000 }, { 2, 100000 }, { 3, 100000 }, { 4, 75000 }, { 8, 37500 }, { 16, 18750 }, { 19, 16000 }, { 32, 16000 } };

        for (size_t i = 0; i < ARRAY_SIZE(vectors); i++)
                CHECK_INT(law_slice_share_us(100000, 8000, vectors[i].n, true), vectors[i].us);
        CHECK_INT(law_slice_share_us(100000, 8000, 1000, false), 8000);
}

TEST(slice_share_never_lengthens_a_slice) {
        CHECK_INT(law_slice_share_us(10000, 8000, 100, true), 10000);
}

static struct policy policy;
static struct controller_device device;

static void make_device(enum scheduler scheduler) {
        policy_init(&policy, "test", "test.conf");
        policy.classes = 1u << DEVICE_CLASS_HDD;
        policy.idle_limit = (struct policy_idle_limit){ .enabled = true, .group_slice_us = 300000, .min_readers = 1 };
        policy.slice_share = (struct policy_slice_share){ .enabled = true, .min_readers = 4 };
        device = (struct controller_device){
                .used = true,
                .policy = &policy,
                .facts = { .dev = 1, .class = DEVICE_CLASS_HDD, .scheduler = scheduler, .rotational = true, .queue_depth = 32 },
        };
}

/* A tick without a hold, in which it is not known whether a user is there. */
static struct snapshot snapshot;
static struct controller_input tick = { .snapshot = &snapshot };

static size_t hear_all(size_t (*law)(const struct law_input *l, struct law_wish *ret), const struct verdict *v, size_t n, struct law_wish *ret) {
        return law(&(struct law_input){ .d = &device, .in = &tick, .v = v, .n = n }, ret);
}

static size_t hear(size_t (*law)(const struct law_input *l, struct law_wish *ret), const struct verdict *v, struct law_wish *ret) {
        return hear_all(law, v, 1, ret);
}

static void hold_value(enum tunable_id id, enum law_id law, int64_t original, int64_t value) {
        facts_set(&device.facts, id, value);
        device.tunables[id] = (struct controller_tunable){ .owner = OWNER_BRIO, .law = law, .original_known = true, .original = original, .wanted = value };
}

static struct verdict make_verdict(enum verdict_kind kind, int64_t readers) {
        return (struct verdict){ .kind = kind, .dev = 1, .n_evidence = 1, .evidence = { { "readers", readers, 0, "" } }, .sentence = "readers" };
}

TEST(idle_limit_names_its_inputs_and_its_result) {
        struct law_wish wishes[LAW_WISHES_MAX];
        struct verdict v = make_verdict(VERDICT_MANY_SYNC, 150);

        make_device(SCHEDULER_BFQ);
        facts_set(&device.facts, TUNABLE_BFQ_SLICE_IDLE_US, 8000);
        CHECK_INT(hear(law_idle_limit, &v, wishes), 1);
        CHECK_INT(wishes[0].tunable, TUNABLE_BFQ_SLICE_IDLE_US);
        CHECK_INT(wishes[0].value, 2000);
        CHECK(strstr(told(wishes[0].sentence), "slice_idle_us = min(base 8000 µs, group slice 300000 µs / 150 readers) = 2000 µs"));
}

TEST(idle_limit_does_not_wait_less_than_pays) {
        struct law_wish wishes[LAW_WISHES_MAX];
        struct verdict v = make_verdict(VERDICT_MANY_SYNC, 75);

        make_device(SCHEDULER_BFQ);
        facts_set(&device.facts, TUNABLE_BFQ_SLICE_IDLE_US, 8000);
        policy.idle_limit.shortest_wait_us = 4000;
        CHECK_INT(hear(law_idle_limit, &v, wishes), 1);
        CHECK_INT(wishes[0].value, 4000);
        v = make_verdict(VERDICT_MANY_SYNC, 76); /* 75 jiffies at 250 Hz among 76: none */
        CHECK_INT(hear(law_idle_limit, &v, wishes), 1);
        CHECK_INT(wishes[0].value, 0);
        CHECK(strstr(told(wishes[0].sentence), "/ 76 readers) = 3947 µs, shorter than 4000 µs, so 0 µs"));
        facts_set(&device.facts, TUNABLE_BFQ_SLICE_IDLE_US, 1000); /* a base that is short already is the user's choice */
        v = make_verdict(VERDICT_MANY_SYNC, 100);
        CHECK_INT(hear(law_idle_limit, &v, wishes), 1);
        CHECK_INT(wishes[0].value, 1000);
}

TEST(idle_limit_uses_milliseconds_where_cfq_has_no_microseconds) {
        struct law_wish wishes[LAW_WISHES_MAX];
        struct verdict v = make_verdict(VERDICT_MANY_SYNC, 100);

        make_device(SCHEDULER_CFQ);
        facts_set(&device.facts, TUNABLE_CFQ_SLICE_IDLE, 8);
        CHECK_INT(hear(law_idle_limit, &v, wishes), 1);
        CHECK_INT(wishes[0].tunable, TUNABLE_CFQ_SLICE_IDLE);
        CHECK_INT(wishes[0].value, 3);
        facts_set(&device.facts, TUNABLE_CFQ_SLICE_IDLE_US, 8000);
        CHECK_INT(hear(law_idle_limit, &v, wishes), 1);
        CHECK_INT(wishes[0].tunable, TUNABLE_CFQ_SLICE_IDLE_US);
        CHECK_INT(wishes[0].value, 3000);
}

TEST(idle_limit_is_silent_where_nothing_idles) {
        struct law_wish wishes[LAW_WISHES_MAX];
        struct verdict v = make_verdict(VERDICT_MANY_SYNC, 150);

        make_device(SCHEDULER_MQ_DEADLINE);
        CHECK_INT(hear(law_idle_limit, &v, wishes), 0);
        make_device(SCHEDULER_BFQ);
        facts_set(&device.facts, TUNABLE_BFQ_SLICE_IDLE_US, 8000);
        device.facts.rotational = false;
        CHECK_INT(hear(law_idle_limit, &v, wishes), 0);
        device.facts.queue_depth = 1;
        CHECK_INT(hear(law_idle_limit, &v, wishes), 1);
        policy.idle_limit.enabled = false;
        CHECK_INT(hear(law_idle_limit, &v, wishes), 0);
}

TEST(laws_compute_from_the_original_not_from_what_they_set) {
        struct law_wish wishes[LAW_WISHES_MAX];
        struct verdict v = make_verdict(VERDICT_MANY_SYNC, 150);

        make_device(SCHEDULER_BFQ);
        facts_set(&device.facts, TUNABLE_BFQ_SLICE_IDLE_US, 1000);
        device.tunables[TUNABLE_BFQ_SLICE_IDLE_US] = (struct controller_tunable){ .owner = OWNER_BRIO, .original_known = true, .original = 8000 };
        CHECK_INT(hear(law_idle_limit, &v, wishes), 1);
        CHECK_INT(wishes[0].value, 2000);
}

TEST(slice_share_keeps_the_policys_floor) {
        struct law_wish wishes[LAW_WISHES_MAX];
        struct verdict v = make_verdict(VERDICT_SHARED, 32);

        make_device(SCHEDULER_BFQ);
        facts_set(&device.facts, TUNABLE_BFQ_TIMEOUT_SYNC, 125);
        facts_set(&device.facts, TUNABLE_BFQ_SLICE_IDLE_US, 8000);
        CHECK_INT(hear(law_slice_share, &v, wishes), 1);
        CHECK_INT(wishes[0].value, 16);
        CHECK(wishes[0].costs_throughput);
        policy.slice_share.floor_us = 75000;
        CHECK_INT(hear(law_slice_share, &v, wishes), 1);
        CHECK_INT(wishes[0].value, 75);
}

TEST(slice_share_leaves_cfq_alone_where_it_shares_by_itself) {
        struct law_wish wishes[LAW_WISHES_MAX];
        struct verdict v = make_verdict(VERDICT_SHARED, 8);

        make_device(SCHEDULER_CFQ);
        facts_set(&device.facts, TUNABLE_CFQ_SLICE_SYNC, 100);
        facts_set(&device.facts, TUNABLE_CFQ_SLICE_IDLE, 8);
        CHECK_INT(hear(law_slice_share, &v, wishes), 1); /* before 2.6.37: no target_latency */
        CHECK_INT(wishes[0].value, 37);
        facts_set(&device.facts, TUNABLE_CFQ_TARGET_LATENCY, 300);
        facts_set(&device.facts, TUNABLE_CFQ_LOW_LATENCY, 1);
        CHECK_INT(hear(law_slice_share, &v, wishes), 0);
        facts_set(&device.facts, TUNABLE_CFQ_LOW_LATENCY, 0);
        facts_set(&device.facts, TUNABLE_CFQ_SLICE_SYNC_US, 100000);
        facts_set(&device.facts, TUNABLE_CFQ_SLICE_IDLE_US, 8000);
        CHECK_INT(hear(law_slice_share, &v, wishes), 1);
        CHECK_INT(wishes[0].tunable, TUNABLE_CFQ_SLICE_SYNC_US);
        CHECK_INT(wishes[0].value, 37500);
}

TEST(slice_share_shortens_mq_deadlines_batches) {
        struct law_wish wishes[LAW_WISHES_MAX];
        struct verdict v = make_verdict(VERDICT_SHARED, 12);

        make_device(SCHEDULER_MQ_DEADLINE);
        facts_set(&device.facts, TUNABLE_MQ_DEADLINE_FIFO_BATCH, 16);
        facts_set(&device.facts, TUNABLE_MQ_DEADLINE_READ_EXPIRE, 500);
        CHECK_INT(hear(law_slice_share, &v, wishes), 2);
        CHECK_INT(wishes[0].value, 4);
        CHECK_INT(wishes[1].value, 125);
        v = make_verdict(VERDICT_SHARED, 1000);
        CHECK_INT(hear(law_slice_share, &v, wishes), 2);
        CHECK_INT(wishes[0].value, 1);
        CHECK_INT(wishes[1].value, 100);
}

TEST(all_laws_are_heard_and_each_tunable_is_wanted_once) {
        struct law_wish wishes[LAW_WISHES_ALL_MAX];
        struct verdict v[] = { make_verdict(VERDICT_MANY_SYNC, 150), make_verdict(VERDICT_SHARED, 150) };
        uint32_t held_off;

        make_device(SCHEDULER_BFQ);
        facts_set(&device.facts, TUNABLE_BFQ_SLICE_IDLE_US, 8000);
        facts_set(&device.facts, TUNABLE_BFQ_TIMEOUT_SYNC, 125);
        CHECK_INT(law_collect(&(struct law_input){ .d = &device, .in = &tick, .v = v, .n = ARRAY_SIZE(v) }, wishes, &held_off), 2);
        CHECK_INT(wishes[0].law, LAW_IDLE_LIMIT);
        CHECK_INT(wishes[1].law, LAW_SLICE_SHARE);
        v[0] = make_verdict(VERDICT_HOLES, 0);
        v[0].evidence[0] = (struct evidence){ "injection-cost", 1200, 1500, "permille" };
        policy.hole_filler.enabled = true;
        CHECK_INT(law_collect(&(struct law_input){ .d = &device, .in = &tick, .v = v, .n = ARRAY_SIZE(v) }, wishes, &held_off), 2);
        CHECK_INT(wishes[0].law, LAW_HOLE_FILLER);
        CHECK_INT(wishes[1].law, LAW_SLICE_SHARE);
        CHECK_INT(wishes[1].tunable, TUNABLE_BFQ_TIMEOUT_SYNC);
}

TEST(idle_limit_waits_for_no_reader_in_vain) {
        struct law_wish wishes[LAW_WISHES_MAX];
        struct verdict v = make_verdict(VERDICT_MANY_SYNC, 20), many[2];

        make_device(SCHEDULER_BFQ);
        facts_set(&device.facts, TUNABLE_BFQ_SLICE_IDLE_US, 8000);
        v.evidence[v.n_evidence++] = (struct evidence){ "in-vain", 899, 0, "permille" };
        CHECK_INT(hear(law_idle_limit, &v, wishes), 1);
        CHECK_INT(wishes[0].value, 8000);
        v.evidence[1].value = 950;
        CHECK_INT(hear(law_idle_limit, &v, wishes), 1);
        CHECK_INT(wishes[0].value, 0);
        CHECK(strstr(told(wishes[0].sentence), "= 8000 µs, and of 95 % of them it catches no request that the drive has near, so 0 µs"));
        policy.idle_limit.shortest_wait_us = 8001;
        CHECK_INT(hear(law_idle_limit, &v, wishes), 1);
        CHECK_INT(wishes[0].value, 8000);
        policy.idle_limit.shortest_wait_us = 8000;
        many[0] = v;
        many[1] = make_verdict(VERDICT_STARTUP, 0);
        many[1].evidence[0] = (struct evidence){ "processes", 9, 0, "" };
        CHECK_INT(hear_all(law_idle_limit, many, 2, wishes), 1); /* a start is waited for */
        CHECK_INT(wishes[0].value, 8000);
        CHECK(wishes[0].at_once);
        many[0].evidence[0].value = 100;
        CHECK_INT(hear_all(law_idle_limit, many, 2, wishes), 1); /* not longer than the seed says */
        CHECK_INT(wishes[0].value, 3000);
        many[1].evidence[0].value = 50; /* these are the ones that start */
        CHECK_INT(hear_all(law_idle_limit, many, 2, wishes), 1);
        CHECK_INT(wishes[0].value, 0);
        many[1] = make_verdict(VERDICT_SOFT_RT, 0);
        CHECK_INT(hear_all(law_idle_limit, many, 2, wishes), 1);
        CHECK_INT(wishes[0].value, 3000);
}

TEST(slice_share_leaves_alone_a_process_that_reads_a_little_here_and_there) {
        struct law_wish wishes[LAW_WISHES_MAX];
        struct verdict v = make_verdict(VERDICT_SHARED, 32);

        make_device(SCHEDULER_BFQ);
        facts_set(&device.facts, TUNABLE_BFQ_TIMEOUT_SYNC, 125);
        v.evidence[v.n_evidence++] = (struct evidence){ "small-readers", 500, 0, "permille" };
        CHECK_INT(hear(law_slice_share, &v, wishes), 0);
        v.evidence[1].value = 499;
        CHECK_INT(hear(law_slice_share, &v, wishes), 1);
        hold_value(TUNABLE_BFQ_TIMEOUT_SYNC, LAW_SLICE_SHARE, 125, 32);
        v.evidence[1].value = 899; /* a reader that waits for its turn is small, too */
        CHECK_INT(hear(law_slice_share, &v, wishes), 1);
        v.evidence[1].value = 900;
        CHECK_INT(hear(law_slice_share, &v, wishes), 0);
}

TEST(throughput_speaks_where_no_user_waits) {
        struct law_wish wishes[LAW_WISHES_MAX];
        struct verdict v[] = { make_verdict(VERDICT_BULK, 0), make_verdict(VERDICT_SOFT_RT, 0) };

        make_device(SCHEDULER_BFQ);
        policy.throughput.enabled = true;
        facts_set(&device.facts, TUNABLE_BFQ_TIMEOUT_SYNC, 125);
        CHECK_INT(hear(law_throughput, v, wishes), 0); /* it is not known whether a user is there */
        snapshot.presence = PRESENCE_IDLE;
        CHECK_INT(hear(law_throughput, v, wishes), 0);
        snapshot.presence = PRESENCE_NOBODY;
        CHECK_INT(hear(law_throughput, v, wishes), 1);
        CHECK_INT(wishes[0].tunable, TUNABLE_BFQ_TIMEOUT_SYNC);
        CHECK_INT(wishes[0].value, 500);
        CHECK_STR(told(wishes[0].sentence), "readers, and no user is at the machine: timeout_sync = 500, so that no turn is cut short for another process");
        CHECK_INT(hear_all(law_throughput, v, 2, wishes), 0); /* music plays */
        CHECK_INT(hear_all(law_throughput, v, 0, wishes), 0); /* nothing to gain */
        snapshot.presence = PRESENCE_SOMEBODY;
        CHECK_INT(hear(law_throughput, v, wishes), 0);
        tick.hold = HOLD_THROUGHPUT;
        CHECK_INT(hear(law_throughput, v, wishes), 1);
        CHECK(strstr(told(wishes[0].sentence), "a program holds \"throughput\""));
        snapshot.presence = PRESENCE_NOBODY;
        tick.hold = HOLD_INTERACTIVE;
        CHECK_INT(hear(law_throughput, v, wishes), 0);
        tick.hold = HOLD_NONE;
        policy.throughput.enabled = false;
        CHECK_INT(hear(law_throughput, v, wishes), 0);
        make_device(SCHEDULER_MQ_DEADLINE); /* favours no process */
        policy.throughput.enabled = true;
        CHECK_INT(hear(law_throughput, v, wishes), 0);
        snapshot.presence = PRESENCE_UNKNOWN;
}

/* Whose it is takes five seconds to say (verdict bulk); that there is a load is seen at once. */
TEST(throughput_goes_by_what_the_drive_has_moved_before_a_process_is_named) {
        struct law_wish wishes[LAW_WISHES_MAX];
        struct device_view view = { .dev = 1, .moved = { [REQUEST_READ] = { 9 << 20, 1 }, [REQUEST_WRITE] = { (7 << 20) - 1, 1 } } };
        struct law_input l = { .d = &device, .in = &tick, .view = &view };

        make_device(SCHEDULER_BFQ);
        policy.throughput.enabled = true;
        facts_set(&device.facts, TUNABLE_BFQ_TIMEOUT_SYNC, 125);
        tick.hold = HOLD_THROUGHPUT;
        CHECK_INT(law_throughput(&l, wishes), 0);
        view.moved[REQUEST_WRITE].bytes++;
        CHECK_INT(law_throughput(&l, wishes), 1);
        CHECK_STR(told(wishes[0].sentence), "17 MB were moved in the last 8 seconds, and a program holds \"throughput\": timeout_sync = 500, so that no turn is cut "
                                      "short for another process");
        hold_value(TUNABLE_BFQ_TIMEOUT_SYNC, LAW_THROUGHPUT, 125, 500);
        view.moved[REQUEST_READ].bytes = 1 << 20;
        CHECK_INT(law_throughput(&l, wishes), 1); /* until half of it */
        view.moved[REQUEST_READ].bytes--;
        CHECK_INT(law_throughput(&l, wishes), 0);
        view.moved[REQUEST_READ].bytes = 1 << 30;
        tick.hold = HOLD_NONE; /* a user may wait */
        CHECK_INT(law_throughput(&l, wishes), 1);
        CHECK_INT(wishes[0].value, 125);
}

TEST(throughput_makes_way_at_once_for_a_user_that_comes_back) {
        struct law_wish wishes[LAW_WISHES_MAX];
        struct verdict v = make_verdict(VERDICT_BULK, 0);

        make_device(SCHEDULER_BFQ);
        policy.throughput.enabled = true;
        hold_value(TUNABLE_BFQ_TIMEOUT_SYNC, LAW_THROUGHPUT, 125, 500);
        snapshot.presence = PRESENCE_SOMEBODY;
        CHECK_INT(hear(law_throughput, &v, wishes), 1);
        CHECK_INT(wishes[0].value, 125);
        CHECK(wishes[0].at_once);
        device.tunables[TUNABLE_BFQ_TIMEOUT_SYNC].law = LAW_SLICE_SHARE; /* another's */
        CHECK_INT(hear(law_throughput, &v, wishes), 0);
        snapshot.presence = PRESENCE_UNKNOWN;
}

TEST(throughput_lengthens_turns_where_heads_move_and_favours_no_process_elsewhere) {
        struct law_wish wishes[LAW_WISHES_MAX];
        struct verdict v = make_verdict(VERDICT_BULK, 0);

        make_device(SCHEDULER_BFQ);
        policy.throughput.enabled = true;
        facts_set(&device.facts, TUNABLE_BFQ_TIMEOUT_SYNC, 125);
        facts_set(&device.facts, TUNABLE_BFQ_LOW_LATENCY, 1);
        tick.hold = HOLD_THROUGHPUT;
        CHECK_INT(hear(law_throughput, &v, wishes), 1);
        CHECK_INT(wishes[0].tunable, TUNABLE_BFQ_TIMEOUT_SYNC);
        device.facts.rotational = false;
        CHECK_INT(hear(law_throughput, &v, wishes), 1);
        CHECK_INT(wishes[0].tunable, TUNABLE_BFQ_LOW_LATENCY);
        CHECK_INT(wishes[0].value, 0);
        make_device(SCHEDULER_CFQ);
        policy.throughput.enabled = true;
        facts_set(&device.facts, TUNABLE_CFQ_LOW_LATENCY, 1);
        CHECK_INT(hear(law_throughput, &v, wishes), 1);
        CHECK_INT(wishes[0].tunable, TUNABLE_CFQ_LOW_LATENCY);
        CHECK_INT(wishes[0].value, 0);
        tick.hold = HOLD_NONE;
}

TEST(each_law_says_when_it_acts_and_where_it_has_nothing_to_set) {
        static const enum law_id of_turns[] = { LAW_IDLE_LIMIT, LAW_HOLE_FILLER, LAW_THROUGHPUT };

        for (int law = 0; law < _LAW_MAX; law++) {
                struct policy_source source;
                bool enabled, is_law = law_in_policy(&policy, (enum law_id) law, &enabled, &source);
                CHECK_INT(law_acts_when((enum law_id) law, SCHEDULER_BFQ) != NULL, is_law);
                CHECK_INT(law_acts_when((enum law_id) law, SCHEDULER_KYBER) != NULL, law == LAW_READAHEAD);
                CHECK_INT(law_acts_when((enum law_id) law, SCHEDULER_NONE) != NULL, law == LAW_READAHEAD);
        }
        for (size_t i = 0; i < ARRAY_SIZE(of_turns); i++)
                CHECK(!law_acts_when(of_turns[i], SCHEDULER_MQ_DEADLINE) && law_acts_when(of_turns[i], SCHEDULER_CFQ));
        CHECK(law_acts_when(LAW_SLICE_SHARE, SCHEDULER_MQ_DEADLINE));
}

TEST(slice_share_spares_no_reader_where_no_user_waits) {
        struct law_wish wishes[LAW_WISHES_MAX];
        struct verdict v = make_verdict(VERDICT_SHARED, 32);

        make_device(SCHEDULER_BFQ);
        facts_set(&device.facts, TUNABLE_BFQ_TIMEOUT_SYNC, 125);
        snapshot.presence = PRESENCE_NOBODY;
        CHECK_INT(hear(law_slice_share, &v, wishes), 0);
        snapshot.presence = PRESENCE_UNKNOWN;
        CHECK_INT(hear(law_slice_share, &v, wishes), 1);
}

TEST(hole_filler_halves_the_wait_and_then_ends_it) {
        CHECK_INT(law_hole_filler_value(8000, 0), 4000);
        CHECK_INT(law_hole_filler_value(8000, 1999 * NSEC_PER_MSEC), 4000);
        CHECK_INT(law_hole_filler_value(8000, 2 * NSEC_PER_SEC), 2000);
        CHECK_INT(law_hole_filler_value(8000, 5 * NSEC_PER_SEC), 1000);
        CHECK_INT(law_hole_filler_value(8000, 6 * NSEC_PER_SEC), 0);
        CHECK_INT(law_hole_filler_value(8, 4 * NSEC_PER_SEC), 1);
        CHECK_INT(law_hole_filler_value(8000, UINT64_MAX), 0);
}

static struct verdict make_holes(int64_t cost) {
        struct verdict v = make_verdict(VERDICT_HOLES, 0);

        v.evidence[0] = (struct evidence){ "injection-cost", cost, 1500, "permille" };
        return v;
}

TEST(hole_filler_gives_back_what_hurts_the_process_that_is_waited_for) {
        struct law_wish wishes[LAW_WISHES_MAX];
        struct verdict v[] = { make_holes(1499), make_verdict(VERDICT_STARTUP, 0) };

        make_device(SCHEDULER_BFQ);
        facts_set(&device.facts, TUNABLE_BFQ_SLICE_IDLE_US, 8000);
        CHECK_INT(hear(law_hole_filler, v, wishes), 0); /* not enabled */
        policy.hole_filler.enabled = true;
        CHECK_INT(hear(law_hole_filler, v, wishes), 1);
        CHECK_INT(wishes[0].value, 4000);
        CHECK_STR(told(wishes[0].sentence), "readers; slice_idle_us = base 8000, halved for each 2 s of the last 0 s, = 4000");
        CHECK_INT(hear_all(law_hole_filler, v, 2, wishes), 0); /* the wait is for the start */
        v[0] = make_holes(1500);
        CHECK_INT(hear(law_hole_filler, v, wishes), 0);
        v[0] = make_holes(0); /* not measured */
        CHECK_INT(hear(law_hole_filler, v, wishes), 0);
        hold_value(TUNABLE_BFQ_SLICE_IDLE_US, LAW_HOLE_FILLER, 8000, 4000);
        CHECK_INT(hear(law_hole_filler, v, wishes), 1);
        v[0] = make_holes(1500);
        CHECK_INT(hear(law_hole_filler, v, wishes), 1);
        CHECK_INT(wishes[0].value, 8000);
        CHECK(wishes[0].at_once);
        v[0] = make_holes(1100);
        CHECK_INT(hear_all(law_hole_filler, v, 2, wishes), 1); /* a program starts */
        CHECK_INT(wishes[0].value, 8000);
        make_device(SCHEDULER_KYBER); /* waits for no process */
        policy.hole_filler.enabled = true;
        CHECK_INT(hear(law_hole_filler, v, wishes), 0);
}

TEST(the_fillers_steps_are_milliseconds_on_an_old_cfq) {
        struct law_wish wishes[LAW_WISHES_MAX];
        struct verdict v = make_holes(1000);

        make_device(SCHEDULER_CFQ);
        policy.hole_filler.enabled = true;
        facts_set(&device.facts, TUNABLE_CFQ_SLICE_IDLE, 8);
        CHECK_INT(hear(law_hole_filler, &v, wishes), 1);
        CHECK_INT(wishes[0].tunable, TUNABLE_CFQ_SLICE_IDLE);
        CHECK_INT(wishes[0].value, 4);
}
