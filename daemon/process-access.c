/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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

static void count_denied(void *userdata, const struct proc_counters *c) {
        *(unsigned *) userdata += c->denied;
}

/* Whether we may look at others. Not at process 1 alone: in a container it may be better guarded than any other. */
static bool sees_others(struct process_reader *reader) {
        DIR *dir = opendir("/proc");
        int32_t tgids[PROBE_PROCESSES];
        unsigned denied = 0;
        size_t n = 0;
        uint64_t tgid;

        if (!dir || access("/proc/1", F_OK) < 0) { /* hidepid */
                if (dir)
                        closedir(dir);
                return false;
        }
        for (const struct dirent *e; n < PROBE_PROCESSES && (e = readdir(dir));)
                if (str_parse_u64(e->d_name, &tgid) == 0 && tgid > 0 && tgid <= INT32_MAX)
                        tgids[n++] = (int32_t) tgid;
        closedir(dir);
        (void) process_reader_count(reader, tgids, n, count_denied, &denied); /* one that is held up says nothing of our rights */
        return denied * PROBE_DENIED_PART <= n;
}

void process_access_probe(const char *root, struct process_reader *reader, int error, struct source_info *ret) {
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
        if (!*root && !(has_rights() && sees_others(reader))) {
                ret->state = SOURCE_REDUCED;
                snprintf(ret->detail, sizeof(ret->detail), "%s",
                         "only processes of this user; for the others give briod CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH, and a /proc without hidepid");
                return;
        }
        snprintf(ret->detail, sizeof(ret->detail), "%s; drives are inferred from open files",
                 *root ? "from the recorded tree" : "from /proc");
}
