/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole-file I/O on the small virtual files of /sys and /proc. Every descriptor is O_CLOEXEC. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#define ATTRIBUTE_MAX 4096 /* a sysfs attribute is at most one page */

/* Reads to the end of the file, or until buf is full; nothing is terminated. Returns the length or -errno. */
ssize_t fdio_read_all(int fd, char *buf, size_t size);

/* Reads path (relative to dirfd, or AT_FDCWD) into buf and terminates it; a final newline is removed.
 * Returns the length, -EFBIG where the file does not fit, or -errno of open or read. */
ssize_t fdio_read_at(int dirfd, const char *path, char *buf, size_t size);

/* Writes text to an existing file in one write(2), as sysfs wants. Returns 0, -EIO on a short write, or -errno. */
int fdio_write_at(int dirfd, const char *path, const char *text);

/* Writes all of buf, over EINTR and short writes. Returns 0 or -errno. */
int fdio_write_all(int fd, const void *buf, size_t size);

/* Creates path and its missing parents with mode 0755. Returns 0 (also when it is there) or -errno. */
int fdio_mkdir_parents(const char *path);
