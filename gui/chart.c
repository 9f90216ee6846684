/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart.h"

#include "accessible.h"
#include "chart-input.h"
#include "plot-draw.h"

#define NAT_WIDTH 480

typedef struct
{
  PangoLayout *layout; /* NULL till it is needed */
  int line_height;
  GskRenderNode *node; /* of draw(); NULL till it is needed */
  int cursor;          /* below 0: none */
} BrioChartPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (BrioChart, brio_chart, GTK_TYPE_WIDGET)

static BrioChartPrivate *
get_private (BrioChart *self)
{
  return brio_chart_get_instance_private (self);
}

static void
drop_node (BrioChart *self)
{
  g_clear_pointer (&get_private (self)->node, gsk_render_node_unref);
}

PangoLayout *
brio_chart_get_layout (BrioChart *self)
{
  BrioChartPrivate *p = get_private (self);

  if (!p->layout)
    {
      p->layout = plot_draw_create_layout (GTK_WIDGET (self));
      pango_layout_set_text (p->layout, "0", -1);
      pango_layout_get_pixel_size (p->layout, NULL, &p->line_height);
    }
  return p->layout;
}

int
brio_chart_get_line_height (BrioChart *self)
{
  (void) brio_chart_get_layout (self);
  return get_private (self)->line_height;
}

static void
brio_chart_snapshot (GtkWidget   *widget,
                     GtkSnapshot *snapshot)
{
  BrioChart *self = BRIO_CHART (widget);
  BrioChartClass *klass = BRIO_CHART_GET_CLASS (self);
  BrioChartPrivate *p = get_private (self);

  if (!p->node)
    {
      GtkSnapshot *kept = gtk_snapshot_new ();

      klass->draw (self, kept);
      p->node = gtk_snapshot_free_to_node (kept);
    }
  if (p->node)
    gtk_snapshot_append_node (snapshot, p->node);
  if (klass->draw_over)
    klass->draw_over (self, snapshot);
}

static void
brio_chart_measure (GtkWidget     *widget,
                    GtkOrientation orientation,
                    int            for_size,
                    int           *minimum,
                    int           *natural,
                    int           *minimum_baseline,
                    int           *natural_baseline)
{
  BrioChartClass *klass = BRIO_CHART_GET_CLASS (widget);

  (void) for_size;
  *minimum_baseline = *natural_baseline = -1;
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      *minimum = klass->min_width;
      *natural = NAT_WIDTH;
    }
  else
    *minimum = *natural = klass->get_height (BRIO_CHART (widget));
}

static void
brio_chart_size_allocate (GtkWidget *widget,
                          int        width,
                          int        height,
                          int        baseline)
{
  (void) width;
  (void) height;
  (void) baseline;
  drop_node (BRIO_CHART (widget));
}

static void
brio_chart_css_changed (GtkWidget         *widget,
                        GtkCssStyleChange *change)
{
  BrioChart *self = BRIO_CHART (widget);

  GTK_WIDGET_CLASS (brio_chart_parent_class)->css_changed (widget, change);
  g_clear_object (&get_private (self)->layout);
  drop_node (self);
  gtk_widget_queue_resize (widget);
}

static void
brio_chart_dispose (GObject *object)
{
  BrioChart *self = BRIO_CHART (object);

  drop_node (self);
  g_clear_object (&get_private (self)->layout);

  G_OBJECT_CLASS (brio_chart_parent_class)->dispose (object);
}

static int
get_last (BrioChart *self)
{
  return (int) BRIO_CHART_GET_CLASS (self)->get_n (self) - 1;
}

int
brio_chart_get_cursor (BrioChart *self)
{
  g_return_val_if_fail (BRIO_IS_CHART (self), -1);

  return get_private (self)->cursor;
}

char *
brio_chart_get_reading (BrioChart *self)
{
  g_return_val_if_fail (BRIO_IS_CHART (self), NULL);

  return BRIO_CHART_GET_CLASS (self)->get_reading (self, get_private (self)->cursor);
}

static void
describe (BrioChart *self)
{
  g_autofree char *reading = brio_chart_get_reading (self);

  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, *reading ? reading : "–", -1);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
brio_chart_set_cursor (BrioChart *self,
                       int        part)
{
  BrioChartPrivate *p;

  g_return_if_fail (BRIO_IS_CHART (self));

  p = get_private (self);
  part = MIN (MAX (part, -1), get_last (self));
  if (p->cursor == part)
    return;
  p->cursor = part;
  describe (self);
}

void
brio_chart_change (BrioChart  *self,
                   const char *label)
{
  BrioChartPrivate *p;

  g_return_if_fail (BRIO_IS_CHART (self));

  p = get_private (self);
  drop_node (self);
  accessible_name (GTK_WIDGET (self), label);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (!BRIO_CHART_GET_CLASS (self)->get_n)
    return;
  p->cursor = MIN (p->cursor, get_last (self)); /* while a part is read out, others come */
  describe (self);
}

static void
point (GtkWidget *chart,
       double     x)
{
  BrioChart *self = BRIO_CHART (chart);

  if (get_last (self) >= 0)
    brio_chart_set_cursor (self, (int) BRIO_CHART_GET_CLASS (self)->find (self, x));
}

static void
move (GtkWidget *chart,
      int        steps)
{
  BrioChart *self = BRIO_CHART (chart);

  brio_chart_set_cursor (self, MAX (0, get_private (self)->cursor + steps));
}

static gboolean
leave (GtkWidget *chart)
{
  BrioChart *self = BRIO_CHART (chart);
  gboolean was = get_private (self)->cursor >= 0;

  brio_chart_set_cursor (self, -1);
  return was;
}

static void
brio_chart_constructed (GObject *object)
{
  static const BrioChartInput input = { .point = point, .move = move, .leave = leave };

  G_OBJECT_CLASS (brio_chart_parent_class)->constructed (object);

  if (!BRIO_CHART_GET_CLASS (object)->get_n)
    return;
  chart_input_set_up (GTK_WIDGET (object), &input);
  gtk_accessible_update_property (GTK_ACCESSIBLE (object), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, "–", -1);
}

static void
brio_chart_class_init (BrioChartClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->constructed = brio_chart_constructed;
  object_class->dispose = brio_chart_dispose;
  widget_class->snapshot = brio_chart_snapshot;
  widget_class->measure = brio_chart_measure;
  widget_class->size_allocate = brio_chart_size_allocate;
  widget_class->css_changed = brio_chart_css_changed;

  gtk_widget_class_set_css_name (widget_class, "plot");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
brio_chart_init (BrioChart *self)
{
  gtk_widget_set_hexpand (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  get_private (self)->cursor = -1;
}
