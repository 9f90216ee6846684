/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes that step back, with processes and threads of this test's own and the kernel's own priorities. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "io-priority.h"
#include "ioprio.h"
#include "priorities.h"
#include "priority-guard.h"
#include "priority-kin.h"
#include "priority-process.h"
#include "priority-threads.h"
#include "test.h"
#include "told.h"

#define BOOT "6f1a0c52-7f34-4b9e-8d5c-0d1f3f0a9c11"
#define BE_7 IO_PRIORITY(IO_CLASS_BEST_EFFORT, 7)
#define IDLE IO_PRIORITY(IO_CLASS_IDLE, 3)
#define SECOND NSEC_PER_SEC

static unsigned fsync_calls, write_calls;
static int write_error;
static unsigned write_error_from; /* 0: never */
static bool write_does_nothing;
static char journal_file[4200]; /* "": not looked at */
static unsigned journal_lines_at_first_write;

int __wrap_fsync(int fd);
int __wrap_fsync(int fd _unused_) {
        fsync_calls++;
        return 0;
}

static unsigned count_lines(const char *path) {
        FILE *f = fopen(path, "re");
        unsigned n = 0;

        for (int c; f && (c = fgetc(f)) != EOF;)
                n += c == '\n';
        if (f)
                fclose(f);
        return n;
}

int __real_ioprio_write(int32_t tid, uint16_t priority);
int __wrap_ioprio_write(int32_t tid, uint16_t priority);
int __wrap_ioprio_write(int32_t tid, uint16_t priority) {
        if (++write_calls == 1 && *journal_file)
                journal_lines_at_first_write = count_lines(journal_file);
        if (write_error_from && write_calls >= write_error_from)
                return write_error;
        return write_does_nothing ? 0 : __real_ioprio_write(tid, priority);
}

static void pause_ms(long ms) {
        const struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

        nanosleep(&t, NULL);
}

/* What tests ask of a child: in memory that both see. */
struct shared {
        int threads;          /* to have, counted without the first */
        int children;         /* to beget */
        bool exec;            /* to become another program */
        bool end_first;       /* to go on without the first thread */
        bool churn;           /* to beget threads and children all the time, which end soon */
        int have_threads, have_children;
        int32_t tids[64], pids[64];
};

static struct shared *shared;

static void *sleep_for_ever(void *userdata) {
        int i = *(int *) userdata;

        shared->tids[i] = gettid();
        __atomic_store_n(&shared->have_threads, i + 1, __ATOMIC_SEQ_CST);
        for (;;)
                pause();
        return NULL;
}

static void *end_soon(void *userdata _unused_) {
        pause_ms(3);
        return NULL;
}

static void churn(void) {
        pthread_t thread;

        signal(SIGCHLD, SIG_IGN);
        for (unsigned i = 0; i < 4; i++)
                if (pthread_create(&thread, NULL, end_soon, NULL) == 0)
                        pthread_detach(thread);
        if (fork() == 0) {
                if (fork() == 0)
                        pause_ms(2);
                pause_ms(2);
                _exit(0);
        }
}

_Noreturn static void live(void) {
        static int numbers[64];
        pthread_t thread;

        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;) {
                while (shared->have_threads < shared->threads) {
                        int i = shared->have_threads;
                        numbers[i] = i;
                        pthread_create(&thread, NULL, sleep_for_ever, &numbers[i]);
                        while (__atomic_load_n(&shared->have_threads, __ATOMIC_SEQ_CST) == i)
                                sched_yield();
                }
                while (shared->have_children < shared->children) {
                        pid_t pid = fork();
                        if (pid == 0)
                                for (;;)
                                        pause();
                        shared->pids[shared->have_children] = pid;
                        __atomic_add_fetch(&shared->have_children, 1, __ATOMIC_SEQ_CST);
                }
                if (shared->churn)
                        churn();
                if (shared->end_first)
                        pthread_exit(NULL);
                if (shared->exec)
                        execl("/bin/sleep", "sleep", "60", NULL);
                pause_ms(1);
        }
}

static pid_t child;

static void end_child(void) {
        if (child > 0) {
                kill(child, SIGKILL);
                waitpid(child, NULL, 0);
        }
        child = 0;
        for (int i = 0; shared && i < shared->have_children; i++)
                kill(shared->pids[i], SIGKILL);
}

static struct subject target;

