/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plot-view.h"

#include <glib/gi18n.h>
#include <string.h>

#include "plot-span.h"

/* Where samples are further apart than this, a line has a gap. They come once a second. */
#define GAP_US (5 * G_USEC_PER_SEC / 2)
#define LONG_SPAN_S 300
#define ROWS_MAX 16 /* plot_span_interval_s() gives fewer */

size_t
plot_view_count_columns (const struct plot_view *v,
                         int                     width)
{
  return (size_t) MAX (1, v->span_s > LONG_SPAN_S ? width / 2 : width);
}

gint64
plot_view_column_us (const struct plot_view *v,
                     size_t                  n_columns)
{
  gint64 span_us = v->span_s * G_USEC_PER_SEC;

  return (span_us + (gint64) n_columns - 1) / (gint64) n_columns;
}

gint64
plot_view_begin_us (const struct plot_view *v,
                    size_t                  n_columns)
{
  gint64 column_us = plot_view_column_us (v, n_columns);
  gint64 newest_us = v->history ? history_newest_us (v->history) : 0;

  return (newest_us / column_us + 1 - (gint64) n_columns) * column_us;
}

void
plot_view_columns (const struct plot_view *v,
                   guint                   line,
                   struct plot_column     *columns,
                   size_t                  n_columns)
{
  if (!v->history)
    plot_columns_clear (columns, n_columns);
  else
    history_columns (v->history, v->lines[line].channel, plot_view_begin_us (v, n_columns), plot_view_column_us (v, n_columns), columns,
                     n_columns);
}

size_t
plot_view_gap_columns (const struct plot_view *v,
                       size_t                  n_columns)
{
  gint64 distance_us = v->history ? history_distance_us (v->history, plot_view_begin_us (v, n_columns), GAP_US) : GAP_US;

  return (size_t) (distance_us / plot_view_column_us (v, n_columns)) + 1;
}

gboolean
plot_view_find (const struct plot_view *v,
                gint64                 *ret_t_us)
{
  int64_t t_us;

  if (!v->history || !history_find (v->history, history_newest_us (v->history) - MAX (v->cursor_age_us, 0), GAP_US, &t_us))
    return FALSE;
  *ret_t_us = t_us;
  return TRUE;
}

static struct plot_column
get_shown (const struct plot_view *v,
           guint                   line)
{
  gint64 t_us;

  if (plot_view_find (v, &t_us))
    return history_at (v->history, v->lines[line].channel, t_us);
  return (struct plot_column) { .min = 1, .max = 0 };
}

char *
plot_view_reading (const struct plot_view *v,
                   guint                   line)
{
  struct plot_column shown = get_shown (v, line);
  char text[32];

  if (shown.min > shown.max)
    return g_strdup ("–");
  plot_format (v->unit, (double) shown.max, text, sizeof (text));
  return shown.min < shown.max ? g_strdup_printf ("≤ %s", text) : g_strdup (text);
}

/* Those of the lines that have something, or else all that are no fallback. */
static guint
pick_lines (const struct plot_view *v,
            struct plot_column (*get) (const struct plot_view *v, guint line),
            guint                   ret_lines[PLOT_LINES_MAX])
{
  guint n = 0;

  for (guint i = 0; i < v->n_lines; i++)
    {
      struct plot_column values = get (v, i);

      if (values.min <= values.max)
        ret_lines[n++] = i;
    }
  if (n > 0)
    return n;
  for (guint i = 0; i < v->n_lines; i++)
    if (!v->lines[i].fallback)
      ret_lines[n++] = i;
  return n;
}

guint
plot_view_spoken (const struct plot_view *v,
                  guint                   ret_lines[PLOT_LINES_MAX])
{
  return pick_lines (v, get_shown, ret_lines);
}

static struct plot_column
get_extremes (const struct plot_view *v,
              guint                   line)
{
  struct plot_column all;

  plot_view_columns (v, line, &all, 1);
  return all;
}

guint
plot_view_told (const struct plot_view *v,
                guint                   ret_lines[PLOT_LINES_MAX])
{
  return pick_lines (v, get_extremes, ret_lines);
}

char *
plot_view_format_span (int span_s)
{
  if (span_s < 120)
    return g_strdup_printf (_("%d s"), span_s);
  if (span_s % 60 == 0)
    /* Translators: minutes, on a time axis or "2 min ago" */
    return g_strdup_printf (_("%d min"), span_s / 60);
  return g_strdup_printf (_("%d min %d s"), span_s / 60, span_s % 60);
}

/* As far from it as it is from the next moment that the arrow keys lead to. */
gboolean
plot_view_is_marked (const struct plot_view *v)
{
  const int64_t *marks;
  gint64 t_us;
  size_t n;

  if (v->cursor_age_us < 0 || !plot_view_find (v, &t_us))
    return FALSE;
  marks = history_marks (v->history, &n);
  for (size_t i = 0; i < n; i++)
    if (ABS (marks[i] - t_us) <= plot_span_step_us (v->span_s))
      return TRUE;
  return FALSE;
}

