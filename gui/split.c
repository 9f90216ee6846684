/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "split.h"

#define SIDEBAR_PX 210 /* at least */
#define SLIDE_MS 200

struct _BrioSplit
{
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkWidget *shield; /* over the content while the sidebar is: takes the clicks beside it */
  GtkWidget *sidebar;
  gboolean narrow;    /* there is no room for both */
  gboolean pinned;    /* wanted beside the content where there is */
  gboolean collapsed, show_sidebar, enabled;
  double progress; /* of the sidebar that slides over the content: 0 to 1 */
  AdwAnimation *slide;
  guint notify_source;
};

enum
{
  PROP_0,
  PROP_SIDEBAR,
  PROP_CONTENT,
  PROP_COLLAPSED,
  PROP_SHOW_SIDEBAR,
  PROP_SIDEBAR_ENABLED,
  PROP_PINNED,
  N_PROPS
};

G_DEFINE_FINAL_TYPE (BrioSplit, brio_split, GTK_TYPE_WIDGET)

static GParamSpec *props[N_PROPS];

static gboolean
is_over (BrioSplit *self)
{
  return self->enabled && self->collapsed && (self->show_sidebar || self->progress > 0);
}

/* A child that is not seen must not get the focus, nor one behind the shield. */
static void
show_children (BrioSplit *self)
{
  gboolean over = is_over (self);

  if (self->sidebar)
    gtk_widget_set_child_visible (self->sidebar, self->enabled && (!self->collapsed || over));
  gtk_widget_set_child_visible (self->shield, over);
  if (self->content)
    gtk_widget_set_can_focus (self->content, !(over && self->show_sidebar));
}

static void
set_progress (double   value,
              gpointer userdata)
{
  BrioSplit *self = userdata;

  self->progress = value;
  gtk_widget_set_opacity (self->shield, value);
  show_children (self);
  gtk_widget_queue_allocate (GTK_WIDGET (self));
}

void
brio_split_set_show_sidebar (BrioSplit *self,
                             gboolean   show)
{
  g_return_if_fail (BRIO_IS_SPLIT (self));

  if (show && !self->narrow)
    brio_split_set_pinned (self, TRUE);
  show = show && self->narrow && self->enabled;
  if (self->show_sidebar == show)
    return;
  self->show_sidebar = show;
  adw_timed_animation_set_value_from (ADW_TIMED_ANIMATION (self->slide), self->progress);
  adw_timed_animation_set_value_to (ADW_TIMED_ANIMATION (self->slide), show);
  show_children (self); /* mapped, it can take the focus */
  adw_animation_play (self->slide);
  gtk_widget_child_focus (show ? self->sidebar : self->content, GTK_DIR_TAB_FORWARD);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_SHOW_SIDEBAR]);
}

gboolean
brio_split_get_show_sidebar (BrioSplit *self)
{
  g_return_val_if_fail (BRIO_IS_SPLIT (self), FALSE);

  return self->show_sidebar;
}

void
brio_split_set_pinned (BrioSplit *self,
                       gboolean   pinned)
{
  g_return_if_fail (BRIO_IS_SPLIT (self));

  if (self->pinned == pinned)
    return;
  self->pinned = pinned;
  gtk_widget_queue_allocate (GTK_WIDGET (self));
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_PINNED]);
}

void
brio_split_toggle (BrioSplit *self)
{
  g_return_if_fail (BRIO_IS_SPLIT (self));

  if (!self->enabled)
    return;
  if (self->narrow)
    brio_split_set_show_sidebar (self, !self->show_sidebar);
  else
    brio_split_set_pinned (self, !self->pinned);
}

gboolean
brio_split_get_collapsed (BrioSplit *self)
{
  g_return_val_if_fail (BRIO_IS_SPLIT (self), FALSE);

  return self->collapsed;
}

void
brio_split_set_sidebar_enabled (BrioSplit *self,
                                gboolean   enabled)
{
  g_return_if_fail (BRIO_IS_SPLIT (self));

  if (self->enabled == enabled)
    return;
  if (!enabled)
    brio_split_set_show_sidebar (self, FALSE);
  self->enabled = enabled;
  show_children (self);
  gtk_widget_queue_resize (GTK_WIDGET (self));
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_SIDEBAR_ENABLED]);
}

static gboolean
on_notify (gpointer userdata)
{
  BrioSplit *self = userdata;

  self->notify_source = 0;
  if (!self->narrow)
    brio_split_set_show_sidebar (self, FALSE);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_COLLAPSED]);
  return G_SOURCE_REMOVE;
}

/* As wide as its text, which may be large. */
static int
get_sidebar_width (BrioSplit *self)
{
  int natural = 0;

  if (self->sidebar)
    gtk_widget_measure (self->sidebar, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural, NULL, NULL);
  return MAX (SIDEBAR_PX, natural);
}

static void
brio_split_size_allocate (GtkWidget *widget,
                          int        width,
                          int        height,
                          int        baseline)
{
  BrioSplit *self = BRIO_SPLIT (widget);
  int sidebar = get_sidebar_width (self);
  gboolean rtl = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL, narrow = width - sidebar < BRIO_SPLIT_WIDE_PX - SIDEBAR_PX;
  gboolean collapsed = narrow || !self->pinned;
  int beside = self->enabled && !collapsed ? sidebar : 0;
  int shown = beside ? sidebar : (int) (sidebar * self->progress);

  if (collapsed != self->collapsed || narrow != self->narrow)
    {
      self->collapsed = collapsed;
      self->narrow = narrow;
      show_children (self);
      if (self->notify_source == 0) /* what is being laid out must not change */
        self->notify_source = g_idle_add (on_notify, self);
    }
  if (self->content)
    gtk_widget_size_allocate (self->content, &(GtkAllocation) { rtl ? 0 : beside, 0, width - beside, height }, baseline);
  if (gtk_widget_get_child_visible (self->shield))
    gtk_widget_size_allocate (self->shield, &(GtkAllocation) { 0, 0, width, height }, -1);
  if (self->sidebar && gtk_widget_get_child_visible (self->sidebar))
    gtk_widget_size_allocate (self->sidebar,
                              &(GtkAllocation) { rtl ? width - shown : shown - sidebar, 0, sidebar, height }, -1);
}