/* A process with so many threads beside the first. Returns false where it cannot be made. */
static bool begin_child(int threads) {
        struct process_stat p;
        _cleanup_close_ int fd = -1;

        end_child();
        if (!shared)
                shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        memset(shared, 0, sizeof(*shared));
        fsync_calls = write_calls = write_error_from = 0;
        *journal_file = '\0';
        write_does_nothing = false;
        shared->threads = threads;
        fflush(stdout);
        child = fork();
        if (child == 0) {
                setpriority(PRIO_PROCESS, 0, 0); /* where root runs this test niced */
                setsid(); /* not in the foreground of the terminal that this test may run in */
                live();
        }
        while (__atomic_load_n(&shared->have_threads, __ATOMIC_SEQ_CST) < threads)
                pause_ms(1);
        pause_ms(5);
        fd = priority_process_open(child);
        if (fd < 0 || priority_process_read(fd, &p) < 0)
                return false;
        if (p.nice >= 15)
                test_skip("this runs so niced that nothing is left to step back from");
        target = (struct subject) { .tgid = child, .start_ticks = p.start_ticks, .name = "child" };
        return true;
}

static void wait_children(int n) {
        shared->children = n;
        while (__atomic_load_n(&shared->have_children, __ATOMIC_SEQ_CST) < n)
                pause_ms(1);
        pause_ms(2);
}

static void wait_threads(int n) {
        shared->threads = n;
        while (__atomic_load_n(&shared->have_threads, __ATOMIC_SEQ_CST) < n)
                pause_ms(1);
        pause_ms(2);
}

/* True if all threads of the child have it. */
static bool all_have(uint16_t priority) {
        struct priority_survey s;
        _cleanup_close_ int fd = priority_process_open(child);

        return fd >= 0 && priority_threads_survey(fd, priority, &s) == 0 && s.n == s.written && s.n == (size_t) shared->have_threads + 1;
}

struct bench {
        struct journal *journal;
        struct priorities *priorities;
        char dir[4096];
};

static bool open_bench(struct bench *b) {
        unsigned damaged;

        if (journal_open(b->dir, BOOT, &b->journal, &damaged) < 0)
                return false;
        b->priorities = priorities_new("", b->journal);
        return b->priorities;
}

static void close_bench(struct bench *b) {
        b->priorities = priorities_free(b->priorities);
        b->journal = journal_close(b->journal);
}

static bool begin(struct bench *b, int threads) {
        static unsigned count;

        *b = (struct bench) { 0 };
        snprintf(b->dir, sizeof(b->dir), "%s/state-%u", test_tmpdir(), count++);
        return begin_child(threads) && open_bench(b);
}

static struct receipt apply(struct bench *b, enum change_action action, uint16_t priority, bool advice, nsec_t now) {
        struct priority_change c = { .id = 1, .dev = 7, .action = action, .process = target, .priority = priority, .law = LAW_STEP_BACK, .advice = advice };
        struct receipt r;

        priorities_apply(b->priorities, &c, 1, now, &r);
        return r;
}

static struct receipt step_back(struct bench *b) {
        return apply(b, CHANGE_SET, BE_7, false, SECOND);
}

static struct receipt give_back(struct bench *b) {
        return apply(b, CHANGE_RESTORE, 0, false, 10 * SECOND);
}

static size_t recover(struct bench *b) {
        size_t n;

        close_bench(b);
        if (!open_bench(b))
                return SIZE_MAX;
        n = priorities_recover(b->priorities, SECOND, NULL, NULL);
        return n;
}

TEST(all_threads_step_back_and_none_comes_back_as_none) {
        struct bench b;
        struct receipt r;

        CHECK(begin(&b, 7));
        CHECK(all_have(IO_PRIORITY_NONE));
        r = step_back(&b);
        CHECK_INT(r.result, RECEIPT_APPLIED);
        CHECK_INT(r.process.tgid, child);
        CHECK_STR(r.old, "none");
        CHECK_STR(r.wanted, "BE/7");
        CHECK_STR(r.observed, "BE/7");
        CHECK(all_have(BE_7));
        CHECK_INT(priorities_held(b.priorities), 1);
        r = give_back(&b);
        CHECK_INT(r.result, RECEIPT_RESTORED);
        CHECK_STR(r.old, "BE/7");
        CHECK_STR(r.observed, "none");
        CHECK(all_have(IO_PRIORITY_NONE));
        CHECK_INT(ioprio_read(child), 0); /* not the BE/4 that it stands for */
        CHECK_INT(priorities_held(b.priorities), 0);
        close_bench(&b);
}

TEST(the_idle_class_is_written_with_a_level_of_its_own) {
        struct bench b;

        CHECK(begin(&b, 0));
        CHECK_STR(apply(&b, CHANGE_SET, IDLE, false, SECOND).observed, "idle");
        CHECK_INT(ioprio_read(child), IDLE);
        CHECK_INT(give_back(&b).result, RECEIPT_RESTORED);
        CHECK_INT(ioprio_read(child), 0);
        close_bench(&b);
}

TEST(the_original_is_in_the_journal_before_the_first_thread_is_touched_and_no_drive_is_waited_for) {
        struct bench b;

        CHECK(begin(&b, 3));
        snprintf(journal_file, sizeof(journal_file), "%s/originals", b.dir);
        CHECK_INT(step_back(&b).result, RECEIPT_APPLIED);
        CHECK_INT(journal_lines_at_first_write, 1);
        CHECK_INT(fsync_calls, 0); /* that of a busy drive takes longer than the start that it would be for */
        CHECK_INT(journal_count_priorities(b.journal), 1);
        CHECK_INT(journal_get_priority(b.journal, 0)->original, 0);
        CHECK_INT(journal_get_priority(b.journal, 0)->written, BE_7);
        close_bench(&b);
}

