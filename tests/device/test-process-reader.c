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
#include "source-process-private.h"
#include "str.h"
#include "test.h"

#define PAGE 4096

DEFINE_TRIVIAL_CLEANUP_FUNC(struct drive_finder *, drive_finder_free)
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

static void *hang(void *p) {
        hang_in_mmap((int) (intptr_t) p);
        return NULL;
}

static void hang_in_mmap_while_it_runs(int fd) {
        pthread_t hanging;

        pthread_create(&hanging, NULL, hang, (void *) (intptr_t) fd);
        for (;;)
                touch((char[]){ 0 });
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

/* A reader with its event loop, and what it said last. */
struct asker {
        sd_event *event;
        struct process_reader *reader;
        bool told;
        int error;
        unsigned counted;
};

static void asker_end(struct asker *a) {
        process_reader_free(a->reader);
        sd_event_unref(a->event);
}

static void take_counted(void *userdata, int error, const struct proc_counters *counters _unused_, size_t n) {
        struct asker *a = userdata;

        a->told = true;
        a->error = error;
        a->counted = (unsigned) n;
}

static void take_launch(void *userdata, int32_t tgid _unused_, int result, const struct process_launch *launch _unused_,
                        const struct exec_entry *entry _unused_) {
        take_counted(userdata, MIN(result, 0), NULL, 0);
}

static void begin(struct asker *a) {
        CHECK_INT(sd_event_new(&a->event) < 0, 0);
        CHECK_INT(process_reader_new(a->event, &a->reader), 0);
}

enum what { EXEC, LAUNCH, COUNTERS };

/* Until it is answered. */
static int ask(struct asker *a, enum what what, int32_t tgid) {
        int r = what == EXEC ? process_reader_look(a->reader, tgid, 0, take_launch, a) :
                what == LAUNCH ? process_reader_launch(a->reader, tgid, 0, take_launch, a) :
                                 process_reader_count(a->reader, &tgid, 1, take_counted, a);

        for (a->told = r < 0; !a->told;)
                sd_event_run(a->event, UINT64_MAX);
        return r < 0 ? r : a->error;
}

/* A reader for each: one that was given up has no successor for a second. */
static bool is_held_up(int32_t tgid, enum what what) {
        _cleanup_(asker_end) struct asker a = { 0 };

        begin(&a);
        return ask(&a, what, tgid) == -ETIMEDOUT;
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
                look = is_held_up(f->user, EXEC);
                environment = is_held_up(f->user, LAUNCH);
                io = is_held_up(f->user, COUNTERS);
                printf("# %s: exec %d environ %d io %d\n", attacks[i].name, look, environment, io);
                CHECK_INT(look || environment || io, true);
                CHECK_INT(f->released, false);
        }
}

/* It may hold what the reader waits for, and have no CPU to give it back on. */
TEST(a_process_that_may_be_waiting_for_a_cpu_is_waited_for_longer) {
        _cleanup_(asker_end) struct asker a = { 0 };
        _cleanup_(held_file_endp) struct held_file *f = NULL;
        nsec_t begun;

        need_root();
        f = held_file_start(FUSE_READ, 1, hang_in_mmap_while_it_runs);
        if (!f)
                test_skip("users have no file systems of their own here");
        CHECK_INT(held_file_await(f), true);
        usleep(20000); /* those that wait behind */
        begin(&a);
        begun = clock_now(CLOCK_MONOTONIC);
        CHECK_INT(ask(&a, LAUNCH, f->user), -ETIMEDOUT);
        CHECK_INT(f->released, false);
        CHECK(clock_now(CLOCK_MONOTONIC) - begun >= 2ull * PROCESS_READER_ANSWER_MS * NSEC_PER_MSEC);
}

/* By a process whose environment no read comes back from. */
static struct held_file *hold_environment(void) {
        struct held_file *f;

        need_root();
        f = held_file_start(FUSE_READ, 0, exec_with_held_environment);
        if (!f)
                test_skip("users have no file systems of their own here");
        return f;
}

TEST(a_reader_that_is_held_up_has_one_successor_when_it_has_ended) {
        _cleanup_(asker_end) struct asker a = { 0 };
        _cleanup_(held_file_endp) struct held_file *f = NULL;
        nsec_t end = clock_now(CLOCK_MONOTONIC) + 20 * NSEC_PER_SEC;
        int r;

        f = hold_environment();
        CHECK_INT(held_file_await(f), true);
        begin(&a);
        CHECK_INT(ask(&a, EXEC, f->user), -ETIMEDOUT);
        CHECK_INT(ask(&a, COUNTERS, getpid()), -EBUSY);
        CHECK_INT(process_reader_given_up(a.reader), 1);
        CHECK_INT(f->released, false);
        f = held_file_end(f);
        while ((r = ask(&a, COUNTERS, getpid())) == -EBUSY && clock_now(CLOCK_MONOTONIC) < end)
                usleep(10000);
        CHECK_INT(r, 0);
        CHECK_INT(a.counted, 1);
        CHECK_INT(process_reader_given_up(a.reader), 1);
}

