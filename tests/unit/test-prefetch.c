/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Learning, keeping and reading ahead, on files of a directory of our own. What the kernel tells is made up here; tests/loop/test-prefetch.py has it from the kernel. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/fanotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "clock.h"
#include "prefetch-exec.h"
#include "prefetch-names.h"
#include "prefetch-play.h"
#include "prefetch-store.h"
#include "str.h"
#include "test.h"

#define FS_DEV 77
#define DRIVE 7
#define FILE_PAGES 4

static const struct prefetch_limits limits = { .bytes = 64 << 20, .memory_percent = 50, .control_every = 4, .time = 60 * NSEC_PER_SEC };

/* Of each test its own. */
static const char *new_dir(void) {
        static char dir[PATH_MAX];

        snprintf(dir, sizeof(dir), "%s/XXXXXX", test_tmpdir());
        if (!mkdtemp(dir) || chmod(dir, 0755) < 0)
                abort();
        return dir;
}

static bool add_place(struct prefetch_places *p, uint32_t fs_dev, uint32_t dev, const char *point, const char *top) {
        struct statx st;

        if (statx(AT_FDCWD, point, 0, STATX_MNT_ID, &st) < 0)
                abort();
        return prefetch_places_add(p, &(struct prefetch_place){ st.stx_mnt_id, fs_dev, dev, false, point, top });
}

static struct prefetch_places places_of(const char *dir) {
        struct prefetch_places p = { 0 };

        if (!add_place(&p, FS_DEV, DRIVE, dir, "/"))
                abort();
        return p;
}

static void make_file(const char *dir, const char *name, mode_t mode) {
        char text[FILE_PAGES * PREFETCH_PAGE_BYTES], path[PATH_MAX];

        memset(text, 'x', sizeof(text) - 1);
        text[sizeof(text) - 1] = '\0';
        test_write_file(dir, name, text);
        snprintf(path, sizeof(path), "%s/%s", dir, name);
        if (chmod(path, mode) < 0)
                abort();
}

/* As if the kernel had told that all of it was read. */
static void see(struct prefetch_list *seen, const char *dir, const char *name) {
        struct prefetch_file f = { .dev = FS_DEV };
        char path[PATH_MAX];
        struct stat st;
        int file;

        snprintf(path, sizeof(path), "%s/%s", dir, name);
        f.ino = lstat(path, &st) == 0 ? st.st_ino : 1;
        snprintf(path, sizeof(path), "/%s", name);
        file = prefetch_list_add_file(seen, &f, path);
        if (file < 0 || prefetch_list_add_pages(seen, (uint32_t) file, 0, FILE_PAGES, 1) < 0)
                abort();
}

static struct prefetch_list *new_list(void) {
        struct prefetch_list *l;

        if (prefetch_list_new("editor", 1000, &l) < 0)
                abort();
        return l;
}

/* What is learnt of those files, whose names end with a NULL. */
static struct prefetch_list *learn(const char *dir, const char *const *names) {
        _cleanup_(prefetch_list_freep) struct prefetch_list *old = new_list(), *seen = new_list();
        const struct prefetch_ended ended = { PREFETCH_NONE, 2900 };
        struct prefetch_places p = places_of(dir);
        struct prefetch_list *learnt;

        for (; *names; names++)
                see(seen, dir, *names);
        if (prefetch_learn(old, seen, &p, &ended, &learnt) < 0)
                abort();
        prefetch_places_done(&p);
        return learnt;
}

static struct prefetch_result play_at(const struct prefetch_list *l, const struct prefetch_places *p) {
        struct prefetch_result result;

        prefetch_play_begin(l, p, &result);
        prefetch_play(l, p, &limits, &result);
        return result;
}

static struct prefetch_result play(const struct prefetch_list *l, const char *dir) {
        struct prefetch_places p = places_of(dir);
        struct prefetch_result result = play_at(l, &p);

        prefetch_places_done(&p);
        return result;
}

TEST(what_a_start_read_is_read_ahead) {
        static const char *const names[] = { "lib/a", "b", NULL };
        const char *dir = new_dir();
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = NULL;
        struct prefetch_result r;

        make_file(dir, "lib/a", 0644);
        make_file(dir, "b", 0644);
        l = learn(dir, names);
        CHECK_INT(l->n_files, 2);
        CHECK_INT(l->starts, 1);
        CHECK_INT(prefetch_times_median(&l->unhelped), 2900);
        CHECK_INT(prefetch_choose(l, &limits), PREFETCH_PLAYED);
        r = play(l, dir);
        CHECK_INT(r.outcome, PREFETCH_PLAYED);
        CHECK(r.files == 2 && r.missing == 0 && r.bytes == 2 * FILE_PAGES * PREFETCH_PAGE_BYTES);
}

TEST(the_drive_of_what_is_read_ahead_is_the_one_that_most_of_it_lies_on) {
        static const char *const names[] = { "system/lib", "home/a", "home/b", NULL };
        const char *dir = new_dir();
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = NULL;
        struct prefetch_places p = places_of(dir);
        struct prefetch_result r;
        char path[PATH_MAX];

        for (size_t i = 0; names[i]; i++)
                make_file(dir, names[i], 0644);
        l = learn(dir, names);
        snprintf(path, sizeof(path), "%s/home", dir);
        CHECK(add_place(&p, FS_DEV + 1, DRIVE + 1, path, "/"));
        prefetch_play_begin(l, &p, &r);
        CHECK_INT(r.dev, DRIVE + 1);
        prefetch_play(l, &p, &limits, &r);
        CHECK_INT(r.dev, DRIVE + 1);
        prefetch_places_done(&p);
        prefetch_play_begin(l, &p, &r);
        CHECK_INT(r.dev, 0);
}

