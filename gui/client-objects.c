/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The daemon's objects: a full listing at the start, then its signals. The drives merge by object path, so that a
 * daemon that restarts finds its drives, their cards and their samples again. */
#include "client-private.h"

#include <glib/gi18n.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"

#define OBJECT_MANAGER_INTERFACE "org.freedesktop.DBus.ObjectManager"
#define PROPERTIES_INTERFACE "org.freedesktop.DBus.Properties"

/* The listing reads what the daemon has in memory. */
#define LISTING_TIMEOUT_MS 5000

/* The drive whose property is this text; get reads the property. */
static BrioDevice *
find (BrioClient *self,
      const char *(*get) (BrioDevice *),
      const char *text,
      guint      *ret_position)
{
  GListModel *model = G_LIST_MODEL (self->devices);

  for (guint i = 0; i < g_list_model_get_n_items (model); i++)
    {
      g_autoptr (BrioDevice) device = g_list_model_get_item (model, i);

      if (!g_str_equal (get (device), text))
        continue;
      *ret_position = i;
      return device; /* the list keeps it */
    }
  return NULL;
}

BrioDevice *
brio_client_find_device (BrioClient *self,
                         const char *name)
{
  guint position;

  return find (self, brio_device_get_name, name, &position);
}

/* sda before sdb, and nvme2n1 before nvme10n1 */
static int
compare_devices (gconstpointer a,
                 gconstpointer b,
                 gpointer      unused)
{
  (void) unused;
  return strverscmp (brio_device_get_name ((BrioDevice *) a), brio_device_get_name ((BrioDevice *) b));
}

static int
compare_elements (gconstpointer a,
                  gconstpointer b)
{
  return compare_devices (*(BrioDevice *const *) a, *(BrioDevice *const *) b, NULL);
}

/* NULL: it was known. */
static BrioDevice *
update_or_make (BrioClient *self,
                const char *object_path,
                GVariant   *properties)
{
  guint position;
  BrioDevice *known = find (self, brio_device_get_object_path, object_path, &position);
  BrioDevice *device = known ? known : brio_device_new (object_path);

  brio_device_update (device, properties);
  return known ? NULL : device;
}

static void
remove_missing (BrioClient *self,
                GVariant   *objects)
{
  for (guint i = g_list_model_get_n_items (G_LIST_MODEL (self->devices)); i > 0; i--)
    {
      g_autoptr (BrioDevice) device = g_list_model_get_item (G_LIST_MODEL (self->devices), i - 1);
      g_autoptr (GVariant) object = NULL;

      if (!g_variant_lookup (objects, brio_device_get_object_path (device), "@a{sa{sv}}", &object))
        g_list_store_remove (self->devices, i - 1);
    }
}

/* In one change: which drives are the first is known only with all of them. */
static void
take_listing (BrioClient *self,
              GVariant   *objects)
{
  g_autoptr (GPtrArray) fresh = g_ptr_array_new_with_free_func (g_object_unref);
  const char *path;
  GVariant *interfaces;
  GVariantIter iter;
  guint n;

  remove_missing (self, objects);
  g_variant_iter_init (&iter, objects);
  while (g_variant_iter_loop (&iter, "{&o@a{sa{sv}}}", &path, &interfaces))
    {
      g_autoptr (GVariant) properties = NULL;
      BrioDevice *device = NULL;

      if (g_variant_lookup (interfaces, BRIO_DEVICE_INTERFACE, "@a{sv}", &properties))
        device = update_or_make (self, path, properties);
      if (device)
        g_ptr_array_add (fresh, device);
    }
  if (fresh->len == 0)
    return;
  n = g_list_model_get_n_items (G_LIST_MODEL (self->devices));
  g_ptr_array_sort (fresh, compare_elements);
  g_list_store_splice (self->devices, n, 0, fresh->pdata, fresh->len);
  if (n > 0)
    g_list_store_sort (self->devices, compare_devices, NULL);
}

