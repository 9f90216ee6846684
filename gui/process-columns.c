/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "process-columns.h"

#include <glib/gi18n.h>
#include <string.h>

#include "accessible.h"
#include "object-process.h"
#include "plot-math.h"
#include "process-cell.h"
#include "process-history.h"
#include "process-name.h"
#include "process-order.h"
#include "words.h"

#define CELL_KEY "brio-cell"
#define DRIVE_COLUMN_KEY "brio-drive-column"
#define STYLE_KEY "brio-cell-style"
#define DRIVE_STYLE_KEY "brio-drive-style"
#define TEXT_SIZE 64
#define USUAL_TEXT_PX 14.7 /* 11 points at 96 dots an inch */

enum kind
{
  KIND_NAME,
  KIND_DRIVE,
  KIND_RATE,
  KIND_HISTORY,
  KIND_WAIT,
  KIND_COUNT,
  KIND_DURATION,
  KIND_PATTERN,
  KIND_USER,
  KIND_PID,
  KIND_CLASS,
};

/* Where a process keeps the keys of the columns of text. */
static const guint key_places[] = { [KIND_NAME] = 0, [KIND_DRIVE] = 1, [KIND_PATTERN] = 2, [KIND_USER] = 3, [KIND_CLASS] = 4 };

struct column
{
  const char *id; /* in the settings */
  const char *title;
  enum kind kind;
  BrioProcessFigure figure; /* of rates, waits, counts and durations */
  int chars;                /* of what it shows at most, so that its width does not jump with each number */
  int from_width;           /* of the page, in pixels; 0: always */
};

/* Name, drive, how much and how long it waits come first. */
static const struct column columns[] = {
  { "name", N_("Name"), KIND_NAME, 0, 8, 0 },
  { "drive", N_("Drive"), KIND_DRIVE, 0, 7, 450 },
  /* Translators: heading of a column: what a process reads and writes together */
  { "total", N_("Total"), KIND_RATE, BRIO_PROCESS_TOTAL, 8, 0 },
  { "read", N_("Read"), KIND_RATE, BRIO_PROCESS_READ, 8, 620 },
  { "write", N_("Write"), KIND_RATE, BRIO_PROCESS_WRITE, 8, 620 },
  /* Translators: heading of a column: how much the process read and wrote in the last half minute, as a small chart */
  { "history", N_("History"), KIND_HISTORY, 0, 0, 700 },
  /* Translators: heading of a column: the share of the time in which the process waited for the drive */
  { "wait", N_("Waits"), KIND_WAIT, BRIO_PROCESS_WAIT, 6, 270 },
  { "pid", N_("PID"), KIND_PID, 0, 7, 520 },
  /* Translators: heading of a column: how long a read takes, median */
  { "latency", N_("Latency"), KIND_DURATION, BRIO_PROCESS_LATENCY, 7, 790 },
  /* Translators: heading of a column: what 99 of 100 reads do not exceed */
  { "p99", N_("99 %"), KIND_DURATION, BRIO_PROCESS_P99, 7, 870 },
  { "requests", N_("Requests/s"), KIND_COUNT, BRIO_PROCESS_REQUESTS, 8, 970 },
  { "pattern", N_("Pattern"), KIND_PATTERN, 0, 10, 1090 },
  { "user", N_("User"), KIND_USER, 0, 8, 1210 },
  { "priority", N_("Priority"), KIND_CLASS, 0, 12, 1370 },
};

static gboolean
is_text (enum kind kind)
{
  return kind == KIND_NAME || kind == KIND_DRIVE || kind == KIND_PATTERN || kind == KIND_USER || kind == KIND_CLASS;
}

static gboolean
is_figure (enum kind kind)
{
  return !is_text (kind) && kind != KIND_PID && kind != KIND_HISTORY;
}