TEST(what_not_every_user_may_read_or_is_no_regular_file_is_not_learnt) {
        static const char *const names[] = { "open", "private", "link", "fifo", "gone", NULL };
        const char *dir = new_dir();
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = NULL;
        char path[PATH_MAX];

        make_file(dir, "open", 0644);
        make_file(dir, "private", 0640);
        snprintf(path, sizeof(path), "%s/link", dir);
        CHECK(symlink("open", path) == 0);
        snprintf(path, sizeof(path), "%s/fifo", dir);
        CHECK(mkfifo(path, 0644) == 0);
        l = learn(dir, names);
        CHECK_INT(l->n_files, 1);
        CHECK(strstr(prefetch_list_path(l, &l->files[0]), "/open"));
}

TEST(a_file_of_another_number_under_that_name_is_not_learnt) {
        const char *dir = new_dir();
        _cleanup_(prefetch_list_freep) struct prefetch_list *old = new_list(), *seen = new_list(), *l = NULL;
        const struct prefetch_ended ended = { PREFETCH_NONE, 1 };
        struct prefetch_places p = places_of(dir);

        make_file(dir, "a", 0644);
        see(seen, dir, "a");
        seen->files[0].ino++;
        CHECK(prefetch_learn(old, seen, &p, &ended, &l) == 0);
        prefetch_places_done(&p);
        CHECK_INT(l->n_files, 0);
}

TEST(files_that_were_replaced_cut_deleted_closed_to_others_or_made_something_else_are_left_alone) {
        static const char *const names[] = { "same", "replaced", "cut", "deleted", "closed", "fifo", "link", "dir/moved", NULL };
        const char *dir = new_dir();
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = NULL;
        struct prefetch_result r;
        char path[PATH_MAX], other[PATH_MAX];

        for (const char *const *n = names; *n; n++)
                make_file(dir, *n, 0644);
        l = learn(dir, names);
        CHECK_INT(l->n_files, 8);
#define AT(name) (snprintf(path, sizeof(path), "%s/%s", dir, name), path)
        make_file(dir, "new", 0644);
        snprintf(other, sizeof(other), "%s/new", dir);
        CHECK(rename(other, AT("replaced")) == 0);
        CHECK(truncate(AT("cut"), 10) == 0);
        CHECK(unlink(AT("deleted")) == 0);
        CHECK(chmod(AT("closed"), 0600) == 0);
        CHECK(unlink(AT("fifo")) == 0 && mkfifo(path, 0644) == 0);
        CHECK(unlink(AT("link")) == 0 && symlink("same", path) == 0);
        snprintf(other, sizeof(other), "%s/elsewhere", dir);
        CHECK(rename(AT("dir"), other) == 0 && symlink("elsewhere", path) == 0); /* the same file, by way of a link */
        r = play(l, dir);
        CHECK_INT(r.outcome, PREFETCH_PLAYED);
        CHECK_INT(r.files, 1);
        CHECK_INT(r.missing, 7);
}

TEST(no_more_is_read_ahead_than_the_limit) {
        static const char *const names[] = { "huge", NULL };
        const char *dir = new_dir();
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = NULL;
        struct prefetch_places p = places_of(dir);
        struct prefetch_limits small = limits;
        struct prefetch_result r;
        char path[PATH_MAX];

        make_file(dir, "huge", 0644);
        CHECK(truncate(AT("huge"), 1 << 30) == 0);
        l = learn(dir, names);
        l->ranges[0].count = 1 << 18; /* a hostile list */
        small.bytes = 8 << 20;
        prefetch_play_begin(l, &p, &r);
        prefetch_play(l, &p, &small, &r);
        CHECK_INT(r.outcome, PREFETCH_SHORT);
        CHECK(r.bytes >= 8 << 20 && r.bytes <= 16 << 20);
        small.time = 0;
        prefetch_play_begin(l, &p, &r);
        prefetch_play(l, &p, &small, &r);
        prefetch_places_done(&p);
        CHECK(r.bytes == 0);
}

TEST(no_more_is_read_ahead_of_a_range_that_ends_where_pages_have_their_highest_number) {
        static const char *const names[] = { "a", NULL };
        const char *dir = new_dir();
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = NULL;
        struct prefetch_result r;

        make_file(dir, "a", 0644);
        l = learn(dir, names);
        l->ranges[0].first = UINT32_MAX - 5;
        l->ranges[0].count = 5;
        r = play(l, dir);
        CHECK_INT(r.outcome, PREFETCH_PLAYED);
        CHECK_INT(r.bytes, 5 * PREFETCH_PAGE_BYTES);
}

TEST(a_list_has_what_those_before_it_left_of_the_limits) {
        static const char *const names[] = { "huge", NULL };
        const char *dir = new_dir();
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = NULL;
        struct prefetch_places p = places_of(dir);
        struct prefetch_limits rest = limits;
        struct prefetch_result r;
        char path[PATH_MAX];

        make_file(dir, "huge", 0644);
        CHECK(truncate(AT("huge"), 1 << 30) == 0);
        l = learn(dir, names);
        l->ranges[0].count = 1 << 18;
        rest.bytes = 64 << 20;
        rest.used = 56 << 20;
        prefetch_play_begin(l, &p, &r);
        prefetch_play(l, &p, &rest, &r);
        CHECK_INT(r.outcome, PREFETCH_SHORT);
        CHECK(r.bytes >= 8 << 20 && r.bytes <= 16 << 20);
        rest.used = UINT64_MAX;
        prefetch_play_begin(l, &p, &r);
        prefetch_play(l, &p, &rest, &r);
        prefetch_places_done(&p);
        CHECK(r.bytes == 0);
}

