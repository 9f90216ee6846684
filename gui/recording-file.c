/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording-file.h"

#include <string.h>

#include "checksum.h"

#define MARK_BYTES 16
#define BLOCK_EVENTS 3
#define BLOCK_END 4

static const guint8 file_mark[MARK_BYTES] = { 0x89, 'B', 'R', 'I', 'O', '\r', '\n', 0x1a, 1 };
static const guint8 block_mark[] = { 'R', 'B', 'L', 'K' };

/* What a block begins with; numbers are little-endian. */
struct head
{
  guint8 mark[4];
  guint16 length; /* of what follows */
  guint8 kind, zero;
  guint32 n; /* items in it */
  guint32 checksum;
  guint64 time;
};

G_STATIC_ASSERT (sizeof (struct head) == 24);

/* Returns the size of the block that begins there; 0: it takes more bytes to say; -1: none does. */
static gssize
measure_block (struct recording_file *self)
{
  struct head head;

  if (self->bytes->len - self->whole < sizeof (head))
    return 0;
  memcpy (&head, self->bytes->data + self->whole, sizeof (head));
  if (memcmp (head.mark, block_mark, sizeof (block_mark)) != 0)
    return -1;
  return (gssize) sizeof (head) + GUINT16_FROM_LE (head.length);
}

static guint32
count_items (const guint8 *block)
{
  struct head head;

  memcpy (&head, block, sizeof (head));
  return head.kind == BLOCK_EVENTS ? GUINT32_FROM_LE (head.n) : 0;
}

gboolean
recording_file_take (struct recording_file *self,
                     gconstpointer          data,
                     gsize                  size)
{
  gssize block;

  if (!self->bytes)
    self->bytes = g_byte_array_new ();
  g_byte_array_append (self->bytes, data, (guint) size);
  if (self->whole == 0)
    {
      if (self->bytes->len < MARK_BYTES)
        return TRUE;
      if (memcmp (self->bytes->data, file_mark, MARK_BYTES) != 0)
        return FALSE;
      self->whole = MARK_BYTES;
    }
  while ((block = measure_block (self)) > 0 && self->whole + (gsize) block <= self->bytes->len)
    {
      self->items += count_items (self->bytes->data + self->whole);
      self->whole += (gsize) block;
    }
  return block >= 0;
}

static void
append_end (struct recording_file *self)
{
  struct
  {
    struct head head;
    guint64 items;
  } end = { .head = { .length = GUINT16_TO_LE (sizeof (end.items)), .kind = BLOCK_END }, .items = GUINT64_TO_LE (self->items) };
  guint32 checksum;

  memcpy (end.head.mark, block_mark, sizeof (block_mark));
  checksum = checksum_crc32c (0, &end, G_STRUCT_OFFSET (struct head, checksum));
  checksum = checksum_crc32c (checksum, &end.head.time, sizeof (end) - G_STRUCT_OFFSET (struct head, time));
  end.head.checksum = GUINT32_TO_LE (checksum);
  g_byte_array_append (self->bytes, (const guint8 *) &end, sizeof (end));
}

GBytes *
recording_file_end (struct recording_file *self)
{
  GBytes *file = NULL;

  if (self->whole > 0)
    {
      g_byte_array_set_size (self->bytes, (guint) self->whole);
      append_end (self);
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
