/* SPDX-License-Identifier: GPL-3.0-or-later */
/* On a tree of files in place of the kernel's: what is written where, and when nothing is. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "bfq-session.h"
#include "test.h"

#define RESTS "entries: 0\noverrun: 0\ncommit overrun: 0\nbytes: 0\noldest event ts: 56613.075615\nnow ts: 58056.389445\ndropped events: 0\nread events: 7\n"

static const char *const drives[] = { "sda", "sdb" };

/* A machine on which no program traces. */
static struct bfq_session_places machine(void) {
        static char tracing[4096], block[4096], debug[4096];
        const char *dir = test_tmpdir();

        test_write_file(dir, "tracing/available_tracers", "blk function nop\n");
        test_write_file(dir, "tracing/current_tracer", "nop\n");
        test_write_file(dir, "tracing/tracing_on", "1\n");
        test_write_file(dir, "tracing/set_event", "");
        test_write_file(dir, "tracing/trace", "# tracer: nop\n");
        test_write_file(dir, "tracing/per_cpu/cpu0/stats", RESTS);
        test_write_file(dir, "tracing/per_cpu/cpu1/stats", RESTS);
        test_write_file(dir, "tracing/trace_pipe", "");
        test_write_file(dir, "tracing/trace_clock", "[local] global mono\n");
        for (size_t i = 0; i < ARRAY_SIZE(drives); i++) {
                char path[64];
                snprintf(path, sizeof(path), "block/%s/trace/enable", drives[i]);
                test_write_file(dir, path, "0\n");
                snprintf(path, sizeof(path), "block/%s/trace/act_mask", drives[i]);
                test_write_file(dir, path, "disabled\n");
        }
        snprintf(tracing, sizeof(tracing), "%s/tracing", dir);
        snprintf(block, sizeof(block), "%s/block", dir);
        snprintf(debug, sizeof(debug), "%s/debug", dir);
        return (struct bfq_session_places) { .tracing = tracing, .block = block, .debug = debug, .state_dir = dir, .boot_id = "this-boot" };
}

static bool holds(const char *path, const char *text) {
        return streq(test_read_file(test_tmpdir(), path), text);
}

/* Files keep what a shorter text leaves of a longer one; the kernel's do not. */
static void settle(const char *path, const char *text) {
        test_write_file(test_tmpdir(), path, text);
}

static int begin(const struct bfq_session_places *p) {
        return bfq_session_begin(p, drives, ARRAY_SIZE(drives));
}

TEST(what_is_taken_is_noted_and_put_back) {
        struct bfq_session_places p = machine();
        int fd = begin(&p);

        CHECK(fd >= 0);
        close(fd);
        CHECK(holds("bfq-log", "brio-bfq-log-1 this-boot local sda sdb"));
        CHECK(strncmp(test_read_file(test_tmpdir(), "tracing/current_tracer"), "blk", 3) == 0);
        CHECK(strncmp(test_read_file(test_tmpdir(), "tracing/trace_clock"), "mono", 4) == 0);
        CHECK(strncmp(test_read_file(test_tmpdir(), "block/sdb/trace/act_mask"), "notify", 6) == 0);
        settle("tracing/current_tracer", "blk\n");
        settle("tracing/trace_clock", "");
        settle("block/sda/trace/enable", "1\n");
        CHECK(bfq_session_end(&p));
        CHECK(strncmp(test_read_file(test_tmpdir(), "tracing/current_tracer"), "nop", 3) == 0);
        CHECK(holds("tracing/trace_clock", "local"));
        CHECK(holds("tracing/trace", ""));
        CHECK(holds("block/sda/trace/enable", "0"));
        CHECK(holds("bfq-log", "(missing)"));
        CHECK(!bfq_session_end(&p));
}

