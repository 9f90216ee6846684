/* SPDX-License-Identifier: GPL-3.0-or-later */
/* While a game runs that has told GameMode of itself, the daemon is held to its normal behaviour: a person is at the machine, with a gamepad
 * that no seat counts as input. GameMode is never started from here. */
#pragma once

#include <stdbool.h>

#include "link.h"

#define GAMES_MAX 64 /* more than that are not counted */

struct games {
        struct link *link;
        int32_t pids[GAMES_MAX];
        size_t n;
        uint32_t cookie; /* 0: nothing is held */
        bool asked;      /* there is no answer yet */
        bool ended;      /* an administrator ended the hold: none until the next game */
};

/* Returns 0 or -errno. g has to stay where it is as long as the buses. */
int games_watch(struct games *g, struct link *l);
