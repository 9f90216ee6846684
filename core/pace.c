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

uint32_t pace_uneven_permille(const struct pace *p, nsec_t now) {
        const struct pace at = turned(p, (uint32_t) (now / NSEC_PER_SEC));
        uint64_t total = 0, so_far = 0, off = 0;
        uint32_t n = PACE_SECONDS - 1;

        while (n > 0 && at.sectors[(at.second - n) % PACE_SECONDS] == 0)
                n--;
        n -= n > 0 && n < PACE_SECONDS - 1; /* the second in which it began is not whole */
        for (uint32_t i = 1; i <= n; i++)
                total += at.sectors[(at.second - i) % PACE_SECONDS];
        if (n < PACE_EVEN_SECONDS || total == 0)
                return 0;
        for (uint32_t i = n; i > 0; i--) {
                uint64_t line = total * (n - i + 1) / n;
                so_far += at.sectors[(at.second - i) % PACE_SECONDS];
                off = MAX(off, so_far > line ? so_far - line : line - so_far);
        }
        return (uint32_t) (off * 1000 / total);
}

struct moved pace_get(const struct pace *p, nsec_t now) {
        return pace_get_joined(p, p, 0, now);
}
