/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whatever lines with right checksums the journal of originals holds: what is read is what would be written, and the file is taken as far as its lines
 * are good. */
#include <errno.h>

#include "fuzz-files.h"
#include "fuzz.h"
#include "journal-line.h"
#include "str.h"

#define BOOT "boot"

/* Read, written and read: the same. */
static void check_line(const char *line, size_t length) {
        union journal_record first, again;
        char text[JOURNAL_LINE_MAX];
        int kind = journal_line_parse(line, length, BOOT, &first), n;

        MUST(kind >= 0 || kind == -EBADMSG || kind == -ESTALE);
        if (kind < 0)
                return;
        n = kind == JOURNAL_LINE_ORIGINAL || kind == JOURNAL_LINE_FORGET ?
                    journal_line_format(text, BOOT, (enum journal_line_kind) kind, &first.entry) :
                    journal_line_format_priority(text, BOOT, (enum journal_line_kind) kind, &first.priority);
        MUST(n > 0 && n < JOURNAL_LINE_MAX && text[n - 1] == '\n');
        MUST(journal_line_parse(text, (size_t) n - 1, BOOT, &again) == kind);
        MUST(memcmp(&first, &again, sizeof(first)) == 0);
}

static void check_file(const char *text, size_t size, size_t lines) {
        struct journal *j;
        unsigned damaged;
        int r;

        fuzz_write("originals", text, size);
        r = journal_open(fuzz_directory(), BOOT, &j, &damaged);
        MUST(r == 0 && damaged <= lines && journal_count(j) + journal_count_priorities(j) + damaged <= lines);
        for (size_t i = 0; i < journal_count(j); i++) {
                const struct journal_entry *e = journal_get(j, i);
                MUST(journal_find(j, e->device, e->tunable) == e);
        }
        journal_close(j);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        size_t n, lines = 0;
        char *text = fuzz_seal_lines(data, size, &n);

        for (size_t at = 0; at < n; lines++) {
                const char *end = memchr(text + at, '\n', n - at);
                size_t length = end ? (size_t) (end - text) - at : n - at;
                check_line(text + at, length);
                at += length + 1;
        }
        check_file(text, n, lines);
        free(text);
        return 0;
}
