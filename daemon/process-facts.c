/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fdio.h"
#include "macro.h"
#include "process-facts.h"
#include "str.h"

#define IOPRIO_WHO_PROCESS 1 /* <linux/ioprio.h> */

uint32_t process_facts_user(const char *root, int32_t tgid) {
        char path[PATH_MAX], text[ATTRIBUTE_MAX], *uid;
        uint64_t value;

        snprintf(path, sizeof(path), "%s/proc/%" PRId32 "/status", root, tgid);
        if (fdio_read_at(AT_FDCWD, path, text, sizeof(text)) < 0 || !(uid = strstr(text, "\nUid:\t"))) /* a newline in a name is told as \n */
                return PROCESS_UID_UNKNOWN;
        uid += strlen("\nUid:\t");
        uid[strcspn(uid, "\t\n")] = '\0';
        return str_parse_u64(uid, &value) < 0 || value > UINT32_MAX ? PROCESS_UID_UNKNOWN : (uint32_t) value;
}

void process_facts_get(int32_t tgid, struct process_facts *ret) {
        char path[sizeof("/proc/") + 11];
        struct stat st;

        snprintf(path, sizeof(path), "/proc/%" PRId32, tgid);
        ret->uid = stat(path, &st) < 0 ? PROCESS_UID_UNKNOWN : st.st_uid;
        ret->io_level = 0;
        ret->io_class = io_class_from_priority(syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, tgid), &ret->io_level);
}
