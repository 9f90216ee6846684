/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stream-row.h"

#include <glib/gi18n.h>

#include "accessible.h"
#include "columns.h"
#include "pattern-words.h"
#include "period-chart.h"
#include "rhythm-chart.h"
#include "stream-words.h"
#include "table.h"

struct _BrioStreamRow
{
  AdwExpanderRow parent_instance;

  BrioPlayer *player;

  GtkImage *icon;
  GtkLabel *rate;
  GtkWidget *chart_header;       /* where its periods are known one by one */
  GtkToggleButton *table_button;
  GtkStack *charts;
  BrioRhythmChart *rhythm;
  BrioPeriodChart *period;
  BrioTable *table;              /* made when it is wanted */
  GtkLabel *notes;
  GtkLabel *figures[BRIO_PLAYER_N_FIGURES];
};

G_DEFINE_FINAL_TYPE (BrioStreamRow, brio_stream_row, ADW_TYPE_EXPANDER_ROW)

static const struct
{
  BrioPlayerFigure figure;
  const char *title;
} figures[] = {
  { BRIO_PLAYER_RATE, N_("Rate") },
  { BRIO_PLAYER_PERIOD, N_("Period, median") },
  { BRIO_PLAYER_REGULARITY, N_("Regular periods") },
  { BRIO_PLAYER_PAUSE, N_("Pauses") },
  /* Translators: the longest of its periods to the shortest */
  { BRIO_PLAYER_DRIFT, N_("Drift") },
  { BRIO_PLAYER_BATCHES, N_("Times it asked") },
  { BRIO_PLAYER_KERNEL_YES, N_("bfq’s rule said yes") },
  { BRIO_PLAYER_KERNEL_NO, N_("bfq’s rule said no") },
  /* Translators: how often the rule of kernels before Linux 4.16, which did not remember the recent past, would have said yes */
  { BRIO_PLAYER_KERNEL_WITHOUT_MEMORY, N_("Yes without its history") },
};

static void
set_label (GtkLabel   *label,
           const char *text)
{
  if (!g_str_equal (gtk_label_get_label (label), text))
    gtk_label_set_label (label, text);
  gtk_widget_set_visible (GTK_WIDGET (label), *text != '\0');
}

static void
add_note (GString *notes,
          char    *note)
{
  if (*note)
    g_string_append_printf (notes, "%s%s", notes->len > 0 ? "\n" : "", note);
  g_free (note);
}

/* The sentence stands there where the row's subtitle says which condition fails instead. */
static void
show_notes (BrioStreamRow *self)
{
  g_autoptr (GString) notes = g_string_new (NULL);

  if (brio_player_get_state (self->player) == BRIO_PLAYER_NEAR_MISS)
    add_note (notes, g_strdup (brio_player_get_sentence (self->player)));
  else
    add_note (notes, stream_words_failed (self->player));
  add_note (notes, stream_words_kernel (self->player));
  add_note (notes, stream_words_heard (self->player));
  set_label (self->notes, notes->str);
}

static void
show_table (BrioStreamRow        *self,
            const struct pattern *p)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < p->n; i++)
    g_ptr_array_add (rows, pattern_words_row (p, i));
  g_ptr_array_add (rows, NULL);
  brio_table_set_rows (self->table, (const char *const *) rows->pdata);
}

/* Its periods one by one, as a chart or as a table; where they are not known, the median one. */
static void
show_rhythm (BrioStreamRow *self)
{
  g_autofree char *label = stream_words_rhythm (self->player);
  gboolean as_table = gtk_toggle_button_get_active (self->table_button);
  struct pattern p;
  gboolean known = brio_player_get_pattern (self->player, &p);

  accessible_name_of (GTK_WIDGET (self->table_button), _("Show as a Table"), brio_player_get_name (self->player));
  gtk_widget_set_visible (self->chart_header, known);
  brio_period_chart_set (self->period, self->player);
  brio_rhythm_chart_set (self->rhythm, &p, label); /* without periods, too: it has its name */
  if (known && as_table)
    show_table (self, &p);
  gtk_stack_set_visible_child_name (self->charts, !known ? "period" : as_table ? "table" : "rhythm");
}

static void
on_table_toggled (BrioStreamRow *self)
{
  const char *titles[8];

  if (!self->table)
    {
      self->table = BRIO_TABLE (brio_table_new ());
      pattern_words_get_titles (titles);
      brio_table_set_up (self->table, _("Its last periods"), titles);
      gtk_stack_add_named (self->charts, GTK_WIDGET (self->table), "table");
    }
  show_rhythm (self);
}

/* Which is laid out anew each time that it is set, and has GTK ask the display where the pointer is. */
static void
show_icon (BrioStreamRow *self)
{
  gboolean records = brio_player_records (self->player);
  const char *name = records ? "media-record-symbolic" : "media-playback-start-symbolic";

  if (g_strcmp0 (gtk_image_get_icon_name (self->icon), name) == 0)
    return;
  gtk_image_set_from_icon_name (self->icon, name);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->icon), records ? _("Writes") : _("Reads"));
}

