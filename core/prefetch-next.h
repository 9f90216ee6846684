/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which applications a user starts soon after a login, and after how many of the last ones. As text it is a line about the logins, one for each application,
 * and the checksum of all that. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "startup.h"

#define PREFETCH_NEXT_MAX 16   /* applications */
#define PREFETCH_NEXT_LOGINS 4 /* that are remembered */
#define PREFETCH_NEXT_TEXT_MAX 4096 /* bytes */

struct prefetch_next {
        uint32_t logins; /* up to PREFETCH_NEXT_LOGINS */
        size_t n;
        struct {
                char application[APPLICATION_MAX];
                uint8_t hits; /* a bit for each login that is remembered, the last one's lowest */
        } applications[PREFETCH_NEXT_MAX];
};

/* There was another login, after which n applications were started. One that was started after none of those that are remembered goes; for others there may
 * be no room. */
void prefetch_next_add(struct prefetch_next *next, const char applications[][APPLICATION_MAX], size_t n);

/* Whether the i-th was started after half of the logins that are remembered, of which there have to be two. */
bool prefetch_next_is_usual(const struct prefetch_next *next, size_t i);

/* Returns the text's size. */
size_t prefetch_next_format(const struct prefetch_next *next, char ret[static PREFETCH_NEXT_TEXT_MAX]);
/* Returns 0, or -EBADMSG for what prefetch_next_format() does not write. text has a byte of room behind it, and is taken to pieces. */
int prefetch_next_parse(char *text, size_t size, struct prefetch_next *ret);
