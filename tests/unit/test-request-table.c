/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "request-table.h"
#include "test.h"

#define DEV DEV_NUMBER(8, 0)
#define OTHER DEV_NUMBER(8, 16)

static struct request_table table;

/* What the table told. */
static struct {
        size_t n;
        struct told {
                enum request_step step;
                struct request r;
                nsec_t t;
        } steps[64];
} told;

static void note(void *userdata _unused_, enum request_step step, const struct request *r, nsec_t t) {
        if (told.n < ARRAY_SIZE(told.steps))
                told.steps[told.n] = (struct told){ step, *r, t };
        told.n++;
}

static void start(void) {
        memset(&table, 0, sizeof(table));
        told.n = 0;
}

static struct event_request at(uint64_t sector, uint32_t sectors) {
        return (struct event_request){ .sector = sector, .sectors = sectors, .op = REQUEST_READ };
}

static void queue(nsec_t t, uint64_t sector, uint32_t sectors, uint32_t owner) {
        struct event_request e = at(sector, sectors);
        request_table_queue(&table, t, DEV, &e, owner, false);
}

static void issue(nsec_t t, uint64_t sector, uint32_t sectors) {
        struct event_request e = at(sector, sectors);
        request_table_issue(&table, t, DEV, &e, note, NULL);
}

static void requeue(nsec_t t, uint64_t sector, uint32_t sectors) {
        struct event_request e = at(sector, sectors);
        request_table_requeue(&table, t, DEV, &e, note, NULL);
}

static void complete(nsec_t t, uint64_t sector, uint32_t sectors) {
        struct event_request e = at(sector, sectors);
        request_table_complete(&table, t, DEV, &e, note, NULL);
}

/* The number of ends told of what counts; the last one in *ret. */
static size_t ends(enum request_step step, struct told *ret) {
        size_t n = 0;

        for (size_t i = 0; i < MIN(told.n, ARRAY_SIZE(told.steps)); i++)
                if (told.steps[i].step == step && told.steps[i].r.asked > 0) {
                        *ret = told.steps[i];
                        n++;
                }
        return n;
}

TEST(a_request_is_done_with_its_three_times) {
        struct told done;

        start();
        queue(10, 100, 8, 7);
        issue(20, 100, 8);
        complete(50, 100, 8);
        CHECK_INT(ends(REQUEST_DONE, &done), 1);
        CHECK_INT(done.r.queued, 10);
        CHECK_INT(done.r.issued, 20);
        CHECK_INT(done.t, 50);
        CHECK_INT(done.r.owner, 7);
        CHECK_INT(done.r.asked, 8);
        CHECK_INT(table.n, 0);
}

TEST(of_merged_requests_each_has_its_own_wait) {
        start();
        queue(10, 108, 8, 1);
        queue(12, 116, 8, 2); /* merged behind it */
        queue(14, 100, 8, 3); /* and in front */
        issue(20, 100, 24);
        complete(30, 100, 24);
        CHECK_INT(told.n, 6);
        CHECK_INT(told.steps[3].r.owner, 3);
        CHECK_INT(told.steps[4].r.owner, 1);
        CHECK_INT(told.steps[4].r.queued, 10);
        CHECK_INT(told.steps[5].r.owner, 2);
        CHECK_INT(table.n + table.unmatched, 0);
}

TEST(a_split_request_counts_once_when_its_end_is_done) {
        struct told done;

        start();
        queue(10, 0, 2560, 5);
        issue(11, 0, 1280);
        issue(12, 1280, 1280);
        complete(20, 0, 1280);
        CHECK_INT(ends(REQUEST_DONE, &done), 0);
        complete(30, 1280, 1280);
        CHECK_INT(ends(REQUEST_DONE, &done), 1);
        CHECK_INT(done.r.asked, 2560);
        CHECK_INT(done.r.issued, 12);
        CHECK_INT(table.n, 0);
}

