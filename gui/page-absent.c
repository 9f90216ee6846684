/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page-absent.h"

#include <glib/gi18n.h>

#include "page.h"

struct _BrioPageAbsent
{
  AdwBin parent_instance;

  AdwStatusPage *status;
  GtkLabel *command;
};

G_DEFINE_FINAL_TYPE (BrioPageAbsent, brio_page_absent, ADW_TYPE_BIN)

static void
on_copy (BrioPageAbsent *self)
{
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), gtk_label_get_label (self->command));
  gtk_widget_activate_action (GTK_WIDGET (self), "win.notify", "s", _("Copied: paste it into a terminal"));
}

void
brio_page_absent_show (BrioPageAbsent *self,
                       const char     *title,
                       const char     *description,
                       const char     *command)
{
  g_return_if_fail (BRIO_IS_PAGE_ABSENT (self));

  adw_status_page_set_title (self->status, title);
  adw_status_page_set_description (self->status, description);
  gtk_label_set_label (self->command, command);
}

static void
brio_page_absent_class_init (BrioPageAbsentClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  gtk_widget_class_set_template_from_resource (widget_class, "/org/brio/Brio/page-absent.ui");
  gtk_widget_class_bind_template_child (widget_class, BrioPageAbsent, status);
  gtk_widget_class_bind_template_child (widget_class, BrioPageAbsent, command);
  gtk_widget_class_bind_template_callback (widget_class, on_copy);
}

static void
brio_page_absent_init (BrioPageAbsent *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  brio_page_set_status_icon (GTK_WIDGET (self->status), "org.brio.Brio-symbolic");
}