static const char *
pattern (BrioProcess *process)
{
  if (!brio_process_is_observed (process) || brio_process_is_group (process))
    return "";
  /* Translators: where on the drive a process reads and writes */
  return brio_process_is_random (process) ? _("Random") : _("Sequential");
}

static void
format_figure (const struct column *column,
               BrioProcess         *process,
               char                *text)
{
  gint64 value = brio_process_get_figure (process, column->figure);

  g_strlcpy (text, "", TEXT_SIZE);
  if (value < 0 || (value == 0 && column->kind == KIND_RATE))
    return; /* an empty cell says so more quietly than a zero */
  if (column->kind == KIND_RATE)
    plot_format (PLOT_UNIT_BYTES_PER_S, (double) value, text, TEXT_SIZE);
  else if (column->kind == KIND_DURATION)
    plot_format (PLOT_UNIT_DURATION_US, (double) value, text, TEXT_SIZE);
  else if (column->kind == KIND_COUNT)
    g_snprintf (text, TEXT_SIZE, "%" G_GINT64_FORMAT, value);
  else if (brio_process_is_observed (process))
    /* Translators: a share of the time */
    g_snprintf (text, TEXT_SIZE, _("%d %%"), (int) ((value + 5) / 10));
  else
    /* Translators: a share of the time that is an estimate */
    g_snprintf (text, TEXT_SIZE, _("~%d %%"), (int) ((value + 5) / 10));
}

static void
format_drive (BrioProcess *process,
              char        *text)
{
  g_snprintf (text, TEXT_SIZE, "%s%s", brio_process_get_drive (process), brio_process_is_inferred (process) ? "?" : "");
}

/* What tells one from another of that name, where there is no room for columns. */
static void
format_place (BrioProcess *process,
              char        *text)
{
  char drive[TEXT_SIZE];

  format_drive (process, drive);
  if (brio_process_get_pid (process) == 0)
    g_strlcpy (text, drive, TEXT_SIZE);
  else if (*drive)
    /* Translators: a drive, and the number of a process that uses it */
    g_snprintf (text, TEXT_SIZE, _("%s · %u"), drive, brio_process_get_pid (process));
  else
    g_snprintf (text, TEXT_SIZE, "%u", brio_process_get_pid (process));
}

/* What an application calls itself may be long: whole characters of it. */
static void
format_name (BrioProcess *process,
             char        *text)
{
  g_autofree char *label = brio_process_dup_label (process);
  const char *end = label + MIN (strlen (label), TEXT_SIZE - 1);

  if (*end)
    end = g_utf8_find_prev_char (label, end + 1);
  g_strlcpy (text, label, (gsize) (end - label) + 1);
}

static void
format_cell (const struct column *column,
             BrioProcess         *process,
             char                *text)
{
  switch (column->kind)
    {
    case KIND_NAME:
      format_name (process, text);
      break;
    case KIND_HISTORY:
      *text = '\0';
      break;
    case KIND_DRIVE:
      format_drive (process, text);
      break;
    case KIND_PATTERN:
      g_strlcpy (text, pattern (process), TEXT_SIZE);
      break;
    case KIND_USER:
      g_strlcpy (text, brio_process_get_user (process), TEXT_SIZE);
      break;
    case KIND_PID:
      if (brio_process_get_pid (process) == 0)
        *text = '\0';
      else
        g_snprintf (text, TEXT_SIZE, "%u", brio_process_get_pid (process));
      break;
    case KIND_CLASS:
      g_strlcpy (text, words_io_class (brio_process_get_io_class (process), brio_process_get_io_level (process)), TEXT_SIZE);
      break;
    case KIND_RATE:
    case KIND_WAIT:
    case KIND_COUNT:
    case KIND_DURATION:
      format_figure (column, process, text);
      break;
    }
}

struct cell
{
  GtkListItem *item;
  const struct column *column;
  gulong handler; /* of its process, while it has one */
};

