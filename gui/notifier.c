/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "notifier.h"

#include "app-info.h"
#include "settings.h"
#include "slow-start.h"

enum
{
  NOTIFICATION,
  N_SIGNALS
};

struct _BrioNotifier
{
  GObject parent_instance;

  GSettings *settings;
  struct slow_limit limit;
};

G_DEFINE_FINAL_TYPE (BrioNotifier, brio_notifier, G_TYPE_OBJECT)

static guint signals[N_SIGNALS];

static void
on_startup_finished (BrioNotifier *self,
                     GVariant     *entry)
{
  g_autoptr (BrioStartup) startup = brio_startup_new (entry);
  g_autoptr (GNotification) notification = NULL;
  g_autoptr (GIcon) icon = NULL;
  char title[SLOW_TITLE_MAX], body[SLOW_BODY_MAX];
  struct slow_start slow;
  const char *application;

  if (!startup || !g_settings_get_boolean (self->settings, SETTINGS_NOTIFY))
    return;
  slow = slow_start_of (startup);
  if (!slow_is_worth_telling (&slow))
    return;
  application = brio_startup_get_application (startup);
  if (!slow_limit_take (&self->limit, application, g_get_monotonic_time ()))
    return;
  icon = app_info_dup_icon (application);
  notification = g_notification_new (slow_format_title (&slow, app_info_get_name (application), title, sizeof (title)));
  g_notification_set_body (notification, slow_format_body (&slow, body, sizeof (body)));
  g_notification_set_icon (notification, icon);
  g_notification_set_default_action_and_target (notification, "app.show-startup", "(sx)", application, brio_startup_get_time_us (startup));
  g_signal_emit (self, signals[NOTIFICATION], 0, notification);
}

static void
brio_notifier_finalize (GObject *object)
{
  BrioNotifier *self = BRIO_NOTIFIER (object);

  g_clear_object (&self->settings);

  G_OBJECT_CLASS (brio_notifier_parent_class)->finalize (object);
}

static void
brio_notifier_class_init (BrioNotifierClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = brio_notifier_finalize;
  signals[NOTIFICATION] = g_signal_new ("notification", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                                        G_TYPE_NOTIFICATION);
}

static void
brio_notifier_init (BrioNotifier *self G_GNUC_UNUSED)
{
}

BrioNotifier *
brio_notifier_new (BrioClient *client,
                   GSettings  *settings)
{
  BrioNotifier *self = g_object_new (BRIO_TYPE_NOTIFIER, NULL);

  self->settings = g_object_ref (settings);
  g_signal_connect_object (client, "told::StartupFinished", G_CALLBACK (on_startup_finished), self, G_CONNECT_SWAPPED);
  return self;
}
