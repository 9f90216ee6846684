/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "archive.h"

#include <string.h>

#define BLOCK 512

/* Numbers are octal and end with a NUL byte. */
struct header
{
  char name[100], mode[8], uid[8], gid[8], size[12], time[12], checksum[8], type, link[100], magic[6], version[2], user[32], group[32], device[16], prefix[155],
    padding[12];
};

G_STATIC_ASSERT (sizeof (struct header) == BLOCK);

/* Of all bytes, its own taken for spaces. */
static void
set_checksum (struct header *h)
{
  guint sum = 0;

  memset (h->checksum, ' ', sizeof (h->checksum));
  for (gsize i = 0; i < sizeof (*h); i++)
    sum += ((const guint8 *) h)[i];
  g_snprintf (h->checksum, sizeof (h->checksum), "%06o", sum);
}

static void
append (GByteArray *tar,
        const void *data,
        gsize       size)
{
  static const guint8 nothing[BLOCK];

  if (size > 0)
    g_byte_array_append (tar, data, (guint) size);
  if (size % BLOCK)
    g_byte_array_append (tar, nothing, (guint) (BLOCK - size % BLOCK));
}

void
archive_add (struct archive *self,
             const char     *name,
             GBytes         *contents,
             gint64          time_s)
{
  struct header h = { .type = '0', .magic = "ustar", .version = { '0', '0' } };
  gsize size;
  const void *data = g_bytes_get_data (contents, &size);

  g_return_if_fail (strlen (name) < sizeof (h.name));

  g_strlcpy (h.name, name, sizeof (h.name));
  g_strlcpy (h.mode, "0000600", sizeof (h.mode));
  g_strlcpy (h.uid, "0000000", sizeof (h.uid));
  g_strlcpy (h.gid, "0000000", sizeof (h.gid));
  g_snprintf (h.size, sizeof (h.size), "%011" G_GINT64_MODIFIER "o", (guint64) size);
  g_snprintf (h.time, sizeof (h.time), "%011" G_GINT64_MODIFIER "o", (guint64) time_s);
  set_checksum (&h);
  if (!self->tar)
    self->tar = g_byte_array_new ();
  append (self->tar, &h, sizeof (h));
  append (self->tar, data, size);
}

GBytes *
archive_end (struct archive *self)
{
  static const guint8 end[2 * BLOCK];
  g_autoptr (GConverter) gzip = G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, -1));
  g_autoptr (GOutputStream) memory = g_memory_output_stream_new_resizable ();
  g_autoptr (GOutputStream) out = g_converter_output_stream_new (memory, gzip);

  if (self->tar)
    g_output_stream_write_all (out, self->tar->data, self->tar->len, NULL, NULL, NULL); /* to memory: it does not fail */
  g_output_stream_write_all (out, end, sizeof (end), NULL, NULL, NULL);
  g_output_stream_close (out, NULL, NULL);
  archive_clear (self);
  return g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (memory));
}

void
archive_clear (struct archive *self)
{
  g_clear_pointer (&self->tar, g_byte_array_unref);
}
