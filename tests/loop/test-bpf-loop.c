/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The programs in the running kernel, on a loop device of our own: each request that was made is told, one by one and in sums. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "clock.h"
#include "loop-drive.h"
#include "macro.h"
#include "source-bpf.h"
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
};

static struct heard single, sums;

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
