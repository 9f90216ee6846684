/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The programs in the running kernel, on a loop device of our own: each request that was made is told, one by one and in sums. */
#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bpf/flow.h"
#include "clock.h"
#include "loop-drive.h"
#include "macro.h"
#include "source-bpf.h"
#include "str.h"
#include "test.h"

#define READS 500
#define READ_BYTES 4096
#define READ_SECTORS (READ_BYTES / SECTOR_BYTES)
#define FAR_BYTES (4 << 20) /* from one to the next: a seek, wherever it is */
#define PATIENCE_NS (20 * NSEC_PER_SEC)

struct heard {
        unsigned watches, summed, names, lost;
        uint64_t requests, sectors, latencies; /* in sums, reads of this process */
        uint64_t asked, completed_sectors, unseen; /* one by one */
        struct event_sums last;
        uint64_t total, exact;     /* of all: in EVENT_TOTAL, and in sums of all that processes asked */
        uint64_t estimated;        /* in sums of samples */
        uint64_t by_reader[2], sampled_by_reader[2];
        uint32_t one_in;
};

static struct heard single, sums;
static pid_t readers[2];

static void hear(void *userdata, const struct event *e) {
        struct heard *h = userdata;
        bool own = e->tgid == getpid();

        h->watches += e->kind == EVENT_WATCH && e->watch.on;
        h->summed += e->kind == EVENT_WATCH && (e->flags & EVENT_SUMMED);
        h->names += e->kind == EVENT_PROCESS_NAME && own && e->process_name.start_ticks > 0 && *e->process_name.name;
        h->lost += e->kind == EVENT_LOST;
        h->asked += e->kind == EVENT_REQUEST_QUEUE && own && e->request.op == REQUEST_READ;
        h->unseen += (e->flags & EVENT_UNSEEN) != 0;
        if (e->kind == EVENT_REQUEST_COMPLETE && e->request.op == REQUEST_READ)
                h->completed_sectors += e->request.sectors;
        if (e->kind == EVENT_SUMS && own && e->sums.op == REQUEST_READ) {
                h->requests += e->sums.requests;
                h->sectors += e->sums.sectors;
                h->last = e->sums;
        }
        for (size_t i = 0; e->kind == EVENT_SUMS && e->sums.op == REQUEST_READ && i < ARRAY_SIZE(readers); i++)
                if (e->tgid == readers[i] && e->tgid > 0)
                        *(e->flags & EVENT_SAMPLED ? &h->sampled_by_reader[i] : &h->by_reader[i]) += e->sums.requests;
        if (e->kind == EVENT_SUMS && e->sums.op == REQUEST_READ)
                *(e->flags & EVENT_SAMPLED ? &h->estimated : &h->exact) += e->sums.requests;
        if (e->kind == EVENT_TOTAL && e->total.op == REQUEST_READ) {
                h->total += e->total.requests;
                h->one_in = e->total.one_in;
        }
        for (size_t i = 0; e->kind == EVENT_LATENCIES && own && i < LATENCIES_BUCKETS; i++)
                h->latencies += e->latencies.counts[i];
}

struct rig {
        struct loop_drive drive;
        sd_event *event;
        struct source_bpf *single, *sums;
        int fd;
        void *buffer;
};

static void set_up(struct rig *rig) {
        char node[64];
        int r;

        if (geteuid() != 0)
                test_skip("loop devices need root");
        r = loop_drive_new(&rig->drive, test_tmpdir());
        if (r == -ENOENT || r == -EPERM || r == -EACCES)
                test_skip("no loop devices here");
        if (r < 0)
                abort();
        snprintf(node, sizeof(node), "/dev/%s", rig->drive.name);
        rig->fd = open(node, O_RDONLY | O_DIRECT | O_CLOEXEC);
        single = sums = (struct heard){ 0 };
        if (rig->fd < 0 || posix_memalign(&rig->buffer, READ_BYTES, READ_BYTES) != 0 || sd_event_new(&rig->event) < 0 ||
            source_bpf_new("", rig->event, (struct event_sink){ hear, &single }, &rig->single) < 0 ||
            source_bpf_new("", rig->event, (struct event_sink){ hear, &sums }, &rig->sums) < 0)
                abort();
}

