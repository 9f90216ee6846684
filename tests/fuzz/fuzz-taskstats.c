/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whatever the kernel, or a program in its place, answers over generic netlink: what is taken from it makes sense. */
#include <errno.h>
#include <stdlib.h>

#include "fuzz.h"
#include "macro.h"
#include "taskstats.h"

#define FAMILY 28 /* that of the answers in the corpus */
#define SPAN NSEC_PER_SEC

static void check_waits(struct wait_account *a, uint64_t wait_ns, bool waiting) {
        uint64_t waited = wait_account_add(a, wait_ns, waiting, SPAN);

        MUST(waited <= SPAN && a->wait_ns == wait_ns && a->known);
        MUST(waiting || a->ahead_ns == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct wait_account account = { 0 };
        struct task_stats_reply reply;
        int r = task_stats_parse(data, size, FAMILY, &reply);

        MUST(r == 0 || r == 1 || r == -EBADMSG || r == -EPROTONOSUPPORT);
        if (r > 0) {
                MUST(reply.error ? reply.error <= 4095 && reply.id == 0 && reply.waits == 0 : reply.id > 0);
                check_waits(&account, reply.wait_ns, reply.waits & 1);
                check_waits(&account, reply.wait_ns, true);
                check_waits(&account, reply.wait_ns + reply.memory_ns, reply.waits > 0);
                check_waits(&account, reply.runs, false);
        }
        r = task_stats_parse_family(data, size);
        MUST(r < 0 ? r >= -4095 : r >= 16 && r <= UINT16_MAX);
        return 0;
}
