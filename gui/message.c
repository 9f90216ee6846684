/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "message.h"

static GtkWidget *
new_text (const char *text,
          const char *css_class)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_justify (GTK_LABEL (label), GTK_JUSTIFY_CENTER);
  gtk_widget_add_css_class (label, css_class);
  return label;
}

AdwMessageDialog *
message_new (GtkWindow  *parent,
             const char *heading,
             const char *body,
             GtkWidget  *child)
{
  GtkWidget *dialog = adw_message_dialog_new (parent, NULL, NULL), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);

  gtk_box_append (GTK_BOX (box), new_text (heading, "title-2"));
  if (body)
    gtk_box_append (GTK_BOX (box), new_text (body, "body"));
  if (child)
    gtk_box_append (GTK_BOX (box), child);
  gtk_window_set_title (GTK_WINDOW (dialog), heading);
  adw_message_dialog_set_extra_child (ADW_MESSAGE_DIALOG (dialog), box);
  return ADW_MESSAGE_DIALOG (dialog);
}
