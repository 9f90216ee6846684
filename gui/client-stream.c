/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The samples: opens the stream while connected, and again after a while when it ends. */
#include "client-private.h"

#include <gio/gunixfdlist.h>
#include <unistd.h>

#include "names.h"

/* As often as numbers can be read. Twice as often, the plots take twice the CPU, and the daemon wakes up twice as often. */
#define SAMPLE_INTERVAL_MS 1000u
/* After a stream that ended or could not be opened. */
#define STREAM_RETRY_SECONDS 1
#define STREAM_OPEN_TIMEOUT_MS 5000

static gboolean
on_stream_retry (gpointer userdata)
{
  BrioClient *self = userdata;

  self->stream_retry_source = 0;
  brio_client_stream_start (self);
  return G_SOURCE_REMOVE;
}

static void
retry_later (BrioClient *self)
{
  if (self->stream_retry_source == 0)
    self->stream_retry_source = g_timeout_add_seconds (STREAM_RETRY_SECONDS, on_stream_retry, self);
}

static void
on_record (gpointer                  userdata,
           const struct brio_sample *sample)
{
  /* A drive that is not known is not an error: the record may overtake InterfacesAdded. */
  BrioDevice *device = brio_client_find_device (userdata, sample->device);

  if (device && !brio_device_add_sample (device, sample, g_get_monotonic_time ()))
    g_debug ("%s: a sample out of order or time", sample->device);
}

static void
on_batch (gpointer userdata)
{
  brio_client_emit_sampled (userdata);
}

static void
on_ended (gpointer    userdata,
          const char *reason)
{
  BrioClient *self = userdata;

  g_info ("The sample stream has ended: %s", reason);
  brio_client_stream_stop (self);
  brio_client_emit_sampled (self); /* nothing is known any more */
  retry_later (self);
}

static void
on_opened (GObject      *source,
           GAsyncResult *result,
           gpointer      userdata)
{
  static const BrioStreamFuncs funcs = { .record = on_record, .batch = on_batch, .ended = on_ended };
  g_autoptr (BrioClient) self = userdata; /* held for the call */
  g_autoptr (GUnixFDList) fds = NULL;
  g_autoptr (GVariant) reply = NULL;
  g_autoptr (GError) error = NULL;
  int handle, fd = -1;

  reply = g_dbus_connection_call_with_unix_fd_list_finish (G_DBUS_CONNECTION (source), &fds, result, &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_UNKNOWN_METHOD))
    return; /* an older daemon: asking again does not help */
  if (reply && fds)
    {
      g_variant_get (reply, "(h)", &handle);
      if (handle >= 0 && handle < g_unix_fd_list_get_length (fds))
        fd = g_unix_fd_list_get (fds, handle, &error);
    }
  if (fd < 0)
    {
      g_info ("No sample stream: %s", error ? error->message : "no file descriptor came");
      retry_later (self);
      return;
    }
  brio_client_stream_stop (self);
  if (!self->sampling)
    {
      close (fd); /* the window is closed */
      return;
    }
  self->stream = brio_stream_new (fd, &funcs, self);
}

void
brio_client_stream_start (BrioClient *self)
{
  if (!self->sampling)
    return;
  g_dbus_connection_call_with_unix_fd_list (self->connection, self->owner, BRIO_OBJECT_PATH, BRIO_MANAGER_INTERFACE,
                                            "OpenSampleStream", g_variant_new ("(u)", SAMPLE_INTERVAL_MS), G_VARIANT_TYPE ("(h)"),
                                            G_DBUS_CALL_FLAGS_NO_AUTO_START, STREAM_OPEN_TIMEOUT_MS, NULL, self->session,
                                            on_opened, g_object_ref (self));
}

void
brio_client_stream_stop (BrioClient *self)
{
  g_clear_handle_id (&self->stream_retry_source, g_source_remove);
  g_clear_pointer (&self->stream, brio_stream_free);
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->devices)); i++)
    {
      g_autoptr (BrioDevice) device = g_list_model_get_item (G_LIST_MODEL (self->devices), i);

      brio_device_end_samples (device);
    }
}

void
brio_client_set_sampling (BrioClient *self,
                          gboolean    sampling)
{
  g_return_if_fail (BRIO_IS_CLIENT (self));

  if (self->sampling == sampling)
    return;
  self->sampling = sampling;
  if (!sampling)
    brio_client_stream_stop (self);
  else if (self->state == BRIO_CLIENT_CONNECTED)
    brio_client_stream_start (self);
}
