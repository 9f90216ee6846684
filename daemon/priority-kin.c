/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <errno.h>

#include "ioprio.h"
#include "macro.h"
#include "priority-kin.h"
#include "str.h"

#define GENERATIONS_MAX 32

static bool read_process(int32_t tgid, struct process_stat *ret) {
        _cleanup_close_ int fd = tgid > 0 ? priority_process_open(tgid) : -1;

        return fd >= 0 && priority_process_read(fd, ret) == 0;
}

static bool is_in_group_of(const struct journal_priority *parent, int32_t tgid) {
        _cleanup_close_ int fd = parent->cgroup ? priority_process_open(tgid) : -1;

        return fd >= 0 && priority_process_cgroup_sum(fd) == parent->cgroup;
}

/* Its own parent has ended, or so it seems. Where it was born is told by what it has kept. adopter: an older process that may as well have begotten
 * it: a terminal's server does so for each of its panes, all in one control group, and then that says nothing. 0: none. */
static bool was_born_beside(const struct journal_priority *parent, const struct process_stat *orphan, int32_t adopter) {
        if (parent->session > 0 && orphan->session == parent->session)
                return true;
        return is_in_group_of(parent, orphan->tgid) && (!adopter || !is_in_group_of(parent, adopter));
}

/* All between it and that process were born after it stepped back. An orphan is adopted by process 1, or by one of another session
 * that was there before and reaps for its users. */
bool priority_is_kin(const struct journal_priority *parent, const struct process_stat *p) {
        struct process_stat child = *p, next;

        for (unsigned i = 0; i < GENERATIONS_MAX && child.start_ticks >= parent->since_ticks; i++) {
                bool adopted = child.parent <= 1 || !read_process(child.parent, &next);
                if (!adopted && next.tgid == parent->tgid && next.start_ticks == parent->start_ticks)
                        return true;
                if (adopted || (next.start_ticks < parent->since_ticks && next.session != child.session))
                        return was_born_beside(parent, &child, adopted ? 0 : next.tgid);
                child = next;
        }
        return false;
}

int priority_kin_scan(const uint16_t *priorities, size_t n, priority_kin_fn fn, void *userdata) {
        _cleanup_closedir_ DIR *dir = opendir("/proc");

        if (!dir)
                return -errno;
        for (const struct dirent *e; (e = readdir(dir));) {
                uint64_t tgid;
                int priority;
                if (str_parse_u64_most(e->d_name, INT32_MAX, &tgid) < 0)
                        continue;
                priority = ioprio_read((int32_t) tgid);
                for (size_t i = 0; i < n; i++)
                        if (priority == priorities[i]) {
                                fn(userdata, (int32_t) tgid, (uint16_t) priority);
                                break;
                        }
        }
        return 0;
}
