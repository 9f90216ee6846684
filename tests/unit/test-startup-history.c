/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>

#include "line-file.h"
#include "startup-history.h"
#include "startup-store.h"
#include "str.h"
#include "test.h"
#include "told.h"

#define MSEC NSEC_PER_MSEC

static struct startup_history history, loaded;

static struct startup_record make(const char *application, uint64_t time, nsec_t latency, bool cold) {
        struct startup_record r = {
                .time_usec = time, .device = "sda",
                .start = { .tgid = 4711, .launched = true, .cold = cold, .observed = true, .end = STARTUP_QUIET, .latency = latency,
                           .waited = latency / 2, .read_bytes = 12000000, .requests = 300, .faults = 20, .processes = 3, .noticed = 18 * MSEC },
        };

        str_copy(r.start.application, sizeof(r.start.application), application);
        str_copy(r.start.name, sizeof(r.start.name), "prog");
        return r;
}

static void add(const char *application, uint64_t time, nsec_t latency, bool cold) {
        struct startup_record r = make(application, time, latency, cold);

        startup_history_add(&history, &r);
}

static void begin_test(void) {
        memset(&history, 0, sizeof(history));
        memset(&loaded, 0, sizeof(loaded));
}

TEST(figures_are_those_of_the_nearest_rank) {
        struct startup_figures f;

        begin_test();
        for (uint64_t i = 1; i <= 20; i++)
                add("gedit", i, (21 - i) * 100 * MSEC, true);
        add("gedit", 30, MSEC, false);
        startup_history_figures(startup_history_find(&history, "gedit"), true, &f);
        CHECK_INT(f.n, 20);
        CHECK_INT(f.best, 100 * MSEC);
        CHECK_INT(f.median, 1000 * MSEC);
        CHECK_INT(f.p95, 1900 * MSEC);
        startup_history_figures(startup_history_find(&history, "gedit"), false, &f);
        CHECK_INT(f.n, 1);
        CHECK(f.best == MSEC && f.median == MSEC && f.p95 == MSEC);
        CHECK(!startup_history_find(&history, "gimp"));
        CHECK(!startup_history_find(&history, ""));
}

static bool sees(const void *reader, uint32_t uid) {
        return uid == *(const uint32_t *) reader;
}

TEST(a_user_is_told_of_the_own_starts_as_if_there_were_no_others) {
        static struct startup_application a;
        uint32_t one = 1000, other = 1002;

        begin_test();
        for (uint64_t i = 1; i <= 6; i++) {
                struct startup_record r = make("gedit", i, i * 100 * MSEC, true);
                r.start.uid = i % 2 ? 1000 : 1001;
                startup_history_add(&history, &r);
        }
        startup_history_select(startup_history_find(&history, "gedit"), sees, &one, &a);
        CHECK_INT(a.n, 3);
        CHECK_INT(a.starts, 3);
        CHECK(a.records[0].time_usec == 1 && a.records[1].time_usec == 3 && a.records[2].time_usec == 5);
        startup_history_select(startup_history_find(&history, "gedit"), sees, &other, &a);
        CHECK_INT(a.n, 0);
}

TEST(the_newest_timeline_is_that_of_the_newest_start_that_the_reader_sees) {
        struct startup_timeline timeline = { .width = STARTUP_SLICE_NS, .n = 1 };
        const struct startup_record *record = NULL;
        uint32_t one = 1000, other = 1002;

        begin_test();
        for (uint64_t i = 1; i <= 2; i++) {
                struct startup_record r = make("gedit", i, MSEC, true);
                r.start.uid = i == 1 ? 1000 : 1001;
                startup_history_add(&history, &r);
                startup_history_add_course(&history, &r, &timeline);
        }
        CHECK(startup_history_find_course(&history, "gedit", 0, sees, &one, &record));
        CHECK(record && record->time_usec == 1);
        CHECK(!startup_history_find_course(&history, "gedit", 0, sees, &other, &record));
}

