/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fdio.h"
#include "ioprio.h"
#include "macro.h"
#include "process-facts.h"
#include "str.h"

/* Returns 0 with what stands behind the key, or -errno: -ENODATA where the key is not there. */
static int find_status(const char *root, int32_t pid, const char *key, char text[static ATTRIBUTE_MAX], char **ret) {
        char path[PATH_MAX], mark[16];
        _cleanup_close_ int fd = -1;
        ssize_t n;

        snprintf(path, sizeof(path), "%s/proc/%" PRId32 "/status", root, pid);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        n = fd < 0 ? -errno : fdio_read_all(fd, text, ATTRIBUTE_MAX - 1); /* of many groups, which stand behind, not all */
        if (n < 0)
                return (int) n;
        text[n] = '\0';
        snprintf(mark, sizeof(mark), "\n%s:\t", key); /* a newline in a name is told as \n */
        *ret = strstr(text, mark);
        if (!*ret)
                return -ENODATA;
        *ret += strlen(mark);
        (*ret)[strcspn(*ret, "\t\n")] = '\0';
        return 0;
}

int process_status_number(const char *root, int32_t pid, const char *key, uint64_t *ret) {
        char text[ATTRIBUTE_MAX], *number;
        int r = find_status(root, pid, key, text, &number);

        return r < 0 ? r : str_parse_u64(number, ret);
}

bool process_is_runnable(int32_t tgid) {
        char text[ATTRIBUTE_MAX], *state;

        return find_status("", tgid, "State", text, &state) == 0 && *state == 'R';
}

const char *process_cgroup_read(int dir_fd, const char *path, char buf[static ATTRIBUTE_MAX]) {
        const char *unified = "/", *named = "";

        if (fdio_read_at(dir_fd, path, buf, ATTRIBUTE_MAX) < 0)
                return "";
        for (char *rest = buf, *line; (line = strsep(&rest, "\n"));) { /* "12:cpu:/a", "1:name=systemd:/b", "0::/c" */
                char *group = line;
                strsep(&group, ":");
                const char *controllers = strsep(&group, ":");
                if (!group)
                        continue;
                if (!*controllers)
                        unified = group;
                else if (streq(controllers, "name=systemd"))
                        named = group;
        }
        return streq(unified, "/") ? named : unified;
}

uint32_t process_facts_user(const char *root, int32_t tgid) {
        uint64_t uid;

        return process_status_number(root, tgid, "Uid", &uid) < 0 || uid > UINT32_MAX ? PROCESS_UID_UNKNOWN : (uint32_t) uid;
}

void process_facts_get(int32_t tgid, struct process_facts *ret) {
        char path[sizeof("/proc/") + 11];
        struct stat st;

        snprintf(path, sizeof(path), "/proc/%" PRId32, tgid);
        ret->uid = stat(path, &st) < 0 ? PROCESS_UID_UNKNOWN : st.st_uid;
        ret->io_level = 0;
        ret->io_class = io_class_from_priority(ioprio_read(tgid), &ret->io_level);
}
