/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "macro.h"
#include "process-facts.h"
#include "process-stat.h"
#include "task-table.h"

struct task {
        int32_t tid, tgid; /* tid 0: free; tgid 0: of no process */
        nsec_t looked_up;
};

struct task_table {
        struct event_sink sink;
        unsigned lookups; /* since it was renewed */
        struct task tasks[TASK_PLACES];
};

struct task_table *task_table_new(struct event_sink sink) {
        struct task_table *t = calloc(1, sizeof(*t));

        if (t)
                t->sink = sink;
        return t;
}

struct task_table *task_table_free(struct task_table *t) {
        free(t);
        return NULL;
}

int32_t task_leader(int32_t tid) {
        uint64_t tgid;

        return process_status_number("", tid, "Tgid", &tgid) < 0 || tgid > INT32_MAX ? 0 : (int32_t) tgid;
}

static int32_t look_up(struct task_table *t, int32_t tid, nsec_t now) {
        int32_t tgid = task_leader(tid);
        struct event e = { .t = now, .kind = EVENT_PROCESS_NAME, .tgid = tgid };
        struct process_stat stat;

        if (tgid == 0 || process_stat_read("", tgid, &stat) < 0 || stat.flags & PROCESS_FLAG_KERNEL_THREAD)
                return 0;
        e.process_name.start_ticks = stat.start_ticks;
        memcpy(e.process_name.name, stat.name, sizeof(e.process_name.name));
        t->sink.fn(t->sink.userdata, &e);
        return tgid;
}

int32_t task_table_find(struct task_table *t, int32_t tid, nsec_t now) {
        struct task *task = &t->tasks[(uint32_t) tid & (TASK_PLACES - 1)];

        if (tid <= 0)
                return 0;
        if (task->tid != tid || nsec_sub(now, task->looked_up) > TASK_BELIEVED_NS) {
                if (t->lookups == TASK_LOOKUPS_MAX)
                        return -EBUSY;
                t->lookups++;
                *task = (struct task) { .tid = tid, .tgid = look_up(t, tid, now), .looked_up = now };
        }
        return task->tgid;
}

void task_table_renew(struct task_table *t) {
        t->lookups = 0;
}
