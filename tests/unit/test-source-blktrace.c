/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The source with pipes in the place of the kernel's buffers: what it does with their bytes, with losses and with refusals. */
#include <errno.h>
#include <fcntl.h>

#include "blktrace-bytes.h"
#include "blktrace-record.h"
#include "blktrace-session.h"
#include "clock.h"
#include "source-blktrace.h"
#include "test.h"
#include "trace-merge.h"

#define CPUS 2
#define SEC NSEC_PER_SEC
#define MS NSEC_PER_MSEC

static struct {
        enum blktrace_obstacle obstacle;
        int begin_error, open_error;
        uint64_t dropped;
        unsigned begun, ended;
        bool second_is_off;
        int write_fds[CPUS];
        uint32_t sequence[CPUS];
} kernel;

static struct {
        size_t n;
        struct event events[64];
} heard;

static struct source_blktrace *source;
static sd_event *loop;
static const struct source_drive drive = { .dev = BLKTRACE_DEV, .rotational = true };

enum blktrace_obstacle __wrap_blktrace_obstacle(void);
int __wrap_blktrace_place_find(uint32_t dev, struct blktrace_place *ret);
int __wrap_blktrace_session_begin(const struct blktrace_place *place, uint32_t buffer_bytes, uint32_t n, struct blktrace_state *state);
void __wrap_blktrace_session_end(const struct blktrace_place *place, struct blktrace_state *state);
int __wrap_blktrace_session_open_cpu(const struct blktrace_place *place, unsigned cpu);
uint64_t __wrap_blktrace_session_dropped(const struct blktrace_place *place);
long __wrap_sysconf(int name);
long __real_sysconf(int name);

enum blktrace_obstacle __wrap_blktrace_obstacle(void) {
        return kernel.obstacle;
}

int __wrap_blktrace_place_find(uint32_t dev, struct blktrace_place *ret) {
        *ret = (struct blktrace_place) { .name = "loop1", .dev = dev };
        return 0;
}

int __wrap_blktrace_session_begin(const struct blktrace_place *place _unused_, uint32_t buffer_bytes, uint32_t n,
                                  struct blktrace_state *state _unused_) {
        if (buffer_bytes < 4096 || n < 2)
                abort();
        kernel.begun += kernel.begin_error == 0;
        return kernel.begin_error;
}

void __wrap_blktrace_session_end(const struct blktrace_place *place _unused_, struct blktrace_state *state _unused_) {
        kernel.ended++;
}

int __wrap_blktrace_session_open_cpu(const struct blktrace_place *place _unused_, unsigned cpu) {
        int fds[2];

        if (kernel.open_error)
                return kernel.open_error;
        if (cpu >= CPUS || (cpu == 1 && kernel.second_is_off) || pipe2(fds, O_NONBLOCK | O_CLOEXEC) < 0)
                return -ENOENT;
        kernel.write_fds[cpu] = fds[1];
        return fds[0];
}

uint64_t __wrap_blktrace_session_dropped(const struct blktrace_place *place _unused_) {
        return kernel.dropped;
}

long __wrap_sysconf(int name) {
        return name == _SC_NPROCESSORS_CONF ? CPUS + 1 : __real_sysconf(name); /* one of them is not there */
}

static void hear(void *userdata _unused_, const struct event *e) {
        if (e->kind != EVENT_PROCESS_NAME && heard.n < ARRAY_SIZE(heard.events))
                heard.events[heard.n++] = *e;
}

static void begin(void) {
        memset(&kernel, 0, sizeof(kernel));
        memset(&heard, 0, sizeof(heard));
        if (sd_event_new(&loop) < 0 || source_blktrace_new("", test_tmpdir(), loop, (struct event_sink) { hear, NULL }, &source) < 0)
                abort();
}

static void done(void) {
        source = source_blktrace_free(source);
        loop = sd_event_unref(loop);
        for (size_t i = 0; i < CPUS; i++)
                if (kernel.write_fds[i] > 0)
                        close(kernel.write_fds[i]);
}

static void record(uint32_t cpu, nsec_t t, uint64_t action, uint64_t sector) {
        uint8_t bytes[BLKTRACE_HEADER_MAX];
        size_t size = blktrace_bytes_put(bytes, (struct blktrace_bytes) { .version = 8, .sequence = ++kernel.sequence[cpu], .t = t,
                                         .sector = sector, .bytes = 4096, .action = action, .tid = gettid(), .dev = BLKTRACE_DEV, .cpu = cpu });

        if (write(kernel.write_fds[cpu], bytes, size) != (ssize_t) size)
                abort();
}

static bool said(const char *text) {
        struct source_info info;

        return source_blktrace_ops.probe(source, &info) == 1 && streq(info.name, "blktrace") && strstr(info.detail, text);
}