static BrioProcessCell *
text_of (const struct cell *cell)
{
  GtkWidget *child = gtk_list_item_get_child (cell->item);

  return cell->column->kind == KIND_NAME ? process_name_get_cell (child) : BRIO_PROCESS_CELL (child);
}

static char *
explain_history (BrioProcess *process)
{
  char most[TEXT_SIZE];
  gint64 highest;

  brio_process_get_history (process, &highest);
  if (highest == 0)
    return NULL;
  plot_format (PLOT_UNIT_BYTES_PER_S, (double) highest, most, sizeof (most));
  /* Translators: %s is a rate, as "5.2 MB/s" */
  return g_strdup_printf (_("The last half minute, at most %s"), most);
}

static const char *
explain_wait (BrioProcess *process)
{
  if (brio_process_is_group (process))
    return _("Share of the time, of the process that waits most");
  return brio_process_is_observed (process) ? _("Share of the time with a read under way, seen in its requests")
                                            : _("Share of the time, estimated from how often it was seen waiting");
}

/* How sure it is. */
static char *
explain (const struct column *column,
         BrioProcess         *process)
{
  if (column->kind == KIND_HISTORY)
    return explain_history (process);
  if (column->kind == KIND_WAIT && brio_process_get_figure (process, BRIO_PROCESS_WAIT) >= 0)
    return g_strdup (explain_wait (process));
  if (column->kind == KIND_DRIVE && brio_process_is_inferred (process))
    return g_strdup (_("Inferred from the files that it has open"));
  return NULL;
}

/* For a tooltip: that, or what there is no room for. */
static char *
explain_cell (const struct cell *cell)
{
  BrioProcess *process = gtk_list_item_get_item (cell->item);

  if (cell->column->kind == KIND_NAME && brio_process_cell_is_cut (text_of (cell)))
    return brio_process_dup_label (process);
  return explain (cell->column, process);
}

static void
show_cell (const struct cell *cell)
{
  BrioProcess *process = gtk_list_item_get_item (cell->item);
  char text[TEXT_SIZE], place[TEXT_SIZE];

  format_cell (cell->column, process, text);
  if (cell->column->kind != KIND_NAME)
    {
      brio_process_cell_set_text (text_of (cell), text);
      return;
    }
  format_place (process, place);
  process_name_show (gtk_list_item_get_child (cell->item), process, text, place);
}

static ProcessCellStyle *
get_style (GtkListItemFactory *factory,
           const char         *key,
           int                 chars,
           gboolean            figures,
           gboolean            cut)
{
  ProcessCellStyle *style = g_object_get_data (G_OBJECT (factory), key);

  if (style)
    return style;
  style = process_cell_style_new (chars, figures, cut);
  g_object_set_data_full (G_OBJECT (factory), key, style, (GDestroyNotify) process_cell_style_unref);
  return style;
}

static GtkWidget *
new_child (GtkListItemFactory  *factory,
           GtkListItem         *item,
           const struct column *column)
{
  ProcessCellStyle *style;

  if (column->kind == KIND_HISTORY)
    return brio_process_history_new ();
  style = get_style (factory, STYLE_KEY, column->chars, !is_text (column->kind), column->kind == KIND_NAME);
  if (column->kind != KIND_NAME)
    return brio_process_cell_new (style);
  return process_name_new (item, style, get_style (factory, DRIVE_STYLE_KEY, 0, FALSE, FALSE), g_object_get_data (G_OBJECT (factory), DRIVE_COLUMN_KEY));
}

static void
on_setup (GtkListItemFactory  *factory,
          GtkListItem         *item,
          const struct column *column)
{
  struct cell *cell = g_new (struct cell, 1);
  GtkWidget *child = new_child (factory, item, column);

  *cell = (struct cell){ item, column, 0 };
  g_object_set_data_full (G_OBJECT (child), CELL_KEY, cell, g_free);
  gtk_list_item_set_child (item, child);
}

static void
on_changed (BrioProcess *process,
            struct cell *cell)
{
  (void) process;
  show_cell (cell);
}

