/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "process-cell.h"

#include "accessible.h"
#include "plot-text.h"

struct process_cell_style
{
  int chars;
  gboolean figures, cut;

  PangoLayout *layout; /* NULL: none since the font changed */
  int room;            /* of that many characters */
};

struct _BrioProcessCell
{
  GtkWidget parent_instance;

  ProcessCellStyle *style;
  char *text;
  int width, height; /* of the text; below 0: not measured yet */
};

G_DEFINE_FINAL_TYPE (BrioProcessCell, brio_process_cell, GTK_TYPE_WIDGET)

static void
clear_style (gpointer style)
{
  g_clear_object (&((ProcessCellStyle *) style)->layout);
}

ProcessCellStyle *
process_cell_style_new (int      chars,
                        gboolean figures,
                        gboolean cut)
{
  ProcessCellStyle *self = g_rc_box_new0 (ProcessCellStyle);

  self->chars = chars;
  self->figures = figures;
  self->cut = cut;
  return self;
}

void
process_cell_style_unref (ProcessCellStyle *self)
{
  g_rc_box_release_full (self, clear_style);
}

static void
measure_room (ProcessCellStyle *style)
{
  PangoFontMetrics *metrics = pango_context_get_metrics (pango_layout_get_context (style->layout), NULL, NULL);
  int char_width = MAX (pango_font_metrics_get_approximate_char_width (metrics), pango_font_metrics_get_approximate_digit_width (metrics));

  style->room = PANGO_PIXELS_CEIL (style->chars * char_width);
  pango_font_metrics_unref (metrics);
}

static PangoLayout *
ensure_layout (BrioProcessCell *self)
{
  ProcessCellStyle *style = self->style;
  g_autoptr (PangoAttrList) attributes = NULL;

  if (style->layout)
    return style->layout;
  style->layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), NULL);
  if (style->cut)
    pango_layout_set_ellipsize (style->layout, PANGO_ELLIPSIZE_END);
  if (style->figures)
    {
      attributes = pango_attr_list_new ();
      pango_attr_list_insert (attributes, pango_attr_font_features_new ("tnum=1"));
      pango_layout_set_attributes (style->layout, attributes);
    }
  measure_room (style);
  return style->layout;
}

/* Shaping a text takes longer than all else that a row does, and most rows are out of sight: numbers are put together out of digits. */
static void
measure_width (BrioProcessCell *self)
{
  PangoLayout *layout = ensure_layout (self);

  if (self->width >= 0)
    return;
  if (self->style->figures)
    {
      self->width = plot_text_get_number_width (layout, self->text);
      return;
    }
  pango_layout_set_width (layout, -1);
  pango_layout_set_text (layout, self->text, -1);
  pango_layout_get_pixel_size (layout, &self->width, NULL);
}

/* Other scripts may need more than a figure does. */
static void
measure_height (BrioProcessCell *self)
{
  PangoLayout *layout = ensure_layout (self);

  if (self->height >= 0)
    return;
  self->height = plot_text_get_height (layout);
  if (g_str_is_ascii (self->text))
    return;
  pango_layout_set_text (layout, self->text, -1);
  pango_layout_get_pixel_size (layout, NULL, &self->height);
}

static void
brio_process_cell_measure (GtkWidget     *widget,
                           GtkOrientation orientation,
                           int            for_size,
                           int           *minimum,
                           int           *natural,
                           int           *minimum_baseline,
                           int           *natural_baseline)
{
  BrioProcessCell *self = BRIO_PROCESS_CELL (widget);

  (void) for_size;
  *minimum_baseline = *natural_baseline = -1;
  if (orientation == GTK_ORIENTATION_VERTICAL)
    {
      measure_height (self);
      *minimum = *natural = self->height;
      return;
    }
  ensure_layout (self);
  *minimum = *natural = self->style->room;
  if (self->style->cut)
    return; /* its column has what the others leave */
  measure_width (self);
  *minimum = *natural = MAX (self->style->room, self->width);
}

static void
brio_process_cell_snapshot (GtkWidget   *widget,
                            GtkSnapshot *snapshot)
{
  BrioProcessCell *self = BRIO_PROCESS_CELL (widget);
  PangoLayout *layout = ensure_layout (self);
  int width = gtk_widget_get_width (widget), x;
  gboolean rtl = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  PangoRectangle drawn;
  GdkRGBA color;

  if (!*self->text)
    return;
  pango_layout_set_width (layout, self->style->cut ? width * PANGO_SCALE : -1);
  pango_layout_set_text (layout, self->text, -1);
  pango_layout_get_pixel_extents (layout, NULL, &drawn);
  x = self->style->figures != rtl ? width - drawn.width : 0;
  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &color);
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((float) (x - drawn.x), (float) ((gtk_widget_get_height (widget) - drawn.height) / 2)));
  gtk_snapshot_append_layout (snapshot, layout, &color);
  gtk_snapshot_restore (snapshot);
}

static void
forget_measures (BrioProcessCell *self)
{
  if (self->style)
    g_clear_object (&self->style->layout);
  self->width = self->height = -1;
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

static void
brio_process_cell_css_changed (GtkWidget         *widget,
                               GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (brio_process_cell_parent_class)->css_changed (widget, change);
  forget_measures (BRIO_PROCESS_CELL (widget));
}

static void
brio_process_cell_direction_changed (GtkWidget       *widget,
                                     GtkTextDirection previous)
{
  GTK_WIDGET_CLASS (brio_process_cell_parent_class)->direction_changed (widget, previous);
  forget_measures (BRIO_PROCESS_CELL (widget));
}

static void
brio_process_cell_finalize (GObject *object)
{
  BrioProcessCell *self = BRIO_PROCESS_CELL (object);

  g_free (self->text);
  process_cell_style_unref (self->style);

  G_OBJECT_CLASS (brio_process_cell_parent_class)->finalize (object);
}

static void
brio_process_cell_class_init (BrioProcessCellClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = brio_process_cell_finalize;
  widget_class->measure = brio_process_cell_measure;
  widget_class->snapshot = brio_process_cell_snapshot;
  widget_class->css_changed = brio_process_cell_css_changed;
  widget_class->direction_changed = brio_process_cell_direction_changed;

  /* The theme's styles for labels are its styles. */
  gtk_widget_class_set_css_name (widget_class, "label");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_LABEL);
}

static void
brio_process_cell_init (BrioProcessCell *self)
{
  self->text = g_strdup ("");
  self->width = self->height = -1;
}

GtkWidget *
brio_process_cell_new (ProcessCellStyle *style)
{
  BrioProcessCell *self = g_object_new (BRIO_TYPE_PROCESS_CELL, NULL);

  self->style = g_rc_box_acquire (style);
  return GTK_WIDGET (self);
}

void
brio_process_cell_set_text (BrioProcessCell *self,
                            const char      *text)
{
  g_return_if_fail (BRIO_IS_PROCESS_CELL (self));

  if (g_str_equal (self->text, text))
    return;
  g_free (self->text);
  self->text = g_strdup (text);
  self->width = self->height = -1;
  accessible_name (GTK_WIDGET (self), text);
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

const char *
brio_process_cell_get_text (BrioProcessCell *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS_CELL (self), NULL);

  return self->text;
}

gboolean
brio_process_cell_is_cut (BrioProcessCell *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS_CELL (self), FALSE);

  measure_width (self);
  return self->width > gtk_widget_get_width (GTK_WIDGET (self));
}