TEST(a_full_disk_keeps_a_process_from_stepping_back_and_never_from_coming_back) {
        const struct rlimit full = { .rlim_cur = 0, .rlim_max = RLIM_INFINITY };
        struct rlimit before;
        struct bench b;
        struct receipt r;

        getrlimit(RLIMIT_FSIZE, &before);
        signal(SIGXFSZ, SIG_IGN);
        CHECK(begin(&b, 2));
        setrlimit(RLIMIT_FSIZE, &full);
        r = step_back(&b);
        setrlimit(RLIMIT_FSIZE, &before);
        CHECK_INT(r.result, RECEIPT_FAILED);
        CHECK_INT(r.error, -EFBIG);
        CHECK_INT(write_calls, 0);
        CHECK_INT(step_back(&b).result, RECEIPT_APPLIED);
        setrlimit(RLIMIT_FSIZE, &full);
        r = give_back(&b);
        setrlimit(RLIMIT_FSIZE, &before);
        CHECK_INT(r.result, RECEIPT_RESTORED);
        CHECK(all_have(IO_PRIORITY_NONE));
        close_bench(&b);
}

TEST(threads_born_meanwhile_come_back_with_the_others) {
        struct bench b;

        CHECK(begin(&b, 2));
        CHECK_INT(step_back(&b).result, RECEIPT_APPLIED);
        wait_threads(9);
        CHECK(all_have(BE_7));
        CHECK_INT(give_back(&b).result, RECEIPT_RESTORED);
        CHECK(all_have(IO_PRIORITY_NONE));
        close_bench(&b);
}

TEST(a_child_gets_back_what_its_parent_had_while_the_parent_stays_back) {
        struct priorities_counters counters;
        struct bench b;
        struct receipt r;

        CHECK(begin(&b, 1));
        CHECK_INT(step_back(&b).result, RECEIPT_APPLIED);
        wait_children(3);
        for (int i = 0; i < 3; i++)
                CHECK_INT(ioprio_read(shared->pids[i]), BE_7);
        CHECK_INT(priorities_follow(b.priorities, 3 * SECOND, &r, 1), 0);
        for (int i = 0; i < 3; i++)
                CHECK_INT(ioprio_read(shared->pids[i]), 0);
        CHECK(all_have(BE_7));
        priorities_get_counters(b.priorities, &counters);
        CHECK_INT(counters.children, 3);
        CHECK_INT(give_back(&b).result, RECEIPT_RESTORED);
        close_bench(&b);
}

TEST(a_child_begotten_just_before_the_return_gets_it_back_too) {
        struct bench b;

        CHECK(begin(&b, 0));
        CHECK_INT(step_back(&b).result, RECEIPT_APPLIED);
        wait_children(2);
        CHECK_INT(give_back(&b).result, RECEIPT_RESTORED);
        priorities_settle(b.priorities);
        CHECK_INT(ioprio_read(shared->pids[0]), 0);
        CHECK_INT(ioprio_read(shared->pids[1]), 0);
        CHECK_INT(journal_count_priorities(b.journal), 0);
        close_bench(&b);
}

TEST(an_orphan_of_the_session_gets_it_back_when_its_parent_has_ended) {
        struct bench b;
        struct receipt r;

        CHECK(begin(&b, 0));
        CHECK_INT(step_back(&b).result, RECEIPT_APPLIED);
        wait_children(2);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        child = 0;
        CHECK_INT(priorities_follow(b.priorities, 3 * SECOND, &r, 1), 1);
        CHECK_INT(r.result, RECEIPT_GONE);
        CHECK_INT(ioprio_read(shared->pids[0]), 0);
        CHECK_INT(ioprio_read(shared->pids[1]), 0);
        CHECK_INT(priorities_held(b.priorities), 0);
        CHECK_INT(priorities_follow(b.priorities, 9 * SECOND, &r, 1), 0);
        CHECK_INT(journal_count_priorities(b.journal), 0);
        end_child();
        close_bench(&b);
}

/* Its session is the child's, its priority what the child has, and it is older than the child's stepping back. */
TEST(a_process_that_was_there_before_is_no_child_that_inherited) {
        struct bench b;
        struct receipt r;

        CHECK(begin(&b, 0));
        wait_children(1);
        CHECK_INT(__real_ioprio_write(shared->pids[0], BE_7), 0);
        pause_ms(30); /* the clock of start times ticks in hundredths */
        CHECK_INT(step_back(&b).result, RECEIPT_APPLIED);
        CHECK_INT(priorities_follow(b.priorities, 3 * SECOND, &r, 1), 0);
        CHECK_INT(ioprio_read(shared->pids[0]), BE_7);
        CHECK_INT(give_back(&b).result, RECEIPT_RESTORED);
        priorities_settle(b.priorities);
        CHECK_INT(ioprio_read(shared->pids[0]), BE_7);
        close_bench(&b);
}

