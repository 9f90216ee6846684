/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a plot shows, in columns and in words: the lines of a history over the last span, and the read-out of a moment. No GTK. */
#pragma once

#include <gio/gio.h>

#include "history.h"

G_BEGIN_DECLS

#define PLOT_LINES_MAX 3

typedef struct
{
  guint       channel;  /* of the history */
  const char *label;    /* translated, static */
  const char *color;    /* a name out of style.css */
  gboolean    fallback; /* for when the others have nothing: spoken of only then */
} BrioPlotLine;

struct plot_view
{
  enum plot_unit unit;
  BrioPlotLine lines[PLOT_LINES_MAX];
  guint n_lines;
  const struct history *history; /* NULL: nothing */
  int span_s;                    /* one of plot-span.h */
  gint64 cursor_age_us;          /* how long before the newest sample; below 0: none */
};

/* How many columns a plot of so many pixels has: one a pixel, or one for two where the time is so long that most hold a sample; more are
 *  * not seen, and each costs. */
size_t plot_view_count_columns (const struct plot_view *v,
                                int                     width);
/* Where columns begin and how long each is, so that a sample stays in its column until that leaves the plot, however many come: extremes
 * do not flicker. The newest sample is in the last column. */
gint64 plot_view_column_us (const struct plot_view *v,
                            size_t                  n_columns);
gint64 plot_view_begin_us  (const struct plot_view *v,
                            size_t                  n_columns);
void   plot_view_columns   (const struct plot_view *v,
                            guint                   line,
                            struct plot_column     *columns,
                            size_t                  n_columns);
/* How many columns without a sample part a line. */
size_t plot_view_gap_columns (const struct plot_view *v,
                              size_t                  n_columns);

/* The moment that is read out: that of the cursor, else the newest. FALSE: there is none. */
gboolean plot_view_find (const struct plot_view *v,
                         gint64                 *ret_t_us);
/* The line's value at that moment, "64 ms"; "≤ 64 ms" where only the extremes of several seconds are kept; "–" for nothing. g_free(). */
char *plot_view_reading (const struct plot_view *v,
                         guint                   line);
/* Which lines are spoken of at that moment: those that have a value, or all that are no fallback. Returns how many. */
guint plot_view_spoken (const struct plot_view *v,
                        guint                   ret_lines[PLOT_LINES_MAX]);
/* Which lines have a value anywhere in the span, or all that are no fallback. Returns how many. */
guint plot_view_told (const struct plot_view *v,
                      guint                   ret_lines[PLOT_LINES_MAX]);
/* "Median 8 ms, 99 % 120 ms", and which moment that is where there is a cursor. g_free(). */
char *plot_view_sentence (const struct plot_view *v);
/* Whether anything was changed about the moment of the cursor. */
gboolean plot_view_is_marked (const struct plot_view *v);
/* "12 s ago", "12 s ago · changed"; NULL without a cursor. g_free(). */
char *plot_view_ago (const struct plot_view *v);
/* "60 s", "5 min", "2 min 30 s". g_free(). */
char *plot_view_format_span (int span_s);

/* The plot as a table: a row for each interval of the span that is over, the newest first, as many cells as there are lines and one for when it
 * began, parted by tabs; NULL-terminated. Each cell has the least and the most, "8 ms – 21 ms". realtime_us: CLOCK_REALTIME minus the
 * clock of the samples; intervals begin where a wall clock says a round time. g_strfreev(). */
GStrv plot_view_rows (const struct plot_view *v,
                      gint64                  realtime_us);
/* Which interval is the newest that is over: rows do not change while this does not. */
gint64 plot_view_row_serial (const struct plot_view *v,
                             gint64                  realtime_us);

G_END_DECLS