TEST(pieces_of_a_split_request_go_in_any_order) {
        struct event_request front = at(0, 1280);
        struct told done;

        start();
        queue(10, 0, 2560, 5);
        request_table_split(&table, DEV, &front);
        issue(11, 1280, 1280);
        complete(20, 1280, 1280);
        CHECK_INT(ends(REQUEST_DONE, &done), 1);
        issue(21, 0, 1280);
        complete(30, 0, 1280);
        CHECK_INT(ends(REQUEST_DONE, &done), 1);
        CHECK_INT(done.r.asked, 2560);
        CHECK_INT(table.n + table.unmatched, 0);
}

TEST(partial_completions_end_a_request_with_the_last) {
        struct told done;

        start();
        queue(10, 0, 24, 5);
        issue(11, 0, 24);
        complete(20, 0, 8);
        complete(21, 8, 8);
        CHECK_INT(ends(REQUEST_DONE, &done), 0);
        complete(22, 16, 8);
        CHECK_INT(ends(REQUEST_DONE, &done), 1);
        CHECK_INT(done.t, 22);
        CHECK_INT(table.n, 0);
}

TEST(a_requeued_request_is_with_the_drive_from_its_last_issue) {
        struct told done;

        start();
        queue(10, 0, 8, 5);
        issue(11, 0, 8);
        requeue(15, 0, 8);
        issue(20, 0, 8);
        complete(22, 0, 8);
        CHECK_INT(ends(REQUEST_DONE, &done), 1);
        CHECK_INT(done.r.issued, 20);
        CHECK_INT(done.r.queued, 10);
}

TEST(after_a_requeue_that_was_lost_it_still_counts_once) {
        struct told done;

        start();
        queue(10, 0, 8, 5);
        issue(11, 0, 8);
        issue(20, 0, 8);
        complete(22, 0, 8);
        CHECK_INT(ends(REQUEST_ISSUED, &done), 1);
        CHECK_INT(ends(REQUEST_DONE, &done), 1);
        CHECK_INT(done.r.issued, 20);
        CHECK_INT(table.n, 0);
}

TEST(lost_events_leave_what_is_known) {
        struct told done;

        start();
        issue(20, 0, 8); /* its queuing was lost */
        complete(30, 0, 8);
        CHECK_INT(ends(REQUEST_DONE, &done), 1);
        CHECK_INT(done.r.queued, 0);
        queue(40, 0, 8, 5); /* its issue was lost */
        complete(50, 0, 8);
        CHECK_INT(ends(REQUEST_DONE, &done), 2);
        CHECK_INT(done.r.issued, 0);
        complete(60, 0, 8); /* all was */
        CHECK_INT(table.unmatched, 1);
        CHECK_INT(table.n, 0);
}

TEST(a_leftover_does_not_hand_its_age_to_the_next_at_its_place) {
        struct told done;

        start();
        queue(10, 0, 8, 5);
        issue(11, 0, 8); /* never seen to complete */
        queue(1000, 0, 8, 6);
        issue(1001, 0, 8);
        complete(1010, 0, 8);
        CHECK_INT(ends(REQUEST_DONE, &done), 1);
        CHECK_INT(done.r.owner, 6);
        CHECK_INT(done.r.queued, 1000);
        request_table_expire(&table, 10 + REQUEST_AGE_NS, note, NULL);
        CHECK_INT(table.aged, 1);
        CHECK_INT(table.n, 0);
}

TEST(flushes_drives_and_directions_do_not_mix) {
        struct event_request write = { .sector = 0, .sectors = 8, .op = REQUEST_WRITE };

        start();
        queue(10, 0, 0, 1); /* a flush */
        CHECK_INT(table.n, 0);
        queue(10, 0, 8, 1);
        request_table_queue(&table, 11, DEV, &write, 2, false);
        request_table_complete(&table, 12, OTHER, &write, note, NULL);
        CHECK_INT(table.unmatched, 1);
        request_table_complete(&table, 13, DEV, &write, note, NULL);
        CHECK_INT(told.n, 1);
        CHECK_INT(told.steps[0].r.owner, 2);
        request_table_forget(&table, 20, OTHER, note, NULL);
        CHECK_INT(table.n, 1);
        request_table_forget(&table, 20, DEV, note, NULL);
        CHECK_INT(table.n, 0);
}

