/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h" /* before GLib, which brings its own MIN() */

#include "gui-env.h"

#include <signal.h>
#include <sys/prctl.h>

static GSubprocess *bus, *fake_daemon;
static char *bus_address;

/* A test that dies takes its helpers with it. */
static void die_with_parent(gpointer unused) {
        (void) unused;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* Starts a program and returns the first line that it prints, or NULL. */
static char *spawn(const char *const *argv, GSubprocess **ret) {
        g_autoptr(GSubprocessLauncher) launcher = g_subprocess_launcher_new(G_SUBPROCESS_FLAGS_STDOUT_PIPE);
        g_autoptr(GDataInputStream) out = NULL;
        g_autoptr(GError) error = NULL;
        char *line;

        g_subprocess_launcher_set_child_setup(launcher, die_with_parent, NULL, NULL);
        *ret = g_subprocess_launcher_spawnv(launcher, argv, &error);
        if (!*ret) {
                fprintf(stderr, "%s: %s\n", argv[0], error->message);
                return NULL;
        }
        out = g_data_input_stream_new(g_subprocess_get_stdout_pipe(*ret));
        g_filter_input_stream_set_close_base_stream(G_FILTER_INPUT_STREAM(out), FALSE);
        line = g_data_input_stream_read_line(out, NULL, NULL, &error);
        if (!line)
                fprintf(stderr, "%s ended without a word\n", argv[0]);
        return line;
}

static void end(GSubprocess **process) {
        if (!*process)
                return;
        g_subprocess_send_signal(*process, SIGTERM);
        g_subprocess_wait(*process, NULL, NULL);
        g_clear_object(process);
}

const char *env_bus_start(void) {
        g_autofree char *config = g_strdup_printf("--config-file=%s/tests/lib/private-bus.conf", g_getenv("BRIO_SOURCE_DIR"));
        g_autofree char *name = g_uuid_string_random();
        g_autofree char *address = g_strdup_printf("--address=unix:abstract=brio-test-%s", name);

        if (bus)
                return bus_address;
        g_free(bus_address);
        bus_address = spawn((const char *const[]){ "dbus-daemon", config, address, "--nofork", "--print-address=1", NULL }, &bus);
        if (!bus_address)
                abort(); /* nothing can be tested */
        return bus_address;
}

void env_bus_stop(void) {
        end(&bus);
}

static bool start_daemon(const char *scenario, const char *interface) {
        g_autofree char *script = g_build_filename(g_getenv("BRIO_SOURCE_DIR"), "tests/lib/fake-daemon.py", NULL);
        g_autofree char *path = g_build_filename(g_getenv("BRIO_SOURCE_DIR"), "tests/lib/scenarios", scenario, NULL);
        const char *argv[] = { script, "--bus", env_bus_start(), interface ? "--interface" : scenario ? "--scenario" : NULL, interface ? interface : path,
                               interface && scenario ? "--scenario" : NULL, path, NULL };
        g_autofree char *line = NULL;

        env_daemon_stop(); /* of a test that failed */
        line = spawn(argv, &fake_daemon);
        return g_strcmp0(line, "ready") == 0;
}

bool env_daemon_start(const char *scenario) {
        return start_daemon(scenario, NULL);
}

bool env_daemon_start_without(const char *scenario, const char *const *members) {
        g_autofree char *file = g_build_filename(g_getenv("BRIO_SOURCE_DIR"), "data/org.brio.Brio1.xml", NULL), *xml = NULL;
        g_autofree char *earlier = g_build_filename(test_tmpdir(), "earlier.xml", NULL);

        if (!g_file_get_contents(file, &xml, NULL, NULL))
                return false;
        for (; *members; members++) {
                g_autofree char *pattern = g_strdup_printf("<(method|property) name=\"%s\".*?</\\1>", *members), *before = xml;
                g_autoptr(GRegex) regex = g_regex_new(pattern, G_REGEX_DOTALL, 0, NULL);

                xml = g_regex_replace_literal(regex, before, -1, 0, "", 0, NULL);
                if (g_str_equal(xml, before)) {
                        fprintf(stderr, "%s is not in the interface\n", *members);
                        return false;
                }
        }
        return g_file_set_contents(earlier, xml, -1, NULL) && start_daemon(scenario, earlier);
}

void env_daemon_stop(void) {
        end(&fake_daemon);
}

char *env_control(const char *method, const char *parameters) {
        g_autoptr(GDBusConnection) connection = NULL;
        g_autoptr(GVariant) arguments = g_variant_ref_sink(g_variant_new_parsed(parameters));
        g_autoptr(GVariant) reply = NULL;
        g_autoptr(GError) error = NULL;
        const char *text = "";
        int flags = G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION;

        connection = g_dbus_connection_new_for_address_sync(bus_address, flags, NULL, NULL, &error);
        if (connection)
                reply = g_dbus_connection_call_sync(connection, "org.brio.Brio1", "/org/brio/FakeControl", "org.brio.FakeControl",
                                                    method, arguments, NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, &error);
        if (!reply)
                fprintf(stderr, "%s: %s\n", method, error->message);
        else if (g_variant_n_children(reply) > 0)
                g_variant_get(reply, "(&s)", &text);
        return g_strdup(text);
}

unsigned env_count_calls(const char *method) {
        g_autofree char *calls = env_control("Calls", "()"), *quoted = g_strdup_printf("[\"%s\",", method);
        unsigned n = 0;

        for (const char *at = calls; (at = strstr(at, quoted)); at++)
                n++;
        return n;
}

static gboolean on_timeout(gpointer userdata) {
        *(bool *) userdata = true;
        return G_SOURCE_REMOVE;
}

bool env_wait(bool (*condition)(void *), void *userdata) {
        bool late = false;
        guint source = g_timeout_add_seconds(ENV_PATIENCE_S, on_timeout, &late);

        while (!late && !condition(userdata))
                g_main_context_iteration(NULL, TRUE);
        if (!late)
                g_source_remove(source);
        return !late;
}

/* How long this thread has been kept waiting for a processor, so far; 0 where the kernel does not say. */
static gint64 get_kept_waiting_us(void) {
        g_autofree char *text = NULL;
        char **fields;
        gint64 us = 0;

        if (!g_file_get_contents("/proc/self/schedstat", &text, NULL, NULL))
                return 0;
        fields = g_strsplit(text, " ", 3); /* time on a processor, time waiting for one (ns), turns */
        if (g_strv_length(fields) == 3)
                us = g_ascii_strtoll(fields[1], NULL, 10) / 1000;
        g_strfreev(fields);
        return us;
}

void env_run_for_ms(unsigned ms) {
        gint64 end = g_get_monotonic_time() + ms * 1000, waited = get_kept_waiting_us(), left = ms * 1000;

        while (left > 0) {
                bool over = false;

                g_timeout_add((guint) (left + 999) / 1000, on_timeout, &over);
                while (!over)
                        g_main_context_iteration(NULL, TRUE);
                left = end + get_kept_waiting_us() - waited - g_get_monotonic_time();
        }
}

#define GONE_LOOK_MS 20

bool env_goes(GWeakRef *weak) {
        bool gone = false;

        for (int i = 0; !gone && i < ENV_PATIENCE_S * 1000 / GONE_LOOK_MS; i++) {
                g_autoptr(GObject) left = NULL;

                env_run_for_ms(GONE_LOOK_MS);
                left = g_weak_ref_get(weak);
                gone = !left;
        }
        g_weak_ref_clear(weak);
        return gone;
}
