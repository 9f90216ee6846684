/* SPDX-License-Identifier: GPL-3.0-or-later */
/* blktrace against the running kernel, on a loop device of our own. A locked-down kernel lets traces be made and not be read. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/blktrace_api.h>
#include <linux/fs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "blktrace-session.h"
#include "clock.h"
#include "loop-drive.h"
#include "source-blktrace.h"
#include "test.h"

#define DEBUG "/sys/kernel/debug"
#define READS 100
#define PATIENCE_NS (20 * NSEC_PER_SEC)

struct rig {
        struct loop_drive drive;
        struct source_drive wanted;
        struct source_blktrace *source;
        sd_event *event;
        char state[PATH_MAX / 2], node[64];
};

static struct {
        unsigned kinds[_EVENT_KIND_MAX];
        unsigned own_reads, out_of_order;
        nsec_t last;
} heard;

static void hear(void *userdata _unused_, const struct event *e) {
        heard.kinds[e->kind]++;
        if (e->kind < EVENT_REQUEST_QUEUE || e->kind > EVENT_REQUEST_COMPLETE)
                return;
        heard.out_of_order += e->t < heard.last;
        heard.last = e->t;
        heard.own_reads += e->kind == EVENT_REQUEST_QUEUE && e->tgid == getpid() && e->request.op == REQUEST_READ;
}

/* In a mount namespace of our own: the machine stays as it is. */
static void mount_debugfs(void) {
        static bool done;

        if (done)
                return;
        if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
                test_skip("no mount namespace can be made here");
        if (access(DEBUG "/block", F_OK) < 0 && mount("debugfs", DEBUG, "debugfs", 0, NULL) < 0)
                test_skip("the kernel has no debugfs");
        if (access(DEBUG "/block", F_OK) < 0)
                test_skip("the kernel has no blktrace");
        done = true;
}

static void open_source(struct rig *rig) {
        memset(&heard, 0, sizeof(heard));
        if (source_blktrace_new("", rig->state, rig->event, (struct event_sink) { hear, NULL }, &rig->source) < 0)
                abort();
}

static char last_node[64];