/* A control group of its own, "" where none can be made. */
static void make_group(char path[static 256]) {
        static const char *const mounts[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/systemd" };

        for (size_t i = 0; i < ARRAY_SIZE(mounts); i++) {
                char file[300];
                snprintf(path, 256, "%s/brio-test-%d", mounts[i], getpid());
                if (mkdir(path, 0755) < 0)
                        continue;
                snprintf(file, sizeof(file), "%s/cgroup.procs", path);
                if (access(file, W_OK) == 0)
                        return;
                rmdir(path);
        }
        *path = '\0';
}

static void enter_group(const char *path) {
        char file[300];
        FILE *f;

        snprintf(file, sizeof(file), "%s/cgroup.procs", path);
        f = fopen(file, "we");
        if (!f || fprintf(f, "0") < 0 || fclose(f) != 0)
                _exit(1);
}

/* Begets a process in a session of its own, which may beget another one that gives itself a priority. */
static pid_t open_pane(int first, bool sets_priority) {
        pid_t pane = fork();

        if (pane != 0)
                return shared->pids[first] = pane;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setsid();
        if (sets_priority && fork() == 0) {
                prctl(PR_SET_PDEATHSIG, SIGKILL);
                __real_ioprio_write(0, BE_7);
                shared->pids[first + 1] = getpid();
        }
        for (;;)
                pause();
}

/* A terminal's server, of one control group with all of its panes. */
_Noreturn static void serve_panes(const char *group) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setsid();
        enter_group(group);
        open_pane(0, false);
        while (__atomic_load_n(&shared->children, __ATOMIC_SEQ_CST) == 0)
                pause_ms(1);
        open_pane(1, true);
        for (;;)
                pause();
}

static void end_panes(const char *group) {
        for (int i = 0; i < 3; i++)
                if (shared->pids[i] > 0)
                        kill(shared->pids[i], SIGKILL);
        end_child();
        for (int i = 0; i < 1000 && rmdir(group) < 0; i++)
                pause_ms(1);
}

TEST(a_process_that_sets_the_same_priority_in_another_pane_of_the_same_terminal_server_is_no_child) {
        struct journal_priority parent = { .written = BE_7 };
        struct process_stat p;
        char group[256];
        int fd;

        CHECK(begin_child(0));
        end_child();
        make_group(group);
        if (!*group)
                test_skip("no control group can be made here");
        child = fork();
        if (child == 0)
                serve_panes(group);
        while (__atomic_load_n(&shared->pids[0], __ATOMIC_SEQ_CST) == 0)
                pause_ms(1);
        pause_ms(30); /* the clock of start times ticks in hundredths */
        fd = priority_process_open(shared->pids[0]);
        CHECK_INT(priority_process_read(fd, &p), 0);
        parent.tgid = p.tgid;
        parent.start_ticks = p.start_ticks;
        parent.session = p.session;
        parent.cgroup = priority_process_cgroup_sum(fd);
        parent.since_ticks = priority_now_ticks();
        safe_close(fd);
        pause_ms(30);
        __atomic_store_n(&shared->children, 1, __ATOMIC_SEQ_CST);
        while (__atomic_load_n(&shared->pids[2], __ATOMIC_SEQ_CST) == 0)
                pause_ms(1);
        fd = priority_process_open(shared->pids[2]);
        CHECK_INT(priority_process_read(fd, &p), 0);
        CHECK_INT(priority_process_cgroup_sum(fd), parent.cgroup);
        CHECK(parent.cgroup != 0);
        CHECK(p.start_ticks >= parent.since_ticks);
        safe_close(fd);
        CHECK(!priority_is_kin(&parent, &p));
        end_panes(group);
}

struct left {
        size_t n;
};

static void count_left(void *userdata, int32_t tgid, uint16_t priority _unused_) {
        struct left *l = userdata;
        struct process_stat p;
        _cleanup_close_ int fd = priority_process_open(tgid);

        l->n += fd >= 0 && priority_process_read(fd, &p) == 0 && p.session == child;
}

