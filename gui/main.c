/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>
#include <locale.h>

#include "application.h"
#include "config.h"

int
main (int   argc,
      char *argv[])
{
  g_autoptr (BrioApplication) application = NULL;
  /* Translations that are not installed: tests, and whoever writes them, see those of the build tree. */
  const char *locale_dir = g_getenv ("BRIO_LOCALE_DIR");

  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, locale_dir ? locale_dir : BRIO_LOCALE_DIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);

  application = brio_application_new ();
  return g_application_run (G_APPLICATION (application), argc, argv);
}
