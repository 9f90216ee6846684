/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <sys/syscall.h>

#include "fdio.h"
#include "macro.h"
#include "process-access.h"
#include "str.h"

#define PROBE_PROCESSES 64  /* tried by the probe, and it sees too little where more than */
#define PROBE_DENIED_PART 4 /* one in so many is denied */

static int try_own_io(void) {
        char text[ATTRIBUTE_MAX];
        ssize_t n = fdio_read_at(AT_FDCWD, "/proc/self/io", text, sizeof(text));

        return n < 0 ? (int) n : 0;
}

#define CAPABILITY(c) (1u << (c)) /* both are in the first word */

/* What /proc/PID/io of other users' processes takes: ptrace_may_access(), and that the file has mode 0400. */
static bool has_rights(void) {
        struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
        struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

        return syscall(SYS_capget, &header, data) == 0 && (data[0].effective & CAPABILITY(CAP_SYS_PTRACE)) &&
               (data[0].effective & (CAPABILITY(CAP_DAC_READ_SEARCH) | CAPABILITY(CAP_DAC_OVERRIDE)));
}

/* What has /proc/PID/io refused, without what a process in the midst of an exec can hold up: the mode of the file, and whether it may be traced,
 * which the link to its program takes as well (a kernel thread has none). */
static bool is_denied(int32_t tgid) {
        char path[32], target[8];

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/io", tgid);
        if (access(path, R_OK) < 0 && errno == EACCES)
                return true;
        snprintf(path, sizeof(path), "/proc/%" PRId32 "/exe", tgid);
        return readlink(path, target, sizeof(target)) < 0 && errno == EACCES;
}

/* Whether we may look at others. Not at process 1 alone: in a container it may be better guarded than any other. */
static bool sees_others(void) {
        _cleanup_closedir_ DIR *dir = opendir("/proc");
        unsigned denied = 0, n = 0;
        uint64_t tgid;

        if (!dir || access("/proc/1", F_OK) < 0) /* hidepid */
                return false;
        for (const struct dirent *e; n < PROBE_PROCESSES && (e = readdir(dir));)
                if (str_parse_u64_most(e->d_name, INT32_MAX, &tgid) == 0 && tgid > 0) {
                        denied += is_denied((int32_t) tgid);
                        n++;
                }
        return denied * PROBE_DENIED_PART <= n;
}

void process_access_probe(const char *root, int error, struct source_info *ret) {
        int own = *root ? 0 : try_own_io();

        *ret = (struct source_info) { .name = "processes", .state = SOURCE_WORKS };
        if (error < 0 || own < 0) {
                const char *why = strerrordesc_np(error < 0 ? -error : -own);
                ret->state = SOURCE_UNAVAILABLE;
                snprintf(ret->detail, sizeof(ret->detail), own == -ENOENT ?
                         "/proc/PID/io is missing: %s; the kernel needs CONFIG_TASK_IO_ACCOUNTING" :
                         "/proc cannot be read: %s", why ? why : "unknown error");
                return;
        }
        if (!*root && !(has_rights() && sees_others())) {
                ret->state = SOURCE_REDUCED;
                snprintf(ret->detail, sizeof(ret->detail), "%s",
                         "only processes of this user; for the others give briod CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH, and a /proc without hidepid");
                return;
        }
        snprintf(ret->detail, sizeof(ret->detail), "%s; drives are inferred from open files",
                 *root ? "from the recorded tree" : "from /proc");
}
