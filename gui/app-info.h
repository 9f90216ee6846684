/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which desktop file is an application's, whose id comes from its control group or its program's name. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* NULL where none is known. Kept until the desktop files change; the caller owns no reference. */
GAppInfo   *app_info_find (const char *application);
/* The name that people know, else the id's last part. Valid until the desktop files change. */
const char *app_info_get_name (const char *application);
/* The icon, else that of any program; never NULL. Free with g_object_unref(). */
GIcon      *app_info_dup_icon (const char *application);

G_END_DECLS
