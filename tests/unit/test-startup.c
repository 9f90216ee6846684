/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "detector.h"
#include "model.h"
#include "names.h"
#include "startup.h"
#include "str.h"
#include "test.h"
#include "told.h"

#define DRIVE DEV_NUMBER(8, 0)
#define OTHER DEV_NUMBER(8, 16)
#define MSEC NSEC_PER_MSEC
#define SEC NSEC_PER_SEC
#define STEP (20 * MSEC)

static struct startup_table table;
static struct startup_view ended;
static struct startup_timeline timeline;

static void begin_test(void) {
        memset(&table, 0, sizeof(table));
        memset(&ended, 0, sizeof(ended));
        memset(&timeline, 0, sizeof(timeline));
}

static bool take_ended(void) {
        struct startup_ended e;

        if (!startup_table_take(&table, &e))
                return false;
        ended = e.view;
        timeline = e.timeline;
        return true;
}

static void feed_exec(nsec_t t, int32_t tgid, int32_t parent, uint16_t flags, const char *name) {
        struct event e = { .t = t, .kind = EVENT_PROCESS_EXEC, .flags = flags, .dev = DRIVE, .tgid = tgid };

        e.process_exec = (struct event_process_exec){ .start_ticks = (uint64_t) tgid, .parent = parent, .session = 1, .job = tgid };
        str_copy(e.process_exec.name, sizeof(e.process_exec.name), name);
        startup_table_feed(&table, &e, "", 0);
}

static void feed_work(nsec_t t, int32_t tgid, struct event_process_work work, uint16_t flags) {
        struct event e = { .t = t, .kind = EVENT_PROCESS_WORK, .flags = flags, .tgid = tgid, .process_work = work };

        e.process_work.start_ticks = (uint64_t) tgid;
        e.process_work.span_us = STEP / NSEC_PER_USEC;
        startup_table_feed(&table, &e, "", 0);
}

/* So much of one CPU and of a drive, from one time to another. Returns the latter. */
static nsec_t work(nsec_t from, nsec_t to, int32_t tgid, uint32_t cpu_permille, uint32_t read_bytes) {
        for (nsec_t t = from + STEP; t <= to; t += STEP)
                feed_work(t, tgid, (struct event_process_work){ .cpu_us = STEP / NSEC_PER_USEC * cpu_permille / 1000, .read_bytes = read_bytes }, 0);
        return to;
}

static void feed_exit(nsec_t t, int32_t tgid) {
        startup_table_feed(&table, &(struct event){ .t = t, .kind = EVENT_PROCESS_EXIT, .tgid = tgid }, "", 0);
}

static void feed_fork(nsec_t t, int32_t tgid, int32_t parent) {
        startup_table_feed(&table, &(struct event){ .t = t, .kind = EVENT_PROCESS_FORK, .tgid = tgid, .process_fork.parent = parent }, "", 0);
}

static void feed_application(nsec_t t, int32_t tgid, uint16_t flags, const char *text) {
        struct event e = { .t = t, .kind = EVENT_PROCESS_APPLICATION, .flags = flags, .tgid = tgid };

        str_copy(e.process_application.text, sizeof(e.process_application.text), text);
        startup_table_feed(&table, &e, "", 0);
}

TEST(the_launcher_of_an_application_launches_until_its_start_has_ended_and_a_shell_does_not) {
        begin_test();
        feed_exec(SEC, 100, 50, EVENT_LAUNCHED, "game");
        feed_exec(SEC, 200, 60, EVENT_TERMINAL, "find");
        CHECK(startup_table_launches(&table, 50));
        CHECK(!startup_table_launches(&table, 60));
        CHECK(!startup_table_launches(&table, 100));
        CHECK(!startup_table_launches(&table, 0));
        feed_exit(2 * SEC, 100);
        CHECK(!startup_table_launches(&table, 50));
}

TEST(a_start_ends_where_its_first_quiet_window_begins) {
        nsec_t t = SEC;

        begin_test();
        feed_exec(t, 100, 1, EVENT_LAUNCHED, "gedit");
        t = work(t, t + 800 * MSEC, 100, 900, 8192);
        work(t, t + STARTUP_QUIET_MIN_NS + 2 * STEP, 100, 10, 0);
        CHECK(take_ended());
        CHECK_STR(ended.application, "gedit");
        CHECK_INT(ended.end, STARTUP_QUIET);
        CHECK_INT(ended.latency, 800 * MSEC);
        CHECK_INT(ended.read_bytes, 40 * 8192);
        CHECK(ended.cold);
        CHECK_INT(table.n, 0);
        CHECK(!take_ended());
}