TEST(questions_that_wait_behind_one_that_is_held_up_are_answered_too) {
        _cleanup_(asker_end) struct asker a = { 0 };
        _cleanup_(held_file_endp) struct held_file *f = NULL;
        struct asker behind = { 0 }, forgotten = { 0 };
        int32_t self = getpid();

        f = hold_environment();
        CHECK_INT(held_file_await(f), true);
        begin(&a);
        CHECK_INT(process_reader_look(a.reader, f->user, 0, take_launch, &a), 0);
        CHECK_INT(process_reader_count(a.reader, &self, 1, take_counted, &behind), 0);
        CHECK_INT(process_reader_count(a.reader, &self, 1, take_counted, &forgotten), 0);
        process_reader_forget(a.reader, &forgotten);
        while (!a.told)
                sd_event_run(a.event, UINT64_MAX);
        CHECK_INT(a.error, -ETIMEDOUT);
        CHECK(behind.told);
        CHECK_INT(behind.error, -EBUSY);
        CHECK(!forgotten.told);
        CHECK_INT(f->released, false);
}

TEST(the_reader_holds_no_descriptor_but_its_own) {
        _cleanup_(asker_end) struct asker a = { 0 };
        int lock[2];
        char byte;

        CHECK_INT(pipe2(lock, O_CLOEXEC), 0);
        begin(&a);
        CHECK_INT(ask(&a, COUNTERS, getpid()), 0);
        close(lock[1]);
        CHECK_INT(read(lock[0], &byte, 1), 0);
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

struct sampler {
        sd_event *event;
        struct source_process *source;
        bool told;
        int error;
};

static void sampler_end(struct sampler *s) {
        source_process_free(s->source);
        sd_event_unref(s->event);
}

static void note_sampled(void *userdata, int error) {
        struct sampler *s = userdata;

        s->told = true;
        s->error = error;
}

/* execs: are looked up, too. */
static void begin_sampler(struct sampler *s, bool execs) {
        struct source_process_config config = { .root = "", .sink = { ignore, NULL }, .resolve = resolve, .starting = execs ? starting : NULL,
                                                .sampled = note_sampled, .userdata = s };

        CHECK_INT(sd_event_new(&s->event) < 0, 0);
        CHECK_INT(source_process_new(&config, s->event, &s->source), 0);
}

static int begin_sample(struct sampler *s) {
        s->told = false;
        return source_process_sample(s->source, clock_now(CLOCK_MONOTONIC), NULL, 0);
}

static int end_sample(struct sampler *s, int begun) {
        while (begun == 1 && !s->told)
                sd_event_run(s->event, UINT64_MAX);
        return begun == 1 ? s->error : begun;
}

TEST(a_process_that_holds_a_reader_up_hides_no_other) {
        _cleanup_(sampler_end) struct sampler s = { 0 };
        _cleanup_(held_file_endp) struct held_file *f = NULL;
        nsec_t end = clock_now(CLOCK_MONOTONIC) + 15 * NSEC_PER_SEC;

        need_root();
        f = held_file_start(FUSE_FLUSH, 0, exec_with_held_descriptor);
        if (!f)
                test_skip("users have no file systems of their own here");
        CHECK_INT(held_file_await(f), true);
        begin_sampler(&s, false);
        CHECK_INT(end_sample(&s, begin_sample(&s)), -ETIMEDOUT);
        CHECK_INT(f->released, false);
        while (end_sample(&s, begin_sample(&s)) < 0 && clock_now(CLOCK_MONOTONIC) < end)
                usleep(50000);
        CHECK_INT(f->released, false);
        CHECK_INT(end_sample(&s, begin_sample(&s)), 0);
        CHECK_INT(f->released, false);
}

static void ignore_launch(void *userdata _unused_, int32_t tgid _unused_, int result _unused_, const struct process_launch *launch _unused_,
                          const struct exec_entry *entry _unused_) {
}

TEST(what_holds_up_the_reader_of_memory_hides_no_process_from_the_sweeps) {
        _cleanup_(sampler_end) struct sampler s = { 0 };
        _cleanup_(held_file_endp) struct held_file *f = NULL;

        need_root();
        begin_sampler(&s, false);
        f = held_file_start(FUSE_READ, 0, exec_with_held_environment);
        if (!f)
                test_skip("users have no file systems of their own here");
        CHECK_INT(held_file_await(f), true);
        CHECK_INT(process_reader_look(s.source->reader, f->user, 0, ignore_launch, NULL), 0);
        for (unsigned i = 0; i < 10; i++, usleep(10000)) /* while it is waited for, and while it has no successor */
                CHECK_INT(end_sample(&s, begin_sample(&s)), 0);
        CHECK_INT(f->released, false);
}

/* The youngest child: those of other readers may not have been waited for. */
static pid_t find_reader(void) {
        _cleanup_close_ int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
        char text[256], *word;
        uint64_t last = 0;
        ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

        text[MAX(n, 0)] = '\0';
        for (char *rest = text; (word = strsep(&rest, " "));)
                (void) str_parse_u64(word, &last);
        return (pid_t) last;
}

static int note_turn(sd_event_source *source _unused_, void *userdata) {
        const struct sampler *s = userdata;

        return s->told ? -ECANCELED : 1; /* which ends it */
}

/* Where it waited for the reader, it would be back when that was given up. */
TEST(the_event_loop_goes_on_while_the_reader_is_stopped) {
        _cleanup_(sampler_end) struct sampler s = { 0 };
        sd_event_source *turn;
        pid_t reader;
        int status, r;

        if (access("/proc/thread-self/children", R_OK) < 0)
                test_skip("this kernel does not list children (CONFIG_PROC_CHILDREN)");
        begin_sampler(&s, false);
        CHECK_INT(end_sample(&s, begin_sample(&s)), 0);
        reader = find_reader();
        CHECK(reader > 0);
        CHECK_INT(kill(reader, SIGSTOP), 0);
        CHECK_INT(waitpid(reader, &status, WUNTRACED), reader);
        CHECK(WIFSTOPPED(status));
        r = begin_sample(&s);
        CHECK_INT(r, 1);
        CHECK_INT(s.told, false);
        CHECK_INT(sd_event_add_defer(s.event, &turn, note_turn, &s) < 0, 0);
        CHECK_INT(sd_event_source_set_priority(turn, SD_EVENT_PRIORITY_IMPORTANT) < 0, 0);
        CHECK_INT(sd_event_run(s.event, UINT64_MAX) < 0, 0);
        CHECK_INT(sd_event_source_get_enabled(turn, NULL), 0); /* it has run, */
        CHECK_INT(s.told, false);                              /* and the reader is still waited for */
        sd_event_source_unref(turn);
        CHECK_INT(end_sample(&s, r), -ETIMEDOUT);
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
        nsec_t now = clock_now(CLOCK_MONOTONIC);
        struct process_drives drives;

        need_root();
        f = held_file_start(FUSE_GETATTR, 0, stat_held_file);
        if (!f)
                test_skip("users have no file systems of their own here");
        CHECK_INT(held_file_await(f), true);
        CHECK_INT(drive_finder_new("", resolve, NULL, &finder), 0);
        drive_finder_look(finder, f->user, now, &drives);
        (void) drive_finder_find_program(finder, f->user, now);
        (void) drive_finder_find_entry(finder, f->user, &(struct exec_entry){ .directory = AT_FDCWD, .program = "directory/file" }, now);
        CHECK_INT(f->released, false);
}

static _Atomic bool *mounts_read;

static void read_mounts(int fd _unused_) {
        struct mount_table *t;

        if (mount_table_new_own("", &t) < 0 || mount_table_find_path(t, "/mnt/file", NULL) != 0 || mount_table_find_node(t, HELD_FILE_SOURCE) != 0)
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
        _cleanup_(sampler_end) struct sampler s = { 0 };
        struct source_info info[SOURCE_INFOS_MAX];

        need_root();
        begin_sampler(&s, true);
        source_process_ops.probe(s.source, info);
        if (info[1].state != SOURCE_WORKS)
                test_skip("the kernel does not let us listen to the process connector");
        for (size_t i = 0; i < ARRAY_SIZE(attacks); i++) {
                _cleanup_(held_file_endp) struct held_file *f = NULL;
                begin_sample(&s); /* a drive is busy */
                source_process_hurry(s.source, true);
                f = held_file_start(attacks[i].opcode, attacks[i].answered, attacks[i].use);
                if (!f)
                        test_skip("users have no file systems of their own here");
                CHECK_INT(held_file_await(f), true);
                for (nsec_t end = clock_now(CLOCK_MONOTONIC) + 300 * NSEC_PER_MSEC; clock_now(CLOCK_MONOTONIC) < end;)
                        sd_event_run(s.event, 10000);
                CHECK_INT(f->released, false);
        }
}
