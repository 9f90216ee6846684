/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <limits.h>
#include <sys/stat.h>

#include "blktrace-state.h"
#include "test.h"

#define BOOT "0f0e0d0c-0b0a-0908-0706-050403020100"
#define MS NSEC_PER_MSEC

static struct blktrace_state state;

static const char *dir(void) {
        return test_tmpdir();
}

static void fresh(void) {
        char path[PATH_MAX];

        snprintf(path, sizeof(path), "%s/" BLKTRACE_STATE_FILE, dir());
        unlink(path);
        if (blktrace_state_open(&state, dir(), BOOT) < 0)
                abort();
}

static void again(void) {
        if (blktrace_state_open(&state, dir(), BOOT) < 0)
                abort();
}

static struct blktrace_mark mark(const char *name, uint64_t inode, nsec_t made) {
        struct blktrace_mark m = { .inode = inode, .made = made };

        snprintf(m.name, sizeof(m.name), "%s", name);
        return m;
}

TEST(what_was_noted_the_next_run_finds) {
        const struct blktrace_mark sda = mark("sda", 0, 5), made = mark("sda", 77, 1700000000123456789), other = mark("nvme0n1", 78, 6);

        fresh();
        CHECK_INT(state.n, 0);
        CHECK_INT(blktrace_state_note(&state, &sda), 0);
        CHECK_INT(blktrace_state_note(&state, &made), 0);
        CHECK_INT(blktrace_state_note(&state, &other), 0);
        again();
        CHECK_INT(state.n, 2);
        CHECK(blktrace_state_find(&state, "sda"));
        CHECK_INT(blktrace_state_find(&state, "sda")->inode, 77);
        CHECK(blktrace_state_find(&state, "sda")->made == 1700000000123456789);
        CHECK(!blktrace_state_find(&state, "sdb"));
}

TEST(the_last_one_removes_the_file) {
        const struct blktrace_mark sda = mark("sda", 7, 5), sdb = mark("sdb", 8, 6);

        fresh();
        CHECK_INT(blktrace_state_note(&state, &sda), 0);
        CHECK_INT(blktrace_state_note(&state, &sdb), 0);
        CHECK_INT(blktrace_state_forget(&state, "sda"), 0);
        CHECK_INT(blktrace_state_forget(&state, "sda"), 0);
        again();
        CHECK_INT(state.n, 1);
        CHECK_INT(blktrace_state_forget(&state, "sdb"), 0);
        CHECK_STR(test_read_file(dir(), BLKTRACE_STATE_FILE), "(missing)");
        CHECK_STR(test_read_file(dir(), BLKTRACE_STATE_FILE ".new"), "(missing)");
}

TEST(marks_of_another_boot_are_none) {
        const struct blktrace_mark sda = mark("sda", 7, 5);

        fresh();
        CHECK_INT(blktrace_state_note(&state, &sda), 0);
        CHECK_INT(blktrace_state_open(&state, dir(), "another-boot"), 0);
        CHECK_INT(state.n, 0);
}

TEST(damaged_lines_are_none) {
        static const char text[] =
                "brio-blktrace-1 " BOOT " sda 7 5\n"
                "brio-blktrace-1 " BOOT " sda 9 5\n"       /* twice */
                "brio-blktrace-1 " BOOT " ../../etc 7 5\n"
                "brio-blktrace-1 " BOOT "  7 5\n"
                "brio-blktrace-1 " BOOT " .. 7 5\n"
                "brio-blktrace-1 " BOOT " sdc 7\n"
                "brio-blktrace-1 " BOOT " sdd 7 5 3\n"
                "brio-blktrace-1 " BOOT " sde -7 5\n"
                "brio-blktrace-1 " BOOT " a-name-that-is-longer-than-the-kernel-has 7 5\n"
                "brio-blktrace-2 " BOOT " sdf 7 5\n"
                "brio-blktrace-1 " BOOT " sdg 8 18446744073709551616\n"
                "brio-blktrace-1 " BOOT " sdh 8 6";

        fresh();
        test_write_file(dir(), BLKTRACE_STATE_FILE, text);
        again();
        CHECK_INT(state.n, 2);
        CHECK_INT(blktrace_state_find(&state, "sda")->inode, 7);
        CHECK(blktrace_state_find(&state, "sdh"));
}

TEST(a_file_that_is_too_large_was_not_written_by_us) {
        static const char line[] = "brio-blktrace-1 " BOOT " sda 7 5\n";
        static char text[BLKTRACE_DRIVES_MAX * 256 + 100];

        fresh();
        for (size_t i = 0; i + 1 < sizeof(text); i++)
                text[i] = line[i % (sizeof(line) - 1)];
        test_write_file(dir(), BLKTRACE_STATE_FILE, text);
        again();
        CHECK_INT(state.n, 0);
}

TEST(there_is_room_for_as_many_as_are_traced) {
        fresh();
        for (unsigned i = 0; i < BLKTRACE_DRIVES_MAX; i++) {
                char name[32];
                struct blktrace_mark m;

                snprintf(name, sizeof(name), "a-name-of-thirty-one-letters-%02u", i);
                m = mark(name, UINT64_MAX, UINT64_MAX);
                CHECK_INT(blktrace_state_note(&state, &m), 0);
        }
        CHECK_INT(blktrace_state_note(&state, &(struct blktrace_mark) { .name = "sda" }), -ENOSPC);
        again();
        CHECK_INT(state.n, BLKTRACE_DRIVES_MAX);
        CHECK_INT(blktrace_state_note(&state, &state.marks[3]), 0);
}

TEST(what_cannot_be_written_is_not_noted) {
        const struct blktrace_mark sda = mark("sda", 7, 5), bad = mark("a b", 7, 5);

        fresh();
        CHECK_INT(blktrace_state_open(&state, "/nonexistent", BOOT), 0);
        CHECK_INT(blktrace_state_note(&state, &sda), -ENOENT);
        CHECK_INT(state.n, 0);
        fresh();
        CHECK_INT(blktrace_state_note(&state, &bad), -EINVAL);
}

TEST(a_trace_is_ours_by_its_files_alone) {
        const struct blktrace_mark m = mark("sda", 77, 1000 * MS);

        CHECK(blktrace_mark_is(&m, 77, 1000 * MS));
        CHECK(!blktrace_mark_is(&m, 78, 1000 * MS));
        CHECK(!blktrace_mark_is(&m, 77, 1000 * MS + 1)); /* the inode's number was used again */
}

/* Killed between the note and the trace, or between the trace and its note. */
TEST(a_trace_that_was_about_to_be_made_is_ours_if_it_was_made_then) {
        const struct blktrace_mark m = mark("sda", 0, 5000 * MS);

        CHECK(blktrace_mark_is(&m, 77, 5000 * MS));
        CHECK(blktrace_mark_is(&m, 77, 4990 * MS));
        CHECK(blktrace_mark_is(&m, 77, 6000 * MS));
        CHECK(!blktrace_mark_is(&m, 77, 4989 * MS));
        CHECK(!blktrace_mark_is(&m, 77, 6000 * MS + 1));
}
