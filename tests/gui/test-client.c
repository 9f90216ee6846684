/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The client against a scripted daemon on a private bus; no display. */
#include "test.h" /* before GLib, which brings its own MIN() */

#include "client.h"
#include "gui-env.h"

static int samples;

static void on_sampled(void) {
        samples++;
}

static bool is_connected(void *client) {
        return brio_client_get_state(client) == BRIO_CLIENT_CONNECTED;
}

static bool is_absent(void *client) {
        return brio_client_get_state(client) == BRIO_CLIENT_ABSENT;
}

static bool blames_the_bus(void *client) {
        return strstr(brio_client_get_detail(client), "bus") != NULL;
}

static bool is_mismatch(void *client) {
        return brio_client_get_state(client) == BRIO_CLIENT_MISMATCH;
}

static bool has_samples(void *unused) {
        (void) unused;
        return samples > 0;
}

static guint count(BrioClient *client) {
        return g_list_model_get_n_items(brio_client_get_devices(client));
}

static bool has_one(void *client) {
        return count(client) == 1;
}

static bool has_three(void *client) {
        return count(client) == 3;
}

static BrioClient *start(void) {
        BrioClient *client = brio_client_new(env_bus_start());

        samples = 0;
        g_signal_connect(client, "sampled", on_sampled, NULL);
        brio_client_start(client);
        return client;
}

/* Ends everything, and says whether the client was really gone. */
static bool finish(BrioClient *client) {
        GWeakRef weak;

        env_daemon_stop();
        g_weak_ref_init(&weak, client);
        g_object_unref(client);
        return env_goes(&weak); /* when cancelled calls have come back */
}

TEST(without_a_daemon_it_is_absent_and_connects_by_itself_later) {
        BrioClient *client = start();

        CHECK_INT(brio_client_get_state(client), BRIO_CLIENT_CONNECTING);
        CHECK(env_wait(is_absent, client));
        CHECK_STR(brio_client_get_detail(client), "");
        CHECK(env_daemon_start("desktop.json"));
        CHECK(env_wait(is_connected, client));
        CHECK_STR(brio_client_get_mode(client), "auto");
        CHECK_STR(brio_client_get_version(client), "0.1.0");
        CHECK_INT(count(client), 2);
        CHECK(finish(client));
}

TEST(a_daemon_that_restarts_finds_its_drives_again) {
        BrioClient *client;
        g_autoptr(BrioDevice) before = NULL;
        g_autoptr(BrioDevice) after = NULL;
        guint64 serial;

        CHECK(env_daemon_start("desktop.json"));
        client = start();
        CHECK(env_wait(has_samples, NULL));
        before = g_list_model_get_item(brio_client_get_devices(client), 1);
        CHECK_STR(brio_device_get_name(before), "sda");
        serial = series_serial(history_samples(brio_device_get_history(before)));
        CHECK(serial > 0);

        env_daemon_stop();
        CHECK(env_wait(is_absent, client));
        CHECK_STR(brio_client_get_mode(client), "");
        samples = 0;
        CHECK(env_daemon_start("desktop.json"));
        CHECK(env_wait(is_connected, client));
        CHECK(env_wait(has_samples, NULL));
        after = g_list_model_get_item(brio_client_get_devices(client), 1);
        CHECK(before == after);
        CHECK(series_serial(history_samples(brio_device_get_history(after))) > serial);
        CHECK(finish(client));
}

static void on_drives_changed(GListModel *drives, guint position, guint removed, guint added, unsigned *changes) {
        (void) drives;
        (void) position;
        (void) removed;
        (void) added;
        (*changes)++;
}

TEST(all_drives_come_at_once_so_that_the_first_of_them_are_known) {
        unsigned changes = 0;
        BrioClient *client;

        CHECK(env_daemon_start("desktop.json"));
        client = start();
        g_signal_connect(brio_client_get_devices(client), "items-changed", G_CALLBACK(on_drives_changed), &changes);
        CHECK(env_wait(is_connected, client));
        CHECK_INT(g_list_model_get_n_items(brio_client_get_devices(client)), 2);
        CHECK_INT(changes, 1);
        CHECK(finish(client));
}

