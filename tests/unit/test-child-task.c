/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child-task.h"
#include "fdio.h"
#include "io-priority.h"
#include "test.h"

static void say(void *userdata, int fd) {
        (void) !write(fd, userdata, strlen(userdata));
}

static void hear(void *userdata, const char *said, size_t size) {
        snprintf(userdata, 16, "heard %.*s", (int) size, said);
}

static int start(struct child_tasks *tasks, char *text) {
        const struct child_work work = { .run = say, .done = hear, .userdata = text, .keep_fd = -1, .priority = IO_PRIORITY_NONE };
        struct child_task *task;

        return child_task_start(tasks, &work, &task);
}

TEST(what_a_child_says_is_heard_when_it_has_ended_and_it_is_reaped) {
        struct child_tasks *tasks;
        char text[16] = "words";
        sd_event *event;

        CHECK(sd_event_new(&event) >= 0);
        CHECK_INT(child_tasks_new(event, &tasks), 0);
        CHECK_INT(start(tasks, text), 0);
        for (unsigned i = 0; i < 100 && streq(text, "words"); i++)
                CHECK(sd_event_run(event, 100 * 1000) >= 0);
        CHECK_STR(text, "heard words");
        CHECK(waitpid(-1, NULL, 0) < 0 && errno == ECHILD);
        child_tasks_free(tasks);
        sd_event_unref(event);
}

static void hang(void *userdata, int fd) {
        say(userdata, fd);
        for (;;)
                pause();
}

TEST(one_that_hangs_is_killed_when_its_time_is_over_and_what_it_had_said_is_heard) {
        struct child_tasks *tasks;
        char text[16] = "words";
        struct child_work work = { .run = hang, .done = hear, .userdata = text, .keep_fd = -1, .priority = IO_PRIORITY_NONE, .seconds = 1 };
        struct child_task *task;
        sd_event *event;

        CHECK(sd_event_new(&event) >= 0);
        CHECK_INT(child_tasks_new(event, &tasks), 0);
        CHECK_INT(child_task_start(tasks, &work, &task), 0);
        for (unsigned i = 0; i < 600 && streq(text, "words"); i++)
                CHECK(sd_event_run(event, 100 * 1000) >= 0);
        CHECK_STR(text, "heard words");
        child_tasks_free(tasks);
        sd_event_unref(event);
}

/* Twice; between, until that was heard. */
static void say_too_much(void *userdata, int fd) {
        static char text[CHILD_TASK_SAYS_MAX - 100];
        int left = 1;

        memset(text, 'a', sizeof(text));
        (void) fdio_write_all(fd, text, sizeof(text));
        (void) fdio_write_all(fd, text, 200);
        while (left > 0 && ioctl(fd, FIONREAD, &left) == 0)
                sched_yield();
        say(userdata, fd);
}

static void hear_all(void *userdata, const char *said, size_t size) {
        snprintf(userdata, 16, size <= CHILD_TASK_SAYS_MAX && !memchr(said, 'w', size) ? "beginning" : "gap");
}

TEST(of_a_child_that_says_too_much_nothing_is_taken_after_what_was_left_out) {
        struct child_tasks *tasks;
        char text[16] = "words";
        const struct child_work work = { .run = say_too_much, .done = hear_all, .userdata = text, .keep_fd = -1, .priority = IO_PRIORITY_NONE };
        struct child_task *task;
        sd_event *event;

        CHECK(sd_event_new(&event) >= 0);
        CHECK_INT(child_tasks_new(event, &tasks), 0);
        CHECK_INT(child_task_start(tasks, &work, &task), 0);
        for (unsigned i = 0; i < 6000 && streq(text, "words"); i++)
                CHECK(sd_event_run(event, 100 * 1000) >= 0);
        CHECK_STR(text, "beginning");
        child_tasks_free(tasks);
        sd_event_unref(event);
}

/* As on a kernel before 5.3. For good: it is the last test. */
static bool refuse_pidfds(void) {
        struct sock_filter code[] = {
                BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        const struct sock_fprog program = { .len = ARRAY_SIZE(code), .filter = code };

        return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(where_a_child_cannot_be_followed_there_is_none) {
        struct child_tasks *tasks;
        char text[16] = "words";
        sd_event *event;

        if (!refuse_pidfds())
                test_skip("the kernel has no system call filters");
        CHECK(sd_event_new(&event) >= 0);
        CHECK_INT(child_tasks_new(event, &tasks), 0);
        CHECK_INT(start(tasks, text), -ENOSYS);
        CHECK_STR(text, "words");
        CHECK(waitpid(-1, NULL, 0) < 0 && errno == ECHILD);
        child_tasks_free(tasks);
        sd_event_unref(event);
}
