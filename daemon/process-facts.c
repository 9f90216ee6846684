/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process-facts.h"

#define IOPRIO_WHO_PROCESS 1 /* <linux/ioprio.h> */

void process_facts_get(int32_t tgid, struct process_facts *ret) {
        char path[sizeof("/proc/") + 11];
        struct stat st;

        snprintf(path, sizeof(path), "/proc/%" PRId32, tgid);
        ret->uid = stat(path, &st) < 0 ? PROCESS_UID_UNKNOWN : st.st_uid;
        ret->io_level = 0;
        ret->io_class = io_class_from_priority(syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, tgid), &ret->io_level);
}