/* Something answers under the name, and it is no briod that this program knows. */
static void
refuse (BrioClient *self)
{
  brio_client_set_state (self, BRIO_CLIENT_MISMATCH, _("The running daemon does not speak this version’s interface."));
}

/* The reply of one of the first two calls, or NULL where the session is over or has failed. */
static GVariant *
finish_call (BrioClient   *self,
             GObject      *source,
             GAsyncResult *result)
{
  g_autoptr (GVariant) reply = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *detail = NULL;

  reply = g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result, &error);
  if (reply)
    return g_variant_get_child_value (reply, 0);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return NULL;
  if (g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_UNKNOWN_METHOD)
      || g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_UNKNOWN_OBJECT)
      || g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_UNKNOWN_INTERFACE)
      || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT)) /* a reply of another type */
    {
      refuse (self);
      return NULL;
    }
  g_dbus_error_strip_remote_error (error);
  detail = g_strdup_printf (_("The daemon does not answer: %s"), error->message);
  brio_client_objects_stop (self);
  brio_client_set_state (self, BRIO_CLIENT_ABSENT, detail);
  brio_client_retry_later (self);
  return NULL;
}

static void
on_prefetch (GObject      *source,
             GAsyncResult *result,
             gpointer      userdata)
{
  BrioClient *self = BRIO_CLIENT (source);
  g_autoptr (GVariant) prefetch = brio_client_call_finish (self, result, NULL);

  (void) userdata;
  if (prefetch) /* else cancelled, or of a daemon that reads nothing ahead */
    brio_client_set_prefetch (self, prefetch);
}

static void
ask_prefetch (BrioClient *self)
{
  brio_client_call_async (self, "GetPrefetch", g_variant_new ("(s)", ""), "(aa{sv})", self->session, on_prefetch, NULL);
}

static void
on_manager (GObject      *source,
            GAsyncResult *result,
            gpointer      userdata)
{
  g_autoptr (BrioClient) self = userdata; /* held for the call */
  g_autoptr (GVariant) properties = finish_call (self, source, result);
  const char *mode, *version;

  if (!properties)
    return;
  if (!g_variant_lookup (properties, "Mode", "&s", &mode) || !g_variant_lookup (properties, "Version", "&s", &version))
    {
      refuse (self);
      return;
    }
  g_object_freeze_notify (G_OBJECT (self));
  brio_client_update_manager (self, properties);
  brio_client_set_state (self, BRIO_CLIENT_CONNECTED, NULL);
  g_object_thaw_notify (G_OBJECT (self));
  ask_prefetch (self);
  brio_client_stream_start (self);
}

static void
on_listing (GObject      *source,
            GAsyncResult *result,
            gpointer      userdata)
{
  g_autoptr (BrioClient) self = userdata; /* held for the call */
  g_autoptr (GVariant) objects = finish_call (self, source, result);

  if (!objects)
    return;
  take_listing (self, objects);
  self->listed = TRUE;
  /* The listing is of what is below the root; the Manager is the root. */
  g_dbus_connection_call (self->connection, self->owner, BRIO_OBJECT_PATH, PROPERTIES_INTERFACE, "GetAll",
                          g_variant_new ("(s)", BRIO_MANAGER_INTERFACE), G_VARIANT_TYPE ("(a{sv})"),
                          G_DBUS_CALL_FLAGS_NO_AUTO_START, LISTING_TIMEOUT_MS, self->session, on_manager, g_object_ref (self));
}

static void
list (BrioClient *self)
{
  g_dbus_connection_call (self->connection, self->owner, BRIO_OBJECT_PATH, OBJECT_MANAGER_INTERFACE, "GetManagedObjects", NULL,
                          G_VARIANT_TYPE ("(a{oa{sa{sv}}})"), G_DBUS_CALL_FLAGS_NO_AUTO_START, LISTING_TIMEOUT_MS, self->session,
                          on_listing, g_object_ref (self));
}

/* One that knows of no observers tells all; of any other error the listing will say more. */
static void
on_observed (GObject      *source,
             GAsyncResult *result,
             gpointer      userdata)
{
  g_autoptr (BrioClient) self = userdata; /* held for the call */
  g_autoptr (GVariant) reply = NULL;
  g_autoptr (GError) error = NULL;

  reply = g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result, &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (reply)
    g_variant_get (reply, "(b)", &self->observes);
  list (self);
}

