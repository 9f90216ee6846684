/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Law readahead: which drives read on in larger pieces. */
#include "facts.h"
#include "law.h"
#include "policy.h"
#include "test.h"
#include "told.h"

#define ID TUNABLE_QUEUE_READ_AHEAD_KB

static struct policy policy;
static struct controller_device device;
static struct law_wish wish;

static void make_drive(int64_t read_ahead_kib) {
        policy_init(&policy, "test", "test.conf");
        policy.readahead.enabled = true;
        device = (struct controller_device){ .used = true, .policy = &policy, .facts = { .dev = 1, .scheduler = SCHEDULER_BFQ, .rotational = true } };
        facts_set(&device.facts, ID, read_ahead_kib);
}

static size_t hear(void) {
        return law_readahead(&(struct law_input){ .d = &device }, &wish);
}

TEST(a_drive_that_reads_on_as_the_kernel_begins_with_reads_on_in_larger_pieces) {
        make_drive(128);
        CHECK_INT(hear(), 1);
        CHECK_INT(wish.law, LAW_READAHEAD);
        CHECK_INT(wish.tunable, ID);
        CHECK_INT(wish.value, 1024);
        CHECK(!wish.costs_throughput);
        CHECK_STR(told(wish.sentence), "of each file more is read at a time, so that the heads move less often: read_ahead_kb = 1024, base 128");
}

TEST(under_any_scheduler_it_does) {
        for (enum scheduler s = 0; s < _SCHEDULER_MAX; s++) {
                make_drive(128);
                device.facts.scheduler = s;
                CHECK_INT(hear(), 1);
        }
}

TEST(what_is_set_stands_by_what_was_there_before_it) {
        make_drive(1024);
        device.tunables[ID] = (struct controller_tunable){ .owner = OWNER_BRIO, .law = LAW_READAHEAD, .original_known = true, .original = 128 };
        CHECK_INT(hear(), 1);
        CHECK_INT(wish.value, 1024);
}

TEST(a_drive_that_reads_on_as_far_or_never_stays_as_it_is) {
        make_drive(1024);
        CHECK_INT(hear(), 0);
        make_drive(4096);
        CHECK_INT(hear(), 0);
        make_drive(0);
        CHECK_INT(hear(), 0);
        make_drive(512); /* the policy's limit leaves nothing that is more */
        policy.limits[ID] = (struct policy_limit){ .set = true, .min = 128, .max = 256 };
        CHECK_INT(hear(), 0);
        make_drive(128);
        policy.readahead.enabled = false;
        CHECK_INT(hear(), 0);
        make_drive(128);
        device.facts.values[ID].present = false;
        CHECK_INT(hear(), 0);
}