static void tear_down(struct rig *rig) {
        source_bpf_free(rig->single);
        source_bpf_free(rig->sums);
        sd_event_unref(rig->event);
        safe_close(rig->fd);
        free(rig->buffer);
        loop_drive_done(&rig->drive);
}

static bool start(struct rig *rig, struct source_bpf *s, bool summed) {
        const struct source_drive drive = { .dev = rig->drive.dev, .rotational = true, .summed = summed };
        struct source_info info;
        int r = source_bpf_ops.start(s, &drive, clock_now(CLOCK_MONOTONIC));

        if (r >= 0)
                return true;
        source_bpf_ops.probe(s, &info);
        tear_down(rig);
        if (info.state == SOURCE_UNAVAILABLE && r != -EINVAL && r != -EACCES) /* what the verifier says is no reason */
                test_skip("no BPF programs here");
        fprintf(stderr, "%s: %s\n", strerror(-r), info.detail);
        return false;
}

static void read_apart(struct rig *rig, off_t distance) {
        for (int i = 0; i < READS; i++)
                if (pread(rig->fd, rig->buffer, READ_BYTES, i % 8 * distance) != READ_BYTES)
                        abort();
}

/* What no program saw to end is found out once the drive rests. */
static void drain(struct rig *rig, uint64_t reads) {
        nsec_t begin = clock_now(CLOCK_MONOTONIC), now = begin;

        while ((sums.requests < reads || single.completed_sectors < reads * READ_SECTORS) && now - begin < PATIENCE_NS) {
                now = clock_now(CLOCK_MONOTONIC);
                source_bpf_drain(rig->single, now);
                source_bpf_drain(rig->sums, now);
                usleep(20 * USEC_PER_MSEC);
        }
}

TEST(each_request_is_told_one_by_one_and_in_sums) {
        struct rig rig = { 0 };

        set_up(&rig);
        CHECK(start(&rig, rig.single, false));
        CHECK(start(&rig, rig.sums, true));
        read_apart(&rig, READ_BYTES);
        drain(&rig, READS);
        CHECK_INT(single.watches, 1);
        CHECK_INT(single.summed, 0);
        CHECK_INT(sums.watches, 1);
        CHECK_INT(sums.summed, 1);
        CHECK(single.names > 0);
        CHECK(sums.names > 0);
        CHECK_INT(single.asked, READS);
        CHECK_INT(sums.requests, READS);
        CHECK_INT(sums.sectors, READS * READ_SECTORS);
        CHECK_INT(single.completed_sectors, sums.sectors);
        CHECK(sums.latencies <= READS && sums.latencies + single.unseen + 1 >= READS * 9 / 10);
        CHECK_INT(sums.last.inflight, 0);
        CHECK_INT(sums.asked + single.requests, 0); /* each has its own kind of events */
        tear_down(&rig);
}

TEST(seeks_are_told_in_sums) {
        struct rig rig = { 0 };

        set_up(&rig);
        CHECK(start(&rig, rig.sums, true));
        single.completed_sectors = UINT64_MAX;
        read_apart(&rig, READ_BYTES);
        drain(&rig, READS);
        CHECK_INT(sums.last.seeks, 0);
        CHECK_INT(sums.last.seeks_n, 32);
        read_apart(&rig, FAR_BYTES);
        drain(&rig, 2 * READS);
        CHECK_INT(sums.last.seeks, UINT32_MAX);
        tear_down(&rig);
}

