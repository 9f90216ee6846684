/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Seed 001's random readers in the second state of bfq: each is favoured as one that begins, and served alone for its turn, while 31 others wait. From the
 * first read on, through model, detectors and law, by events as briod has them. */
#include "detector.h"
#include "law.h"
#include "model.h"
#include "test.h"

#define DRIVE DEV_NUMBER(8, 0)
#define SEC NSEC_PER_SEC
#define MSEC NSEC_PER_MSEC
#define READERS 32
#define FIRST 100          /* their numbers */
#define TURN_NS (125 * MSEC) /* timeout_sync as it comes */
#define READ_NS (19 * MSEC)  /* 51 reads a second, as was seen */
#define TICK_NS (250 * MSEC)
#define BEGIN (100 * SEC)
#define WATCHED (BEGIN + TICK_NS) /* at the first sample that shows them */

static struct snapshot snapshot;
static struct verdict verdicts[DETECTORS_VERDICTS_MAX];
static struct policy policy;
static struct controller_device device;

DEFINE_TRIVIAL_CLEANUP_FUNC(struct model *, model_free)

static void make_device(void) {
        policy_init(&policy, "test", "test.conf");
        policy.classes = 1u << DEVICE_CLASS_HDD;
        policy.idle_limit = (struct policy_idle_limit){ .enabled = true, .group_slice_us = 300000, .min_readers = 16, .shortest_wait_us = 8000 };
        device = (struct controller_device){
                .used = true, .policy = &policy,
                .facts = { .dev = DRIVE, .class = DEVICE_CLASS_HDD, .scheduler = SCHEDULER_BFQ, .rotational = true, .queue_depth = 32 },
        };
        device.facts.values[TUNABLE_BFQ_SLICE_IDLE_US].present = device.facts.values[TUNABLE_BFQ_SLICE_IDLE_US].numeric = true;
        device.facts.values[TUNABLE_BFQ_SLICE_IDLE_US].number = 8000;
}

/* What the law wants the wait to be, in µs; -1: it says nothing. */
static int64_t wanted_us(struct model *m, struct detectors *detectors, nsec_t now) {
        struct controller_input in = { .snapshot = &snapshot, .now = now };
        struct law_wish wishes[LAW_WISHES_MAX];
        size_t n, first = 0;

        model_snapshot(m, now, &snapshot);
        n = detectors_run(detectors, &snapshot, verdicts);
        while (first < n && verdicts[first].dev != DRIVE)
                first++;
        if (law_idle_limit(&(struct law_input){ .d = &device, .in = &in, .v = verdicts + first, .n = n - first }, wishes) == 0)
                return -1;
        return wishes[0].value;
}

static void tell_counters(struct model *m, nsec_t t, int32_t tgid, uint32_t read_bytes) {
        struct event e = { .t = t, .kind = EVENT_PROCESS_IO, .flags = EVENT_INFERRED | EVENT_WAITING, .dev = DRIVE, .tgid = tgid };

        e.process_io = (struct event_process_io){ .start_ticks = 7, .span_us = TICK_NS / NSEC_PER_USEC, .read_bytes = read_bytes };
        model_feed(m, &e);
}

static void tell_request(struct model *m, nsec_t t, enum event_kind kind, int32_t tgid, uint64_t sector) {
        struct event e = { .t = t, .kind = (uint16_t) kind, .dev = DRIVE, .tgid = tgid };

        e.request = (struct event_request){ .sector = sector, .sectors = 8, .op = REQUEST_READ };
        if (t >= WATCHED)
                model_feed(m, &e);
}

/* The sample every quarter of a second, of so many that have begun, and of how much is done. */
static void tell_sample(struct model *m, nsec_t t, int begun, uint32_t reads) {
        struct event e = { .t = t, .kind = EVENT_DEVICE_STAT, .dev = DRIVE };

        e.device_stat = (struct event_device_stat){ .span_us = TICK_NS / NSEC_PER_USEC, .reads = reads, .read_sectors = reads * 8, .read_ms = reads * 600,
                                                    .inflight = (uint32_t) begun, .busy_ms = 250 };
        model_feed(m, &e);
        if (t == WATCHED) {
                e = (struct event){ .t = t, .kind = EVENT_WATCH, .dev = DRIVE, .watch = { .on = true, .rotational = true } };
                model_feed(m, &e);
        }
}

