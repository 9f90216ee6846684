/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "checksum.h"
#include "fdio.h"
#include "fuzz-files.h"
#include "fuzz.h"
#include "macro.h"

static char directory[64];
static pid_t owner;

static int remove_one(const char *path, const struct stat *st _unused_, int flag _unused_, struct FTW *where _unused_) {
        return remove(path);
}

static void remove_directory(void) {
        if (getpid() == owner)
                nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *fuzz_directory(void) {
        if (*directory)
                return directory;
        owner = getpid();
        snprintf(directory, sizeof(directory), "%s/brio-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
        MUST(mkdtemp(directory) && atexit(remove_directory) == 0);
        return directory;
}

void fuzz_write(const char *path, const void *data, size_t size) {
        _cleanup_close_ int fd = -1;
        char whole[PATH_MAX + sizeof(directory)];

        snprintf(whole, sizeof(whole), "%s/%s", fuzz_directory(), path);
        fd = open(whole, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        if (fd < 0 && errno == ENOENT) {
                for (char *slash = whole + strlen(fuzz_directory()); (slash = strchr(slash + 1, '/'));) {
                        *slash = '\0';
                        MUST(mkdir(whole, 0700) == 0 || errno == EEXIST);
                        *slash = '/';
                }
                fd = open(whole, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        }
        MUST(fd >= 0 && fdio_write_all(fd, data, size) == 0);
}

char *fuzz_take(struct fuzz_input *in, size_t *ret_size) {
        const uint8_t *end = in->size > 0 ? memchr(in->data, 0xff, in->size) : NULL;
        size_t n = end ? (size_t) (end - in->data) : in->size;
        char *text = malloc(n + 1);

        MUST(text);
        if (n > 0)
                memcpy(text, in->data, n);
        text[n] = '\0';
        in->data += n + (end != NULL);
        in->size -= n + (end != NULL);
        if (ret_size)
                *ret_size = n;
        return text;
}

char *fuzz_seal_lines(const uint8_t *data, size_t size, size_t *ret_size) {
        char *text = malloc(size * (1 + CHECKSUM_DIGITS + 2) + 1), *at = text;

        MUST(text);
        while (size > 0) {
                const uint8_t *end = memchr(data, '\n', size);
                size_t n = end ? (size_t) (end - data) : size;

                memcpy(at, data, n);
                if (n > 0 && *data != '!')
                        snprintf(at + n, 1 + CHECKSUM_DIGITS + 1, "\t%08x", checksum_crc32c(0, data, n));
                at += n + (n > 0 && *data != '!' ? 1 + CHECKSUM_DIGITS : 0);
                if (end)
                        *at++ = '\n';
                data += n + (end != NULL);
                size -= n + (end != NULL);
        }
        *at = '\0';
        *ret_size = (size_t) (at - text);
        return text;
}
