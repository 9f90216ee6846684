/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The history of starts on disk, STATE/startups: a line for each start, closed by a checksum, so that damage to one costs no other.
 *
 *   brio1 start TIME APPLICATION DEVICE PID NAME END FLAGS LATENCY WAITED READ REQUESTS FAULTS PROCESSES NOTICED UID [NAME PID PERMILLE]... CRC
 *
 * Fields are parted by tabs; times in us, READ in bytes; FLAGS are letters: l launched, c cold, o observed, h helped; lines
 * without NOTICED or UID are of an earlier form, and are read. A new file takes the old one's place at once, when it is whole. */
#pragma once

#include "startup-history.h"

#define STARTUP_LINE_MAX 512

/* Writes the line with its newline into buf (STARTUP_LINE_MAX bytes). Returns its length. */
size_t startup_line_format(char *buf, const struct startup_record *r);

/* Reads a line of the given length without its newline. Returns 0 or -EBADMSG. */
int startup_line_parse(const char *line, size_t length, struct startup_record *ret);

/* Adds what is in dir/startups to h. Damaged lines are left out, and the file is then kept as "startups.damaged". Returns 0, also where
 * there is no file, or -errno. ret_damaged: lines that were left out. */
int startup_store_load(const char *dir, struct startup_history *h, size_t *ret_damaged);

/* Returns 0 or -errno; what was on disk before is then still there. */
int startup_store_save(const char *dir, const struct startup_history *h);
