/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "process-shunned.h"

void shunned_add(struct shunned *s, int32_t tgid, nsec_t now) {
        s->processes[s->next].tgid = tgid;
        s->processes[s->next].until = now + SHUNNED_NS;
        s->next = (s->next + 1) % SHUNNED_MAX;
}

bool shunned_has(const struct shunned *s, int32_t tgid, nsec_t now) {
        for (size_t i = 0; i < SHUNNED_MAX; i++)
                if (s->processes[i].tgid == tgid && s->processes[i].until > now)
                        return true;
        return false;
}