TEST(threads_that_are_born_all_the_time_come_back_too) {
        const uint16_t written = BE_7;
        struct priority_survey s;
        struct bench b;
        struct receipt r;

        CHECK(begin(&b, 3));
        shared->churn = true;
        pause_ms(20);
        for (unsigned i = 0; i < 50; i++) {
                struct left left = { 0 };
                _cleanup_close_ int fd = priority_process_open(child);
                CHECK_INT(step_back(&b).result, RECEIPT_APPLIED);
                /* A thread may be half born: told that seconds have passed, follow would take it for one that was set by another. */
                CHECK_INT(priorities_follow(b.priorities, SECOND + SECOND / 10, &r, 1), 0);
                CHECK_INT(give_back(&b).result, RECEIPT_RESTORED);
                priorities_settle(b.priorities);
                CHECK_INT(priority_threads_survey(fd, BE_7, &s), 0);
                CHECK_INT(s.written, 0);
                CHECK_INT(priority_kin_scan(&written, 1, count_left, &left), 0);
                CHECK_INT(left.n, 0);
        }
        close_bench(&b);
}

TEST(a_priority_that_another_program_set_is_never_touched) {
        static const uint16_t set[] = { IO_PRIORITY(IO_CLASS_BEST_EFFORT, 4), BE_7, IO_PRIORITY(IO_CLASS_IDLE, 7) };
        struct bench b;
        struct receipt r;

        for (size_t i = 0; i < ARRAY_SIZE(set); i++) {
                CHECK(begin(&b, 3));
                CHECK_INT(__real_ioprio_write(shared->tids[1], set[i]), 0); /* one thread is enough */
                r = step_back(&b);
                CHECK_INT(r.result, RECEIPT_FOREIGN);
                CHECK_INT(write_calls, 0);
                CHECK_INT(ioprio_read(shared->tids[1]), set[i]);
                CHECK_INT(ioprio_read(child), 0);
                CHECK_INT(journal_count_priorities(b.journal), 0);
                close_bench(&b);
        }
}

TEST(another_programs_word_meanwhile_counts_and_the_other_threads_come_back) {
        static const uint16_t theirs[] = { IO_PRIORITY(IO_CLASS_BEST_EFFORT, 2), IO_PRIORITY(IO_CLASS_IDLE, 7), IO_PRIORITY_NONE };
        struct bench b;
        struct receipt r;

        for (size_t i = 0; i < ARRAY_SIZE(theirs); i++) {
                CHECK(begin(&b, 3));
                CHECK_INT(step_back(&b).result, RECEIPT_APPLIED);
                CHECK_INT(priorities_follow(b.priorities, 2 * SECOND, &r, 1), 0);
                CHECK_INT(__real_ioprio_write(shared->tids[1], theirs[i]), 0);
                CHECK_INT(priorities_follow(b.priorities, 3 * SECOND, &r, 1), 1);
                CHECK_INT(r.result, RECEIPT_FOREIGN);
                CHECK_STR(r.old, "BE/7");
                CHECK_INT(ioprio_read(shared->tids[1]), theirs[i]);
                CHECK_INT(ioprio_read(shared->tids[0]), 0);
                CHECK_INT(ioprio_read(child), 0);
                CHECK_INT(priorities_held(b.priorities), 0);
                close_bench(&b);
        }
}

TEST(a_priority_set_right_before_the_return_stays) {
        struct bench b;
        struct receipt r;

        CHECK(begin(&b, 1));
        CHECK_INT(step_back(&b).result, RECEIPT_APPLIED);
        CHECK_INT(__real_ioprio_write(child, IO_PRIORITY(IO_CLASS_BEST_EFFORT, 2)), 0);
        r = give_back(&b);
        CHECK_INT(r.result, RECEIPT_FOREIGN);
        CHECK_STR(r.observed, "BE/2");
        CHECK_INT(ioprio_read(child), IO_PRIORITY(IO_CLASS_BEST_EFFORT, 2));
        CHECK_INT(ioprio_read(shared->tids[0]), 0);
        close_bench(&b);
}

TEST(another_program_gets_it_back_at_once) {
        struct bench b;
        struct receipt r;

        CHECK(begin(&b, 2));
        CHECK_INT(step_back(&b).result, RECEIPT_APPLIED);
        shared->exec = true;
        for (unsigned i = 0; i < 1000; i++) { /* until it has */
                if (priorities_follow(b.priorities, 3 * SECOND, &r, 1) == 1)
                        break;
                pause_ms(5);
        }
        CHECK_INT(r.result, RECEIPT_RESTORED);
        CHECK_STR(told(r.why), "it has become another program");
        CHECK_INT(ioprio_read(child), 0);
        close_bench(&b);
}

/* The first thread has ended, and is there as a zombie for as long as the others live: its priority was not taken away. */
TEST(a_thread_that_has_ended_is_no_programs_word) {
        struct bench b;
        struct receipt r;

        CHECK(begin(&b, 2));
        CHECK_INT(step_back(&b).result, RECEIPT_APPLIED);
        shared->end_first = true;
        for (unsigned i = 0; i < 1000 && ioprio_read(child) != 0; i++) /* until it has */
                pause_ms(5);
        CHECK_INT(ioprio_read(child), 0);
        CHECK_INT(priorities_follow(b.priorities, 5 * SECOND, &r, 1), 0);
        CHECK_INT(ioprio_read(shared->tids[0]), BE_7);
        CHECK_INT(give_back(&b).result, RECEIPT_RESTORED);
        CHECK_INT(ioprio_read(shared->tids[0]), 0);
        close_bench(&b);
}