static enum source_state state(void) {
        struct source_info info;

        source_blktrace_ops.probe(source, &info);
        return info.state;
}

TEST(records_of_all_cpus_are_told_in_order_of_their_times_once_settled) {
        static const enum event_kind expected[] = { EVENT_WATCH, EVENT_REQUEST_QUEUE, EVENT_REQUEST_ISSUE, EVENT_REQUEST_COMPLETE };

        begin();
        CHECK_INT(source_blktrace_ops.start(source, &drive, SEC), 0);
        CHECK_INT(source_blktrace_ops.start(source, &drive, SEC), 0);
        record(1, SEC + 3 * MS, BYTES_COMPLETE_READ, 8);
        record(0, SEC + 1 * MS, BYTES_QUEUE_READ, 8);
        record(0, SEC + 1 * MS, BYTES_INSERT_READ, 8);
        record(0, SEC + 2 * MS, BYTES_ISSUE_READ, 8);
        source_blktrace_drain(source, SEC + 2 * MS + TRACE_SETTLE_NS);
        CHECK_INT(heard.n, 3);
        source_blktrace_drain(source, SEC + 3 * MS + TRACE_SETTLE_NS);
        CHECK_INT(heard.n, ARRAY_SIZE(expected));
        for (size_t i = 0; i < heard.n; i++) {
                CHECK_INT(heard.events[i].kind, expected[i]);
                CHECK_INT(heard.events[i].dev, BLKTRACE_DEV);
        }
        CHECK_INT(heard.events[1].tgid, getpid());
        CHECK_INT(heard.events[2].tgid, 0);
        CHECK(heard.events[1].request.sector == 8 && heard.events[1].request.sectors == 8);
        CHECK_INT(state(), SOURCE_WORKS);
        CHECK(said("on 1 drive now"));
        CHECK_INT(kernel.begun, 1);
        source_blktrace_ops.stop(source, drive.dev, 2 * SEC);
        CHECK_INT(kernel.ended, 1);
        CHECK_INT(heard.events[heard.n - 1].kind, EVENT_WATCH);
        CHECK(!heard.events[heard.n - 1].watch.on);
        done();
}

TEST(a_loss_is_told_once_whether_a_gap_or_the_kernels_count_shows_it_first) {
        begin();
        CHECK_INT(source_blktrace_ops.start(source, &drive, SEC), 0);
        record(0, SEC, BYTES_QUEUE_READ, 8);
        kernel.sequence[0] += 5;
        record(0, SEC + MS, BYTES_QUEUE_READ, 16);
        source_blktrace_drain(source, SEC + 10 * MS);
        CHECK_INT(source_blktrace_ops.drops(source), 5);
        CHECK_INT(heard.events[heard.n - 1].kind, EVENT_REQUEST_QUEUE);
        kernel.dropped = 5; /* the same five */
        source_blktrace_drain(source, 2 * SEC);
        CHECK_INT(source_blktrace_ops.drops(source), 5);
        kernel.dropped = 9; /* four more that no record has followed yet */
        source_blktrace_drain(source, 3 * SEC);
        CHECK_INT(source_blktrace_ops.drops(source), 9);
        CHECK_INT(heard.events[heard.n - 1].kind, EVENT_LOST);
        CHECK_INT(heard.events[heard.n - 1].flags, EVENT_REQUESTS);
        CHECK_INT(heard.events[heard.n - 1].lost.count, 4);
        kernel.sequence[0] += 4;
        record(0, 3 * SEC, BYTES_QUEUE_READ, 24);
        source_blktrace_drain(source, 4 * SEC);
        CHECK_INT(source_blktrace_ops.drops(source), 9);
        kernel.dropped = 10; /* and what is lost right before the end */
        source_blktrace_ops.stop(source, drive.dev, 4 * SEC);
        CHECK_INT(source_blktrace_ops.drops(source), 10);
        done();
}

/* The kernel writes on while briod, in the midst of a look, has no processor. */
TEST(a_pause_of_seconds_within_a_look_costs_no_record) {
        nsec_t now = clock_now(CLOCK_MONOTONIC), looked = nsec_sub(now, 5 * SEC);

        begin();
        CHECK_INT(source_blktrace_ops.start(source, &drive, looked), 0);
        record(0, now, BYTES_QUEUE_READ, 8);
        source_blktrace_drain(source, looked);
        source_blktrace_drain(source, now + SEC);
        CHECK_INT(heard.n, 2);
        CHECK_INT(heard.events[1].kind, EVENT_REQUEST_QUEUE);
        CHECK_INT(heard.events[1].t, now);
        done();
}

