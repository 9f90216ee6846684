/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "manager-private.h"
#include "test.h"

static bool is_affordable(uint32_t read_iops, uint32_t write_iops, bool is_watched) {
        struct device_view v = { .write_iops = write_iops, .recent = { .read_iops = read_iops } };

        return manager_affords_watch(&v, 0, is_watched);
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

TEST(drives_that_do_too_much_together_are_not_all_looked_at_closely_and_the_fastest_makes_room) {
        static const uint32_t iops[] = { 9000, 12000, 9000, 50000 };
        static struct snapshot snapshot;
        static struct manager m;

        snapshot = (struct snapshot) { .n_devices = ARRAY_SIZE(iops) };
        m.snapshot = &snapshot;
        for (uint32_t i = 0; i < ARRAY_SIZE(iops); i++) {
                snapshot.devices[i] = (struct device_view) { .dev = i + 1, .recent = { .read_iops = iops[i] } };
                m.drives[i].used = m.drives[i].watch.on = true;
                m.drives[i].drive.dev = i + 1;
        }
        m.drives[3].watch.summed = true; /* which costs none of the room */
        CHECK_INT(manager_told_beside(&m, &m.drives[1]), 18000);
        CHECK_INT(manager_told_beside(&m, &m.drives[0]), 9000);
        CHECK(manager_affords_watch(&snapshot.devices[0], 9000, false));
        CHECK(!manager_affords_watch(&snapshot.devices[1], 18000, false));
        CHECK(manager_affords_watch(&snapshot.devices[1], 18000, true)); /* it was there before the others came */
        m.drives[0].watch.on = false;
        CHECK_INT(manager_told_beside(&m, &m.drives[1]), 9000);
        CHECK_INT(manager_told_beside(&m, &m.drives[4]), 0); /* of which nothing is known */
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
