/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "names.h"
#include "priority-process.h"
#include "process-launch.h"
#include "process-stat.h"
#include "test.h"

#define APP_SLICE "/user.slice/user-1000.slice/user@1000.service/app.slice/"

static const char *application_of(const char *path) {
        static char id[APPLICATION_MAX];

        return process_launch_parse_unit(path, true, id) > 0 ? id : "(none)";
}

static _Atomic int32_t at;
static unsigned waited; /* for the drive with an application's desktop file */

int access(const char *path, int mode) {
        if (!strstr(path, "org.brio.SuchAThing"))
                return faccessat(AT_FDCWD, path, mode, 0);
        waited++;
        return 0;
}

TEST(applications_are_read_from_the_units_that_desktops_make) {
        static const char *const units[][2] = {
                { APP_SLICE "app-gnome-org.gnome.TextEditor-1234.scope", "org.gnome.TextEditor" },
                { APP_SLICE "app-org.kde.konsole-e3b0c44298fc1c14.scope", "org.kde.konsole" },
                { APP_SLICE "app-flatpak-org.gnome.Maps-2301.scope", "org.gnome.Maps" },
                { APP_SLICE "app-firefox-1.scope", "firefox" },
                { APP_SLICE "app-org.kde.dolphin@c0ffee.service", "org.kde.dolphin" },
                { APP_SLICE "app-gnome-org.gnome.Evolution\\x2dalarm\\x2dnotify@autostart.service", "org.gnome.Evolution-alarm-notify" },
                { APP_SLICE "app-gnome-gimp.service", "gimp" },
                { APP_SLICE "snap.firefox.firefox-0f3c6b1e-6a1f.scope", "firefox_firefox" },
                { APP_SLICE "snap.code.url-handler.0f3c.scope", "code_url-handler" },
                { APP_SLICE "snap.code.url-handler-0f3c6b1e-6a1f-4c0e-9d53-2b1f6c7d8e9f.scope", "code_url-handler" },
                { APP_SLICE "snap.firefox.firefox.0f3c6b1e-6a1f-4c0e-9d53-2b1f6c7d8e9f.scope", "firefox_firefox" },
                { APP_SLICE "app-org.kde.konsole-77.scope/tab(812).scope", "org.kde.konsole" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(units); i++)
                CHECK_STR(application_of(units[i][0]), units[i][1]);
}

TEST(a_users_manager_is_a_session_and_its_services_are_none) {
        CHECK_STR(application_of("/user.slice/user-1000.slice/user@1000.service"), BRIO_SESSION);
        CHECK_STR(application_of("/user.slice/user-1000.slice/user@1000.service/init.scope\n"), BRIO_SESSION);
        CHECK_STR(application_of(APP_SLICE "app-firefox-1.scope"), "firefox");
        CHECK_STR(application_of("/user.slice/user-1000.slice/user@1000.service/init.scope/x"), "(none)");
        CHECK_STR(application_of("/user.slice/user-1000.slice/user@.service"), "(none)");
        CHECK_STR(application_of("/system.slice/user@1000x.service"), "(none)");
        CHECK_STR(application_of("/system.slice/user@1000.service2"), "(none)");
}

TEST(a_unit_of_that_name_in_a_subtree_of_a_user_or_of_a_container_is_no_session) {
        static const char *const paths[] = {
                APP_SLICE "user@1234.service", APP_SLICE "user@1000.service/init.scope", "/user.slice/user-1000.slice/user@1000.service/user@0.service",
                "/user.slice/user-1000.slice/user@1234.service", "/user.slice/user-1000.slice/user@100.service", "/system.slice/user@1000.service",
                "/machine.slice/machine-x.scope/payload/user.slice/user-1000.slice/user@1000.service/init.scope",
                "/user.slice/user-11111111111111111111.slice/user@11111111111111111111.service", "/user.slice/user-.slice/user@.service",
        };

        for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
                CHECK_STR(application_of(paths[i]), "(none)");
}

TEST(other_units_are_no_applications) {
        static const char *const paths[] = {
                "", "/", "/init.scope", "/system.slice/cron.service", "/user.slice/user-1000.slice/session-2.scope",
                "/user.slice/user-1000.slice/user@1000.service/session.slice/org.gnome.Shell@wayland.service",
                APP_SLICE "vte-spawn-0f3c.scope", APP_SLICE "app.slice", APP_SLICE "app-.scope", APP_SLICE "app-x-1.slice",
                APP_SLICE "dbus-:1.2-org.brio.NoSuchThing@0.service", APP_SLICE "snap.core.scope", APP_SLICE "snap..scope", APP_SLICE "snap.scope",
        };

        for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
                CHECK_STR(application_of(paths[i]), "(none)");
}

TEST(an_id_longer_than_there_is_room_for_is_cut) {
        char path[512], id[APPLICATION_MAX];

        snprintf(path, sizeof(path), "%sapp-%0300d-1.scope", APP_SLICE, 0);
        CHECK(process_launch_parse_unit(path, true, id) > 0);
        CHECK_INT(strlen(id), APPLICATION_MAX - 1);
}

static bool parse(const char *environment, size_t size, char *id, const char **token) {
        return process_launch_parse_environment(environment, size, 4711, id, token);
}

TEST(a_launcher_names_the_process_that_it_meant) {
        static const char meant[] = "HOME=/root\0GIO_LAUNCHED_DESKTOP_FILE=/usr/share/applications/org.gnome.Maps.desktop\0"
                                    "GIO_LAUNCHED_DESKTOP_FILE_PID=4711\0XDG_ACTIVATION_TOKEN=abc";
        static const char child[] = "GIO_LAUNCHED_DESKTOP_FILE=/usr/share/applications/x.desktop\0GIO_LAUNCHED_DESKTOP_FILE_PID=4710\0"
                                    "DESKTOP_STARTUP_ID=abc";
        char id[APPLICATION_MAX];
        const char *token;

        CHECK(parse(meant, sizeof(meant), id, &token));
        CHECK_STR(id, "org.gnome.Maps");
        CHECK_STR(token, "");
        CHECK(!parse(child, sizeof(child), id, &token));
}

TEST(a_startup_token_tells_a_launch_if_it_is_not_the_parents) {
        static const char own[] = "PATH=/bin\0DESKTOP_STARTUP_ID=shell-17_TIME4", none[] = "PATH=/bin\0XDESKTOP_STARTUP_ID=1";
        char id[APPLICATION_MAX];
        const char *token;

        CHECK(parse(own, sizeof(own), id, &token));
        CHECK_STR(id, "");
        CHECK_STR(token, "shell-17_TIME4");
        CHECK(!parse(none, sizeof(none), id, &token));
        CHECK(!parse("", 0, id, &token));
}

TEST(a_cut_environment_is_survived) {
        static const char environment[] = "A=1\0GIO_LAUNCHED_DESKTOP_FILE=/x/y.desktop\0GIO_LAUNCHED_DESKTOP_FILE_PID=4711";
        char id[APPLICATION_MAX];
        const char *token;

        for (size_t size = 0; size < sizeof(environment); size++) {
                _cleanup_free_ char *copy = malloc(size + 1); /* so that a read beyond it is seen */
                CHECK(copy);
                memcpy(copy, environment, size);
                parse(copy, size, id, &token);
        }
}

#define STAT(name, job, tty) name ") S 40 " job " 1 " tty " 50 4194304 1 2 7 4 30 12 0 0 20 0 3 0 9001 1 1\n"

TEST(what_proc_says_of_a_process_is_read) {
        char text[] = "4711 (" STAT("a (b) c", "4711", "34816"), wrong[] = "4711 (x) S 1 2";
        struct process_stat s;

        CHECK_INT(process_stat_parse(text, &s), 0);
        CHECK_STR(s.name, "a (b) c");
        CHECK_INT(s.parent, 40);
        CHECK_INT(s.job, 4711);
        CHECK_INT(s.session, 1);
        CHECK(s.terminal);
        CHECK_INT(s.faults, 7);
        CHECK_INT(s.cpu_ticks, 42);
        CHECK_INT(s.threads, 3);
        CHECK_INT(s.start_ticks, 9001);
        CHECK_INT(process_stat_parse(wrong, &s), -EINVAL);
}

static void write_process(const char *root, const char *stat, const char *cgroup) {
        test_write_file(root, "proc/4711/stat", stat);
        test_write_file(root, "proc/4711/cgroup", cgroup);
        test_write_file(root, "proc/4711/environ", "HOME=/root");
}

TEST(what_is_typed_is_told_from_what_a_program_runs) {
        const char *root = test_tmpdir();
        struct process_launch l;

        test_write_file(root, "proc/40/stat", "40 (bash) S 1 40 1 34816 50 0 0 0 0 0 0 0 0 0 20 0 1 0 100 1 1\n");
        test_write_file(root, "proc/40/cgroup", "0::/user.slice/user-0.slice/session-1.scope\n");
        write_process(root, "4711 (" STAT("gimp", "4711", "34816"), "0::/user.slice/user-0.slice/session-1.scope\n");
        CHECK_INT(process_launch_look(root, 4711, 0, NULL, &at, &l), 0);
        CHECK_INT(l.flags, EVENT_TERMINAL);
        CHECK_STR(l.name, "gimp");
        CHECK_INT(l.parent, 40);
        write_process(root, "4711 (" STAT("less", "4700", "34816"), "0::/\n"); /* the second of a pipe */
        CHECK_INT(process_launch_look(root, 4711, 40, NULL, &at, &l), 0);
        CHECK_INT(l.flags, EVENT_TERMINAL);
        write_process(root, "4711 (" STAT("cc", "40", "34816"), "0::/\n"); /* of the same job as its parent */
        CHECK_INT(process_launch_look(root, 4711, 40, NULL, &at, &l), 0);
        CHECK_INT(l.flags, 0);
        write_process(root, "4711 (" STAT("cron", "4711", "0"), "0::/system.slice/cron.service\n");
        CHECK_INT(process_launch_look(root, 4711, 40, NULL, &at, &l), 0);
        CHECK_INT(l.flags, 0);
        CHECK_INT(process_launch_look(root, 4712, 40, NULL, &at, &l), -ENOENT);
}

/* Texts, each with its NUL. */
static void write_memory(const char *root, const char *name, const char *text, size_t size) {
        char path[PATH_MAX];
        int fd;

        snprintf(path, sizeof(path), "%s/proc/%s", root, name);
        fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        CHECK(fd >= 0 && write(fd, text, size) == (ssize_t) size && close(fd) == 0);
}

static void write_arguments(const char *root, const char *arguments, size_t size) {
        write_memory(root, "4711/cmdline", arguments, size);
}

TEST(a_script_counts_as_itself_whatever_runs_it) {
        const char *root = test_tmpdir();
        struct exec_entry entry = { .program = "/usr/bin/python3", .arguments_size = sizeof("python3\0-I\0/opt/notes/main.py") };
        struct process_launch l;

        test_write_file(root, "proc/40/stat", "40 (bash) S 1 40 1 34816 50 0 0 0 0 0 0 0 0 0 20 0 1 0 100 1 1\n");
        write_process(root, "4711 (" STAT("python3", "4711", "34816"), "0::/\n");
        CHECK_INT(process_launch_look(root, 4711, 40, NULL, &at, &l), 0); /* what it was called with cannot be read */
        CHECK_STR(l.name, "python3");
        write_arguments(root, "python3\0/usr/bin/gnome-tweaks", sizeof("python3\0/usr/bin/gnome-tweaks"));
        CHECK_INT(process_launch_look(root, 4711, 40, NULL, &at, &l), 0);
        CHECK_STR(l.name, "gnome-tweaks");
        memcpy(entry.arguments, "python3\0-I\0/opt/notes/main.py", entry.arguments_size);
        CHECK_INT(process_launch_look(root, 4711, 40, &entry, &at, &l), 0);
        CHECK_STR(l.name, "main.py");
        write_process(root, "4711 (" STAT("cat", "4711", "34816"), "0::/\n");
        CHECK_INT(process_launch_look(root, 4711, 40, NULL, &at, &l), 0);
        CHECK_STR(l.name, "cat");
}

TEST(a_token_counts_where_the_parents_memory_is_spared) {
        static const char token[] = "XDG_ACTIVATION_TOKEN=token";
        const char *root = test_tmpdir();
        struct process_launch l;

        test_write_file(root, "proc/40/stat", "40 (make) S 1 40 1 0 50 0 0 0 0 0 0 0 0 0 20 0 1 0 100 1 1\n");
        write_process(root, "4711 (" STAT("cc", "40", "0"), "0::/\n");
        write_memory(root, "40/environ", token, sizeof(token));
        write_memory(root, "4711/environ", token, sizeof(token));
        CHECK_INT(process_launch_look(root, 4711, 40, NULL, &at, &l), 0);
        CHECK_INT(l.flags, 0); /* it has it from its parent */
        CHECK_INT(at, 40);
        CHECK_INT(process_launch_look(root, 4711, -40, NULL, &at, &l), 0);
        CHECK_INT(l.flags, EVENT_LAUNCHED);
        CHECK_INT(l.parent, 40);
        CHECK_INT(at, 4711);
        CHECK_INT(process_launch_look(root, 4711, 40, NULL, NULL, &l), 0);
        CHECK_INT(l.flags, 0);
        CHECK(l.more);
}

TEST(the_first_process_of_an_applications_unit_is_its_start) {
        const char *root = test_tmpdir(), *unit = "0::" APP_SLICE "app-gnome-gimp-4711.scope\n";
        struct process_launch l;

        test_write_file(root, "proc/40/stat", "40 (gnome-shell) S 1 40 1 0 50 0 0 0 0 0 0 0 0 0 20 0 1 0 100 1 1\n");
        test_write_file(root, "proc/40/cgroup", "0::/user.slice/user-1000.slice/user@1000.service/session.slice/org.gnome.Shell@x11.service\n");
        write_process(root, "4711 (" STAT("gimp", "40", "0"), unit);
        CHECK_INT(process_launch_look(root, 4711, 40, NULL, &at, &l), 0);
        CHECK_INT(l.flags, EVENT_LAUNCHED);
        CHECK_STR(l.application, "gimp");
        test_write_file(root, "proc/40/cgroup", unit); /* a helper, long after */
        CHECK_INT(process_launch_look(root, 4711, 40, NULL, &at, &l), 0);
        CHECK_INT(l.flags, 0);
        CHECK_STR(l.application, "");
}

TEST(what_dbus_started_is_looked_for_on_a_drive_by_the_reader_alone) {
        const char *root = test_tmpdir(), *unit = "0::" APP_SLICE "dbus-:1.2-org.brio.SuchAThing@0.service\n";
        char application[APPLICATION_MAX];
        struct process_launch l;

        test_write_file(root, "proc/40/stat", "40 (systemd) S 1 40 1 0 50 0 0 0 0 0 0 0 0 0 20 0 1 0 100 1 1\n");
        test_write_file(root, "proc/40/cgroup", "0::/user.slice/user-1000.slice/user@1000.service/init.scope\n");
        write_process(root, "4711 (" STAT("thing", "40", "0"), unit);
        waited = 0;
        CHECK(!process_launch_application(root, 4711, application));
        CHECK_INT(process_launch_look(root, 4711, 40, NULL, NULL, &l), 0);
        CHECK_INT(waited, 0);
        CHECK_INT(l.flags, 0);
        CHECK(l.more);
        CHECK_INT(process_launch_look(root, 4711, 40, NULL, &at, &l), 0);
        CHECK(waited > 0);
        CHECK_INT(l.flags, EVENT_LAUNCHED);
        CHECK_STR(l.application, "org.brio.SuchAThing");
}

TEST(a_users_manager_that_executes_a_new_systemd_begins_no_session) {
        const char *root = test_tmpdir(), *unit = "0::/user.slice/user-1000.slice/user@1000.service/init.scope\n";
        char stat[256];
        struct process_launch l;

        test_write_file(root, "proc/40/stat", "40 (systemd) S 0 40 40 0 0 0 0 0 0 0 0 0 0 0 20 0 1 0 1 1 1\n");
        test_write_file(root, "proc/40/cgroup", "0::/init.scope\n");
        write_process(root, "4711 (systemd) S 40 4711 4711 0 0 0 0 0 0 0 0 0 0 0 20 0 1 0 1 1 1\n", unit);
        CHECK_INT(process_launch_look(root, 4711, 40, NULL, &at, &l), 0);
        CHECK_INT(l.flags, 0);
        snprintf(stat, sizeof(stat), "4711 (systemd) S 40 4711 4711 0 0 0 0 0 0 0 0 0 0 0 20 0 1 0 %llu 1 1\n", (unsigned long long) priority_now_ticks());
        write_process(root, stat, unit);
        CHECK_INT(process_launch_look(root, 4711, 40, NULL, &at, &l), 0);
        CHECK_INT(l.flags, EVENT_LAUNCHED);
        CHECK_STR(l.application, BRIO_SESSION);
}
