/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "settings.h"

#define SCHEMA_ID "org.brio.Brio"

/* In a build tree it is beside the program; nothing of it is where that is installed. */
static char *
find_built (void)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *directory = program ? g_path_get_dirname (program) : NULL;
  g_autofree char *compiled = directory ? g_build_filename (directory, "gschemas.compiled", NULL) : NULL;

  return compiled && g_file_test (compiled, G_FILE_TEST_IS_REGULAR) ? g_steal_pointer (&directory) : NULL;
}

GSettings *
settings_new (void)
{
  GSettingsSchemaSource *installed = g_settings_schema_source_get_default ();
  g_autoptr (GSettingsSchemaSource) source = installed ? g_settings_schema_source_ref (installed) : NULL;
  g_autoptr (GSettingsSchema) schema = NULL;
  g_autofree char *directory = find_built ();

  if (directory)
    {
      GSettingsSchemaSource *built = g_settings_schema_source_new_from_directory (directory, installed, TRUE, NULL);

      if (built)
        {
          g_clear_pointer (&source, g_settings_schema_source_unref);
          source = built;
        }
    }
  schema = source ? g_settings_schema_source_lookup (source, SCHEMA_ID, TRUE) : NULL;
  if (!schema)
    {
      g_printerr ("brio: the schema " SCHEMA_ID " is not installed: nothing is kept for the next time\n");
      return NULL;
    }
  return g_settings_new_full (schema, NULL, NULL);
}
