/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "macro.h"
#include "pace.h"

static void turn(struct pace *p, uint32_t second) {
        uint32_t passed = second - p->second;

        for (uint32_t i = 1; i <= MIN(passed, (uint32_t) PACE_SECONDS); i++)
                p->sectors[(second - i + 1) % PACE_SECONDS] = 0;
        p->second = second;
}

void pace_add(struct pace *p, nsec_t t, uint64_t bytes) {
        uint32_t second = (uint32_t) (t / NSEC_PER_SEC), *sectors = &p->sectors[second % PACE_SECONDS];

        if (second > p->second)
                turn(p, second);
        else if (p->second - second >= PACE_SECONDS)
                return;
        *sectors = (uint32_t) MIN(*sectors + bytes / SECTOR_BYTES, UINT32_MAX);
}

struct moved pace_get(const struct pace *p, nsec_t now) {
        uint32_t second = (uint32_t) (now / NSEC_PER_SEC);
        struct moved moved = { 0 };
        struct pace copy = *p;

        if (second > copy.second)
                turn(&copy, second);
        for (size_t i = 0; i < PACE_SECONDS; i++) {
                moved.bytes += copy.sectors[i] * SECTOR_BYTES;
                moved.active_s += copy.sectors[i] * SECTOR_BYTES >= PACE_ACTIVE_BYTES;
        }
        return moved;
}