TEST(what_others_read_ahead_at_the_time_fills_the_memory_that_may_be_filled_too) {
        static const char *const names[] = { "a", NULL };
        const char *dir = new_dir();
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = NULL;
        struct prefetch_places p = places_of(dir);
        struct prefetch_limits shared = limits;
        struct prefetch_result r;

        make_file(dir, "a", 0644);
        l = learn(dir, names);
        CHECK_INT(prefetch_account_new(&shared.account), 0);
        CHECK(prefetch_account_begin(shared.account, 0, 1000, 0) && prefetch_account_begin(shared.account, 1, 1001, 0));
        for (unsigned i = 0; i < 2; i++) {
                (void) prefetch_account_note(shared.account, 1, i == 0 ? 0 : UINT64_MAX / 2, 0, 0);
                prefetch_play_begin(l, &p, &r);
                prefetch_play(l, &p, &shared, &r);
                CHECK_INT(r.outcome, i == 0 ? PREFETCH_PLAYED : PREFETCH_SHORT);
                CHECK_INT(prefetch_account_asked(shared.account), i == 0 ? FILE_PAGES * PREFETCH_PAGE_BYTES : UINT64_MAX / 2);
        }
        prefetch_places_done(&p);
        prefetch_account_free(shared.account);
}

/* What the kernel says of memory, in a mount namespace of our own. */
struct gauge {
        const char *path, *plenty, *short_of;
};

#define LARGE_BYTES (16 << 20)

/* Returns how many MiB were asked for; 255: nothing can be mounted here. */
static int play_beside_gauge(const struct prefetch_list *l, const char *dir, const struct gauge *gauge, const char *ours) {
        struct prefetch_places places;
        struct prefetch_result r;

        if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 || mount(ours, gauge->path, NULL, MS_BIND, NULL) < 0)
                return 255;
        places = places_of(dir);
        r = play_at(l, &places);
        return r.outcome == PREFETCH_SHORT ? (int) (r.bytes >> 20) : 254;
}

/* The child waits at the second file until the kernel says something else. */
static int change_at_second(int gate, const char *dir, const struct gauge *gauge, pid_t child) {
        struct fanotify_response answer = { .response = FAN_ALLOW };
        struct fanotify_event_metadata e;
        struct pollfd p = { .fd = gate, .events = POLLIN };
        int status;

        while (poll(&p, 1, 100) == 0)
                if (waitpid(child, &status, WNOHANG) == child)
                        return WEXITSTATUS(status);
        if (read(gate, &e, sizeof(e)) != sizeof(e))
                abort();
        test_write_file(dir, "gauge", gauge->short_of);
        answer.fd = e.fd;
        if (write(gate, &answer, sizeof(answer)) != sizeof(answer) || waitpid(child, &status, 0) != child)
                abort();
        close(e.fd);
        return WEXITSTATUS(status);
}

TEST(how_memory_stands_is_looked_at_while_it_is_read_ahead) {
        static const char *const names[] = { "a", "b", NULL };
        static const struct gauge gauges[] = {
                { "/proc/meminfo", "MemTotal: 8000000 kB\nMemAvailable: 8000000 kB\n", "MemTotal: 8000000 kB\nMemAvailable: 20000 kB\n" },
                { "/proc/pressure/memory", "some avg10=90.00 avg60=0.00 avg300=0.00 total=0\nfull avg10=9.00 avg60=0.00 avg300=0.00 total=0\n",
                  "some avg10=90.00 avg60=0.00 avg300=0.00 total=0\nfull avg10=11.00 avg60=0.00 avg300=0.00 total=0\n" },
        };
        const char *dir = new_dir();
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = NULL;
        char path[PATH_MAX], gauge[PATH_MAX];

        snprintf(gauge, sizeof(gauge), "%s/gauge", dir);
        for (unsigned i = 0; i < 2; i++) {
                make_file(dir, names[i], 0644);
                CHECK(truncate(AT(names[i]), LARGE_BYTES) == 0);
        }
        l = learn(dir, names);
        l->ranges[0].count = l->ranges[1].count = LARGE_BYTES / PREFETCH_PAGE_BYTES;
        for (size_t i = 0; i < ARRAY_SIZE(gauges); i++) {
                _cleanup_close_ int gate = fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC, O_RDONLY | O_CLOEXEC);
                int mib;
                pid_t child;
                if (gate < 0 || fanotify_mark(gate, FAN_MARK_ADD, FAN_OPEN_PERM, AT_FDCWD, AT("b")) < 0 || access(gauges[i].path, F_OK) < 0)
                        test_skip("no file can be held, or the kernel does not say how memory stands");
                test_write_file(dir, "gauge", gauges[i].plenty);
                child = fork();
                if (child == 0)
                        _exit(play_beside_gauge(l, dir, &gauges[i], gauge));
                mib = change_at_second(gate, dir, &gauges[i], child);
                if (mib == 255)
                        test_skip("nothing can be mounted here");
                CHECK(mib >= 16 && mib < 24);
        }
}

TEST(nothing_is_read_ahead_where_no_memory_is_to_be_filled) {
        static const char *const names[] = { "a", NULL };
        const char *dir = new_dir();
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = NULL;
        struct prefetch_places p = places_of(dir);
        struct prefetch_limits none = limits;
        struct prefetch_result r;

        make_file(dir, "a", 0644);
        l = learn(dir, names);
        none.memory_percent = 0;
        prefetch_play_begin(l, &p, &r);
        prefetch_play(l, &p, &none, &r);
        prefetch_places_done(&p);
        CHECK_INT(r.outcome, PREFETCH_SHORT);
        CHECK(r.bytes == 0);
}

