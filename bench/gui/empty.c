/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An application of libadwaita with an empty window: what the dashboard's memory is measured against. Says "content" when it is painted. */
#include <adwaita.h>

static void
on_frame (GdkFrameClock *clock,
          gpointer       application)
{
  g_signal_handlers_disconnect_by_func (clock, on_frame, application);
  g_print ("content\n");
}

static void
on_activate (GApplication *application)
{
  GtkWidget *window = adw_application_window_new (GTK_APPLICATION (application)), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  gtk_box_append (GTK_BOX (box), adw_header_bar_new ());
  adw_application_window_set_content (ADW_APPLICATION_WINDOW (window), box);
  gtk_window_set_default_size (GTK_WINDOW (window), 1900, 1150); /* the dashboard's while it is measured */
  gtk_widget_realize (window);
  g_signal_connect (gtk_widget_get_frame_clock (window), "after-paint", G_CALLBACK (on_frame), application);
  gtk_window_present (GTK_WINDOW (window));
}

int
main (int    argc,
      char **argv)
{
  g_autoptr (AdwApplication) application = adw_application_new ("org.brio.Empty", G_APPLICATION_NON_UNIQUE);

  g_signal_connect (application, "activate", G_CALLBACK (on_activate), NULL);
  return g_application_run (G_APPLICATION (application), argc, argv);
}
