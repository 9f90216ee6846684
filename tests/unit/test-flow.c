/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "flow.h"
#include "test.h"

#define DEV DEV_NUMBER(8, 0)
#define MSEC NSEC_PER_MSEC

static struct flow_table table;

/* Facts, vector B1: what block/bfq-iosched.c makes of these pauses with slice_idle 8 ms. Means in us. */
TEST(think_times_are_bfqs) {
        static const struct {
                unsigned n;
                unsigned pauses_us[5], samples[5], means_us[5];
                bool is_long[5];
        } vectors[] = {
                { 5, { 1000, 1000, 1000, 1000, 1000 }, { 32, 60, 84, 105, 123 }, { 1000, 1000, 1006, 1009, 1014 }, { 0 } },
                { 5, { 5000, 5000, 5000, 5000, 5000 }, { 32, 60, 84, 105, 123 }, { 5000, 5000, 5030, 5045, 5069 }, { 0, 0, 1, 1, 1 } },
                { 3, { 1000000, 1000000, 1000000 }, { 32, 60, 84 }, { 16000, 16000, 16095 }, { 0, 0, 1 } },
                { 5, { 200, 12000, 200, 200, 12000 }, { 32, 60, 84, 105, 123 }, { 200, 6493, 4135, 2955, 5329 }, { 0, 0, 1, 0, 1 } },
        };

        for (size_t v = 0; v < ARRAY_SIZE(vectors); v++) {
                struct think_time t = { 0 };
                for (unsigned i = 0; i < vectors[v].n; i++) {
                        uint64_t mean_us;
                        think_time_add(&t, vectors[v].pauses_us[i] * NSEC_PER_USEC);
                        mean_us = think_time_mean(&t) / NSEC_PER_USEC;
                        CHECK_INT(t.samples, vectors[v].samples[i]);
                        CHECK(mean_us >= vectors[v].means_us[i] - 1 && mean_us <= vectors[v].means_us[i] + 1);
                        CHECK_INT(!think_time_is_short(&t), vectors[v].is_long[i]);
                }
        }
}

static struct flow *fresh(void) {
        memset(&table, 0, sizeof(table));
        return flow_table_get(&table, 100, DEV);
}

static void ask(struct flow *f, uint64_t sector, uint32_t sectors, bool rotational) {
        struct event_request e = { .sector = sector, .sectors = sectors, .op = REQUEST_READ };
        flow_ask(f, MSEC, &e, rotational, false);
}

TEST(a_process_seeks_once_more_than_19_of_32_requests_were_far_away) {
        struct flow *f = fresh();

        ask(f, 8, 8, true); /* the first one is no seek, wherever it is */
        for (unsigned i = 1; i <= 18; i++)
                ask(f, i * 100000, 8, true);
        CHECK(!seek_history_is_seeky(&f->seeks)); /* and the 1 that the kernel begins with is the 19th */
        ask(f, 9000000, 8, true);
        CHECK(seek_history_is_seeky(&f->seeks));
        for (unsigned i = 0; i < 32; i++)
                ask(f, f->seeks.last_end + SEEK_SECTORS, 8, true);
        CHECK_INT(f->seeks.bits, 0);
}

TEST(that_most_were_seeks_so_far_is_known_after_five_requests) {
        struct flow *f = fresh();

        for (unsigned i = 1; i <= 4; i++)
                ask(f, i * 100000, 8, true);
        CHECK(!seek_history_is_begun(&f->seeks)); /* three that could be seeks */
        ask(f, 500000, 8, true);
        CHECK(seek_history_is_begun(&f->seeks) && seek_history_is_seeky_so_far(&f->seeks) && !seek_history_is_seeky(&f->seeks));
        f = fresh(); /* a directory and a file's place, then the file itself */
        ask(f, 100000, 8, true);
        ask(f, 200000, 8, true);
        for (unsigned i = 0; i < 3; i++)
                ask(f, 300000 + i * 256, 256, true);
        CHECK(seek_history_is_begun(&f->seeks) && !seek_history_is_seeky_so_far(&f->seeks));
        for (unsigned i = 0; i < 100; i++) {
                ask(f, f->seeks.last_end + (i % 5 < 3 ? 2 * SEEK_SECTORS : 0), 8, true);
                CHECK(i < 32 || seek_history_is_seeky(&f->seeks) == seek_history_is_seeky_so_far(&f->seeks));
        }
}

TEST(without_heads_only_small_requests_seek) {
        struct flow *f = fresh();

        f->seeks.bits = 0;
        ask(f, 8, 64, false);
        ask(f, 100000, SEEK_SMALL_SECTORS, false);
        CHECK_INT(f->seeks.bits, 0);
        ask(f, 900000, SEEK_SMALL_SECTORS - 1, false);
        CHECK_INT(f->seeks.bits, 1);
        ask(f, 100, SEEK_SMALL_SECTORS - 1, false); /* backwards, too */
        CHECK_INT(f->seeks.bits, 3);
}