struct crowd {
        struct model *m;
        struct detectors detectors;
        nsec_t apart; /* one begins so long after the other */
        uint64_t step; /* from one read of a reader to its next, in sectors; 0: at random */
        uint64_t next[READERS]; /* the sector that it waits for; 0: it has not begun */
        uint32_t in_sample[READERS], reads;
        nsec_t sample;
        nsec_t in_place; /* when the law first wants no wait; 0: never */
};

static int begun(const struct crowd *c, nsec_t t) {
        return c->apart ? (int) MIN((t - BEGIN) / c->apart + 1, (nsec_t) READERS) : READERS;
}

static void ask(struct crowd *c, nsec_t t, int reader, uint64_t *seed) {
        c->next[reader] = c->step && c->next[reader] ? c->next[reader] + c->step : 8 * (1 + test_random(seed) % 8000000);
        c->in_sample[reader] += 4096;
        tell_request(c->m, t, EVENT_REQUEST_QUEUE, FIRST + reader, c->next[reader]);
}

static void take_sample(struct crowd *c, nsec_t t) {
        tell_sample(c->m, t, begun(c, t), c->reads);
        for (int i = 0; i < begun(c, t); i++)
                tell_counters(c->m, t, FIRST + i, c->in_sample[i]);
        memset(c->in_sample, 0, sizeof(c->in_sample));
        c->reads = 0;
        c->sample += TICK_NS;
        if (wanted_us(c->m, &c->detectors, t) == 0 && !c->in_place)
                c->in_place = t;
}

/* In turns, until the law wants no wait, or for so long. */
static void serve(struct crowd *c, nsec_t until, uint64_t *seed) {
        int served = 0;
        nsec_t turn_ends = BEGIN + TURN_NS;

        c->sample = BEGIN + TICK_NS;
        for (nsec_t t = BEGIN; t < until && !c->in_place; t += READ_NS) {
                for (int i = 0; i < begun(c, t); i++)
                        if (!c->next[i])
                                ask(c, t, i, seed);
                if (t >= turn_ends) {
                        served = (served + 1) % begun(c, t);
                        turn_ends = t + TURN_NS;
                }
                while (t >= c->sample)
                        take_sample(c, c->sample);
                tell_request(c->m, t, EVENT_REQUEST_ISSUE, 0, c->next[served]);
                tell_request(c->m, t + READ_NS - MSEC, EVENT_REQUEST_COMPLETE, 0, c->next[served]);
                c->reads++;
                ask(c, t + READ_NS - MSEC / 2, served, seed);
        }
}

TEST(random_readers_that_are_served_one_after_the_other_are_waited_for_no_longer_after_a_second_and_a_half) {
        uint64_t seed = test_seed();
        _cleanup_(model_freep) struct model *m = model_new();
        struct crowd c = { .m = m };

        make_device();
        serve(&c, BEGIN + 20 * SEC, &seed);
        CHECK(c.in_place > 0);
        CHECK(c.in_place <= BEGIN + 3 * SEC / 2);
}

TEST(those_that_begin_one_by_one_are_waited_for_no_longer_a_second_after_the_sixteenth) {
        uint64_t seed = test_seed();
        _cleanup_(model_freep) struct model *m = model_new();
        struct crowd c = { .m = m, .apart = 200 * MSEC };

        make_device();
        serve(&c, BEGIN + 20 * SEC, &seed);
        CHECK(c.in_place > 0);
        CHECK(c.in_place <= BEGIN + 15 * 200 * MSEC + SEC);
}

TEST(readers_that_read_on_where_they_were_are_waited_for) {
        uint64_t seed = test_seed();
        _cleanup_(model_freep) struct model *m = model_new();
        struct crowd c = { .m = m, .step = 8 };

        make_device();
        serve(&c, BEGIN + 20 * SEC, &seed);
        CHECK_INT(c.in_place, 0);
}
