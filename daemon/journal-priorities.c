/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "journal-private.h"

static struct journal_priority *find(struct journal *j, int32_t tgid, uint64_t start_ticks) {
        for (size_t i = 0; i < j->n_priorities; i++)
                if (j->priorities[i].tgid == tgid && j->priorities[i].start_ticks == start_ticks)
                        return &j->priorities[i];
        return NULL;
}

static void drop(struct journal *j, struct journal_priority *p) {
        *p = j->priorities[--j->n_priorities];
}

/* More than fit were not written by us. */
void journal_take_priority(struct journal *j, enum journal_line_kind kind, const struct journal_priority *p) {
        struct journal_priority *there = find(j, p->tgid, p->start_ticks);

        if (there)
                drop(j, there);
        if (kind == JOURNAL_LINE_PRIORITY && j->n_priorities < JOURNAL_PRIORITIES_MAX)
                j->priorities[j->n_priorities++] = *p;
}

int journal_note_priority(struct journal *j, const struct journal_priority *e) {
        char line[JOURNAL_LINE_MAX];
        int r;

        if (find(j, e->tgid, e->start_ticks))
                return -EEXIST;
        if (j->n_priorities == JOURNAL_PRIORITIES_MAX)
                return -ENOSPC;
        r = journal_append_line(j, line, journal_line_format_priority(line, j->boot_id, JOURNAL_LINE_PRIORITY, e));
        if (r < 0)
                return r;
        j->priorities[j->n_priorities++] = *e;
        journal_compact(j);
        return 0;
}

int journal_forget_priority(struct journal *j, int32_t tgid, uint64_t start_ticks) {
        struct journal_priority *p = find(j, tgid, start_ticks), forgotten;
        char line[JOURNAL_LINE_MAX];
        int r;

        if (!p)
                return 0;
        forgotten = *p;
        drop(j, p);
        r = journal_remove_empty(j);
        if (r != 0)
                return r < 0 ? r : 0;
        r = journal_append_line(j, line, journal_line_format_priority(line, j->boot_id, JOURNAL_LINE_RETURN, &forgotten));
        if (r < 0)
                j->suspect = true; /* it still says what is no longer so */
        return r;
}

size_t journal_count_priorities(const struct journal *j) {
        return j->n_priorities;
}

const struct journal_priority *journal_get_priority(const struct journal *j, size_t i) {
        return i < j->n_priorities ? &j->priorities[i] : NULL;
}
