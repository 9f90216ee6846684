/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the compiler reads once for all files of the dashboard (gui/meson.build). They include what they need all the same. */
#include <adwaita.h>
