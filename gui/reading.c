/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reading.h"
#include "accessible.h"

#define WRAPPED_MIN_WIDTH 60

struct _BrioReading
{
  GtkWidget parent_instance;

  gboolean wrap;
  char *text;
  PangoLayout *layout;
  PangoFontDescription *font; /* that widest is for; NULL: none yet */
  int widest; /* that a line has been since the font is what it is */
};

enum
{
  PROP_0,
  PROP_WRAP,
  N_PROPS
};

G_DEFINE_FINAL_TYPE (BrioReading, brio_reading, GTK_TYPE_WIDGET)

static GParamSpec *props[N_PROPS];

static PangoLayout *
ensure_layout (BrioReading *self)
{
  g_autoptr (PangoAttrList) attributes = NULL;

  if (self->layout)
    return self->layout;
  self->layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), self->text);
  attributes = pango_attr_list_new ();
  pango_attr_list_insert (attributes, pango_attr_font_features_new ("tnum=1"));
  pango_layout_set_attributes (self->layout, attributes);
  pango_layout_set_wrap (self->layout, PANGO_WRAP_WORD_CHAR);
  return self->layout;
}

/* width: below 0: in lines as long as they are. */
static void
measure_text (BrioReading *self,
              int          width,
              int         *ret_width,
              int         *ret_height)
{
  PangoLayout *layout = ensure_layout (self);

  pango_layout_set_width (layout, self->wrap && width >= 0 ? width * PANGO_SCALE : -1);
  pango_layout_get_pixel_size (layout, ret_width, ret_height);
}

static void
brio_reading_measure (GtkWidget     *widget,
                      GtkOrientation orientation,
                      int            for_size,
                      int           *minimum,
                      int           *natural,
                      int           *minimum_baseline,
                      int           *natural_baseline)
{
  BrioReading *self = BRIO_READING (widget);
  int width, height;

  *minimum_baseline = *natural_baseline = -1;
  if (orientation == GTK_ORIENTATION_VERTICAL)
    {
      measure_text (self, for_size, &width, &height);
      *minimum = *natural = height;
      return;
    }
  measure_text (self, -1, &width, &height);
  self->widest = MAX (self->widest, width);
  *natural = self->widest;
  *minimum = self->wrap ? MIN (self->widest, WRAPPED_MIN_WIDTH) : self->widest;
}

static GtkSizeRequestMode
brio_reading_get_request_mode (GtkWidget *widget)
{
  return BRIO_READING (widget)->wrap ? GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH : GTK_SIZE_REQUEST_CONSTANT_SIZE;
}

static void
brio_reading_snapshot (GtkWidget   *widget,
                       GtkSnapshot *snapshot)
{
  BrioReading *self = BRIO_READING (widget);
  int room = gtk_widget_get_width (widget), width, height;
  gboolean rtl = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  GdkRGBA color;

  measure_text (self, room, &width, &height);
  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &color);
  gtk_snapshot_save (snapshot);
  /* One that is broken is as wide as its room, and begins where the text does by itself. */
  if (rtl && !self->wrap)
    gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((float) (room - width), 0));
  gtk_snapshot_append_layout (snapshot, self->layout, &color);
  gtk_snapshot_restore (snapshot);
}

/* A style changes with its colours, too, as where a window becomes active: then the room stays. */
static void
follow_font (BrioReading *self)
{
  const PangoFontDescription *font = pango_context_get_font_description (gtk_widget_get_pango_context (GTK_WIDGET (self)));

  if (self->font && pango_font_description_equal (self->font, font))
    return;
  g_clear_pointer (&self->font, pango_font_description_free);
  self->font = pango_font_description_copy (font);
  self->widest = 0;
}

static void
brio_reading_css_changed (GtkWidget         *widget,
                          GtkCssStyleChange *change)
{
  BrioReading *self = BRIO_READING (widget);

  GTK_WIDGET_CLASS (brio_reading_parent_class)->css_changed (widget, change);
  g_clear_object (&self->layout);
  follow_font (self);
  gtk_widget_queue_resize (widget);
}

static void
brio_reading_direction_changed (GtkWidget       *widget,
                                GtkTextDirection previous)
{
  GTK_WIDGET_CLASS (brio_reading_parent_class)->direction_changed (widget, previous);
  g_clear_object (&BRIO_READING (widget)->layout);
  gtk_widget_queue_resize (widget);
}

static void
brio_reading_set_property (GObject      *object,
                           guint         prop_id,
                           const GValue *value,
                           GParamSpec   *pspec)
{
  if (prop_id != PROP_WRAP)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
  else
    BRIO_READING (object)->wrap = g_value_get_boolean (value);
}

static void
brio_reading_dispose (GObject *object)
{
  g_clear_object (&BRIO_READING (object)->layout);

  G_OBJECT_CLASS (brio_reading_parent_class)->dispose (object);
}

static void
brio_reading_finalize (GObject *object)
{
  BrioReading *self = BRIO_READING (object);

  g_free (self->text);
  g_clear_pointer (&self->font, pango_font_description_free);

  G_OBJECT_CLASS (brio_reading_parent_class)->finalize (object);
}

static void
brio_reading_class_init (BrioReadingClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->set_property = brio_reading_set_property;
  object_class->dispose = brio_reading_dispose;
  object_class->finalize = brio_reading_finalize;
  widget_class->measure = brio_reading_measure;
  widget_class->get_request_mode = brio_reading_get_request_mode;
  widget_class->snapshot = brio_reading_snapshot;
  widget_class->css_changed = brio_reading_css_changed;
  widget_class->direction_changed = brio_reading_direction_changed;

  props[PROP_WRAP] =
    g_param_spec_boolean ("wrap", NULL, NULL, FALSE, G_PARAM_WRITABLE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, props);

  /* The theme's styles for labels are its styles. */
  gtk_widget_class_set_css_name (widget_class, "label");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_LABEL);
}

static void
brio_reading_init (BrioReading *self)
{
  self->text = g_strdup ("");
}

/* Whether the text fits where it is. */
static gboolean
fits (BrioReading *self)
{
  int room = gtk_widget_get_width (GTK_WIDGET (self)), width, height;

  if (room <= 0)
    return FALSE;
  measure_text (self, room, &width, &height);
  return self->wrap ? height == gtk_widget_get_height (GTK_WIDGET (self)) : width <= self->widest;
}

void
brio_reading_set_text (BrioReading *self,
                       const char  *text)
{
  g_return_if_fail (BRIO_IS_READING (self));

  if (g_str_equal (self->text, text))
    return;
  g_free (self->text);
  self->text = g_strdup (text);
  if (self->layout)
    pango_layout_set_text (self->layout, text, -1);
  accessible_name (GTK_WIDGET (self), text);
  if (fits (self))
    gtk_widget_queue_draw (GTK_WIDGET (self));
  else
    gtk_widget_queue_resize (GTK_WIDGET (self));
}

const char *
brio_reading_get_text (BrioReading *self)
{
  g_return_val_if_fail (BRIO_IS_READING (self), NULL);

  return self->text;
}