static void
on_properties_changed (BrioClient *self,
                       const char *object_path,
                       GVariant   *parameters)
{
  g_autoptr (GVariant) changed = NULL;
  const char *changed_interface;
  BrioDevice *device;
  guint position;

  if (!self->listed)
    return;
  g_variant_get (parameters, "(&s@a{sv}@as)", &changed_interface, &changed, NULL);
  if (g_str_equal (changed_interface, BRIO_MANAGER_INTERFACE) && g_str_equal (object_path, BRIO_OBJECT_PATH))
    brio_client_update_manager (self, changed);
  else if (g_str_equal (changed_interface, BRIO_DEVICE_INTERFACE))
    {
      device = find (self, brio_device_get_object_path, object_path, &position);
      if (device)
        brio_device_update (device, changed);
    }
}

static void
on_interfaces_added (BrioClient *self,
                     const char *object_path,
                     GVariant   *parameters)
{
  g_autoptr (GVariant) interfaces = NULL;
  g_autoptr (GVariant) properties = NULL;
  g_autoptr (BrioDevice) fresh = NULL;
  const char *path;

  (void) object_path;
  if (!self->listed)
    return;
  g_variant_get (parameters, "(&o@a{sa{sv}})", &path, &interfaces);
  if (g_variant_lookup (interfaces, BRIO_DEVICE_INTERFACE, "@a{sv}", &properties))
    fresh = update_or_make (self, path, properties);
  if (fresh)
    g_list_store_insert_sorted (self->devices, fresh, compare_devices, NULL);
}

static void
on_interfaces_removed (BrioClient *self,
                       const char *object_path,
                       GVariant   *parameters)
{
  g_autofree const char **interfaces = NULL;
  const char *path;
  guint position;

  (void) object_path;
  g_variant_get (parameters, "(&o^a&s)", &path, &interfaces);
  if (g_strv_contains (interfaces, BRIO_DEVICE_INTERFACE) && find (self, brio_device_get_object_path, path, &position))
    g_list_store_remove (self->devices, position);
}

/* Each of the Manager's own signals that has this form. */
static void
on_manager_signal (BrioClient *self,
                   const char *signal_name,
                   GVariant   *parameters)
{
  g_autoptr (GVariant) entry = g_variant_get_child_value (parameters, 0);

  if (self->state != BRIO_CLIENT_CONNECTED)
    return;
  if (g_str_equal (signal_name, "StartupFinished"))
    ask_prefetch (self);
  brio_client_emit_told (self, signal_name, entry);
}

static const struct
{
  const char *interface;
  const char *name; /* NULL: any, and the handler gets it instead of the object's path */
  const char *path; /* NULL: any */
  const char *type; /* of its parameters; a signal of another form is not ours */
  void (*handle) (BrioClient *self,
                  const char *object_path,
                  GVariant   *parameters);
} signals[] = {
  { PROPERTIES_INTERFACE, "PropertiesChanged", NULL, "(sa{sv}as)", on_properties_changed },
  { OBJECT_MANAGER_INTERFACE, "InterfacesAdded", BRIO_OBJECT_PATH, "(oa{sa{sv}})", on_interfaces_added },
  { OBJECT_MANAGER_INTERFACE, "InterfacesRemoved", BRIO_OBJECT_PATH, "(oas)", on_interfaces_removed },
  { BRIO_MANAGER_INTERFACE, NULL, BRIO_OBJECT_PATH, "(a{sv})", on_manager_signal },
};

G_STATIC_ASSERT (G_N_ELEMENTS (signals) == G_N_ELEMENTS (((BrioClient *) NULL)->subscriptions));

