/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pace.h"
#include "test.h"

#define SEC NSEC_PER_SEC
#define MIB (1024u * 1024)

TEST(what_was_moved_counts_for_eight_seconds) {
        struct pace p = { 0 };

        for (nsec_t s = 100; s < 104; s++) {
                pace_add(&p, s * SEC, MIB);
                pace_add(&p, s * SEC + SEC / 2, MIB);
        }
        CHECK_INT(pace_get(&p, 103 * SEC).bytes, 8 * MIB);
        CHECK_INT(pace_get(&p, 103 * SEC).active_s, 4);
        CHECK_INT(pace_get(&p, 107 * SEC).bytes, 8 * MIB);
        CHECK_INT(pace_get(&p, 108 * SEC).bytes, 6 * MIB);
        CHECK_INT(pace_get(&p, 108 * SEC).active_s, 3);
        CHECK_INT(pace_get(&p, 200 * SEC).bytes, 0);
        CHECK_INT(pace_get(&p, 200 * SEC).active_s, 0);
}

TEST(a_burst_is_one_second_and_a_trickle_is_none) {
        struct pace p = { 0 };

        pace_add(&p, 50 * SEC, 900u * MIB);
        CHECK_INT(pace_get(&p, 51 * SEC).bytes, 900u * MIB);
        CHECK_INT(pace_get(&p, 51 * SEC).active_s, 1);
        p = (struct pace){ 0 };
        for (nsec_t s = 100; s < 110; s++)
                pace_add(&p, s * SEC, PACE_ACTIVE_BYTES - 512);
        CHECK_INT(pace_get(&p, 110 * SEC).active_s, 0);
}

TEST(what_comes_late_counts_for_the_second_that_it_was_in) {
        struct pace p = { 0 };

        pace_add(&p, 100 * SEC, MIB);
        pace_add(&p, 97 * SEC, MIB);
        pace_add(&p, 92 * SEC, MIB); /* too late for anything */
        CHECK_INT(pace_get(&p, 100 * SEC).bytes, 2 * MIB);
        CHECK_INT(pace_get(&p, 100 * SEC).active_s, 2);
        CHECK_INT(pace_get(&p, 105 * SEC).bytes, MIB);
}

TEST(of_two_accounts_the_better_one_counts_from_the_second_after_its_first) {
        struct pace guessed = { 0 }, told = { 0 };

        for (nsec_t s = 100; s < 108; s++)
                pace_add(&guessed, s * SEC, 10 * MIB);
        pace_add(&told, 104 * SEC, MIB);
        pace_add(&told, 106 * SEC, MIB);
        CHECK_INT(pace_get_joined(&guessed, &told, 103 * SEC + SEC / 2, 107 * SEC).bytes, 42 * MIB); /* 100 to 103, 104 and 106 */
        CHECK_INT(pace_get_joined(&guessed, &told, 103 * SEC + SEC / 2, 107 * SEC).active_s, 6);
        CHECK_INT(pace_get_joined(&guessed, &told, 103 * SEC + SEC / 2, 111 * SEC).bytes, 2 * MIB);
        CHECK_INT(pace_get_joined(&guessed, &told, 90 * SEC, 107 * SEC).bytes, 2 * MIB);
        CHECK_INT(pace_get_joined(&guessed, &told, 107 * SEC, 107 * SEC).bytes, 80 * MIB);
}

/* A stream, a burst a second into it, what has just begun, and what came to an end. */
TEST(how_even_a_pace_is_is_told_by_its_distance_from_a_straight_line_once_it_has_lasted) {
        static const struct {
                uint8_t mib[8], uneven;
        } vectors[] = {
                { { 3, 3, 3, 3, 3, 3, 3, 3 }, 0 }, { { 0, 9, 3, 3, 3, 3, 3, 3 }, 0 }, { { 0, 0, 0, 9, 1, 5, 0, 9 }, 0 }, { { 6, 0, 6, 0, 6, 0, 6, 0 }, 0 },
                { { 5, 20, 0, 0, 20, 0, 0, 0 }, 1 }, { { 9, 9, 9, 9, 0, 0, 0, 0 }, 1 }, { { 0, 0, 0, 0, 0, 0, 0, 0 }, 0 },
        };

        for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
                struct pace p = { 0 };
                for (nsec_t s = 0; s < 8; s++)
                        pace_add(&p, (100 + s) * SEC, vectors[i].mib[s] * MIB);
                CHECK_INT(pace_uneven_permille(&p, 107 * SEC + SEC / 2) > 120, vectors[i].uneven);
        }
}
