/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>

#include "fdio.h"
#include "queue-dump.h"
#include "test.h"

static int by_name(const FTSENT **a, const FTSENT **b) {
        return strcmp((*a)->fts_name, (*b)->fts_name);
}

char *queue_dump(const char *dir) {
        char *const roots[] = { strdup(dir), NULL };
        FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
        char *text = NULL, value[ATTRIBUTE_MAX];
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);

        if (!walk || !out)
                abort();
        for (FTSENT *entry; (entry = fts_read(walk));) {
                ssize_t n;
                if (entry->fts_info == FTS_D || entry->fts_info == FTS_DP)
                        continue;
                n = fdio_read_at(AT_FDCWD, entry->fts_path, value, sizeof(value));
                fprintf(out, "%s:%s\n", entry->fts_path + strlen(dir), n < 0 ? strerror((int) -n) : value);
        }
        fclose(out);
        fts_close(walk);
        free(roots[0]);
        return text;
}

static void print(const char *title, const char *dump) {
        printf("# %s:\n", title);
        for (size_t n; *dump; dump += n + (dump[n] == '\n')) {
                n = strcspn(dump, "\n");
                printf("# %.*s\n", (int) n, dump);
        }
}

bool queue_is_untouched(const char *dir, const char *before) {
        char *now = queue_dump(dir);
        bool same = streq(now, before);

        if (!same) {
                print("before", before);
                print("now", now);
        }
        free(now);
        return same;
}