TEST(a_reused_number_is_never_touched) {
        struct bench b;
        struct receipt r;

        CHECK(begin(&b, 1));
        target.start_ticks--; /* the one that a law meant had another start */
        r = step_back(&b);
        CHECK_INT(r.result, RECEIPT_GONE);
        CHECK_INT(write_calls, 0);
        CHECK(all_have(IO_PRIORITY_NONE));
        close_bench(&b);
}

TEST(a_journal_line_of_a_number_that_was_reused_touches_no_process) {
        struct journal_priority e = { .written = BE_7 };
        struct bench b;

        CHECK(begin(&b, 1));
        e.tgid = child;
        e.start_ticks = target.start_ticks - 1;
        e.since_ticks = UINT64_MAX; /* and none was born after it */
        CHECK_INT(journal_note_priority(b.journal, &e), 0);
        CHECK_INT(journal_sync(b.journal), 0);
        CHECK_INT(__real_ioprio_write(child, BE_7), 0); /* what its owner wants */
        CHECK_INT(recover(&b), 0);
        CHECK_INT(ioprio_read(child), BE_7);
        CHECK_INT(journal_count_priorities(b.journal), 0);
        close_bench(&b);
}

TEST(kernel_threads_and_process_1_and_briod_itself_never_step_back) {
        struct process_stat p;
        struct bench b;
        struct receipt r;

        CHECK(begin(&b, 0));
        for (int32_t tgid = 1; tgid <= 2; tgid++) { /* 2: kthreadd, where it is seen */
                _cleanup_close_ int fd = priority_process_open(tgid);
                if (fd < 0 || priority_process_read(fd, &p) < 0 || (tgid == 2 && !(p.flags & PROCESS_FLAG_KERNEL_THREAD)))
                        continue;
                target = (struct subject) { .tgid = tgid, .start_ticks = p.start_ticks };
                r = step_back(&b);
                CHECK(r.result == RECEIPT_REFUSED || r.result == RECEIPT_FOREIGN);
        }
        {
                _cleanup_close_ int fd = priority_process_open(getpid());
                CHECK_INT(priority_process_read(fd, &p), 0);
                target = (struct subject) { .tgid = getpid(), .start_ticks = p.start_ticks };
                r = step_back(&b);
                CHECK_INT(r.result, RECEIPT_REFUSED);
                CHECK_STR(told(r.why), "it is briod itself");
        }
        CHECK_INT(write_calls, 0);
        close_bench(&b);
}

TEST(a_thread_of_the_idle_scheduling_class_would_be_raised_so_its_process_is_left_alone) {
        const struct sched_param param = { 0 };
        struct bench b;
        struct receipt r;

        CHECK(begin(&b, 2));
        CHECK_INT(sched_setscheduler(shared->tids[0], SCHED_IDLE, &param), 0);
        r = step_back(&b);
        CHECK_INT(r.result, RECEIPT_REFUSED);
        CHECK_INT(write_calls, 0);
        close_bench(&b);
}

TEST(a_process_that_enters_the_idle_scheduling_class_while_it_has_stepped_back_gets_it_back) {
        const struct sched_param param = { 0 };
        struct bench b;
        struct receipt r;

        CHECK(begin(&b, 2));
        CHECK_INT(step_back(&b).result, RECEIPT_APPLIED);
        CHECK_INT(sched_setscheduler(shared->tids[0], SCHED_IDLE, &param), 0);
        CHECK_INT(priorities_follow(b.priorities, 3 * SECOND, &r, 1), 1);
        CHECK_INT(r.result, RECEIPT_RESTORED);
        CHECK(strstr(told(r.why), "idle scheduling class"));
        CHECK_INT(ioprio_read(child), IO_PRIORITY_NONE);
        close_bench(&b);
}

/* A player has a thread for its sound, of a realtime policy; in a terminal its user waits for it. */
TEST(a_process_may_go_first_whatever_keeps_one_from_stepping_back_and_stays_there) {
        const uint16_t first = IO_PRIORITY(IO_CLASS_REALTIME, 3);
        const struct sched_param param = { 0 };
        struct process_stat p;
        struct bench b;

        CHECK(begin(&b, 2));
        CHECK_INT(sched_setscheduler(shared->tids[0], SCHED_IDLE, &param), 0);
        CHECK_INT(setpriority(PRIO_PROCESS, (id_t) child, 19), 0);
        {
                _cleanup_close_ int fd = priority_process_open(child);
                CHECK_INT(priority_process_read(fd, &p), 0);
                p.terminal = 1;
                p.foreground = p.job;
                CHECK(priority_guard_refuses(fd, &p, BE_7) && priority_guard_recalls(fd, &p, BE_7));
                CHECK(!priority_guard_refuses(fd, &p, first) && !priority_guard_recalls(fd, &p, first));
                p.tgid = 1;
                CHECK(priority_guard_refuses(fd, &p, first));
        }
        close_bench(&b);
}

