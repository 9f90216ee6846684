/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Law readahead: of a file that is read in its order, more is read at a time, so that a disk moves its heads less often for as much. The kernel's 128 KiB
 * (VM_READAHEAD_PAGES) take such a disk 1 ms, and the way to them 10. docs/laws.md has what was measured. */
#include "law.h"
#include "law-private.h"

size_t law_readahead(const struct law_input *l, struct law_wish *ret) {
        const struct policy_readahead *p = &l->d->policy->readahead;
        enum tunable_id id = TUNABLE_QUEUE_READ_AHEAD_KB;
        int64_t original;

        if (!p->enabled || !law_original(l->d, id, &original) || original >= policy_clamp(l->d->policy, id, p->size_kib))
                return 0;
        if (original == 0) /* switched off, not left at what the kernel begins with */
                return 0;
        *ret = (struct law_wish){ .law = LAW_READAHEAD, .tunable = id, .value = p->size_kib };
        SAY(ret->sentence, sizeof(ret->sentence), SAY_READAHEAD, tunable_get(id)->name, p->size_kib, original);
        return 1;
}