static void
on_bind (GtkListItemFactory *factory,
         GtkListItem        *item)
{
  GtkWidget *child = gtk_list_item_get_child (item);
  struct cell *cell = g_object_get_data (G_OBJECT (child), CELL_KEY);

  (void) factory;
  if (cell->column->kind == KIND_HISTORY)
    {
      brio_process_history_show (BRIO_PROCESS_HISTORY (child), gtk_list_item_get_item (item));
      return;
    }
  cell->handler = g_signal_connect (gtk_list_item_get_item (item), "changed", G_CALLBACK (on_changed), cell);
  show_cell (cell);
}

static void
on_unbind (GtkListItemFactory *factory,
           GtkListItem        *item)
{
  GtkWidget *child = gtk_list_item_get_child (item);
  struct cell *cell = g_object_get_data (G_OBJECT (child), CELL_KEY);

  (void) factory;
  if (cell->column->kind == KIND_HISTORY)
    brio_process_history_show (BRIO_PROCESS_HISTORY (child), NULL);
  g_clear_signal_handler (&cell->handler, gtk_list_item_get_item (item));
}

static const struct cell *
pick (GtkWidget *view,
      double     x,
      double     y)
{
  const struct cell *cell = NULL;

  for (GtkWidget *w = gtk_widget_pick (view, x, y, GTK_PICK_DEFAULT); w && !cell; w = gtk_widget_get_parent (w))
    {
      cell = g_object_get_data (G_OBJECT (w), CELL_KEY);
      if (!cell && gtk_widget_get_first_child (w)) /* beside what is in it */
        cell = g_object_get_data (G_OBJECT (gtk_widget_get_first_child (w)), CELL_KEY);
    }
  return cell;
}

BrioProcess *
process_columns_pick (GtkColumnView *view,
                      double         x,
                      double         y)
{
  const struct cell *cell = pick (GTK_WIDGET (view), x, y);

  return cell ? gtk_list_item_get_item (cell->item) : NULL;
}

char *
process_columns_describe (BrioProcess *process,
                          guint        i,
                          const char **ret_title)
{
  char text[TEXT_SIZE];

  if (i >= G_N_ELEMENTS (columns))
    return NULL;
  *ret_title = _(columns[i].title);
  format_cell (&columns[i], process, text);
  return g_strdup (text);
}

char *
process_columns_explain (BrioProcess *process,
                         guint        i)
{
  g_return_val_if_fail (i < G_N_ELEMENTS (columns), NULL);

  return explain (&columns[i], process);
}

char *
process_columns_format (BrioProcess *process)
{
  GString *out = g_string_new (NULL);
  const char *title;
  char *text;

  for (guint i = 0; (text = process_columns_describe (process, i, &title)); i++)
    {
      if (*text)
        g_string_append_printf (out, "%s\t%s\n", title, text);
      g_free (text);
    }
  return g_string_free (out, FALSE);
}

/* One for the whole table: to set a tooltip has GTK ask the display where the pointer is, each time. */
static gboolean
on_query_tooltip (GtkWidget  *view,
                  int         x,
                  int         y,
                  gboolean    by_keyboard,
                  GtkTooltip *tooltip)
{
  const struct cell *cell = by_keyboard ? NULL : pick (view, x, y);
  g_autofree char *text = cell ? explain_cell (cell) : NULL;

  gtk_tooltip_set_text (tooltip, text);
  return text != NULL;
}

static GtkOrdering
compare_numbers (gint64 a,
                 gint64 b)
{
  return a < b ? GTK_ORDERING_SMALLER : a > b ? GTK_ORDERING_LARGER : GTK_ORDERING_EQUAL;
}