TEST(a_nice_process_is_there_already) {
        struct bench b;
        struct receipt r;

        CHECK(begin(&b, 0));
        CHECK_INT(setpriority(PRIO_PROCESS, (id_t) child, 19), 0);
        r = step_back(&b);
        CHECK_INT(r.result, RECEIPT_REFUSED);
        CHECK_STR(told(r.why), "its niceness has put it there already");
        close_bench(&b);
}

TEST(advice_writes_nothing_and_is_refused_where_a_write_would_be) {
        struct bench b;

        CHECK(begin(&b, 1));
        CHECK_INT(apply(&b, CHANGE_SET, BE_7, true, SECOND).result, RECEIPT_ADVISED);
        CHECK_INT(write_calls, 0);
        CHECK_INT(journal_count_priorities(b.journal), 0);
        CHECK_INT(setpriority(PRIO_PROCESS, (id_t) child, 19), 0);
        CHECK_INT(apply(&b, CHANGE_SET, BE_7, true, SECOND).result, RECEIPT_REFUSED);
        close_bench(&b);
}

TEST(a_recorded_machines_processes_are_not_this_ones) {
        struct priority_change c = { .id = 1, .action = CHANGE_SET, .priority = BE_7 };
        struct priorities *recorded;
        struct bench b;
        struct receipt r;

        CHECK(begin(&b, 0));
        recorded = priorities_new("/some/root", b.journal);
        c.process = target;
        priorities_apply(recorded, &c, 1, SECOND, &r);
        CHECK_INT(r.result, RECEIPT_REFUSED);
        CHECK_INT(write_calls, 0);
        priorities_free(recorded);
        close_bench(&b);
}

TEST(a_write_that_fails_at_any_thread_leaves_no_thread_behind) {
        struct bench b;
        struct receipt r;

        for (unsigned at = 1; at <= 5; at++) {
                CHECK(begin(&b, 4));
                write_error = -EPERM;
                write_error_from = at;
                r = step_back(&b);
                write_error_from = 0;
                CHECK_INT(r.result, RECEIPT_FAILED);
                CHECK_INT(r.error, -EPERM);
                CHECK_INT(priorities_held(b.priorities), 0);
                CHECK_INT(recover(&b), at > 1); /* the way back was barred, too: the journal has it */
                CHECK(all_have(IO_PRIORITY_NONE));
                close_bench(&b);
        }
}

TEST(a_kernel_that_takes_the_priority_and_does_nothing_is_an_error) {
        struct bench b;
        struct receipt r;

        CHECK(begin(&b, 1));
        write_does_nothing = true;
        r = step_back(&b);
        write_does_nothing = false;
        CHECK_INT(r.result, RECEIPT_FAILED);
        CHECK_INT(r.error, -EIO);
        close_bench(&b);
}

TEST(what_cannot_be_given_back_stays_in_the_journal_and_is_tried_again) {
        struct bench b;
        struct receipt r;

        CHECK(begin(&b, 2));
        CHECK_INT(step_back(&b).result, RECEIPT_APPLIED);
        write_error = -EPERM;
        write_error_from = 1;
        r = give_back(&b);
        CHECK_INT(r.result, RECEIPT_FAILED);
        CHECK_INT(priorities_held(b.priorities), 1);
        priorities_settle(b.priorities);
        CHECK_INT(journal_count_priorities(b.journal), 1);
        CHECK_INT(recover(&b), 0);
        CHECK_INT(priorities_held(b.priorities), 1); /* --restore says so */
        write_error_from = 0;
        CHECK_INT(recover(&b), 1);
        CHECK_INT(priorities_held(b.priorities), 0);
        CHECK(all_have(IO_PRIORITY_NONE));
        close_bench(&b);
}

TEST(the_next_start_gives_back_threads_and_children_that_a_killed_run_left) {
        struct bench b;

        CHECK(begin(&b, 3));
        CHECK_INT(step_back(&b).result, RECEIPT_APPLIED);
        wait_threads(6);
        wait_children(2);
        CHECK_INT(recover(&b), 3);
        CHECK(all_have(IO_PRIORITY_NONE));
        CHECK_INT(ioprio_read(shared->pids[0]), 0);
        CHECK_INT(ioprio_read(shared->pids[1]), 0);
        CHECK_INT(journal_count_priorities(b.journal), 0);
        CHECK_INT(recover(&b), 0);
        close_bench(&b);
}

