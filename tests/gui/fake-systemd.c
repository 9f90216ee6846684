/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h" /* before GLib, which brings its own MIN() */

#include "fake-systemd.h"
#include "gui-env.h"

static const char xml[] = "<node><interface name='org.freedesktop.systemd1.Manager'>"
                          "<method name='GetUnitFileState'><arg type='s' direction='in'/><arg type='s' direction='out'/></method>"
                          "<method name='EnableUnitFiles'><arg type='as' direction='in'/><arg type='b' direction='in'/><arg type='b' direction='in'/>"
                          "<arg type='b' direction='out'/><arg type='a(sss)' direction='out'/></method>"
                          "<method name='DisableUnitFiles'><arg type='as' direction='in'/><arg type='b' direction='in'/><arg type='a(sss)' direction='out'/></method>"
                          "<method name='Reload'/>"
                          "<method name='StartUnit'><arg type='s' direction='in'/><arg type='s' direction='in'/><arg type='o' direction='out'/></method>"
                          "<method name='StopUnit'><arg type='s' direction='in'/><arg type='s' direction='in'/><arg type='o' direction='out'/></method>"
                          "</interface></node>";

struct fake_systemd fake_systemd;

static void on_call(GDBusConnection *bus, const char *sender, const char *path, const char *interface, const char *method, GVariant *parameters,
                    GDBusMethodInvocation *call, gpointer unused) {
        g_autofree char *text = g_variant_print(parameters, FALSE);

        (void) bus, (void) sender, (void) path, (void) interface, (void) unused;
        g_string_append_printf(fake_systemd.calls, "%s%s ", method, text);
        if (g_strcmp0(method, fake_systemd.fails) == 0)
                g_dbus_method_invocation_return_dbus_error(call, fake_systemd.error, fake_systemd.message);
        else if (g_str_equal(method, "GetUnitFileState"))
                g_dbus_method_invocation_return_value(call, g_variant_new("(s)", fake_systemd.state));
        else if (g_str_equal(method, "EnableUnitFiles"))
                g_dbus_method_invocation_return_value(call, g_variant_new_parsed("(true, @a(sss) [])"));
        else if (g_str_equal(method, "DisableUnitFiles"))
                g_dbus_method_invocation_return_value(call, g_variant_new_parsed("(@a(sss) [],)"));
        else
                g_dbus_method_invocation_return_value(call, g_str_equal(method, "Reload") ? NULL : g_variant_new("(o)", "/job"));
}

static bool owns(void *unused) {
        g_autoptr(GVariant) answer = g_dbus_connection_call_sync(fake_systemd.bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                                                                 "NameHasOwner", g_variant_new("(s)", "org.freedesktop.systemd1"), NULL, 0, -1, NULL, NULL);
        gboolean owned = FALSE;

        (void) unused;
        if (answer)
                g_variant_get(answer, "(b)", &owned);
        return owned;
}

bool fake_systemd_begin(const char *state) {
        static const GDBusInterfaceVTable calls = { .method_call = on_call };
        const char *address = env_bus_start();
        g_autoptr(GDBusNodeInfo) node = g_dbus_node_info_new_for_xml(xml, NULL);

        g_setenv("DBUS_SESSION_BUS_ADDRESS", address, TRUE);
        if (!fake_systemd.bus) {
                g_autoptr(GDBusConnection) session = g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, NULL);
                g_dbus_connection_set_exit_on_close(g_object_ref(session), FALSE);
                fake_systemd.bus = g_dbus_connection_new_for_address_sync(address, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
                                                                     G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION, NULL, NULL, NULL);
                fake_systemd.calls = g_string_new(NULL);
                g_dbus_connection_register_object(fake_systemd.bus, "/org/freedesktop/systemd1", node->interfaces[0], &calls, NULL, NULL, NULL);
        }
        g_string_truncate(fake_systemd.calls, 0);
        fake_systemd.state = state;
        fake_systemd.fails = NULL;
        if (state && !fake_systemd.owner)
                fake_systemd.owner = g_bus_own_name_on_connection(fake_systemd.bus, "org.freedesktop.systemd1", 0, NULL, NULL, NULL, NULL);
        return !state || env_wait(owns, NULL);
}
