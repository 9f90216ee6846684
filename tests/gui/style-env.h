/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The style that $BRIO_STYLE names, for the whole process: light, dark, contrast, contrast-dark, large (text of 1.5 times the usual
 * size), rtl (from right to left, in English), or the language de or he. */
#pragma once

#include "regions.h"

#define STYLE_ENV_FONT "DejaVu Sans"
/* What GNOME makes of gtk-xft-dpi for text of 1.5 times the usual size. */
#define STYLE_ENV_LARGE_DPI (96 * 1024 * 3 / 2)

/* Once, before anything of GTK. Ends the process where the language's locale cannot be made. */
void style_env_set_up(void);
const char *style_env_name(void);
/* The .po file of the language; NULL: the style is of English. */
const char *style_env_catalogue(void);
struct regions_demand style_env_demand(void);
