/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "startup-row.h"

#include <glib/gi18n.h>

#include "accessible.h"
#include "app-info.h"
#include "latency-bar.h"
#include "startup-words.h"
#include "words.h"

struct _BrioStartupRow
{
  AdwBin parent_instance;

  gboolean named;
  GtkImage *icon;
  GtkLabel *title;
  GtkLabel *latency;
  BrioLatencyBar *bar;
  GtkLabel *summary;
  GtkLabel *when;
  GtkLabel *worth;
  BrioStartup *startup;
};

G_DEFINE_FINAL_TYPE (BrioStartupRow, brio_startup_row, ADW_TYPE_BIN)

static void
brio_startup_row_dispose (GObject *object)
{
  g_clear_object (&BRIO_STARTUP_ROW (object)->startup);

  G_OBJECT_CLASS (brio_startup_row_parent_class)->dispose (object);
}

static void
brio_startup_row_class_init (BrioStartupRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = brio_startup_row_dispose;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  g_type_ensure (BRIO_TYPE_LATENCY_BAR);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/brio/Brio/startup-row.ui");
  gtk_widget_class_bind_template_child (widget_class, BrioStartupRow, icon);
  gtk_widget_class_bind_template_child (widget_class, BrioStartupRow, title);
  gtk_widget_class_bind_template_child (widget_class, BrioStartupRow, latency);
  gtk_widget_class_bind_template_child (widget_class, BrioStartupRow, bar);
  gtk_widget_class_bind_template_child (widget_class, BrioStartupRow, summary);
  gtk_widget_class_bind_template_child (widget_class, BrioStartupRow, when);
  gtk_widget_class_bind_template_child (widget_class, BrioStartupRow, worth);
}

static void
brio_startup_row_init (BrioStartupRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
brio_startup_row_new (gboolean named)
{
  BrioStartupRow *self = g_object_new (BRIO_TYPE_STARTUP_ROW, NULL);

  self->named = named;
  gtk_widget_set_visible (GTK_WIDGET (self->icon), named);
  gtk_widget_set_visible (GTK_WIDGET (self->when), named);
  return GTK_WIDGET (self);
}

/* Among its application's starts, all would say the same. */
static void
show_worth (BrioStartupRow *self)
{
  BrioStartupWorth worth = brio_startup_get_worth (self->startup);
  g_autofree char *text = self->named ? startup_words_worth (&worth) : g_strdup (""), *said = g_strdup (gtk_label_get_label (self->summary)), *label = NULL;

  gtk_label_set_label (self->worth, text);
  gtk_widget_set_visible (GTK_WIDGET (self->worth), *text != '\0');
  words_add (&said, text);
  /* Translators: a start for screen readers: whose or when, how long it took, and what else there is to say */
  label = g_strdup_printf (_("%s, %s, %s"), gtk_label_get_label (self->title), gtk_label_get_label (self->latency), said);
  accessible_name_row (GTK_WIDGET (self), label);
}

static void
follow (BrioStartupRow *self,
        BrioStartup    *startup)
{
  if (self->startup)
    g_signal_handlers_disconnect_by_func (self->startup, show_worth, self);
  g_set_object (&self->startup, startup);
  g_signal_connect_object (startup, "changed", G_CALLBACK (show_worth), self, G_CONNECT_SWAPPED);
}

void
brio_startup_row_show (BrioStartupRow *self,
                       BrioStartup    *startup,
                       gint64          full_us)
{
  g_autofree char *latency = words_duration (brio_startup_get_figure (startup, BRIO_STARTUP_LATENCY));
  g_autofree char *summary = startup_words_summary (startup), *exactly = startup_words_when_exactly (brio_startup_get_time_us (startup));
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *when = startup_words_when (brio_startup_get_time_us (startup), now);

  g_return_if_fail (BRIO_IS_STARTUP_ROW (self));

  if (self->named)
    {
      g_autoptr (GIcon) icon = app_info_dup_icon (brio_startup_get_application (startup));

      gtk_image_set_from_gicon (self->icon, icon);
    }
  gtk_label_set_label (self->title, self->named ? app_info_get_name (brio_startup_get_application (startup)) : exactly);
  gtk_label_set_label (self->latency, latency);
  gtk_label_set_label (self->summary, summary);
  gtk_label_set_label (self->when, when);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->when), exactly);
  brio_latency_bar_set (self->bar, startup, full_us);
  follow (self, startup);
  show_worth (self);
}