TEST(a_full_table_refuses_and_counts) {
        struct told done;

        start();
        for (uint32_t i = 0; i < REQUESTS_MAX + 10; i++)
                queue(10 + i, i * 1000ull, 8, i + 1);
        CHECK_INT(table.n, REQUESTS_MAX);
        CHECK_INT(table.refused, 10);
        for (uint32_t i = 0; i < REQUESTS_MAX; i++) /* parts still have room, up to the last slot */
                complete(20000 + i, i * 1000ull, 4);
        CHECK(table.n <= REQUESTS_MAX);
        for (uint32_t i = 0; i < REQUESTS_MAX; i++)
                complete(40000 + i, i * 1000ull + 4, 4);
        CHECK_INT(table.n, 0);
        told.n = 0;
        queue(90000, 5, 8, 1);
        complete(90001, 5, 8);
        CHECK_INT(ends(REQUEST_DONE, &done), 1);
}

/* The slow reference: what the drive's sectors are waiting for, one by one. Requests do not overlap, as on a drive that
 * is used sensibly; the kernel merges, splits, requeues and completes them in pieces as it likes. */
#define SECTORS 2048
#define BIOS 20000

static struct {
        struct bio {
                nsec_t queued, issued, done;
                uint32_t end, sectors;
                unsigned ends;
                bool begun; /* some of it was with the drive */
        } bios[BIOS + 1]; /* by owner, from 1 on */
        uint32_t owner[SECTORS]; /* 0: free */
        bool issued[SECTORS];
        bool cut[SECTORS]; /* a piece begins here */
        unsigned wrong;
} reference;

static void compare_end(void *userdata _unused_, enum request_step step, const struct request *r, nsec_t t) {
        const struct bio *b = &reference.bios[r->owner];

        if (step != REQUEST_DONE || r->asked == 0)
                return;
        reference.bios[r->owner].ends++;
        reference.bios[r->owner].done = t;
        reference.wrong += r->queued != b->queued || r->asked != b->sectors || r->issued != b->issued;
}

/* A run of sectors from a random place on that wait (or are with the drive): [*ret, return). */
static uint32_t find_run(uint64_t *seed, bool issued, uint32_t *ret) {
        uint32_t from = (uint32_t) (test_random(seed) % SECTORS), to, most = (uint32_t) (test_random(seed) % 64) + 1;

        while (from < SECTORS && (!reference.owner[from] || reference.issued[from] != issued))
                from++;
        /* The kernel's requests begin where something begins that was queued, or a piece of it. */
        while (from > 0 && from < SECTORS && !reference.cut[from] && reference.owner[from - 1] == reference.owner[from] && reference.issued[from - 1] == issued)
                from--;
        for (to = from; to < SECTORS && to < from + most && reference.owner[to] && reference.issued[to] == issued;)
                to++;
        *ret = from;
        return to;
}

static void queue_somewhere(uint64_t *seed, nsec_t t, uint32_t *n) {
        uint32_t from = (uint32_t) (test_random(seed) % SECTORS), to, most = (uint32_t) (test_random(seed) % 32) + 1;

        for (to = from; to < SECTORS && to < from + most && !reference.owner[to];)
                to++;
        if (to == from || *n == BIOS)
                return;
        ++*n;
        reference.bios[*n] = (struct bio){ .queued = t, .end = to, .sectors = to - from };
        for (uint32_t i = from; i < to; i++) {
                reference.owner[i] = *n;
                reference.cut[i] = false;
                reference.issued[i] = false;
        }
        queue(t, from, to - from, *n);
}

static void move_some(uint64_t *seed, nsec_t t, bool issue_them) {
        uint32_t from, to = find_run(seed, !issue_them, &from);
        struct event_request e = at(from, to - from);

        if (to == from)
                return;
        for (uint32_t i = from; i < to; i++) {
                reference.issued[i] = issue_them;
                reference.bios[reference.owner[i]].begun = true;
                if (i + 1 == reference.bios[reference.owner[i]].end)
                        reference.bios[reference.owner[i]].issued = issue_them ? t : 0;
        }
        if (issue_them)
                request_table_issue(&table, t, DEV, &e, compare_end, NULL);
        else
                request_table_requeue(&table, t, DEV, &e, compare_end, NULL);
}