static void
on_signal (GDBusConnection *connection,
           const char      *sender,
           const char      *object_path,
           const char      *interface,
           const char      *signal_name,
           GVariant        *parameters,
           gpointer         userdata)
{
  (void) connection;
  (void) sender;
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    if (g_str_equal (signals[i].interface, interface) && (!signals[i].name || g_str_equal (signals[i].name, signal_name))
        && g_variant_is_of_type (parameters, G_VARIANT_TYPE (signals[i].type)))
      signals[i].handle (userdata, signals[i].name ? object_path : signal_name, parameters);
}

static void
on_verdicts (GObject      *source,
             GAsyncResult *result,
             gpointer      userdata)
{
  g_autoptr (BrioDevice) device = userdata; /* held for the call */
  g_autoptr (GVariant) reply = NULL;
  g_autoptr (GVariant) verdicts = NULL;
  g_autoptr (GVariant) properties = NULL;
  g_autoptr (GError) error = NULL;
  GVariantDict dict;

  reply = g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result, &error);
  if (!reply)
    return; /* of a drive that has gone, or a daemon: what shows it will know */
  g_variant_get (reply, "(v)", &verdicts);
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "Verdicts", verdicts);
  properties = g_variant_ref_sink (g_variant_dict_end (&dict));
  brio_device_update (device, properties);
}

void
brio_client_refresh_findings (BrioClient *self)
{
  GListModel *model;

  g_return_if_fail (BRIO_IS_CLIENT (self));

  if (self->state != BRIO_CLIENT_CONNECTED)
    return;
  model = G_LIST_MODEL (self->devices);
  for (guint i = 0; i < g_list_model_get_n_items (model); i++)
    {
      g_autoptr (BrioDevice) device = g_list_model_get_item (model, i);

      /* Of one that has just become idle the last finding is taken back. */
      if (g_str_equal (brio_device_get_workload (device), "idle") && !*brio_device_get_finding (device))
        continue;
      g_dbus_connection_call (self->connection, self->owner, brio_device_get_object_path (device), PROPERTIES_INTERFACE, "Get",
                              g_variant_new ("(ss)", BRIO_DEVICE_INTERFACE, "Verdicts"), G_VARIANT_TYPE ("(v)"),
                              G_DBUS_CALL_FLAGS_NO_AUTO_START, LISTING_TIMEOUT_MS, self->session, on_verdicts, g_object_ref (device));
    }
}

/* Signals first, then the listing: the bus keeps the order, so nothing falls between. Before it, the daemon is told to direct signals here. */
void
brio_client_objects_start (BrioClient *self)
{
  if (self->session)
    return;
  self->session = g_cancellable_new ();
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    self->subscriptions[i] =
      g_dbus_connection_signal_subscribe (self->connection, self->owner, signals[i].interface, signals[i].name, signals[i].path,
                                          NULL, G_DBUS_SIGNAL_FLAGS_NONE, on_signal, self, NULL);
  if (self->observes)
    list (self);
  else
    g_dbus_connection_call (self->connection, self->owner, BRIO_OBJECT_PATH, BRIO_MANAGER_INTERFACE, "Observe", NULL, G_VARIANT_TYPE ("(b)"),
                            G_DBUS_CALL_FLAGS_NO_AUTO_START, LISTING_TIMEOUT_MS, self->session, on_observed, g_object_ref (self));
}

void
brio_client_observe_all (BrioClient *self)
{
  g_return_if_fail (BRIO_IS_CLIENT (self));

  if (self->state != BRIO_CLIENT_CONNECTED)
    return;
  brio_client_objects_stop (self);
  self->observes = TRUE;
  brio_client_set_state (self, BRIO_CLIENT_CONNECTING, NULL);
  brio_client_objects_start (self);
}

void
brio_client_objects_stop (BrioClient *self)
{
  brio_client_stream_stop (self);
  self->listed = self->observes = FALSE;
  g_cancellable_cancel (self->session);
  g_clear_object (&self->session);
  for (guint i = 0; i < G_N_ELEMENTS (self->subscriptions); i++)
    {
      if (self->subscriptions[i])
        g_dbus_connection_signal_unsubscribe (self->connection, self->subscriptions[i]);
      self->subscriptions[i] = 0;
    }
}
