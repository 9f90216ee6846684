/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole-file I/O: on the small virtual files of /sys and /proc, and on files of our own. Every descriptor is O_CLOEXEC. */
#pragma once

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define ATTRIBUTE_MAX 4096 /* a sysfs attribute is at most one page */

/* Reads to the end of the file, or until buf is full; nothing is terminated. Returns the length or -errno. */
ssize_t fdio_read_all(int fd, char *buf, size_t size);

/* Reads path (relative to dirfd, or AT_FDCWD) into buf and terminates it; a final newline is removed.
 * Returns the length, -EFBIG where the file does not fit, or -errno of open or read. */
ssize_t fdio_read_at(int dirfd, const char *path, char *buf, size_t size);

/* Opens a directory (path relative to dirfd, or AT_FDCWD) to be read. Returns NULL, and says in errno why. */
DIR *fdio_open_directory(int dirfd, const char *path);

/* Opens the place of a file (O_PATH) where the way to it is in memory: neither a drive nor a server is waited for. resolve: RESOLVE_* of openat2(2). Returns a
 * descriptor, or -errno: -EAGAIN where the way is not known, -EINVAL before Linux 5.12. */
int fdio_open_known(int dirfd, const char *path, uint64_t resolve);

/* Opens a file of our own (flags: as of open(2), mode 0644): a regular one, and itself. Whatever else has its name is not waited for, and nothing is read from
 * or written to it. Returns the descriptor, -ENOTSUP for a link, a FIFO, a socket, a device or a directory, or -errno. */
int fdio_open_own(int dirfd, const char *path, int flags);

/* Creates a file of our own, to be written at its end. A file, link, FIFO, socket or device of that name is removed before. Returns the descriptor or -errno. */
int fdio_create_own(int dirfd, const char *path, mode_t mode);

/* As fdio_read_at(), for a file of our own. */
ssize_t fdio_read_own(int dirfd, const char *path, char *buf, size_t size);

/* All of a file of our own, malloc'ed, with a byte of room behind it. Returns its size, -EFBIG above `most`, or as fdio_open_own(). */
ssize_t fdio_load_own(int dirfd, const char *path, size_t most, char **ret);

/* Writes text to an existing file in one write(2), as sysfs wants. Returns 0, -EIO on a short write, or -errno. */
int fdio_write_at(int dirfd, const char *path, const char *text);

/* Makes a pipe, from ret[1] to ret[0], whose writing end never blocks; the reader chooses for itself. Returns 0 or -errno. */
int fdio_pipe(int ret[static 2]);

/* Writes all of buf, over EINTR and short writes. Returns 0 or -errno. */
int fdio_write_all(int fd, const void *buf, size_t size);

/* Creates path and its missing parents with mode 0755. Returns 0 (also when it is there) or -errno. */
int fdio_mkdir_parents(const char *path);