TEST(drives_come_and_go_in_order) {
        BrioClient *client;
        g_autoptr(BrioDevice) device = NULL;

        CHECK(env_daemon_start("desktop.json"));
        client = start();
        CHECK(env_wait(is_connected, client));
        g_free(env_control("AddDrive", "('{\"name\": \"nvme10n1\"}',)"));
        CHECK(env_wait(has_three, client));
        device = g_list_model_get_item(brio_client_get_devices(client), 1);
        CHECK_STR(brio_device_get_name(device), "nvme10n1");
        g_free(env_control("RemoveDrive", "('nvme10n1',)"));
        g_free(env_control("RemoveDrive", "('sda',)"));
        CHECK(env_wait(has_one, client));
        CHECK(finish(client));
}

static bool is_tuned(void *device) {
        return strcmp(brio_device_get_state(device), "manual") == 0;
}

TEST(changes_of_a_drive_arrive) {
        BrioClient *client;
        g_autoptr(BrioDevice) device = NULL;

        CHECK(env_daemon_start("desktop.json"));
        client = start();
        CHECK(env_wait(is_connected, client));
        device = g_list_model_get_item(brio_client_get_devices(client), 0);
        g_free(env_control("SetDrive", "('nvme0n1', '{\"state\": \"manual\", \"scheduler\": \"kyber\"}')"));
        CHECK(env_wait(is_tuned, device));
        CHECK_STR(brio_device_get_scheduler(device), "kyber");
        CHECK(finish(client));
}

struct answer {
        bool come;
        GError *error;
};

static void on_answer(GObject *source, GAsyncResult *result, gpointer userdata) {
        struct answer *a = userdata;

        a->come = true;
        brio_client_set_mode_finish(BRIO_CLIENT(source), result, &a->error);
}

static bool has_come(void *answer) {
        return ((struct answer *) answer)->come;
}

static bool is_off(void *client) {
        return strcmp(brio_client_get_mode(client), "off") == 0;
}

static bool has_finding(void *device) {
        return *brio_device_get_finding(device) != '\0';
}

static bool is_bulk(void *device) {
        return strcmp(brio_device_get_workload(device), "bulk") == 0;
}

static bool has_none(void *device) {
        return !has_finding(device);
}

/* No signal tells of verdicts. */
TEST(what_is_found_of_a_drive_is_known_as_soon_as_a_caller_asks) {
        BrioClient *client;
        g_autoptr(BrioDevice) device = NULL;

        CHECK(env_daemon_start("desktop.json"));
        client = start();
        CHECK(env_wait(is_connected, client));
        device = g_list_model_get_item(brio_client_get_devices(client), 1);
        CHECK_STR(brio_device_get_finding(device), "60 processes read a little each at the same time (4.1 kB a read)");
        g_free(env_control("SetDrive", "('sda', '{\"workload\": \"idle\", \"verdicts\": []}')"));
        brio_client_refresh_findings(client);
        CHECK(env_wait(has_none, device));
        g_free(env_control("SetDrive", "('sda', '{\"workload\": \"bulk\", \"verdicts\": [{\"kind\": \"bulk\", \"sentence\": \"rsync moves much\"}]}')"));
        CHECK(env_wait(is_bulk, device));
        brio_client_refresh_findings(client);
        CHECK(env_wait(has_finding, device));
        CHECK_STR(brio_device_get_finding(device), "rsync moves much");
        CHECK(finish(client));
}

TEST(it_knows_what_the_daemons_sources_cannot_tell_while_it_is_connected) {
        BrioClient *client;

        CHECK(env_daemon_start("without-requests.json"));
        client = start();
        CHECK(!brio_client_is_memory_untold(client));
        CHECK(env_wait(is_connected, client));
        CHECK(brio_client_is_memory_untold(client));
        CHECK_STR(brio_client_get_requests_missing(client), "The kernel was built without CONFIG_BLK_DEV_IO_TRACE.");
        CHECK(finish(client));
        CHECK(env_daemon_start("desktop.json"));
        client = start();
        CHECK(env_wait(is_connected, client));
        CHECK(!brio_client_is_memory_untold(client));
        CHECK_STR(brio_client_get_requests_missing(client), "");
        CHECK(finish(client));
}

