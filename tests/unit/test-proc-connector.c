/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "proc-connector.h"
#include "process-burst.h"
#include "test.h"
#include "wake-budget.h"

#define NOT_ROOT "needs root: the process connector"
#define NO_CONNECTOR "the kernel does not let us listen to the process connector"

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
        struct message by_thread = make_message(PROC_EVENT_EXEC, (uint32_t[]) { 501, 500 }, 2), by_nobody = make_message(PROC_EVENT_EXEC, NULL, 0);
        struct proc_change c;

        CHECK_INT(proc_connector_parse(by_thread.bytes, by_thread.size, &c), 1);
        CHECK(c.kind == PROC_EXEC && c.tgid == 500 && c.t == 123456789);
        CHECK_INT(proc_connector_parse(by_nobody.bytes, by_nobody.size, &c), 0);
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

struct seen {
        unsigned born, died, lost;
        int32_t watch;
        bool watched_born, watched_died;
};

static void see(void *userdata, const struct proc_change *c) {
        struct seen *s = userdata;

        s->born += c->kind == PROC_BORN;
        s->died += c->kind == PROC_DIED;
        s->lost += c->kind == PROC_LOST;
        s->watched_born |= c->kind == PROC_BORN && c->tgid == s->watch;
        s->watched_died |= c->kind == PROC_DIED && c->tgid == s->watch;
}

DEFINE_TRIVIAL_CLEANUP_FUNC(struct proc_connector *, proc_connector_free)

#define PATIENCE_NS (20 * NSEC_PER_SEC)

static void run_for(sd_event *event, nsec_t span) {
        nsec_t end = clock_now(CLOCK_MONOTONIC) + span;

        do
                sd_event_run(event, 10000);
        while (clock_now(CLOCK_MONOTONIC) < end);
}

static bool watched_came_and_went(const struct seen *s) {
        return s->watched_born && s->watched_died;
}

static bool some_were_lost(const struct seen *s) {
        return s->lost > 0;
}

/* Returns what the condition is at last. */
static bool run_until(sd_event *event, bool (*condition)(const struct seen *), const struct seen *seen) {
        nsec_t end = clock_now(CLOCK_MONOTONIC) + PATIENCE_NS;

        while (!condition(seen) && clock_now(CLOCK_MONOTONIC) < end)
                sd_event_run(event, 10000);
        return condition(seen);
}

static pid_t run_child(void) {
        pid_t pid = fork();

        if (pid == 0)
                _exit(0);
        waitpid(pid, NULL, 0);
        return pid;
}

static void *do_nothing(void *p) {
        return p;
}

