/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "mode-store.h"
#include "startup-store.h"
#include "test.h"

static unsigned syncs;

/* In the library's place. */
int fsync(int fd _unused_) {
        syncs++;
        return 0;
}

TEST(what_is_kept_beside_the_originals_is_written_without_waiting_for_a_disk) {
        const char *dir = test_tmpdir();
        static struct startup_history history;

        CHECK_INT(mode_store_save(dir, MODE_OFF), 0);
        CHECK_INT(startup_store_save(dir, &history), 0);
        CHECK_INT(mode_store_drop(dir), 0);
        CHECK_INT(syncs, 0);
        CHECK(fsync(-1) == 0 && syncs == 1);
}

TEST(each_mode_is_there_after_a_restart_and_the_last_one_counts) {
        const char *dir = test_tmpdir();
        enum mode mode = MODE_AUTO;

        CHECK_INT(mode_store_load(dir, &mode), 0); /* nothing yet */
        for (enum mode m = 0; m < _MODE_MAX; m++) {
                CHECK_INT(mode_store_save(dir, m), 0);
                CHECK_INT(mode_store_load(dir, &mode), 1);
                CHECK_INT(mode, m);
        }
        CHECK_STR(test_read_file(dir, "mode.new"), "(missing)");
}

TEST(what_is_dropped_is_gone_and_may_be_gone_already) {
        const char *dir = test_tmpdir();
        enum mode mode = MODE_ADVISE;

        CHECK_INT(mode_store_drop(dir), 0);
        CHECK_INT(mode_store_save(dir, MODE_OFF), 0);
        CHECK_INT(mode_store_drop(dir), 0);
        CHECK_INT(mode_store_load(dir, &mode), 0);
        CHECK_INT(mode, MODE_ADVISE);
        CHECK_INT(mode_store_drop("/nonexistent"), -ENOENT);
        CHECK_INT(mode_store_save("/nonexistent", MODE_OFF), -ENOENT);
        CHECK_INT(mode_store_load("/nonexistent", &mode), -ENOENT);
}

TEST(a_file_that_ends_anywhere_before_its_end_says_no_mode_and_is_kept_as_damaged) {
        const char *dir = test_tmpdir();
        char line[MODE_LINE_MAX], cut[MODE_LINE_MAX];
        size_t length = mode_line_format(line, MODE_ADVISE);

        for (size_t n = 0; n <= length; n++) {
                enum mode mode = MODE_OFF;
                snprintf(cut, sizeof(cut), "%.*s", (int) n, line);
                test_write_file(dir, "mode", cut);
                CHECK_INT(mode_store_load(dir, &mode), n < length ? -EBADMSG : 1);
                CHECK_INT(mode, n < length ? MODE_OFF : MODE_ADVISE);
                if (n < length) {
                        CHECK_STR(test_read_file(dir, "mode"), "(missing)");
                        CHECK(strncmp(test_read_file(dir, "mode.damaged"), cut, strcspn(cut, "\n")) == 0);
                }
        }
}

TEST(no_bit_of_it_may_differ) {
        const char *dir = test_tmpdir();
        char line[MODE_LINE_MAX];
        size_t length = mode_line_format(line, MODE_ADVISE);

        for (size_t i = 0; i < length; i++)
                for (unsigned bit = 0; bit < 8; bit++) {
                        enum mode mode = MODE_OFF;
                        line[i] = (char) (line[i] ^ 1 << bit);
                        test_write_file(dir, "mode", line);
                        CHECK(mode_store_load(dir, &mode) == -EBADMSG || line[0] == '\0');
                        CHECK_INT(mode, MODE_OFF);
                        line[i] = (char) (line[i] ^ 1 << bit);
                }
}

TEST(what_we_did_not_write_is_no_mode) {
        const char *dir = test_tmpdir();
        char line[MODE_LINE_MAX], twice[2 * MODE_LINE_MAX];
        enum mode mode = MODE_OFF;

        mode_line_format(line, MODE_AUTO);
        snprintf(twice, sizeof(twice), "%s%s", line, line);
        test_write_file(dir, "mode", "auto\n");
        CHECK_INT(mode_store_load(dir, &mode), -EBADMSG);
        test_write_file(dir, "mode", twice);
        CHECK_INT(mode_store_load(dir, &mode), -EBADMSG);
        CHECK_INT(mode, MODE_OFF);
}
