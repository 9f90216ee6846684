/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which desktop file is an application's, whose id comes from its control group or its program's name. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* NULL where none is known. Kept until the desktop files change; the caller owns no reference. */
GAppInfo   *app_info_find (const char *application);
/* The name that people know, else the id's last part. Valid until the desktop files change. */
const char *app_info_get_name (const char *application);
/* The same of one that is known, as text. */
const char *app_info_get_text (GAppInfo *info);
/* The icon, else that of any program; never NULL. Free with g_object_unref(). */
GIcon      *app_info_dup_icon (const char *application);
/* Adds one that is shown to people to a table of programs, by its program's name and by the last part of its id in small letters. */
void        app_info_add_programs (GHashTable *table,
                                   GAppInfo   *info);

G_END_DECLS
