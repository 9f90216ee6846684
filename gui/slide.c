/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slide.h"

#include <adwaita.h>

#define SLIDE_MS 200

struct _BrioSlide
{
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkWidget *shield; /* over the content while the sidebar is: takes the clicks beside it */
  GtkWidget *sidebar;
  gboolean collapsed, show_sidebar;
  double width;    /* of the sidebar, pixels */
  double progress; /* of one that slides over the content: 0 to 1 */
  AdwAnimation *slide;
};

enum
{
  PROP_0,
  PROP_SIDEBAR,
  PROP_CONTENT,
  PROP_COLLAPSED,
  PROP_SHOW_SIDEBAR,
  PROP_MIN_SIDEBAR_WIDTH,
  N_PROPS
};

G_DEFINE_FINAL_TYPE (BrioSlide, brio_slide, GTK_TYPE_WIDGET)

static GParamSpec *props[N_PROPS];

static gboolean
is_over (BrioSlide *self)
{
  return self->collapsed && (self->show_sidebar || self->progress > 0);
}

/* A child that is not seen must not get the focus, nor one behind the shield. */
static void
show_children (BrioSlide *self)
{
  gboolean over = is_over (self);

  if (self->sidebar)
    gtk_widget_set_child_visible (self->sidebar, over || (!self->collapsed && self->show_sidebar));
  gtk_widget_set_child_visible (self->shield, over);
  if (self->content)
    gtk_widget_set_can_focus (self->content, !(over && self->show_sidebar));
}

static void
set_progress (double   value,
              gpointer userdata)
{
  BrioSlide *self = userdata;

  self->progress = value;
  gtk_widget_set_opacity (self->shield, value);
  show_children (self);
  gtk_widget_queue_allocate (GTK_WIDGET (self));
}

static void
set_show_sidebar (BrioSlide *self,
                  gboolean   show)
{
  if (self->show_sidebar == show)
    return;
  self->show_sidebar = show;
  if (self->collapsed)
    {
      adw_timed_animation_set_value_from (ADW_TIMED_ANIMATION (self->slide), self->progress);
      adw_timed_animation_set_value_to (ADW_TIMED_ANIMATION (self->slide), show);
      show_children (self); /* mapped, it can take the focus */
      adw_animation_play (self->slide);
      gtk_widget_child_focus (show ? self->sidebar : self->content, GTK_DIR_TAB_FORWARD);
    }
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_SHOW_SIDEBAR]);
}

static void
set_collapsed (BrioSlide *self,
               gboolean   collapsed)
{
  if (self->collapsed == collapsed)
    return;
  self->collapsed = collapsed;
  adw_animation_reset (self->slide);
  set_progress (0, self);
  self->show_sidebar = !collapsed;
  show_children (self);
  gtk_widget_queue_resize (GTK_WIDGET (self));
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_COLLAPSED]);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_SHOW_SIDEBAR]);
}

static void
brio_slide_size_allocate (GtkWidget *widget,
                          int        width,
                          int        height,
                          int        baseline)
{
  BrioSlide *self = BRIO_SLIDE (widget);
  gboolean rtl = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  int sidebar = (int) self->width, beside = self->collapsed ? 0 : sidebar, shown = beside ? sidebar : (int) (sidebar * self->progress);

  if (self->content)
    gtk_widget_size_allocate (self->content, &(GtkAllocation) { rtl ? 0 : beside, 0, width - beside, height }, baseline);
  if (gtk_widget_get_child_visible (self->shield))
    gtk_widget_size_allocate (self->shield, &(GtkAllocation) { 0, 0, width, height }, -1);
  if (self->sidebar && gtk_widget_get_child_visible (self->sidebar))
    gtk_widget_size_allocate (self->sidebar, &(GtkAllocation) { rtl ? width - shown : shown - sidebar, 0, sidebar, height }, -1);
}

static void
brio_slide_measure (GtkWidget     *widget,
                    GtkOrientation orientation,
                    int            for_size,
                    int           *minimum,
                    int           *natural,
                    int           *minimum_baseline,
                    int           *natural_baseline)
{
  BrioSlide *self = BRIO_SLIDE (widget);
  GtkWidget *children[] = { self->content, self->sidebar };
  int minimums[2] = { 0 }, naturals[2] = { 0 };

  (void) for_size;
  for (gsize i = 0; i < G_N_ELEMENTS (children); i++)
    if (children[i])
      gtk_widget_measure (children[i], orientation, -1, &minimums[i], &naturals[i], NULL, NULL);
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      *minimum = self->collapsed ? MAX (minimums[0], minimums[1]) : minimums[0] + (int) self->width;
      *natural = self->collapsed ? MAX (naturals[0], naturals[1]) : naturals[0] + (int) self->width;
    }
  else
    {
      *minimum = MAX (minimums[0], minimums[1]);
      *natural = MAX (naturals[0], naturals[1]);
    }
  *minimum_baseline = *natural_baseline = -1;
}

static void
on_shield_pressed (BrioSlide *self)
{
  set_show_sidebar (self, FALSE);
}

