/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page-holder.h"

struct _BrioPageHolder
{
  AdwBin parent_instance;

  GType page_type;
  BrioClient *client;
  GSettings *settings;
};

enum
{
  PROP_0,
  PROP_PAGE_TYPE,
  N_PROPS
};

static void brio_page_holder_page_init (BrioPageInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (BrioPageHolder, brio_page_holder, ADW_TYPE_BIN,
                               G_IMPLEMENT_INTERFACE (BRIO_TYPE_PAGE, brio_page_holder_page_init))

static GParamSpec *props[N_PROPS];

/* NULL: not there yet. */
static BrioPage *
get_page (BrioPage *holder)
{
  return (BrioPage *) adw_bin_get_child (ADW_BIN (holder));
}

static BrioPage *
ensure_page (BrioPageHolder *self)
{
  BrioPage *page = get_page (BRIO_PAGE (self));

  if (page)
    return page;
  page = g_object_new (self->page_type, NULL);
  adw_bin_set_child (ADW_BIN (self), GTK_WIDGET (page));
  g_signal_connect_object (page, "detail-changed", G_CALLBACK (brio_page_emit_detail_changed), self, G_CONNECT_SWAPPED);
  if (self->client)
    brio_page_set_client (page, self->client);
  if (self->settings)
    brio_page_set_settings (page, self->settings);
  brio_page_emit_detail_changed (BRIO_PAGE (self));
  return page;
}

static void
brio_page_holder_set_client (BrioPage   *page,
                             BrioClient *client)
{
  BrioPageHolder *self = BRIO_PAGE_HOLDER (page);

  g_return_if_fail (!self->client);

  self->client = g_object_ref (client);
  if (get_page (page))
    brio_page_set_client (get_page (page), client);
}

static void
brio_page_holder_set_settings (BrioPage  *page,
                               GSettings *settings)
{
  BrioPageHolder *self = BRIO_PAGE_HOLDER (page);

  g_return_if_fail (!self->settings);

  self->settings = g_object_ref (settings);
  if (get_page (page))
    brio_page_set_settings (get_page (page), settings);
}

static GtkSearchBar *
brio_page_holder_get_search_bar (BrioPage *page)
{
  return get_page (page) ? brio_page_get_search_bar (get_page (page)) : NULL;
}

static void
brio_page_holder_search (BrioPage   *page,
                         const char *text)
{
  brio_page_search (ensure_page (BRIO_PAGE_HOLDER (page)), text);
}

static void
brio_page_holder_show_detail (BrioPage   *page,
                              const char *name)
{
  if (name || get_page (page))
    brio_page_show_detail (ensure_page (BRIO_PAGE_HOLDER (page)), name);
}

static void
brio_page_holder_show_detail_at (BrioPage   *page,
                                 const char *name,
                                 gint64      time_us)
{
  brio_page_show_detail_at (ensure_page (BRIO_PAGE_HOLDER (page)), name, time_us);
}

static const char *
brio_page_holder_get_detail_title (BrioPage *page)
{
  return get_page (page) ? brio_page_get_detail_title (get_page (page)) : NULL;
}

static void
brio_page_holder_page_init (BrioPageInterface *iface)
{
  iface->set_client = brio_page_holder_set_client;
  iface->get_search_bar = brio_page_holder_get_search_bar;
  iface->search = brio_page_holder_search;
  iface->show_detail = brio_page_holder_show_detail;
  iface->get_detail_title = brio_page_holder_get_detail_title;
  iface->set_settings = brio_page_holder_set_settings;
  iface->show_detail_at = brio_page_holder_show_detail_at;
}

static void
brio_page_holder_map (GtkWidget *widget)
{
  ensure_page (BRIO_PAGE_HOLDER (widget));
  GTK_WIDGET_CLASS (brio_page_holder_parent_class)->map (widget);
}

static void
brio_page_holder_set_property (GObject      *object,
                               guint         prop_id,
                               const GValue *value,
                               GParamSpec   *pspec)
{
  if (prop_id != PROP_PAGE_TYPE)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
  else
    BRIO_PAGE_HOLDER (object)->page_type = g_value_get_gtype (value);
}

static void
brio_page_holder_dispose (GObject *object)
{
  g_clear_object (&BRIO_PAGE_HOLDER (object)->client);
  g_clear_object (&BRIO_PAGE_HOLDER (object)->settings);

  G_OBJECT_CLASS (brio_page_holder_parent_class)->dispose (object);
}

static void
brio_page_holder_class_init (BrioPageHolderClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->set_property = brio_page_holder_set_property;
  object_class->dispose = brio_page_holder_dispose;
  GTK_WIDGET_CLASS (klass)->map = brio_page_holder_map;

  props[PROP_PAGE_TYPE] = g_param_spec_gtype ("page-type", NULL, NULL, BRIO_TYPE_PAGE,
                                              G_PARAM_WRITABLE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, props);
}

static void
brio_page_holder_init (BrioPageHolder *self)
{
  (void) self;
}
