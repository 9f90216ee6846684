/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "fdio.h"
#include "macro.h"
#include "str.h"

#ifndef RESOLVE_CACHED /* Linux 5.12 */
#define RESOLVE_CACHED 0x20
#endif

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

DIR *fdio_open_directory(int dirfd, const char *path) {
        _cleanup_close_ int fd = openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        DIR *dir = fd < 0 ? NULL : fdopendir(fd);

        if (dir)
                TAKE_FD(fd);
        return dir;
}

int fdio_open_known(int dirfd, const char *path, uint64_t resolve) {
        struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_CACHED | resolve };
        int fd = (int) syscall(SYS_openat2, dirfd, path, &how, sizeof(how));

        return fd < 0 ? -errno : fd;
}

int fdio_open_own(int dirfd, const char *path, int flags) {
        /* O_NONBLOCK: a FIFO would wait for its other end; it means nothing to a regular file. */
        _cleanup_close_ int fd = openat(dirfd, path, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0644);
        struct stat st;

        if (fd < 0)
                return errno == ELOOP || errno == ENXIO || errno == EISDIR ? -ENOTSUP : -errno;
        if (fstat(fd, &st) < 0)
                return -errno;
        return S_ISREG(st.st_mode) ? TAKE_FD(fd) : -ENOTSUP;
}

int fdio_create_own(int dirfd, const char *path, mode_t mode) {
        int fd;

        (void) unlinkat(dirfd, path, 0); /* what cannot be removed is told by the next call */
        fd = openat(dirfd, path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        return fd < 0 ? -errno : fd;
}

static ssize_t read_text(int fd, char *buf, size_t size) {
        ssize_t length = fdio_read_all(fd, buf, size);

        if (length < 0)
                return length;
        if ((size_t) length == size)
                return -EFBIG;
        if (length > 0 && buf[length - 1] == '\n')
                length--;
        buf[length] = '\0';
        return length;
}

ssize_t fdio_read_at(int dirfd, const char *path, char *buf, size_t size) {
        _cleanup_close_ int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

        return fd < 0 ? -errno : read_text(fd, buf, size);
}

ssize_t fdio_read_own(int dirfd, const char *path, char *buf, size_t size) {
        _cleanup_close_ int fd = fdio_open_own(dirfd, path, O_RDONLY);

        return fd < 0 ? fd : read_text(fd, buf, size);
}

ssize_t fdio_load_own(int dirfd, const char *path, size_t most, char **ret) {
        _cleanup_close_ int fd = fdio_open_own(dirfd, path, O_RDONLY);
        _cleanup_free_ char *text = NULL;
        struct stat st;
        ssize_t n;

        if (fd < 0)
                return fd;
        if (fstat(fd, &st) < 0)
                return -errno;
        if ((uint64_t) st.st_size > most)
                return -EFBIG;
        text = malloc((size_t) st.st_size + 1);
        if (!text)
                return -ENOMEM;
        n = fdio_read_all(fd, text, (size_t) st.st_size);
        if (n >= 0)
                *ret = TAKE_PTR(text);
        return n;
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

int fdio_pipe(int ret[static 2]) {
        int fds[2];

        if (pipe2(fds, O_CLOEXEC) < 0)
                return -errno;
        if (fcntl(fds[1], F_SETFL, O_NONBLOCK) < 0) {
                safe_close(fds[0]);
                safe_close(fds[1]);
                return -errno;
        }
        ret[0] = fds[0];
        ret[1] = fds[1];
        return 0;
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

        if (!*path)
                return -ENOENT;
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