TEST(timelines_of_the_newest_starts_are_kept) {
        struct startup_timeline timeline = { .width = STARTUP_SLICE_NS, .n = 1 };
        const struct startup_record *record = NULL;
        const struct startup_course *c;
        uint32_t one = 1000;

        begin_test();
        for (uint64_t i = 1; i <= STARTUP_TIMELINES_MAX + 2; i++) {
                struct startup_record r = make(i % 2 ? "gedit" : "gimp", i, MSEC, true);
                r.start.uid = one;
                timeline.slices[0].read_bytes = (uint32_t) i;
                startup_history_add(&history, &r);
                startup_history_add_course(&history, &r, &timeline);
        }
        c = startup_history_find_course(&history, "gedit", 0, sees, &one, &record);
        CHECK(c && c->time_usec == STARTUP_TIMELINES_MAX + 1);
        CHECK(record && record->time_usec == c->time_usec);
        c = startup_history_find_course(&history, "gedit", 3, sees, &one, &record);
        CHECK(c && c->timeline.slices[0].read_bytes == 3);
        CHECK(!startup_history_find_course(&history, "gedit", 1, sees, &one, &record)); /* made room */
        CHECK(!startup_history_find_course(&history, "gimp", 3, sees, &one, &record));
        CHECK(!startup_history_find_course(&history, "", 0, sees, &one, &record));
}

TEST(the_oldest_starts_and_applications_make_room) {
        char name[16];

        begin_test();
        for (uint64_t i = 0; i < STARTUP_RECORDS_MAX + 5; i++)
                add("gedit", i, MSEC, true);
        CHECK_INT(startup_history_find(&history, "gedit")->n, STARTUP_RECORDS_MAX);
        CHECK_INT(startup_history_find(&history, "gedit")->records[0].time_usec, 5);
        CHECK_INT(startup_history_find(&history, "gedit")->starts, STARTUP_RECORDS_MAX + 5);
        for (unsigned i = 1; i < STARTUP_APPLICATIONS_MAX; i++) {
                snprintf(name, sizeof(name), "app-%u", i);
                add(name, 1000 + i, MSEC, true);
        }
        CHECK_INT(history.forgotten, 0);
        add("app-1", 5000, MSEC, true);
        add("new", 6000, MSEC, true);
        CHECK_INT(history.forgotten, 1);
        CHECK(!startup_history_find(&history, "gedit"));
        CHECK(startup_history_find(&history, "app-1"));
        CHECK(startup_history_find(&history, "new"));
}

TEST(a_sentence_says_what_there_is_to_say) {
        struct startup_record r = make("gedit", 1, 4200 * MSEC, true), warm = make("gedit", 1, 310 * MSEC, false);
        char text[STARTUP_SENTENCE_MAX];

        begin_test();
        CHECK_STR(told(startup_format_sentence(&r, NULL, text, sizeof(text))),
                  "gedit started in 4.2 s, cold: 12 MB read from sda, 50 % of the time waiting for the drive");
        r.start.n_culprits = 1;
        r.start.culprits[0] = (struct startup_culprit){ .name = "cp", .permille = 789 };
        startup_history_add(&history, &r);
        add("gedit", 2, 1900 * MSEC, true);
        CHECK_STR(told(startup_format_sentence(&r, startup_history_find(&history, "gedit"), text, sizeof(text))),
                  "gedit started in 4.2 s, cold: 12 MB read from sda, 50 % of the time waiting for the drive; "
                  "meanwhile 78 % of what the drive did was for cp; at its best it takes 1.9 s");
        warm.start.waited = 0;
        CHECK_STR(told(startup_format_sentence(&warm, NULL, text, sizeof(text))), "gedit started in 310 ms, warm: nothing had to be read");
}

