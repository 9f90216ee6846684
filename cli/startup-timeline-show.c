/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "macro.h"
#include "startup-timeline-show.h"
#include "str.h"

#define LABEL_COLUMNS 10
#define TOTAL_COLUMNS 8 /* " 123 ms" */
#define INDENT 2
#define BESIDE_COLUMNS (INDENT + LABEL_COLUMNS + 2 + TOTAL_COLUMNS)

/* What goes by in a slice: as told, and what is left. */
static const struct {
        const char *key, *label;
        bool always; /* else only where there is any */
} parts[] = {
        { "reading_usec", "reading", true },
        { "waiting_usec", "waiting", true },
        { "computing_usec", "computing", true },
        { "processor_usec", "processor", false },
        { "memory_usec", "memory", false },
};

/* Eighths of a column's height. */
static const char *const levels[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };

/* Where the terminal is too narrow for all slices, several share a column. */
static size_t slices_a_column(const struct output *o, size_t n) {
        size_t columns = o->columns > BESIDE_COLUMNS ? o->columns - BESIDE_COLUMNS : 1;

        return o->columns == 0 ? 1 : (n + columns - 1) / columns;
}

struct course {
        struct json_object *slices;
        uint64_t slice_usec, latency_usec;
};

/* The last slice counts as far as the start goes. */
static uint64_t slice_length(const struct course *c, size_t i) {
        return MIN(c->slice_usec, c->latency_usec - MIN(i * c->slice_usec, c->latency_usec));
}

/* key NULL: what is left. */
static uint64_t part_of_slice(const struct course *c, size_t i, const char *key) {
        uint64_t length = slice_length(c, i), told = 0;

        if (key)
                return MIN(value_u64(value_at(c->slices, i), key), length);
        for (size_t k = 0; k < ARRAY_SIZE(parts); k++)
                told += part_of_slice(c, i, parts[k].key);
        return length - MIN(told, length);
}

static void print_row(const struct output *o, const struct course *c, const char *label, const char *key) {
        size_t n = value_length(c->slices), together = slices_a_column(o, n);
        uint64_t told = MIN(n * c->slice_usec, c->latency_usec), total = key ? 0 : c->latency_usec - told;
        char row[64 * sizeof("█")] = "", text[32];

        for (size_t i = 0; i < n; i += together) {
                uint64_t sum = 0, span = 0, level;
                for (size_t k = i; k < MIN(i + together, n); k++) {
                        sum += part_of_slice(c, k, key);
                        span += slice_length(c, k);
                }
                total += sum;
                level = span > 0 ? (sum * (ARRAY_SIZE(levels) - 1) + span / 2) / span : 0;
                str_append(row, sizeof(row), "%s", levels[sum > 0 ? MAX(level, (uint64_t) 1) : 0]);
        }
        printf("%*s%-*s|%s| %s\n", INDENT, "", LABEL_COLUMNS, label, row, str_format_duration_us(text, sizeof(text), total));
}

static bool has_part(const struct course *c, const char *key) {
        for (size_t i = 0; i < value_length(c->slices); i++)
                if (part_of_slice(c, i, key) > 0)
                        return true;
        return false;
}

static void print_decisions(const struct output *o, size_t n) {
        if (n > 0)
                output_paragraph(o, INDENT, "Meanwhile %zu %s fell for its drive; `brioctl decisions` shows them.", n, n == 1 ? "decision" : "decisions");
}

void startup_print_timeline(const struct output *o, struct json_object *timeline) {
        const struct course c = {
                value_get(timeline, "slices"), value_u64(timeline, "slice_usec"), value_u64(timeline, "latency_usec"),
        };
        char width[32];

        if (value_length(c.slices) == 0 || c.slice_usec == 0)
                return;
        output_paragraph(o, INDENT, "The last one over its time, a column is %s:",
                         str_format_duration_us(width, sizeof(width), c.slice_usec * slices_a_column(o, value_length(c.slices))));
        for (size_t k = 0; k < ARRAY_SIZE(parts); k++)
                if (parts[k].always || has_part(&c, parts[k].key))
                        print_row(o, &c, parts[k].label, parts[k].key);
        print_row(o, &c, "other", NULL);
        print_decisions(o, value_length(value_get(timeline, "decisions")));
        putchar('\n');
}
