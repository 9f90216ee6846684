/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>

#include "fdio.h"
#include "io-priority.h"
#include "priority-guard.h"
#include "process-facts.h"
#include "statement.h"
#include "str.h"

#define MEMBERS_MAX 64 /* of an application, looked at for the oldest: the kernel lists the first ones first */
#define NICE_OF_BE_7 15 /* the kernel's (nice + 20) / 5 is 7 from there on */

/* Any thread of a policy that the kernel derives another I/O priority from than from the niceness. */
static const char *unusual_policy(int proc_fd) {
        _cleanup_closedir_ DIR *dir = fdio_open_directory(proc_fd, "task");
        const char *why = NULL;

        for (const struct dirent *e; dir && !why && (e = readdir(dir));) { /* none: it has ended, which the caller finds out */
                uint64_t tid;
                int policy;
                if (str_parse_u64(e->d_name, &tid) < 0)
                        continue;
                policy = sched_getscheduler((pid_t) tid);
                policy = policy < 0 ? SCHED_OTHER : policy & ~SCHED_RESET_ON_FORK;
                if (policy == SCHED_IDLE)
                        why = statement_plain(SAY_IDLE_THREAD);
                else if (policy != SCHED_OTHER && policy != SCHED_BATCH)
                        why = statement_plain(SAY_REALTIME_THREAD);
        }
        return why;
}

/* A process that goes first loses nothing by it: what a user waits for may, too. */
static bool goes_first(uint16_t wanted) {
        return wanted >> IO_PRIORITY_CLASS_SHIFT == IO_CLASS_REALTIME;
}

const char *priority_guard_recalls(int proc_fd, const struct process_stat *p, uint16_t written) {
        if (goes_first(written))
                return NULL;
        if (p->terminal != 0 && p->foreground == p->job)
                return statement_plain(SAY_FOREGROUND);
        return unusual_policy(proc_fd);
}

/* The start of the oldest process in the control group; UINT64_MAX where none can be read. */
static uint64_t oldest_member(const char *mount, const char *path) {
        char file[PATH_MAX], text[ATTRIBUTE_MAX], *rest = text;
        uint64_t oldest = UINT64_MAX;
        _cleanup_close_ int fd = -1;
        ssize_t n;

        if (snprintf(file, sizeof(file), "%s%s/cgroup.procs", mount, path) >= (int) sizeof(file))
                return oldest;
        fd = open(file, O_RDONLY | O_CLOEXEC);
        n = fd < 0 ? -1 : fdio_read_all(fd, text, sizeof(text) - 1);
        if (n < 0)
                return oldest;
        text[n] = '\0';
        for (unsigned i = 0; i < MEMBERS_MAX && rest; i++) {
                const char *line = strsep(&rest, "\n");
                struct process_stat member;
                _cleanup_close_ int member_fd = -1;
                uint64_t tgid;
                if (!rest || str_parse_u64_most(line, INT32_MAX, &tgid) < 0) /* the last one may be cut short */
                        break;
                member_fd = priority_process_open((int32_t) tgid);
                if (member_fd >= 0 && priority_process_read(member_fd, &member) == 0)
                        oldest = MIN(oldest, member.start_ticks);
        }
        return oldest;
}

/* systemd's convention for what a desktop starts for a person: app-NAME-NUMBER.scope, app-NAME@NUMBER.service. */
static bool is_young_application(int proc_fd, const struct process_stat *p) {
        static const char *const mounts[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/systemd" };
        uint64_t oldest = UINT64_MAX;
        char buf[ATTRIBUTE_MAX];
        const char *path = process_cgroup_read(proc_fd, "cgroup", buf);

        if (!strstr(path, "/app-"))
                return false;
        for (size_t i = 0; i < ARRAY_SIZE(mounts) && oldest == UINT64_MAX; i++)
                oldest = oldest_member(mounts[i], path);
        oldest = MIN(oldest, p->start_ticks);
        return priority_now_ticks() < oldest + PRIORITY_YOUNG_APPLICATION_S * priority_ticks_per_s();
}

const char *priority_guard_refuses(int proc_fd, const struct process_stat *p, uint16_t wanted) {
        const char *why;

        if (p->tgid == 1)
                return statement_plain(SAY_PROCESS_ONE);
        if (p->tgid == getpid())
                return statement_plain(SAY_DAEMON_ITSELF);
        if (p->flags & PROCESS_FLAG_KERNEL_THREAD)
                return statement_plain(SAY_KERNEL_THREAD);
        if (goes_first(wanted))
                return NULL;
        if (wanted >> IO_PRIORITY_CLASS_SHIFT == IO_CLASS_BEST_EFFORT && p->nice >= NICE_OF_BE_7)
                return statement_plain(SAY_NICE_ALREADY);
        why = priority_guard_recalls(proc_fd, p, wanted);
        if (!why && is_young_application(proc_fd, p))
                why = statement_plain(SAY_YOUNG_APPLICATION);
        return why;
}
