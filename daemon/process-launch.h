/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a process came to run its program: whether a person started it, with a terminal or a launcher, and as what application. From
 * /proc, just after its exec, or in the midst of it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"
#include "exec-entry.h"
#include "startup.h"

struct process_launch {
        uint64_t start_ticks;
        int32_t parent, session, job; /* parent: as /proc has it now, the reaper's where the true one is gone */
        uint16_t flags;               /* EVENT_TERMINAL, EVENT_LAUNCHED */
        bool more;                    /* its memory or a desktop file, which were not read, may say more */
        char name[EVENT_NAME_MAX];
        char application[APPLICATION_MAX]; /* "" where neither unit nor environment names one */
};

/* root: of the /proc, "" for the running machine's. parent: the process that forked it, 0 where only /proc can say; negative: minus
 * that, and its memory is not read.
 * entry: what it asks for, while its exec is under way; NULL: it runs the program.
 * at: becomes the process whose memory it reads, which may hold that up: for a reader. NULL: no memory is read, so that no environment names a launcher, and no
 * drive is waited for.
 * Returns 0, or -errno: it is gone already. Four to eight small files, some 40 us. */
int process_launch_look(const char *root, int32_t tgid, int32_t parent, const struct exec_entry *entry, _Atomic int32_t *at,
                        struct process_launch *ret);

/* Only the application's id from its unit, for one whose unit appears behind its exec. Returns whether it is in such a unit. */
bool process_launch_application(const char *root, int32_t tgid, char ret[static APPLICATION_MAX]);

/* The application's id in a cgroup's path, by systemd's DESKTOP_ENVIRONMENTS: app[-LAUNCHER]-ID-RANDOM.scope,
 * app[-LAUNCHER]-ID[@RANDOM].service; and as snapd and D-Bus brokers name theirs. BRIO_SESSION for a user's
 * manager. may_wait: for the drive that a desktop file is on, which tells what of D-Bus is one; else it is one where that is in memory. Returns the length of the
 * path up to the unit's end, or 0 where there is none. */
size_t process_launch_parse_unit(const char *path, bool may_wait, char ret[static APPLICATION_MAX]);

/* From the environment that tgid began with, size bytes: whether a launcher started this very process. ret: the id, of its desktop file,
 * or "". ret_token: what it must not share with its parent to have been started itself ("" where nothing need be compared). */
bool process_launch_parse_environment(const char *environment, size_t size, int32_t tgid, char ret[static APPLICATION_MAX],
                                      const char **ret_token);
