/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The process connector of the running kernel. */
#include <sched.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "proc-connector.h"
#include "test.h"
#include "wake-budget.h"

#define NOT_ROOT "needs root: the process connector"
#define NO_CONNECTOR "the kernel does not let us listen to the process connector"

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

TEST(births_and_deaths_arrive_and_threads_do_not) {
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

TEST(lost_messages_are_told) {
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

TEST(steady_coming_and_going_wakes_twice_a_second_and_nothing_is_missed) {
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

TEST(in_a_namespace_of_its_own_it_says_why_not) {
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