static void
brio_split_measure (GtkWidget     *widget,
                    GtkOrientation orientation,
                    int            for_size,
                    int           *minimum,
                    int           *natural,
                    int           *minimum_baseline,
                    int           *natural_baseline)
{
  BrioSplit *self = BRIO_SPLIT (widget);
  int minimums[2] = { 0 }, naturals[2] = { 0 };
  gboolean horizontal = orientation == GTK_ORIENTATION_HORIZONTAL;

  (void) for_size; /* what is beside what depends on the width that comes: each has to fit alone */
  if (self->content)
    gtk_widget_measure (self->content, orientation, -1, &minimums[0], &naturals[0], NULL, NULL);
  if (self->sidebar && self->enabled)
    gtk_widget_measure (self->sidebar, orientation, -1, &minimums[1], &naturals[1], NULL, NULL);
  *minimum = horizontal ? minimums[0] : MAX (minimums[0], minimums[1]);
  *natural = MAX (*minimum, horizontal ? naturals[0] + get_sidebar_width (self) : MAX (naturals[0], naturals[1]));
  *minimum_baseline = *natural_baseline = -1;
}

static void
on_shield_pressed (BrioSplit *self)
{
  brio_split_set_show_sidebar (self, FALSE);
}

static gboolean
on_key_pressed (BrioSplit *self,
                guint      keyval)
{
  if (keyval != GDK_KEY_Escape || !self->show_sidebar)
    return GDK_EVENT_PROPAGATE;
  brio_split_set_show_sidebar (self, FALSE);
  return GDK_EVENT_STOP;
}

static void
replace (BrioSplit  *self,
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
brio_split_get_property (GObject    *object,
                         guint       prop_id,
                         GValue     *value,
                         GParamSpec *pspec)
{
  BrioSplit *self = BRIO_SPLIT (object);

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
    case PROP_SIDEBAR_ENABLED:
      g_value_set_boolean (value, self->enabled);
      break;
    case PROP_PINNED:
      g_value_set_boolean (value, self->pinned);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
brio_split_set_property (GObject      *object,
                         guint         prop_id,
                         const GValue *value,
                         GParamSpec   *pspec)
{
  BrioSplit *self = BRIO_SPLIT (object);

  switch (prop_id)
    {
    case PROP_SIDEBAR:
      replace (self, &self->sidebar, g_value_get_object (value), NULL);
      break;
    case PROP_CONTENT:
      replace (self, &self->content, g_value_get_object (value), self->shield);
      break;
    case PROP_SHOW_SIDEBAR:
      brio_split_set_show_sidebar (self, g_value_get_boolean (value));
      break;
    case PROP_SIDEBAR_ENABLED:
      brio_split_set_sidebar_enabled (self, g_value_get_boolean (value));
      break;
    case PROP_PINNED:
      brio_split_set_pinned (self, g_value_get_boolean (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
brio_split_dispose (GObject *object)
{
  BrioSplit *self = BRIO_SPLIT (object);

  g_clear_handle_id (&self->notify_source, g_source_remove);
  if (self->slide)
    adw_animation_pause (self->slide); /* it keeps itself while it plays */
  g_clear_object (&self->slide);
  g_clear_pointer (&self->content, gtk_widget_unparent);
  g_clear_pointer (&self->shield, gtk_widget_unparent);
  g_clear_pointer (&self->sidebar, gtk_widget_unparent);

  G_OBJECT_CLASS (brio_split_parent_class)->dispose (object);
}

static void
brio_split_class_init (BrioSplitClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  GParamFlags flags = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->get_property = brio_split_get_property;
  object_class->set_property = brio_split_set_property;
  object_class->dispose = brio_split_dispose;
  widget_class->size_allocate = brio_split_size_allocate;
  widget_class->measure = brio_split_measure;

  props[PROP_SIDEBAR] = g_param_spec_object ("sidebar", NULL, NULL, GTK_TYPE_WIDGET, flags);
  props[PROP_CONTENT] = g_param_spec_object ("content", NULL, NULL, GTK_TYPE_WIDGET, flags);
  props[PROP_COLLAPSED] =
    g_param_spec_boolean ("collapsed", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  props[PROP_SHOW_SIDEBAR] = g_param_spec_boolean ("show-sidebar", NULL, NULL, FALSE, flags);
  props[PROP_SIDEBAR_ENABLED] = g_param_spec_boolean ("sidebar-enabled", NULL, NULL, TRUE, flags);
  props[PROP_PINNED] = g_param_spec_boolean ("pinned", NULL, NULL, TRUE, flags);
  g_object_class_install_properties (object_class, N_PROPS, props);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
brio_split_init (BrioSplit *self)
{
  GtkGesture *click = gtk_gesture_click_new ();
  GtkEventController *key = gtk_event_controller_key_new ();

  self->enabled = self->pinned = TRUE;
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
