/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints docs/tunables.md from the table that the daemon uses: a table in prose would soon differ from it. */
#include <inttypes.h>
#include <stdio.h>

#include "tunable.h"

static const char *const overflow_text[] = {
        [OVERFLOW_CLAMP] = "the nearest bound",
        [OVERFLOW_EINVAL] = "refused",
        [OVERFLOW_WRAP] = "wraps",
        [OVERFLOW_IGNORED] = "ignored",
        [OVERFLOW_ONE] = "1",
};

static void print_range(const struct tunable *t) {
        if (t->type == TUNABLE_NAME)
                printf("a word of its list | refused");
        else if (t->max >= INT32_MAX)
                printf("%" PRId64 " and more%s%s | %s", t->min, *t->unit ? " " : "", t->unit, overflow_text[t->overflow]);
        else
                printf("%" PRId64 " to %" PRId64 "%s%s | %s", t->min, t->max, *t->unit ? " " : "", t->unit, overflow_text[t->overflow]);
}

static void print_notes(const struct tunable *t) {
        if (t->side_effects)
                printf("%s. ", t->side_effects);
        if (t->flags & TUNABLE_FREEZES)
                printf("The queue stands still while it is written. ");
        if (t->flags & TUNABLE_INEXACT)
                printf("Cannot be put back exactly. ");
        if (t->type == TUNABLE_JIFFIES)
                printf("Reads back up to a jiffy off. ");
        if (t->twin != _TUNABLE_INVALID)
                printf("The same as `%s`. ", tunable_get(t->twin)->name);
        if (t->flags & TUNABLE_LOST_ON_SWITCH)
                printf("Lost when the scheduler changes. ");
}

int main(void) {
        printf("# The tunables\n\n"
               "Written by `build/tests/style/print-tunables` from `core/tunable.c`; `./dev test style` compares the two. What Brio may\n"
               "do with them is up to the policies. The last columns: the range that the kernel takes, what it makes of a number\n"
               "outside, and what to know before writing.\n\n"
               "| scheduler | file | more of it | range | outside | notes |\n"
               "| --- | --- | --- | --- | --- | --- |\n");
        for (enum tunable_id id = 0; id < _TUNABLE_MAX; id++) {
                const struct tunable *t = tunable_get(id);

                printf("| %s | `%s` | %s | ", t->scheduler == SCHEDULER_ANY ? "any" : scheduler_to_string(t->scheduler), t->name, t->effect);
                print_range(t);
                printf(" | ");
                print_notes(t);
                printf("|\n");
        }
        return 0;
}
