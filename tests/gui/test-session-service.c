/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The service of the session, switched by a made-up systemd on a bus of this test's own. */
#include "test.h" /* before GLib, which brings its own MIN() */

#include "fake-systemd.h"
#include "gui-env.h"
#include "session-service.h"

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

        CHECK(fake_systemd_begin(NULL));
        CHECK(!talk(-1));
        CHECK(session_service_is_lacking(answer.error));
        text = session_service_explain(answer.error);
        CHECK(strstr(text, "no systemd"));
}

TEST(it_is_on_where_its_unit_is_enabled) {
        CHECK(fake_systemd_begin("disabled"));
        CHECK(talk(-1));
        CHECK(!answer.on);
        fake_systemd.state = "enabled";
        CHECK(talk(-1));
        CHECK(answer.on);
}

TEST(it_is_enabled_and_started_and_disabled_and_stopped_as_systemctl_does_it) {
        CHECK(fake_systemd_begin("disabled"));
        CHECK(talk(TRUE));
        CHECK(answer.on);
        CHECK_STR(fake_systemd.calls->str, "EnableUnitFiles(['brio-session.service'], false, false) Reload() StartUnit('brio-session.service', 'replace') ");
        g_string_truncate(fake_systemd.calls, 0);
        CHECK(talk(FALSE));
        CHECK(!answer.on);
        CHECK_STR(fake_systemd.calls->str, "DisableUnitFiles(['brio-session.service'], false) Reload() StopUnit('brio-session.service', 'replace') ");
}

TEST(one_that_does_not_run_is_off_when_it_is_disabled) {
        CHECK(fake_systemd_begin("enabled"));
        fake_systemd.fails = "StopUnit";
        fake_systemd.error = "org.freedesktop.systemd1.NoSuchUnit";
        fake_systemd.message = "Unit brio-session.service not loaded.";
        CHECK(talk(FALSE));
        CHECK(!answer.on);
}

TEST(a_unit_that_is_not_installed_and_a_refusal_are_told_apart) {
        g_autofree char *lacking = NULL, *refused = NULL;

        CHECK(fake_systemd_begin("disabled"));
        fake_systemd.fails = "GetUnitFileState";
        fake_systemd.error = "org.freedesktop.DBus.Error.FileNotFound";
        fake_systemd.message = "No such file or directory";
        CHECK(!talk(-1));
        CHECK(session_service_is_lacking(answer.error));
        lacking = session_service_explain(answer.error);
        CHECK(strstr(lacking, "is not installed"));
        fake_systemd.fails = "EnableUnitFiles";
        fake_systemd.error = "org.freedesktop.systemd1.UnitMasked";
        fake_systemd.message = "Unit file is masked";
        CHECK(!talk(TRUE));
        CHECK(!session_service_is_lacking(answer.error));
        refused = session_service_explain(answer.error);
        CHECK(strstr(refused, "could not be switched: Unit file is masked"));
        g_clear_error(&answer.error);
}
