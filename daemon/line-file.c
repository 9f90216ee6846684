/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>

#include "checksum.h"
#include "fdio.h"
#include "line-file.h"
#include "macro.h"
#include "str.h"

void line_add_text(char *line, size_t size, const char *text) {
        size_t at = strlen(line) + 1;

        str_append(line, size, "\t%s", text);
        for (; at < size && line[at]; at++)
                if ((unsigned char) line[at] < ' ')
                        line[at] = '?';
}

void line_add_number(char *line, size_t size, uint64_t value) {
        str_append(line, size, "\t%" PRIu64, value);
}

size_t line_seal(char *line, size_t size) {
        str_append(line, size, "\t%08x\n", checksum_crc32c(0, line, strlen(line)));
        return strlen(line);
}

int line_split(const char *line, size_t length, char *text, size_t size, char **ret_fields, size_t max) {
        char *rest = text;
        size_t n = 0;

        if (length >= size)
                return -EBADMSG;
        memcpy(text, line, length);
        text[length] = '\0';
        if (!checksum_unseal(text, length))
                return -EBADMSG;
        for (char *field; n < max && (field = strsep(&rest, "\t"));)
                ret_fields[n++] = field;
        return rest || !streq(ret_fields[0], LINE_MAGIC) ? -EBADMSG : (int) n;
}

int line_take_text(const char *field, char *ret, size_t size) {
        return str_is_text(field) && str_copy(ret, size, field) ? 0 : -EBADMSG;
}

int line_file_load(const char *dir, const struct line_file *f, line_take_fn take, void *userdata, size_t *ret_damaged) {
        _cleanup_close_ int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        _cleanup_free_ char *text = NULL;
        size_t damaged = 0;
        ssize_t n;

        if (dir_fd < 0)
                return -errno;
        n = fdio_load_own(dir_fd, f->name, f->bytes_max, &text);
        damaged = n == 0 && f->has_lines; /* the power went before what is in it had reached the disk */
        if (n == -ENOENT)
                n = 0;
        if (n == -ENOTSUP || n == -EFBIG) { /* none of ours, as a whole */
                n = 0;
                damaged++;
        }
        if (n < 0)
                return (int) n;
        for (ssize_t at = 0; at < n;) {
                const char *end = memchr(text + at, '\n', (size_t) (n - at));
                size_t length = end ? (size_t) (end - text - at) : (size_t) (n - at);
                if (!end || take(userdata, text + at, length) < 0)
                        damaged++;
                at += (ssize_t) length + 1;
        }
        if (damaged > 0 && renameat(dir_fd, f->name, dir_fd, f->name_damaged) < 0)
                return -errno;
        *ret_damaged = damaged;
        return 0;
}

int line_file_save(const char *dir, const struct line_file *f, line_write_fn write, const void *userdata) {
        _cleanup_close_ int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd = -1;
        int r;

        if (dir_fd < 0)
                return -errno;
        fd = fdio_create_own(dir_fd, f->name_new, 0644);
        if (fd < 0)
                return fd;
        r = write(fd, userdata);
        if (r == 0 && renameat(dir_fd, f->name_new, dir_fd, f->name) < 0)
                r = -errno;
        if (r < 0) {
                unlinkat(dir_fd, f->name_new, 0);
                return r;
        }
        return 0;
}

int line_file_drop(const char *dir, const struct line_file *f) {
        _cleanup_close_ int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        return dir_fd < 0 || (unlinkat(dir_fd, f->name, 0) < 0 && errno != ENOENT) ? -errno : 0;
}
