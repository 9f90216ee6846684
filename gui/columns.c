/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "columns.h"

enum
{
  PROP_0,
  PROP_MIN_COLUMN_WIDTH,
  PROP_MAX_COLUMN_WIDTH,
  PROP_MAX_COLUMNS,
  PROP_SPACING,
  N_PROPS
};

struct _BrioColumns
{
  GtkWidget parent_instance;

  int values[N_PROPS]; /* by property id */
};

G_DEFINE_FINAL_TYPE (BrioColumns, brio_columns, GTK_TYPE_WIDGET)

static GParamSpec *props[N_PROPS];

static int
count_children (BrioColumns *self)
{
  int n = 0;

  for (GtkWidget *c = gtk_widget_get_first_child (GTK_WIDGET (self)); c; c = gtk_widget_get_next_sibling (c))
    n += gtk_widget_should_layout (c);
  return n;
}

static int
get_max_columns (BrioColumns *self)
{
  return MAX (1, MIN (self->values[PROP_MAX_COLUMNS], count_children (self)));
}

/* Of the child that needs most. */
static int
get_min_width (BrioColumns *self)
{
  int widest = 0;

  for (GtkWidget *c = gtk_widget_get_first_child (GTK_WIDGET (self)); c; c = gtk_widget_get_next_sibling (c))
    {
      int minimum = 0;

      if (gtk_widget_should_layout (c))
        gtk_widget_measure (c, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
      widest = MAX (widest, minimum);
    }
  return widest;
}

/* How many columns fit, and in ret_width how wide each is. */
static int
fit_columns (BrioColumns *self,
             int          width,
             int         *ret_width)
{
  int spacing = self->values[PROP_SPACING], needed = get_min_width (self);
  int n = (width + spacing) / (MAX (self->values[PROP_MIN_COLUMN_WIDTH], needed) + spacing);

  n = CLAMP (n, 1, get_max_columns (self));
  *ret_width = CLAMP ((width - spacing * (n - 1)) / n, 0, self->values[PROP_MAX_COLUMN_WIDTH]);
  return n;
}

/* The height of the row that begins with child, and in ret_next what begins the next one. */
static int
measure_row (GtkWidget  *child,
             int         n_columns,
             int         column_width,
             GtkWidget **ret_next)
{
  int height = 0, natural;

  for (int i = 0; child && i < n_columns; child = gtk_widget_get_next_sibling (child))
    {
      if (!gtk_widget_should_layout (child))
        continue;
      gtk_widget_measure (child, GTK_ORIENTATION_VERTICAL, column_width, NULL, &natural, NULL, NULL);
      height = MAX (height, natural);
      i++;
    }
  *ret_next = child;
  return height;
}

/* width below 0: the height below which it does not get, however wide it is. */
static int
measure_height (BrioColumns *self,
                int          width)
{
  GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self));
  int column_width = -1, total = 0;
  int n = width < 0 ? get_max_columns (self) : fit_columns (self, width, &column_width);

  while (child)
    {
      int height = measure_row (child, n, column_width, &child);

      total += height + (total > 0 ? self->values[PROP_SPACING] : 0);
    }
  return total;
}

int
brio_columns_get_widest (BrioColumns *self,
                         guint        n_children)
{
  int n, max;

  g_return_val_if_fail (BRIO_IS_COLUMNS (self), 0);

  n = CLAMP ((int) n_children, 1, MAX (1, self->values[PROP_MAX_COLUMNS]));
  max = self->values[PROP_MAX_COLUMN_WIDTH];
  return n * (max < G_MAXINT16 ? max : self->values[PROP_MIN_COLUMN_WIDTH]) + (n - 1) * self->values[PROP_SPACING];
}

static void
measure_width (BrioColumns *self,
               int         *minimum,
               int         *natural)
{
  *minimum = get_min_width (self);
  *natural = MAX (*minimum, brio_columns_get_widest (self, (guint) count_children (self)));
}

static void
brio_columns_measure (GtkWidget     *widget,
                      GtkOrientation orientation,
                      int            for_size,
                      int           *minimum,
                      int           *natural,
                      int           *minimum_baseline,
                      int           *natural_baseline)
{
  BrioColumns *self = BRIO_COLUMNS (widget);

  *minimum_baseline = *natural_baseline = -1;
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    measure_width (self, minimum, natural);
  else
    *minimum = *natural = measure_height (self, for_size);
}

