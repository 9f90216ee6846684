/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files as one: a tar archive (ustar, POSIX.1-1988), compressed (gzip, RFC 1952). No GTK. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* All zero is the start. */
struct archive
{
  GByteArray *tar;
};

/* name: with its directory, less than 100 bytes. time_s: when it was made, CLOCK_REALTIME. */
void    archive_add (struct archive *self,
                     const char     *name,
                     GBytes         *contents,
                     gint64          time_s);
/* What was added, whose owner alone may read it; the archive is empty again. Free with g_bytes_unref(). */
GBytes *archive_end (struct archive *self);
/* Lets go of it. */
void    archive_clear (struct archive *self);

G_END_DECLS
