/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "application.h"

#include <glib/gi18n.h>

#include "config.h"
#include "dialogs.h"
#include "screenshot-plan.h"
#include "settings.h"
#include "shortcuts.h"
#include "window.h"

#define APPLICATION_ID "org.brio.Brio"
/* A window that shows nothing yet is not worth its frame: it waits so long for what is in it. The daemon answers within 20 ms. */
#define PRESENT_PATIENCE_MS 150

/* For --screenshot-page: the page that is there once. */
#define PAGE_WELCOME "welcome"

struct _BrioApplication
{
  AdwApplication parent_instance;

  char *bus;
  BrioClient *client;
  GSettings *settings; /* NULL: nothing is kept */

  struct screenshot_plan plan; /* --screenshot and its companions, for the pictures of the documentation */

  guint present_source; /* the window is not shown yet */

  gboolean dark; /* whatever the desktop's style is */
  gboolean announce; /* the first frame with content, for a measurement of how long it takes */
};

G_DEFINE_FINAL_TYPE (BrioApplication, brio_application, ADW_TYPE_APPLICATION)

/* NULL: there is none now. */
static BrioWindow *
find_dashboard (GtkApplication *application)
{
  for (GList *l = gtk_application_get_windows (application); l; l = l->next)
    if (BRIO_IS_WINDOW (l->data))
      return l->data;
  return NULL;
}

/* For a window over it. There may be none yet where the action came over the bus. */
static GtkWindow *
get_parent (GtkApplication *application)
{
  if (!gtk_application_get_active_window (application))
    g_application_activate (G_APPLICATION (application));
  return gtk_application_get_active_window (application);
}

static void
on_about (GSimpleAction *action,
          GVariant      *parameter,
          gpointer       userdata)
{
  (void) action;
  (void) parameter;
  dialogs_show_about (get_parent (userdata), BRIO_APPLICATION (userdata)->client);
}

static void
on_help (GSimpleAction *action,
         GVariant      *parameter,
         gpointer       userdata)
{
  (void) action;
  (void) parameter;
  dialogs_show_help (get_parent (userdata));
}

static void
on_shortcuts (GSimpleAction *action,
              GVariant      *parameter,
              gpointer       userdata)
{
  (void) action;
  (void) parameter;
  dialogs_show_shortcuts (get_parent (userdata));
}

static void
on_preferences (GSimpleAction *action,
                GVariant      *parameter,
                gpointer       userdata)
{
  (void) action;
  (void) parameter;
  dialogs_show_preferences (get_parent (userdata));
}

/* A notification of brio-session was clicked, perhaps long ago. */
static void
on_show_startup (GSimpleAction *action,
                 GVariant      *parameter,
                 gpointer       userdata)
{
  const char *application;
  gint64 time_us;

  (void) action;
  g_variant_get (parameter, "(&sx)", &application, &time_us);
  g_application_activate (userdata);
  brio_window_show_startup (find_dashboard (userdata), application, time_us);
}

static void
on_quit (GSimpleAction *action,
         GVariant      *parameter,
         gpointer       userdata)
{
  (void) action;
  (void) parameter;
  g_application_quit (userdata);
}

static void
on_frame (GdkFrameClock *clock,
          gpointer       userdata)
{
  BrioApplication *self = userdata;
  GtkWindow *window = gtk_application_get_active_window (GTK_APPLICATION (self));

  if (!window || !brio_window_is_settled (BRIO_WINDOW (window)) || g_list_model_get_n_items (brio_client_get_devices (self->client)) == 0)
    return;
  g_signal_handlers_disconnect_by_func (clock, on_frame, self);
  g_print ("content\n");
}

static void
on_realize (BrioApplication *self,
            GtkWidget       *window)
{
  g_signal_connect_object (gtk_widget_get_frame_clock (window), "after-paint", G_CALLBACK (on_frame), self, 0);
}

static gboolean
present (gpointer userdata)
{
  BrioApplication *self = userdata;

  g_clear_handle_id (&self->present_source, g_source_remove);
  g_signal_handlers_disconnect_by_func (self->client, present, self);
  gtk_window_present (GTK_WINDOW (find_dashboard (GTK_APPLICATION (self))));
  return G_SOURCE_REMOVE;
}

