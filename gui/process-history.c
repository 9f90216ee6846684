/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "process-history.h"

#define BAR_PX 2
#define HEIGHT_PX 16

struct _BrioProcessHistory
{
  GtkWidget parent_instance;

  BrioProcess *process;
};

G_DEFINE_FINAL_TYPE (BrioProcessHistory, brio_process_history, GTK_TYPE_WIDGET)

static void
brio_process_history_measure (GtkWidget     *widget,
                              GtkOrientation orientation,
                              int            for_size,
                              int           *minimum,
                              int           *natural,
                              int           *minimum_baseline,
                              int           *natural_baseline)
{
  (void) widget;
  (void) for_size;
  *minimum_baseline = *natural_baseline = -1;
  *minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? BRIO_PROCESS_SECONDS * BAR_PX : HEIGHT_PX;
}

/* Colours that are whole pixels, of which GTK makes no textures. */
static void
brio_process_history_snapshot (GtkWidget   *widget,
                               GtkSnapshot *snapshot)
{
  BrioProcessHistory *self = BRIO_PROCESS_HISTORY (widget);
  int bottom = (gtk_widget_get_height (widget) + HEIGHT_PX) / 2, width = gtk_widget_get_width (widget);
  const gint64 *history;
  gint64 highest;
  GdkRGBA color;

  if (!self->process)
    return;
  history = brio_process_get_history (self->process, &highest);
  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &color);
  for (guint i = 0; highest > 0 && i < BRIO_PROCESS_SECONDS; i++)
    {
      int x = width - (int) (BRIO_PROCESS_SECONDS - i) * BAR_PX, height = MAX ((int) ((double) history[i] / (double) highest * HEIGHT_PX + 0.5), 1);

      if (history[i] > 0)
        gtk_snapshot_append_color (snapshot, &color, &GRAPHENE_RECT_INIT ((float) x, (float) (bottom - height), BAR_PX, (float) height));
    }
}

static void
brio_process_history_dispose (GObject *object)
{
  brio_process_history_show (BRIO_PROCESS_HISTORY (object), NULL);

  G_OBJECT_CLASS (brio_process_history_parent_class)->dispose (object);
}

static void
brio_process_history_class_init (BrioProcessHistoryClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = brio_process_history_dispose;
  widget_class->measure = brio_process_history_measure;
  widget_class->snapshot = brio_process_history_snapshot;

  gtk_widget_class_set_css_name (widget_class, "history");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_PRESENTATION); /* its tooltip says it */
}

static void
brio_process_history_init (BrioProcessHistory *self)
{
  (void) self;
}

GtkWidget *
brio_process_history_new (void)
{
  return g_object_new (BRIO_TYPE_PROCESS_HISTORY, NULL);
}

void
brio_process_history_show (BrioProcessHistory *self,
                           BrioProcess        *process)
{
  g_return_if_fail (BRIO_IS_PROCESS_HISTORY (self));

  if (self->process)
    g_signal_handlers_disconnect_by_func (self->process, gtk_widget_queue_draw, self);
  if (process)
    g_signal_connect_swapped (process, "moved", G_CALLBACK (gtk_widget_queue_draw), self);
  g_set_object (&self->process, process);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