/* What has no name is looked for at every place. */
static void name_nothing(const struct prefetch_places *p) {
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = new_list();

        if (prefetch_list_add_file(l, &(struct prefetch_file){ .dev = FS_DEV, .ino = 1 }, PREFETCH_UNNAMED) == 0)
                prefetch_names_find(l, p, &(struct prefetch_tasks){ 0 });
}

/* In a mount namespace of its own: a file system whose server never answers is mounted over `over` once the places are known. Returns how many files were
 * opened and how many not, as 16 * n + n. */
static int play_below_silent_server(const struct prefetch_list *l, const char *dir, const char *over, const char *type) {
        char options[128];
        struct prefetch_places places;
        struct prefetch_result r;
        int fuse = unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 ? open("/dev/fuse", O_RDWR | O_CLOEXEC) : -1;

        snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fuse);
        places = places_of(dir);
        if (fuse < 0 || mount("silent", over, type, MS_NOSUID | MS_NODEV, options) < 0)
                return 0;
        name_nothing(&places);
        r = play_at(l, &places);
        return (int) (16 * r.files + r.missing);
}

TEST(a_file_system_whose_server_never_answers_is_left_alone_also_one_from_afar_or_over_the_place_or_on_the_way_to_it) {
        static const char *const names[] = { "sub/a", "b", NULL };
        static const struct {
                const char *over, *type;
                int played;
        } servers[] = { { "sub", "fuse", 16 + 1 }, { "sub", "fuse.sshfs", 16 + 1 }, { ".", "fuse", 2 }, { "..", "fuse", 2 } };
        char dir[PATH_MAX], over[2 * PATH_MAX];
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = NULL;

        snprintf(dir, sizeof(dir), "%s/place", new_dir());
        make_file(dir, "sub/a", 0644);
        make_file(dir, "b", 0644);
        l = learn(dir, names);
        CHECK_INT(l->n_files, 2);
        for (size_t i = 0; i < ARRAY_SIZE(servers); i++) {
                pid_t pid;
                int status;
                snprintf(over, sizeof(over), "%s/%s", dir, servers[i].over);
                pid = fork();
                if (pid == 0)
                        _exit(play_below_silent_server(l, dir, over, servers[i].type));
                CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
                if (WEXITSTATUS(status) == 0)
                        test_skip("no file system with a server can be mounted here");
                CHECK_INT(WEXITSTATUS(status), servers[i].played);
        }
}

TEST(of_mounts_on_one_point_the_last_is_the_place_and_no_more_than_there_is_room_for_are_counted) {
        struct prefetch_places p = { 0 };
        const struct prefetch_place *place;
        char point[32];

        for (unsigned i = 0; i < PREFETCH_PLACES_MAX + 3; i++) {
                snprintf(point, sizeof(point), "/snap/%u", i);
                CHECK(prefetch_places_add(&p, &(struct prefetch_place){ i, FS_DEV + i, DRIVE, false, point, "/" }) == (i < PREFETCH_PLACES_MAX));
        }
        CHECK(prefetch_places_add(&p, &(struct prefetch_place){ 9999, FS_DEV, DRIVE, false, "/snap/7", "/top" }));
        CHECK(p.n == PREFETCH_PLACES_MAX && p.refused == 3);
        place = prefetch_places_find(&p, "/snap/7/file");
        CHECK(place && place->mount == 9999 && streq(place->top, "/top"));
        prefetch_places_done(&p);
        CHECK(p.n == 0 && !prefetch_places_find(&p, "/snap/7/file"));
}

/* Runs work in a child that is killed at its n-th step into or out of the kernel. Returns whether it came to its end before that; -1: it cannot be followed. */
static int run_killed(void (*work)(void *userdata), void *userdata, unsigned n) {
        pid_t pid = fork();
        int status;

        if (pid == 0) {
                if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0 && raise(SIGSTOP) == 0)
                        work(userdata);
                _exit(0);
        }
        if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
                return -1;
        for (unsigned i = 0; i < n; i++)
                if (ptrace(PTRACE_SYSCALL, pid, NULL, NULL) < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
                        return WIFEXITED(status);
        return kill(pid, SIGKILL) == 0 && waitpid(pid, &status, 0) == pid ? 0 : -1;
}

struct killed {
        const char *dir;
        const char *const *names;
};

static void learn_again(void *userdata) {
        const struct killed *k = userdata;
        _cleanup_(prefetch_list_freep) struct prefetch_list *old = NULL, *seen = new_list(), *learnt = NULL;
        _cleanup_close_ int fd = prefetch_store_open(k->dir);
        const struct prefetch_ended ended = { PREFETCH_CONTROL, 2900 };
        struct prefetch_places p = places_of(k->dir);

        for (const char *const *name = k->names; *name; name++)
                see(seen, k->dir, *name);
        if (prefetch_store_lock(fd) == 0 && prefetch_store_load(fd, "editor", 1000, &old) == 0 && prefetch_learn(old, seen, &p, &ended, &learnt) == 0)
                (void) prefetch_store_save(fd, learnt);
}

static void play_again(void *userdata) {
        const struct killed *k = userdata;
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = NULL;
        _cleanup_close_ int fd = prefetch_store_open(k->dir);

        if (prefetch_store_load(fd, "editor", 1000, &l) == 0)
                (void) play(l, k->dir);
}

#define STEPS_MAX 4000

