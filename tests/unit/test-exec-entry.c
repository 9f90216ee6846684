/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Execs that wait: what is read of them, and that they are told before they are done. */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "clock.h"
#include "exec-entry.h"
#include "source-process.h"
#include "test.h"

#define PAGE 4096
#define TOKEN "XDG_ACTIVATION_TOKEN=of-this-process-alone"

DEFINE_TRIVIAL_CLEANUP_FUNC(struct source_process *, source_process_free)

TEST(an_exec_is_told_from_other_system_calls) {
        struct exec_call c = { 0 };
        char text[128];

        CHECK_INT(exec_entry_parse("running\n", &c), 0);
        CHECK_INT(exec_entry_parse("-1 0x7ffd 0x7f00\n", &c), 0);
        CHECK_INT(exec_entry_parse("", &c), 0);
        snprintf(text, sizeof(text), "%d 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8\n", (int) SYS_read);
        CHECK_INT(exec_entry_parse(text, &c), 0);
        snprintf(text, sizeof(text), "%d 0x55d0 0x2 0x7ffe 0x4 0x5 0x6 0x7 0x8", (int) SYS_execve);
        CHECK_INT(exec_entry_parse(text, &c), 1);
        CHECK_INT(c.directory, AT_FDCWD);
        CHECK_INT(c.program, 0x55d0);
        CHECK_INT(c.environment, 0x7ffe);
        snprintf(text, sizeof(text), "%d 0x7 0x55d0 0x2 0x7ffe 0x5 0x6 0x7 0x8", (int) SYS_execveat);
        CHECK_INT(exec_entry_parse(text, &c), 1);
        CHECK_INT(c.directory, 7);
        CHECK_INT(c.program, 0x55d0);
        CHECK_INT(c.environment, 0x7ffe);
}

/* Memory of which the kernel gets nothing when it asks: the process that hands it over stands in that system call. NULL where that cannot be had. */
static void *make_hole(void) {
        struct uffdio_api api = { .api = UFFD_API };
        struct uffdio_register area = { .mode = UFFDIO_REGISTER_MODE_MISSING };
        int fd = (int) syscall(SYS_userfaultfd, O_CLOEXEC);
        void *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        area.range.start = (uintptr_t) p;
        area.range.len = PAGE;
        return fd < 0 || p == MAP_FAILED || ioctl(fd, UFFDIO_API, &api) < 0 || ioctl(fd, UFFDIO_REGISTER, &area) < 0 ? NULL : p;
}

/* A child whose exec does not come to its end. */
static pid_t start_waiting(const char *program) {
        static char home[] = "HOME=/root", token[] = TOKEN;
        char *environment[] = { home, token, NULL };
        pid_t pid = fork();

        if (pid == 0) {
                void *hole = make_hole();
                if (hole)
                        execve(program, hole, environment);
                _exit(1);
        }
        return pid;
}

static void end_child(pid_t pid) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
}

/* Returns what exec_entry_look() says at last; -ESRCH where the child could not be made to wait. */
static int await_entry(pid_t pid, struct exec_entry *e) {
        for (unsigned i = 0; i < 2000; i++) {
                int r = exec_entry_look(pid, e);
                if (r > 0)
                        return r;
                if (waitpid(pid, NULL, WNOHANG) != 0)
                        return -ESRCH;
                usleep(10000);
        }
        return 0;
}

TEST(program_and_environment_of_an_exec_that_waits_are_read) {
        struct exec_entry e = { 0 };
        pid_t pid;

        if (geteuid() != 0)
                test_skip("needs root: memory that the kernel waits for");
        pid = start_waiting("/bin/true");
        if (await_entry(pid, &e) == -ESRCH)
                test_skip("no userfaultfd here");
        end_child(pid);
        CHECK_STR(e.program, "/bin/true");
        CHECK_INT(e.environment_size, sizeof("HOME=/root") + sizeof(TOKEN));
        CHECK_STR(e.environment, "HOME=/root");
        CHECK_STR(e.environment + sizeof("HOME=/root"), TOKEN);
        CHECK_INT(exec_entry_look(getpid(), &e), 0);
        CHECK_INT(exec_entry_look(pid, &e), -ENOENT);
}

struct told {
        pid_t pid;
        struct event exec; /* its first */
};

static void take(void *userdata, const struct event *e) {
        struct told *t = userdata;

        if (e->kind != EVENT_PROCESS_EXEC || e->tgid != t->pid || t->exec.tgid)
                return;
        t->exec = *e;
}

static uint32_t resolve(void *userdata _unused_, uint32_t dev _unused_) {
        return 0;
}

static bool starting(void *userdata _unused_, int32_t tgid _unused_) {
        return false;
}

TEST(a_launched_program_is_told_before_its_exec_is_done) {
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        _cleanup_(source_process_freep) struct source_process *s = NULL;
        struct source_info info[SOURCE_INFOS_MAX];
        struct told told = { 0 };
        struct source_process_config config = { .root = "", .sink = { take, &told }, .resolve = resolve, .starting = starting, .userdata = &told };
        struct exec_entry e;

        if (geteuid() != 0)
                test_skip("needs root: the process connector");
        CHECK_INT(sd_event_new(&event) < 0, 0);
        CHECK_INT(source_process_new(&config, event, &s), 0);
        source_process_ops.probe(s, info);
        if (info[1].state != SOURCE_WORKS)
                test_skip("the kernel does not let us listen to the process connector");
        source_process_sample(s, clock_now(CLOCK_MONOTONIC), NULL, 0); /* a drive is busy */
        source_process_hurry(s, true);
        /* Again where a busy machine has kept the reader from answering: it was given up, and has no successor for a second. */
        for (nsec_t end = clock_now(CLOCK_MONOTONIC) + 20 * NSEC_PER_SEC; !told.exec.tgid && clock_now(CLOCK_MONOTONIC) < end;) {
                nsec_t next = clock_now(CLOCK_MONOTONIC) + 3 * NSEC_PER_SEC;
                told.pid = start_waiting("/bin/true");
                if (await_entry(told.pid, &e) == -ESRCH)
                        test_skip("no userfaultfd here");
                while (!told.exec.tgid && clock_now(CLOCK_MONOTONIC) < next)
                        sd_event_run(event, 10000);
                end_child(told.pid);
        }
        CHECK_INT(told.exec.tgid, told.pid);
        CHECK_INT(told.exec.flags, EVENT_LAUNCHED | EVENT_BEGINS);
        CHECK_STR(told.exec.process_exec.name, "true");
        CHECK_INT(told.exec.process_exec.parent, getpid());
}
