/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include "fdio.h"
#include "macro.h"
#include "str.h"
#include "sysfs.h"

#define PATH_SIZE 64 /* "queue/iosched/" and the longest name in the table */

int sysfs_open_device(const char *root, const char *name) {
        char path[PATH_MAX];
        int fd;

        if (*name == '\0' || strchr(name, '/') || streq(name, ".") || streq(name, ".."))
                return -EINVAL;
        if (snprintf(path, sizeof(path), "%s/sys/block/%s", root, name) >= (int) sizeof(path))
                return -ENAMETOOLONG;
        fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0)
                return errno == ENOENT ? -ENODEV : -errno;
        return fd;
}

int sysfs_read_tunable(int device_fd, enum tunable_id id, char *ret, size_t size) {
        char path[PATH_SIZE], text[ATTRIBUTE_MAX];
        ssize_t n;

        n = fdio_read_at(device_fd, tunable_path(id, path, sizeof(path)), text, sizeof(text));
        if (n < 0)
                return (int) n;
        if (tunable_get(id)->type == TUNABLE_NAME)
                return tunable_active_word(text, ret, size);
        if ((size_t) n >= size)
                return -EFBIG;
        memcpy(ret, text, (size_t) n + 1);
        return 0;
}

/* The word in a list parted by blanks, or NULL. */
static const char *find_word(const char *list, const char *word) {
        size_t n = strlen(word);

        for (const char *p = list; n > 0 && (p = strstr(p, word)); p += n)
                if ((p == list || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0'))
                        return p;
        return NULL;
}

/* Nor does a kernel change the settings for those of the other scheduler, where they wait beside. */
static void change_recorded_settings(int device_fd, const char *old, const char *new) {
        char waiting[PATH_SIZE], leaving[PATH_SIZE];

        if (streq(old, new) || snprintf(waiting, sizeof(waiting), "queue/iosched.%s", new) >= (int) sizeof(waiting) ||
            snprintf(leaving, sizeof(leaving), "queue/iosched.%s", old) >= (int) sizeof(leaving) || faccessat(device_fd, waiting, F_OK, 0) < 0)
                return;
        (void) renameat(device_fd, "queue/iosched", device_fd, leaving);
        (void) renameat(device_fd, waiting, device_fd, "queue/iosched");
}

/* In a recorded machine (--root) no kernel moves the brackets in "none [mq-deadline] bfq". */
static int write_recorded_choice(int device_fd, const char *path, const char *value) {
        char text[ATTRIBUTE_MAX], list[ATTRIBUTE_MAX], old[TUNABLE_VALUE_MAX], *end = list;
        ssize_t n = fdio_read_at(device_fd, path, text, sizeof(text));
        const char *word;
        int r;

        if (n < 0)
                return (int) n;
        r = tunable_active_word(text, old, sizeof(old));
        if (r < 0)
                return r;
        for (const char *p = text; *p; p++)
                if (*p != '[' && *p != ']')
                        *end++ = *p;
        *end = '\0';
        word = find_word(list, value);
        if (!word)
                return -EINVAL;
        if (snprintf(text, sizeof(text), "%.*s[%s]%s\n", (int) (word - list), list, value, word + strlen(value)) >= (int) sizeof(text))
                return -EFBIG;
        r = fdio_write_at(device_fd, path, text);
        if (r == 0)
                change_recorded_settings(device_fd, old, value);
        return r;
}

int sysfs_write_tunable(int device_fd, enum tunable_id id, const char *value) {
        char path[PATH_SIZE], line[ATTRIBUTE_MAX];
        struct statfs fs;

        tunable_path(id, path, sizeof(path));
        if (tunable_get(id)->type == TUNABLE_NAME && fstatfs(device_fd, &fs) == 0 && fs.f_type != SYSFS_MAGIC)
                return write_recorded_choice(device_fd, path, value);
        /* The newline is for a recorded machine too: the kernel does not need it. */
        if (snprintf(line, sizeof(line), "%s\n", value) >= (int) sizeof(line))
                return -EFBIG;
        return fdio_write_at(device_fd, path, line);
}

static int read_u64(int device_fd, const char *path, uint64_t *ret) {
        char text[32];
        ssize_t n = fdio_read_at(device_fd, path, text, sizeof(text));

        return n < 0 ? (int) n : str_parse_u64(text, ret);
}

int sysfs_read_diskseq(int device_fd, unsigned long long *ret) {
        uint64_t value = 0;
        int r = read_u64(device_fd, "diskseq", &value);

        if (r < 0 && r != -ENOENT)
                return r;
        *ret = value;
        return 0;
}

/* The names in "none mq-deadline [bfq]" as bits. */
static uint32_t offered_schedulers(char *text) {
        uint32_t bits = 0;
        char *save = NULL;

        for (char *word = strtok_r(text, "[] \n", &save); word; word = strtok_r(NULL, "[] \n", &save))
                bits |= 1u << scheduler_from_string(word);
        return bits;
}

static void read_value(int device_fd, enum tunable_id id, struct device_facts *facts) {
        char text[TUNABLE_VALUE_MAX];

        /* Whatever the error is (wbt_lat_usec: EINVAL where it was never set up), there is no value to work with. */
        facts->values[id].present = sysfs_read_tunable(device_fd, id, text, sizeof(text)) == 0;
        facts->values[id].numeric = facts->values[id].present && tunable_parse(id, text, &facts->values[id].number) == 0;
}

int sysfs_read_facts(int device_fd, struct device_facts *facts) {
        char text[ATTRIBUTE_MAX], active[TUNABLE_VALUE_MAX];
        uint64_t value;

        if (faccessat(device_fd, "queue", F_OK, 0) < 0)
                return -errno;
        facts->scheduler = SCHEDULER_NONE; /* a drive without the file has no request queue to order */
        facts->schedulers = 0;
        memset(facts->values, 0, sizeof(facts->values));
        if (fdio_read_at(device_fd, "queue/scheduler", text, sizeof(text)) >= 0 &&
            tunable_active_word(text, active, sizeof(active)) == 0) {
                facts->scheduler = scheduler_from_string(active);
                facts->schedulers = offered_schedulers(text);
                facts->values[TUNABLE_QUEUE_SCHEDULER].present = facts->values[TUNABLE_QUEUE_SCHEDULER].numeric = true;
                facts->values[TUNABLE_QUEUE_SCHEDULER].number = facts->scheduler;
        }
        for (enum tunable_id id = 0; id < _TUNABLE_MAX; id++) {
                enum scheduler owner = tunable_get(id)->scheduler;
                if (id != TUNABLE_QUEUE_SCHEDULER && (owner == SCHEDULER_ANY || owner == facts->scheduler))
                        read_value(device_fd, id, facts);
        }
        facts->rotational = read_u64(device_fd, "queue/rotational", &value) == 0 && value != 0;
        if (read_u64(device_fd, "device/queue_depth", &value) < 0 && read_u64(device_fd, "mq/0/nr_tags", &value) < 0)
                value = 0;
        facts->queue_depth = (uint32_t) MIN(value, UINT32_MAX);
        return 0;
}

int sysfs_check_iosched(int device_fd, enum scheduler scheduler) {
        _cleanup_closedir_ DIR *dir = fdio_open_directory(device_fd, "queue/iosched");

        if (!dir)
                return errno == ENOENT ? 0 : -errno;
        for (const struct dirent *e; (e = readdir(dir));)
                if (e->d_name[0] != '.' && tunable_find(scheduler, e->d_name) == _TUNABLE_INVALID)
                        return -EOPNOTSUPP;
        return 0;
}
