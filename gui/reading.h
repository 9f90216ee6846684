/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A text whose numbers change while it is looked at: a label that asks for room only where it has too little.
 *
 * A GtkLabel has all around it laid out anew with each change of its text: in a page of cards that costs more than the cards' plots. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define BRIO_TYPE_READING (brio_reading_get_type ())
G_DECLARE_FINAL_TYPE (BrioReading, brio_reading, BRIO, READING, GtkWidget)

/* Property wrap (FALSE): whether it is broken into lines as wide as there is room. Else it is one line that never becomes narrower, so
 * that nothing beside it moves while its number goes up and down. */

/* text: translated; copied. */
void        brio_reading_set_text (BrioReading *self,
                                   const char  *text);
const char *brio_reading_get_text (BrioReading *self);

G_END_DECLS
