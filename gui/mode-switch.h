/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The header's button that shows the mode and asks the window's action for another. What is shown follows brio_mode_switch_set_mode()
 * alone, so that a request that fails leaves no trace. */
#pragma once

#include <adwaita.h>

#include "client.h"

G_BEGIN_DECLS

#define BRIO_TYPE_MODE_SWITCH (brio_mode_switch_get_type ())
G_DECLARE_FINAL_TYPE (BrioModeSwitch, brio_mode_switch, BRIO, MODE_SWITCH, AdwBin)

/* mode: "auto", "advise", "off"; "" where none is known: the switch hides. hold: the strongest; "" for none. */
void brio_mode_switch_set_mode (BrioModeSwitch *self,
                                const char     *mode,
                                const char     *hold);

/* What applications ask for at the moment stands below the modes, each with its button. */
void brio_mode_switch_show_holds (BrioModeSwitch *self,
                                  BrioClient     *client);

/* Asks for a mode as a click does. */
void brio_mode_switch_request (BrioModeSwitch *self,
                               const char     *mode);

/* Where it stands beside a title that says what it is. */
void brio_mode_switch_hide_caption (BrioModeSwitch *self);

G_END_DECLS