/* A check that fails ends its test at once, and the loop device would keep its trace. */
static void end_last_trace(void) {
        _cleanup_close_ int fd = open(last_node, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

        if (fd < 0)
                return;
        ioctl(fd, BLKTRACESTOP);
        ioctl(fd, BLKTRACETEARDOWN);
}

static void set_up(struct rig *rig) {
        static unsigned count;
        int r;

        memset(rig, 0, sizeof(*rig));
        if (geteuid() != 0)
                test_skip("loop devices need root");
        mount_debugfs();
        r = loop_drive_new(&rig->drive, test_tmpdir());
        if (r == -ENOENT || r == -EPERM || r == -EACCES)
                test_skip("no loop devices here");
        if (r < 0) {
                fprintf(stderr, "loop device: %s\n", strerror(-r));
                exit(99);
        }
        rig->wanted.dev = rig->drive.dev;
        snprintf(rig->node, sizeof(rig->node), "/dev/%s", rig->drive.name);
        if (!*last_node)
                atexit(end_last_trace);
        snprintf(last_node, sizeof(last_node), "%s", rig->node);
        snprintf(rig->state, sizeof(rig->state), "%.1000s/state-%u", test_tmpdir(), count++);
        if (mkdir(rig->state, 0700) < 0 || sd_event_new(&rig->event) < 0)
                abort();
        open_source(rig);
}

static void tear_down(struct rig *rig) {
        source_blktrace_free(rig->source);
        sd_event_unref(rig->event);
        loop_drive_done(&rig->drive);
        snprintf(last_node, sizeof(last_node), "/"); /* another process may have the number now */
}

static bool has_trace(const struct rig *rig) {
        char path[PATH_MAX];

        snprintf(path, sizeof(path), DEBUG "/block/%s/dropped", rig->drive.name);
        return access(path, F_OK) == 0;
}

static int begin_another(const struct rig *rig) {
        struct blk_user_trace_setup setup = { .act_mask = BLK_TC_READ, .buf_size = 4096, .buf_nr = 2 };
        _cleanup_close_ int fd = open(rig->node, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

        return fd < 0 || ioctl(fd, BLKTRACESETUP, &setup) < 0 ? -errno : 0;
}

static void end_what_another_began(const struct rig *rig) {
        _cleanup_close_ int fd = open(rig->node, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

        ioctl(fd, BLKTRACETEARDOWN);
}

static bool is_locked_down(void) {
        return blktrace_obstacle() == BLKTRACE_LOCKED_DOWN;
}

/* As the source would, had it been killed right after. */
static bool leave_behind(struct rig *rig, bool noted) {
        static struct blktrace_state state;
        struct blktrace_place place;
        struct blktrace_mark mark;

        if (blktrace_state_open(&state, rig->state, "") < 0 || blktrace_place_find(rig->drive.dev, &place) < 0)
                return false;
        test_write_file(rig->state, "boot", "");
        snprintf(state.boot_id, sizeof(state.boot_id), "%s", test_read_file("/proc/sys/kernel/random", "boot_id"));
        if (blktrace_session_begin(&place, 4096, 2, &state) < 0)
                return false;
        if (noted)
                return true;
        mark = *blktrace_state_find(&state, place.name);
        mark.inode = 0; /* before it could note which it is */
        return blktrace_state_note(&state, &mark) == 0;
}

TEST(a_locked_down_kernel_is_recognised_and_named_and_nothing_is_left) {
        struct source_info info;
        struct rig rig;

        set_up(&rig);
        if (!is_locked_down()) {
                tear_down(&rig);
                test_skip("the kernel is not locked down");
        }
        CHECK_INT(source_blktrace_ops.start(rig.source, &rig.wanted, NSEC_PER_SEC), -EPERM);
        CHECK_INT(source_blktrace_ops.probe(rig.source, &info), 1);
        CHECK_INT(info.state, SOURCE_UNAVAILABLE);
        CHECK(strstr(info.detail, "locked down"));
        CHECK(!has_trace(&rig));
        CHECK_STR(test_read_file(rig.state, BLKTRACE_STATE_FILE), "(missing)");
        CHECK_INT(heard.kinds[EVENT_WATCH], 0);
        tear_down(&rig);
}

/* What the kernel itself says, without the short cut of asking first. */
TEST(a_trace_can_be_made_and_is_read_unless_the_kernel_is_locked_down) {
        static struct blktrace_state state;
        struct blktrace_place place;
        struct rig rig;
        int fd;

        set_up(&rig);
        CHECK_INT(blktrace_state_open(&state, rig.state, "boot"), 0);
        CHECK_INT(blktrace_place_find(rig.drive.dev, &place), 0);
        CHECK_STR(place.name, rig.drive.name);
        CHECK_INT(blktrace_session_begin(&place, 4096, 2, &state), 0);
        CHECK(has_trace(&rig));
        fd = blktrace_session_open_cpu(&place, 0);
        if (is_locked_down())
                CHECK_INT(fd, -EPERM);
        else
                CHECK(fd >= 0);
        safe_close(fd);
        CHECK_INT(blktrace_session_dropped(&place), 0);
        CHECK_INT(blktrace_session_open_cpu(&place, 9999), -ENOENT);
        blktrace_session_end(&place, &state);
        CHECK(!has_trace(&rig));
        CHECK_INT(state.n, 0);
        tear_down(&rig);
}

TEST(another_programs_trace_is_left_alone) {
        static struct blktrace_state state;
        struct blktrace_place place;
        struct rig rig;

        set_up(&rig);
        CHECK_INT(begin_another(&rig), 0);
        CHECK_INT(blktrace_state_open(&state, rig.state, "boot"), 0);
        CHECK_INT(blktrace_place_find(rig.drive.dev, &place), 0);
        CHECK_INT(blktrace_session_begin(&place, 4096, 2, &state), -EBUSY);
        blktrace_session_end(&place, &state);
        CHECK_INT(source_blktrace_clean_up("", rig.state), 0);
        CHECK(has_trace(&rig));
        CHECK_INT(state.n, 0);
        if (!is_locked_down()) {
                struct source_info info;

                CHECK_INT(source_blktrace_ops.start(rig.source, &rig.wanted, NSEC_PER_SEC), -EBUSY);
                CHECK_INT(source_blktrace_ops.probe(rig.source, &info), 1);
                CHECK(strstr(info.detail, "another program"));
        }
        end_what_another_began(&rig);
        CHECK(!has_trace(&rig));
        tear_down(&rig);
}

TEST(what_a_killed_daemon_left_is_removed_by_the_next) {
        for (int noted = 0; noted < 2; noted++) {
                struct rig rig;

                set_up(&rig);
                CHECK(leave_behind(&rig, noted));
                CHECK(has_trace(&rig));
                source_blktrace_free(rig.source);
                open_source(&rig);
                CHECK(!has_trace(&rig));
                CHECK_STR(test_read_file(rig.state, BLKTRACE_STATE_FILE), "(missing)");
                if (!is_locked_down()) {
                        struct source_info info;

                        source_blktrace_ops.probe(rig.source, &info);
                        CHECK(strstr(info.detail, "removed at the start: 1 trace"));
                }
                tear_down(&rig);
        }
}

/* The user ended ours by hand after the kill, and traces by themselves now: the note is of another trace. */
TEST(a_trace_that_came_after_ours_is_left_alone) {
        struct rig rig;

        set_up(&rig);
        CHECK(leave_behind(&rig, true));
        end_what_another_began(&rig);
        CHECK_INT(begin_another(&rig), 0);
        CHECK_INT(source_blktrace_clean_up("", rig.state), 0);
        CHECK(has_trace(&rig));
        CHECK_STR(test_read_file(rig.state, BLKTRACE_STATE_FILE), "(missing)");
        end_what_another_began(&rig);
        tear_down(&rig);
}

/* Killed just before it made its own, and another program made one in the same second. */
TEST(a_trace_that_another_program_began_at_the_same_moment_is_left_alone) {
        struct blktrace_mark mark = { .made = clock_now(CLOCK_REALTIME) };
        static struct blktrace_state state;
        struct rig rig;

        set_up(&rig);
        snprintf(mark.name, sizeof(mark.name), "%s", rig.drive.name);
        CHECK_INT(blktrace_state_open(&state, rig.state, test_read_file("/proc/sys/kernel/random", "boot_id")), 0);
        CHECK_INT(blktrace_state_note(&state, &mark), 0);
        CHECK_INT(begin_another(&rig), 0);
        CHECK_INT(source_blktrace_clean_up("", rig.state), 0);
        CHECK(has_trace(&rig));
        CHECK_STR(test_read_file(rig.state, BLKTRACE_STATE_FILE), "(missing)");
        end_what_another_began(&rig);
        tear_down(&rig);
}

static bool read_some(const struct rig *rig) {
        _cleanup_close_ int fd = open(rig->node, O_RDONLY | O_DIRECT | O_CLOEXEC);
        _cleanup_free_ void *buffer = NULL;

        if (fd < 0 || posix_memalign(&buffer, 4096, 4096) != 0)
                return false;
        for (off_t i = 0; i < READS; i++)
                if (pread(fd, buffer, 4096, i * 65536) != 4096)
                        return false;
        return true;
}

TEST(every_read_is_told_from_its_queueing_to_its_completion) {
        nsec_t end = clock_now(CLOCK_MONOTONIC) + PATIENCE_NS;
        struct rig rig;

        set_up(&rig);
        if (is_locked_down()) {
                tear_down(&rig);
                test_skip("the kernel is locked down");
        }
        CHECK_INT(source_blktrace_ops.start(rig.source, &rig.wanted, clock_now(CLOCK_MONOTONIC)), 0);
        CHECK(has_trace(&rig));
        CHECK(read_some(&rig));
        while (heard.own_reads < READS && clock_now(CLOCK_MONOTONIC) < end) {
                usleep(1000);
                source_blktrace_drain(rig.source, clock_now(CLOCK_MONOTONIC));
        }
        source_blktrace_ops.stop(rig.source, rig.drive.dev, clock_now(CLOCK_MONOTONIC));
        CHECK_INT(heard.own_reads, READS);
        CHECK(heard.kinds[EVENT_REQUEST_ISSUE] >= READS);
        CHECK(heard.kinds[EVENT_REQUEST_COMPLETE] >= READS);
        CHECK_INT(heard.kinds[EVENT_LOST], 0);
        CHECK_INT(heard.kinds[EVENT_WATCH], 2);
        CHECK_INT(heard.out_of_order, 0);
        CHECK(!has_trace(&rig));
        tear_down(&rig);
}
