/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#include "clock.h"
#include "macro.h"
#include "process-sweep.h"
#include "str.h"

struct process_sweep {
        struct process_reader *reader;
        struct process_sweep_calls calls;
        void *userdata;

        bool under_way;
        unsigned begun;       /* how often one has begun or was stopped */
        DIR *dir;             /* of all processes; else */
        const int32_t *tgids; /* those that are left to be asked for */
        size_t n_tgids;
        size_t n; /* asked for now; 0 where it is to be left out */
        int32_t asked[PROCESS_READER_COUNTERS_MAX];
        nsec_t cpu;
};

int process_sweep_new(struct process_reader *reader, const struct process_sweep_calls *calls, void *userdata, struct process_sweep **ret) {
        struct process_sweep *w = calloc(1, sizeof(*w));

        if (!w)
                return -ENOMEM;
        *w = (struct process_sweep){ .reader = reader, .calls = *calls, .userdata = userdata };
        *ret = w;
        return 0;
}

static void end(struct process_sweep *w) {
        w->under_way = false;
        w->n = w->n_tgids = 0;
        if (w->dir)
                closedir(TAKE_PTR(w->dir));
}

void process_sweep_stop(struct process_sweep *w) {
        w->begun++;
        process_reader_forget(w->reader, w);
        end(w);
}

struct process_sweep *process_sweep_free(struct process_sweep *w) {
        if (w)
                process_sweep_stop(w);
        free(w);
        return NULL;
}

/* Returns 0 where there is no other. */
static int32_t next_tgid(struct process_sweep *w) {
        uint64_t tgid;

        if (!w->dir)
                return w->n_tgids > 0 ? (w->n_tgids--, *w->tgids++) : 0;
        for (const struct dirent *d; (d = readdir(w->dir));)
                if (str_parse_u64_most(d->d_name, INT32_MAX, &tgid) == 0 && tgid > 0)
                        return (int32_t) tgid;
        return 0;
}

static void on_counted(void *userdata, int error, const struct proc_counters *counters, size_t n);

/* Asks for the next ones. Returns 1, 0 at the end, or -errno. */
static int advance(struct process_sweep *w) {
        int r;

        do {
                int32_t tgid;
                for (w->n = 0; w->n < ARRAY_SIZE(w->asked) && (tgid = next_tgid(w)) > 0;)
                        w->asked[w->n++] = tgid;
                if (w->n == 0)
                        return 0;
                r = process_reader_count(w->reader, w->asked, w->n, on_counted, w);
        } while (r == -ENOENT);
        return r < 0 ? r : 1;
}

static bool is_asked(const struct process_sweep *w, int32_t tgid) {
        for (size_t i = 0; i < w->n; i++)
                if (w->asked[i] == tgid)
                        return true;
        return false;
}

static void on_counted(void *userdata, int error, const struct proc_counters *counters, size_t n) {
        struct process_sweep *w = userdata;
        unsigned begun = w->begun;
        nsec_t begin;

        w->calls.follow(w->userdata);
        if (w->begun != begun)
                return;
        begin = clock_now(CLOCK_THREAD_CPUTIME_ID);
        for (size_t i = 0; i < n; i++)
                if (is_asked(w, counters[i].tgid))
                        w->calls.counted(w->userdata, &counters[i]);
        if (error >= 0)
                error = advance(w);
        w->cpu += nsec_sub(clock_now(CLOCK_THREAD_CPUTIME_ID), begin);
        if (error == 1)
                return;
        end(w);
        w->calls.done(w->userdata, error);
}

static int begin(struct process_sweep *w) {
        nsec_t begin = clock_now(CLOCK_THREAD_CPUTIME_ID);
        int r = advance(w);

        w->cpu = nsec_sub(clock_now(CLOCK_THREAD_CPUTIME_ID), begin);
        w->under_way = r == 1;
        if (!w->under_way)
                end(w);
        return r;
}

int process_sweep_all(struct process_sweep *w) {
        process_sweep_stop(w);
        w->dir = opendir("/proc");
        return w->dir ? begin(w) : -errno;
}

int process_sweep_some(struct process_sweep *w, const int32_t *tgids, size_t n) {
        process_sweep_stop(w);
        w->tgids = tgids;
        w->n_tgids = n;
        return begin(w);
}

bool process_sweep_is_under_way(const struct process_sweep *w) {
        return w->under_way;
}

void process_sweep_leave_out(struct process_sweep *w, int32_t tgid) {
        for (size_t i = 0; i < w->n; i++)
                if (w->asked[i] == tgid)
                        w->asked[i] = 0;
}

nsec_t process_sweep_cpu(const struct process_sweep *w) {
        return w->cpu;
}
