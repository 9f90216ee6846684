/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "process-reaped.h"
#include "test.h"

#define SEC NSEC_PER_SEC

TEST(what_a_child_did_is_not_its_parents_once_more) {
        struct reaped r = { 0 };
        uint64_t read = 0, written = 0;

        reaped_expect(&r, 10, SEC, 1000, 200);
        reaped_take(&r, 10, SEC, &read, &written); /* it has not waited yet */
        read = 1500; /* of that 100 the child did after it was looked at last, and 400 are its own */
        written = 200;
        reaped_take(&r, 10, 2 * SEC, &read, &written);
        CHECK(read == 500 && written == 0);
        read = 700;
        reaped_take(&r, 10, 2 * SEC, &read, &written);
        CHECK_INT(read, 700);
}

TEST(it_may_come_in_pieces_and_of_several) {
        struct reaped r = { 0 };
        uint64_t read = 300, written = 50;

        reaped_expect(&r, 10, SEC, 1000, 0);
        reaped_expect(&r, 10, SEC, 0, 500);
        reaped_expect(&r, 11, SEC, 4000, 4000);
        reaped_take(&r, 10, SEC, &read, &written);
        CHECK(read == 0 && written == 0);
        read = written = 800;
        reaped_take(&r, 10, SEC, &read, &written);
        CHECK(read == 100 && written == 350);
        read = written = 1;
        reaped_take(&r, 0, SEC, &read, &written);
        CHECK(read == 1 && written == 1);
}

TEST(a_parent_that_never_waits_loses_nothing_for_long) {
        struct reaped r = { 0 };
        uint64_t read = 0, written = 0;

        reaped_expect(&r, 10, SEC, 1000, 0);
        reaped_take(&r, 10, SEC + REAPED_WAIT_NS + 1, &read, &written);
        read = 1000;
        reaped_take(&r, 10, 5 * SEC, &read, &written);
        CHECK_INT(read, 1000);
}

TEST(with_more_children_than_there_is_room_for_the_oldest_are_forgotten) {
        struct reaped r = { 0 };
        uint64_t read = 1 << 20, written = 0;

        for (uint64_t i = 0; i < REAPED_MAX + 10; i++)
                reaped_expect(&r, 10, SEC, i < 10 ? 4096 : 1, 0);
        reaped_take(&r, 10, SEC, &read, &written);
        CHECK_INT(read, (1 << 20) - REAPED_MAX);
}
