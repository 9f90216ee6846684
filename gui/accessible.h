/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names for what GTK 4.8 makes without: the parts of its own widgets that take the focus. Later versions name some of them themselves;
 * saying it twice does no harm. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Names content and the row of a list that it stands in, which is what takes the focus. */
void accessible_name_row (GtkWidget  *content,
                          const char *label);
/* Says of the row whether it is unfolded; -1: it does not unfold. */
void accessible_unfold_row (GtkWidget *content,
                            int        unfolded);
/* Also where it has a text of its own, which later versions of GTK and libadwaita would name it by. */
void accessible_name (GtkWidget  *widget,
                      const char *label);
/* Where there are several that do the same: what it is, and whose. */
void accessible_name_of (GtkWidget  *widget,
                         const char *what,
                         const char *whose);
/* It, and the button in it that takes the focus; else later versions name it by what is chosen. */
void accessible_name_drop_down (GtkDropDown *drop_down,
                                const char  *label);
/* Its titles, once it has its columns. The row of them, which one can do nothing with, takes the focus no more. */
void accessible_name_columns (GtkColumnView *view);

G_END_DECLS
