/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report-archive.h"

#include <string.h>

#include "archive.h"
#include "report.h"
#include "screenshot.h"

#define DIRECTORY "brio-report"
#define LOOK_INTERVAL_MS 50
/* What is not there yet comes and goes within fewer. */
#define LOOKS_STILL 3
/* After so many, a page is taken as it is: that it still waits may be what is wrong. */
#define LOOKS_PATIENT 40
/* A window that is not drawn by then is out of sight. */
#define LOOKS_MAX 60

struct making
{
  BrioClient *client;
  struct archive archive;
  char *before; /* the page that was shown */
  guint page, looks, still;
  guint source;         /* looks at the page; 0: none is awaited */
  GdkFrameClock *clock; /* whose frame is awaited; NULL: none */
};

static void take_page (GTask *task);

static void
forget_frame (GTask         *task,
              struct making *m)
{
  if (m->clock)
    g_signal_handlers_disconnect_by_data (m->clock, task);
  g_clear_object (&m->clock);
  g_clear_handle_id (&m->source, g_source_remove);
}

static void
free_making (gpointer data)
{
  struct making *m = data;

  archive_clear (&m->archive);
  g_object_unref (m->client);
  g_free (m->before);
  g_free (m);
}

static void
add (struct making *m,
     const char    *name,
     const char    *ending,
     GBytes        *contents)
{
  g_autofree char *path = g_strdup_printf ("%s/%s.%s", DIRECTORY, name, ending);

  archive_add (&m->archive, path, contents, g_get_real_time () / G_USEC_PER_SEC);
}

/* In place of a page's name where there are none to be shown: what is. */
static char *
dup_name (BrioWindow *window,
          guint       i)
{
  const char *shown = brio_window_get_shown (window);
  g_autoptr (GListModel) pages = brio_window_list_pages (window);
  g_autoptr (AdwViewStackPage) page = NULL;

  if (!g_str_equal (shown, "pages"))
    return i == 0 ? g_strdup (shown) : NULL;
  page = g_list_model_get_item (pages, i);
  return page ? g_strdup (adw_view_stack_page_get_name (page)) : NULL;
}

static void
to_next (GTask *task)
{
  struct making *m = g_task_get_task_data (task);

  forget_frame (task, m);
  m->page++;
  take_page (task);
}

/* After a frame: while a widget waits for its layout there is nothing of it to draw. */
static void
on_painted (GdkFrameClock *clock,
            GTask         *task)
{
  struct making *m = g_task_get_task_data (task);
  BrioWindow *window = g_task_get_source_object (task);
  g_autoptr (GdkTexture) texture = screenshot_take (GTK_WIDGET (window), NULL);
  g_autofree char *name = dup_name (window, m->page);

  (void) clock;
  if (texture && name)
    {
      g_autoptr (GBytes) png = gdk_texture_save_to_png_bytes (texture);

      add (m, name, "png", png);
    }
  to_next (task);
}

static void
await_frame (GTask         *task,
             struct making *m)
{
  GtkWidget *window = g_task_get_source_object (task);
  GdkFrameClock *clock = gtk_widget_get_frame_clock (window);

  if (m->clock || !clock)
    return;
  m->clock = g_object_ref (clock);
  g_signal_connect (clock, "after-paint", G_CALLBACK (on_painted), task);
  gtk_widget_queue_draw (window);
}

static gboolean
on_look (gpointer userdata)
{
  GTask *task = userdata;
  struct making *m = g_task_get_task_data (task);
  gboolean early = brio_client_is_waiting (m->client) || screenshot_is_early (g_task_get_source_object (task));

  m->still = early ? 0 : m->still + 1;
  m->looks++;
  if (m->still >= LOOKS_STILL || m->looks >= LOOKS_PATIENT)
    await_frame (task, m);
  if (m->looks < LOOKS_MAX && !g_cancellable_is_cancelled (g_task_get_cancellable (task)))
    return G_SOURCE_CONTINUE;
  m->source = 0;
  to_next (task);
  return G_SOURCE_REMOVE;
}

static void
end (GTask         *task,
     struct making *m)
{
  brio_window_show_page (g_task_get_source_object (task), m->before);
  g_task_return_pointer (task, archive_end (&m->archive), (GDestroyNotify) g_bytes_unref);
  g_object_unref (task);
}

static void
take_page (GTask *task)
{
  struct making *m = g_task_get_task_data (task);
  BrioWindow *window = g_task_get_source_object (task);
  g_autofree char *name = NULL;

  if (g_task_return_error_if_cancelled (task)) /* the window may be closed */
    {
      g_object_unref (task);
      return;
    }
  name = dup_name (window, m->page);
  if (!name)
    {
      end (task, m);
      return;
    }
  brio_window_show_page (window, name);
  m->looks = m->still = 0;
  m->source = g_timeout_add (LOOK_INTERVAL_MS, on_look, task);
}

static void
on_text (GObject      *source,
         GAsyncResult *result,
         gpointer      userdata)
{
  GTask *task = userdata;
  char *text = report_make_finish (result, NULL);

  (void) source;
  if (text)
    {
      g_autoptr (GBytes) contents = g_bytes_new_take (text, strlen (text));

      add (g_task_get_task_data (task), "report", "txt", contents);
    }
  take_page (task);
}

void
report_archive_make_async (BrioWindow         *window,
                           BrioClient         *client,
                           GBytes             *recording,
                           GCancellable       *cancellable,
                           GAsyncReadyCallback callback,
                           gpointer            userdata)
{
  GTask *task = g_task_new (window, cancellable, callback, userdata); /* until it returns */
  struct making *m = g_new0 (struct making, 1);

  m->client = g_object_ref (client);
  m->before = g_strdup (brio_window_get_page (window));
  g_task_set_task_data (task, m, free_making);
  if (recording)
    add (m, "brio", "recording", recording);
  report_make_async (client, cancellable, on_text, task);
}

GBytes *
report_archive_make_finish (GAsyncResult *result,
                            GError      **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
