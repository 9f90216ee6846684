/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <sys/wait.h>

#include "prefetch-account.h"
#include "test.h"

#define NOW (1000 * NSEC_PER_SEC)
#define MIB (UINT64_C(1) << 20)

static struct prefetch_account *new_account(void) {
        struct prefetch_account *a;

        if (prefetch_account_new(&a) < 0)
                abort();
        return a;
}

/* A start of that user, whose child had so much read. Returns false where it got none. */
static bool play(struct prefetch_account *a, size_t place, uint32_t uid, uint64_t mib, nsec_t now) {
        if (!prefetch_account_begin(a, place, uid, now))
                return false;
        (void) prefetch_account_note(a, place, mib * MIB, mib * MIB, now);
        prefetch_account_end(a, place, now);
        return true;
}

TEST(a_user_whose_starts_follow_each_other_gets_a_burst_and_then_a_mib_each_second_and_others_theirs) {
        struct prefetch_account *a = new_account();
        uint64_t mib = 0;

        while (play(a, 0, 1000, 64, NOW))
                mib += 64;
        CHECK_INT(mib, PREFETCH_USER_MIB);
        CHECK(play(a, 0, 1001, 64, NOW));
        CHECK(!play(a, 0, 1000, 64, NOW));
        CHECK(play(a, 0, 1000, 1, NOW + NSEC_PER_SEC));
        CHECK(!play(a, 0, 1000, 1, NOW + NSEC_PER_SEC));
        for (unsigned i = 0; i < 2 * PREFETCH_PLAYS_MAX; i++)
                CHECK(play(a, 0, 0, PREFETCH_USER_MIB, NOW));
        prefetch_account_free(a);
}

TEST(starts_of_a_user_at_the_same_time_have_together_what_one_has) {
        struct prefetch_account *a = new_account();
        const uint64_t part = PREFETCH_USER_MIB * MIB / PREFETCH_PLAYS_MAX + 1;
        bool may = true;

        for (size_t i = 0; i < PREFETCH_PLAYS_MAX; i++)
                CHECK(prefetch_account_begin(a, i, 1000, NOW));
        for (size_t i = 0; i < PREFETCH_PLAYS_MAX; i++) {
                CHECK(may);
                may = prefetch_account_note(a, i, 2 * part, part, NOW);
        }
        CHECK(!may && prefetch_account_asked(a) == PREFETCH_PLAYS_MAX * 2 * part);
        prefetch_account_end(a, 0, NOW);
        CHECK(!prefetch_account_begin(a, 0, 1000, NOW)); /* what has ended is not forgotten */
        CHECK(!prefetch_account_note(a, 1, 0, part, NOW));
        CHECK_INT(prefetch_account_asked(a), (PREFETCH_PLAYS_MAX - 2) * 2 * part);
        prefetch_account_free(a);
}

TEST(what_a_child_notes_the_daemon_sees) {
        struct prefetch_account *a = new_account();
        pid_t pid;

        CHECK(prefetch_account_begin(a, 3, 1000, NOW));
        pid = fork();
        if (pid == 0)
                _exit(!prefetch_account_note(a, 3, 7 * MIB, PREFETCH_USER_MIB * MIB, NOW) ? 1 : 0);
        CHECK(pid > 0 && waitpid(pid, NULL, 0) == pid);
        CHECK_INT(prefetch_account_asked(a), 7 * MIB);
        prefetch_account_end(a, 3, NOW);
        CHECK(!prefetch_account_begin(a, 3, 1000, NOW));
        prefetch_account_free(a);
}