static void
show (BrioStreamRow *self)
{
  BrioPlayer *player = self->player;
  g_autofree char *title = g_strdup_printf (_("%s on %s"), brio_player_get_name (player), brio_player_get_drive (player));
  g_autofree char *rate = stream_words_figure (player, BRIO_PLAYER_RATE), *failed = stream_words_failed (player);
  const char *subtitle = brio_player_get_state (player) == BRIO_PLAYER_NEAR_MISS && *failed ? failed : brio_player_get_sentence (player);

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self), *brio_player_get_drive (player) ? title : brio_player_get_name (player));
  adw_expander_row_set_subtitle (ADW_EXPANDER_ROW (self), subtitle);
  accessible_name (GTK_WIDGET (self), adw_preferences_row_get_title (ADW_PREFERENCES_ROW (self)));
  show_icon (self);
  set_label (self->rate, rate);
  show_rhythm (self);
  show_notes (self);
  for (guint i = 0; i < G_N_ELEMENTS (figures); i++)
    {
      g_autofree char *text = stream_words_figure (player, figures[i].figure);

      set_label (self->figures[i], text);
    }
}

static void
brio_stream_row_dispose (GObject *object)
{
  g_clear_object (&BRIO_STREAM_ROW (object)->player);

  G_OBJECT_CLASS (brio_stream_row_parent_class)->dispose (object);
}

static void
brio_stream_row_class_init (BrioStreamRowClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = brio_stream_row_dispose;
}

static GtkLabel *
new_label (const char *text,
           const char *css_class)
{
  GtkLabel *label = GTK_LABEL (gtk_label_new (text));

  gtk_label_set_xalign (label, 0);
  gtk_label_set_wrap (label, TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (label), css_class);
  return label;
}

static GtkWidget *
create_figures (BrioStreamRow *self)
{
  GtkWidget *columns = brio_columns_new ();

  g_object_set (columns, "min-column-width", 130, "max-columns", (int) G_N_ELEMENTS (figures), "spacing", 12, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (figures); i++)
    {
      GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
      GtkLabel *title = new_label (_(figures[i].title), "caption");

      self->figures[i] = new_label ("", "numeric");
      gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->figures[i]));
      gtk_box_append (GTK_BOX (box), GTK_WIDGET (title));
      brio_columns_insert (BRIO_COLUMNS (columns), box, i);
    }
  return columns;
}

static GtkWidget *
create_chart_header (BrioStreamRow *self)
{
  GtkWidget *header = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkLabel *title = new_label (_("Its last periods"), "heading");

  self->table_button = GTK_TOGGLE_BUTTON (gtk_toggle_button_new ());
  gtk_button_set_icon_name (GTK_BUTTON (self->table_button), "view-list-symbolic");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->table_button), _("Show as a Table"));
  gtk_widget_add_css_class (GTK_WIDGET (self->table_button), "flat");
  g_signal_connect_swapped (self->table_button, "toggled", G_CALLBACK (on_table_toggled), self);
  gtk_widget_set_hexpand (GTK_WIDGET (title), TRUE);
  gtk_box_append (GTK_BOX (header), GTK_WIDGET (title));
  gtk_box_append (GTK_BOX (header), GTK_WIDGET (self->table_button));
  return header;
}

static GtkWidget *
create_charts (BrioStreamRow *self)
{
  self->charts = GTK_STACK (gtk_stack_new ());
  self->rhythm = BRIO_RHYTHM_CHART (brio_rhythm_chart_new ());
  self->period = BRIO_PERIOD_CHART (brio_period_chart_new ());
  gtk_stack_set_vhomogeneous (self->charts, FALSE);
  gtk_stack_add_named (self->charts, GTK_WIDGET (self->rhythm), "rhythm");
  gtk_stack_add_named (self->charts, GTK_WIDGET (self->period), "period");
  return GTK_WIDGET (self->charts);
}

static void
brio_stream_row_init (BrioStreamRow *self)
{
  GtkWidget *row = adw_preferences_row_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);

  self->icon = GTK_IMAGE (gtk_image_new ());
  self->rate = GTK_LABEL (gtk_label_new (""));
  self->chart_header = create_chart_header (self);
  self->notes = new_label ("", "dim-label");
  gtk_widget_add_css_class (GTK_WIDGET (self->rate), "numeric");
  gtk_widget_add_css_class (box, "chart");
  gtk_box_append (GTK_BOX (box), self->chart_header);
  gtk_box_append (GTK_BOX (box), create_charts (self));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->notes));
  gtk_box_append (GTK_BOX (box), create_figures (self));
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), _("How it asks"));
  accessible_name (GTK_WIDGET (row), _("How it asks"));
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), FALSE);
  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (self), FALSE);
  adw_expander_row_add_prefix (ADW_EXPANDER_ROW (self), GTK_WIDGET (self->icon));
  adw_expander_row_add_action (ADW_EXPANDER_ROW (self), GTK_WIDGET (self->rate));
  adw_expander_row_add_row (ADW_EXPANDER_ROW (self), row);
}

GtkWidget *
brio_stream_row_new (BrioPlayer *player)
{
  BrioStreamRow *self = g_object_new (BRIO_TYPE_STREAM_ROW, NULL);

  self->player = g_object_ref (player);
  g_signal_connect_object (player, "changed", G_CALLBACK (show), self, G_CONNECT_SWAPPED);
  show (self);
  return GTK_WIDGET (self);
}
