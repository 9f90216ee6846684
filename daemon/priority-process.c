/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "checksum.h"
#include "clock.h"
#include "fdio.h"
#include "priority-process.h"
#include "process-facts.h"
#include "str.h"

int priority_process_open(int32_t tgid) {
        char path[sizeof("/proc/") + 11];
        int fd;

        snprintf(path, sizeof(path), "/proc/%" PRId32, tgid);
        fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        return fd < 0 ? errno == ENOENT ? -ESRCH : -errno : fd;
}

int priority_process_read(int proc_fd, struct process_stat *ret) {
        char text[ATTRIBUTE_MAX];
        ssize_t n = fdio_read_at(proc_fd, "stat", text, sizeof(text));

        if (n < 0)
                return n == -ENOENT ? -ESRCH : (int) n;
        return process_stat_parse(text, ret);
}

int priority_process_find(int32_t tgid, uint64_t start_ticks, struct process_stat *ret, int *ret_proc_fd) {
        _cleanup_close_ int fd = priority_process_open(tgid);
        int r = fd < 0 ? fd : priority_process_read(fd, ret);

        if (r < 0)
                return r;
        if (ret->start_ticks != start_ticks)
                return -ESRCH;
        *ret_proc_fd = TAKE_FD(fd);
        return 0;
}

uint32_t priority_process_cgroup_sum(int proc_fd) {
        char buf[ATTRIBUTE_MAX];
        const char *path = process_cgroup_read(proc_fd, "cgroup", buf);

        return streq(path, "/") ? 0 : checksum_crc32c(0, path, strlen(path));
}

uint64_t priority_ticks_per_s(void) {
        long ticks = sysconf(_SC_CLK_TCK);

        return ticks > 0 ? (uint64_t) ticks : 100;
}

uint64_t priority_now_ticks(void) {
        return clock_now(CLOCK_BOOTTIME) / (NSEC_PER_SEC / priority_ticks_per_s());
}
