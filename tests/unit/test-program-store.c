/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "policy-load.h"
#include "program-store.h"
#include "test.h"

static unsigned findings;

static void count(void *userdata _unused_, enum policy_severity severity _unused_, const char *file _unused_, int line _unused_, const char *message _unused_) {
        findings++;
}

static int load(struct policy_programs *ret) {
        findings = 0;
        return program_store_load(test_tmpdir(), count, NULL, ret);
}

static void rule(struct policy_programs *p, const char *name, enum program_rule r) {
        CHECK_INT(policy_programs_set(p, name, r, (struct policy_source) { 0 }), 0);
}

static bool is_same(const struct policy_programs *a, const struct policy_programs *b) {
        for (size_t i = 0; i < a->n; i++)
                if (strcmp(a->all[i].name, b->all[i].name) != 0 || a->all[i].rule != b->all[i].rule)
                        return false;
        return a->n == b->n;
}

TEST(what_was_set_is_there_after_a_restart_as_a_drop_in_that_a_policy_could_have) {
        struct policy_programs written = { .n = 0 }, read = { .n = 0 };
        struct policy p;

        CHECK_INT(load(&read), 0);
        CHECK_INT(read.n, 0);
        rule(&written, "Web Content", PROGRAM_NEVER);
        rule(&written, "updatedb", PROGRAM_ALWAYS);
        rule(&written, "#hash;=[x]", PROGRAM_NEVER);
        rule(&written, "grün", PROGRAM_ALWAYS);
        CHECK_INT(program_store_save(test_tmpdir(), &written), 0);
        CHECK_INT(load(&read), 0);
        CHECK(is_same(&written, &read) && findings == 0);
        CHECK_STR(test_read_file(test_tmpdir(), "programs.conf.new"), "(missing)");
        policy_init(&p, "10-hdd", "10-hdd.conf");
        CHECK_INT(policy_parse_text(&p, "x.conf", test_read_file(test_tmpdir(), "programs.conf"), strlen(test_read_file(test_tmpdir(), "programs.conf")), count, NULL), 0);
        CHECK(is_same(&written, &p.step_back.programs));
}

TEST(as_many_as_there_may_be_fit_and_without_any_there_is_no_file) {
        struct policy_programs written = { .n = 0 }, read = { .n = 0 };
        char name[EVENT_NAME_MAX];

        for (int i = 0; i < POLICY_PROGRAMS_MAX; i++) {
                snprintf(name, sizeof(name), "fifteen-bytes%02x", (uint8_t) i);
                rule(&written, name, PROGRAM_ALWAYS);
        }
        CHECK_INT(program_store_save(test_tmpdir(), &written), 0);
        CHECK_INT(load(&read), 0);
        CHECK(is_same(&written, &read) && findings == 0);
        written.n = 0;
        CHECK_INT(program_store_save(test_tmpdir(), &written), 0);
        CHECK_STR(test_read_file(test_tmpdir(), "programs.conf"), "(missing)");
        CHECK_INT(program_store_save(test_tmpdir(), &written), 0); /* it may be gone already */
        CHECK_INT(program_store_save("/nonexistent", &written), -ENOENT);
}

/* A disk that is full, or a directory that may not be written to: what stands stays. */
TEST(where_the_new_file_cannot_be_written_the_old_one_stays_whole) {
        struct policy_programs first = { .n = 0 }, second = { .n = 0 }, read = { .n = 0 };
        char path[PATH_MAX];

        rule(&first, "tar", PROGRAM_NEVER);
        rule(&second, "cp", PROGRAM_NEVER);
        CHECK_INT(program_store_save(test_tmpdir(), &first), 0);
        snprintf(path, sizeof(path), "%s/programs.conf.new", test_tmpdir());
        CHECK_INT(mkdir(path, 0700), 0); /* in its way */
        CHECK(program_store_save(test_tmpdir(), &second) < 0);
        CHECK_INT(load(&read), 0);
        CHECK(is_same(&first, &read));
        CHECK_INT(rmdir(path), 0);
        CHECK_INT(program_store_save(test_tmpdir(), &second), 0);
        CHECK_INT(load(&read), 0);
        CHECK(is_same(&second, &read));
}

TEST(the_good_lines_of_a_damaged_file_hold_and_what_is_no_file_hangs_nothing) {
        struct policy_programs read = { .n = 0 };
        char path[PATH_MAX];

        snprintf(path, sizeof(path), "%s/programs.conf", test_tmpdir());
        unlink(path);
        test_write_file(test_tmpdir(), "programs.conf", "[StepBack]\nNever = tar\nNonsense\nAlways = \x01\nAlways = cp\nNev");
        CHECK_INT(load(&read), 0);
        CHECK_INT(findings, 3);
        CHECK_INT(read.n, 2);
        CHECK_INT(unlink(path), 0);
        CHECK_INT(mkfifo(path, 0600), 0);
        CHECK_INT(load(&read), -ENOTSUP);
        CHECK_INT(unlink(path), 0);
        CHECK_INT(program_store_load("/nonexistent", count, NULL, &read), 0);
}
