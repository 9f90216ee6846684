/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "proc-scan.h"

struct proc_scan {
        const struct proc_scan_ops *ops;
        void *scan;
};

int proc_scan_new(const char *root, struct process_reader *reader, struct proc_scan **ret) {
        struct proc_scan *s = calloc(1, sizeof(*s));
        int r = 0;

        if (!s)
                return -ENOMEM;
        *s = (struct proc_scan){ reader ? &proc_scan_reader_ops : &proc_scan_tree_ops, reader };
        if (!reader)
                r = proc_scan_tree_new(root, &s->scan);
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