TEST(a_cpu_that_comes_later_is_heard_from_then_on) {
        begin();
        kernel.second_is_off = true;
        CHECK_INT(source_blktrace_ops.start(source, &drive, SEC), 0);
        kernel.second_is_off = false;
        source_blktrace_drain(source, 2 * SEC);
        CHECK(kernel.write_fds[1] > 0);
        record(1, 2 * SEC, BYTES_QUEUE_READ, 8);
        source_blktrace_drain(source, 3 * SEC);
        CHECK_INT(heard.n, 2);
        CHECK_INT(heard.events[1].kind, EVENT_REQUEST_QUEUE);
        CHECK_INT(source_blktrace_ops.drops(source), 0);
        done();
}

TEST(what_is_not_understood_is_counted_and_said) {
        uint8_t garbage[100] = { 1, 2, 3 };

        begin();
        CHECK_INT(source_blktrace_ops.start(source, &drive, SEC), 0);
        CHECK_INT(write(kernel.write_fds[0], garbage, sizeof(garbage)), sizeof(garbage));
        record(1, SEC, BYTES_QUEUE_READ, 8);
        source_blktrace_drain(source, 2 * SEC);
        CHECK_INT(heard.n, 2);
        CHECK(said("out of order: 0, not understood: "));
        done();
}

TEST(lockdown_is_named_whether_asked_or_met) {
        begin();
        kernel.obstacle = BLKTRACE_LOCKED_DOWN;
        CHECK(said("locked down"));
        CHECK_INT(state(), SOURCE_UNAVAILABLE);
        CHECK_INT(source_blktrace_ops.start(source, &drive, SEC), -EPERM);
        CHECK_INT(kernel.begun, 0);
        kernel.obstacle = BLKTRACE_POSSIBLE; /* it could not be seen from outside */
        kernel.open_error = -EPERM;
        CHECK_INT(source_blktrace_ops.start(source, &drive, SEC), -EPERM);
        CHECK_INT(kernel.begun, 1);
        CHECK_INT(kernel.ended, 1);
        CHECK(said("locked down"));
        CHECK_INT(heard.n, 0);
        done();
}

TEST(another_programs_trace_is_named_and_other_drives_are_not_affected) {
        const struct source_drive other = { .dev = BLKTRACE_DEV + 1 };

        begin();
        kernel.begin_error = -EBUSY;
        CHECK_INT(source_blktrace_ops.start(source, &drive, SEC), -EBUSY);
        CHECK(said("another program traces loop1"));
        CHECK_INT(state(), SOURCE_REDUCED);
        kernel.begin_error = 0;
        CHECK_INT(source_blktrace_ops.start(source, &other, SEC), 0);
        CHECK_INT(state(), SOURCE_WORKS);
        CHECK_INT(kernel.ended, 0);
        done();
        CHECK_INT(kernel.ended, 1);
}

TEST(each_obstacle_says_what_would_enable_it) {
        static const struct {
                enum blktrace_obstacle obstacle;
                const char *says;
                int error;
        } cases[] = {
                { BLKTRACE_NOT_MOUNTED, "mount -t debugfs", -ENODEV },
                { BLKTRACE_NOT_BUILT, "CONFIG_BLK_DEV_IO_TRACE", -ENODEV },
                { BLKTRACE_FORBIDDEN, "root", -ENODEV },
                { BLKTRACE_LOCKED_DOWN, "Secure Boot", -EPERM },
                { BLKTRACE_NO_NODES, "drop-in", -ENXIO },
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                begin();
                kernel.obstacle = cases[i].obstacle;
                CHECK_INT(source_blktrace_ops.start(source, &drive, SEC), cases[i].error);
                CHECK_INT(state(), SOURCE_UNAVAILABLE);
                CHECK(said(cases[i].says));
                CHECK_INT(kernel.begun, 0);
                done();
        }
}

TEST(there_is_a_bound_of_drives) {
        begin();
        for (uint32_t i = 0; i < BLKTRACE_DRIVES_MAX; i++) {
                const struct source_drive one = { .dev = DEV_NUMBER(8, 16 * i) };

                CHECK_INT(source_blktrace_ops.start(source, &one, SEC), 0);
                for (size_t k = 0; k < CPUS; k++)
                        close(kernel.write_fds[k]);
        }
        memset(kernel.write_fds, 0, sizeof(kernel.write_fds));
        CHECK_INT(source_blktrace_ops.start(source, &drive, SEC), -ENOSPC);
        CHECK(said("on 16 drives now"));
        done();
        CHECK_INT(kernel.ended, BLKTRACE_DRIVES_MAX);
}

TEST(a_recorded_machine_has_no_requests) {
        begin();
        source_blktrace_free(source);
        CHECK_INT(source_blktrace_new(test_tmpdir(), test_tmpdir(), loop, (struct event_sink) { hear, NULL }, &source), 0);
        CHECK_INT(source_blktrace_ops.start(source, &drive, SEC), -ENODEV);
        CHECK(said("recorded"));
        done();
}
