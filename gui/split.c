/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "split.h"

#include "slide.h"

#define SIDEBAR_PX 210 /* at least */
/* Of libadwaita 1: from here on its own widget lays out what is where. */
#define PLATFORM_MINOR 5

struct _BrioSplit
{
  GtkWidget parent_instance;

  GtkWidget *view; /* AdwOverlaySplitView, or BrioSlide in its place */
  gboolean narrow; /* there is no room for both */
  gboolean pinned; /* wanted beside the content where there is */
  gboolean enabled;
  gboolean told_collapsed, told_shown;
  gboolean allocating;
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

gboolean
brio_split_get_collapsed (BrioSplit *self)
{
  g_return_val_if_fail (BRIO_IS_SPLIT (self), FALSE);

  return self->narrow || !self->pinned;
}

gboolean
brio_split_get_show_sidebar (BrioSplit *self)
{
  gboolean shown;

  g_return_val_if_fail (BRIO_IS_SPLIT (self), FALSE);

  g_object_get (self->view, "show-sidebar", &shown, NULL);
  return self->narrow && self->enabled && shown;
}

static gboolean
tell (gpointer userdata)
{
  BrioSplit *self = userdata;
  gboolean collapsed = brio_split_get_collapsed (self), shown = brio_split_get_show_sidebar (self), was_shown = self->told_shown;

  self->notify_source = 0;
  self->told_shown = shown;
  if (collapsed != self->told_collapsed)
    {
      self->told_collapsed = collapsed;
      g_object_notify_by_pspec (G_OBJECT (self), props[PROP_COLLAPSED]);
    }
  if (shown != was_shown)
    g_object_notify_by_pspec (G_OBJECT (self), props[PROP_SHOW_SIDEBAR]);
  return G_SOURCE_REMOVE;
}

static void
on_shown (BrioSplit *self)
{
  if (self->notify_source == 0 && self->allocating) /* what is being laid out must not change */
    self->notify_source = g_idle_add (tell, self);
  else if (self->notify_source == 0)
    tell (self);
}

static void
arrange (BrioSplit *self)
{
  g_object_set (self->view, "collapsed", brio_split_get_collapsed (self) || !self->enabled, NULL); /* which shows the sidebar, or hides it */
  if (!BRIO_IS_SLIDE (self->view))
    g_object_set (self->view, "enable-show-gesture", self->narrow && self->enabled, NULL);
  on_shown (self);
}

void
brio_split_set_show_sidebar (BrioSplit *self,
                             gboolean   show)
{
  g_return_if_fail (BRIO_IS_SPLIT (self));

  if (self->narrow)
    g_object_set (self->view, "show-sidebar", show && self->enabled, NULL);
  else if (show)
    brio_split_set_pinned (self, TRUE);
}

void
brio_split_set_pinned (BrioSplit *self,
                       gboolean   pinned)
{
  g_return_if_fail (BRIO_IS_SPLIT (self));

  if (self->pinned == pinned)
    return;
  self->pinned = pinned;
  arrange (self);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_PINNED]);
}

void
brio_split_toggle (BrioSplit *self)
{
  g_return_if_fail (BRIO_IS_SPLIT (self));

  if (!self->enabled)
    return;
  if (self->narrow)
    brio_split_set_show_sidebar (self, !brio_split_get_show_sidebar (self));
  else
    brio_split_set_pinned (self, !self->pinned);
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
  arrange (self);
  gtk_widget_queue_resize (GTK_WIDGET (self));
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_SIDEBAR_ENABLED]);
}

/* What the view has as its sidebar or content; it stays the view's. */
static GtkWidget *
get_child (BrioSplit  *self,
           const char *name)
{
  g_autoptr (GtkWidget) child = NULL;

  g_object_get (self->view, name, &child, NULL);
  return child;
}

/* As wide as its text, which may be large. */
static int
get_sidebar_width (BrioSplit *self)
{
  GtkWidget *sidebar = get_child (self, "sidebar");
  int natural = 0;

  if (sidebar)
    gtk_widget_measure (sidebar, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural, NULL, NULL);
  return MAX (SIDEBAR_PX, natural);
}

static void
brio_split_size_allocate (GtkWidget *widget,
                          int        width,
                          int        height,
                          int        baseline)
{
  BrioSplit *self = BRIO_SPLIT (widget);
  int sidebar = get_sidebar_width (self), unused;
  gboolean narrow = width - sidebar < BRIO_SPLIT_WIDE_PX - SIDEBAR_PX;

  self->allocating = TRUE;
  g_object_set (self->view, "min-sidebar-width", (double) sidebar, NULL);
  if (!BRIO_IS_SLIDE (self->view))
    g_object_set (self->view, "max-sidebar-width", (double) sidebar, NULL);
  if (narrow != self->narrow)
    {
      self->narrow = narrow;
      arrange (self);
    }
  gtk_widget_measure (self->view, GTK_ORIENTATION_HORIZONTAL, -1, &unused, NULL, NULL, NULL); /* it may just have changed */
  gtk_widget_allocate (self->view, width, height, baseline, NULL);
  self->allocating = FALSE;
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
  GtkWidget *content = get_child (self, "content"), *sidebar = get_child (self, "sidebar");
  int minimums[2] = { 0 }, naturals[2] = { 0 };
  gboolean horizontal = orientation == GTK_ORIENTATION_HORIZONTAL;

  (void) for_size; /* what is beside what depends on the width that comes: each has to fit alone */
  if (content)
    gtk_widget_measure (content, orientation, -1, &minimums[0], &naturals[0], NULL, NULL);
  if (sidebar && self->enabled)
    gtk_widget_measure (sidebar, orientation, -1, &minimums[1], &naturals[1], NULL, NULL);
  *minimum = horizontal ? minimums[0] : MAX (minimums[0], minimums[1]);
  *natural = MAX (*minimum, horizontal ? naturals[0] + get_sidebar_width (self) : MAX (naturals[0], naturals[1]));
  *minimum_baseline = *natural_baseline = -1;
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
    case PROP_CONTENT:
      g_object_get_property (G_OBJECT (self->view), pspec->name, value);
      break;
    case PROP_COLLAPSED:
      g_value_set_boolean (value, brio_split_get_collapsed (self));
      break;
    case PROP_SHOW_SIDEBAR:
      g_value_set_boolean (value, brio_split_get_show_sidebar (self));
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
    case PROP_CONTENT:
      g_object_set_property (G_OBJECT (self->view), pspec->name, value);
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
  g_clear_pointer (&self->view, gtk_widget_unparent);

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
  GType platform = adw_get_minor_version () >= PLATFORM_MINOR ? g_type_from_name ("AdwOverlaySplitView") : G_TYPE_INVALID;

  self->enabled = self->pinned = TRUE;
  self->view = g_object_new (platform != G_TYPE_INVALID ? platform : BRIO_TYPE_SLIDE, NULL);
  if (!BRIO_IS_SLIDE (self->view))
    g_object_set (self->view, "sidebar-width-unit", 0, NULL); /* pixels */
  gtk_widget_set_parent (self->view, GTK_WIDGET (self));
  g_signal_connect_object (self->view, "notify::show-sidebar", G_CALLBACK (on_shown), self, G_CONNECT_SWAPPED);
}
