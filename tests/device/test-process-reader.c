/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads of processes whose memory or files do not answer. Before a file is let go, the process that reads of its user is back. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "clock.h"
#include "../lib/held-file.h"
#include "mount-table.h"
#include "process-drives.h"
#include "process-reader.h"
#include "source-process.h"
#include "test.h"

#define PAGE 4096

DEFINE_TRIVIAL_CLEANUP_FUNC(struct source_process *, source_process_free)
DEFINE_TRIVIAL_CLEANUP_FUNC(struct drive_finder *, drive_finder_free)
DEFINE_TRIVIAL_CLEANUP_FUNC(struct process_reader *, process_reader_free)
DEFINE_TRIVIAL_CLEANUP_FUNC(struct held_file *, held_file_end)

static void need_root(void) {
        if (geteuid() != 0)
                test_skip("needs root: to look at others' processes");
}

static char *map(int fd) {
        char *p = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);

        if (p == MAP_FAILED)
                _exit(1);
        return p;
}

/* The page is asked for by the process: of another user the file system takes no request, but lets him wait for this one. */
static void exec_with_held_environment(int fd) {
        char *held = map(fd);

        syscall(SYS_execve, "/bin/true", held, held + PAGE / 2);
}

static void exec_with_held_variables(int fd) {
        char *held = map(fd);
        char *variables[] = { held + PAGE / 2, NULL };

        syscall(SYS_execve, "/bin/true", held, variables);
}

static void exec_with_held_name(int fd) {
        syscall(SYS_execve, map(fd), NULL, NULL);
}

/* The kernel closes it in the midst of the exec, and holds on to what /proc/PID/io and environ take meanwhile. */
static void exec_with_held_descriptor(int fd _unused_) {
        execl("/bin/true", "true", NULL);
}

static void *touch(void *p) {
        return (void *) (uintptr_t) *(volatile char *) p;
}

/* The second try of the page has the address space locked; a writer waits, and all behind it. */
static void hang_in_mmap(int fd) {
        pthread_t toucher;

        pthread_create(&toucher, NULL, touch, map(fd));
        for (;;) {
                void *p = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                if (p != MAP_FAILED)
                        munmap(p, PAGE);
                usleep(1000);
        }
}

static const struct {
        const char *name;
        uint32_t opcode, answered;
        void (*use)(int fd);
} attacks[] = {
        { "argv and envp", FUSE_READ, 0, exec_with_held_environment },
        { "argv and variables", FUSE_READ, 0, exec_with_held_variables },
        { "program's name", FUSE_READ, 0, exec_with_held_name },
        { "descriptor closed by exec", FUSE_FLUSH, 0, exec_with_held_descriptor },
        { "mmap", FUSE_READ, 1, hang_in_mmap },
};

/* A reader for each: one that was given up has no successor for a second. */
static ssize_t read_apart(int32_t tgid, const char *name) {
        _cleanup_(process_reader_freep) struct process_reader *r = NULL;
        struct exec_entry entry;
        char text[4096];

        if (process_reader_new(&r) < 0)
                return -ENOMEM;
        return name ? process_reader_file(r, tgid, name, text, sizeof(text)) : process_reader_look(r, tgid, &entry);
}

TEST(no_memory_and_no_file_of_a_process_holds_up_the_reader_of_it) {
        need_root();
        for (size_t i = 0; i < ARRAY_SIZE(attacks); i++) {
                _cleanup_(held_file_endp) struct held_file *f = held_file_start(attacks[i].opcode, attacks[i].answered, attacks[i].use);
                bool look, environment, io;

                if (!f)
                        test_skip("users have no file systems of their own here");
                CHECK_INT(held_file_await(f), true);
                usleep(20000); /* those that wait behind */
                look = read_apart(f->user, NULL) == -ETIMEDOUT;
                environment = read_apart(f->user, "environ") == -ETIMEDOUT;
                io = read_apart(f->user, "io") == -ETIMEDOUT;
                printf("# %s: exec %d environ %d io %d\n", attacks[i].name, look, environment, io);
                CHECK_INT(look || environment || io, true);
                CHECK_INT(f->released, false);
        }
}

TEST(a_reader_that_is_held_up_has_one_successor_when_it_has_ended) {
        _cleanup_(process_reader_freep) struct process_reader *r = NULL;
        _cleanup_(held_file_endp) struct held_file *f = NULL;
        nsec_t end = clock_now(CLOCK_MONOTONIC) + 20 * NSEC_PER_SEC;
        struct exec_entry entry;
        char text[4096];
        ssize_t n;

        need_root();
        f = held_file_start(FUSE_READ, 0, exec_with_held_environment);
        if (!f)
                test_skip("users have no file systems of their own here");
        CHECK_INT(held_file_await(f), true);
        CHECK_INT(process_reader_new(&r), 0);
        CHECK_INT(process_reader_look(r, f->user, &entry), -ETIMEDOUT);
        CHECK_INT(process_reader_file(r, getpid(), "io", text, sizeof(text)), -EBUSY);
        CHECK_INT(process_reader_given_up(r), 1);
        CHECK_INT(f->released, false);
        f = held_file_end(f);
        while ((n = process_reader_file(r, getpid(), "io", text, sizeof(text))) == -EBUSY && clock_now(CLOCK_MONOTONIC) < end)
                usleep(10000);
        CHECK_INT(n > 0, true);
        CHECK_INT(process_reader_given_up(r), 1);
}

