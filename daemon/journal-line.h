/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text form of the journal's records: fields parted by tabs, closed by a checksum and a newline.
 *
 *   brio1 BOOT-ID original DEVICE DISKSEQ SCHEDULER:TUNABLE ACTIVE-SCHEDULER ORIGINAL BEFORE WRITTEN CRC
 *   brio1 BOOT-ID forget   DEVICE SCHEDULER:TUNABLE CRC
 *   brio1 BOOT-ID priority PID START-TICKS SESSION CGROUP SINCE-TICKS ORIGINAL WRITTEN CRC
 *   brio1 BOOT-ID return   PID START-TICKS CRC
 *
 * Every line stands alone, so damage to one costs no other. Tunables go by name: the numbers of the enum move. */
#pragma once

#include "journal.h"

#define JOURNAL_BOOT_ID_MAX 64
#define JOURNAL_LINE_MAX 512 /* the longest record fits with room to spare */

enum journal_line_kind { JOURNAL_LINE_ORIGINAL, JOURNAL_LINE_FORGET, JOURNAL_LINE_PRIORITY, JOURNAL_LINE_RETURN };

/* Writes the line with its newline into buf (JOURNAL_LINE_MAX bytes) and returns its length, or -EINVAL where a field
 * contains what would break the line. */
int journal_line_format(char *buf, const char *boot_id, enum journal_line_kind kind, const struct journal_entry *entry);

/* As above, for JOURNAL_LINE_PRIORITY and JOURNAL_LINE_RETURN. */
int journal_line_format_priority(char *buf, const char *boot_id, enum journal_line_kind kind, const struct journal_priority *priority);

/* What a line says: complete for an original and a priority; of a forgotten one device and tunable are set, of a returned one
 * tgid and start_ticks. */
union journal_record {
        struct journal_entry entry;
        struct journal_priority priority;
};

/* Reads a line of the given length without its newline. Returns its kind; -EBADMSG for a damaged one, -ESTALE for one
 * of another boot. */
int journal_line_parse(const char *line, size_t length, const char *boot_id, union journal_record *ret);
