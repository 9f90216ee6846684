/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text form of the journal's records: fields parted by tabs, closed by a checksum and a newline.
 *
 *   brio1 BOOT-ID original DEVICE DISKSEQ SCHEDULER:TUNABLE ACTIVE-SCHEDULER ORIGINAL BEFORE WRITTEN CRC
 *   brio1 BOOT-ID forget   DEVICE SCHEDULER:TUNABLE CRC
 *
 * Every line stands alone, so damage to one costs no other. Tunables go by name: the numbers of the enum move. */
#pragma once

#include "journal.h"

#define JOURNAL_BOOT_ID_MAX 64
#define JOURNAL_LINE_MAX 512 /* the longest record fits with room to spare */

enum journal_line_kind { JOURNAL_LINE_ORIGINAL, JOURNAL_LINE_FORGET };

/* Writes the line with its newline into buf (JOURNAL_LINE_MAX bytes) and returns its length, or -EINVAL where a field
 * contains what would break the line. */
int journal_line_format(char *buf, const char *boot_id, enum journal_line_kind kind, const struct journal_entry *entry);

/* Reads a line of the given length without its newline. Returns its kind; -EBADMSG for a damaged one, -ESTALE for one
 * of another boot. ret is complete for an original; of a forgotten one device and tunable are set. */
int journal_line_parse(const char *line, size_t length, const char *boot_id, struct journal_entry *ret);
