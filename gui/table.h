/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a chart shows, as a table of text: for a user that cannot see the chart, or wants the figures. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define BRIO_TYPE_TABLE (brio_table_get_type ())
G_DECLARE_FINAL_TYPE (BrioTable, brio_table, BRIO, TABLE, AdwBin)

GtkWidget *brio_table_new (void);

/* What it is of, and its columns' titles, NULL-terminated; translated. The first column is text, the others are figures. Once. */
void brio_table_set_up (BrioTable         *self,
                        const char        *label,
                        const char *const *titles);
/* Its rows, each as many cells as there are columns, parted by tabs; NULL-terminated. Rows that are there stay, so that the cursor in them
 *  * stays where it is as new ones come above. */
void brio_table_set_rows (BrioTable         *self,
                          const char *const *rows);
/* All are, in the beginning. */
void brio_table_set_column_visible (BrioTable *self,
                                    guint      column,
                                    gboolean   visible);

G_END_DECLS