/* Of a column of text, by which it sorts: made once, not in each comparison. */
static const char *
key_of (BrioProcess         *process,
        const struct column *column)
{
  guint i = key_places[column->kind];
  const char *key = brio_process_get_key (process, i);
  char text[TEXT_SIZE];

  if (key)
    return key;
  format_cell (column, process, text);
  brio_process_set_key (process, i, g_utf8_collate_key (text, -1));
  return brio_process_get_key (process, i);
}

static int
compare (gconstpointer a,
         gconstpointer b,
         gpointer      userdata)
{
  const struct column *column = userdata;
  BrioProcess *x = (BrioProcess *) a, *y = (BrioProcess *) b;

  if (column->kind == KIND_PID)
    return compare_numbers (brio_process_get_pid (x), brio_process_get_pid (y));
  if (!is_text (column->kind))
    return compare_numbers (brio_process_get_figure (x, column->figure), brio_process_get_figure (y, column->figure));
  return gtk_ordering_from_cmpfunc (strcmp (key_of (x, column), key_of (y, column)));
}

int
process_columns_compare (gconstpointer a,
                         gconstpointer b,
                         gpointer      sorter)
{
  BrioProcess *x = (BrioProcess *) a, *y = (BrioProcess *) b;
  GtkOrdering order = gtk_sorter_compare (sorter, x, y);

  if (order == GTK_ORDERING_EQUAL)
    order = compare_numbers (brio_process_get_figure (y, BRIO_PROCESS_TOTAL), brio_process_get_figure (x, BRIO_PROCESS_TOTAL));
  return order != GTK_ORDERING_EQUAL ? order : compare_numbers (brio_process_get_pid (x), brio_process_get_pid (y));
}

void
process_columns_add (GtkColumnView *view)
{
  GtkListItemFactory *name_factory = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    {
      gpointer userdata = (gpointer) &columns[i];
      GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
      g_autoptr (GtkSorter) sorter = columns[i].kind == KIND_HISTORY ? NULL : process_order_new_sorter (columns[i].id, is_figure (columns[i].kind), compare, userdata);
      g_autoptr (GtkColumnViewColumn) column = NULL;

      g_signal_connect (factory, "setup", G_CALLBACK (on_setup), userdata);
      g_signal_connect (factory, "bind", G_CALLBACK (on_bind), NULL);
      g_signal_connect (factory, "unbind", G_CALLBACK (on_unbind), NULL);
      column = gtk_column_view_column_new (_(columns[i].title), factory);
      gtk_column_view_column_set_sorter (column, sorter);
      gtk_column_view_column_set_expand (column, columns[i].kind == KIND_NAME);
      gtk_column_view_append_column (view, column);
      if (columns[i].kind == KIND_NAME)
        name_factory = factory;
      else if (columns[i].kind == KIND_DRIVE)
        g_object_set_data_full (G_OBJECT (name_factory), DRIVE_COLUMN_KEY, g_object_ref (column), g_object_unref);
    }
  process_order_begin (view);
  accessible_name_columns (view);
  gtk_widget_set_has_tooltip (GTK_WIDGET (view), TRUE);
  g_signal_connect (view, "query-tooltip", G_CALLBACK (on_query_tooltip), NULL);
}

/* The columns' widths are for text of the usual size: large text needs that much more. */
static double
get_text_scale (GtkWidget *w)
{
  PangoContext *context = gtk_widget_get_pango_context (w);
  const PangoFontDescription *font = pango_context_get_font_description (context);
  double resolution = pango_cairo_context_get_resolution (context), points = pango_font_description_get_size (font) / (double) PANGO_SCALE;

  return MAX (1, pango_font_description_get_size_is_absolute (font) ? points / USUAL_TEXT_PX : points * resolution / 72 / USUAL_TEXT_PX);
}

void
process_columns_fit (GtkColumnView *view,
                     int            width)
{
  GListModel *model = gtk_column_view_get_columns (view);
  double scale = get_text_scale (GTK_WIDGET (view));

  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    {
      g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (model, i);

      gtk_column_view_column_set_visible (column, width >= columns[i].from_width * scale);
    }
}