TEST(a_kill_at_any_step_leaves_the_list_of_before_or_the_new_one_and_the_files_as_they_are) {
        static const char *const names[] = { "a", "lib/b", NULL };
        static void (*const works[])(void *userdata) = { learn_again, play_again };
        const char *dir = new_dir();
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = NULL;
        _cleanup_close_ int fd = prefetch_store_open(dir);
        struct killed k = { dir, names };
        struct stat before, after;
        char path[PATH_MAX];

        make_file(dir, "a", 0644);
        make_file(dir, "lib/b", 0644);
        l = learn(dir, names);
        CHECK(stat(AT("a"), &before) == 0);
        for (size_t i = 0; i < ARRAY_SIZE(works); i++) {
                int ended = 0;
                unsigned n = 1, kept = 0, taken = 0;
                for (; ended == 0 && n < STEPS_MAX; n++) {
                        _cleanup_(prefetch_list_freep) struct prefetch_list *found = NULL;
                        CHECK_INT(prefetch_store_save(fd, l), 0);
                        ended = run_killed(works[i], &k, n);
                        if (ended < 0)
                                test_skip("a child cannot be traced here");
                        CHECK_INT(prefetch_store_load(fd, "editor", 1000, &found), 0);
                        CHECK(found->n_files == 2 && (found->starts == 1 || found->starts == 2));
                        kept += found->starts == 1;
                        taken += found->starts == 2;
                }
                CHECK(n > 20 && kept > 20 && ended == 1);
                CHECK(works[i] == learn_again ? taken > 0 : taken == 0);
        }
        CHECK(stat(AT("a"), &after) == 0 && after.st_atim.tv_sec == before.st_atim.tv_sec && after.st_atim.tv_nsec == before.st_atim.tv_nsec &&
              after.st_mtim.tv_nsec == before.st_mtim.tv_nsec && after.st_ctim.tv_nsec == before.st_ctim.tv_nsec);
}

TEST(a_file_below_no_place_is_not_opened) {
        struct prefetch_places p = { 0 };
        const struct prefetch_place *place;
        char path[PREFETCH_PATH_MAX];

        CHECK_INT(prefetch_places_open(&p, "/etc/passwd", O_RDONLY, &place), -EXDEV);
        CHECK(add_place(&p, FS_DEV, DRIVE, "/usr", "/@usr"));
        CHECK_INT(prefetch_places_open(&p, "/usrlocal", O_RDONLY, &place), -EXDEV);
        CHECK(prefetch_places_open(&p, "/usr/../etc/passwd", O_RDONLY, &place) < 0);
        CHECK(prefetch_places_locate(&p, FS_DEV, "/@usr/bin/x", path));
        CHECK_STR(path, "/usr/bin/x");
        CHECK(prefetch_places_unlocate(&p, FS_DEV, "/usr/bin/x", path));
        CHECK_STR(path, "/@usr/bin/x");
        CHECK(!prefetch_places_unlocate(&p, FS_DEV, "/usrlocal/x", path) && !prefetch_places_unlocate(&p, FS_DEV + 1, "/usr/bin/x", path));
        CHECK(!prefetch_places_locate(&p, FS_DEV, "/@home/x", path) && !prefetch_places_locate(&p, FS_DEV + 1, "/@usr/bin/x", path));
        prefetch_places_done(&p);
}

TEST(each_so_many_starts_are_without_help) {
        static const char *const names[] = { "a", NULL };
        const char *dir = new_dir();
        struct prefetch_places p = places_of(dir);
        struct prefetch_list *l;
        unsigned controls = 0;

        make_file(dir, "a", 0644);
        l = learn(dir, names);
        for (unsigned i = 0; i < 12; i++) {
                _cleanup_(prefetch_list_freep) struct prefetch_list *seen = new_list(), *before = l;
                enum prefetch_outcome o = prefetch_choose(l, &limits);
                const struct prefetch_ended ended = { o, o == PREFETCH_CONTROL ? 3000 : 1000 };
                controls += ended.outcome == PREFETCH_CONTROL;
                see(seen, dir, "a");
                CHECK(prefetch_learn(before, seen, &p, &ended, &l) == 0);
        }
        prefetch_places_done(&p);
        CHECK_INT(controls, 12 / limits.control_every);
        CHECK_INT(l->unhelped.n, 1 + controls);
        prefetch_list_free(l);
}

/* With what a start without help was seen to read. */
static struct prefetch_list *learn_more(const char *dir, const struct prefetch_list *old, const char *name) {
        _cleanup_(prefetch_list_freep) struct prefetch_list *seen = new_list();
        const struct prefetch_ended ended = { PREFETCH_CONTROL, 2900 };
        struct prefetch_places p = places_of(dir);
        struct prefetch_list *learnt;

        see(seen, dir, name);
        if (prefetch_learn(old, seen, &p, &ended, &learnt) < 0)
                abort();
        prefetch_places_done(&p);
        return learnt;
}

TEST(what_was_in_memory_when_a_start_without_help_needed_it_stays_and_what_was_not_needed_goes) {
        static const char *const names[] = { "kept", "read", "unread/0", "unread/1", "unread/2", NULL };
        const char *dir = new_dir();
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = NULL, *after = NULL;
        char path[PATH_MAX];

        for (size_t i = 0; names[i]; i++) {
                make_file(dir, names[i], 0644);
                snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
                /* Of a hole that was not read yet no page is in memory. */
                CHECK(i < 2 || (truncate(path, 0) == 0 && truncate(path, FILE_PAGES * PREFETCH_PAGE_BYTES) == 0));
        }
        l = learn(dir, names);
        CHECK_INT(l->n_files, 5);
        after = learn_more(dir, l, "read"); /* "kept" was just written: it is in memory */
        CHECK_INT(after->n_files, 2);
        CHECK_STR(strrchr(prefetch_list_path(after, &after->files[0]), '/'), "/kept");
        CHECK_STR(strrchr(prefetch_list_path(after, &after->files[1]), '/'), "/read");
        CHECK_INT(after->starts, 1);
}

