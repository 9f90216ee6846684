/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart-input.h"

#include <math.h>

/* How far two fingers part for one step. */
#define PINCH_STEP 1.5

static const BrioChartInput *
get_input (gpointer controller)
{
  return g_object_get_data (controller, "brio-chart-input");
}

static GtkWidget *
get_chart (gpointer controller)
{
  return gtk_event_controller_get_widget (controller);
}

static void
on_motion (GtkEventController *controller,
           double              x,
           double              y)
{
  (void) y;
  get_input (controller)->point (get_chart (controller), x);
}

static void
on_leave (GtkEventController *controller)
{
  get_input (controller)->leave (get_chart (controller));
}

static gboolean
zoom (GtkEventController *controller,
      int                 steps)
{
  const BrioChartInput *input = get_input (controller);

  return input->zoom && input->zoom (get_chart (controller), steps);
}

static gboolean
on_key_pressed (GtkEventController *controller,
                guint               keyval,
                guint               keycode,
                GdkModifierType     state)
{
  GtkWidget *chart = get_chart (controller);

  (void) keycode;
  if (state & (GDK_CONTROL_MASK | GDK_ALT_MASK))
    return GDK_EVENT_PROPAGATE;
  switch (keyval)
    {
    case GDK_KEY_Left:
    case GDK_KEY_KP_Left:
      get_input (controller)->move (chart, -1);
      return GDK_EVENT_STOP;
    case GDK_KEY_Right:
    case GDK_KEY_KP_Right:
      get_input (controller)->move (chart, 1);
      return GDK_EVENT_STOP;
    case GDK_KEY_Escape:
      return get_input (controller)->leave (chart);
    case GDK_KEY_plus:
    case GDK_KEY_equal: /* the same key where + needs Shift */
    case GDK_KEY_KP_Add:
      return zoom (controller, 1);
    case GDK_KEY_minus:
    case GDK_KEY_KP_Subtract:
      return zoom (controller, -1);
    default:
      return GDK_EVENT_PROPAGATE;
    }
}

static gboolean
on_scroll (GtkEventController *controller,
           double              dx,
           double              dy)
{
  (void) dx;
  if (!(gtk_event_controller_get_current_event_state (controller) & GDK_CONTROL_MASK) || dy == 0)
    return GDK_EVENT_PROPAGATE;
  return zoom (controller, dy < 0 ? 1 : -1);
}

/* The steps that a gesture has made so far are kept with it. */
static void
on_pinch (GtkEventController *controller,
          double              scale)
{
  int before = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (controller), "brio-steps"));
  int steps = (int) (log (scale) / log (PINCH_STEP));

  if (steps == before)
    return;
  g_object_set_data (G_OBJECT (controller), "brio-steps", GINT_TO_POINTER (steps));
  zoom (controller, steps - before);
}

static void
on_pinch_begin (GtkEventController *controller)
{
  g_object_set_data (G_OBJECT (controller), "brio-steps", NULL);
}

static void
add (GtkWidget            *chart,
     GtkEventController   *controller,
     const BrioChartInput *input)
{
  g_object_set_data (G_OBJECT (controller), "brio-chart-input", (gpointer) input);
  gtk_widget_add_controller (chart, controller);
}

void
chart_input_set_up (GtkWidget            *chart,
                    const BrioChartInput *input)
{
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *key = gtk_event_controller_key_new ();
  GtkEventController *focus = gtk_event_controller_focus_new ();

  gtk_widget_set_focusable (chart, TRUE);
  g_signal_connect (motion, "enter", G_CALLBACK (on_motion), NULL);
  g_signal_connect (motion, "motion", G_CALLBACK (on_motion), NULL);
  g_signal_connect (motion, "leave", G_CALLBACK (on_leave), NULL);
  g_signal_connect (key, "key-pressed", G_CALLBACK (on_key_pressed), NULL);
  g_signal_connect (focus, "leave", G_CALLBACK (on_leave), NULL);
  add (chart, motion, input);
  add (chart, key, input);
  add (chart, focus, input);
  if (input->zoom)
    {
      GtkEventController *scroll = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_VERTICAL | GTK_EVENT_CONTROLLER_SCROLL_DISCRETE);
      GtkGesture *pinch = gtk_gesture_zoom_new ();

      g_signal_connect (scroll, "scroll", G_CALLBACK (on_scroll), NULL);
      g_signal_connect (pinch, "begin", G_CALLBACK (on_pinch_begin), NULL);
      g_signal_connect (pinch, "scale-changed", G_CALLBACK (on_pinch), NULL);
      add (chart, scroll, input);
      add (chart, GTK_EVENT_CONTROLLER (pinch), input);
    }
}
