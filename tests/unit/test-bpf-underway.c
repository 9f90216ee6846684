/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bpf-underway.h"
#include "event.h"
#include "test.h"

#define DRIVE DEV_NUMBER(8, 0)
#define NOW (100 * NSEC_PER_SEC)

static struct bpf_underway places[BPF_UNDERWAY_PLACES];

static void issue(size_t place, nsec_t t) {
        places[place] = (struct bpf_underway){ .request = 0xffff888000000000u + place };
        places[place].record = (struct bpf_record){ .t = t, .sector = 8 * place, .dev = DRIVE, .sectors = 8, .kind = BPF_RECORD_ISSUE };
}

TEST(each_request_that_was_issued_by_then_is_found_once) {
        static const size_t wanted[] = { 0, 77, BPF_UNDERWAY_PLACES - 1 };
        size_t i = 0;

        memset(places, 0, sizeof(places));
        CHECK(!bpf_underway_next(places, &i, NOW));
        for (size_t k = 0; k < ARRAY_SIZE(wanted); k++)
                issue(wanted[k], NOW - k);
        issue(78, NOW + 1);
        i = 0;
        for (size_t k = 0; k < ARRAY_SIZE(wanted); k++)
                CHECK(bpf_underway_next(places, &i, NOW) == &places[wanted[k]]);
        CHECK(!bpf_underway_next(places, &i, NOW));
}

TEST(what_ended_unseen_is_told_as_a_completion_of_what_was_left_of_it) {
        struct bpf_record r;

        issue(5, NOW - NSEC_PER_SEC);
        CHECK(bpf_underway_take(&places[5], NOW, NOW + 1, &r));
        CHECK_INT(r.kind, BPF_RECORD_COMPLETE);
        CHECK_INT(r.unseen, true);
        CHECK_INT(r.t, NOW + 1);
        CHECK_INT(r.sector, 40);
        CHECK_INT(r.sectors, 8);
        CHECK_INT(r.dev, DRIVE);
        CHECK_INT(places[5].request, 0);
        CHECK(!bpf_underway_take(&places[5], NOW, NOW + 1, &r)); /* the programs have found it */
        issue(5, NOW + 1);
        CHECK(!bpf_underway_take(&places[5], NOW, NOW + 2, &r)); /* and issued it anew */
        CHECK(places[5].request != 0);
}

static bool rests(const char *iostats, const char *inflight) {
        const char *blocks = test_tmpdir();

        test_write_file(blocks, "8:0/queue/iostats", iostats);
        test_write_file(blocks, "8:0/inflight", inflight);
        return bpf_underway_rests(blocks, DRIVE);
}

TEST(a_drive_rests_where_the_kernel_counts_and_counts_nothing) {
        CHECK(rests("1\n", "       0        0\n"));
        CHECK(!rests("1\n", "       1        0\n"));
        CHECK(!rests("1\n", "       0       10\n"));
        CHECK(!rests("0\n", "       0        0\n")); /* it does not count */
        CHECK(!bpf_underway_rests(test_tmpdir(), DEV_NUMBER(8, 1)));
}