TEST(a_timeline_has_what_was_done_up_to_the_end_and_nothing_of_the_quiet_behind_it) {
        nsec_t t = SEC;
        uint64_t bytes = 0, computing_us = 0;

        begin_test();
        feed_exec(t, 100, 1, EVENT_LAUNCHED, "gedit");
        t = work(t, t + 400 * MSEC, 100, 900, 8192);
        t = work(t, t + 100 * MSEC, 100, 0, 0);
        t = work(t, t + 300 * MSEC, 100, 500, 0);
        work(t, t + STARTUP_QUIET_MIN_NS + 2 * STEP, 100, 10, 0);
        CHECK(take_ended());
        CHECK_INT(timeline.width, STARTUP_SLICE_NS);
        CHECK_INT(timeline.n, 40);
        for (size_t i = 0; i < timeline.n; i++) {
                bytes += timeline.slices[i].read_bytes;
                computing_us += timeline.slices[i].computing_us;
        }
        CHECK_INT(bytes, ended.read_bytes);
        CHECK_INT(computing_us, 400000 * 9 / 10 + 300000 / 2);
        CHECK_INT(timeline.slices[19].read_bytes, 8192);
        CHECK_INT(timeline.slices[20].read_bytes, 0);
        CHECK_INT(timeline.slices[24].computing_us, 0);
        CHECK_INT(timeline.slices[25].computing_us, 10000);
}

static void feed_stall(nsec_t t, int32_t tgid, uint32_t queued_us, uint32_t memory_us) {
        startup_table_feed(&table, &(struct event){ .t = t, .kind = EVENT_PROCESS_STALL, .tgid = tgid, .process_stall = { queued_us, memory_us } }, "", 0);
}

TEST(of_a_start_it_is_told_for_how_long_it_had_no_processor_and_no_memory) {
        struct startup_slice sum = { 0 };
        nsec_t t = SEC;

        begin_test();
        feed_exec(t, 100, 1, EVENT_LAUNCHED, "gedit");
        for (nsec_t end = t + 200 * MSEC; t < end; t += STEP) {
                feed_work(t + STEP, 100, (struct event_process_work){ .cpu_us = 15000, .waited_us = 2000, .read_bytes = 4096 }, EVENT_ACCOUNTED);
                feed_stall(t + STEP, 100, 10000, 1000);
                feed_stall(t + STEP, 101, 10000, 1000); /* is no process of it */
        }
        feed_stall(t + MSEC, 100, 10000, 1000); /* of no look */
        work(t, t + STARTUP_QUIET_MIN_NS + 2 * STEP, 100, 10, 0);
        CHECK(take_ended());
        for (size_t i = 0; i < timeline.n; i++) {
                sum.computing_us += timeline.slices[i].computing_us;
                sum.queued_us += timeline.slices[i].queued_us;
                sum.memory_us += timeline.slices[i].memory_us;
                sum.waited_us += timeline.slices[i].waited_us;
        }
        CHECK_INT(ended.latency, 200 * MSEC);
        CHECK_INT(sum.computing_us, 50000);
        CHECK_INT(sum.queued_us, 100000);
        CHECK_INT(sum.memory_us, 10000);
        CHECK_INT(sum.waited_us, 20000); /* and a tenth is something else */
}

TEST(the_parts_of_a_start_with_two_processes_computing_side_by_side_add_up_to_what_it_took) {
        uint64_t computing_us = 0, waited_us = 0;
        nsec_t t = SEC;

        begin_test();
        feed_exec(t, 100, 1, EVENT_LAUNCHED, "gedit");
        feed_exec(t, 101, 100, 0, "helper");
        for (nsec_t end = t + 600 * MSEC; t < end; t += STEP) { /* one waits for half of it */
                uint32_t half = t < SEC + 300 * MSEC ? STEP / NSEC_PER_USEC / 2 : 0;
                feed_work(t + STEP, 100, (struct event_process_work){ .cpu_us = STEP / NSEC_PER_USEC }, 0);
                feed_work(t + STEP, 101, (struct event_process_work){ .cpu_us = STEP / NSEC_PER_USEC - half, .waited_us = half, .read_bytes = 4096 }, EVENT_ACCOUNTED);
        }
        work(t, t + STARTUP_QUIET_MIN_NS + 2 * STEP, 100, 10, 0);
        CHECK(take_ended());
        for (size_t i = 0; i < timeline.n; i++) {
                computing_us += timeline.slices[i].computing_us;
                waited_us += timeline.slices[i].waited_us;
        }
        CHECK_INT(ended.latency, 600 * MSEC);
        CHECK_INT(waited_us, 150000);
        CHECK_INT(waited_us, ended.waited / NSEC_PER_USEC);
        CHECK_INT(computing_us, 450000);
}

TEST(a_pause_shorter_than_the_window_is_no_end) {
        nsec_t t = SEC;

        begin_test();
        feed_exec(t, 100, 1, EVENT_LAUNCHED, "gedit");
        t = work(t, t + 400 * MSEC, 100, 900, 65536);
        t = work(t, t + STARTUP_QUIET_MIN_NS - 2 * STEP, 100, 0, 0);
        t = work(t, t + 400 * MSEC, 100, 900, 65536);
        work(t, t + STARTUP_QUIET_MIN_NS + 2 * STEP, 100, 0, 0);
        CHECK(take_ended());
        CHECK_INT(ended.latency, t - SEC);
}

