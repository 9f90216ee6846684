/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>

#include "fdio.h"
#include "line-file.h"
#include "macro.h"
#include "mode-store.h"
#include "str.h"

#define FIELDS 3

static const struct line_file file = { .name = "mode", .name_new = "mode.new", .name_damaged = "mode.damaged", .bytes_max = MODE_LINE_MAX,
                                       .has_lines = true };

size_t mode_line_format(char *buf, enum mode mode) {
        snprintf(buf, MODE_LINE_MAX, LINE_MAGIC "\tmode");
        line_add_text(buf, MODE_LINE_MAX, mode_to_string(mode));
        return line_seal(buf, MODE_LINE_MAX);
}

int mode_line_parse(const char *line, size_t length, enum mode *ret) {
        char text[MODE_LINE_MAX], *fields[FIELDS];
        int n = line_split(line, length, text, sizeof(text), fields, ARRAY_SIZE(fields)), mode;

        if (n != FIELDS || !streq(fields[1], "mode"))
                return -EBADMSG;
        mode = mode_from_string(fields[2]);
        if (mode < 0)
                return -EBADMSG;
        *ret = (enum mode) mode;
        return 0;
}

struct loading {
        enum mode mode;
        unsigned lines;
};

/* There is one line, or it was not written by us. */
static int take(void *userdata, const char *line, size_t length) {
        struct loading *l = userdata;

        return l->lines++ > 0 ? -EBADMSG : mode_line_parse(line, length, &l->mode);
}

int mode_store_load(const char *dir, enum mode *ret) {
        struct loading loading = { .mode = MODE_AUTO };
        size_t damaged = 0;
        int r = line_file_load(dir, &file, take, &loading, &damaged);

        if (r < 0)
                return r;
        if (damaged > 0)
                return -EBADMSG;
        if (loading.lines == 0)
                return 0;
        *ret = loading.mode;
        return 1;
}

static int write_mode(int fd, const void *userdata) {
        const enum mode *mode = userdata;
        char line[MODE_LINE_MAX];

        return fdio_write_all(fd, line, mode_line_format(line, *mode));
}

int mode_store_save(const char *dir, enum mode mode) {
        return line_file_save(dir, &file, write_mode, &mode);
}

int mode_store_drop(const char *dir) {
        return line_file_drop(dir, &file);
}