TEST(the_next_start_leaves_what_another_program_set_after_the_kill) {
        struct bench b;

        CHECK(begin(&b, 2));
        CHECK_INT(step_back(&b).result, RECEIPT_APPLIED);
        CHECK_INT(__real_ioprio_write(shared->tids[0], IO_PRIORITY(IO_CLASS_BEST_EFFORT, 1)), 0);
        CHECK_INT(recover(&b), 1);
        CHECK_INT(ioprio_read(shared->tids[0]), IO_PRIORITY(IO_CLASS_BEST_EFFORT, 1));
        CHECK_INT(ioprio_read(shared->tids[1]), 0);
        CHECK_INT(ioprio_read(child), 0);
        close_bench(&b);
}

TEST(more_processes_than_fit_are_refused_and_counted) {
        static struct priority_change changes[PLAN_PRIORITIES_MAX];
        static struct receipt receipts[PLAN_PRIORITIES_MAX];
        struct priorities_counters counters;
        struct process_stat p;
        struct bench b;
        size_t applied = 0;

        CHECK(begin(&b, 0));
        wait_children(64);
        for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
                _cleanup_close_ int fd = priority_process_open(shared->pids[i]);
                CHECK_INT(priority_process_read(fd, &p), 0);
                changes[i] = (struct priority_change) { .id = i + 1, .action = CHANGE_SET, .priority = BE_7,
                                                        .process = { .tgid = shared->pids[i], .start_ticks = p.start_ticks } };
        }
        CHECK_INT(step_back(&b).result, RECEIPT_APPLIED);
        priorities_apply(b.priorities, changes, ARRAY_SIZE(changes), SECOND, receipts);
        for (size_t i = 0; i < ARRAY_SIZE(changes); i++)
                applied += receipts[i].result == RECEIPT_APPLIED;
        CHECK_INT(applied, PRIORITIES_MAX - 1);
        CHECK_INT(receipts[PLAN_PRIORITIES_MAX - 1].result, RECEIPT_FAILED);
        CHECK_INT(receipts[PLAN_PRIORITIES_MAX - 1].error, -ENOSPC);
        priorities_get_counters(b.priorities, &counters);
        CHECK_INT(counters.refused, 1);
        CHECK_INT(recover(&b), PRIORITIES_MAX);
        close_bench(&b);
        end_child();
}

/* A run that steps back and returns in a loop, killed wherever it is. */
_Noreturn static void run_until_killed(struct bench *b) {
        struct receipt r;

        close_bench(b);
        if (!open_bench(b))
                _exit(1);
        priorities_recover(b->priorities, SECOND, NULL, NULL);
        for (nsec_t now = SECOND;; now += SECOND) {
                apply(b, CHANGE_SET, now / SECOND % 2 ? BE_7 : IDLE, false, now);
                priorities_follow(b->priorities, now, &r, 1);
                apply(b, CHANGE_RESTORE, 0, false, now);
                priorities_settle(b->priorities);
        }
}

#define KILLS 200

TEST(a_run_that_is_killed_anywhere_ends_with_what_was_there) {
        uint64_t state = test_seed();
        struct bench b;

        CHECK(begin(&b, 3));
        for (unsigned i = 0; i < KILLS; i++) {
                pid_t run;
                close_bench(&b);
                fflush(stdout);
                run = fork();
                if (run == 0)
                        run_until_killed(&b);
                pause_ms(1);
                if (i % 8 == 0 && shared->have_threads < 60)
                        wait_threads(shared->have_threads + 1);
                if (i % 16 == 0)
                        wait_children(shared->have_children + 1);
                {
                        const struct timespec t = { .tv_nsec = (long) (test_random(&state) % 15000000) };
                        nanosleep(&t, NULL);
                }
                kill(run, SIGKILL);
                waitpid(run, NULL, 0);
                CHECK(open_bench(&b));
                priorities_recover(b.priorities, SECOND, NULL, NULL);
                CHECK(all_have(IO_PRIORITY_NONE));
                for (int k = 0; k < shared->have_children; k++)
                        CHECK_INT(ioprio_read(shared->pids[k]), 0);
                CHECK_INT(journal_count_priorities(b.journal), 0);
        }
        close_bench(&b);
        end_child();
}

TEST(stat_is_read_whatever_the_name) {
        char text[] = "4711 (a) S 1 (b) R 17 4711 28179 34817 4720 4194304 101 0 0 0 0 0 0 0 20 -5 1 0 3417587 3133440 418";
        char odd[] = "4711 (x", short_one[] = "4711 (x) S 1 2 3";
        struct process_stat p;

        CHECK_INT(process_stat_parse(text, &p), 0);
        CHECK_INT(p.tgid, 4711);
        CHECK_INT(p.parent, 17);
        CHECK_INT(p.job, 4711);
        CHECK_INT(p.session, 28179);
        CHECK_INT(p.terminal, 34817);
        CHECK_INT(p.foreground, 4720);
        CHECK_INT(p.nice, -5);
        CHECK_INT(p.start_ticks, 3417587);
        CHECK_INT(process_stat_parse(odd, &p), -EINVAL);
        CHECK_INT(process_stat_parse(short_one, &p), -EINVAL);
}
