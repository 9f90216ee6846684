/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <libproc2/pids.h>

#include "macro.h"
#include "proc-scan.h"
#include "process-stat.h"
#include "str.h"

#define SELECT_MAX 255 /* what procps_pids_select() takes at once */

enum { ITEM_TGID, ITEM_START, ITEM_NAME, ITEM_READ, ITEM_WRITE, ITEM_FLAGS, ITEM_STATE, ITEM_PARENT, ITEM_CALLED, ITEM_FAULTS, ITEMS };

struct scan {
        struct pids_info *info; /* NULL while at rest */
};

int proc_scan_libproc2_new(void **ret) {
        struct scan *s = calloc(1, sizeof(*s));

        if (!s)
                return -ENOMEM;
        *ret = s;
        return 0;
}

static void scan_rest(void *scan) {
        struct scan *s = scan;

        if (s->info)
                procps_pids_unref(&s->info);
        s->info = NULL;
}

static void scan_free(void *scan) {
        scan_rest(scan);
        free(scan);
}

static int ensure_info(struct scan *s) {
        enum pids_item items[ITEMS] = {
                [ITEM_TGID] = PIDS_ID_TGID,
                [ITEM_START] = PIDS_TICS_BEGAN,
                [ITEM_NAME] = PIDS_CMD,
                [ITEM_READ] = PIDS_IO_READ_BYTES,
                [ITEM_WRITE] = PIDS_IO_WRITE_BYTES,
                [ITEM_FLAGS] = PIDS_FLAGS,
                [ITEM_STATE] = PIDS_STATE,
                [ITEM_PARENT] = PIDS_ID_PPID,
                [ITEM_CALLED] = PIDS_IO_READ_CHARS,
                [ITEM_FAULTS] = PIDS_FLT_MAJ,
        };

        return s->info ? 0 : procps_pids_new(&s->info, items, ITEMS);
}

static void report(const struct pids_fetch *fetch, proc_scan_fn fn, void *userdata) {
        for (int i = 0; i < fetch->counts->total; i++) {
                const struct pids_result *items = fetch->stacks[i]->head;
                struct proc_counters c = {
                        .tgid = items[ITEM_TGID].result.s_int,
                        .parent = items[ITEM_PARENT].result.s_int,
                        .start_ticks = items[ITEM_START].result.ull_int,
                        .read_bytes = items[ITEM_READ].result.ul_int,
                        .write_bytes = items[ITEM_WRITE].result.ul_int,
                        .called_bytes = items[ITEM_CALLED].result.ul_int,
                        .faults = items[ITEM_FAULTS].result.ul_int,
                        .kernel_thread = items[ITEM_FLAGS].result.ul_int & PROCESS_FLAG_KERNEL_THREAD,
                        .waiting = items[ITEM_STATE].result.s_ch == 'D',
                        .runnable = items[ITEM_STATE].result.s_ch == 'R',
                };

                if (c.tgid <= 0 || c.start_ticks == 0 || !items[ITEM_NAME].result.str) /* vanished between two of its files */
                        continue;
                str_copy(c.name, sizeof(c.name), items[ITEM_NAME].result.str);
                str_make_text(c.name);
                fn(userdata, &c);
        }
}

static int scan_all(void *scan, proc_scan_fn fn, void *userdata) {
        struct scan *s = scan;
        struct pids_fetch *fetch;
        int r = ensure_info(s);

        if (r < 0)
                return r;
        errno = 0;
        fetch = procps_pids_reap(s->info, PIDS_FETCH_TASKS_ONLY);
        if (!fetch)
                return errno > 0 ? -errno : -EIO;
        report(fetch, fn, userdata);
        return 0;
}

static int scan_some(void *scan, const int32_t *tgids, size_t n, proc_scan_fn fn, void *userdata) {
        unsigned chunk[SELECT_MAX];
        struct scan *s = scan;
        int r = ensure_info(s);

        if (r < 0)
                return r;
        while (n > 0) {
                size_t now = MIN(n, (size_t) SELECT_MAX);
                struct pids_fetch *fetch;

                for (size_t i = 0; i < now; i++)
                        chunk[i] = (unsigned) tgids[i];
                errno = 0;
                fetch = procps_pids_select(s->info, chunk, (int) now, PIDS_SELECT_PID);
                if (!fetch)
                        return errno > 0 ? -errno : -EIO;
                report(fetch, fn, userdata);
                tgids += now;
                n -= now;
        }
        return 0;
}

const struct proc_scan_ops proc_scan_libproc2_ops = { scan_all, scan_some, scan_rest, scan_free };