TEST(a_process_that_waits_for_a_drive_is_not_quiet_however_long_that_takes) {
        nsec_t t = SEC;

        begin_test();
        feed_exec(t, 100, 1, EVENT_LAUNCHED, "gedit");
        t = work(t, t + 200 * MSEC, 100, 900, 65536);
        for (nsec_t end = t + 2 * SEC; t < end; t += STEP)
                feed_work(t + STEP, 100, (struct event_process_work){ .waited_us = STEP / NSEC_PER_USEC }, EVENT_WAITING);
        CHECK_INT(table.n, 1);
        work(t, t + STARTUP_QUIET_MIN_NS + 2 * STEP, 100, 0, 0);
        CHECK(take_ended());
        CHECK_INT(ended.latency, 2200 * MSEC);
        CHECK_INT(ended.waited, 2 * SEC);
}

/* A cursor that blinks, a clock that moves. */
TEST(a_little_work_now_and_then_is_quiet) {
        nsec_t t = SEC;

        begin_test();
        feed_exec(t, 100, 1, EVENT_LAUNCHED, "gedit");
        t = work(t, t + 200 * MSEC, 100, 1000, 65536);
        for (int i = 1; i <= 30; i++)
                feed_work(t + (nsec_t) i * STEP, 100, (struct event_process_work){ .cpu_us = i % 5 ? 0 : 18000, .read_bytes = i % 10 ? 0 : 4096 }, 0);
        CHECK(take_ended());
        CHECK_INT(ended.latency, 200 * MSEC);
}

TEST(on_a_slow_drive_the_quiet_window_is_longer) {
        nsec_t t = SEC;

        begin_test();
        feed_exec(t, 100, 1, EVENT_LAUNCHED, "gedit");
        t = work(t, t + 200 * MSEC, 100, 1000, 65536);
        table.startups[0].read_latency_us = 15000;
        t = work(t, t + STARTUP_QUIET_MIN_NS + 200 * MSEC, 100, 0, 0);
        CHECK_INT(table.n, 1);
        work(t, t + 200 * MSEC, 100, 0, 0);
        CHECK(take_ended());
        CHECK_INT(ended.latency, 200 * MSEC);
}

TEST(a_session_starts_until_its_desktop_is_quiet_for_longer_than_a_program_need_be) {
        nsec_t t = SEC;

        begin_test();
        feed_exec(t, 100, 1, EVENT_LAUNCHED, "systemd");
        feed_application(t, 100, 0, BRIO_SESSION);
        t = work(t, t + 3 * SEC, 100, 900, 8192);
        t = work(t, t + STARTUP_QUIET_SESSION_NS - 2 * STEP, 100, 0, 0);
        CHECK_INT(table.n, 1);
        t = work(t, t + SEC, 100, 900, 8192);
        work(t, t + STARTUP_QUIET_SESSION_NS + 2 * STEP, 100, 0, 0);
        CHECK(take_ended());
        CHECK_STR(ended.application, BRIO_SESSION);
        CHECK_INT(ended.end, STARTUP_QUIET);
        CHECK_INT(ended.latency, 4 * SEC + STARTUP_QUIET_SESSION_NS - 2 * STEP);
}

TEST(a_command_of_a_terminal_starts_until_it_exits) {
        begin_test();
        feed_exec(SEC, 100, 50, EVENT_TERMINAL, "git");
        work(SEC, SEC + 600 * MSEC, 100, 500, 65536);
        feed_exit(SEC + 610 * MSEC, 100);
        CHECK(take_ended());
        CHECK_INT(ended.end, STARTUP_EXIT);
        CHECK_INT(ended.latency, 610 * MSEC);
        CHECK(!ended.launched);
}

TEST(a_command_that_reads_nothing_is_not_told) {
        begin_test();
        feed_exec(SEC, 100, 50, EVENT_TERMINAL, "make");
        CHECK(!startup_tells(&table.startups[0]));
        work(SEC, SEC + STARTUP_COMMAND_NS + 3 * STEP, 100, 1000, 0);
        CHECK_INT(table.n, 0);
        CHECK_INT(table.changes, 0);
        CHECK(!take_ended());
}

TEST(a_command_that_waits_for_what_it_reads_is_told_before_it_has_read_much) {
        begin_test();
        feed_exec(SEC, 100, 50, EVENT_TERMINAL, "ls");
        feed_work(SEC + STEP, 100, (struct event_process_work){ .waited_us = 20000 }, EVENT_WAITING); /* it may wait for what it writes */
        CHECK(!startup_tells(&table.startups[0]));
        CHECK_INT(table.changes, 0);
        feed_work(SEC + 2 * STEP, 100, (struct event_process_work){ .waited_us = 15000, .read_bytes = 4096 }, EVENT_WAITING);
        CHECK(startup_tells(&table.startups[0]));
        CHECK_INT(table.changes, 1);
        feed_exit(SEC + 3 * STEP, 100);
        CHECK_INT(table.changes, 2);
        CHECK(!take_ended()); /* but it is none to be remembered */
}

TEST(what_a_launcher_starts_is_told_at_once) {
        begin_test();
        feed_exec(SEC, 100, 50, EVENT_LAUNCHED, "gedit");
        CHECK(startup_tells(&table.startups[0]));
        CHECK_INT(table.changes, 1);
}

TEST(a_process_that_no_launcher_started_is_no_start) {
        begin_test();
        feed_exec(SEC, 100, 50, 0, "cron");
        CHECK_INT(table.n, 0);
}

