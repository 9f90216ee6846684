/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What trials found, on disk, STATE/outcomes (daemon/line-file.h): a line for each drive model, class, scheduler, law and workload.
 *
 *   brio1 outcome VERSION UNTIL MODEL CLASS SCHEDULER LAW WORKLOAD RESULT MEASURE BEFORE AFTER N-BEFORE N-AFTER CONFIDENCE REVERTS CHANGE
 *         P95-BEFORE P95-AFTER CRC
 *
 * UNTIL in us since 1970; BEFORE and AFTER in the measure's unit; MEASURE as a word; both P95 in us, 0 where they are not known. A line that ends with its
 * CHANGE, as they once did, has none. Lines of another version are passed over. */
#pragma once

#include "outcome.h"

#define OUTCOME_LINE_MAX 512

/* What o's times are: the clock of the ticks, and the other one at the same time. */
struct outcome_clock {
        nsec_t now;
        uint64_t realtime_usec;
};

/* Writes the line with its newline into buf (OUTCOME_LINE_MAX bytes). Returns its length. */
size_t outcome_line_format(char *buf, const struct outcome *o, const struct outcome_clock *clock);

/* Reads a line of the given length without its newline. Returns 0, 1 for one of another version or an earlier law's, or -EBADMSG. */
int outcome_line_parse(const char *line, size_t length, const struct outcome_clock *clock, struct outcome *ret);

/* Adds what is in dir/outcomes to o. Damaged lines are left out, and the file is then kept as "outcomes.damaged". Returns 0, also where
 * there is no file, or -errno. ret_damaged: lines that were left out. */
int outcome_store_load(const char *dir, const struct outcome_clock *clock, struct outcomes *o, size_t *ret_damaged);

/* Returns 0 or -errno; what was on disk before is then still there. */
int outcome_store_save(const char *dir, const struct outcome_clock *clock, const struct outcomes *o);
