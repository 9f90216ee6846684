/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "child-descriptors.h"
#include "str.h"

static bool is_among(int fd, const int *kept, size_t n) {
        for (size_t i = 0; i < n; i++)
                if (fd == kept[i])
                        return true;
        return false;
}

void child_keep_only(const int *kept, size_t n) {
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        DIR *dir;
        uint64_t fd;

        for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
                if (null < 0 || dup3(null, i, O_CLOEXEC) < 0)
                        (void) close(i);
        dir = opendir("/proc/self/fd");
        if (!dir)
                _exit(EXIT_FAILURE);
        for (const struct dirent *d; (d = readdir(dir));)
                if (str_parse_u64(d->d_name, &fd) == 0 && fd > STDERR_FILENO && (int) fd != dirfd(dir) && !is_among((int) fd, kept, n))
                        (void) close((int) fd);
        closedir(dir);
}
