/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "process-priority.h"

#include <errno.h>

#include "ioprio.h"

/* Threads that begin meanwhile have their creator's priority, which may be the old one: so it is gone through twice. */
#define ROUNDS 2

int
process_priority_get (guint32 pid)
{
  return ioprio_read ((gint32) pid);
}

int
process_priority_set (guint32 pid,
                      guint   priority)
{
  g_autofree char *path = g_strdup_printf ("/proc/%u/task", pid);

  for (int i = 0; i < ROUNDS; i++)
    {
      g_autoptr (GDir) tasks = g_dir_open (path, 0, NULL);
      const char *name;

      if (!tasks)
        return -ESRCH;
      while ((name = g_dir_read_name (tasks)))
        {
          int r = ioprio_write ((gint32) g_ascii_strtoll (name, NULL, 10), (guint16) priority);

          if (r < 0 && r != -ESRCH)
            return r;
        }
    }
  return 0;
}
