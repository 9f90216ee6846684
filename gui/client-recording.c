/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recordings: what comes out of the pipe is kept until its time is over. */
#include "client-private.h"

#include <gio/gunixfdlist.h>
#include <gio/gunixinputstream.h>

#include "names.h"
#include "recording-file.h"

#define PIECE_BYTES (64 * 1024)

struct recording
{
  struct recording_file file;
  guint seconds, passed;
  BrioClientProgress progress;
  gpointer userdata;
  GInputStream *pipe;
  GCancellable *reading; /* cancelled at the end, whatever the reason for that is */
  gulong cancelled;      /* of the caller's */
  guint second_source;
};

static void read_on (GTask *task);

static void
free_recording (gpointer data)
{
  struct recording *r = data;

  recording_file_clear (&r->file);
  g_clear_handle_id (&r->second_source, g_source_remove);
  g_clear_object (&r->pipe); /* closes it, which the daemon takes for the end */
  g_clear_object (&r->reading);
  g_free (r);
}

/* Takes the task. error: NULL where it came to its end. */
static void
end (GTask  *task,
     GError *error)
{
  struct recording *r = g_task_get_task_data (task);
  GBytes *file;

  BRIO_CLIENT (g_task_get_source_object (task))->recording = NULL;
  g_clear_handle_id (&r->second_source, g_source_remove);
  g_cancellable_disconnect (g_task_get_cancellable (task), r->cancelled);
  if (error)
    g_task_return_error (task, error);
  else if ((file = recording_file_end (&r->file)))
    g_task_return_pointer (task, file, (GDestroyNotify) g_bytes_unref);
  else
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "%s", "what the daemon sent is no recording");
  g_object_unref (task);
}

static void
on_piece (GObject      *source,
          GAsyncResult *result,
          gpointer      userdata)
{
  GTask *task = userdata;
  struct recording *r = g_task_get_task_data (task);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) piece = g_input_stream_read_bytes_finish (G_INPUT_STREAM (source), result, &error);
  gsize size = piece ? g_bytes_get_size (piece) : 0;

  if (size > 0 && !recording_file_take (&r->file, g_bytes_get_data (piece, NULL), size))
    recording_file_clear (&r->file);
  else if (size > 0 && r->file.whole < BRIO_RECORDING_BYTES_MAX)
    {
      read_on (task);
      return;
    }
  if (g_cancellable_is_cancelled (g_task_get_cancellable (task)))
    end (task, g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, "cancelled"));
  else
    end (task, NULL);
}

static void
read_on (GTask *task)
{
  struct recording *r = g_task_get_task_data (task);

  g_input_stream_read_bytes_async (r->pipe, PIECE_BYTES, G_PRIORITY_DEFAULT, r->reading, on_piece, task);
}

static gboolean
on_second (gpointer userdata)
{
  GTask *task = userdata;
  struct recording *r = g_task_get_task_data (task);

  r->passed++;
  r->progress (r->passed, r->userdata);
  if (r->passed < r->seconds)
    return G_SOURCE_CONTINUE;
  r->second_source = 0;
  g_cancellable_cancel (r->reading);
  return G_SOURCE_REMOVE;
}

static void
on_cancelled (GCancellable *cancellable,
              gpointer      reading)
{
  (void) cancellable;
  g_cancellable_cancel (reading);
}

static void
begin (GTask *task,
       int    fd)
{
  struct recording *r = g_task_get_task_data (task);

  r->pipe = g_unix_input_stream_new (fd, TRUE);
  r->reading = g_cancellable_new ();
  if (g_task_get_cancellable (task))
    r->cancelled = g_cancellable_connect (g_task_get_cancellable (task), G_CALLBACK (on_cancelled), r->reading, NULL);
  r->second_source = g_timeout_add_seconds (1, on_second, task);
  BRIO_CLIENT (g_task_get_source_object (task))->recording = task;
  r->progress (0, r->userdata);
  read_on (task);
}

static void
on_opened (GObject      *source,
           GAsyncResult *result,
           gpointer      userdata)
{
  GTask *task = userdata;
  g_autoptr (GUnixFDList) fds = NULL;
  g_autoptr (GVariant) reply = NULL;
  GError *error = NULL;
  int handle, fd = -1;

  reply = g_dbus_connection_call_with_unix_fd_list_finish (G_DBUS_CONNECTION (source), &fds, result, &error);
  if (reply)
    {
      g_variant_get (reply, "(h)", &handle);
      fd = fds && handle >= 0 && handle < g_unix_fd_list_get_length (fds) ? g_unix_fd_list_get (fds, handle, &error) : -1;
    }
  if (fd >= 0)
    begin (task, fd);
  else
    end (task, error);
}

/* All that are known: each is looked at request by request, where that does not slow it down. */
static GVariant *
list_drives (BrioClient *self)
{
  GVariantBuilder names;

  g_variant_builder_init (&names, G_VARIANT_TYPE ("as"));
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->devices)); i++)
    {
      g_autoptr (BrioDevice) device = g_list_model_get_item (G_LIST_MODEL (self->devices), i);

      g_variant_builder_add (&names, "s", brio_device_get_name (device));
    }
  return g_variant_new ("(as)", &names);
}

void
brio_client_record_async (BrioClient         *self,
                          guint               seconds,
                          BrioClientProgress  progress,
                          GCancellable       *cancellable,
                          GAsyncReadyCallback callback,
                          gpointer            userdata)
{
  GTask *task;
  struct recording *r;

  g_return_if_fail (BRIO_IS_CLIENT (self));

  task = g_task_new (self, cancellable, callback, userdata); /* until end() */
  r = g_new0 (struct recording, 1);
  r->seconds = seconds;
  r->progress = progress;
  r->userdata = userdata;
  g_task_set_task_data (task, r, free_recording);
  if (!self->connection || !self->owner)
    {
      end (task, g_error_new_literal (G_DBUS_ERROR, G_DBUS_ERROR_SERVICE_UNKNOWN, "not connected"));
      return;
    }
  /* No timeout: the user may take a while to find the password. */
  g_dbus_connection_call_with_unix_fd_list (self->connection, self->owner, BRIO_OBJECT_PATH, BRIO_MANAGER_INTERFACE, "OpenRecording",
                                            list_drives (self), G_VARIANT_TYPE ("(h)"), G_DBUS_CALL_FLAGS_ALLOW_INTERACTIVE_AUTHORIZATION,
                                            G_MAXINT, NULL, cancellable, on_opened, task);
}

void
brio_client_record_end (BrioClient *self)
{
  g_return_if_fail (BRIO_IS_CLIENT (self));

  if (self->recording)
    g_cancellable_cancel (((struct recording *) g_task_get_task_data (self->recording))->reading);
}

GBytes *
brio_client_record_finish (BrioClient   *self,
                           GAsyncResult *result,
                           GError      **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}
