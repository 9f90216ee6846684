/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text for people: tables aligned by display width, wrapped sentences, colour where it is wanted. Whatever comes from
 * outside (names of processes and drives can hold anything) is made harmless before it reaches a terminal. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "macro.h"

enum style {
        STYLE_PLAIN,
        STYLE_BOLD,
        STYLE_DIM,
        STYLE_GOOD,
        STYLE_WARNING,
        STYLE_BAD,
        _STYLE_MAX,
};

struct output {
        FILE *file;
        bool colour;
        unsigned columns; /* 0: no limit */
};

/* The user's locale, as far as the functions below can work in it. Once, at the start. */
void text_set_locale(void);

/* Colour on a terminal, unless $NO_COLOR is set or $TERM is "dumb"; the width from $COLUMNS or the terminal, else no limit. */
void output_init(struct output *ret, FILE *file);

void output_styled(const struct output *o, enum style style, const char *format, ...) _printf_(3, 4);
/* A heading on a line of its own. */
void output_heading(const struct output *o, const char *text);
/* One paragraph, broken at blanks to the output's width, every line indented; made harmless. Ends the line. */
void output_paragraph(const struct output *o, unsigned indent, const char *format, ...) _printf_(3, 4);

/* Terminal columns that a UTF-8 string takes. */
size_t text_width(const char *s);
/* Bytes of the longest start of s that takes at most `columns` columns. */
size_t text_cut(const char *s, size_t columns);
/* Shows what is not seen and broken UTF-8 as escapes (str_make_text()), and what the terminal's locale lacks as '?'. s is malloc'ed, and so is what is
 * returned in its place. */
char *text_make_harmless(char *s);

/* A malloc'ed formatted string, never NULL: without memory the program ends (exit code 1). */
char *text_format(const char *format, ...) _printf_(1, 2);

struct table_column {
        const char *heading;
        bool right;    /* aligned at its right edge, and never cut: numbers */
        bool keep;     /* never cut: what one would copy and paste */
        unsigned drop; /* left out where the rest would be cut too short, the greatest first; 0: never */
};

#define COLUMN(text) { .heading = (text) }
#define COLUMN_RIGHT(text) { .heading = (text), .right = true }
#define COLUMN_DROP(text, rank) { .heading = (text), .drop = (rank) }
#define COLUMN_RIGHT_DROP(text, rank) { .heading = (text), .right = true, .drop = (rank) }
#define COLUMN_KEEP(text) { .heading = (text), .keep = true }

#define TABLE_COLUMNS_MAX 16

struct table;
/* n is at most TABLE_COLUMNS_MAX; columns are borrowed. */
struct table *table_new(const struct table_column *columns, size_t n);
struct table *table_free(struct table *t);
DEFINE_TRIVIAL_CLEANUP_FUNC(struct table *, table_free)

/* The next cell, left to right, row by row. An empty one prints as "-". */
void table_add(struct table *t, enum style style, const char *format, ...) _printf_(3, 4);

/* Prints headings and rows. What is wider than the output first loses columns that may be dropped, then text columns' ends,
 * the widest first, marked by "…". */
void table_print(const struct table *t, const struct output *o, unsigned indent);

/* "12.3%" from thousandths. Returns buf. */
char *format_permille(char *buf, size_t size, uint64_t permille);
/* "1.25" from thousandths. Returns buf. */
char *format_milli(char *buf, size_t size, uint64_t milli);
/* "4.1 MB/s"; "-" for 0. Returns buf. */
char *format_rate(char *buf, size_t size, uint64_t bytes_per_s);
/* As str_format_duration_us; "-" for 0, which means that nothing was measured. Returns buf. */
char *format_latency(char *buf, size_t size, uint64_t us);
/* A number in the daemon's unit as people say it: "us" 61400 is "61.4 ms"; units that it does not know are said as they came. Returns buf. */
char *format_quantity(char *buf, size_t size, int64_t value, const char *unit);
/* "2026-01-31 12:00:00" in local time. Returns buf. */
char *format_time(char *buf, size_t size, uint64_t realtime_us);