static void
allocate_row (GtkWidget *child,
              GtkWidget *next,
              int        n_columns,
              int        column_width,
              int        spacing,
              int        x0,
              int        y,
              int        height)
{
  gboolean rtl = gtk_widget_get_direction (child) == GTK_TEXT_DIR_RTL;
  int column = 0;

  for (; child != next; child = gtk_widget_get_next_sibling (child))
    {
      int x = x0 + (rtl ? n_columns - 1 - column : column) * (column_width + spacing);

      if (!gtk_widget_should_layout (child))
        continue;
      gtk_widget_size_allocate (child, &(GtkAllocation) { x, y, column_width, height }, -1);
      column++;
    }
}

static void
brio_columns_size_allocate (GtkWidget *widget,
                            int        width,
                            int        height,
                            int        baseline)
{
  BrioColumns *self = BRIO_COLUMNS (widget);
  GtkWidget *child = gtk_widget_get_first_child (widget);
  int spacing = self->values[PROP_SPACING];
  int column_width, y = 0;
  int n = fit_columns (self, width, &column_width);
  int x0 = (width - n * (column_width + spacing) + spacing) / 2;

  (void) height;
  (void) baseline;
  while (child)
    {
      GtkWidget *next;
      int row_height = measure_row (child, n, column_width, &next);

      allocate_row (child, next, n, column_width, spacing, x0, y, row_height);
      y += row_height + spacing;
      child = next;
    }
}

static GtkSizeRequestMode
brio_columns_get_request_mode (GtkWidget *widget)
{
  (void) widget;
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
brio_columns_get_property (GObject    *object,
                           guint       prop_id,
                           GValue     *value,
                           GParamSpec *pspec)
{
  if (prop_id == PROP_0 || prop_id >= N_PROPS)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
  else
    g_value_set_int (value, BRIO_COLUMNS (object)->values[prop_id]);
}

static void
brio_columns_set_property (GObject      *object,
                           guint         prop_id,
                           const GValue *value,
                           GParamSpec   *pspec)
{
  BrioColumns *self = BRIO_COLUMNS (object);

  if (prop_id == PROP_0 || prop_id >= N_PROPS)
    {
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
      return;
    }
  if (self->values[prop_id] == g_value_get_int (value))
    return;
  self->values[prop_id] = g_value_get_int (value);
  gtk_widget_queue_resize (GTK_WIDGET (self));
  g_object_notify_by_pspec (object, pspec);
}

static void
brio_columns_dispose (GObject *object)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))))
    gtk_widget_unparent (child);

  G_OBJECT_CLASS (brio_columns_parent_class)->dispose (object);
}

static void
brio_columns_class_init (BrioColumnsClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  GParamFlags flags = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->get_property = brio_columns_get_property;
  object_class->set_property = brio_columns_set_property;
  object_class->dispose = brio_columns_dispose;
  widget_class->measure = brio_columns_measure;
  widget_class->size_allocate = brio_columns_size_allocate;
  widget_class->get_request_mode = brio_columns_get_request_mode;

  props[PROP_MIN_COLUMN_WIDTH] = g_param_spec_int ("min-column-width", NULL, NULL, 1, G_MAXINT16, 240, flags);
  props[PROP_MAX_COLUMN_WIDTH] = g_param_spec_int ("max-column-width", NULL, NULL, 1, G_MAXINT16, G_MAXINT16, flags);
  props[PROP_MAX_COLUMNS] = g_param_spec_int ("max-columns", NULL, NULL, 1, G_MAXINT16, 3, flags);
  props[PROP_SPACING] = g_param_spec_int ("spacing", NULL, NULL, 0, G_MAXINT16, 0, flags);
  g_object_class_install_properties (object_class, N_PROPS, props);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
brio_columns_init (BrioColumns *self)
{
  self->values[PROP_MIN_COLUMN_WIDTH] = 240;
  self->values[PROP_MAX_COLUMN_WIDTH] = G_MAXINT16;
  self->values[PROP_MAX_COLUMNS] = 3;
}

GtkWidget *
brio_columns_new (void)
{
  return g_object_new (BRIO_TYPE_COLUMNS, NULL);
}

GtkWidget *
brio_columns_get_child (BrioColumns *self,
                        guint        position)
{
  GtkWidget *child;

  g_return_val_if_fail (BRIO_IS_COLUMNS (self), NULL);

  child = gtk_widget_get_first_child (GTK_WIDGET (self));
  while (child && position-- > 0)
    child = gtk_widget_get_next_sibling (child);
  return child;
}

void
brio_columns_insert (BrioColumns *self,
                     GtkWidget   *child,
                     guint        position)
{
  g_return_if_fail (BRIO_IS_COLUMNS (self));

  gtk_widget_insert_before (child, GTK_WIDGET (self), brio_columns_get_child (self, position));
}
