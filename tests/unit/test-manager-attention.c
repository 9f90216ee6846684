/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "manager-private.h"
#include "streams.h"
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

TEST(a_process_that_moves_much_is_no_reason_to_look_at_single_requests) {
        CHECK(manager_verdict_wants_requests(VERDICT_MANY_SYNC));
        CHECK(manager_verdict_wants_requests(VERDICT_SHARED));
        CHECK(manager_verdict_wants_requests(VERDICT_VICTIM));
        CHECK(manager_verdict_wants_requests(VERDICT_HOLES));
        CHECK(manager_verdict_wants_requests(VERDICT_WRITEBACK));
        CHECK(!manager_verdict_wants_requests(VERDICT_INEFFECTIVE_PRIORITY));
        CHECK(!manager_verdict_wants_requests(VERDICT_BULK));
        CHECK(!manager_verdict_wants_requests(VERDICT_BURST));
}

TEST(a_process_that_keeps_its_own_pace_is_looked_at_beside_what_is_written_and_beside_what_steps_back) {
        static struct controller_device d = { .stepped_back = { .laws = { { .law = LAW_STEP_BACK } } } };
        struct process_view p = { .paced = true };

        CHECK(!manager_pace_wants_requests(&p, NULL));
        CHECK(!manager_pace_wants_requests(&p, &d));
        d.stepped_back.n = d.stepped_back.laws[0].n = 1;
        CHECK(manager_pace_wants_requests(&p, &d));
        p.paced = false;
        CHECK(!manager_pace_wants_requests(&p, &d));
        p = (struct process_view) { .paced = true, .behind_writes = true };
        CHECK(manager_pace_wants_requests(&p, NULL));
}

TEST(a_burst_is_looked_for_to_its_end_also_where_pressure_has_asked_for_a_look_already) {
        static struct manager m;
        nsec_t begin = manager_now();

        manager_on_pressure(&m);
        CHECK(m.woken);
        CHECK(m.onset_until < begin + ONSET_NS);
        manager_on_burst(&m);
        CHECK(m.onset_until >= begin + ONSET_NS);
}

TEST(a_burst_that_may_not_wake_at_once_is_looked_for_all_the_same) {
        static struct manager m;
        nsec_t begin = manager_now();

        m.onset_next = begin + 3600 * NSEC_PER_SEC;
        manager_on_burst(&m);
        CHECK(!m.woken);
        CHECK(m.onset_until >= begin + ONSET_NS);
}

TEST(what_begins_after_quiet_is_looked_for_as_often_as_there_is_to_spare) {
        static struct manager m;
        unsigned looks = 0;

        m.streams = streams_new();
        m.onsets.spare = ONSET_LOOKS;
        m.onset_until = UINT64_MAX;
        m.last_tick = 1000 * NSEC_PER_SEC;
        for (nsec_t next; (next = manager_next_tick(&m)) == TICK_ONSET_NS; looks++)
                m.last_tick += next;
        CHECK(looks >= ONSET_LOOKS);                                              /* two bursts, each to its end */
        CHECK(looks <= ONSET_LOOKS + ONSET_LOOKS * TICK_ONSET_NS * 2 / WAKE_PERIOD_NS); /* and what comes in meanwhile */
        streams_free(m.streams);
}

static void raise_attention_s(struct manager *m, unsigned t_s, const char *reason) {
        manager_raise_attention(m, t_s * NSEC_PER_SEC, reason);
}

TEST(why_attention_is_raised_is_told_anew_where_that_reason_has_passed_and_another_stands) {
        static struct manager m = { .attention = ATTENTION_PROCESSES };
        const unsigned dwell_s = (unsigned) (ATTENTION_DWELL_NS / NSEC_PER_SEC);

        raise_attention_s(&m, 100, "python3 starts");
        raise_attention_s(&m, 101, "a drive is read");
        CHECK_STR(m.attention_reason, "python3 starts");
        raise_attention_s(&m, 109, "python3 starts"); /* it goes on */
        raise_attention_s(&m, 100 + dwell_s, "a drive is read");
        CHECK_STR(m.attention_reason, "python3 starts");
        raise_attention_s(&m, 109 + dwell_s, "a drive is read");
        CHECK_STR(m.attention_reason, "a drive is read");
}

TEST(why_single_requests_are_looked_at_is_told_whatever_else_asks_for_attention) {
        static struct manager m = { .attention = ATTENTION_REQUESTS, .attention_reason = "sda: many read" };

        raise_attention_s(&m, 100, "a drive is read");
        CHECK_STR(m.attention_reason, "sda: many read");
        CHECK_INT(m.attention, ATTENTION_REQUESTS);
        CHECK_INT(m.attention_until, 100 * NSEC_PER_SEC + ATTENTION_DWELL_NS);
}
