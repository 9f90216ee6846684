/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small file of lines, each closed by a checksum (common/checksum.h), so that damage to one costs no other. Fields are parted by tabs. A new
 * file takes the old one's place at once, when it is whole. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINE_MAGIC "brio1"

struct line_file {
        const char *name, *name_new, *name_damaged; /* within a directory */
        size_t bytes_max;                           /* more was not written by us */
        bool has_lines;                             /* an empty one was not, either */
};

/* Appends a tab and the text or number. Whatever stands in the text, a line stays a line: control characters become '?'. */
void line_add_text(char *line, size_t size, const char *text);
void line_add_number(char *line, size_t size, uint64_t value);

/* Appends the checksum and the newline. Returns the length. */
size_t line_seal(char *line, size_t size);

/* Copies a line of that length, without its newline, into text (size bytes), opens it, and parts it into at most max fields. Returns how many, or
 * -EBADMSG for one that is too long, has a wrong sum or more fields, or does not begin with LINE_MAGIC. */
int line_split(const char *line, size_t length, char *text, size_t size, char **ret_fields, size_t max);

/* A field as text. Returns 0 or -EBADMSG. */
int line_take_text(const char *field, char *ret, size_t size);

/* Hands on each line without its newline; take returns 0 or, for one that is damaged, -errno. Where any was, the file is kept under its name for
 * damaged ones. Returns 0, also where there is no file, or -errno. ret_damaged: lines that were left out. */
typedef int (*line_take_fn)(void *userdata, const char *line, size_t length);
int line_file_load(const char *dir, const struct line_file *f, line_take_fn take, void *userdata, size_t *ret_damaged);

/* Writes what write() does to the descriptor, into the page cache: the caller never waits for a disk, and a file that loses its end with the power
 * is noticed by its checksums. Returns 0 or -errno, its own among them; what was on disk before is then still there. */
typedef int (*line_write_fn)(int fd, const void *userdata);
int line_file_save(const char *dir, const struct line_file *f, line_write_fn write, const void *userdata);

/* Returns 0, also where there is no file, or -errno. */
int line_file_drop(const char *dir, const struct line_file *f);
