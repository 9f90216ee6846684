/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "exec-entry.h"
#include "fdio.h"
#include "macro.h"
#include "process-script.h"

/* Arguments and variables are read in lots of so many addresses, and each up to so much: a launcher says in less that it started a program. */
#define ADDRESSES 64
#define TEXT_BYTES 512
#define PAGE_BYTES 4096u

int exec_entry_parse(const char *text, struct exec_call *ret) {
        uint64_t a[4];
        int64_t number;

        /* "running" while it runs; else the number of the call in decimal, and its arguments */
        if (sscanf(text, "%" SCNd64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64, &number, &a[0], &a[1], &a[2], &a[3]) != 5)
                return 0;
        if (number == SYS_execve)
                *ret = (struct exec_call){ .directory = AT_FDCWD, .program = a[0], .arguments = a[1], .environment = a[2] };
        else if (number == SYS_execveat)
                *ret = (struct exec_call){ .directory = (int) a[0], .program = a[1], .arguments = a[2], .environment = a[3] };
        else
                return 0;
        return 1;
}

/* Up to the NUL, or as much as fits; never over the end of a page that may be the last. Returns the length, or -errno. */
static ssize_t read_text(int fd, uint64_t address, char *buf, size_t size) {
        size_t length = 0;

        while (length < size - 1) {
                size_t most = MIN(size - 1 - length, PAGE_BYTES - (address + length) % PAGE_BYTES);
                ssize_t n = pread(fd, buf + length, most, (off_t) (address + length));
                const char *end;
                if (n <= 0)
                        return n < 0 ? -errno : -EFAULT;
                end = memchr(buf + length, '\0', (size_t) n);
                if (end)
                        return end - buf;
                length += (size_t) n;
        }
        buf[length] = '\0';
        return (ssize_t) length;
}

/* Texts, of which the addresses stand there, up to none. One of another word size has none that we understand: what was read then is no address. */
static size_t read_texts(int fd, uint64_t at, char *buf, size_t size) {
        uint64_t addresses[ADDRESSES];
        size_t length = 0;

        while (at != 0) {
                ssize_t n = pread(fd, addresses, sizeof(addresses), (off_t) at);
                for (size_t i = 0; n > 0 && i < (size_t) n / sizeof(*addresses); i++) {
                        ssize_t text;
                        if (addresses[i] == 0 || size - length < 2)
                                return length;
                        text = read_text(fd, addresses[i], buf + length, MIN(size - length, (size_t) TEXT_BYTES));
                        if (text < 0)
                                return length;
                        length += (size_t) text + 1;
                }
                if (n < (ssize_t) sizeof(addresses)) /* the rest of its last page was all */
                        return length;
                at += sizeof(addresses);
        }
        return length;
}

int exec_entry_look(int32_t tgid, struct exec_entry *ret) {
        char path[PATH_MAX], text[ATTRIBUTE_MAX];
        _cleanup_close_ int fd = -1;
        struct exec_call call;
        ssize_t n;

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/syscall", tgid);
        n = fdio_read_at(AT_FDCWD, path, text, sizeof(text));
        if (n < 0)
                return (int) n;
        if (exec_entry_parse(text, &call) == 0)
                return 0;
        snprintf(path, sizeof(path), "/proc/%" PRId32 "/mem", tgid);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
                return -errno;
        ret->directory = call.directory;
        n = read_text(fd, call.program, ret->program, sizeof(ret->program));
        if (n < 0) /* the new program's memory is in place already: it is told to run in a moment */
                return 0;
        ret->arguments_size = 0;
        if (process_script_is_interpreter(basename(ret->program)))
                ret->arguments_size = read_texts(fd, call.arguments, ret->arguments, sizeof(ret->arguments));
        ret->environment_size = read_texts(fd, call.environment, ret->environment, sizeof(ret->environment));
        return 1;
}
