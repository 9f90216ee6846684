/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of an application's starts, with one more of them. Both lists are cut where a range of either begins or ends; each piece has
 * the hits that follow from the lists that have it. */
#include <errno.h>
#include <string.h>

#include "prefetch-list.h"

#define HITS_ALL ((1u << PREFETCH_STARTS) - 1)

/* The ranges of a list, by file and place. */
struct sorted {
        const struct prefetch_list *list;
        struct prefetch_range *ranges;
        size_t n;
};

static int compare_places(const void *a, const void *b) {
        const struct prefetch_range *x = a, *y = b;

        if (x->file != y->file)
                return x->file < y->file ? -1 : 1;
        if (x->first != y->first)
                return x->first < y->first ? -1 : 1;
        return (x->order > y->order) - (x->order < y->order);
}

static int compare_orders(const void *a, const void *b) {
        const struct prefetch_range *x = a, *y = b;

        return x->order != y->order ? (x->order > y->order) - (x->order < y->order) : (x->count > y->count) - (x->count < y->count);
}

/* Sorted, and no page twice: of what overlaps the first use counts. */
static int sort(const struct prefetch_list *l, struct sorted *ret) {
        size_t n = 0;

        *ret = (struct sorted){ .list = l, .ranges = calloc(MAX(l->n_ranges, (size_t) 1), sizeof(*ret->ranges)) };
        if (!ret->ranges)
                return -ENOMEM;
        if (l->n_ranges > 0)
                memcpy(ret->ranges, l->ranges, l->n_ranges * sizeof(*ret->ranges));
        qsort(ret->ranges, l->n_ranges, sizeof(*ret->ranges), compare_places);
        for (size_t i = 0; i < l->n_ranges; i++) {
                struct prefetch_range r = ret->ranges[i], *last = n > 0 ? &ret->ranges[n - 1] : NULL;
                if (last && last->file == r.file && last->first + last->count > r.first) {
                        uint32_t known = last->first + last->count - r.first;
                        last->order = MIN(last->order, r.order);
                        if (known >= r.count)
                                continue;
                        r.first += known;
                        r.count -= known;
                }
                ret->ranges[n++] = r;
        }
        ret->n = n;
        return 0;
}

struct merge {
        const struct prefetch_list *old, *seen;
        struct sorted was, is;
        bool helped, wrong; /* wrong: what this start did not need is forgotten */
        bool replaced;      /* the file that is looked at is another than before */
        uint64_t wanted, needed, replaced_pages; /* pages: that were wanted; of these */
        struct prefetch_list *result;
};

/* had, saw: the hits of a piece in the old list (0: it is not there), and whether this start read it. */
static uint8_t next_hits(const struct merge *m, uint8_t had, bool saw) {
        if (saw && m->replaced)
                return HITS_ALL; /* its place was wanted */
        if (m->helped && !saw)
                return had;
        if (m->wrong && !saw)
                return 0;
        return (uint8_t) ((had << 1 | saw) & HITS_ALL);
}

static int add_piece(struct merge *m, uint32_t file, uint32_t first, uint32_t end, const struct prefetch_range *was, const struct prefetch_range *is) {
        uint8_t hits = next_hits(m, was ? was->hits : 0, is != NULL);
        uint32_t order;
        struct prefetch_list *l = m->result;
        size_t before = l->n_ranges;
        int r;

        if (was && is && prefetch_range_is_wanted(m->old, was))
                m->needed += end - first;
        if (hits == 0)
                return 0;
        r = prefetch_list_add_pages(l, file, first, end - first, hits);
        if (r < 0)
                return r == -ENOSPC ? 0 : r;
        order = was ? was->order : PREFETCH_RANGES_MAX + is->order; /* what is new comes behind what was known */
        if (l->n_ranges == before) /* it grew */
                order = MIN(order, l->ranges[before - 1].order);
        l->ranges[l->n_ranges - 1].order = order;
        return 0;
}

/* The range that has a page, or the next one behind it, among those of one file. */
static const struct prefetch_range *skip_to(const struct prefetch_range **r, const struct prefetch_range *end, uint32_t page) {
        while (*r < end && (*r)->first + (*r)->count <= page)
                (*r)++;
        return *r < end ? *r : NULL;
}

static uint32_t next_edge(const struct prefetch_range *r, uint32_t page, uint32_t edge) {
        if (!r)
                return edge;
        return MIN(edge, r->first > page ? r->first : r->first + r->count);
}

static int merge_ranges(struct merge *m, uint32_t file, const struct prefetch_range *was, const struct prefetch_range *was_end,
                        const struct prefetch_range *is, const struct prefetch_range *is_end) {
        uint32_t page = 0;

        for (;;) {
                const struct prefetch_range *a = skip_to(&was, was_end, page), *b = skip_to(&is, is_end, page);
                uint32_t edge = next_edge(b, page, next_edge(a, page, UINT32_MAX));
                int r;
                if (!a && !b)
                        return 0;
                a = a && a->first <= page ? a : NULL;
                b = b && b->first <= page ? b : NULL;
                r = a || b ? add_piece(m, file, page, edge, a, b) : 0;
                if (r < 0)
                        return r;
                page = edge;
        }
}

/* Where the ranges of a file begin and end. */
static const struct prefetch_range *bounds(const struct sorted *s, uint32_t file, const struct prefetch_range **ret_end) {
        size_t low = 0, high = s->n;
        const struct prefetch_range *end;

        while (low < high) {
                size_t middle = (low + high) / 2;
                if (s->ranges[middle].file < file)
                        low = middle + 1;
                else
                        high = middle;
        }
        for (end = s->ranges + low; end < s->ranges + s->n && end->file == file; end++)
                ;
        *ret_end = end;
        return s->ranges + low;
}

