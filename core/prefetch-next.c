/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <inttypes.h>

#include "arithmetic.h"
#include "checksum.h"
#include "macro.h"
#include "prefetch-next.h"
#include "str.h"

#define MAGIC "brio1\tnext"
#define HITS_ALL ((1u << PREFETCH_NEXT_LOGINS) - 1)

_Static_assert(sizeof(MAGIC) + 16 + PREFETCH_NEXT_MAX * (APPLICATION_MAX + 8) + CHECKSUM_DIGITS < PREFETCH_NEXT_TEXT_MAX, "all of it has room");

static size_t find(const struct prefetch_next *next, const char *application) {
        size_t i = 0;

        while (i < next->n && !streq(next->applications[i].application, application))
                i++;
        return i;
}

void prefetch_next_add(struct prefetch_next *next, const char applications[][APPLICATION_MAX], size_t n) {
        size_t left = 0;

        for (size_t i = 0; i < next->n; i++)
                next->applications[i].hits = (uint8_t) (next->applications[i].hits << 1 & HITS_ALL);
        for (size_t k = 0; k < n; k++) {
                size_t i = find(next, applications[k]);
                if (i == PREFETCH_NEXT_MAX)
                        continue;
                if (i == next->n) {
                        str_copy(next->applications[i].application, APPLICATION_MAX, applications[k]);
                        next->applications[next->n++].hits = 0;
                }
                next->applications[i].hits |= 1;
        }
        for (size_t i = 0; i < next->n; i++)
                if (next->applications[i].hits)
                        next->applications[left++] = next->applications[i];
        next->n = left;
        next->logins = MIN(next->logins + 1, (uint32_t) PREFETCH_NEXT_LOGINS);
}

bool prefetch_next_is_usual(const struct prefetch_next *next, size_t i) {
        return next->logins >= 2 && 2 * count_ones(next->applications[i].hits) >= next->logins;
}

size_t prefetch_next_format(const struct prefetch_next *next, char ret[static PREFETCH_NEXT_TEXT_MAX]) {
        *ret = '\0';
        str_append(ret, PREFETCH_NEXT_TEXT_MAX, MAGIC "\t%" PRIu32 "\n", next->logins);
        for (size_t i = 0; i < next->n; i++)
                str_append(ret, PREFETCH_NEXT_TEXT_MAX, "%u\t%s\n", next->applications[i].hits, next->applications[i].application);
        str_append(ret, PREFETCH_NEXT_TEXT_MAX, "\t%08x", checksum_crc32c(0, ret, strlen(ret)));
        return strlen(ret);
}

static int take_application(char *line, struct prefetch_next *next) {
        const char *field = strsep(&line, "\t");
        uint64_t hits;

        if (str_parse_u64_most(field, HITS_ALL, &hits) < 0 || hits == 0 || !line || !*line || !str_is_text(line) || strchr(line, '\t') ||
            next->n == PREFETCH_NEXT_MAX || find(next, line) < next->n || !str_copy(next->applications[next->n].application, APPLICATION_MAX, line))
                return -EBADMSG;
        next->applications[next->n++].hits = (uint8_t) hits;
        return 0;
}

int prefetch_next_parse(char *text, size_t size, struct prefetch_next *ret) {
        struct prefetch_next next = { 0 };
        char *rest = text, *line;
        uint64_t logins;

        text[size] = '\0';
        if (size > PREFETCH_NEXT_TEXT_MAX || !checksum_unseal(text, size))
                return -EBADMSG;
        line = strsep(&rest, "\n");
        if (strncmp(line, MAGIC "\t", sizeof(MAGIC)) != 0 || str_parse_u64_most(line + sizeof(MAGIC), PREFETCH_NEXT_LOGINS, &logins) < 0)
                return -EBADMSG;
        next.logins = (uint32_t) logins;
        while ((line = strsep(&rest, "\n")) && rest)
                if (take_application(line, &next) < 0)
                        return -EBADMSG;
        if (!line || *line) /* the last line is whole */
                return -EBADMSG;
        *ret = next;
        return 0;
}
