/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>

#include "fdio.h"
#include "proc-scan.h"
#include "process-stat.h"
#include "str.h"

struct proc_scan {
        char *path; /* ROOT/proc */
};

int proc_scan_new(const char *root, struct proc_scan **ret) {
        struct proc_scan *s = calloc(1, sizeof(*s));

        if (!s)
                return -ENOMEM;
        if (asprintf(&s->path, "%s/proc", root) < 0) {
                free(s);
                return -ENOMEM;
        }
        *ret = s;
        return 0;
}

struct proc_scan *proc_scan_free(struct proc_scan *s) {
        if (s)
                free(s->path);
        free(s);
        return NULL;
}

int proc_parse_stat(char *text, struct proc_counters *ret) {
        struct process_stat stat;
        int r = process_stat_parse(text, &stat);

        if (r < 0)
                return r;
        ret->tgid = stat.tgid;
        ret->parent = stat.parent;
        ret->start_ticks = stat.start_ticks;
        ret->faults = stat.faults;
        ret->waiting = stat.state == 'D';
        ret->runnable = stat.state == 'R';
        ret->kernel_thread = stat.flags & PROCESS_FLAG_KERNEL_THREAD;
        memcpy(ret->name, stat.name, sizeof(ret->name));
        return 0;
}

int proc_parse_io(char *text, struct proc_counters *ret) {
        uint64_t called_bytes = 0, read_bytes = 0, write_bytes = 0;

        for (char *line; (line = strsep(&text, "\n"));) {
                char *name = strsep(&line, ":");
                int r = 0;

                if (!line)
                        continue;
                if (streq(name, "rchar"))
                        r = str_parse_u64(str_strip(line), &called_bytes);
                else if (streq(name, "read_bytes"))
                        r = str_parse_u64(str_strip(line), &read_bytes);
                else if (streq(name, "write_bytes"))
                        r = str_parse_u64(str_strip(line), &write_bytes);
                if (r < 0)
                        return r;
        }
        ret->called_bytes = called_bytes;
        ret->read_bytes = read_bytes;
        ret->write_bytes = write_bytes;
        return 0;
}

static int read_process(int proc_fd, int32_t tgid, struct proc_counters *ret) {
        char path[32], text[ATTRIBUTE_MAX];
        ssize_t n;
        int r;

        snprintf(path, sizeof(path), "%d/stat", tgid);
        n = fdio_read_at(proc_fd, path, text, sizeof(text));
        if (n < 0)
                return (int) n;
        *ret = (struct proc_counters) { 0 };
        r = proc_parse_stat(text, ret);
        if (r < 0)
                return r;
        snprintf(path, sizeof(path), "%d/io", tgid);
        n = fdio_read_at(proc_fd, path, text, sizeof(text));
        return n < 0 ? 0 : proc_parse_io(text, ret); /* it may have been recorded without the right to read it */
}

static int open_proc(const struct proc_scan *s) {
        int fd = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        return fd < 0 ? -errno : fd;
}

int proc_scan_some(struct proc_scan *s, const int32_t *tgids, size_t n, proc_scan_fn fn, void *userdata) {
        _cleanup_close_ int fd = open_proc(s);

        if (fd < 0)
                return fd;
        for (size_t i = 0; i < n; i++) {
                struct proc_counters c;
                if (read_process(fd, tgids[i], &c) >= 0)
                        fn(userdata, &c);
        }
        return 0;
}

int proc_scan_all(struct proc_scan *s, proc_scan_fn fn, void *userdata) {
        _cleanup_closedir_ DIR *dir = opendir(s->path);

        if (!dir)
                return -errno;
        for (const struct dirent *d; (d = readdir(dir));) {
                struct proc_counters c;
                uint64_t tgid;

                if (str_parse_u64_most(d->d_name, INT32_MAX, &tgid) < 0 || tgid == 0)
                        continue;
                if (read_process(dirfd(dir), (int32_t) tgid, &c) >= 0)
                        fn(userdata, &c);
        }
        return 0;
}
