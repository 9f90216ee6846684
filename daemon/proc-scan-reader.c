/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Has the reader read the counters: a process in the midst of an exec can hold up /proc/PID/io. The list of processes cannot be held up. */
#include <dirent.h>
#include <errno.h>

#include "proc-scan.h"
#include "process-reader.h"
#include "str.h"

static int scan_some(void *scan, const int32_t *tgids, size_t n, proc_scan_fn fn, void *userdata) {
        for (size_t i = 0; i < n; i += PROCESS_READER_COUNTERS_MAX) {
                int r = process_reader_count(scan, tgids + i, MIN(n - i, (size_t) PROCESS_READER_COUNTERS_MAX), fn, userdata);
                if (r < 0)
                        return r;
        }
        return 0;
}

static void closedirp(DIR **d) {
        if (*d)
                closedir(*d);
}

static int scan_all(void *scan, proc_scan_fn fn, void *userdata) {
        _cleanup_(closedirp) DIR *dir = opendir("/proc");
        int32_t tgids[PROCESS_READER_COUNTERS_MAX];
        size_t n = 0;

        if (!dir)
                return -errno;
        for (const struct dirent *d; (d = readdir(dir));) {
                uint64_t tgid;

                if (str_parse_u64(d->d_name, &tgid) < 0 || tgid == 0 || tgid > INT32_MAX)
                        continue;
                tgids[n++] = (int32_t) tgid;
                if (n == ARRAY_SIZE(tgids)) {
                        int r = scan_some(scan, tgids, n, fn, userdata);
                        if (r < 0)
                                return r;
                        n = 0;
                }
        }
        return scan_some(scan, tgids, n, fn, userdata);
}

static void scan_free(void *scan _unused_) {
}

const struct proc_scan_ops proc_scan_reader_ops = { scan_all, scan_some, scan_free };
