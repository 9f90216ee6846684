/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whatever a file of what a program reads holds, with a right checksum: what is read is what would be written. */
#include <errno.h>
#include <string.h>

#include "checksum.h"
#include "fuzz.h"
#include "prefetch-list.h"
#include "prefetch-next.h"

static char *copy(const char *text, size_t size) {
        char *whole = malloc(size + 1);

        MUST(whole);
        memcpy(whole, text, size);
        return whole;
}

static struct prefetch_list *parse(const char *text, size_t size) {
        struct prefetch_list *l = NULL;
        char *changed = copy(text, size);
        int r = prefetch_list_parse(changed, size, &l);

        MUST((r == 0 && l) || r == -EBADMSG);
        free(changed);
        return l;
}

/* What is started after logins is kept beside the lists. */
static void try_next(const char *text, size_t size) {
        char *changed = copy(text, size), again[PREFETCH_NEXT_TEXT_MAX + 1], third[PREFETCH_NEXT_TEXT_MAX];
        struct prefetch_next next, same;
        int r = prefetch_next_parse(changed, size, &next);
        size_t n;

        free(changed);
        MUST(r == 0 || r == -EBADMSG);
        if (r < 0)
                return;
        n = prefetch_next_format(&next, again);
        MUST(prefetch_next_parse(again, n, &same) == 0 && prefetch_next_format(&same, third) == n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        char *sealed = malloc(size + 1 + CHECKSUM_DIGITS + 1), *again;
        struct prefetch_list *first, *second;
        size_t n, m;
        char *text;

        MUST(sealed);
        memcpy(sealed, data, size);
        snprintf(sealed + size, 1 + CHECKSUM_DIGITS + 1, "\t%08x", checksum_crc32c(0, data, size));
        first = parse(sealed, size + 1 + CHECKSUM_DIGITS);
        try_next(sealed, size + 1 + CHECKSUM_DIGITS);
        free(sealed);
        if (!first)
                return 0;
        MUST(prefetch_list_format(first, &text, &n) == 0);
        second = parse(text, n);
        MUST(second && prefetch_list_format(second, &again, &m) == 0 && n == m && memcmp(text, again, n) == 0);
        prefetch_list_free(first);
        prefetch_list_free(second);
        free(text);
        free(again);
        return 0;
}
