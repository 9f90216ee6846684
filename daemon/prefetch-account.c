/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <sys/mman.h>

#include "macro.h"
#include "prefetch-account.h"

static const struct user_rate rate = { .period = NSEC_PER_SEC, .at_once = PREFETCH_USER_MIB };

int prefetch_account_new(struct prefetch_account **ret) {
        void *a = mmap(NULL, sizeof(**ret), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

        if (a == MAP_FAILED)
                return -errno;
        *ret = a;
        return 0;
}

struct prefetch_account *prefetch_account_free(struct prefetch_account *a) {
        if (a)
                munmap(a, sizeof(*a));
        return NULL;
}

static bool has_some(const struct prefetch_account *a, uint32_t uid, nsec_t now) {
        uint64_t read = 0;

        if (uid == 0)
                return true;
        for (size_t i = 0; i < PREFETCH_PLAYS_MAX; i++)
                if (a->plays[i].runs && a->plays[i].uid == uid)
                        read += a->plays[i].read;
        return read < (uint64_t) user_budget_left(&a->budget, &rate, uid, now) << 20;
}

bool prefetch_account_begin(struct prefetch_account *a, size_t play, uint32_t uid, nsec_t now) {
        if (!has_some(a, uid, now))
                return false;
        a->plays[play].asked = a->plays[play].read = 0;
        a->plays[play].uid = uid;
        a->plays[play].runs = true;
        return true;
}

void prefetch_account_end(struct prefetch_account *a, size_t play, nsec_t now) {
        uint64_t mib = (a->plays[play].read + (1 << 20) - 1) >> 20;

        if (!a->plays[play].runs)
                return;
        user_budget_charge(&a->budget, &rate, a->plays[play].uid, (unsigned) mib, now);
        a->plays[play].runs = false;
}

bool prefetch_account_note(struct prefetch_account *a, size_t play, uint64_t asked, uint64_t read, nsec_t now) {
        a->plays[play].asked = asked;
        a->plays[play].read = read;
        return has_some(a, a->plays[play].uid, now);
}

uint64_t prefetch_account_asked(const struct prefetch_account *a) {
        uint64_t asked = 0;

        for (size_t i = 0; i < PREFETCH_PLAYS_MAX; i++)
                if (a->plays[i].runs)
                        asked += a->plays[i].asked;
        return asked;
}
