/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>
#include <locale.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "application.h"
#include "config.h"

/* What is drawn goes through buffers as large as what changes in the window. glibc raises its limit for memory that it gives back at
 * once to the largest of them, and would keep up to twice as much from then on: 15 MiB with twelve plots. */
static void
give_memory_back (void)
{
#ifdef __GLIBC__
  mallopt (M_MMAP_THRESHOLD, 256 * 1024);
  mallopt (M_TRIM_THRESHOLD, 256 * 1024);
#endif
}

int
main (int   argc,
      char *argv[])
{
  g_autoptr (BrioApplication) application = NULL;
  int status;
  /* Translations that are not installed: tests and translators see those of the build tree. */
  const char *locale_dir = g_getenv ("BRIO_LOCALE_DIR");

  give_memory_back ();
  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, locale_dir ? locale_dir : BRIO_LOCALE_DIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);

  application = brio_application_new ();
  status = g_application_run (G_APPLICATION (application), argc, argv);
  return status == 0 && brio_application_has_failed (application) ? 1 : status;
}