static void
present_soon (BrioApplication *self)
{
  if (brio_client_get_state (self->client) != BRIO_CLIENT_CONNECTING)
    present (self);
  else if (self->present_source == 0)
    {
      self->present_source = g_timeout_add (PRESENT_PATIENCE_MS, present, self);
      g_signal_connect_object (self->client, "notify::state", G_CALLBACK (present), self, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
    }
}

static void
brio_application_activate (GApplication *application)
{
  BrioApplication *self = BRIO_APPLICATION (application);
  GtkWindow *window = (GtkWindow *) find_dashboard (GTK_APPLICATION (application));
  /* A picture shows the page that it is of, and not how the window was left. */
  gboolean as_left = !self->plan.file || g_strcmp0 (self->plan.page, PAGE_WELCOME) == 0;

  if (!window)
    {
      window = GTK_WINDOW (brio_window_new (GTK_APPLICATION (application), self->client, as_left ? self->settings : NULL));
      if (self->announce)
        g_signal_connect_object (window, "realize", G_CALLBACK (on_realize), self, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
      screenshot_plan_begin (&self->plan, application, BRIO_WINDOW (window), self->client);
    }
  present_soon (self);
}

static void
brio_application_startup (GApplication *application)
{
  static const GActionEntry actions[] = {
    { .name = "about", .activate = on_about },
    { .name = "help", .activate = on_help },
    { .name = "preferences", .activate = on_preferences },
    { .name = "quit", .activate = on_quit },
    { .name = "shortcuts", .activate = on_shortcuts },
    { .name = "show-startup", .activate = on_show_startup, .parameter_type = "(sx)" },
  };
  BrioApplication *self = BRIO_APPLICATION (application);

  G_APPLICATION_CLASS (brio_application_parent_class)->startup (application);

  if (self->dark)
    adw_style_manager_set_color_scheme (adw_style_manager_get_default (), ADW_COLOR_SCHEME_FORCE_DARK);
  g_action_map_add_action_entries (G_ACTION_MAP (application), actions, G_N_ELEMENTS (actions), application);
  shortcuts_set_up (GTK_APPLICATION (application));
  gtk_window_set_default_icon_name (BRIO_WINDOW_ICON);

  self->settings = settings_new ();
  self->client = brio_client_new (self->bus ? self->bus : g_getenv ("BRIO_BUS"));
  brio_client_set_sampling (self->client, FALSE); /* a window wants samples */
  brio_client_start (self->client);
}

static int
brio_application_handle_local_options (GApplication *application,
                                       GVariantDict *options)
{
  BrioApplication *self = BRIO_APPLICATION (application);
  g_autofree const char **extra = NULL;

  if (g_variant_dict_lookup (options, G_OPTION_REMAINING, "^a&s", &extra))
    {
      g_printerr (_("brio: unexpected argument \"%s\"; \"brio --help\" lists the options\n"), extra[0]);
      return 2;
    }
  if (g_variant_dict_contains (options, "version"))
    {
      g_print ("brio %s\n", BRIO_VERSION);
      return 0;
    }
  self->dark = g_variant_dict_contains (options, "dark");
  return -1;
}

static void
brio_application_finalize (GObject *object)
{
  BrioApplication *self = BRIO_APPLICATION (object);

  g_clear_handle_id (&self->present_source, g_source_remove);
  g_clear_object (&self->client);
  g_clear_object (&self->settings);
  g_free (self->bus);
  screenshot_plan_clear (&self->plan);

  G_OBJECT_CLASS (brio_application_parent_class)->finalize (object);
}

static void
brio_application_class_init (BrioApplicationClass *klass)
{
  GApplicationClass *application_class = G_APPLICATION_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = brio_application_finalize;
  application_class->activate = brio_application_activate;
  application_class->startup = brio_application_startup;
  application_class->handle_local_options = brio_application_handle_local_options;
}

static void
brio_application_init (BrioApplication *self)
{
  const GOptionEntry options[] = {
    { "bus", 0, 0, G_OPTION_ARG_STRING, &self->bus, N_("system (default), session or a bus address; or set BRIO_BUS"), N_("BUS") },
    { "version", 0, 0, G_OPTION_ARG_NONE, NULL, N_("Print the version and exit"), NULL },
    { "dark", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, NULL, NULL, NULL },
    { "screenshot", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_FILENAME, &self->plan.file, NULL, NULL },
    { "screenshot-width", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_INT, &self->plan.width, NULL, NULL },
    { "screenshot-height", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_INT, &self->plan.height, NULL, NULL },
    { "screenshot-page", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &self->plan.page, NULL, NULL },
    { "screenshot-search", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &self->plan.search, NULL, NULL },
    { "screenshot-detail", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &self->plan.detail, NULL, NULL },
    { "screenshot-action", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &self->plan.action, NULL, NULL },
    { "screenshot-after", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_INT, &self->plan.after_s, NULL, NULL },
    { "screenshot-samples", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_INT, &self->plan.samples_s, NULL, NULL },
    { "announce", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, &self->announce, NULL, NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, NULL, NULL, NULL },
    { 0 },
  };

  g_application_add_main_option_entries (G_APPLICATION (self), options);
}

BrioApplication *
brio_application_new (void)
{
  return g_object_new (BRIO_TYPE_APPLICATION, "application-id", APPLICATION_ID, "resource-base-path", "/org/brio/Brio", NULL);
}

gboolean
brio_application_has_failed (BrioApplication *self)
{
  g_return_val_if_fail (BRIO_IS_APPLICATION (self), TRUE);

  return self->plan.failed;
}
