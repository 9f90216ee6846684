/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The laws' arithmetic against the vectors that were computed from the seeds, and their wishes on whole drives. */
#include "law.h"
#include "policy.h"
#include "test.h"

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

static void set_value(enum tunable_id id, int64_t value) {
        device.facts.values[id].present = device.facts.values[id].numeric = true;
        device.facts.values[id].number = value;
}

static size_t hear(size_t (*law)(const struct law_input *l, struct law_wish *ret), const struct verdict *v, struct law_wish *ret) {
        return law(&(struct law_input){ .d = &device, .v = v, .n = 1 }, ret);
}

static struct verdict make_verdict(enum verdict_kind kind, int64_t readers) {
        return (struct verdict){ .kind = kind, .dev = 1, .n_evidence = 1, .evidence = { { "readers", readers, 0, "" } }, .sentence = "readers" };
}

TEST(idle_limit_names_its_inputs_and_its_result) {
        struct law_wish wishes[LAW_WISHES_MAX];
        struct verdict v = make_verdict(VERDICT_MANY_SYNC, 150);

        make_device(SCHEDULER_BFQ);
        set_value(TUNABLE_BFQ_SLICE_IDLE_US, 8000);
        CHECK_INT(hear(law_idle_limit, &v, wishes), 1);
        CHECK_INT(wishes[0].tunable, TUNABLE_BFQ_SLICE_IDLE_US);
        CHECK_INT(wishes[0].value, 2000);
        CHECK(strstr(wishes[0].sentence, "slice_idle_us = min(base 8000 µs, group slice 300000 µs / 150 readers) = 2000 µs"));
}

TEST(idle_limit_does_not_wait_less_than_pays) {
        struct law_wish wishes[LAW_WISHES_MAX];
        struct verdict v = make_verdict(VERDICT_MANY_SYNC, 75);

        make_device(SCHEDULER_BFQ);
        set_value(TUNABLE_BFQ_SLICE_IDLE_US, 8000);
        policy.idle_limit.shortest_wait_us = 4000;
        CHECK_INT(hear(law_idle_limit, &v, wishes), 1);
        CHECK_INT(wishes[0].value, 4000);
        v = make_verdict(VERDICT_MANY_SYNC, 76); /* 75 jiffies at 250 Hz among 76: none */
        CHECK_INT(hear(law_idle_limit, &v, wishes), 1);
        CHECK_INT(wishes[0].value, 0);
        CHECK(strstr(wishes[0].sentence, "/ 76 readers) = 3947 µs, shorter than 4000 µs, so 0 µs"));
        set_value(TUNABLE_BFQ_SLICE_IDLE_US, 1000); /* a base that is short already is somebody's choice */
        v = make_verdict(VERDICT_MANY_SYNC, 100);
        CHECK_INT(hear(law_idle_limit, &v, wishes), 1);
        CHECK_INT(wishes[0].value, 1000);
}

TEST(idle_limit_uses_milliseconds_where_cfq_has_no_microseconds) {
        struct law_wish wishes[LAW_WISHES_MAX];
        struct verdict v = make_verdict(VERDICT_MANY_SYNC, 100);

        make_device(SCHEDULER_CFQ);
        set_value(TUNABLE_CFQ_SLICE_IDLE, 8);
        CHECK_INT(hear(law_idle_limit, &v, wishes), 1);
        CHECK_INT(wishes[0].tunable, TUNABLE_CFQ_SLICE_IDLE);
        CHECK_INT(wishes[0].value, 3);
        set_value(TUNABLE_CFQ_SLICE_IDLE_US, 8000);
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
        set_value(TUNABLE_BFQ_SLICE_IDLE_US, 8000);
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
        set_value(TUNABLE_BFQ_SLICE_IDLE_US, 1000);
        device.tunables[TUNABLE_BFQ_SLICE_IDLE_US] = (struct controller_tunable){ .owner = OWNER_BRIO, .original_known = true, .original = 8000 };
        CHECK_INT(hear(law_idle_limit, &v, wishes), 1);
        CHECK_INT(wishes[0].value, 2000);
}

TEST(slice_share_keeps_the_policys_floor) {
        struct law_wish wishes[LAW_WISHES_MAX];
        struct verdict v = make_verdict(VERDICT_SHARED, 32);

        make_device(SCHEDULER_BFQ);
        set_value(TUNABLE_BFQ_TIMEOUT_SYNC, 125);
        set_value(TUNABLE_BFQ_SLICE_IDLE_US, 8000);
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
        set_value(TUNABLE_CFQ_SLICE_SYNC, 100);
        set_value(TUNABLE_CFQ_SLICE_IDLE, 8);
        CHECK_INT(hear(law_slice_share, &v, wishes), 1); /* before 2.6.37: no target_latency */
        CHECK_INT(wishes[0].value, 37);
        set_value(TUNABLE_CFQ_TARGET_LATENCY, 300);
        set_value(TUNABLE_CFQ_LOW_LATENCY, 1);
        CHECK_INT(hear(law_slice_share, &v, wishes), 0);
        set_value(TUNABLE_CFQ_LOW_LATENCY, 0);
        set_value(TUNABLE_CFQ_SLICE_SYNC_US, 100000);
        set_value(TUNABLE_CFQ_SLICE_IDLE_US, 8000);
        CHECK_INT(hear(law_slice_share, &v, wishes), 1);
        CHECK_INT(wishes[0].tunable, TUNABLE_CFQ_SLICE_SYNC_US);
        CHECK_INT(wishes[0].value, 37500);
}

TEST(slice_share_shortens_mq_deadlines_batches) {
        struct law_wish wishes[LAW_WISHES_MAX];
        struct verdict v = make_verdict(VERDICT_SHARED, 12);

        make_device(SCHEDULER_MQ_DEADLINE);
        set_value(TUNABLE_MQ_DEADLINE_FIFO_BATCH, 16);
        set_value(TUNABLE_MQ_DEADLINE_READ_EXPIRE, 500);
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

        make_device(SCHEDULER_BFQ);
        set_value(TUNABLE_BFQ_SLICE_IDLE_US, 8000);
        set_value(TUNABLE_BFQ_TIMEOUT_SYNC, 125);
        CHECK_INT(law_collect(&(struct law_input){ .d = &device, .v = v, .n = ARRAY_SIZE(v) }, wishes), 2);
        CHECK_INT(wishes[0].law, LAW_IDLE_LIMIT);
        CHECK_INT(wishes[1].law, LAW_SLICE_SHARE);
        CHECK_INT(wishes[1].tunable, TUNABLE_BFQ_TIMEOUT_SYNC);
}
