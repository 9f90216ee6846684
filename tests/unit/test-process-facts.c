/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fdio.h"
#include "process-facts.h"
#include "str.h"
#include "test.h"

TEST(a_priority_is_its_class_and_level) {
        uint32_t level = 9;

        CHECK_INT(io_class_from_priority(2 << 13 | 7, &level), IO_CLASS_BEST_EFFORT);
        CHECK_INT(level, 7);
        CHECK_INT(io_class_from_priority(1 << 13 | 3 << 3 | 2, &level), IO_CLASS_REALTIME); /* with a hint of 6.5 */
        CHECK_INT(level, 2);
        CHECK_INT(io_class_from_priority(3 << 13 | 7, &level), IO_CLASS_IDLE);
        CHECK_INT(level, 0);
        CHECK_INT(io_class_from_priority(4, &level), IO_CLASS_NONE);
        CHECK_INT(level, 0);
        level = 9;
        CHECK_INT(io_class_from_priority(-1, &level), IO_CLASS_UNKNOWN);
        CHECK_INT(io_class_from_priority(4 << 13, &level), IO_CLASS_UNKNOWN);
        CHECK_INT(level, 9);
}

TEST(each_class_has_a_word_and_no_other_number_has) {
        CHECK_STR(io_class_to_string(IO_CLASS_NONE), "none");
        CHECK_STR(io_class_to_string(IO_CLASS_REALTIME), "realtime");
        CHECK_STR(io_class_to_string(IO_CLASS_BEST_EFFORT), "best-effort");
        CHECK_STR(io_class_to_string(IO_CLASS_IDLE), "idle");
        CHECK_STR(io_class_to_string(IO_CLASS_UNKNOWN), "");
        CHECK_STR(io_class_to_string(_IO_CLASS_MAX), "");
}

TEST(our_own_facts_are_what_we_set) {
        struct process_facts f;

        CHECK_INT(syscall(SYS_ioprio_set, 1, 0, 2 << 13 | 6), 0);
        process_facts_get(getpid(), &f);
        CHECK_INT(f.uid, geteuid());
        CHECK_INT(f.io_class, IO_CLASS_BEST_EFFORT);
        CHECK_INT(f.io_level, 6);
}

TEST(of_a_process_that_is_not_there_nothing_is_known) {
        struct process_facts f;

        process_facts_get(INT32_MAX, &f);
        CHECK_INT(f.uid, PROCESS_UID_UNKNOWN);
        CHECK_INT(f.io_class, IO_CLASS_UNKNOWN);
        CHECK_INT(f.io_level, 0);
}

TEST(whose_a_process_is_that_has_more_groups_than_a_page_holds_is_known) {
        char text[3 * ATTRIBUTE_MAX] = "Name:\tUid:\nUmask:\t0022\nTgid:\t77\nUid:\t1000\t0\t0\t0\nGroups:\t";
        uint64_t tgid = 0;

        while (strlen(text) < 2 * ATTRIBUTE_MAX)
                str_append(text, sizeof(text), "65534 ");
        str_append(text, sizeof(text), "\nUid:\t0\n");
        test_write_file(test_tmpdir(), "proc/78/status", text);
        CHECK_INT(process_facts_user(test_tmpdir(), 78), 1000);
        CHECK_INT(process_status_number(test_tmpdir(), 78, "Tgid", &tgid), 0);
        CHECK_INT(tgid, 77);
        CHECK_INT(process_status_number(test_tmpdir(), 78, "Pid", &tgid), -ENODATA);
        CHECK_INT(process_facts_user(test_tmpdir(), 79), PROCESS_UID_UNKNOWN);
}
