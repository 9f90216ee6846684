/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an exec can hold up is read by another process, which is given up where it does not answer. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <sys/wait.h>

#include "clock.h"
#include "../lib/held-file.h"
#include "macro.h"
#include "mount-table.h"
#include "process-ask.h"
#include "process-drives.h"
#include "process-stat.h"
#include "test.h"

#define HELD 1 /* no process has this number and is asked for here */
#define OTHER 2
#define PAUSE_NS (9 * PROCESS_ASK_ANSWER_MS * NSEC_PER_MSEC)

DEFINE_TRIVIAL_CLEANUP_FUNC(struct drive_finder *, drive_finder_free)
DEFINE_TRIVIAL_CLEANUP_FUNC(struct held_file *, held_file_end)

static int tell_reader(const void *question, void *answer) {
        const int *number = question;
        pid_t *reader = answer;

        *reader = getpid();
        return *number;
}

static _Noreturn int never(const void *question _unused_, void *answer _unused_) {
        for (;;)
                pause();
}

/* Returns what process_ask() does. */
static int ask_reader(int32_t tgid, int number, pid_t *ret) {
        return process_ask(tgid, tell_reader, &number, sizeof(number), ret, sizeof(*ret));
}

static int ask_in_vain(int32_t tgid) {
        char byte = 0;

        return process_ask(tgid, never, &byte, sizeof(byte), &byte, sizeof(byte));
}

TEST(until_it_begins_and_in_a_child_and_of_itself_nothing_is_asked_of_another_process) {
        pid_t reader = 0, child;
        int status;

        CHECK_INT(ask_reader(OTHER, 7, &reader), 7);
        CHECK_INT(reader, getpid());
        process_ask_begin();
        CHECK_INT(ask_reader(OTHER, 7, &reader), 7);
        CHECK(reader != getpid());
        CHECK_INT(ask_reader(getpid(), 7, &reader), 7);
        CHECK_INT(reader, getpid());
        child = fork();
        if (child == 0)
                _exit(ask_reader(OTHER, 7, &reader) == 7 && reader == getpid() ? 0 : 1);
        CHECK_INT(waitpid(child, &status, 0), child);
        CHECK_INT(status, 0);
        process_ask_end();
}

TEST(the_same_process_answers_each_question_and_an_error_leaves_the_answer_as_it_is) {
        pid_t first = 0, second = 0;

        process_ask_begin();
        CHECK_INT(ask_reader(OTHER, 0, &first), 0);
        CHECK_INT(ask_reader(OTHER, -ENOENT, &second), -ENOENT);
        CHECK_INT(second, 0);
        CHECK_INT(ask_reader(OTHER, 0, &second), 0);
        CHECK_INT(first, second);
        CHECK_INT(process_ask_given_up(), 0);
        process_ask_end();
}

TEST(a_process_that_holds_it_up_is_left_out_and_others_are_asked_again_after_a_pause) {
        nsec_t begun = clock_now(CLOCK_MONOTONIC);
        pid_t reader;
        int r;

        process_ask_begin();
        CHECK_INT(ask_in_vain(HELD), -EBUSY);
        CHECK(clock_now(CLOCK_MONOTONIC) - begun >= PROCESS_ASK_ANSWER_MS * NSEC_PER_MSEC);
        CHECK_INT(process_ask_given_up(), 1);
        while ((r = ask_reader(OTHER, 0, &reader)) == -EBUSY)
                usleep(1000);
        CHECK_INT(r, 0);
        CHECK(clock_now(CLOCK_MONOTONIC) - begun >= PAUSE_NS);
        CHECK_INT(ask_reader(HELD, 0, &reader), -EBUSY);
        CHECK_INT(process_ask_given_up(), 1);
        process_ask_end();
}

TEST(while_it_hurries_no_process_is_left_out_for_another) {
        pid_t reader;

        process_ask_begin();
        process_ask_hurry(true);
        for (int32_t held = 100; held < 110; held++) {
                CHECK_INT(ask_in_vain(held), -EBUSY);
                CHECK_INT(ask_reader(OTHER, 0, &reader), 0);
        }
        process_ask_end();
}

TEST(the_process_that_is_asked_holds_no_descriptor_but_its_own) {
        int lock[2];
        pid_t reader;
        char byte;

        CHECK_INT(pipe2(lock, O_CLOEXEC), 0);
        process_ask_begin();
        CHECK_INT(ask_reader(OTHER, 0, &reader), 0);
        close(lock[1]);
        CHECK_INT(read(lock[0], &byte, 1), 0);
        close(lock[0]);
        process_ask_end();
}

/* The kernel closes the file in the midst of the exec. */
static void exec_with_held_descriptor(int fd _unused_) {
        execl("/bin/true", "true", NULL);
}

static uint32_t resolve(void *userdata _unused_, uint32_t dev _unused_) {
        return 0;
}

/* Older kernels answer, Linux 6.18 does not: neither is waited for until the file is let go. */
TEST(a_file_that_an_exec_closes_and_that_does_not_answer_holds_up_nothing_that_is_asked_of_that_process) {
        _cleanup_(held_file_endp) struct held_file *f = NULL;
        _cleanup_(drive_finder_freep) struct drive_finder *finder = NULL;
        struct process_drives drives;
        struct process_stat stat;
        int r;

        if (geteuid() != 0)
                test_skip("needs root: to look at others' processes");
        f = held_file_start(FUSE_FLUSH, 0, exec_with_held_descriptor);
        if (!f)
                test_skip("users have no file systems of their own here");
        CHECK_INT(held_file_await(f), true);
        CHECK_INT(drive_finder_new("", resolve, NULL, &finder), 0);
        process_ask_begin();
        process_ask_hurry(true);
        r = process_stat_read("", f->user, &stat);
        printf("# stat: %s\n", r < 0 ? strerror(-r) : "answered");
        CHECK(r == 0 || r == -EBUSY);
        drive_finder_look(finder, f->user, clock_now(CLOCK_MONOTONIC), &drives);
        (void) drive_finder_find_program(finder, f->user);
        (void) drive_finder_find_entry(finder, f->user, &(struct exec_entry){ .directory = AT_FDCWD, .program = "directory/file" });
        CHECK_INT(f->released, false);
        CHECK_INT(process_stat_read("", getppid(), &stat), 0);
        process_ask_end();
}