TEST(an_exec_that_is_under_way_is_a_start_and_counts_once_the_program_runs) {
        nsec_t t = SEC;

        begin_test();
        feed_exec(t, 10, 5, EVENT_LAUNCHED | EVENT_BEGINS, "editor");
        CHECK(startup_tells(&table.startups[0]));
        t = work(t, t + 200 * MSEC, 10, 0, 4096);
        feed_exec(t, 10, 5, EVENT_LAUNCHED, "editor-bin");
        CHECK_INT(table.n, 1);
        t = work(t, t + SEC, 10, 900, 65536);
        feed_exit(t, 10);
        CHECK(take_ended());
        CHECK_STR(ended.name, "editor-bin");
        CHECK_INT(ended.latency, 1200 * MSEC); /* from when the user began to wait */

        begin_test();
        feed_exec(SEC, 10, 5, EVENT_LAUNCHED | EVENT_BEGINS, "not-there");
        feed_exit(SEC + 50 * MSEC, 10);
        CHECK(!take_ended());
        CHECK_INT(table.n, 0);
        CHECK_INT(table.refused, 0);
}

TEST(the_application_is_what_the_wrappers_start) {
        begin_test();
        feed_exec(SEC, 100, 50, EVENT_TERMINAL, "sh");
        feed_exec(SEC + MSEC, 100, 50, EVENT_TERMINAL, "env");
        feed_fork(SEC + 2 * MSEC, 101, 100);
        feed_exec(SEC + 3 * MSEC, 101, 100, 0, "gimp");
        feed_exec(SEC + 4 * MSEC, 102, 101, 0, "script-fu");
        CHECK_INT(table.n, 1);
        CHECK_STR(table.startups[0].view.application, "gimp");
        CHECK_INT(table.startups[0].view.processes, 3);
}

TEST(a_wrapper_that_leaves_takes_no_start_with_it) {
        nsec_t t = SEC;

        begin_test();
        feed_exec(t, 100, 50, EVENT_LAUNCHED, "flatpak");
        feed_application(t, 100, 0, "org.gnome.Maps");
        feed_fork(t + MSEC, 101, 100);
        feed_exit(t + 2 * MSEC, 100);
        feed_exec(t + 3 * MSEC, 101, 1, 0, "gnome-maps");
        t = work(t, t + 400 * MSEC, 101, 800, 65536);
        work(t, t + STARTUP_QUIET_MIN_NS + 2 * STEP, 101, 0, 0);
        CHECK(take_ended());
        CHECK_STR(ended.application, "org.gnome.Maps");
        CHECK_INT(ended.tgid, 100);
        CHECK_INT(ended.latency, 400 * MSEC);
}

TEST(forked_servers_count_with_their_application) {
        nsec_t t = SEC;

        begin_test();
        feed_exec(t, 100, 50, EVENT_LAUNCHED, "browser");
        for (int32_t i = 1; i <= 4; i++)
                feed_fork(t + MSEC, 100 + i, 100);
        work(t, t + 200 * MSEC, 100, 1000, 0);
        for (t += 200 * MSEC; t < SEC + 900 * MSEC; t += STEP) /* the first is at rest, a child is not */
                for (int32_t i = 0; i <= 4; i++)
                        feed_work(t + STEP, 100 + i, (struct event_process_work){ .cpu_us = i == 3 ? 15000 : 100, .read_bytes = i == 3 ? 65536 : 0 }, 0);
        CHECK_INT(table.n, 1);
        work(t, t + STARTUP_QUIET_MIN_NS + 2 * STEP, 100, 0, 0);
        CHECK(take_ended());
        CHECK_INT(ended.latency, 900 * MSEC);
        CHECK_INT(ended.processes, 5);
}

TEST(a_program_that_hands_over_to_an_instance_that_runs_has_not_started) {
        nsec_t t = SEC;

        begin_test();
        feed_exec(t, 100, 50, EVENT_LAUNCHED, "gedit");
        t = work(t, t + 400 * MSEC, 100, 800, 65536);
        work(t, t + STARTUP_QUIET_MIN_NS + 2 * STEP, 100, 0, 0);
        CHECK(take_ended());
        feed_exec(t + SEC, 200, 50, EVENT_LAUNCHED, "gedit");
        work(t + SEC, t + SEC + 100 * MSEC, 200, 800, 65536);
        feed_exit(t + SEC + 110 * MSEC, 200);
        CHECK(!take_ended());
        CHECK_INT(table.handed_over, 1);
        feed_exit(t + 2 * SEC, 100); /* and once that is gone, the next one is a start again */
        feed_exec(t + 3 * SEC, 300, 50, EVENT_LAUNCHED, "gedit");
        feed_exit(t + 3 * SEC + 50 * MSEC, 300);
        CHECK(take_ended());
}