TEST(a_start_that_was_helped_in_part_counts_as_one_with_help) {
        static const char *const names[] = { "a", NULL };
        const char *dir = new_dir();
        struct prefetch_places p = places_of(dir);
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = NULL, *seen = new_list(), *after = NULL;
        const struct prefetch_ended ended = { PREFETCH_STOPPED, 1500 };

        make_file(dir, "a", 0644);
        l = learn(dir, names);
        CHECK(prefetch_learn(l, seen, &p, &ended, &after) == 0);
        prefetch_places_done(&p);
        CHECK_INT(after->since_control, 1);
        CHECK_INT(prefetch_times_median(&after->helped), 1500);
}

TEST(a_start_that_read_nothing_where_files_are_learnt_of_says_nothing) {
        static const char *const names[] = { "a", NULL };
        const char *dir = new_dir();
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = NULL, *seen = new_list(), *after = NULL;
        const struct prefetch_ended ended = { PREFETCH_CONTROL, 100 };
        struct prefetch_places p = places_of(dir);

        make_file(dir, "a", 0644);
        l = learn(dir, names);
        l->since_control = 3;
        CHECK(prefetch_learn(l, seen, &p, &ended, &after) == 0);
        prefetch_places_done(&p);
        CHECK_INT(after->n_ranges, 1);
        CHECK_INT(after->ranges[0].hits, l->ranges[0].hits);
        CHECK_INT(after->starts, l->starts);
        CHECK_INT(after->unhelped.n, 1);
        CHECK_INT(after->since_control, 3);
}

TEST(what_the_user_switched_off_or_gains_nothing_is_not_helped) {
        static const char *const names[] = { "a", NULL };
        const char *dir = new_dir();
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = NULL, *none = new_list();

        make_file(dir, "a", 0644);
        l = learn(dir, names);
        CHECK_INT(prefetch_choose(none, &limits), PREFETCH_NONE);
        for (unsigned i = 0; i < PREFETCH_JUDGED; i++) {
                prefetch_times_add(&l->helped, 2900);
                prefetch_times_add(&l->unhelped, 2900);
        }
        CHECK_INT(prefetch_choose(l, &limits), PREFETCH_WORTHLESS);
        l->off = true;
        CHECK_INT(prefetch_choose(l, &limits), PREFETCH_OFF);
}

TEST(a_list_that_is_kept_is_found_by_its_application_and_user_alone) {
        static const char *const names[] = { "a", NULL };
        const char *dir = new_dir();
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = NULL, *again = NULL;
        _cleanup_close_ int fd = prefetch_store_open(dir);
        char name[PREFETCH_NAME_MAX], path[PATH_MAX];
        struct stat st;

        make_file(dir, "a", 0644);
        l = learn(dir, names);
        CHECK(fd >= 0 && prefetch_store_save(fd, l) == 0 && prefetch_store_save(fd, l) == 0);
        CHECK_INT(prefetch_store_load(fd, "editor", 1001, &again), -ENOENT);
        CHECK_INT(prefetch_store_load(fd, "other", 1000, &again), -ENOENT);
        CHECK_INT(prefetch_store_load(fd, "editor", 1000, &again), 0);
        CHECK_INT(again->n_files, 1);
        CHECK(fstat(fd, &st) == 0 && (st.st_mode & 0777) == 0700);
        snprintf(path, sizeof(path), "%s/prefetch/%s", dir, prefetch_store_name("editor", 1000, name));
        CHECK(stat(path, &st) == 0 && (st.st_mode & 0777) == 0600);
        CHECK_INT(prefetch_store_forget(fd, "other"), 0);
        CHECK_INT(prefetch_store_forget(fd, "editor"), 1);
        CHECK(access(path, F_OK) < 0);
}

TEST(what_is_switched_off_stays_so_without_a_list_and_whatever_becomes_of_the_lists) {
        const char *dir = new_dir();
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = new_list(), *again = NULL, *other = NULL;
        _cleanup_close_ int fd = prefetch_store_open(dir);
        struct prefetch_off off;

        CHECK_INT(prefetch_store_switch(fd, "editor", false), 1);
        CHECK_INT(prefetch_store_switch(fd, "editor", false), 0);
        CHECK_INT(prefetch_store_switch(fd, "a\nb", false), -EINVAL);
        CHECK_INT(prefetch_store_save(fd, l), 0);
        CHECK_INT(prefetch_store_forget(fd, ""), 1);
        CHECK(!l->off && prefetch_store_save(fd, l) == 0); /* learnt anew, as of another user */
        CHECK(prefetch_store_load(fd, "editor", 1000, &again) == 0 && again->off);
        CHECK_INT(prefetch_store_switch(fd, "other", false), 1);
        CHECK_INT(prefetch_store_switch(fd, "editor", true), 1);
        CHECK_INT(prefetch_store_switch(fd, "editor", true), 0);
        CHECK(prefetch_store_load(fd, "editor", 1000, &other) == 0 && !other->off);
        prefetch_store_load_off(fd, &off);
        CHECK(off.n == 1 && streq(off.applications[0], "other") && prefetch_store_is_on(fd));
}

