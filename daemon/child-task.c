/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "child-descriptors.h"
#include "child-task.h"
#include "fdio.h"
#include "io-priority.h"
#include "ioprio.h"
#include "macro.h"
#include "str.h"

/* What a process has the kernel read into memory is its control group's: beyond briod's own limit it would go at once. This one has none. */
#define CGROUP_FILE "/sys/fs/cgroup/brio.slice/cgroup.procs"
#define SAYS_AT_ONCE 65536

struct child_task {
        struct child_tasks *tasks;
        struct child_work work;
        pid_t pid;
        int pidfd, fd;
        sd_event_source *ended, *says;
        char *said;
        size_t size;
        bool full; /* something was not taken */
};

struct child_tasks {
        sd_event *event;
        struct child_task *all[CHILD_TASKS_MAX];
};

int child_tasks_new(sd_event *event, struct child_tasks **ret) {
        struct child_tasks *t = calloc(1, sizeof(*t));

        if (!t)
                return -ENOMEM;
        t->event = sd_event_ref(event);
        *ret = t;
        return 0;
}

/* The child's part. */

/* All capabilities, for good; what is left is what the owner of root's files may do. */
static void drop_rights(void) {
        struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
        struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || syscall(SYS_capset, &header, none) < 0)
                _exit(EXIT_FAILURE);
}

static _Noreturn void run(const struct child_work *work, int fd) {
        int kept[] = { fd, work->keep_fd };

        (void) fdio_write_at(AT_FDCWD, CGROUP_FILE, "0"); /* without, a large list is bounded by briod's memory */
        if (work->priority != IO_PRIORITY_NONE)
                (void) ioprio_write(0, work->priority); /* without, it has no precedence */
        child_keep_only(kept, ARRAY_SIZE(kept));
        if (work->before)
                work->before(work->userdata);
        drop_rights();
        alarm(work->seconds > 0 ? work->seconds : CHILD_TASK_SECONDS);
        work->run(work->userdata, fd);
        _exit(EXIT_SUCCESS);
}

/* The daemon's part. */

static void forget(struct child_task *task) {
        for (size_t i = 0; i < CHILD_TASKS_MAX; i++)
                if (task->tasks->all[i] == task)
                        task->tasks->all[i] = NULL;
        sd_event_source_disable_unref(task->ended);
        sd_event_source_disable_unref(task->says);
        safe_close(task->pidfd);
        safe_close(task->fd);
        free(task->said);
        free(task);
}

static void listen_to(struct child_task *task) {
        char buf[SAYS_AT_ONCE];
        ssize_t n;

        while ((n = read(task->fd, buf, sizeof(buf))) > 0) {
                char *said = !task->full && task->size + (size_t) n <= CHILD_TASK_SAYS_MAX ? realloc(task->said, task->size + (size_t) n) : NULL;
                task->full = !said;
                if (!said)
                        continue;
                memcpy(said + task->size, buf, (size_t) n);
                task->said = said;
                task->size += (size_t) n;
        }
        if (n == 0)
                (void) sd_event_source_set_enabled(task->says, SD_EVENT_OFF);
}

static int on_words(sd_event_source *source _unused_, int fd _unused_, uint32_t revents _unused_, void *userdata) {
        listen_to(userdata);
        return 0;
}

static int on_end(sd_event_source *source _unused_, int fd _unused_, uint32_t revents _unused_, void *userdata) {
        struct child_task *task = userdata;

        if (waitpid(task->pid, NULL, WNOHANG) == 0)
                return 0;
        task->pid = 0;
        listen_to(task);
        if (task->work.done)
                task->work.done(task->work.userdata, task->said, task->size);
        forget(task);
        return 0;
}

static int open_process(pid_t pid) {
        int fd = (int) syscall(SYS_pidfd_open, pid, 0);

        return fd < 0 ? -errno : fd;
}

static int follow(struct child_task *task) {
        int r;

        task->pidfd = open_process(task->pid);
        if (task->pidfd < 0)
                return task->pidfd;
        if (fcntl(task->fd, F_SETFL, O_NONBLOCK) < 0)
                return -errno;
        r = sd_event_add_io(task->tasks->event, &task->ended, task->pidfd, EPOLLIN, on_end, task);
        return r < 0 ? r : sd_event_add_io(task->tasks->event, &task->says, task->fd, EPOLLIN, on_words, task);
}

static int start(struct child_task *task) {
        pid_t daemon = getpid();
        _cleanup_close_ int self = open_process(daemon); /* before Linux 5.3 there are none, and a child would stay unreaped */
        int fds[2], r;

        if (self < 0)
                return self;
        if (pipe2(fds, O_CLOEXEC) < 0)
                return -errno;
        task->fd = fds[0];
        task->pid = fork();
        if (task->pid == 0) {
                if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != daemon)
                        _exit(EXIT_FAILURE);
                run(&task->work, fds[1]);
        }
        r = task->pid < 0 ? -errno : 0;
        safe_close(fds[1]);
        if (r == 0)
                r = follow(task);
        if (r < 0 && task->pid > 0) {
                (void) kill(task->pid, SIGKILL);
                (void) waitpid(task->pid, NULL, WNOHANG);
        }
        return r;
}

int child_task_start(struct child_tasks *t, const struct child_work *work, struct child_task **ret) {
        struct child_task *task;
        size_t i = 0;
        int r;

        while (i < CHILD_TASKS_MAX && t->all[i])
                i++;
        if (i == CHILD_TASKS_MAX)
                return -EBUSY;
        task = calloc(1, sizeof(*task));
        if (!task)
                return -ENOMEM;
        *task = (struct child_task){ .tasks = t, .work = *work, .pidfd = -1, .fd = -1 };
        t->all[i] = task;
        r = start(task);
        if (r < 0) {
                forget(task);
                return r;
        }
        *ret = task;
        return 0;
}

int32_t child_task_pid(const struct child_task *task) {
        return task->pid;
}

size_t child_task_said(struct child_task *task, const char **ret) {
        listen_to(task);
        *ret = task->said;
        return task->size;
}

struct child_task *child_task_drop(struct child_task *task) {
        if (task) {
                task->work.done = NULL;
                (void) kill(task->pid, SIGKILL);
        }
        return NULL;
}

struct child_tasks *child_tasks_free(struct child_tasks *t) {
        if (!t)
                return NULL;
        for (size_t i = 0; i < CHILD_TASKS_MAX; i++)
                if (t->all[i]) {
                        struct child_task *task = t->all[i];
                        if (task->work.done)
                                task->work.done(task->work.userdata, NULL, 0);
                        child_task_drop(task);
                        (void) waitpid(task->pid, NULL, WNOHANG); /* else the process that briod leaves behind has it */
                        forget(task);
                }
        sd_event_unref(t->event);
        free(t);
        return NULL;
}
