/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "fdio.h"
#include "macro.h"
#include "str.h"

ssize_t fdio_read_all(int fd, char *buf, size_t size) {
        size_t length = 0;

        while (length < size) {
                ssize_t n = read(fd, buf + length, size - length);
                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0)
                        return -errno;
                if (n == 0)
                        break;
                length += (size_t) n;
        }
        return (ssize_t) length;
}

ssize_t fdio_read_at(int dirfd, const char *path, char *buf, size_t size) {
        _cleanup_close_ int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
        ssize_t length;

        if (fd < 0)
                return -errno;
        length = fdio_read_all(fd, buf, size);
        if (length < 0)
                return length;
        if ((size_t) length == size)
                return -EFBIG;
        if (length > 0 && buf[length - 1] == '\n')
                length--;
        buf[length] = '\0';
        return length;
}

int fdio_write_at(int dirfd, const char *path, const char *text) {
        /* O_TRUNC means nothing to sysfs, but a recorded machine (--root) is plain files. */
        _cleanup_close_ int fd = openat(dirfd, path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
        size_t length = strlen(text);
        ssize_t n;

        if (fd < 0)
                return -errno;
        do
                n = write(fd, text, length);
        while (n < 0 && errno == EINTR);
        if (n < 0)
                return -errno;
        return (size_t) n == length ? 0 : -EIO;
}

int fdio_write_all(int fd, const void *buf, size_t size) {
        const char *p = buf;

        while (size > 0) {
                ssize_t n = write(fd, p, size);
                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0)
                        return -errno;
                p += n;
                size -= (size_t) n;
        }
        return 0;
}

int fdio_mkdir_parents(const char *path) {
        char part[PATH_MAX];

        if (!str_copy(part, sizeof(part), path))
                return -ENAMETOOLONG;
        for (char *p = part + 1; *p; p++) {
                if (*p != '/')
                        continue;
                *p = '\0';
                if (mkdir(part, 0755) < 0 && errno != EEXIST)
                        return -errno;
                *p = '/';
        }
        if (mkdir(part, 0755) < 0 && errno != EEXIST)
                return -errno;
        return 0;
}