TEST(a_drive_that_is_no_longer_told_is_not_and_nothing_is_left) {
        struct rig rig = { 0 };
        struct source_info info;

        set_up(&rig);
        CHECK(start(&rig, rig.sums, true));
        single.completed_sectors = UINT64_MAX;
        read_apart(&rig, READ_BYTES);
        drain(&rig, READS);
        source_bpf_ops.stop(rig.sums, rig.drive.dev, clock_now(CLOCK_MONOTONIC));
        read_apart(&rig, READ_BYTES);
        source_bpf_drain(rig.sums, clock_now(CLOCK_MONOTONIC));
        CHECK_INT(sums.requests, READS);
        CHECK_INT(sums.lost, 0);
        CHECK_INT(source_bpf_ops.probe(rig.sums, &info), 1);
        CHECK(strstr(info.detail, "on 0 drives now") && !strstr(info.detail, "in sums"));
        tear_down(&rig);
}

/* Of the drive, in the map of sums that this process holds; -1: it holds none. */
static int count_flows(uint32_t dev) {
        DIR *dir = opendir("/proc/self/fd");
        int n = -1;

        for (const struct dirent *e; dir && (e = readdir(dir));) {
                struct bpf_flow_key key, next;
                struct bpf_map_info info = { 0 };
                uint32_t size = sizeof(info);
                char what[32] = "";
                uint64_t fd;

                if (str_parse_u64(e->d_name, &fd) < 0 || readlinkat(dirfd(dir), e->d_name, what, sizeof(what) - 1) < 0 ||
                    !streq(what, "anon_inode:bpf-map") || bpf_obj_get_info_by_fd((int) fd, &info, &size) < 0 || !streq(info.name, "flows"))
                        continue;
                n = 0;
                for (bool first = true; bpf_map_get_next_key((int) fd, first ? NULL : &key, &next) == 0; first = false, key = next)
                        n += next.dev == dev;
        }
        closedir(dir);
        return n;
}

TEST(of_a_drive_that_is_told_no_longer_the_kernel_keeps_no_sums_while_it_sums_up_others) {
        struct source_drive other = { .summed = true };
        struct loop_drive second;
        struct rig rig = { 0 };
        nsec_t now;

        set_up(&rig);
        CHECK(start(&rig, rig.sums, true));
        CHECK_INT(loop_drive_new(&second, test_tmpdir()), 0);
        other.dev = second.dev;
        CHECK_INT(source_bpf_ops.start(rig.sums, &other, clock_now(CLOCK_MONOTONIC)), 0);
        single.completed_sectors = UINT64_MAX;
        read_apart(&rig, READ_BYTES);
        drain(&rig, READS);
        CHECK(count_flows(rig.drive.dev) > 0);
        read_apart(&rig, READ_BYTES); /* which was not told yet */
        now = clock_now(CLOCK_MONOTONIC);
        source_bpf_ops.stop(rig.sums, rig.drive.dev, now);
        CHECK_INT(count_flows(rig.drive.dev), 0);
        CHECK(sums.requests + sums.unseen >= 2 * READS * 9 / 10);
        read_apart(&rig, READ_BYTES);
        CHECK_INT(count_flows(rig.drive.dev), 0);
        source_bpf_ops.stop(rig.sums, second.dev, now);
        CHECK_INT(count_flows(rig.drive.dev), -1);
        loop_drive_done(&second);
        tear_down(&rig);
}

#define SAMPLED_ABOVE 200 /* requests a second, so that any machine does more */
#define FAST_NS (3 * NSEC_PER_SEC)
#define PLACES_BYTES (2 * READ_BYTES) /* apart, so that no scheduler merges reads of two readers into one request */
#define SLOW_READS 60
#define WINDOW_NS (10 * NSEC_PER_MSEC) /* at most */

/* Reads without a pause until it is told to end, and tells how often. */
static pid_t start_reader(const struct rig *rig, int *ret_counts) {
        int pipes[2];
        pid_t pid;

        if (pipe2(pipes, O_CLOEXEC) < 0 || (pid = fork()) < 0)
                abort();
        if (pid == 0) {
                uint64_t n = 0;
                nsec_t end = clock_now(CLOCK_MONOTONIC) + FAST_NS;
                for (; clock_now(CLOCK_MONOTONIC) < end; n++)
                        if (pread(rig->fd, rig->buffer, READ_BYTES, (off_t) (n % 8 * PLACES_BYTES)) != READ_BYTES)
                                _exit(1);
                _exit(write(pipes[1], &n, sizeof(n)) == sizeof(n) ? 0 : 1);
        }
        close(pipes[1]);
        *ret_counts = pipes[0];
        return pid;
}

