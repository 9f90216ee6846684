/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is read ahead now for all starts and after a login, and was lately for each user. The children that read ahead share it with the daemon: each
 * writes what it did, and sees what the others do. So many starts at once fill no more memory than one may, and programs that start without end have no
 * drive read without end. */
#pragma once

#include "startup.h"
#include "user-budget.h"

#define PREFETCH_LOGIN_PLAY STARTUPS_MAX /* what is read ahead after a login; the others are starts' */
#define PREFETCH_PLAYS_MAX (STARTUPS_MAX + 1)
/* A user has so much read from drives at once: a login, and what is started after it. Then a MiB each second. */
#define PREFETCH_USER_MIB 1024

struct prefetch_account {
        struct user_budget budget; /* MiB; the daemon alone charges it */
        struct {
                _Atomic bool runs;
                _Atomic uint32_t uid;
                _Atomic uint64_t asked, read; /* bytes: that were asked for, and of these from drives */
        } plays[PREFETCH_PLAYS_MAX];
};

/* In memory that children share. Returns 0 or -errno. */
int prefetch_account_new(struct prefetch_account **ret);
struct prefetch_account *prefetch_account_free(struct prefetch_account *a);

/* In the daemon, before a child reads ahead for that user, and when it does no longer. Returns false where the user has had what there is for now; root, whose
 * programs may read what they like, always has some. */
bool prefetch_account_begin(struct prefetch_account *a, size_t play, uint32_t uid, nsec_t now);
void prefetch_account_end(struct prefetch_account *a, size_t play, nsec_t now);

/* In the child: so much so far. Returns false where it has to stop, because its user has had what there is. */
bool prefetch_account_note(struct prefetch_account *a, size_t play, uint64_t asked, uint64_t read, nsec_t now);

/* What was asked for, by all that run. */
uint64_t prefetch_account_asked(const struct prefetch_account *a);
