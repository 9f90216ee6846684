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

  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, BRIO_LOCALE_DIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);

  application = brio_application_new ();
  return g_application_run (G_APPLICATION (application), argc, argv);
}
