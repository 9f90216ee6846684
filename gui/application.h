/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The application: owns the client and the window, knows the command line. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define BRIO_TYPE_APPLICATION (brio_application_get_type ())
G_DECLARE_FINAL_TYPE (BrioApplication, brio_application, BRIO, APPLICATION, AdwApplication)

BrioApplication *brio_application_new (void);

G_END_DECLS
