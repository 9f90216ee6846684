/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>

#include "proc-connector.h"
#include "process-burst.h"
#include "test.h"
#include "wake-budget.h"

/* A message as the kernel lays it out, 4-byte aligned as in a receive buffer. */
struct message {
        uint8_t bytes[128];
        size_t size;
};

static void put_u32(struct message *m, size_t offset, uint32_t value) {
        memcpy(m->bytes + offset, &value, sizeof(value));
}

static struct message make_message(uint32_t what, const uint32_t *data, size_t n) {
        struct message m = { .size = 76 };
        uint64_t t = 123456789;
        uint16_t length = 40;

        put_u32(&m, 0, 76);
        m.bytes[4] = NLMSG_DONE;
        put_u32(&m, 16, CN_IDX_PROC);
        put_u32(&m, 20, CN_VAL_PROC);
        put_u32(&m, 28, 42);
        memcpy(m.bytes + 32, &length, sizeof(length));
        put_u32(&m, 36, what);
        memcpy(m.bytes + 44, &t, sizeof(t));
        for (size_t i = 0; i < n; i++)
                put_u32(&m, 52 + 4 * i, data[i]);
        return m;
}

TEST(a_new_process_and_its_end_are_read) {
        struct message born = make_message(PROC_EVENT_FORK, (uint32_t[]) { 1, 1, 500, 500 }, 4);
        struct message died = make_message(PROC_EVENT_EXIT, (uint32_t[]) { 500, 500, 0, 17, 1, 1 }, 6);
        struct proc_change c;

        CHECK_INT(proc_connector_parse(born.bytes, born.size, &c), 1);
        CHECK(c.kind == PROC_BORN && c.tgid == 500 && c.parent == 1 && c.t == 123456789);
        CHECK_INT(proc_connector_parse(died.bytes, died.size, &c), 1);
        CHECK(c.kind == PROC_DIED && c.tgid == 500 && c.t == 123456789);
}

TEST(threads_are_no_processes) {
        struct message born = make_message(PROC_EVENT_FORK, (uint32_t[]) { 500, 500, 501, 500 }, 4);
        struct message died = make_message(PROC_EVENT_EXIT, (uint32_t[]) { 501, 500, 0, 17, 1, 1 }, 6);
        struct message zero = make_message(PROC_EVENT_FORK, (uint32_t[]) { 1, 1, 0, 0 }, 4);
        struct proc_change c;

        CHECK_INT(proc_connector_parse(born.bytes, born.size, &c), 0);
        CHECK_INT(proc_connector_parse(died.bytes, died.size, &c), 0);
        CHECK_INT(proc_connector_parse(zero.bytes, zero.size, &c), 0);
}

TEST(what_a_process_runs_from_now_on_is_told) {
        struct message by_thread = make_message(PROC_EVENT_EXEC, (uint32_t[]) { 501, 500 }, 2), by_none = make_message(PROC_EVENT_EXEC, NULL, 0);
        struct proc_change c;

        CHECK_INT(proc_connector_parse(by_thread.bytes, by_thread.size, &c), 1);
        CHECK(c.kind == PROC_EXEC && c.tgid == 500 && c.t == 123456789);
        CHECK_INT(proc_connector_parse(by_none.bytes, by_none.size, &c), 0);
}

TEST(other_events_are_nothing) {
        static const uint32_t kinds[] = { PROC_EVENT_UID, PROC_EVENT_COMM, PROC_EVENT_PTRACE, 0x20000000 };
        struct proc_change c;

        for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
                struct message m = make_message(kinds[i], (uint32_t[]) { 500, 500 }, 2);
                CHECK_INT(proc_connector_parse(m.bytes, m.size, &c), 0);
        }
}

TEST(an_answer_carries_its_number_and_error) {
        struct message m = make_message(PROC_EVENT_NONE, (uint32_t[]) { EPERM }, 1);
        struct proc_change c;

        CHECK_INT(proc_connector_parse(m.bytes, m.size, &c), 1);
        CHECK(c.kind == PROC_ACK && c.ack == 42 && c.error == EPERM);
}

TEST(every_cut_message_is_refused) {
        struct message m = make_message(PROC_EVENT_FORK, (uint32_t[]) { 1, 1, 500, 500 }, 4);
        struct proc_change c;

        for (size_t size = 0; size < m.size; size++) {
                /* on the heap and exactly as long, so that a read beyond it is seen */
                _cleanup_free_ uint8_t *copy = malloc(size + 1);
                CHECK(copy);
                memcpy(copy, m.bytes, size);
                CHECK_INT(proc_connector_parse(copy, size, &c), -EBADMSG);
        }
        m.bytes[32] = 20; /* shorter than a fork */
        CHECK_INT(proc_connector_parse(m.bytes, m.size, &c), -EBADMSG);
        m.bytes[32] = 255; /* longer than the datagram */
        CHECK_INT(proc_connector_parse(m.bytes, m.size, &c), -EBADMSG);
        m.bytes[32] = 40;
        m.bytes[16] = 2; /* another user of the connector */
        CHECK_INT(proc_connector_parse(m.bytes, m.size, &c), -EBADMSG);
}

