/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An AdwMessageDialog whose words are in its child: its own heading is measured with less than it needs, and GTK 4.18 warns of that. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* body and child may be NULL. Responses are the caller's to add; then it is to be presented. */
AdwMessageDialog *message_new (GtkWindow  *parent,
                               const char *heading,
                               const char *body,
                               GtkWidget  *child);

G_END_DECLS
