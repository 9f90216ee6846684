/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording-file.h"

#include <string.h>

#include "recording-block.h"

/* Returns the size of the block that begins there; 0: it takes more bytes to say; -1: none does. */
static gssize
measure_block (struct recording_file *self)
{
  gsize size;

  if (self->bytes->len - self->whole < RECORDING_HEAD_BYTES)
    return 0;
  size = recording_block_size (self->bytes->data + self->whole);
  return size > 0 ? (gssize) size : -1;
}

static guint32
count_items (const guint8 *block)
{
  return block[HEAD_KIND] == RECORDING_BLOCK_EVENTS ? get_u32 (block + HEAD_N) : 0;
}

gboolean
recording_file_take (struct recording_file *self,
                     gconstpointer          data,
                     gsize                  size)
{
  guint8 mark[RECORDING_MARK_BYTES];
  gssize block;

  if (!self->bytes)
    self->bytes = g_byte_array_new ();
  g_byte_array_append (self->bytes, data, (guint) size);
  if (self->whole == 0)
    {
      if (self->bytes->len < sizeof (mark))
        return TRUE;
      recording_write_mark (mark);
      if (memcmp (self->bytes->data, mark, sizeof (mark)) != 0)
        return FALSE;
      self->whole = sizeof (mark);
    }
  while ((block = measure_block (self)) > 0 && self->whole + (gsize) block <= self->bytes->len)
    {
      self->items += count_items (self->bytes->data + self->whole);
      self->whole += (gsize) block;
    }
  return block >= 0;
}

GBytes *
recording_file_end (struct recording_file *self)
{
  guint8 end[RECORDING_END_BYTES];
  GBytes *file = NULL;

  if (self->whole > 0)
    {
      g_byte_array_set_size (self->bytes, (guint) self->whole);
      recording_write_end (end, self->items);
      g_byte_array_append (self->bytes, end, sizeof (end));
      file = g_byte_array_free_to_bytes (g_steal_pointer (&self->bytes));
    }
  recording_file_clear (self);
  return file;
}

void
recording_file_clear (struct recording_file *self)
{
  g_clear_pointer (&self->bytes, g_byte_array_unref);
  *self = (struct recording_file) { 0 };
}
