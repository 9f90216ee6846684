/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "candidate.h"
#include "test.h"

#define SEC NSEC_PER_SEC
#define KIB 1024u

static struct candidates candidates;
static struct rhythm_figures figures;

static void begin(void) {
        memset(&candidates, 0, sizeof(candidates));
}

/* A sample every quarter of a second, with what `pattern` has for it, over and over. */
static void act(nsec_t from, nsec_t to, const uint32_t *pattern, size_t n, bool writes) {
        size_t i = 0;

        for (nsec_t t = from; t < to; t += SEC / 4, i++)
                candidates_add(&candidates, t, 5, 9, 1, writes ? 0 : pattern[i % n], writes ? pattern[i % n] : 0);
}

static bool look(nsec_t now, bool told) {
        return candidate_look(&candidates.entries[0], now, told, &figures);
}

TEST(a_process_that_writes_little_and_evenly_looks_like_a_recorder) {
        static const uint32_t pattern[] = { 0, 64 * KIB, 0, 112 * KIB };

        begin();
        act(10 * SEC, 24 * SEC, pattern, 4, true);
        CHECK(look(24 * SEC, false));
        CHECK(figures.bytes_per_s > 160 * KIB && figures.bytes_per_s < 180 * KIB);
        CHECK(figures.regularity_permille >= 900);
}

TEST(a_process_that_fills_a_buffer_and_writes_it_is_regular_however_few_these_are) {
        static const uint32_t buffer[] = { 256 * KIB, 0, 0, 0, 0, 0 }, skipped[] = { 256 * KIB, 0, 0, 0, 0, 0, 0, 0, 0, 256 * KIB, 0, 0, 0 },
                              odd[] = { 256 * KIB, 0, 0, 0, 64 * KIB, 0, 0, 512 * KIB, 0, 0, 0, 0, 0, 0, 0, 96 * KIB, 0, 0, 0, 0, 0, 0 };

        begin();
        act(10 * SEC, 40 * SEC, buffer, ARRAY_SIZE(buffer), true);
        CHECK(look(40 * SEC, false));
        CHECK_INT(figures.regularity_permille, 1000);
        CHECK_INT(figures.period_us, 1500000);
        CHECK(!look(44 * SEC, false) || figures.period_us == 0); /* it has stopped */
        begin();
        act(10 * SEC, 40 * SEC, skipped, ARRAY_SIZE(skipped), true);
        CHECK(!look(40 * SEC, false) || figures.regularity_permille < CANDIDATE_EVEN_PERMILLE);
        begin();
        act(10 * SEC, 40 * SEC, odd, ARRAY_SIZE(odd), true);
        CHECK(!look(40 * SEC, false) || figures.regularity_permille < CANDIDATE_EVEN_PERMILLE);
}

TEST(what_comes_in_each_sample_has_no_period) {
        static const uint32_t each[] = { 64 * KIB };

        begin();
        act(10 * SEC, 40 * SEC, each, 1, true);
        CHECK(look(40 * SEC, false));
        CHECK_INT(figures.period_us, 0);
}

TEST(a_process_that_moves_much_or_in_bursts_does_not) {
        static const uint32_t much[] = { 16384 * KIB }, bursts[48] = { 4096 * KIB, 4096 * KIB }, little[] = { 0, 0, 0, 4 * KIB };

        begin();
        act(10 * SEC, 30 * SEC, much, 1, false);
        CHECK(!look(30 * SEC, false));
        begin();
        act(10 * SEC, 40 * SEC, bursts, 48, false);
        CHECK(!look(40 * SEC, false));
        begin();
        act(10 * SEC, 30 * SEC, little, 4, false); /* 4 KiB a second: seed 000's processes */
        CHECK(!look(30 * SEC, false));
}

TEST(it_takes_twelve_seconds) {
        static const uint32_t pattern[] = { 64 * KIB };

        begin();
        act(10 * SEC, 21 * SEC, pattern, 1, false);
        CHECK(!look(21 * SEC, false));
        act(21 * SEC, 23 * SEC, pattern, 1, false);
        CHECK(look(23 * SEC, false));
}

TEST(one_whose_requests_tell_otherwise_is_left_alone_for_a_while) {
        static const uint32_t pattern[] = { 64 * KIB };

        begin();
        act(10 * SEC, 30 * SEC, pattern, 1, false);
        CHECK(look(30 * SEC, true));
        act(30 * SEC, 51 * SEC, pattern, 1, false);
        CHECK(!look(51 * SEC, true));
        act(51 * SEC, 200 * SEC, pattern, 1, false);
        CHECK(!look(200 * SEC, false));
        act(200 * SEC, 352 * SEC, pattern, 1, false);
        CHECK(look(352 * SEC, false));
}

TEST(those_without_room_are_counted) {
        begin();
        for (int32_t tgid = 1; tgid <= CANDIDATES_MAX + 3; tgid++)
                candidates_add(&candidates, SEC, tgid, 1, 1, 4096, 0);
        CHECK_INT(candidates.refused, 3);
        candidates_add(&candidates, SEC + CANDIDATE_IDLE_NS + 1, 1000, 1, 1, 4096, 0);
        CHECK_INT(candidates.refused, 3);
        candidates_remove(&candidates, 1000);
        for (size_t i = 0; i < CANDIDATES_MAX; i++)
                CHECK(candidates.entries[i].tgid != 1000);
}