static uint64_t wanted_pages(const struct merge *m, uint32_t file) {
        const struct prefetch_range *end, *r = bounds(&m->was, file, &end);
        uint64_t pages = 0;

        for (; r < end; r++)
                if (prefetch_range_is_wanted(m->old, r))
                        pages += r->count;
        return pages;
}

/* was, is: places of the file in each list, -1: it is not there. */
static int merge_file(struct merge *m, int was, int is) {
        const struct prefetch_list *from = is >= 0 ? m->seen : m->old;
        struct prefetch_file f = from->files[is >= 0 ? is : was];
        const struct prefetch_range *a = NULL, *a_end = NULL, *b = NULL, *b_end = NULL;
        size_t before = m->result->n_ranges;
        int file;

        m->replaced = was >= 0 && is >= 0 && !prefetch_file_is_same(&m->old->files[was], &m->seen->files[is]);
        if (m->replaced)
                m->replaced_pages += wanted_pages(m, (uint32_t) was);
        f.dev = 0;
        file = prefetch_list_add_file(m->result, &f, prefetch_list_path(from, &from->files[is >= 0 ? is : was]));
        if (file < 0)
                return file == -ENOMEM ? file : 0;
        if (was >= 0 && !m->replaced)
                a = bounds(&m->was, (uint32_t) was, &a_end);
        if (is >= 0)
                b = bounds(&m->is, (uint32_t) is, &b_end);
        file = merge_ranges(m, (uint32_t) file, a, a_end, b, b_end);
        if (file == 0 && m->result->n_ranges == before) { /* nothing of it is left */
                m->result->n_files--;
                m->result->names_size = m->result->files[m->result->n_files].path;
        }
        return file;
}

struct name {
        const char *path;
        int place;
};

static int compare_names(const void *a, const void *b) {
        const struct name *x = a, *y = b;

        return strcmp(x->path, y->path);
}

static struct name *sort_names(const struct prefetch_list *l) {
        struct name *names = calloc(MAX(l->n_files, (size_t) 1), sizeof(*names));

        for (size_t i = 0; names && i < l->n_files; i++)
                names[i] = (struct name){ prefetch_list_path(l, &l->files[i]), (int) i };
        if (names)
                qsort(names, l->n_files, sizeof(*names), compare_names);
        return names;
}

/* Both by name, side by side: names that follow each other have much in common, which the text makes use of. */
static int merge_files(struct merge *m) {
        _cleanup_free_ struct name *was = sort_names(m->old), *is = sort_names(m->seen);
        size_t i = 0, k = 0;
        int r = was && is ? 0 : -ENOMEM;

        while (r == 0 && (i < m->old->n_files || k < m->seen->n_files)) {
                int order = i == m->old->n_files ? 1 : k == m->seen->n_files ? -1 : compare_names(&was[i], &is[k]);
                r = merge_file(m, order <= 0 ? was[i].place : -1, order >= 0 ? is[k].place : -1);
                i += order <= 0;
                k += order >= 0;
        }
        return r;
}

static void number_orders(struct prefetch_list *l, struct prefetch_range *scratch) {
        memcpy(scratch, l->ranges, l->n_ranges * sizeof(*scratch));
        for (size_t i = 0; i < l->n_ranges; i++)
                scratch[i].count = (uint32_t) i; /* where it stands; of two pieces of one range the first comes first */
        qsort(scratch, l->n_ranges, sizeof(*scratch), compare_orders);
        for (size_t i = 0; i < l->n_ranges; i++)
                l->ranges[scratch[i].count].order = (uint32_t) i;
}

static int start_over(struct merge *m) {
        prefetch_list_free(m->result);
        m->result = NULL;
        m->needed = m->replaced_pages = 0;
        return prefetch_list_new(m->old->application, m->old->uid, &m->result);
}

static int merge_lists(struct merge *m) {
        int r = sort(m->old, &m->was);

        if (r == 0)
                r = sort(m->seen, &m->is);
        if (r == 0)
                r = start_over(m);
        if (r == 0)
                r = merge_files(m);
        if (r < 0 || m->helped || (m->needed + m->replaced_pages) * 2 >= m->wanted)
                return r;
        m->wrong = true;
        r = start_over(m);
        return r < 0 ? r : merge_files(m);
}

/* All but the files and ranges. */
static void take_over(struct merge *m) {
        const struct prefetch_list *old = m->old;
        struct prefetch_list *l = m->result;

        l->off = old->off;
        l->starts = m->helped ? MAX(old->starts, 1u) : m->wrong ? 1 : MIN(old->starts + 1, (uint32_t) PREFETCH_STARTS);
        l->since_control = old->since_control;
        if (m->replaced_pages > 0 && m->replaced_pages * 10 >= m->wanted)
                return;
        l->helped = old->helped;
        l->unhelped = old->unhelped;
}

static void merge_end(struct merge *m) {
        prefetch_list_free(m->result);
        free(m->was.ranges);
        free(m->is.ranges);
}

int prefetch_list_merge(const struct prefetch_list *old, const struct prefetch_list *seen, bool helped, struct prefetch_list **ret) {
        _cleanup_(merge_end) struct merge m = { .old = old, .seen = seen, .helped = helped, .wanted = prefetch_list_wanted_pages(old) };
        int r = merge_lists(&m);
        _cleanup_free_ struct prefetch_range *scratch = NULL;

        if (r < 0)
                return r;
        if (m.result->n_ranges > 0) {
                scratch = calloc(m.result->n_ranges, sizeof(*scratch));
                if (!scratch)
                        return -ENOMEM;
                number_orders(m.result, scratch);
        }
        take_over(&m);
        *ret = TAKE_PTR(m.result);
        return 0;
}
