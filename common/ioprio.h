/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two system calls that the C library has no functions for. A thread at a time, whatever the process. */
#pragma once

#include <stdint.h>

/* Returns the priority as it was set, IO_PRIORITY() with a hint, or -errno (-ESRCH: no such thread). */
int ioprio_read(int32_t tid);

/* Returns 0 or -errno. -EPERM: another user's, without CAP_SYS_NICE. */
int ioprio_write(int32_t tid, uint16_t priority);