/* It was asked for over the session's bus: the first process waits until the instance is there, and leaves. */
TEST(a_program_that_hands_over_to_an_instance_that_still_starts_has_begun_its_start) {
        nsec_t t = SEC;

        begin_test();
        feed_exec(t, 100, 1, EVENT_LAUNCHED, "gnome-text-edi");
        feed_application(t, 100, 0, "org.gnome.TextEditor");
        t = work(t, t + 500 * MSEC, 100, 500, 32768);
        feed_exec(t, 200, 1, EVENT_LAUNCHED, "gnome-text-edi");
        feed_application(t, 200, 0, "org.gnome.TextEditor");
        t = work(t, t + 400 * MSEC, 200, 900, 4096);
        feed_exit(t, 100);
        CHECK_INT(table.n, 1);
        CHECK_INT(table.handed_over, 1);
        t = work(t, t + 200 * MSEC, 200, 900, 0);
        work(t, t + STARTUP_QUIET_MIN_NS + 2 * STEP, 200, 0, 0);
        CHECK(take_ended());
        CHECK_INT(ended.latency, 1100 * MSEC);
        CHECK_INT(ended.read_bytes, 25 * 32768 + 20 * 4096);
        CHECK_INT(ended.processes, 2);
        CHECK(ended.cold);
        CHECK_INT(timeline.n, 28); /* of 40 ms */
        CHECK_INT(timeline.slices[0].read_bytes, 2 * 32768);
        CHECK_INT(timeline.slices[15].read_bytes, 2 * 4096);
        CHECK(!take_ended());
}

static void feed_user(nsec_t t, int32_t tgid, uint32_t uid) {
        struct event e = { .t = t, .kind = EVENT_PROCESS_USER, .tgid = tgid, .process_user.uid = uid };

        startup_table_feed(&table, &e, "", 0);
}

TEST(a_session_that_ends_while_another_user_s_begins_is_not_handed_over_to_it) {
        nsec_t t = SEC;

        begin_test();
        for (int32_t tgid = 100; tgid <= 200; tgid += 100) {
                feed_exec(t, tgid, 1, EVENT_LAUNCHED, "systemd");
                feed_application(t, tgid, 0, BRIO_SESSION);
                feed_user(t, tgid, 1000 + (uint32_t) tgid);
                t = work(t, t + 500 * MSEC, tgid, 500, 32768);
        }
        feed_exit(t, 100);
        CHECK_INT(table.handed_over, 0);
        CHECK(take_ended());
        CHECK_INT(ended.uid, 1100);
        CHECK_INT(table.n, 1);
        work(t, t + STARTUP_QUIET_SESSION_NS + 2 * STEP, 200, 0, 0);
        CHECK(take_ended());
        CHECK_INT(ended.latency, 500 * MSEC);
}

TEST(a_start_whose_first_process_ended_before_its_user_was_known_is_that_of_its_next_ones_user) {
        begin_test();
        feed_exec(SEC, 100, 1, EVENT_LAUNCHED, "sh");
        feed_exec(SEC + MSEC, 101, 100, 0, "gedit");
        feed_exit(SEC + 2 * MSEC, 100);
        CHECK_INT(table.startups[0].view.uid, PROCESS_UID_UNKNOWN);
        feed_user(SEC + 3 * MSEC, 101, 1000);
        CHECK_INT(table.startups[0].view.uid, 1000);
}

TEST(the_user_of_a_starts_first_process_counts_before_that_of_others) {
        begin_test();
        feed_exec(SEC, 100, 1, EVENT_LAUNCHED, "gedit");
        feed_exec(SEC + MSEC, 101, 100, 0, "helper");
        feed_user(SEC + 2 * MSEC, 101, 1001);
        feed_user(SEC + 3 * MSEC, 100, 1000);
        feed_user(SEC + 4 * MSEC, 101, 1001);
        CHECK_INT(table.startups[0].view.uid, 1000);
}

TEST(the_commands_of_a_pipe_are_one_start) {
        struct event e = { .t = SEC + MSEC, .kind = EVENT_PROCESS_EXEC, .flags = EVENT_TERMINAL, .tgid = 101,
                           .process_exec = { .parent = 50, .session = 1, .job = 100, .name = "less" } };

        begin_test();
        feed_exec(SEC, 100, 50, EVENT_TERMINAL, "journalctl");
        startup_table_feed(&table, &e, "", 0);
        CHECK_INT(table.n, 1);
        CHECK_STR(table.startups[0].view.application, "journalctl");
}

TEST(what_a_running_application_launches_is_a_start_of_its_own) {
        begin_test();
        feed_exec(SEC, 100, 1, EVENT_LAUNCHED, "file-manager");
        work(SEC, SEC + 2500 * MSEC, 100, 1000, 4096); /* busy still */
        feed_exec(SEC + 2500 * MSEC, 200, 100, EVENT_LAUNCHED, "viewer");
        CHECK_INT(table.n, 2);
        feed_exec(SEC + 2510 * MSEC, 300, 200, EVENT_LAUNCHED, "viewer-bin"); /* while that has only just started */
        CHECK_INT(table.n, 2);
}

TEST(an_id_that_does_not_fit_one_event_comes_in_parts) {
        begin_test();
        feed_exec(SEC, 100, 50, EVENT_LAUNCHED, "soffice.bin");
        feed_application(SEC, 100, EVENT_CONTINUES, "org.libreoffice.LibreOffice.wri");
        feed_application(SEC, 100, 0, "ter");
        CHECK_STR(table.startups[0].view.application, "org.libreoffice.LibreOffice.writer");
        feed_exec(SEC + MSEC, 101, 100, 0, "oosplash");
        CHECK_STR(table.startups[0].view.application, "org.libreoffice.LibreOffice.writer");
}

