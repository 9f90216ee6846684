/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a window in another language says in English. A word is English where the catalogue has it in originals and in no translation.
 * Names are none: what is no word of three letters or more (slice_idle_us, mq-deadline, ms), a text that is all of a law's, a setting's or a
 * scheduler's name, and a command. */
#pragma once

#include <gtk/gtk.h>

/* Prints each text of the widget and of all below it, shown or not, that has an English word; also tooltips and what stands in empty entries.
 * catalogue: a .po file, the same at each call. Returns how many. */
unsigned english_find(GtkWidget *w, const char *catalogue);
