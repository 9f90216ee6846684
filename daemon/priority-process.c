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

/* "12:cpu:/a\n0::/b": the path of the hierarchy with that beginning of a line. */
static bool find_hierarchy(const char *text, const char *controllers, char *ret, size_t size) {
        for (const char *line = text; line; line = strchr(line, '\n')) {
                line += *line == '\n';
                const char *colon = strchr(line, ':');
                if (!colon || strncmp(colon, controllers, strlen(controllers)) != 0)
                        continue;
                colon += strlen(controllers);
                if (strcspn(colon, "\n") >= size)
                        return false;
                snprintf(ret, size, "%.*s", (int) strcspn(colon, "\n"), colon);
                return true;
        }
        return false;
}

int priority_process_cgroup(int proc_fd, char *ret, size_t size) {
        char text[ATTRIBUTE_MAX];
        ssize_t n = fdio_read_at(proc_fd, "cgroup", text, sizeof(text));

        if (n < 0)
                return (int) n;
        if (find_hierarchy(text, "::", ret, size) && !streq(ret, "/"))
                return 0;
        return find_hierarchy(text, ":name=systemd:", ret, size) ? 0 : -ENOENT;
}

uint32_t priority_process_cgroup_sum(int proc_fd) {
        char path[PATH_MAX];

        if (priority_process_cgroup(proc_fd, path, sizeof(path)) < 0 || streq(path, "/"))
                return 0;
        return checksum_crc32c(0, path, strlen(path));
}

uint64_t priority_ticks_per_s(void) {
        long ticks = sysconf(_SC_CLK_TCK);

        return ticks > 0 ? (uint64_t) ticks : 100;
}

uint64_t priority_now_ticks(void) {
        return clock_now(CLOCK_BOOTTIME) / (NSEC_PER_SEC / priority_ticks_per_s());
}