TEST(how_soon_it_was_noticed_is_kept) {
        begin_test();
        feed_exec(SEC, 100, 1, EVENT_LAUNCHED, "gedit");
        startup_table_note_verdict(&table, 101, SEC + 10 * MSEC);
        startup_table_note_verdict(&table, 100, SEC + 30 * MSEC);
        startup_table_note_verdict(&table, 100, SEC + 50 * MSEC);
        feed_exit(2 * SEC, 100);
        CHECK(take_ended());
        CHECK_INT(ended.noticed, 30 * MSEC);
}

TEST(a_start_without_a_name_is_not_kept) {
        begin_test();
        feed_exec(SEC, 100, 1, EVENT_LAUNCHED, "");
        work(SEC, 2 * SEC, 100, 900, 8192);
        feed_exit(2 * SEC, 100);
        CHECK_INT(table.n, 0);
        CHECK(!take_ended());
        CHECK_INT(table.refused, 0);
}

TEST(the_sessions_word_ends_a_start) {
        begin_test();
        feed_exec(SEC, 100, 50, EVENT_LAUNCHED, "gedit");
        work(SEC, SEC + 300 * MSEC, 100, 1000, 65536);
        startup_table_feed(&table, &(struct event){ .t = SEC + 310 * MSEC, .kind = EVENT_PROCESS_READY, .tgid = 100 }, "", 0);
        CHECK(take_ended());
        CHECK_INT(ended.end, STARTUP_READY);
        CHECK_INT(ended.latency, 310 * MSEC);
}

TEST(a_start_that_is_never_quiet_is_given_up) {
        begin_test();
        feed_exec(SEC, 100, 50, EVENT_LAUNCHED, "game");
        work(SEC, SEC + STARTUP_GIVE_UP_NS + 3 * STEP, 100, 1000, 65536);
        CHECK_INT(table.n, 0);
        CHECK_INT(table.given_up, 1);
        CHECK(!take_ended());
}

TEST(more_than_there_is_room_for_is_counted) {
        begin_test();
        for (int32_t i = 0; i < STARTUPS_MAX + 3; i++)
                feed_exec(SEC, 100 + i, 50, EVENT_LAUNCHED, "app");
        CHECK_INT(table.n, STARTUPS_MAX);
        CHECK_INT(table.refused, 3);
        for (int32_t i = 0; i < STARTUP_MEMBERS_MAX + 5; i++)
                feed_fork(SEC, 1000 + i, 100);
        CHECK_INT(table.refused, 3 + 6);
}

TEST(processes_are_looked_at_often_at_first) {
        int32_t tgids[8];
        nsec_t next;

        begin_test();
        CHECK_INT(startup_table_due(&table, SEC, tgids, 8, &next), 0);
        CHECK_INT(next, 0);
        feed_exec(SEC, 100, 50, EVENT_LAUNCHED, "gedit");
        feed_fork(SEC, 101, 100);
        CHECK_INT(startup_table_due(&table, SEC + 5 * MSEC, tgids, 8, &next), 0);
        CHECK_INT(next, SEC + 20 * MSEC);
        CHECK_INT(startup_table_due(&table, SEC + 20 * MSEC, tgids, 8, &next), 2);
        work(SEC, SEC + 3 * SEC, 100, 1000, 65536);
        startup_table_due(&table, SEC + 3 * SEC, tgids, 8, &next);
        CHECK_INT(next, SEC + 3 * SEC + 50 * MSEC);
}

/* The rest is the model's: names, single requests, the verdict. */

static struct snapshot snapshot;
static struct detectors detectors;
static struct verdict verdicts[DETECTORS_VERDICTS_MAX];

static void tell(struct model *m, struct event e) {
        model_feed(m, &e);
}

static void tell_name(struct model *m, int32_t tgid, const char *name) {
        struct event e = { .t = SEC, .kind = EVENT_PROCESS_NAME, .tgid = tgid, .process_name.start_ticks = (uint64_t) tgid };

        str_copy(e.process_name.name, sizeof(e.process_name.name), name);
        model_feed(m, &e);
}

/* A read of one process takes the drive so long. */
static void tell_read(struct model *m, nsec_t t, nsec_t took, int32_t tgid, uint64_t sector) {
        struct event e = { .t = t, .dev = DRIVE, .request = { .sector = sector, .sectors = 64 } };

        e.kind = EVENT_REQUEST_QUEUE;
        e.tgid = tgid;
        model_feed(m, &e);
        e.tgid = 0;
        e.kind = EVENT_REQUEST_ISSUE;
        model_feed(m, &e);
        e.t = t + took;
        e.kind = EVENT_REQUEST_COMPLETE;
        model_feed(m, &e);
}

static const struct verdict *find_startup(size_t n) {
        for (size_t i = 0; i < n; i++)
                if (verdicts[i].kind == VERDICT_STARTUP)
                        return &verdicts[i];
        return NULL;
}

