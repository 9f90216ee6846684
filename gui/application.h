/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The application: owns the client and the window, knows the command line. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define BRIO_TYPE_APPLICATION (brio_application_get_type ())
G_DECLARE_FINAL_TYPE (BrioApplication, brio_application, BRIO, APPLICATION, AdwApplication)

/* A bitmap of the application's icon: for windows GTK draws the icon itself, and a drawing would have a library of 6 MiB loaded for that. */
#define BRIO_WINDOW_ICON "org.brio.Brio-window"

BrioApplication *brio_application_new (void);
/* Whether a picture was asked for that did not come about. */
gboolean         brio_application_has_failed (BrioApplication *self);

G_END_DECLS