TEST(a_pause_counts_only_when_nothing_is_under_way) {
        struct flow *f = fresh();
        struct event_request e = { .sector = 8, .sectors = 8, .op = REQUEST_READ };
        struct request r = { .dev = DEV, .sectors = 8, .asked = 8, .queued = MSEC, .issued = 2 * MSEC, .op = REQUEST_READ };

        flow_ask(f, MSEC, &e, false, false);
        flow_ask(f, MSEC, &e, false, false);
        flow_end(f, 10 * MSEC, &r, false);
        flow_ask(f, 12 * MSEC, &e, false, false);
        CHECK_INT(f->think.samples, 0);
        flow_end(f, 20 * MSEC, &r, false);
        flow_end(f, 20 * MSEC, &r, false);
        flow_ask(f, 23 * MSEC, &e, false, false);
        CHECK_INT(f->think.samples, 32);
        CHECK_INT(think_time_mean(&f->think) / NSEC_PER_USEC, 3000);
        CHECK_INT(f->sides[REQUEST_READ].requests, 3);
        CHECK_INT(f->sides[REQUEST_READ].bytes, 3 * 4096);
}

TEST(a_piece_of_a_split_request_is_no_request_and_ends_no_wait) {
        struct flow_side side = { 0 };
        struct request r = { .dev = DEV, .sectors = 8, .asked = 0, .queued = MSEC, .issued = 2 * MSEC, .op = REQUEST_READ };

        flow_side_done(&side, &r, 5 * MSEC);
        CHECK_INT(side.requests, 0);
        CHECK_INT(side.wait.now.count, 0);
        CHECK_INT(side.service.now.count, 1);
}

TEST(a_process_waits_while_it_has_a_read_under_way) {
        struct flow *f = fresh();
        struct event_request e = { .sector = 8, .sectors = 8, .op = REQUEST_READ };
        struct request r = { .dev = DEV, .sectors = 8, .asked = 8, .queued = MSEC, .issued = MSEC, .op = REQUEST_READ };

        for (nsec_t t = 1000; t < 2000; t += 100) { /* 25 of each 100 ms, 5 of them twice */
                flow_ask(f, t * MSEC, &e, false, false);
                flow_ask(f, (t + 10) * MSEC, &e, false, false);
                flow_end(f, (t + 15) * MSEC, &r, false);
                flow_end(f, (t + 25) * MSEC, &r, false);
        }
        CHECK_INT(flow_wait_permille(f, 2000 * MSEC), 250);
        CHECK_INT(f->done[REQUEST_READ].now, 20);
        flow_ask(f, 2000 * MSEC, &e, false, false); /* and one that does not end */
        CHECK_INT(flow_wait_permille(f, 2250 * MSEC), 400);
        CHECK_INT(flow_wait_permille(f, 60000 * MSEC), 1000);
}

TEST(a_write_is_no_wait_and_a_lost_read_ends_it) {
        struct flow *f = fresh();
        struct event_request e = { .sector = 8, .sectors = 8, .op = REQUEST_WRITE };
        struct request r = { .dev = DEV, .sectors = 8, .asked = 8, .queued = MSEC, .issued = MSEC, .op = REQUEST_READ };

        flow_ask(f, 1000 * MSEC, &e, false, false);
        CHECK_INT(flow_wait_permille(f, 2000 * MSEC), 0);
        e.op = REQUEST_READ;
        flow_ask(f, 2000 * MSEC, &e, false, false);
        flow_end(f, 3000 * MSEC, &r, true);
        CHECK_INT(flow_wait_permille(f, 3000 * MSEC), 0);
}

TEST(an_owner_s_name_never_means_another) {
        struct flow *f = fresh();
        uint32_t name = flow_table_name(&table, f);

        CHECK(name != 0);
        CHECK(flow_table_find(&table, name) == f);
        CHECK(!flow_table_find(&table, 0));
        CHECK_INT(flow_table_name(&table, NULL), 0);
        flow_table_remove(&table, 100, 0, UINT64_MAX);
        CHECK(!flow_table_find(&table, name));
        CHECK(flow_table_get(&table, 101, DEV) == f); /* its entry is used again */
        CHECK(!flow_table_find(&table, name));
}

TEST(a_full_table_refuses_counts_and_has_room_again) {
        fresh();
        for (int32_t i = 1; i < FLOWS_MAX; i++)
                CHECK(flow_table_get(&table, 100 + i, DEV));
        CHECK(!flow_table_get(&table, 99, DEV));
        CHECK_INT(table.refused, 1);
        flow_table_remove(&table, 100 + FLOWS_MAX / 2, DEV, UINT64_MAX);
        CHECK(flow_table_get(&table, 99, DEV));
        CHECK(!flow_table_get(&table, 98, DEV));
}

/* Against a plain array: what was made is found, what was removed is not, whatever the order. */
TEST(flows_are_found_until_they_are_removed) {
        static bool there[64][8];
        uint64_t seed = test_seed();

        memset(&table, 0, sizeof(table));
        memset(there, 0, sizeof(there));
        for (unsigned step = 0; step < 20000; step++) {
                int32_t tgid = (int32_t) (test_random(&seed) % 64) + 1;
                uint32_t dev = (uint32_t) (test_random(&seed) % 8) + 1;
                const struct flow *f;
                size_t n = 0, seen = 0, i = 0;

                if (test_random(&seed) % 3) {
                        f = flow_table_get(&table, tgid, dev);
                        CHECK(f && f->tgid == tgid && f->dev == dev);
                        there[tgid - 1][dev - 1] = true;
                } else {
                        flow_table_remove(&table, tgid, dev, UINT64_MAX);
                        there[tgid - 1][dev - 1] = false;
                }
                for (size_t k = 0; k < 64 * 8; k++)
                        n += there[k / 8][k % 8];
                while ((f = flow_table_next(&table, &i))) {
                        CHECK(there[f->tgid - 1][f->dev - 1]);
                        seen++;
                }
                CHECK_INT(seen, n);
                CHECK_INT(table.n, n);
        }
}