TEST(a_line_comes_back_as_it_was) {
        struct startup_record r = make("org.gnome.TextEditor", 1767182400000000, 1234 * MSEC, true), back;
        char line[STARTUP_LINE_MAX];
        size_t length;

        r.start.n_culprits = 2;
        r.start.culprits[0] = (struct startup_culprit){ .name = "cp", .tgid = 7, .uid = PROCESS_UID_UNKNOWN, .permille = 600 };
        r.start.culprits[1] = (struct startup_culprit){ .name = "a b", .tgid = 8, .uid = PROCESS_UID_UNKNOWN, .permille = 200 };
        r.start.uid = 1000;
        r.helped = true;
        length = startup_line_format(line, &r);
        CHECK(length > 0 && line[length - 1] == '\n');
        CHECK_INT(startup_line_parse(line, length - 1, &back), 0);
        CHECK(memcmp(&r, &back, sizeof(r)) == 0);
        for (size_t i = 0; i < length - 1; i++) { /* whatever is damaged */
                line[i] ^= 1;
                CHECK_INT(startup_line_parse(line, length - 1, &back), -EBADMSG);
                line[i] ^= 1;
                CHECK_INT(startup_line_parse(line, i, &back), -EBADMSG);
        }
}

/* As they were before a start's line said when it was noticed. */
static size_t write_earlier_form(char *line, const char *culprits) {
        snprintf(line, STARTUP_LINE_MAX, LINE_MAGIC "\tstart\t1767182400000000\torg.gnome.TextEditor\tsda\t4711\tprog\tquiet\tlco\t1234000\t617000\t12000000\t300\t20\t3%s",
                 culprits);
        return line_seal(line, STARTUP_LINE_MAX);
}

TEST(lines_of_an_earlier_form_are_no_damage_and_are_saved_in_todays) {
        const char *dir = test_tmpdir();
        char earlier[2][STARTUP_LINE_MAX], text[2 * STARTUP_LINE_MAX];
        struct startup_record r;
        size_t length, damaged = 9;

        begin_test();
        length = write_earlier_form(earlier[0], "");
        CHECK_INT(startup_line_parse(earlier[0], length - 1, &r), 0);
        CHECK_INT(r.start.noticed, 0);
        CHECK(!r.helped);
        CHECK_INT(r.start.uid, PROCESS_UID_UNKNOWN);
        CHECK_INT(r.start.processes, 3);
        CHECK_INT(r.start.n_culprits, 0);
        length = write_earlier_form(earlier[1], "\tcp\t7\t600\ta b\t8\t200");
        CHECK_INT(startup_line_parse(earlier[1], length - 1, &r), 0);
        CHECK_INT(r.start.n_culprits, 2);
        CHECK_INT(r.start.culprits[1].permille, 200);
        snprintf(text, sizeof(text), "%s%s", earlier[0], earlier[1]);
        test_write_file(dir, "startups", text);
        CHECK_INT(startup_store_load(dir, &loaded, &damaged), 0);
        CHECK_INT(damaged, 0);
        CHECK_INT(startup_history_find(&loaded, "org.gnome.TextEditor")->n, 2);
        CHECK_INT(startup_store_save(dir, &loaded), 0);
        CHECK(strstr(test_read_file(dir, "startups"), "\t3\t0\t4294967295\tcp\t7\t600"));
}

TEST(the_longest_texts_stay_one_line) {
        struct startup_record r = make("", 1, 1, true), back;
        char line[STARTUP_LINE_MAX];
        size_t length;

        memset(r.start.application, 'x', sizeof(r.start.application) - 1);
        memset(r.device, 'y', sizeof(r.device) - 1);
        r.start.n_culprits = STARTUP_CULPRITS_SHOWN;
        for (size_t i = 0; i < STARTUP_CULPRITS_SHOWN; i++) {
                r.start.culprits[i] = (struct startup_culprit){ .tgid = INT32_MAX, .permille = 1000 };
                memset(r.start.culprits[i].name, '\t', sizeof(r.start.culprits[i].name) - 1);
        }
        r.time_usec = r.start.read_bytes = UINT64_MAX;
        length = startup_line_format(line, &r);
        CHECK_INT(strcspn(line, "\n"), length - 1);
        CHECK_INT(startup_line_parse(line, length - 1, &back), 0);
        CHECK_STR(back.start.culprits[2].name, "???????????????");
        CHECK_INT(back.start.read_bytes, UINT64_MAX);
}

