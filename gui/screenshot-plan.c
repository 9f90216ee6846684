/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "screenshot-plan.h"

#include "screenshot.h"

/* The page that is there once, whether or not there is a daemon. */
#define PAGE_WELCOME "welcome"
#define PAGE_OVERVIEW "overview"

#define LOOK_INTERVAL_MS 100
/* What comes and goes again within fewer is not yet there: a page that is laid out, a row that unfolds. */
#define LOOKS_STILL 5
/* How a drive responds is of the last two seconds, and past samples that come at first are not. */
#define BATCHES_MIN 4
/* A page that is not there by then will not come. */
#define PATIENCE_US (120 * G_USEC_PER_SEC)

/* The dashboard's, or that of another which lies over it; NULL: the dashboard's is closed. */
static GtkWindow *
find_window (struct screenshot_plan *self)
{
  GListModel *windows = gtk_window_get_toplevels ();
  GtkWindow *found = (GtkWindow *) self->window;

  for (guint i = 0; found && i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWindow) window = g_list_model_get_item (windows, i);

      if (!BRIO_IS_WINDOW (window) && gtk_widget_get_mapped (GTK_WIDGET (window)))
        found = window; /* GTK keeps it */
    }
  return found;
}

static gboolean
are_drives_sampled (struct screenshot_plan *self)
{
  GListModel *devices = brio_client_get_devices (self->client);

  for (guint i = 0; i < g_list_model_get_n_items (devices); i++)
    {
      g_autoptr (BrioDevice) device = g_list_model_get_item (devices, i);
      const struct series *samples = history_samples (brio_device_get_history (device));
      size_t n = series_count (samples);

      if (n == 0 || series_time (samples, n - 1) - series_time (samples, 0) < self->samples_s * G_USEC_PER_SEC || self->n_batches < BATCHES_MIN)
        return FALSE;
    }
  return TRUE;
}

/* What is missing, or NULL. */
static const char *
find_missing (struct screenshot_plan *self,
              GtkWindow              *window)
{
  BrioClientState state = brio_client_get_state (self->client);
  gboolean is_page = self->page && !g_str_equal (self->page, PAGE_WELCOME);

  if (state == BRIO_CLIENT_CONNECTING || (is_page && state != BRIO_CLIENT_CONNECTED))
    return "the daemon has not answered";
  if (!gtk_widget_get_mapped (GTK_WIDGET (window)))
    return "the window is not there";
  if (brio_client_is_waiting (self->client) || screenshot_is_early (GTK_WIDGET (self->window)) || screenshot_is_early (GTK_WIDGET (window)))
    return "the window still waits for something";
  if (g_strcmp0 (self->page, PAGE_OVERVIEW) == 0 && !are_drives_sampled (self))
    return "the drives have too few samples";
  return NULL;
}

static void
end (struct screenshot_plan *self,
     const char             *failure)
{
  if (failure)
    g_printerr ("brio: no picture: %s\n", failure);
  self->failed = failure != NULL;
  g_application_quit (self->application);
}

/* After a frame: while a widget waits for its layout there is nothing of it to draw. */
static void
on_painted (GdkFrameClock *clock,
            gpointer       userdata)
{
  struct screenshot_plan *self = userdata;
  g_autoptr (GError) error = NULL;

  g_signal_handlers_disconnect_by_data (clock, self);
  end (self, screenshot_save (GTK_WIDGET (find_window (self)), self->file, &error) ? NULL : error->message);
}

/* As if done by a user with the focus there. */
static void
act (struct screenshot_plan *self)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self->window));

  self->acted = TRUE;
  self->still = 0;
  self->step_us = g_get_monotonic_time ();
  if (!gtk_widget_activate_action (focus ? focus : GTK_WIDGET (self->window), self->action, NULL))
    g_printerr ("brio: no action %s\n", self->action);
}

static void
look (struct screenshot_plan *self,
      GtkWindow              *window,
      gboolean                is_there)
{
  int width = gtk_widget_get_width (GTK_WIDGET (window)), height = gtk_widget_get_height (GTK_WIDGET (window));

  self->still = is_there && width == self->seen_width && height == self->seen_height ? self->still + 1 : 0;
  self->seen_width = width;
  self->seen_height = height;
}

static gboolean
on_look (gpointer userdata)
{
  struct screenshot_plan *self = userdata;
  GtkWindow *window = find_window (self);
  const char *missing = window ? find_missing (self, window) : NULL;
  gint64 now_us = g_get_monotonic_time ();

  if (!window)
    {
      end (self, "the window was closed");
      return G_SOURCE_REMOVE;
    }
  look (self, window, !missing);
  if (missing && now_us - self->step_us > PATIENCE_US + MAX (self->after_s, self->samples_s) * G_USEC_PER_SEC)
    {
      end (self, missing);
      return G_SOURCE_REMOVE;
    }
  if (self->still < LOOKS_STILL)
    return G_SOURCE_CONTINUE;
  if (self->action && !self->acted)
    act (self);
  else if (now_us - self->begin_us >= self->after_s * G_USEC_PER_SEC)
    {
      g_signal_connect (gtk_widget_get_frame_clock (GTK_WIDGET (window)), "after-paint", G_CALLBACK (on_painted), self);
      gtk_widget_queue_draw (GTK_WIDGET (window));
      return G_SOURCE_REMOVE;
    }
  return G_SOURCE_CONTINUE;
}

static void
on_sampled (struct screenshot_plan *self)
{
  self->n_batches++;
}

void
screenshot_plan_begin (struct screenshot_plan *self,
                       GApplication           *application,
                       BrioWindow             *window,
                       BrioClient             *client)
{
  if (self->width > 0 && self->height > 0)
    gtk_window_set_default_size (GTK_WINDOW (window), self->width, self->height);
  if (!self->file)
    return;
  self->application = application;
  g_set_weak_pointer (&self->window, window);
  self->client = client;
  g_signal_connect_swapped (client, "sampled", G_CALLBACK (on_sampled), self);
  self->begin_us = self->step_us = g_get_monotonic_time ();
  /* What moves is not still. */
  g_object_set (gtk_widget_get_settings (GTK_WIDGET (window)), "gtk-enable-animations", FALSE, NULL);
  if (self->page)
    brio_window_show_page (window, self->page);
  if (self->search)
    brio_window_search (window, self->search);
  if (self->detail)
    brio_window_show_detail (window, self->detail);
  g_timeout_add (LOOK_INTERVAL_MS, on_look, self);
}

void
screenshot_plan_clear (struct screenshot_plan *self)
{
  g_clear_weak_pointer (&self->window);
  g_clear_pointer (&self->file, g_free);
  g_clear_pointer (&self->page, g_free);
  g_clear_pointer (&self->search, g_free);
  g_clear_pointer (&self->detail, g_free);
  g_clear_pointer (&self->action, g_free);
}
