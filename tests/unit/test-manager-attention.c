/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "manager-private.h"
#include "test.h"

static bool is_affordable(uint32_t read_iops, uint32_t write_iops, bool is_watched) {
        struct device_view v = { .write_iops = write_iops, .recent = { .read_iops = read_iops } };

        return manager_affords_watch(&v, is_watched);
}

TEST(a_drive_that_does_very_many_requests_is_not_looked_at_closely) {
        CHECK(is_affordable(0, 0, false));
        CHECK(is_affordable(WATCH_IOPS_MAX / 2, WATCH_IOPS_MAX / 2, false));
        CHECK(!is_affordable(WATCH_IOPS_MAX, 1, false));
        CHECK(!is_affordable(UINT32_MAX, UINT32_MAX, false));
}

TEST(a_load_near_the_limit_does_not_come_and_go) {
        CHECK(is_affordable(WATCH_IOPS_MAX, WATCH_IOPS_MAX, true));
        CHECK(!is_affordable(2 * WATCH_IOPS_MAX, 1, true));
}

TEST(who_moves_much_is_no_reason_to_look_at_single_requests) {
        CHECK(manager_verdict_wants_requests(VERDICT_MANY_SYNC));
        CHECK(manager_verdict_wants_requests(VERDICT_SHARED));
        CHECK(manager_verdict_wants_requests(VERDICT_VICTIM));
        CHECK(manager_verdict_wants_requests(VERDICT_HOLES));
        CHECK(manager_verdict_wants_requests(VERDICT_WRITEBACK));
        CHECK(!manager_verdict_wants_requests(VERDICT_INEFFECTIVE_PRIORITY));
        CHECK(!manager_verdict_wants_requests(VERDICT_BULK));
        CHECK(!manager_verdict_wants_requests(VERDICT_BURST));
}
