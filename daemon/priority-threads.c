/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "fdio.h"
#include "io-priority.h"
#include "ioprio.h"
#include "macro.h"
#include "priority-process.h"
#include "priority-threads.h"
#include "str.h"

/* A thread is born with what its maker has. Each pass takes those that the one before could not see; a process that makes threads faster
 * than that, is seen again at the next tick. */
#define PASSES_MAX 16

/* Called for each thread. Returns 0 to go on. */
typedef int (*thread_fn)(void *userdata, int task_fd, const char *name, int32_t tid);

static int for_each_thread(int proc_fd, size_t max, thread_fn fn, void *userdata) {
        _cleanup_closedir_ DIR *dir = fdio_open_directory(proc_fd, "task");
        size_t n = 0;
        int r = 0;

        if (!dir)
                return errno == ENOENT ? -ESRCH : -errno;
        for (const struct dirent *e; r == 0 && (e = readdir(dir));) {
                uint64_t tid;
                if (str_parse_u64_most(e->d_name, INT32_MAX, &tid) < 0)
                        continue;
                r = ++n > max ? -E2BIG : fn(userdata, dirfd(dir), e->d_name, (int32_t) tid);
        }
        return r < 0 ? r : n > 0 ? 0 : -ESRCH;
}

/* A thread that ends loses its I/O priority before it leaves /proc, and takes none. A first thread that has ended stays there as long as the others. */
static bool is_ending(int task_fd, const char *name) {
        char path[32], text[ATTRIBUTE_MAX];
        struct process_stat p;

        snprintf(path, sizeof(path), "%s/stat", name);
        return fdio_read_at(task_fd, path, text, sizeof(text)) < 0 || process_stat_parse(text, &p) < 0 || p.flags & PROCESS_FLAG_EXITING;
}

struct survey {
        uint16_t priority;
        struct priority_survey *ret;
};

static int survey_thread(void *userdata, int task_fd, const char *name, int32_t tid) {
        struct survey *s = userdata;
        int priority = ioprio_read(tid);

        if (priority == -ESRCH)
                return 0;
        if (priority < 0)
                return priority;
        if (io_priority_same((uint16_t) priority, IO_PRIORITY_NONE) && is_ending(task_fd, name))
                return 0;
        s->ret->n++;
        if (io_priority_same((uint16_t) priority, s->priority))
                s->ret->written++;
        else if (io_priority_same((uint16_t) priority, IO_PRIORITY_NONE))
                s->ret->none++;
        else
                s->ret->other = priority;
        return 0;
}

int priority_threads_survey(int proc_fd, uint16_t priority, struct priority_survey *ret) {
        struct survey s = { priority, ret };
        int r;

        *ret = (struct priority_survey) { .other = -1 };
        r = for_each_thread(proc_fd, SIZE_MAX, survey_thread, &s);
        return r < 0 ? r : ret->n > 0 ? 0 : -ESRCH;
}

struct writing {
        uint16_t from, to;
        int changed; /* in this pass */
        int error;   /* the first */
};

/* The descriptor is the process's, whichever has its number, and a thread is looked for below it before and after. Had its number gone to
 * another in between, that one gets back what was read. */
static int write_thread(void *userdata, int task_fd, const char *name, int32_t tid) {
        struct writing *w = userdata;
        int before = ioprio_read(tid), now, r;

        if (before < 0 || !io_priority_same((uint16_t) before, w->from) || faccessat(task_fd, name, F_OK, 0) < 0)
                return 0;
        r = ioprio_write(tid, w->to);
        if (r == -ESRCH)
                return 0;
        now = r < 0 ? r : ioprio_read(tid);
        if (r == 0 && faccessat(task_fd, name, F_OK, 0) < 0) {
                if (now >= 0 && io_priority_same((uint16_t) now, w->to))
                        (void) ioprio_write(tid, io_priority_same((uint16_t) before, IO_PRIORITY_NONE) ? IO_PRIORITY_NONE : (uint16_t) before);
                return 0;
        }
        if (r == 0 && now == before) {
                if (is_ending(task_fd, name))
                        return 0;
                r = -EIO;
        }
        if (r < 0 && w->error == 0)
                w->error = r;
        w->changed += r == 0;
        return 0;
}

int priority_threads_write(int proc_fd, uint16_t from, uint16_t to) {
        struct writing w = { .from = from, .to = to };
        /* Of one that has grown meanwhile all threads get back what they had. */
        size_t max = io_priority_same(to, IO_PRIORITY_NONE) ? SIZE_MAX : PRIORITY_THREADS_MAX;
        int total = 0;

        for (unsigned pass = 0; pass < PASSES_MAX; pass++) {
                int r;
                w.changed = 0;
                r = for_each_thread(proc_fd, max, write_thread, &w);
                total += w.changed;
                if (r < 0)
                        return r == -ESRCH && total > 0 ? total : r;
                if (w.changed == 0)
                        break;
        }
        return w.error < 0 ? w.error : total;
}