TEST(live_births_and_deaths_arrive_and_threads_do_not) {
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        _cleanup_(proc_connector_freep) struct proc_connector *c = NULL;
        struct seen seen = { 0 };
        struct source_info info;
        pthread_t thread;

        if (geteuid() != 0)
                test_skip(NOT_ROOT);
        CHECK(sd_event_new(&event) >= 0);
        CHECK_INT(proc_connector_new(event, 0, see, &seen, &c), 0);
        proc_connector_probe(c, &info);
        if (info.state != SOURCE_WORKS) {
                CHECK(info.state == SOURCE_UNAVAILABLE && *info.detail);
                test_skip(NO_CONNECTOR);
        }
        CHECK_INT(info.state, SOURCE_WORKS);
        seen.watch = getpid(); /* a thread's fork and exit would carry our own number */
        CHECK(pthread_create(&thread, NULL, do_nothing, NULL) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
        run_for(event, 100 * NSEC_PER_MSEC);
        CHECK(!seen.watched_born && !seen.watched_died);
        seen.watch = run_child();
        CHECK(run_until(event, watched_came_and_went, &seen));
}

TEST(live_lost_messages_are_told) {
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        _cleanup_(proc_connector_freep) struct proc_connector *c = NULL;
        struct seen seen = { 0 };
        struct source_info info;

        if (geteuid() != 0)
                test_skip(NOT_ROOT);
        CHECK(sd_event_new(&event) >= 0);
        CHECK_INT(proc_connector_new(event, 1, see, &seen, &c), 0); /* the kernel makes it about 2 KiB */
        proc_connector_probe(c, &info);
        if (info.state != SOURCE_WORKS)
                test_skip(NO_CONNECTOR);
        for (unsigned i = 0; i < 100; i++)
                run_child();
        CHECK(run_until(event, some_were_lost, &seen));
        /* And it goes on; others' births may fill so small a buffer again and again. */
        for (unsigned i = 0; i < 50 && !(seen.watched_born && seen.watched_died); i++) {
                seen.watched_born = seen.watched_died = false;
                proc_connector_follow(c);
                seen.watch = run_child();
                proc_connector_follow(c);
        }
        CHECK(seen.watched_born && seen.watched_died);
}

/* Begins and ends a process 50 times a second, and counts them. */
static pid_t start_churner(unsigned *count) {
        pid_t pid = fork();

        while (pid == 0) {
                run_child();
                __atomic_add_fetch(count, 1, __ATOMIC_SEQ_CST);
                usleep(20000);
        }
        return pid;
}

#define CHURNED_MIN 40

TEST(live_steady_coming_and_going_wakes_twice_a_second_and_nothing_is_missed) {
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        _cleanup_(proc_connector_freep) struct proc_connector *c = NULL;
        struct seen seen = { 0 };
        struct source_info info;
        const nsec_t span = 2 * NSEC_PER_SEC;
        unsigned *count = mmap(NULL, sizeof(*count), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        nsec_t begin;
        pid_t churner;

        if (geteuid() != 0)
                test_skip(NOT_ROOT);
        CHECK(sd_event_new(&event) >= 0);
        CHECK_INT(proc_connector_new(event, 0, see, &seen, &c), 0);
        proc_connector_probe(c, &info);
        if (info.state != SOURCE_WORKS)
                test_skip(NO_CONNECTOR);
        CHECK(count != MAP_FAILED);
        begin = clock_now(CLOCK_MONOTONIC);
        churner = start_churner(count);
        run_for(event, span);
        while (__atomic_load_n(count, __ATOMIC_SEQ_CST) < CHURNED_MIN && clock_now(CLOCK_MONOTONIC) - begin < PATIENCE_NS)
                run_for(event, span / 4);
        seen.watch = churner;
        kill(churner, SIGKILL);
        waitpid(churner, NULL, 0);
        proc_connector_follow(c); /* as each tick does, without a wake-up */
        begin = clock_now(CLOCK_MONOTONIC) - begin;
        printf("# %" PRIu64 " wake-ups for %u births and %u deaths in %.1f s, %u of them ours\n", proc_connector_wakeups(c), seen.born, seen.died,
               (double) begin / NSEC_PER_SEC, *count);
        CHECK(seen.watched_died);
        CHECK(*count >= CHURNED_MIN && seen.born >= *count && seen.died >= *count && seen.lost == 0);
        CHECK(proc_connector_wakeups(c) <= begin / WAKE_PERIOD_NS + WAKE_SPARE + 1);
}

/* In a child of its own: 0 told, 2 no such namespace here, else a failure. */
static int try_in_namespace(int flags) {
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        _cleanup_(proc_connector_freep) struct proc_connector *c = NULL;
        struct seen seen = { 0 };
        struct source_info info;

        if (unshare(flags) < 0)
                return 2;
        if (sd_event_new(&event) < 0 || proc_connector_new(event, 0, see, &seen, &c) < 0)
                return 3;
        proc_connector_probe(c, &info);
        printf("# %s\n", info.detail);
        return info.state == SOURCE_UNAVAILABLE && strstr(info.detail, "namespace") ? 0 : 4;
}

TEST(live_in_a_namespace_of_its_own_it_says_why_not) {
        static const int flags[] = { CLONE_NEWUSER, CLONE_NEWUSER | CLONE_NEWNET };

        if (geteuid() != 0)
                test_skip(NOT_ROOT);
        for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
                int status;
                pid_t pid;

                fflush(stdout);
                pid = fork();
                CHECK(pid >= 0);
                if (pid == 0) {
                        int r = try_in_namespace(flags[i]);
                        fflush(stdout);
                        _exit(r);
                }
                CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
                if (WEXITSTATUS(status) == 2)
                        test_skip("the kernel does not let us make a user namespace");
                CHECK_INT(WEXITSTATUS(status), 0);
        }
}