TEST(the_reader_holds_no_descriptor_but_its_own) {
        _cleanup_(process_reader_freep) struct process_reader *r = NULL;
        int lock[2];
        char text[4096];

        CHECK_INT(pipe2(lock, O_CLOEXEC), 0);
        CHECK_INT(process_reader_new(&r), 0);
        CHECK_INT(process_reader_file(r, getpid(), "stat", text, sizeof(text)) > 0, true);
        close(lock[1]);
        CHECK_INT(read(lock[0], text, 1), 0);
        close(lock[0]);
}

static uint32_t resolve(void *userdata _unused_, uint32_t dev _unused_) {
        return 0;
}

static bool starting(void *userdata _unused_, int32_t tgid _unused_) {
        return false;
}

static void ignore(void *userdata _unused_, const struct event *e _unused_) {
}

TEST(a_process_that_holds_a_reader_up_hides_no_other) {
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        _cleanup_(source_process_freep) struct source_process *s = NULL;
        _cleanup_(held_file_endp) struct held_file *f = NULL;
        struct source_process_config config = { .root = "", .sink = { ignore, NULL }, .resolve = resolve, .starting = starting };
        nsec_t end = clock_now(CLOCK_MONOTONIC) + 15 * NSEC_PER_SEC;

        need_root();
        f = held_file_start(FUSE_FLUSH, 0, exec_with_held_descriptor);
        if (!f)
                test_skip("users have no file systems of their own here");
        CHECK_INT(held_file_await(f), true);
        CHECK_INT(sd_event_new(&event) < 0, 0);
        CHECK_INT(source_process_new(&config, event, &s), 0);
        CHECK_INT(source_process_sample(s, clock_now(CLOCK_MONOTONIC), NULL, 0), -ETIMEDOUT);
        CHECK_INT(f->released, false);
        while (source_process_sample(s, clock_now(CLOCK_MONOTONIC), NULL, 0) < 0 && clock_now(CLOCK_MONOTONIC) < end)
                usleep(50000);
        CHECK_INT(f->released, false);
        CHECK_INT(source_process_sample(s, clock_now(CLOCK_MONOTONIC), NULL, 0), 0);
        CHECK_INT(f->released, false);
}

static void stat_held_file(int fd) {
        struct stat st;

        if (chdir("/mnt") == 0)
                (void) fstat(fd, &st); /* asks for attributes: none are known for long */
}

/* Before Linux 4.20 FUSE asks for attributes whatever the caller says. */
TEST(files_that_do_not_answer_are_told_apart_without_asking_them) {
        _cleanup_(held_file_endp) struct held_file *f = NULL;
        _cleanup_(drive_finder_freep) struct drive_finder *finder = NULL;
        struct process_drives drives;

        need_root();
        f = held_file_start(FUSE_GETATTR, 0, stat_held_file);
        if (!f)
                test_skip("users have no file systems of their own here");
        CHECK_INT(held_file_await(f), true);
        CHECK_INT(drive_finder_new("", resolve, NULL, &finder), 0);
        drive_finder_look(finder, f->user, clock_now(CLOCK_MONOTONIC), &drives);
        (void) drive_finder_find_program(finder, f->user);
        (void) drive_finder_find_entry(finder, f->user, &(struct exec_entry){ .directory = AT_FDCWD, .program = "directory/file" });
        CHECK_INT(f->released, false);
}

static _Atomic bool *mounts_read;

static void read_mounts(int fd _unused_) {
        struct mount_table *t;

        if (mount_table_new_own("", &t) < 0 || mount_table_find_path(t, "/mnt/file", NULL) != 0)
                _exit(1);
        mount_table_free(t);
        *mounts_read = true;
}

TEST(what_is_mounted_is_told_apart_without_following_its_name_out_of_dev) {
        _cleanup_(held_file_endp) struct held_file *f = NULL;

        need_root();
        mounts_read = mmap(NULL, sizeof(*mounts_read), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        CHECK(mounts_read != MAP_FAILED);
        f = held_file_start(FUSE_GETATTR, 0, read_mounts);
        if (!f)
                test_skip("users have no file systems of their own here");
        while (!*mounts_read && f->held == 0 && !f->released)
                usleep(1000);
        CHECK_INT(f->held, 0);
        CHECK(*mounts_read);
        munmap((void *) mounts_read, sizeof(*mounts_read));
}

TEST(an_exec_whose_memory_never_comes_does_not_stop_the_daemon) {
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        _cleanup_(source_process_freep) struct source_process *s = NULL;
        struct source_process_config config = { .root = "", .sink = { ignore, NULL }, .resolve = resolve, .starting = starting };
        struct source_info info[SOURCE_INFOS_MAX];

        need_root();
        CHECK_INT(sd_event_new(&event) < 0, 0);
        CHECK_INT(source_process_new(&config, event, &s), 0);
        source_process_ops.probe(s, info);
        if (info[1].state != SOURCE_WORKS)
                test_skip("the kernel does not let us listen to the process connector");
        for (size_t i = 0; i < ARRAY_SIZE(attacks); i++) {
                _cleanup_(held_file_endp) struct held_file *f = NULL;
                source_process_sample(s, clock_now(CLOCK_MONOTONIC), NULL, 0); /* a drive is busy */
                source_process_hurry(s, true);
                f = held_file_start(attacks[i].opcode, attacks[i].answered, attacks[i].use);
                if (!f)
                        test_skip("users have no file systems of their own here");
                CHECK_INT(held_file_await(f), true);
                for (nsec_t end = clock_now(CLOCK_MONOTONIC) + 300 * NSEC_PER_MSEC; clock_now(CLOCK_MONOTONIC) < end;)
                        sd_event_run(event, 10000);
                CHECK_INT(f->released, false);
        }
}
