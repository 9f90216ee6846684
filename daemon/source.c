/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source.h"

const char *source_state_to_string(enum source_state s) {
        static const char *const names[] = {
                [SOURCE_WORKS] = "works",
                [SOURCE_REDUCED] = "reduced",
                [SOURCE_UNAVAILABLE] = "unavailable",
                [SOURCE_UNNEEDED] = "unneeded",
        };

        return names[s];
}