TEST(the_mode_follows_the_daemon_and_a_refusal_says_what_to_do) {
        struct answer yes = { 0 }, no = { 0 }, gone = { 0 };
        g_autofree char *calls = NULL;
        g_autofree char *text = NULL;
        BrioClient *client;

        CHECK(env_daemon_start("desktop.json"));
        client = start();
        CHECK(env_wait(is_connected, client));
        brio_client_set_mode_async(client, "off", NULL, on_answer, &yes);
        CHECK(env_wait(has_come, &yes));
        CHECK(!yes.error);
        CHECK(env_wait(is_off, client));
        calls = env_control("Calls", "()");
        CHECK(strstr(calls, "[\"SetMode\", [\"off\"]]") != NULL);

        g_free(env_control("SetErrors", "('{\"SetMode\": [\"NotAuthorized\", \"no\"]}',)"));
        brio_client_set_mode_async(client, "auto", NULL, on_answer, &no);
        CHECK(env_wait(has_come, &no));
        CHECK(no.error != NULL);
        text = brio_client_explain_error(no.error);
        CHECK(strstr(text, "Administrator") != NULL);
        CHECK_STR(brio_client_get_mode(client), "off");
        g_clear_error(&no.error);

        env_daemon_stop();
        CHECK(env_wait(is_absent, client));
        brio_client_set_mode_async(client, "auto", NULL, on_answer, &gone);
        CHECK(env_wait(has_come, &gone));
        CHECK(gone.error != NULL);
        g_clear_error(&gone.error);
        CHECK(finish(client));
}

TEST(garbage_in_the_stream_ends_it_and_a_new_one_begins) {
        const char *const kinds[] = { "magic", "size-zero", "size-huge", "short", "random", "name", NULL };
        BrioClient *client;

        CHECK(env_daemon_start("desktop.json"));
        client = start();
        CHECK(env_wait(has_samples, NULL));
        for (const char *const *kind = kinds; *kind; kind++) {
                g_autofree char *parameters = g_strdup_printf("('%s',)", *kind);
                g_autofree char *calls = NULL;
                const char *opened;
                int streams = 0;

                g_free(env_control("StreamGarbage", parameters));
                env_run_for_ms(100); /* what was in the pipe */
                samples = 0;
                CHECK(env_wait(has_samples, NULL));
                calls = env_control("Calls", "()");
                for (opened = calls; (opened = strstr(opened, "OpenSampleStream")); opened++)
                        streams++;
                CHECK(streams >= 2);
        }
        CHECK(is_connected(client));
        CHECK(finish(client));
}

TEST(records_of_a_newer_daemon_and_of_unknown_drives_do_no_harm) {
        BrioClient *client;
        g_autofree char *calls = NULL;

        CHECK(env_daemon_start("desktop.json"));
        client = start();
        CHECK(env_wait(has_samples, NULL));
        g_free(env_control("StreamGarbage", "('bigger',)"));
        g_free(env_control("StreamGarbage", "('unknown',)"));
        samples = 0;
        CHECK(env_wait(has_samples, NULL));
        calls = env_control("Calls", "()");
        CHECK(strstr(strstr(calls, "OpenSampleStream") + 1, "OpenSampleStream") == NULL); /* still the first one */
        CHECK(finish(client));
}

TEST(something_else_under_the_name_is_a_mismatch_and_no_crash) {
        g_autoptr(GDBusConnection) other = NULL;
        BrioClient *client;
        int flags = G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION;
        guint owner;

        other = g_dbus_connection_new_for_address_sync(env_bus_start(), flags, NULL, NULL, NULL);
        owner = g_bus_own_name_on_connection(other, "org.brio.Brio1", G_BUS_NAME_OWNER_FLAGS_NONE, NULL, NULL, NULL, NULL);
        client = start();
        CHECK(env_wait(is_mismatch, client));
        CHECK(*brio_client_get_detail(client) != '\0');
        g_bus_unown_name(owner);
        CHECK(env_wait(is_absent, client));
        CHECK(env_daemon_start(NULL));
        CHECK(env_wait(is_connected, client));
        CHECK_INT(count(client), 0);
        CHECK(finish(client));
}

TEST(a_bus_that_goes_is_said_and_survived) {
        BrioClient *client;

        CHECK(env_daemon_start("desktop.json"));
        client = start();
        CHECK(env_wait(is_connected, client));
        env_bus_stop();
        CHECK(env_wait(blames_the_bus, client)); /* which may let go of the daemon first */
        CHECK(is_absent(client));
        CHECK(finish(client));
}

static bool connects(const char *bus) {
        BrioClient *client = brio_client_new(bus);
        bool connected;

        brio_client_start(client);
        connected = env_wait(is_connected, client);
        env_run_for_ms(100);
        g_object_unref(client);
        return connected;
}

