/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "mention.h"

/* A sentence as told to a reader that sees all; good until the next call. */
static inline const char *told(const char *sentence) {
        static char text[MENTION_TOLD_MAX];

        return mention_tell_all(sentence, text, sizeof(text));
}
