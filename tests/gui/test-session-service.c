/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The service of the session, switched by a made-up systemd on a bus of this test's own. */
#include "test.h" /* before GLib, which brings its own MIN() */

#include "gui-env.h"
#include "session-service.h"

static const char xml[] = "<node><interface name='org.freedesktop.systemd1.Manager'>"
                          "<method name='GetUnitFileState'><arg type='s' direction='in'/><arg type='s' direction='out'/></method>"
                          "<method name='EnableUnitFiles'><arg type='as' direction='in'/><arg type='b' direction='in'/><arg type='b' direction='in'/>"
                          "<arg type='b' direction='out'/><arg type='a(sss)' direction='out'/></method>"
                          "<method name='DisableUnitFiles'><arg type='as' direction='in'/><arg type='b' direction='in'/><arg type='a(sss)' direction='out'/></method>"
                          "<method name='Reload'/>"
                          "<method name='StartUnit'><arg type='s' direction='in'/><arg type='s' direction='in'/><arg type='o' direction='out'/></method>"
                          "<method name='StopUnit'><arg type='s' direction='in'/><arg type='s' direction='in'/><arg type='o' direction='out'/></method>"
                          "</interface></node>";

static struct {
        GDBusConnection *bus;
        const char *state;                     /* of the unit */
        const char *fails, *error, *message;   /* a method, with that; NULL: none does */
        GString *calls;
        guint owner;
} systemd;

static void on_call(GDBusConnection *bus, const char *sender, const char *path, const char *interface, const char *method, GVariant *parameters,
                    GDBusMethodInvocation *call, gpointer unused) {
        g_autofree char *text = g_variant_print(parameters, FALSE);

        (void) bus, (void) sender, (void) path, (void) interface, (void) unused;
        g_string_append_printf(systemd.calls, "%s%s ", method, text);
        if (g_strcmp0(method, systemd.fails) == 0)
                g_dbus_method_invocation_return_dbus_error(call, systemd.error, systemd.message);
        else if (g_str_equal(method, "GetUnitFileState"))
                g_dbus_method_invocation_return_value(call, g_variant_new("(s)", systemd.state));
        else if (g_str_equal(method, "EnableUnitFiles"))
                g_dbus_method_invocation_return_value(call, g_variant_new_parsed("(true, @a(sss) [])"));
        else if (g_str_equal(method, "DisableUnitFiles"))
                g_dbus_method_invocation_return_value(call, g_variant_new_parsed("(@a(sss) [],)"));
        else
                g_dbus_method_invocation_return_value(call, g_str_equal(method, "Reload") ? NULL : g_variant_new("(o)", "/job"));
}

static bool owns(void *unused) {
        g_autoptr(GVariant) answer = g_dbus_connection_call_sync(systemd.bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                                                                 "NameHasOwner", g_variant_new("(s)", "org.freedesktop.systemd1"), NULL, 0, -1, NULL, NULL);
        gboolean owned = FALSE;

        (void) unused;
        if (answer)
                g_variant_get(answer, "(b)", &owned);
        return owned;
}

/* The session's bus is the test's, with a systemd on it or, with state NULL, without one. */
static bool begin(const char *state) {
        static const GDBusInterfaceVTable calls = { .method_call = on_call };
        const char *address = env_bus_start();
        g_autoptr(GDBusNodeInfo) node = g_dbus_node_info_new_for_xml(xml, NULL);

        g_setenv("DBUS_SESSION_BUS_ADDRESS", address, TRUE);
        if (!systemd.bus) {
                g_autoptr(GDBusConnection) session = g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, NULL);
                g_dbus_connection_set_exit_on_close(g_object_ref(session), FALSE);
                systemd.bus = g_dbus_connection_new_for_address_sync(address, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
                                                                     G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION, NULL, NULL, NULL);
                systemd.calls = g_string_new(NULL);
                g_dbus_connection_register_object(systemd.bus, "/org/freedesktop/systemd1", node->interfaces[0], &calls, NULL, NULL, NULL);
        }
        g_string_truncate(systemd.calls, 0);
        systemd.state = state;
        systemd.fails = NULL;
        if (state && !systemd.owner)
                systemd.owner = g_bus_own_name_on_connection(systemd.bus, "org.freedesktop.systemd1", 0, NULL, NULL, NULL, NULL);
        return !state || env_wait(owns, NULL);
}

static struct {
        bool answered, worked;
        gboolean on;
        GError *error;
} answer;

static void on_answer(GObject *source, GAsyncResult *result, gpointer unused) {
        (void) source, (void) unused;
        answer.worked = session_service_finish(result, &answer.on, &answer.error);
        answer.answered = true;
}

static bool has_answered(void *unused) {
        (void) unused;
        return answer.answered;
}

static bool talk(int to) { /* -1: asks */
        g_clear_error(&answer.error);
        answer.answered = false;
        if (to < 0)
                session_service_ask_async(NULL, on_answer, NULL);
        else
                session_service_set_async(to, NULL, on_answer, NULL);
        return env_wait(has_answered, NULL) && answer.worked;
}

TEST(without_a_systemd_nothing_can_be_switched_and_that_is_said) {
        g_autofree char *text = NULL;

        CHECK(begin(NULL));
        CHECK(!talk(-1));
        CHECK(session_service_is_lacking(answer.error));
        text = session_service_explain(answer.error);
        CHECK(strstr(text, "no systemd"));
}

TEST(it_is_on_where_its_unit_is_enabled) {
        CHECK(begin("disabled"));
        CHECK(talk(-1));
        CHECK(!answer.on);
        systemd.state = "enabled";
        CHECK(talk(-1));
        CHECK(answer.on);
}

TEST(it_is_enabled_and_started_and_disabled_and_stopped_as_systemctl_does_it) {
        CHECK(begin("disabled"));
        CHECK(talk(TRUE));
        CHECK(answer.on);
        CHECK_STR(systemd.calls->str, "EnableUnitFiles(['brio-session.service'], false, false) Reload() StartUnit('brio-session.service', 'replace') ");
        g_string_truncate(systemd.calls, 0);
        CHECK(talk(FALSE));
        CHECK(!answer.on);
        CHECK_STR(systemd.calls->str, "DisableUnitFiles(['brio-session.service'], false) Reload() StopUnit('brio-session.service', 'replace') ");
}

TEST(one_that_does_not_run_is_off_when_it_is_disabled) {
        CHECK(begin("enabled"));
        systemd.fails = "StopUnit";
        systemd.error = "org.freedesktop.systemd1.NoSuchUnit";
        systemd.message = "Unit brio-session.service not loaded.";
        CHECK(talk(FALSE));
        CHECK(!answer.on);
}

TEST(a_unit_that_is_not_installed_and_a_refusal_are_told_apart) {
        g_autofree char *lacking = NULL, *refused = NULL;

        CHECK(begin("disabled"));
        systemd.fails = "GetUnitFileState";
        systemd.error = "org.freedesktop.DBus.Error.FileNotFound";
        systemd.message = "No such file or directory";
        CHECK(!talk(-1));
        CHECK(session_service_is_lacking(answer.error));
        lacking = session_service_explain(answer.error);
        CHECK(strstr(lacking, "is not installed"));
        systemd.fails = "EnableUnitFiles";
        systemd.error = "org.freedesktop.systemd1.UnitMasked";
        systemd.message = "Unit file is masked";
        CHECK(!talk(TRUE));
        CHECK(!session_service_is_lacking(answer.error));
        refused = session_service_explain(answer.error);
        CHECK(strstr(refused, "could not be switched: Unit file is masked"));
        g_clear_error(&answer.error);
}