TEST(garbage_is_survived) {
        struct message base = make_message(PROC_EVENT_FORK, (uint32_t[]) { 1, 1, 500, 500 }, 4);
        uint64_t state = test_seed();

        for (size_t i = 0; i < 50000; i++) {
                struct message m = base;
                struct proc_change c;
                int r;

                for (size_t k = test_random(&state) % 8; k > 0; k--)
                        m.bytes[test_random(&state) % m.size] = (uint8_t) test_random(&state);
                r = proc_connector_parse(m.bytes, test_random(&state) % (m.size + 1), &c);
                CHECK(r == 0 || r == 1 || r == -EBADMSG);
        }
}

TEST(eight_births_are_a_burst_and_one_that_goes_on_is_told_again_after_a_second) {
        struct process_burst b = { 0 };
        nsec_t t = 10 * NSEC_PER_SEC, told = 0;

        for (unsigned i = 1; i <= 100; i++, t += BURST_GAP_NS) {
                bool now = process_burst_note(&b, t);
                CHECK(now == (i == BURST_PROCESSES || (told > 0 && t - told >= BURST_QUIET_NS)));
                if (now)
                        told = t;
        }
        CHECK(t - told <= BURST_QUIET_NS + BURST_GAP_NS);
}

TEST(seven_births_or_long_gaps_are_none) {
        struct process_burst b = { 0 };
        nsec_t t = 10 * NSEC_PER_SEC;

        for (unsigned i = 0; i < 100; i++, t += BURST_GAP_NS + 1)
                CHECK(!process_burst_note(&b, t));
        t += NSEC_PER_SEC;
        for (unsigned i = 0; i < BURST_PROCESSES - 1; i++)
                CHECK(!process_burst_note(&b, t));
}

TEST(bursts_are_reported_once_a_second_at_most) {
        struct process_burst b = { 0 };
        unsigned reports = 0;

        for (nsec_t t = 0; t < 10 * NSEC_PER_SEC; t += 200 * NSEC_PER_MSEC)
                for (unsigned i = 0; i < BURST_PROCESSES; i++)
                        reports += process_burst_note(&b, t);
        CHECK_INT(reports, 10);
}

TEST(what_begins_after_quiet_wakes_at_once) {
        struct wake_budget b = { 0 };
        nsec_t t = 10 * NSEC_PER_SEC;

        for (unsigned i = 0; i < WAKE_SPARE - 1; i++, t += WAKE_LOT_NS)
                CHECK_INT(wake_budget_take(&b, t), t);
        t += WAKE_SPARE * WAKE_PERIOD_NS;
        CHECK_INT(wake_budget_take(&b, t), t);
        CHECK_INT(wake_budget_take(&b, t + 1), t + 1 + WAKE_LOT_NS); /* and again in a lot */
}

TEST(a_budget_may_have_more_to_spare) {
        struct wake_budget b = { .spare = 2 * WAKE_SPARE };
        nsec_t t = 10 * NSEC_PER_SEC;

        for (unsigned i = 0; i < 2 * WAKE_SPARE - 1; i++, t += WAKE_LOT_NS)
                CHECK_INT(wake_budget_take(&b, t), t);
        for (unsigned i = 0; i < 2 * WAKE_SPARE; i++)
                t = wake_budget_take(&b, t);
        CHECK(wake_budget_take(&b, t) > t + WAKE_LOT_NS);
}

TEST(steady_coming_and_going_wakes_twice_a_second) {
        static const nsec_t gaps[] = { 1000, NSEC_PER_MSEC, 30 * NSEC_PER_MSEC, 200 * NSEC_PER_MSEC, 499 * NSEC_PER_MSEC };
        const nsec_t begin = 10 * NSEC_PER_SEC, end = begin + 60 * NSEC_PER_SEC;

        for (size_t i = 0; i < ARRAY_SIZE(gaps); i++) {
                struct wake_budget b = { 0 };
                unsigned wakeups = 0;
                nsec_t next = begin;

                for (nsec_t t = begin; t < end; t += gaps[i])
                        if (t >= next) {
                                next = wake_budget_take(&b, t);
                                CHECK(next >= t && next <= t + WAKE_PERIOD_NS);
                                wakeups++;
                        }
                CHECK(wakeups <= (end - begin) / WAKE_PERIOD_NS + WAKE_SPARE);
        }
}

TEST(a_buffer_that_fills_fast_is_looked_at_before_it_is_full) {
        nsec_t now = 10 * NSEC_PER_SEC;

        CHECK_INT(wake_budget_full(now, NSEC_PER_SEC, 1000, 4000), now + NSEC_PER_SEC);
        CHECK_INT(wake_budget_full(now, NSEC_PER_SEC, 8000, 4000), now + NSEC_PER_SEC / 8);
        CHECK_INT(wake_budget_full(now, 1, 4000, 4000), now + WAKE_LOT_NS);
        CHECK(wake_budget_full(now, NSEC_PER_SEC, 0, 4000) > now);
}