TEST(a_bus_has_a_name_or_an_address) {
        CHECK(env_daemon_start("desktop.json"));
        g_setenv("DBUS_SESSION_BUS_ADDRESS", env_bus_start(), TRUE);
        g_setenv("DBUS_SYSTEM_BUS_ADDRESS", env_bus_start(), TRUE);
        CHECK(connects("session"));
        CHECK(connects("system"));
        CHECK(connects(NULL));
        CHECK(connects(""));
        CHECK(connects(env_bus_start()));
        env_daemon_stop();
}

TEST(a_bus_that_is_not_there_is_said) {
        BrioClient *client = brio_client_new("unix:path=/nonexistent/brio-bus");

        brio_client_start(client);
        CHECK(env_wait(is_absent, client));
        CHECK(strstr(brio_client_get_detail(client), "bus") != NULL);
        CHECK(finish(client));
}

static GBytes *recording;
static GError *recording_error;
static unsigned seconds_told;

static void on_second(guint seconds, void *unused) {
        (void) unused;
        seconds_told = seconds;
}

static void on_recorded(GObject *source, GAsyncResult *result, void *unused) {
        (void) unused;
        recording = brio_client_record_finish(BRIO_CLIENT(source), result, &recording_error);
}

static bool is_recorded(void *unused) {
        (void) unused;
        return recording || recording_error;
}

static bool is_told_of_a_second(void *unused) {
        (void) unused;
        return seconds_told == 1;
}

static void record(BrioClient *client, unsigned seconds, GCancellable *cancellable) {
        g_clear_pointer(&recording, g_bytes_unref);
        g_clear_error(&recording_error);
        seconds_told = UINT_MAX;
        brio_client_record_async(client, seconds, on_second, cancellable, on_recorded, NULL);
}

/* What the daemon sends. */
static bool is_recording_of_the_daemon(void) {
        g_autofree char *path = g_build_filename(g_getenv("BRIO_SOURCE_DIR"), "tests/replay/one-reader.recording", NULL), *text = NULL;
        gsize size, n;
        const void *data = g_bytes_get_data(recording, &n);

        return g_file_get_contents(path, &text, &size, NULL) && n == size && memcmp(data, text, n) == 0;
}

TEST(a_recording_ends_after_its_time_when_it_is_told_to_and_with_the_daemon) {
        BrioClient *client;

        CHECK(env_daemon_start("desktop.json"));
        client = start();
        CHECK(env_wait(is_connected, client));
        record(client, 1, NULL);
        CHECK(env_wait(is_recorded, NULL));
        CHECK_INT(seconds_told, 1);
        CHECK(recording && is_recording_of_the_daemon());
        record(client, 3600, NULL);
        CHECK(env_wait(is_told_of_a_second, NULL));
        CHECK(!is_recorded(NULL));
        brio_client_record_end(client);
        CHECK(env_wait(is_recorded, NULL));
        CHECK(recording && is_recording_of_the_daemon());
        brio_client_record_end(client); /* there is none */
        record(client, 3600, NULL);
        CHECK(env_wait(is_told_of_a_second, NULL));
        env_daemon_stop();
        CHECK(env_wait(is_recorded, NULL));
        CHECK(recording && is_recording_of_the_daemon());
        g_clear_pointer(&recording, g_bytes_unref);
        CHECK(finish(client));
}

TEST(a_recording_that_is_cancelled_or_refused_is_none) {
        g_autoptr(GCancellable) cancellable = g_cancellable_new();
        g_autofree char *calls = NULL;
        BrioClient *client;

        CHECK(env_daemon_start("desktop.json"));
        client = start();
        record(client, 1, NULL);
        CHECK(env_wait(is_recorded, NULL));
        CHECK(g_error_matches(recording_error, G_DBUS_ERROR, G_DBUS_ERROR_SERVICE_UNKNOWN)); /* not connected yet */
        CHECK(env_wait(is_connected, client));
        record(client, 3600, cancellable);
        CHECK(env_wait(is_told_of_a_second, NULL));
        g_cancellable_cancel(cancellable);
        CHECK(env_wait(is_recorded, NULL));
        CHECK(g_error_matches(recording_error, G_IO_ERROR, G_IO_ERROR_CANCELLED));
        calls = env_control("Calls", "()");
        CHECK(strstr(calls, "[\"OpenRecording\", [[\"") != NULL); /* of each drive */
        g_free(env_control("SetErrors", "('{\"OpenRecording\": [\"NotAuthorized\", \"no\"]}',)"));
        record(client, 1, NULL);
        CHECK(env_wait(is_recorded, NULL));
        CHECK(brio_client_is_refusal(recording_error));
        g_clear_error(&recording_error);
        CHECK(finish(client));
}
