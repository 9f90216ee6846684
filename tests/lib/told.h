/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "mention.h"
#include "str.h"

/* A sentence as told to a reader that sees all; good until the next call. */
static inline const char *told(const char *sentence) {
        static char text[1024];

        str_copy(text, sizeof(text), sentence);
        return mention_tell_all(text);
}
