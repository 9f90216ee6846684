/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "macro.h"
#include "process-facts.h"

/* <linux/ioprio.h>; from 6.5 on the bits between class and level hold a hint for the drive. */
#define IOPRIO_WHO_PROCESS 1
#define IOPRIO_CLASS_SHIFT 13
#define IOPRIO_LEVEL_MASK (IO_LEVELS - 1)

int io_class_from_priority(long priority, uint32_t *ret_level) {
        long class = priority >> IOPRIO_CLASS_SHIFT;

        if (priority < 0 || class >= _IO_CLASS_MAX)
                return IO_CLASS_UNKNOWN;
        *ret_level = class == IO_CLASS_REALTIME || class == IO_CLASS_BEST_EFFORT ? (uint32_t) (priority & IOPRIO_LEVEL_MASK) : 0;
        return (int) class;
}

const char *io_class_to_string(int io_class) {
        static const char *const words[_IO_CLASS_MAX] = {
                [IO_CLASS_NONE] = "none",
                [IO_CLASS_REALTIME] = "realtime",
                [IO_CLASS_BEST_EFFORT] = "best-effort",
                [IO_CLASS_IDLE] = "idle",
        };

        return io_class >= 0 && io_class < _IO_CLASS_MAX ? words[io_class] : "";
}

void process_facts_get(int32_t tgid, struct process_facts *ret) {
        char path[sizeof("/proc/") + 11];
        struct stat st;

        snprintf(path, sizeof(path), "/proc/%" PRId32, tgid);
        ret->uid = stat(path, &st) < 0 ? PROCESS_UID_UNKNOWN : st.st_uid;
        ret->io_level = 0;
        ret->io_class = io_class_from_priority(syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, tgid), &ret->io_level);
}
