/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stream.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <unistd.h>

/* Of one read(2), and of one wake-up, so that a flood cannot keep the main loop. */
#define READ_BYTES 16384
#define READS_PER_WAKEUP 8

struct _BrioStream
{
  int fd;
  guint source;
  struct sample_reader reader;
  BrioStreamFuncs funcs;
  gpointer userdata;
};

/* Returns how many bytes came; 0: none now; -EPIPE at the end, -EBADMSG, or what read(2) says. */
static int
read_once (BrioStream *self)
{
  guint8 buffer[READ_BYTES];
  ssize_t n = read (self->fd, buffer, sizeof (buffer));
  int r;

  if (n < 0)
    return errno == EAGAIN || errno == EINTR ? 0 : -errno;
  if (n == 0)
    return -EPIPE;
  r = sample_reader_feed (&self->reader, buffer, (size_t) n, self->funcs.record, self->userdata);
  return r < 0 ? r : (int) n;
}

static gboolean
on_readable (gint         fd,
             GIOCondition condition,
             gpointer     userdata)
{
  BrioStream *self = userdata;
  gboolean some = FALSE;
  int r = 0;

  (void) fd;
  (void) condition;
  for (int i = 0; i < READS_PER_WAKEUP; i++)
    {
      r = read_once (self);
      some |= r > 0;
      if (r < READ_BYTES)
        break;
    }
  if (some)
    self->funcs.batch (self->userdata);
  if (r >= 0)
    return G_SOURCE_CONTINUE;

  self->source = 0;
  self->funcs.ended (self->userdata, r == -EPIPE ? "the daemon closed it" : g_strerror (-r));
  return G_SOURCE_REMOVE;
}

BrioStream *
brio_stream_new (int                    fd,
                 const BrioStreamFuncs *funcs,
                 gpointer               userdata)
{
  BrioStream *self = g_new0 (BrioStream, 1);

  self->fd = fd;
  self->funcs = *funcs;
  self->userdata = userdata;
  g_unix_set_fd_nonblocking (fd, TRUE, NULL);
  self->source = g_unix_fd_add (fd, G_IO_IN | G_IO_HUP | G_IO_ERR, on_readable, self);
  return self;
}

void
brio_stream_free (BrioStream *self)
{
  if (!self)
    return;
  g_clear_handle_id (&self->source, g_source_remove);
  close (self->fd);
  g_free (self);
}