static gboolean
on_key_pressed (BrioSlide *self,
                guint      keyval)
{
  if (keyval != GDK_KEY_Escape || !self->collapsed || !self->show_sidebar)
    return GDK_EVENT_PROPAGATE;
  set_show_sidebar (self, FALSE);
  return GDK_EVENT_STOP;
}

static void
replace (BrioSlide  *self,
         GtkWidget **place,
         GtkWidget  *child,
         GtkWidget  *below)
{
  g_clear_pointer (place, gtk_widget_unparent);
  *place = child;
  if (child)
    gtk_widget_insert_before (child, GTK_WIDGET (self), below);
  show_children (self);
}

static void
brio_slide_get_property (GObject    *object,
                         guint       prop_id,
                         GValue     *value,
                         GParamSpec *pspec)
{
  BrioSlide *self = BRIO_SLIDE (object);

  switch (prop_id)
    {
    case PROP_SIDEBAR:
      g_value_set_object (value, self->sidebar);
      break;
    case PROP_CONTENT:
      g_value_set_object (value, self->content);
      break;
    case PROP_COLLAPSED:
      g_value_set_boolean (value, self->collapsed);
      break;
    case PROP_SHOW_SIDEBAR:
      g_value_set_boolean (value, self->show_sidebar);
      break;
    case PROP_MIN_SIDEBAR_WIDTH:
      g_value_set_double (value, self->width);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
brio_slide_set_property (GObject      *object,
                         guint         prop_id,
                         const GValue *value,
                         GParamSpec   *pspec)
{
  BrioSlide *self = BRIO_SLIDE (object);

  switch (prop_id)
    {
    case PROP_SIDEBAR:
      replace (self, &self->sidebar, g_value_get_object (value), NULL);
      break;
    case PROP_CONTENT:
      replace (self, &self->content, g_value_get_object (value), self->shield);
      break;
    case PROP_COLLAPSED:
      set_collapsed (self, g_value_get_boolean (value));
      break;
    case PROP_SHOW_SIDEBAR:
      set_show_sidebar (self, g_value_get_boolean (value));
      break;
    case PROP_MIN_SIDEBAR_WIDTH:
      if (self->width < g_value_get_double (value) || self->width > g_value_get_double (value))
        gtk_widget_queue_resize (GTK_WIDGET (self));
      self->width = g_value_get_double (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
brio_slide_dispose (GObject *object)
{
  BrioSlide *self = BRIO_SLIDE (object);

  if (self->slide)
    adw_animation_pause (self->slide); /* it keeps itself while it plays */
  g_clear_object (&self->slide);
  g_clear_pointer (&self->content, gtk_widget_unparent);
  g_clear_pointer (&self->shield, gtk_widget_unparent);
  g_clear_pointer (&self->sidebar, gtk_widget_unparent);

  G_OBJECT_CLASS (brio_slide_parent_class)->dispose (object);
}

static void
brio_slide_class_init (BrioSlideClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  GParamFlags flags = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->get_property = brio_slide_get_property;
  object_class->set_property = brio_slide_set_property;
  object_class->dispose = brio_slide_dispose;
  widget_class->size_allocate = brio_slide_size_allocate;
  widget_class->measure = brio_slide_measure;

  props[PROP_SIDEBAR] = g_param_spec_object ("sidebar", NULL, NULL, GTK_TYPE_WIDGET, flags);
  props[PROP_CONTENT] = g_param_spec_object ("content", NULL, NULL, GTK_TYPE_WIDGET, flags);
  props[PROP_COLLAPSED] = g_param_spec_boolean ("collapsed", NULL, NULL, FALSE, flags);
  props[PROP_SHOW_SIDEBAR] = g_param_spec_boolean ("show-sidebar", NULL, NULL, TRUE, flags);
  props[PROP_MIN_SIDEBAR_WIDTH] = g_param_spec_double ("min-sidebar-width", NULL, NULL, 0, G_MAXDOUBLE, 0, flags);
  g_object_class_install_properties (object_class, N_PROPS, props);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
brio_slide_init (BrioSlide *self)
{
  GtkGesture *click = gtk_gesture_click_new ();
  GtkEventController *key = gtk_event_controller_key_new ();

  self->show_sidebar = TRUE;
  self->shield = adw_bin_new ();
  gtk_widget_add_css_class (self->shield, "shield");
  gtk_widget_set_parent (self->shield, GTK_WIDGET (self));
  gtk_widget_set_child_visible (self->shield, FALSE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  g_signal_connect_swapped (click, "pressed", G_CALLBACK (on_shield_pressed), self);
  gtk_widget_add_controller (self->shield, GTK_EVENT_CONTROLLER (click));
  g_signal_connect_swapped (key, "key-pressed", G_CALLBACK (on_key_pressed), self);
  gtk_widget_add_controller (GTK_WIDGET (self), key);
  self->slide = adw_timed_animation_new (GTK_WIDGET (self), 0, 1, SLIDE_MS,
                                         adw_callback_animation_target_new (set_progress, self, NULL));
}
