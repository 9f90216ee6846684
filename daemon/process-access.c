/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>

#include "fdio.h"
#include "macro.h"
#include "process-access.h"
#include "str.h"

#define PROBE_PROCESSES 64  /* tried by the probe, and it sees too little where more than */
#define PROBE_DENIED_PART 4 /* one in so many is denied */

/* 0, or why the bytes of that process cannot be read. */
static int try_io(struct process_reader *reader, int32_t tgid) {
        char text[ATTRIBUTE_MAX];
        ssize_t n = process_reader_file(reader, tgid, "io", text, sizeof(text));

        return n < 0 ? (int) n : 0;
}

static int try_own_io(void) {
        char text[ATTRIBUTE_MAX];
        ssize_t n = fdio_read_at(AT_FDCWD, "/proc/self/io", text, sizeof(text));

        return n < 0 ? (int) n : 0;
}

/* Whether we may look at others. Not at process 1 alone: in a container it may be better guarded than any other. */
static bool sees_others(struct process_reader *reader) {
        DIR *dir = opendir("/proc");
        unsigned tried = 0, denied = 0;
        uint64_t tgid;

        if (!dir || access("/proc/1", F_OK) < 0) { /* hidepid */
                if (dir)
                        closedir(dir);
                return false;
        }
        for (const struct dirent *e; tried < PROBE_PROCESSES && (e = readdir(dir));) {
                int r;
                if (str_parse_u64(e->d_name, &tgid) < 0 || tgid == 0 || tgid > INT32_MAX)
                        continue;
                r = try_io(reader, (int32_t) tgid);
                tried++;
                denied += r == -EACCES || r == -EPERM;
        }
        closedir(dir);
        return denied * PROBE_DENIED_PART <= tried;
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
        if (!*root && !sees_others(reader)) {
                ret->state = SOURCE_REDUCED;
                snprintf(ret->detail, sizeof(ret->detail), "%s",
                         "only processes of this user; for the others give briod CAP_SYS_PTRACE, and a /proc without hidepid");
                return;
        }
        snprintf(ret->detail, sizeof(ret->detail), "%s; drives are inferred from open files",
                 *root ? "from the recorded tree" : "from /proc");
}
