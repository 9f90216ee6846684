/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording (brio.recording(5)) as the daemon sends it, in whatever pieces that comes. No GTK. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* All zero is the start. */
struct recording_file
{
  GByteArray *bytes; /* of which the end may be a part of a block */
  gsize whole;       /* of them: up to the end of the last block that is there as a whole */
  guint64 items;     /* events and ticks so far */
};

/* FALSE: this is no recording, or none of this version. */
gboolean recording_file_take  (struct recording_file *self,
                               gconstpointer          data,
                               gsize                  size);
/* The file, up to its last whole block and with the block that says that nothing is missing; self is empty again. Free with g_bytes_unref().
 * NULL: there was not even a beginning. */
GBytes  *recording_file_end   (struct recording_file *self);
void     recording_file_clear (struct recording_file *self);

G_END_DECLS
