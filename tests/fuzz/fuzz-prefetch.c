/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whatever a list of what an application reads holds, what comes of it keeps the bounds of core/prefetch-list.h, and is written and read again as
 * the same. The checksum is made right first: else nothing else would be looked at. */
#include <stdint.h>
#include <stdlib.h>

#include "checksum.h"
#include "fuzz.h"
#include "prefetch-list.h"
#include "str.h"

#define MUST(expr) ((expr) ? (void) 0 : abort())

static void check(const struct prefetch_list *l) {
        MUST(l->n_files <= PREFETCH_FILES_MAX && l->n_ranges <= PREFETCH_RANGES_MAX && l->names_size <= PREFETCH_NAMES_MAX);
        MUST(l->starts <= PREFETCH_STARTS && str_is_text(l->application));
        for (size_t i = 0; i < l->n_files; i++)
                MUST(*prefetch_list_path(l, &l->files[i]) == '/' && str_is_text(prefetch_list_path(l, &l->files[i])));
        for (size_t i = 0; i < l->n_ranges; i++) {
                const struct prefetch_range *r = &l->ranges[i];
                MUST(r->file < l->n_files && r->count > 0 && r->hits > 0 && r->hits < 1 << PREFETCH_STARTS && r->order < PREFETCH_RANGES_MAX);
                MUST(((uint64_t) r->first + r->count - 1) * PREFETCH_PAGE_BYTES < l->files[r->file].size);
        }
}

static struct prefetch_list *read_text(const char *text, size_t size) {
        struct prefetch_list *l = NULL;
        char *copy = malloc(size + 1);

        MUST(copy);
        memcpy(copy, text, size);
        if (prefetch_list_parse(copy, size, &l) < 0)
                l = NULL;
        free(copy);
        return l;
}

static void check_merged(const struct prefetch_list *l, bool helped) {
        struct prefetch_list *merged;

        MUST(prefetch_list_merge(l, l, helped, &merged) == 0);
        check(merged);
        MUST(merged->n_files <= l->n_files);
        prefetch_list_free(merged);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        char *text = malloc(size + CHECKSUM_DIGITS + 2), *again;
        struct prefetch_list *l, *second;
        size_t again_size;

        MUST(text);
        if (size > 0)
                memcpy(text, data, size);
        snprintf(text + size, CHECKSUM_DIGITS + 2, "\t%08x", checksum_crc32c(0, text, size));
        l = read_text(text, size + CHECKSUM_DIGITS + 1);
        free(text);
        if (!l)
                return 0;
        check(l);
        check_merged(l, true);
        check_merged(l, false);
        MUST(prefetch_list_format(l, &again, &again_size) == 0);
        second = read_text(again, again_size);
        MUST(second && second->n_files == l->n_files && second->n_ranges == l->n_ranges && streq(second->application, l->application));
        free(again);
        prefetch_list_free(second);
        prefetch_list_free(l);
        return 0;
}
