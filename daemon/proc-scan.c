/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "proc-scan.h"

struct proc_scan {
        const struct proc_scan_ops *ops;
        void *scan;
};

/* libproc2 has the counters of I/O in unsigned longs: where those have 32 bits, they end at 4 GiB. */
static bool libproc2_fits(const char *root) {
        return !*root && sizeof(unsigned long) >= sizeof(uint64_t);
}

int proc_scan_new(const char *root, struct proc_scan **ret) {
        struct proc_scan *s = calloc(1, sizeof(*s));
        int r;

        if (!s)
                return -ENOMEM;
        s->ops = libproc2_fits(root) ? &proc_scan_libproc2_ops : &proc_scan_tree_ops;
        r = libproc2_fits(root) ? proc_scan_libproc2_new(&s->scan) : proc_scan_tree_new(root, &s->scan);
        if (r < 0) {
                free(s);
                return r;
        }
        *ret = s;
        return 0;
}

struct proc_scan *proc_scan_free(struct proc_scan *s) {
        if (s)
                s->ops->free(s->scan);
        free(s);
        return NULL;
}

int proc_scan_all(struct proc_scan *s, proc_scan_fn fn, void *userdata) {
        return s->ops->all(s->scan, fn, userdata);
}

int proc_scan_some(struct proc_scan *s, const int32_t *tgids, size_t n, proc_scan_fn fn, void *userdata) {
        return s->ops->some(s->scan, tgids, n, fn, userdata);
}

void proc_scan_rest(struct proc_scan *s) {
        s->ops->rest(s->scan);
}
