/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ioprio.h"

#define IOPRIO_WHO_PROCESS 1 /* <linux/ioprio.h>: one thread, in spite of the name */

int ioprio_read(int32_t tid) {
        long r = syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, tid);

        return r < 0 ? -errno : (int) r;
}

int ioprio_write(int32_t tid, uint16_t priority) {
        return syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, tid, (int) priority) < 0 ? -errno : 0;
}
