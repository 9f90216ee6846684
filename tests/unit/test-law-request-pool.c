/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Law request-pool: its vectors, and when a queue may grow. */
#include "facts.h"
#include "law.h"
#include "policy.h"
#include "test.h"
#include "told.h"

#define DRIVE 1
#define ID TUNABLE_QUEUE_NR_REQUESTS

static struct policy policy;
static struct controller_device device;
static struct device_view view;
static struct snapshot snapshot;
static struct controller_input input;
static struct verdict verdict;
static struct law_wish wish;

static void set_requests(int64_t value) {
        facts_set(&device.facts, ID, value);
}

/* A SATA disk under bfq that has done nothing for ten seconds. */
static void make_drive(void) {
        policy_init(&policy, "test", "test.conf");
        policy.request_pool.enabled = true;
        device = (struct controller_device){ .used = true, .policy = &policy, .facts = { .dev = DRIVE, .scheduler = SCHEDULER_BFQ, .rotational = true } };
        set_requests(64);
        view = (struct device_view){ .dev = DRIVE, .idle_since = NSEC_PER_SEC };
        snapshot = (struct snapshot){ .now = 11 * NSEC_PER_SEC };
        input = (struct controller_input){ .now = snapshot.now, .snapshot = &snapshot, .verdicts = &verdict };
        verdict = (struct verdict){ .kind = VERDICT_SOFT_RT, .dev = DRIVE, .subject = { .tgid = 4711 }, .sentence = "mpv (4711) reads 1 MB/s" };
}

static void make_held(enum law_id law, int64_t value) {
        device.tunables[ID] = (struct controller_tunable){ .owner = OWNER_BRIO, .law = law, .original_known = true, .original = 64 };
        set_requests(value);
}

static size_t hear(size_t n_verdicts) {
        return law_request_pool(&(struct law_input){ .d = &device, .in = &input, .view = &view, .v = &verdict, .n = n_verdicts }, &wish);
}

TEST(requests_are_enough_for_so_many_reads_of_a_process_that_bfq_has_not_raised_beside_one_that_it_has) {
        static const struct {
                uint32_t reads, n;
        } vectors[] = { { 1, 32 }, { 2, 64 }, { 3, 128 }, { 16, 512 }, { 32, 1024 }, { 33, 1024 }, { 34, 2048 }, { 64, 2048 }, { UINT32_MAX, 2048 } };

        for (size_t i = 0; i < ARRAY_SIZE(vectors); i++)
                CHECK_INT(law_pool_requests(vectors[i].reads), vectors[i].n);
}

TEST(a_quiet_drive_under_bfq_gets_requests_enough) {
        make_drive();
        CHECK_INT(hear(0), 1);
        CHECK_INT(wish.law, LAW_REQUEST_POOL);
        CHECK_INT(wish.tunable, ID);
        CHECK_INT(wish.value, 1024);
        CHECK(!wish.costs_throughput);
        CHECK_STR(told(wish.sentence), "beside a process that bfq favours, another has 1 / 31 of the requests, and 32 reads are what it may have queued at once: "
                                 "nr_requests = 32 * 31, as a power of two, = 1024, base 64");
}

TEST(a_queue_that_is_long_enough_or_of_another_scheduler_or_policy_stays) {
        make_drive();
        set_requests(1024);
        CHECK_INT(hear(0), 0);
        for (enum scheduler s = 0; s < _SCHEDULER_MAX; s++) {
                make_drive();
                device.facts.scheduler = s;
                CHECK_INT(hear(0), s == SCHEDULER_BFQ);
        }
        make_drive();
        set_requests(3);
        CHECK_INT(hear(0), 0);
        set_requests(4);
        CHECK_INT(hear(0), 1);
        set_requests(1023);
        CHECK_INT(hear(0), 1);
        set_requests(2); /* of usb-storage: the kernel makes 4 of what is written below that */
        CHECK_INT(hear(0), 0);
        make_drive(); /* a limit below the original: the law makes no queue shorter */
        set_requests(512);
        policy.limits[ID] = (struct policy_limit){ .set = true, .min = 4, .max = 256 };
        CHECK_INT(hear(0), 0);
        make_drive();
        policy.request_pool.enabled = false;
        CHECK_INT(hear(0), 0);
        make_drive();
        device.facts.values[ID].present = false;
        CHECK_INT(hear(0), 0);
}

/* A queue of which 512 requests were writes stood still for 2.9 s. */
TEST(a_busy_drive_is_not_stopped_for_it_and_keeps_what_it_has) {
        make_drive();
        view.idle_since = 0;
        CHECK_INT(hear(0), 0);
        make_drive();
        view.idle_since = input.now - 1999 * NSEC_PER_MSEC; /* QuietTime is 2 s */
        CHECK_INT(hear(0), 0);
        view.idle_since -= NSEC_PER_MSEC;
        CHECK_INT(hear(0), 1);
        make_held(LAW_REQUEST_POOL, 1024);
        view.idle_since = 0;
        CHECK_INT(hear(0), 1);
        CHECK_INT(wish.value, 1024);
}

TEST(the_queue_does_not_grow_beside_a_stream_and_does_not_shrink_for_one) {
        make_drive();
        CHECK_INT(hear(1), 0);
        make_held(LAW_REQUEST_POOL, 1024);
        CHECK_INT(hear(1), 1);
        CHECK_INT(wish.value, 1024);
}

TEST(what_stream_guard_has_set_comes_back_first) {
        make_drive();
        make_held(LAW_STREAM_GUARD, 8);
        CHECK_INT(hear(0), 0);
}
