/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "str.h" /* before GLib, which has a MIN() of its own */

#include "app-info.h"
#include "names.h"

#include <gio/gdesktopappinfo.h>
#include <glib/gi18n.h>
#include <string.h>

#define GENERIC_ICON "application-x-executable"
#define COMM_MAX 15 /* TASK_COMM_LEN - 1 */
#define KNOWN_MAX 4096 /* names that are no application's: a process calls itself what it will */

/* id -> GAppInfo, or NULL: looked for in vain. Dropped whole when a desktop file comes or goes. */
static GHashTable *known;
/* A program's name, or the last part of an id in small letters -> GAppInfo of what is shown to people; NULL: not asked for yet. */
static GHashTable *programs;

static void
on_changed (void)
{
  g_hash_table_remove_all (known);
  g_clear_pointer (&programs, g_hash_table_unref);
}

static void
unref_info (gpointer info)
{
  if (info)
    g_object_unref (info);
}

static void
ensure_known (void)
{
  if (known)
    return;
  known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, unref_info);
  g_signal_connect (g_app_info_monitor_get (), "changed", G_CALLBACK (on_changed), NULL);
}

static const char *
last_part (const char *id)
{
  const char *dot = strrchr (id, '.');

  return dot && dot[1] ? dot + 1 : id;
}

/* The first that has a name keeps it. */
static void
add_program (GHashTable *table,
             char       *name,
             GAppInfo   *info)
{
  if (g_hash_table_contains (table, name))
    g_free (name);
  else
    g_hash_table_insert (table, name, g_object_ref (info));
}

/* What runs other programs is not the application that it runs for one desktop file. */
static gboolean
runs_others (const char *program)
{
  static const char *const names[] = { "bash", "env", "flatpak", "gjs", "java", "perl", "python", "python3", "sh", "snap", "wine", NULL };

  return g_strv_contains (names, program);
}

/* As the kernel names it, which cuts long names. */
static void
add_executable (GHashTable *table,
                char       *name,
                GAppInfo   *info)
{
  if (runs_others (name))
    {
      g_free (name);
      return;
    }
  if (strlen (name) > COMM_MAX)
    add_program (table, g_strndup (name, COMM_MAX), info);
  add_program (table, name, info);
}

void
app_info_add_programs (GHashTable *table,
                       GAppInfo   *info)
{
  const char *executable = g_app_info_get_executable (info), *id = g_app_info_get_id (info);
  g_autofree char *stem = id && g_str_has_suffix (id, ".desktop") ? g_strndup (id, strlen (id) - strlen (".desktop")) : NULL;

  if (!g_app_info_should_show (info))
    return;
  if (stem)
    add_program (table, g_ascii_strdown (last_part (stem), -1), info);
  if (executable)
    add_executable (table, g_path_get_basename (executable), info);
}

static void
ensure_programs (void)
{
  GList *all;

  if (programs)
    return;
  programs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_object_unref);
  all = g_app_info_get_all ();
  for (GList *l = all; l; l = l->next)
    app_info_add_programs (programs, l->data);
  g_list_free_full (all, g_object_unref);
}

static GAppInfo *
look_for (const char *application)
{
  g_autofree char *file = g_strconcat (application, ".desktop", NULL);
  GAppInfo *found = G_APP_INFO (g_desktop_app_info_new (file));

  if (found || strchr (application, '.')) /* a reverse domain name is an id as it stands */
    return found;
  ensure_programs ();
  found = g_hash_table_lookup (programs, application);
  return found ? g_object_ref (found) : NULL;
}

GAppInfo *
app_info_find (const char *application)
{
  gpointer info;

  ensure_known ();
  if (!g_hash_table_lookup_extended (known, application, NULL, &info))
    {
      info = look_for (application);
      if (info || g_hash_table_size (known) < KNOWN_MAX)
        g_hash_table_insert (known, g_strdup (application), info);
    }
  return info;
}

/* What is not seen in a name, or changes how the text around it is seen, is shown as escapes. */
const char *
app_info_get_text (GAppInfo *info)
{
  static const char key[] = "brio-name";
  char *name = g_object_get_data (G_OBJECT (info), key);

  if (!name)
    {
      const char *told = g_app_info_get_name (info);
      gsize size = STR_ESCAPE_GROWTH * strlen (told) + 1;

      name = g_malloc (size);
      str_copy (name, size, told);
      str_make_text (name, size);
      g_object_set_data_full (G_OBJECT (info), key, name, g_free);
    }
  return name;
}

const char *
app_info_get_name (const char *application)
{
  GAppInfo *info;

  if (g_str_equal (application, BRIO_SESSION))
    return _("Session");
  info = app_info_find (application);
  return info ? app_info_get_text (info) : last_part (application);
}

GIcon *
app_info_dup_icon (const char *application)
{
  GAppInfo *info = *application ? app_info_find (application) : NULL;
  GIcon *icon = info ? g_app_info_get_icon (info) : NULL;

  return icon ? g_object_ref (icon) : g_themed_icon_new (GENERIC_ICON);
}