static uint64_t end_reader(pid_t pid, int counts) {
        uint64_t n = 0;
        int status;

        if (read(counts, &n, sizeof(n)) != sizeof(n) || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
                abort();
        close(counts);
        return n;
}

static uint64_t reads_of(const struct loop_drive *drive) {
        char path[128];
        uint64_t reads = 0;
        FILE *f;

        snprintf(path, sizeof(path), "/sys/block/%s/stat", drive->name);
        f = fopen(path, "re");
        if (!f || fscanf(f, "%lu", &reads) != 1)
                abort();
        fclose(f);
        return reads;
}

static void drain_for(struct rig *rig, nsec_t span) {
        for (nsec_t begin = clock_now(CLOCK_MONOTONIC), now = begin; now - begin < span; now = clock_now(CLOCK_MONOTONIC)) {
                source_bpf_drain(rig->sums, now);
                usleep(100 * USEC_PER_MSEC);
        }
}

static void check_near(uint64_t value, uint64_t expected, double part) {
        if (fabs((double) value - (double) expected) > part * (double) expected)
                fprintf(stderr, "%lu, not within %.2f %% of %lu\n", value, part * 100, expected);
        CHECK(fabs((double) value - (double) expected) <= part * (double) expected);
}

TEST(above_a_rate_samples_stand_for_all_and_below_it_each_request_counts) {
        uint64_t before, slow_before, counts[2], fast;
        struct source_info info;
        struct rig rig = { 0 };
        double windows, error;
        int pipes[2];

        set_up(&rig);
        source_bpf_limit(rig.sums, SAMPLED_ABOVE);
        CHECK(start(&rig, rig.sums, true));
        before = reads_of(&rig.drive);
        for (int i = 0; i < 2; i++)
                readers[i] = start_reader(&rig, &pipes[i]);
        drain_for(&rig, FAST_NS * 9 / 10);
        CHECK(sums.one_in > 1);
        CHECK_INT(source_bpf_ops.probe(rig.sums, &info), 1);
        CHECK(strstr(info.detail, "one request in "));
        windows = (double) FAST_NS / WINDOW_NS / sums.one_in;
        error = 5 * 0.5 / sqrt(windows); /* five standard errors, as if in each window only one of the two ran */
        for (int i = 0; i < 2; i++)
                counts[i] = end_reader(readers[i], pipes[i]);
        drain_for(&rig, NSEC_PER_SEC / 2);
        fast = reads_of(&rig.drive) - before;
        CHECK(counts[0] + counts[1] <= fast);
        CHECK(fast > SAMPLED_ABOVE * 2);
        check_near(sums.total, fast, 0.001);
        check_near(sums.exact + sums.estimated, sums.total, 0.1);
        for (int i = 0; i < 2; i++)
                check_near(sums.by_reader[i] + sums.sampled_by_reader[i], counts[i], MIN(error * (double) fast / (double) counts[i], 1));

        drain_for(&rig, NSEC_PER_SEC);
        CHECK_INT(sums.one_in, 1); /* it rests */
        slow_before = sums.requests;
        fast = sums.total;
        for (int i = 0; i < SLOW_READS; i++) {
                if (pread(rig.fd, rig.buffer, READ_BYTES, i % 8 * READ_BYTES) != READ_BYTES)
                        abort();
                usleep(20 * USEC_PER_MSEC);
                source_bpf_drain(rig.sums, clock_now(CLOCK_MONOTONIC));
        }
        drain_for(&rig, NSEC_PER_SEC);
        CHECK_INT(sums.requests - slow_before, SLOW_READS);
        CHECK_INT(sums.total, fast + SLOW_READS);
        CHECK_INT(sums.one_in, 1);
        tear_down(&rig);
}