char *
plot_view_ago (const struct plot_view *v)
{
  g_autofree char *age = NULL;

  if (v->cursor_age_us < 0)
    return NULL;
  age = plot_view_format_span ((int) ((v->cursor_age_us + G_USEC_PER_SEC / 2) / G_USEC_PER_SEC));
  if (plot_view_is_marked (v))
    /* Translators: a time like "12 s", at which Brio changed something; there is little room */
    return g_strdup_printf (_("%s ago · changed"), age);
  /* Translators: a time like "12 s" or "2 min 30 s" */
  return g_strdup_printf (_("%s ago"), age);
}

char *
plot_view_sentence (const struct plot_view *v)
{
  GString *text = g_string_new (NULL);
  g_autofree char *ago = plot_view_ago (v);
  guint spoken[PLOT_LINES_MAX], n = plot_view_spoken (v, spoken);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *reading = plot_view_reading (v, spoken[i]);

      /* Translators: what a line of a plot shows and its value now, "Read 64 ms" */
      g_string_append_printf (text, C_("reading", "%s%s %s"), i > 0 ? ", " : "", v->lines[spoken[i]].label, reading);
    }
  if (ago)
    g_string_append_printf (text, ", %s", ago);
  return g_string_free (text, FALSE);
}

/* "8–21 ms", or "900 µs – 4 ms" where the units differ. */
static char *
format_range (enum plot_unit     unit,
              struct plot_column c)
{
  char least[32], most[32];
  const char *least_unit, *most_unit;

  if (c.min > c.max)
    return g_strdup ("–");
  plot_format (unit, (double) c.min, least, sizeof (least));
  plot_format (unit, (double) c.max, most, sizeof (most));
  if (g_str_equal (least, most))
    return g_strdup (most);
  least_unit = strrchr (least, ' ');
  most_unit = strrchr (most, ' ');
  if (g_strcmp0 (least_unit, most_unit) != 0)
    return g_strdup_printf ("%s – %s", least, most);
  return g_strdup_printf ("%.*s–%s", least_unit ? (int) (least_unit - least) : -1, least, most);
}

gint64
plot_view_row_serial (const struct plot_view *v,
                      gint64                  realtime_us)
{
  gint64 newest_us = v->history ? history_newest_us (v->history) : 0;

  return (newest_us + realtime_us) / (plot_span_interval_s (v->span_s) * G_USEC_PER_SEC);
}

static char *
format_row (const struct plot_view   *v,
            const struct plot_column *columns,
            size_t                    n_columns,
            size_t                    column,
            gint64                    begin_us)
{
  gint64 interval_us = plot_span_interval_s (v->span_s) * G_USEC_PER_SEC;
  g_autoptr (GDateTime) begin = g_date_time_new_from_unix_local ((begin_us + (gint64) column * interval_us) / G_USEC_PER_SEC);
  /* Translators: a time of today, to the second, for g_date_time_format() */
  g_autofree char *when = begin ? g_date_time_format (begin, _("%H:%M:%S")) : NULL;
  GString *row = g_string_new (when);

  for (guint line = 0; line < v->n_lines; line++)
    {
      g_autofree char *range = format_range (v->unit, columns[line * n_columns + column]);

      g_string_append_printf (row, "\t%s", range);
    }
  return g_string_free (row, FALSE);
}

GStrv
plot_view_rows (const struct plot_view *v,
                gint64                  realtime_us)
{
  gint64 interval_us = plot_span_interval_s (v->span_s) * G_USEC_PER_SEC;
  size_t n = (size_t) (v->span_s * G_USEC_PER_SEC / interval_us), oldest = n;
  gint64 begin_us = (plot_view_row_serial (v, realtime_us) - (gint64) n) * interval_us;
  struct plot_column columns[PLOT_LINES_MAX * ROWS_MAX];
  GStrvBuilder *rows = g_strv_builder_new ();
  GStrv all;

  for (guint line = 0; v->history && line < v->n_lines; line++)
    {
      history_columns (v->history, v->lines[line].channel, begin_us - realtime_us, interval_us, columns + line * n, n);
      for (size_t i = 0; i < oldest; i++)
        if (columns[line * n + i].min <= columns[line * n + i].max)
          oldest = i;
    }
  for (size_t i = n; i > oldest; i--)
    {
      g_autofree char *row = format_row (v, columns, n, i - 1, begin_us);

      g_strv_builder_add (rows, row);
    }
  all = g_strv_builder_end (rows);
  g_strv_builder_unref (rows);
  return all;
}