TEST(another_user_of_the_kernels_tracing_is_left_alone) {
        static const struct {
                const char *path, *text;
        } uses[] = {
                { "tracing/current_tracer", "function\n" },
                { "tracing/tracing_on", "0\n" },
                { "tracing/set_event", "block:block_rq_issue\n" },
                { "tracing/per_cpu/cpu1/stats", "entries: 5\noverrun: 0\n" },
                { "tracing/per_cpu/cpu0/stats", "entries: 0\noverrun: 12\n" },
                { "block/sdb/trace/enable", "1\n" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(uses); i++) {
                struct bfq_session_places p = machine();

                settle(uses[i].path, uses[i].text);
                if (begin(&p) != -EBUSY)
                        test_fail(__FILE__, __LINE__, "%s was overlooked", uses[i].path);
                CHECK(holds("tracing/trace_clock", "[local] global mono"));
                CHECK(holds("bfq-log", "(missing)"));
        }
}

TEST(a_tracer_that_another_program_chose_meanwhile_stays) {
        struct bfq_session_places p = machine();
        int fd = begin(&p);

        CHECK(fd >= 0);
        close(fd);
        settle("tracing/current_tracer", "function\n");
        settle("tracing/trace", "theirs\n");
        settle("block/sda/trace/enable", "1\n");
        CHECK(bfq_session_end(&p));
        CHECK(holds("tracing/current_tracer", "function"));
        CHECK(holds("tracing/trace", "theirs"));
        CHECK(strncmp(test_read_file(test_tmpdir(), "block/sda/trace/enable"), "0", 1) == 0);
}

TEST(what_an_earlier_session_could_not_put_back_is_put_back_before_the_next) {
        struct bfq_session_places p = machine();
        int fd;

        settle("bfq-log", "brio-bfq-log-1 this-boot mono sda");
        settle("tracing/current_tracer", "blk\n");
        settle("tracing/trace_clock", "local global [mono]\n");
        fd = begin(&p);
        if (fd >= 0)
                close(fd);
        CHECK(fd >= 0);
        CHECK(holds("tracing/trace", "")); /* emptied */
        CHECK(strncmp(test_read_file(test_tmpdir(), "tracing/current_tracer"), "blk", 3) == 0); /* anew */
        CHECK(holds("bfq-log", "brio-bfq-log-1 this-boot mono sda sdb"));
}

/* It began while ours ran, as it may after a kill; then at the very moment that ours did. */
TEST(a_trace_of_blktrace_is_left_alone_whenever_it_began) {
        struct bfq_session_places p = machine();
        char path[PATH_MAX];
        int fd = begin(&p);

        CHECK(fd >= 0);
        close(fd);
        settle("tracing/current_tracer", "blk\n");
        settle("block/sda/trace/enable", "1\n");
        settle("block/sdb/trace/enable", "1\n");
        settle("debug/sda/dropped", "0\n");
        CHECK(bfq_session_end(&p));
        CHECK(holds("block/sda/trace/enable", "1"));
        CHECK(holds("block/sdb/trace/enable", "0"));

        p = machine();
        settle("debug/sda/dropped", "0\n"); /* and what says that no program traces was read before */
        CHECK_INT(begin(&p), -EBUSY);
        CHECK(holds("block/sda/trace/act_mask", "0xffff"));
        CHECK(strncmp(test_read_file(test_tmpdir(), "tracing/current_tracer"), "nop", 3) == 0);
        CHECK(holds("bfq-log", "(missing)"));
        snprintf(path, sizeof(path), "%s/sda/dropped", p.debug);
        unlink(path);
}

/* Opening it stops tracing on older kernels, and costs more on all; a probe may be asked for at any time. */
TEST(a_look_whether_the_kernels_tracing_rests_does_not_open_what_it_recorded) {
        struct bfq_session_places p = machine();
        char path[PATH_MAX];

        snprintf(path, sizeof(path), "%s/trace", p.tracing);
        unlink(path);
        CHECK(symlink("trace", path) == 0); /* cannot be opened */
        CHECK_INT(bfq_session_obstacle(&p), BFQ_SESSION_POSSIBLE);
        unlink(path);
}

TEST(a_note_of_another_boot_or_a_damaged_one_touches_nothing) {
        static const char *const notes[] = { "brio-bfq-log-1 another-boot local sda\n", "brio-bfq-log-1 this-boot\n", "something else this-boot local sda\n", "" };

        for (size_t i = 0; i < ARRAY_SIZE(notes); i++) {
                struct bfq_session_places p = machine();

                settle("bfq-log", notes[i]);
                settle("tracing/current_tracer", "blk\n");
                settle("block/sda/trace/enable", "1\n");
                CHECK(!bfq_session_end(&p));
                CHECK(holds("tracing/current_tracer", "blk"));
                CHECK(holds("block/sda/trace/enable", "1"));
                CHECK(holds("bfq-log", "(missing)"));
        }
}

TEST(what_cannot_be_taken_leaves_nothing) {
        struct bfq_session_places p = machine();
        const char *const bad[] = { "sda", "../sda" };
        char path[4096];

        CHECK_INT(bfq_session_begin(&p, bad, ARRAY_SIZE(bad)), -EINVAL);
        snprintf(path, sizeof(path), "%s/trace_pipe", p.tracing);
        unlink(path);
        CHECK_INT(begin(&p), -ENOENT);
        CHECK(holds("bfq-log", "(missing)"));
}

TEST(a_kernel_without_the_tracer_says_so) {
        struct bfq_session_places p = machine();

        settle("tracing/available_tracers", "function nop\n");
        CHECK_INT(bfq_session_obstacle(&p), BFQ_SESSION_NOT_BUILT);
        p.tracing = "/nonexistent";
        CHECK_INT(bfq_session_obstacle(&p), BFQ_SESSION_NOT_MOUNTED);
        CHECK(bfq_obstacle_to_sentence(BFQ_SESSION_POSSIBLE) == NULL);
}
