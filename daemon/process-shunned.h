/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes that held up a process that read of them, for a while. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "units.h"

#define SHUNNED_NS (60 * NSEC_PER_SEC)
#define SHUNNED_MAX 32 /* then the one that has been in it for longest goes */

struct shunned {
        size_t next;
        struct {
                int32_t tgid; /* 0: free */
                nsec_t until;
        } processes[SHUNNED_MAX];
};

void shunned_add(struct shunned *s, int32_t tgid, nsec_t now);
bool shunned_has(const struct shunned *s, int32_t tgid, nsec_t now);
