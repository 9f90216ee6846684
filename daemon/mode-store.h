/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mode that was set, on disk, STATE/mode (daemon/line-file.h): a single line.
 *
 *   brio1 mode MODE CRC */
#pragma once

#include "controller.h"

#define MODE_LINE_MAX 64

/* Writes the line with its newline into buf (MODE_LINE_MAX bytes). Returns its length. */
size_t mode_line_format(char *buf, enum mode mode);
/* Reads a line of the given length without its newline. Returns 0 or -EBADMSG. */
int mode_line_parse(const char *line, size_t length, enum mode *ret);

/* Returns 1 with the mode that dir/mode says; 0 where there is none; -EBADMSG where that is not to be read, and it is then kept as
 * "mode.damaged"; or -errno. */
int mode_store_load(const char *dir, enum mode *ret);
/* Both return 0 or -errno: there is then what was there before. What is not there is dropped, too. */
int mode_store_save(const char *dir, enum mode mode);
int mode_store_drop(const char *dir);