/* Splits off the front of something that waits; the kernel does so before any of it goes to the drive. */
static void split_some(uint64_t *seed) {
        uint32_t from, to = find_run(seed, false, &from), at_sector = from + 1;
        struct event_request e;

        if (from == to || reference.bios[reference.owner[from]].begun)
                return;
        while (at_sector < to && reference.owner[at_sector] == reference.owner[from] && !reference.cut[at_sector] && test_random(seed) % 4)
                at_sector++;
        if (at_sector >= to || reference.owner[at_sector] != reference.owner[from] || reference.cut[at_sector])
                return;
        reference.cut[at_sector] = true;
        e = at(from, at_sector - from);
        request_table_split(&table, DEV, &e);
}

static void complete_some(uint64_t *seed, nsec_t t) {
        uint32_t from, to = find_run(seed, true, &from);
        struct event_request e = at(from, to - from);

        request_table_complete(&table, t, DEV, &e, compare_end, NULL);
        for (uint32_t i = from; i < to; i++) {
                struct bio *b = &reference.bios[reference.owner[i]];
                reference.wrong += i + 1 == b->end ? b->ends != 1 || b->done != t : b->ends > 1;
                reference.owner[i] = 0;
        }
}

TEST(whatever_the_kernel_makes_of_requests_each_ends_once_when_its_last_sector_does) {
        uint64_t seed = test_seed();
        uint32_t n = 0;
        nsec_t t = 1;

        start();
        memset(&reference, 0, sizeof(reference));
        for (unsigned step = 0; step < 200000; step++, t++) {
                switch (test_random(&seed) % 9) {
                case 0 ... 2:
                        queue_somewhere(&seed, t, &n);
                        break;
                case 3:
                        split_some(&seed);
                        break;
                case 4 ... 5:
                        move_some(&seed, t, true);
                        break;
                case 6:
                        if (test_random(&seed) % 8 == 0)
                                move_some(&seed, t, false);
                        break;
                default:
                        complete_some(&seed, t);
                }
                CHECK_INT(reference.wrong, 0);
        }
        CHECK_INT(table.unmatched, 0);
        CHECK_INT(table.refused, 0);
        CHECK(n > 5000);
}

/* Sectors at the drive as the steps tell them, and ends still owed. */
static int64_t at_drive, owed;

static void balance(void *userdata _unused_, enum request_step step, const struct request *r, nsec_t t _unused_) {
        if (step == REQUEST_ISSUED)
                at_drive += r->sectors;
        else if (step == REQUEST_REQUEUED || r->issued)
                at_drive -= r->sectors;
        if ((step == REQUEST_DONE || step == REQUEST_LOST) && r->asked > 0 && r->owner > 0)
                owed--;
}

TEST(any_sequence_of_events_balances_and_ends) {
        uint64_t seed = test_seed();

        start();
        at_drive = owed = 0;
        for (nsec_t t = 1; t < 300000; t++) {
                uint64_t base = test_random(&seed) % 16 == 0 ? UINT64_MAX - 40 : 0;
                struct event_request e = at(base + test_random(&seed) % 64, (uint32_t) (test_random(&seed) % 40));
                uint32_t dev = test_random(&seed) % 2 ? DEV : OTHER;

                e.op = test_random(&seed) % 2 ? REQUEST_READ : REQUEST_WRITE;
                if (test_random(&seed) % 64 == 0)
                        e.sectors = UINT32_MAX;
                switch (test_random(&seed) % 5) {
                case 4:
                        request_table_split(&table, dev, &e);
                        break;
                case 0:
                        owed += request_table_queue(&table, t, dev, &e, 1, false);
                        break;
                case 1:
                        request_table_issue(&table, t, dev, &e, balance, NULL);
                        break;
                case 2:
                        request_table_requeue(&table, t, dev, &e, balance, NULL);
                        break;
                default:
                        request_table_complete(&table, t, dev, &e, balance, NULL);
                }
                CHECK(table.n < REQUEST_SLOTS);
        }
        request_table_forget(&table, 300000, 0, balance, NULL);
        CHECK_INT(table.n, 0);
        CHECK_INT(at_drive, 0);
        CHECK_INT(owed, 0);
}
