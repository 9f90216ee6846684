/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "macro.h"
#include "startup-timeline-show.h"
#include "str.h"

#define LABEL_COLUMNS 10
#define INDENT 2

/* Eighths of a column's height. */
static const char *const levels[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };

/* Where the terminal is too narrow for all slices, several share a column. */
static size_t slices_a_column(const struct output *o, size_t n) {
        size_t columns = o->columns > LABEL_COLUMNS + INDENT + 1 ? o->columns - LABEL_COLUMNS - INDENT - 1 : 1;

        return o->columns == 0 ? 1 : (n + columns - 1) / columns;
}

static void print_row(const struct output *o, const char *label, struct json_object *slices, const char *key, uint64_t slice_usec) {
        size_t n = value_length(slices), together = slices_a_column(o, n);
        char row[64 * sizeof("█")] = "";

        for (size_t i = 0; i < n; i += together) {
                uint64_t sum = 0, span = 0, level;
                for (size_t k = i; k < MIN(i + together, n); k++) {
                        sum += MIN(value_u64(value_at(slices, k), key), slice_usec);
                        span += slice_usec;
                }
                level = span > 0 ? (sum * (ARRAY_SIZE(levels) - 1) + span / 2) / span : 0;
                str_append(row, sizeof(row), "%s", levels[sum > 0 ? MAX(level, (uint64_t) 1) : 0]);
        }
        printf("%*s%-*s|%s|\n", INDENT, "", LABEL_COLUMNS, label, row);
}

static void print_decisions(const struct output *o, size_t n) {
        if (n > 0)
                output_paragraph(o, INDENT, "Meanwhile %zu %s fell for its drive; `brioctl decisions` shows them.", n, n == 1 ? "decision" : "decisions");
}

void startup_print_timeline(const struct output *o, struct json_object *timeline) {
        struct json_object *slices = value_get(timeline, "slices");
        uint64_t slice_usec = value_u64(timeline, "slice_usec");
        char width[32];

        if (value_length(slices) == 0 || slice_usec == 0)
                return;
        output_paragraph(o, INDENT, "The last one over its time, a column is %s:",
                         str_format_duration_us(width, sizeof(width), slice_usec * slices_a_column(o, value_length(slices))));
        print_row(o, "computing", slices, "computing_usec", slice_usec);
        print_row(o, "reading", slices, "reading_usec", slice_usec);
        print_row(o, "waiting", slices, "waiting_usec", slice_usec);
        print_decisions(o, value_length(value_get(timeline, "decisions")));
        putchar('\n');
}