TEST(no_more_are_switched_off_than_there_is_room_for_and_a_damaged_file_of_them_is_none) {
        const char *dir = new_dir();
        _cleanup_close_ int fd = prefetch_store_open(dir);
        struct prefetch_off off;
        char name[APPLICATION_MAX];

        memset(name, 'x', sizeof(name) - 1);
        name[sizeof(name) - 1] = '\0';
        for (unsigned i = 0; i < PREFETCH_OFF_MAX; i++) {
                name[snprintf(name, 8, "%u", i)] = '-';
                CHECK_INT(prefetch_store_switch(fd, name, false), 1);
        }
        CHECK_INT(prefetch_store_switch(fd, "more", false), -E2BIG);
        prefetch_store_load_off(fd, &off);
        CHECK(off.n == PREFETCH_OFF_MAX && streq(off.applications[PREFETCH_OFF_MAX - 1], name));
        test_write_file(dir, "prefetch/off.names", "brio1\toff\nmore\n");
        prefetch_store_load_off(fd, &off);
        CHECK_INT(off.n, 0);
        CHECK_INT(prefetch_store_switch(fd, "more", false), 1);
}

TEST(to_forget_an_application_takes_what_is_noted_of_users_that_start_it_after_a_login_and_of_no_other) {
        static const char with[][APPLICATION_MAX] = { "mail", "editor" }, without[][APPLICATION_MAX] = { "mail" };
        _cleanup_close_ int fd = prefetch_store_open(new_dir());
        struct prefetch_next next = { 0 }, other = { 0 };

        prefetch_next_add(&next, with, 2);
        prefetch_next_add(&other, without, 1);
        CHECK(prefetch_store_save_next(fd, 1000, &next) == 0 && prefetch_store_save_next(fd, 1001, &other) == 0);
        CHECK_INT(prefetch_store_forget(fd, "editor"), 0);
        CHECK_INT(prefetch_store_load_next(fd, 1000, &next), -ENOENT);
        CHECK_INT(prefetch_store_load_next(fd, 1001, &other), 0);
}

TEST(a_list_of_the_highest_user_there_can_be_is_known_as_one) {
        _cleanup_close_ int fd = prefetch_store_open(new_dir());
        struct prefetch_list *l;

        CHECK(prefetch_list_new("editor", UINT32_MAX - 1, &l) == 0);
        CHECK_INT(prefetch_store_save(fd, l), 0);
        prefetch_list_free(l);
        CHECK_INT(prefetch_store_forget(fd, "editor"), 1);
}

TEST(a_damaged_or_foreign_file_in_its_place_is_no_list) {
        const char *dir = new_dir();
        _cleanup_close_ int fd = prefetch_store_open(dir);
        struct prefetch_list *l;
        char name[PREFETCH_NAME_MAX], path[PATH_MAX];

        prefetch_store_name("editor", 1000, name);
        snprintf(path, sizeof(path), "%s/prefetch/%s", dir, name);
        CHECK(mkfifo(path, 0600) == 0);
        CHECK_INT(prefetch_store_load(fd, "editor", 1000, &l), -EBADMSG);
        CHECK(unlink(path) == 0 && symlink("/etc/passwd", path) == 0);
        CHECK_INT(prefetch_store_load(fd, "editor", 1000, &l), -EBADMSG);
        CHECK(unlink(path) == 0);
        snprintf(path, sizeof(path), "prefetch/%s", name);
        test_write_file(dir, path, "brio1\tprefetch\t1000\n");
        CHECK_INT(prefetch_store_load(fd, "editor", 1000, &l), -EBADMSG);
        CHECK_INT(prefetch_store_forget(fd, ""), 1);
}

/* An empty list, unchanged since then; 0: now. */
static void keep(int fd, unsigned i, uint32_t uid, time_t since) {
        struct timespec old[2] = { { .tv_sec = since }, { .tv_sec = since } };
        char application[16], name[PREFETCH_NAME_MAX];
        struct prefetch_list *l;

        snprintf(application, sizeof(application), "p%u", i);
        if (prefetch_list_new(application, uid, &l) < 0 || prefetch_store_save(fd, l) < 0 ||
            (since && utimensat(fd, prefetch_store_name(application, uid, name), old, 0) < 0))
                abort();
        prefetch_list_free(l);
}

static bool is_kept(int fd, unsigned i, uint32_t uid) {
        char application[16], name[PREFETCH_NAME_MAX];

        snprintf(application, sizeof(application), "p%u", i);
        return faccessat(fd, prefetch_store_name(application, uid, name), F_OK, 0) == 0;
}

TEST(the_oldest_list_makes_room) {
        _cleanup_close_ int fd = prefetch_store_open(new_dir());

        for (unsigned i = 0; i <= PREFETCH_LISTS_MAX; i++)
                keep(fd, i, 1000, i == 5 ? 1000 : 0);
        for (unsigned i = 0; i <= PREFETCH_LISTS_MAX; i++)
                CHECK(is_kept(fd, i, 1000) == (i != 5));
}

TEST(however_many_programs_a_user_starts_the_lists_of_one_who_has_fewer_stay) {
        const unsigned few = PREFETCH_LISTS_MAX / 2 - 1;
        _cleanup_close_ int fd = prefetch_store_open(new_dir());

        for (unsigned i = 0; i < few; i++)
                keep(fd, i, 1000, 1000); /* older than all others */
        for (unsigned i = 0; i < 2 * PREFETCH_LISTS_MAX; i++)
                keep(fd, i, 1001, 0);
        keep(fd, 0, 1002, 1000); /* one who has none finds room */
        keep(fd, 0, 1001, 0);
        for (unsigned i = 0; i < few; i++)
                CHECK(is_kept(fd, i, 1000));
        CHECK(is_kept(fd, 0, 1002));
        CHECK(is_kept(fd, 0, 1001));
}

