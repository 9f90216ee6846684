/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "macro.h"
#include "scan-table.h"

/* Numbers are handed out one after the other, so the low bits spread them evenly: 10 000 processes make chains of 2.5. */
#define BUCKETS 4096u

struct scan_table {
        size_t n;
        struct scan_entry *buckets[BUCKETS];
};

struct scan_table *scan_table_new(void) {
        return calloc(1, sizeof(struct scan_table));
}

static bool drop(void *userdata _unused_, struct scan_entry *p _unused_) {
        return false;
}

struct scan_table *scan_table_free(struct scan_table *t) {
        if (t)
                scan_table_sweep(t, drop, NULL);
        free(t);
        return NULL;
}

size_t scan_table_count(const struct scan_table *t) {
        return t->n;
}

static struct scan_entry **find_link(struct scan_entry **link, int32_t tgid) {
        while (*link && (*link)->tgid != tgid)
                link = &(*link)->next;
        return link;
}

static size_t bucket(int32_t tgid) {
        return (uint32_t) tgid % BUCKETS;
}

struct scan_entry *scan_table_find(const struct scan_table *t, int32_t tgid) {
        struct scan_entry *p = t->buckets[bucket(tgid)];

        return *find_link(&p, tgid);
}

struct scan_entry *scan_table_add(struct scan_table *t, int32_t tgid) {
        struct scan_entry **head = &t->buckets[bucket(tgid)];
        struct scan_entry *p = t->n < PROCESSES_MAX ? calloc(1, sizeof(*p)) : NULL;

        if (!p)
                return NULL;
        p->tgid = tgid;
        p->next = *head;
        *head = p;
        t->n++;
        return p;
}

static void unlink_process(struct scan_table *t, struct scan_entry **link) {
        struct scan_entry *p = *link;

        *link = p->next;
        free(p);
        t->n--;
}

void scan_table_remove(struct scan_table *t, int32_t tgid) {
        struct scan_entry **link = find_link(&t->buckets[bucket(tgid)], tgid);

        if (*link)
                unlink_process(t, link);
}

void scan_table_sweep(struct scan_table *t, scan_table_fn fn, void *userdata) {
        for (size_t i = 0; i < BUCKETS; i++) {
                for (struct scan_entry **link = &t->buckets[i]; *link;) {
                        if (fn(userdata, *link))
                                link = &(*link)->next;
                        else
                                unlink_process(t, link);
                }
        }
}