TEST(the_verdict_begins_with_the_exec_on_the_programs_drive) {
        struct model *m = model_new();
        const struct verdict *v;

        memset(&detectors, 0, sizeof(detectors));
        tell(m, (struct event){ .t = SEC, .kind = EVENT_DEVICE_STAT, .dev = DRIVE, .device_stat.span_us = 1 });
        tell(m, (struct event){ .t = SEC, .kind = EVENT_DEVICE_STAT, .dev = OTHER, .device_stat.span_us = 1 });
        tell(m, (struct event){ .t = 2 * SEC, .kind = EVENT_PROCESS_EXEC, .flags = EVENT_LAUNCHED, .dev = DRIVE, .tgid = 100,
                                .process_exec = { .start_ticks = 7, .name = "gedit" } });
        model_snapshot(m, 2 * SEC + MSEC, &snapshot);
        v = find_startup(detectors_run(&detectors, &snapshot, verdicts));
        CHECK(v);
        CHECK_INT(v->dev, DRIVE);
        CHECK_INT(v->subject.tgid, 100);
        CHECK_INT(v->subject.start_ticks, 7);
        CHECK_STR(v->subject.name, "gedit");
        CHECK_STR(told(v->sentence), "gedit starts: 1 ms so far, 0 B read");
        CHECK(!find_startup(0));
        tell(m, (struct event){ .t = 3 * SEC, .kind = EVENT_PROCESS_EXIT, .tgid = 100 });
        model_snapshot(m, 3 * SEC, &snapshot);
        CHECK(!find_startup(detectors_run(&detectors, &snapshot, verdicts)));
        model_free(m);
}

TEST(its_drive_is_the_one_that_it_read_from_most) {
        struct event io = { .t = SEC + MSEC, .kind = EVENT_PROCESS_IO, .dev = DRIVE, .tgid = 100, .process_io.read_bytes = 4096 };

        begin_test();
        feed_exec(SEC, 100, 1, EVENT_LAUNCHED, "gedit");
        startup_table_feed(&table, &io, "gedit", 0);
        startup_get_view(&table.startups[0], 2 * SEC, &ended);
        CHECK_INT(ended.devs[0], DRIVE);
        io.dev = OTHER;
        io.process_io.read_bytes = 1 << 20;
        startup_table_feed(&table, &io, "gedit", 0);
        startup_get_view(&table.startups[0], 2 * SEC, &ended);
        CHECK_INT(ended.n_devs, 2);
        CHECK_INT(ended.devs[0], OTHER);
        CHECK_INT(ended.devs[1], DRIVE);
        table.startups[0].waited_on[0] = MSEC; /* what it waited for counts more than what it read at once */
        startup_get_view(&table.startups[0], 2 * SEC, &ended);
        CHECK_INT(ended.devs[0], DRIVE);
}

TEST(the_culprit_is_the_process_that_had_the_drive_while_the_start_waited) {
        struct model *m = model_new();
        struct startup_ended e;
        struct startup_view v;
        nsec_t t = 2 * SEC;

        tell_name(m, 200, "cp");
        tell_name(m, 300, "find");
        tell(m, (struct event){ .t = SEC, .kind = EVENT_WATCH, .dev = DRIVE, .watch = { .on = true } });
        tell(m, (struct event){ .t = t, .kind = EVENT_PROCESS_EXEC, .flags = EVENT_LAUNCHED, .dev = DRIVE, .tgid = 100,
                                .process_exec = { .name = "gedit" } });
        for (uint64_t i = 0; i < 50; i++, t += STEP) { /* of each 20 ms 16 for cp, 2 for find, 1 for itself, which waits for that */
                struct event own = { .t = t, .dev = DRIVE, .kind = EVENT_REQUEST_QUEUE, .tgid = 100, .request = { .sector = 9000 + i * 64, .sectors = 64 } };
                model_feed(m, &own);
                tell_read(m, t, 16 * MSEC, 200, 100000 + i * 64);
                tell_read(m, t + 16 * MSEC, 2 * MSEC, 300, i * 64);
                own.tgid = 0;
                own.t = t + 18 * MSEC;
                own.kind = EVENT_REQUEST_ISSUE;
                model_feed(m, &own);
                own.t = t + 19 * MSEC;
                own.kind = EVENT_REQUEST_COMPLETE;
                model_feed(m, &own);
                tell(m, (struct event){ .t = t + STEP, .kind = EVENT_PROCESS_WORK, .flags = EVENT_WAITING, .tgid = 100,
                                        .process_work = { .span_us = 20000, .waited_us = 20000, .read_bytes = 32768 } });
        }
        tell(m, (struct event){ .t = t + MSEC, .kind = EVENT_PROCESS_EXIT, .tgid = 100 });
        CHECK(model_take_startup(m, &e));
        v = e.view;
        CHECK_INT(v.n_culprits, 2);
        CHECK_STR(v.culprits[0].name, "cp");
        CHECK_INT(v.culprits[0].tgid, 200);
        CHECK(v.culprits[0].permille > 820 && v.culprits[0].permille < 860);
        CHECK_STR(v.culprits[1].name, "find");
        CHECK(v.observed);
        CHECK_INT(v.requests, 50);
        CHECK(v.waited >= 900 * MSEC && v.waited <= 960 * MSEC); /* 19 of each 20 ms, and not the state D that was told */
        CHECK_INT(e.timeline.n, 50);
        for (size_t i = 2; i < 48; i++) { /* of those 18 behind the others */
                CHECK_INT(e.timeline.slices[i].waited_us, 19000);
                CHECK(e.timeline.slices[i].behind_us > 16000 && e.timeline.slices[i].behind_us < 18500);
        }
        model_free(m);
}