TEST(names_from_the_file_up_make_a_path) {
        char path[PREFETCH_PATH_MAX], long_names[2 * PREFETCH_PATH_MAX];

        CHECK(prefetch_path_join("python3\0bin\0usr", sizeof("python3\0bin\0usr"), path));
        CHECK_STR(path, "/usr/bin/python3");
        CHECK(!prefetch_path_join("", 0, path));
        CHECK(!prefetch_path_join("a\0b", 3, path)); /* the last has no end */
        CHECK(!prefetch_path_join("\0a", sizeof("\0a"), path));
        for (size_t i = 0; i < sizeof(long_names); i++)
                long_names[i] = i % 4 == 3 ? '\0' : 'x';
        CHECK(!prefetch_path_join(long_names, sizeof(long_names), path));
}

TEST(what_a_process_has_mapped_names_files_by_their_numbers) {
        char file[] = "7f5c1a200000-7f5c1a228000 r--p 00001000 fd:0a 131     /usr/lib/a b.so\n";
        char none[] = "7f5c1a200000-7f5c1a228000 rw-p 00000000 00:00 0     [heap]\n", bare[] = "7f5c1a200000-7f5c1a228000 rw-p 00000000 00:00 0 \n";
        const char *path;
        uint32_t dev;
        uint64_t ino;

        CHECK(prefetch_names_parse(file, &dev, &ino, &path));
        CHECK_INT(dev, DEV_NUMBER(0xfd, 0x0a));
        CHECK_INT(ino, 131);
        CHECK_STR(path, "/usr/lib/a b.so");
        CHECK(!prefetch_names_parse(none, &dev, &ino, &path) && !prefetch_names_parse(bare, &dev, &ino, &path));
}

static void copy_program(const char *from, const char *to) {
        int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);

        if (in < 0 || out < 0 || fchmod(out, 0755) < 0)
                abort();
        while (sendfile(out, in, NULL, 1 << 20) > 0)
                ;
        close(in);
        close(out);
}

/* Device and number of a file, as a process has it mapped: stat() has another device on some file systems. Returns false where it has not. */
static bool find_mapped(int32_t tgid, const char *path, struct prefetch_file *ret) {
        char line[PATH_MAX + 256], name[32];
        const char *found;
        bool is_it = false;
        FILE *maps;

        snprintf(name, sizeof(name), "/proc/%d/maps", tgid);
        maps = fopen(name, "re");
        while (maps && !is_it && fgets(line, sizeof(line), maps))
                is_it = prefetch_names_parse(line, &ret->dev, &ret->ino, &found) && streq(found, path);
        if (maps)
                fclose(maps);
        return is_it;
}

/* A child that execs a copy of sleep. */
static int32_t run_sleep(const char *dir, struct prefetch_file *ret) {
        char path[PATH_MAX];
        int32_t child;

        snprintf(path, sizeof(path), "%s/sleep", dir);
        copy_program("/bin/sleep", path);
        child = fork();
        if (child < 0)
                abort();
        if (child == 0) {
                execl(path, path, "60", NULL);
                _exit(EXIT_FAILURE);
        }
        for (int i = 0; i < 1000 && !find_mapped(child, path, ret); i++)
                usleep(10000);
        return child;
}

TEST(of_the_program_of_a_process_what_is_in_memory_is_added_to_what_it_was_seen_to_read) {
        const char *dir = new_dir();
        struct prefetch_places p = { 0 };
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = new_list();
        struct prefetch_exec_files files;
        struct prefetch_exec exec;
        struct prefetch_file program = { 0 };
        int32_t child = run_sleep(dir, &program);

        CHECK(add_place(&p, program.dev, DRIVE, dir, "/top"));
        prefetch_exec_open(child, &files);
        prefetch_exec_find(&files, &p, &exec);
        CHECK_INT(exec.n, 1); /* the loader is not below the place */
        CHECK_STR(exec.files[0].path, "/top/sleep");
        prefetch_exec_add(&exec, &p, l);
        CHECK_INT(l->n_files, 1);
        CHECK_STR(prefetch_list_path(l, &l->files[0]), "/top/sleep");
        CHECK(l->n_ranges > 0 && l->ranges[0].first == 0); /* it was just written, and runs */
        exec.files[0].ino++; /* replaced meanwhile */
        prefetch_exec_add(&exec, &p, l);
        CHECK_INT(l->n_ranges, 1);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        prefetch_exec_open(child, &files); /* it is gone */
        prefetch_exec_find(&files, &p, &exec);
        CHECK_INT(exec.n, 0);
        prefetch_places_done(&p);
}

/* On whatever file system the test runs, by what is mapped here. */
TEST(a_file_that_is_mapped_gets_its_name_and_another_one_stays_without) {
        const char *dir = new_dir();
        struct prefetch_places p = { 0 };
        struct prefetch_tasks tasks = { .n = 1, .tids = { getpid() } };
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = new_list();
        struct prefetch_file mapped = { 0 }, other = { 0 };
        char path[PATH_MAX];
        void *map;
        int fd;

        make_file(dir, "mapped", 0644);
        snprintf(path, sizeof(path), "%s/mapped", dir);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        map = mmap(NULL, PREFETCH_PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
        CHECK(map != MAP_FAILED);
        close(fd);
        CHECK(find_mapped(getpid(), path, &mapped));
        other = mapped;
        other.ino = UINT64_MAX;
        CHECK(add_place(&p, mapped.dev, DRIVE, dir, "/top"));
        CHECK_INT(prefetch_list_add_file(l, &mapped, PREFETCH_UNNAMED), 0);
        CHECK_INT(prefetch_list_add_file(l, &other, PREFETCH_UNNAMED), 1);
        prefetch_names_find(l, &p, &tasks);
        CHECK_STR(prefetch_list_path(l, &l->files[0]), "/top/mapped");
        CHECK_STR(prefetch_list_path(l, &l->files[1]), PREFETCH_UNNAMED);
        munmap(map, PREFETCH_PAGE_BYTES);
        prefetch_places_done(&p);
}
