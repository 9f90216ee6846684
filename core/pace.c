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

/* As it is at that second. */
static struct pace turned(const struct pace *p, uint32_t second) {
        struct pace copy = *p;

        if (second > copy.second)
                turn(&copy, second);
        return copy;
}

struct moved pace_get_joined(const struct pace *before, const struct pace *after, nsec_t since, nsec_t now) {
        uint32_t second = MAX((uint32_t) (now / NSEC_PER_SEC), MAX(before->second, after->second));
        const struct pace early = turned(before, second), late = turned(after, second);
        struct moved moved = { 0 };

        for (uint32_t i = 0; i < MIN(second + 1, (uint32_t) PACE_SECONDS); i++) {
                const struct pace *p = second - i > since / NSEC_PER_SEC ? &late : &early;
                uint64_t bytes = p->sectors[(second - i) % PACE_SECONDS] * SECTOR_BYTES;
                moved.bytes += bytes;
                moved.active_s += bytes >= PACE_ACTIVE_BYTES;
        }
        return moved;
}

struct moved pace_get(const struct pace *p, nsec_t now) {
        return pace_get_joined(p, p, 0, now);
}
