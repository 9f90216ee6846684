/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page-connecting.h"

/* A wait that is noticed. */
#define SPINNER_DELAY_MS 500

struct _BrioPageConnecting
{
  AdwBin parent_instance;

  GtkSpinner *spinner;
  guint spinner_source;
};

G_DEFINE_FINAL_TYPE (BrioPageConnecting, brio_page_connecting, ADW_TYPE_BIN)

static gboolean
on_spinner_due (gpointer userdata)
{
  BrioPageConnecting *self = userdata;

  self->spinner_source = 0;
  gtk_spinner_set_spinning (self->spinner, TRUE);
  return G_SOURCE_REMOVE;
}

/* A wait of a moment needs no spinner, and the spinner's picture needs a library of 6 MiB. */
static void
brio_page_connecting_map (GtkWidget *widget)
{
  BrioPageConnecting *self = BRIO_PAGE_CONNECTING (widget);

  GTK_WIDGET_CLASS (brio_page_connecting_parent_class)->map (widget);

  self->spinner_source = g_timeout_add (SPINNER_DELAY_MS, on_spinner_due, self);
}

/* A spinner out of sight still asks for 60 frames a second. */
static void
brio_page_connecting_unmap (GtkWidget *widget)
{
  BrioPageConnecting *self = BRIO_PAGE_CONNECTING (widget);

  g_clear_handle_id (&self->spinner_source, g_source_remove);
  gtk_spinner_set_spinning (self->spinner, FALSE);

  GTK_WIDGET_CLASS (brio_page_connecting_parent_class)->unmap (widget);
}

static void
brio_page_connecting_class_init (BrioPageConnectingClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->map = brio_page_connecting_map;
  widget_class->unmap = brio_page_connecting_unmap;

  gtk_widget_class_set_template_from_resource (widget_class, "/org/brio/Brio/page-connecting.ui");
  gtk_widget_class_bind_template_child (widget_class, BrioPageConnecting, spinner);
}

static void
brio_page_connecting_init (BrioPageConnecting *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