TEST(a_kernel_thread_is_of_no_start) {
        struct startup s = { .view.tgid = 100, .members = { 100 } }; /* places that are free have no process, as kernel threads have */

        CHECK(startup_has_member(&s, 100));
        CHECK(!startup_has_member(&s, 0));
}

TEST(what_the_flusher_writes_is_the_writers) {
        struct startup s = { .view.tgid = 100, .own_ns = 100 };
        struct startup_culprit dd = { .name = "dd", .tgid = 200 }, cat = { .name = "cat", .tgid = 300 }, unknown = { 0 };
        struct startup_view v;

        startup_note_served(&s, &unknown, REQUEST_WRITE, 800, 0);
        startup_note_served(&s, &dd, REQUEST_WRITE, 0, 3000);
        startup_note_served(&s, &cat, REQUEST_WRITE, 0, 1000);
        startup_note_served(&s, &cat, REQUEST_READ, 100, 5000);
        startup_list_culprits(&s, &v);
        CHECK_INT(v.n_culprits, 2);
        CHECK_STR(v.culprits[0].name, "dd");
        CHECK_INT(v.culprits[0].permille, 600);
        CHECK_INT(v.culprits[1].permille, 300);
}

TEST(the_process_that_has_most_of_the_drive_is_named_however_many_came_before) {
        struct startup s = { .view.tgid = 100, .own_ns = MSEC };
        struct startup_culprit small = { .tgid = 1000 }, large = { .name = "cp", .tgid = 200 };
        struct startup_view v;

        for (int round = 0; round < 100; round++) {
                for (int i = 0; i < 40; i++) { /* each has a fiftieth */
                        snprintf(small.name, sizeof(small.name), "r%d", i);
                        startup_note_served(&s, &small, REQUEST_READ, MSEC, 4096);
                }
                if (round >= 20)
                        startup_note_served(&s, &large, REQUEST_READ, 10 * MSEC, 40960);
        }
        startup_list_culprits(&s, &v);
        CHECK_INT(v.n_culprits, 1);
        CHECK_STR(v.culprits[0].name, "cp");
        CHECK(v.culprits[0].permille >= 160 && v.culprits[0].permille <= 167); /* 800 of 4801, one that made room counts */
        CHECK(s.served_refused > 0);
}

TEST(without_single_requests_bytes_tell_the_culprit) {
        struct startup s = { .view = { .tgid = 100, .read_bytes = 1000 } };
        struct startup_culprit copies[] = { { .name = "cp", .tgid = 200 }, { .name = "cp", .tgid = 201 }, { .name = "", .tgid = 300 } };
        struct startup_view v;

        for (size_t i = 0; i < ARRAY_SIZE(copies); i++)
                startup_note_served(&s, &copies[i], REQUEST_READ, 0, 3000);
        startup_list_culprits(&s, &v);
        CHECK_INT(v.n_culprits, 1); /* one without a name cannot be named */
        CHECK_STR(v.culprits[0].name, "cp");
        CHECK_INT(v.culprits[0].permille, 600);
}

TEST(where_nothing_waited_there_is_no_culprit) {
        struct startup s = { .view = { .tgid = 100, .begun = SEC, .devs = { DRIVE }, .n_devs = 1 } };
        struct startup_culprit cp = { .name = "cp", .tgid = 200 };
        struct startup_view v;

        startup_note_served(&s, &cp, REQUEST_READ, 900 * MSEC, 1 << 20);
        startup_get_view(&s, 2 * SEC, &v);
        CHECK_INT(v.n_culprits, 0);
        s.view.waited = MSEC - 1; /* 0.0 % */
        startup_get_view(&s, 2 * SEC, &v);
        CHECK_INT(v.n_culprits, 0);
        s.view.waited = MSEC;
        startup_get_view(&s, 2 * SEC, &v);
        CHECK_INT(v.n_culprits, 1);
}

TEST(events_without_sense_are_survived) {
        struct model *m = model_new();
        uint64_t state = test_seed();

        for (size_t i = 0; i < 200000; i++) {
                struct event e;
                uint64_t *words = (uint64_t *) &e;
                for (size_t k = 0; k < sizeof(e) / sizeof(*words); k++)
                        words[k] = test_random(&state) >> (test_random(&state) % 64);
                e.kind = (uint16_t) (test_random(&state) % 2 ? EVENT_PROCESS_EXIT : EVENT_PROCESS_FORK + test_random(&state) % 5);
                e.tgid = (int32_t) (test_random(&state) % 100);
                e.process_exec.parent = (int32_t) (test_random(&state) % 100);
                e.dev = (uint32_t) (test_random(&state) % 3);
                model_feed(m, &e);
                if (i % 100 == 0)
                        model_snapshot(m, e.t, &snapshot);
        }
        CHECK(snapshot.n_startups <= STARTUPS_MAX);
        model_free(m);
}