TEST(what_is_saved_is_there_after_a_restart) {
        const char *dir = test_tmpdir();
        size_t damaged = 9;

        begin_test();
        CHECK_INT(startup_store_load(dir, &loaded, &damaged), 0); /* nothing yet */
        CHECK_INT(damaged, 0);
        add("gedit", 1, MSEC, true);
        add("gedit", 2, 2 * MSEC, true);
        add("gimp", 3, 3 * MSEC, false);
        CHECK_INT(startup_store_save(dir, &history), 0);
        CHECK_INT(startup_store_load(dir, &loaded, &damaged), 0);
        CHECK_INT(damaged, 0);
        CHECK_INT(startup_history_find(&loaded, "gedit")->n, 2);
        CHECK_INT(startup_history_find(&loaded, "gimp")->records[0].start.latency, 3 * MSEC);
        CHECK_STR(test_read_file(dir, "startups.new"), "(missing)");
}

TEST(damage_costs_the_lines_that_it_is_in) {
        const char *dir = test_tmpdir();
        char text[4096];
        size_t damaged = 0;

        begin_test();
        add("gedit", 1, MSEC, true);
        add("gimp", 3, 3 * MSEC, false);
        CHECK_INT(startup_store_save(dir, &history), 0);
        snprintf(text, sizeof(text), "garbage\n%s\nbrio1\tstart\tcut", test_read_file(dir, "startups"));
        test_write_file(dir, "startups", text);
        CHECK_INT(startup_store_load(dir, &loaded, &damaged), 0);
        CHECK_INT(damaged, 2);
        CHECK(startup_history_find(&loaded, "gedit") && startup_history_find(&loaded, "gimp"));
        CHECK_STR(test_read_file(dir, "startups"), "(missing)");
        CHECK(strstr(test_read_file(dir, "startups.damaged"), "garbage"));
}

/* A file that may grow no longer stands for a full disk. */
TEST(a_full_disk_costs_nothing_that_was_there) {
        const char *dir = test_tmpdir();
        struct rlimit old, limit;
        size_t damaged;
        char before[4096];
        int r;

        begin_test();
        add("gedit", 1, MSEC, true);
        CHECK_INT(startup_store_save(dir, &history), 0);
        str_copy(before, sizeof(before), test_read_file(dir, "startups"));
        for (uint64_t i = 0; i < 20; i++)
                add("gimp", i, MSEC, true);
        CHECK_INT(getrlimit(RLIMIT_FSIZE, &old), 0);
        limit = old;
        limit.rlim_cur = 500;
        signal(SIGXFSZ, SIG_IGN);
        CHECK_INT(setrlimit(RLIMIT_FSIZE, &limit), 0);
        r = startup_store_save(dir, &history);
        CHECK_INT(setrlimit(RLIMIT_FSIZE, &old), 0);
        signal(SIGXFSZ, SIG_DFL);
        CHECK_INT(r, -EFBIG);
        CHECK_STR(test_read_file(dir, "startups"), before);
        CHECK_STR(test_read_file(dir, "startups.new"), "(missing)");
        CHECK_INT(startup_store_load(dir, &loaded, &damaged), 0);
        CHECK(startup_history_find(&loaded, "gedit"));
        CHECK_INT(startup_store_save(dir, &history), 0); /* and later there is room */
}

TEST(what_is_no_file_of_ours_is_left_out) {
        const char *dir = test_tmpdir();
        char path[4096], damaged_path[4096];
        size_t damaged = 0;
        uint64_t state = test_seed();

        begin_test();
        CHECK_INT(startup_store_load("/nonexistent/dir", &loaded, &damaged), -ENOENT);
        snprintf(path, sizeof(path), "%s/startups", dir);
        unlink(path); /* earlier tests' */
        snprintf(damaged_path, sizeof(damaged_path), "%s/startups.damaged", dir);
        unlink(damaged_path);
        CHECK_INT(mkdir(path, 0755), 0);
        CHECK(startup_store_load(dir, &loaded, &damaged) == 0 && damaged > 0);
        for (unsigned i = 0; i < 20000; i++) {
                char line[STARTUP_LINE_MAX + 8];
                struct startup_record r;
                size_t length = test_random(&state) % sizeof(line);
                for (size_t k = 0; k < length; k++)
                        line[k] = (char) test_random(&state);
                CHECK_INT(startup_line_parse(line, length, &r), -EBADMSG);
        }
}
