/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <sys/stat.h>

#include "event.h"
#include "fdio.h"
#include "replay-tree.h"
#include "replay.h"
#include "str.h"
#include "sysfs.h"

#define WALK_DESCRIPTORS 8

struct replay_tree {
        char root[PATH_MAX / 2];
};

static int remove_one(const char *path, const struct stat *st _unused_, int flag _unused_, struct FTW *ftw _unused_) {
        (void) remove(path);
        return 0;
}

struct replay_tree *replay_tree_free(struct replay_tree *t) {
        if (!t)
                return NULL;
        (void) nftw(t->root, remove_one, WALK_DESCRIPTORS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
        free(t);
        return NULL;
}

const char *replay_tree_root(const struct replay_tree *t) {
        return t->root;
}

_printf_(3, 4) static int put(const struct replay_tree *t, const char *path, const char *format, ...) {
        char full[PATH_MAX], text[ATTRIBUTE_MAX], *slash;
        _cleanup_close_ int fd = -1;
        va_list args;
        int n, r;

        va_start(args, format);
        n = vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        if (n >= (int) sizeof(text) || snprintf(full, sizeof(full), "%s/%s", t->root, path) >= (int) sizeof(full))
                return -ENAMETOOLONG;
        slash = strrchr(full, '/');
        *slash = '\0';
        r = fdio_mkdir_parents(full);
        *slash = '/';
        if (r < 0)
                return r;
        fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
        return fd < 0 ? -errno : fdio_write_all(fd, text, (size_t) n);
}

int replay_tree_new(struct replay_tree **ret) {
        struct replay_tree *t = calloc(1, sizeof(*t));
        const char *tmp = getenv("TMPDIR");
        char path[PATH_MAX];
        int r;

        if (!t)
                return -ENOMEM;
        if (snprintf(t->root, sizeof(t->root), "%s/brio-replay-XXXXXX", tmp && *tmp ? tmp : "/tmp") >= (int) sizeof(t->root)) {
                free(t);
                return -ENAMETOOLONG;
        }
        if (!mkdtemp(t->root)) {
                r = -errno;
                free(t);
                return r;
        }
        snprintf(path, sizeof(path), "%s/sys/block", t->root);
        r = fdio_mkdir_parents(path);
        if (r == 0)
                r = put(t, "proc/diskstats", "%s", "");
        if (r < 0) {
                replay_tree_free(t);
                return r;
        }
        *ret = t;
        return 0;
}

static int put_setting(const struct replay_tree *t, const char *drive, enum tunable_id id, int64_t value, const char *suffix) {
        char path[PATH_MAX], below[64];
        const char *file = tunable_path(id, below, sizeof(below)) + strlen("queue/");
        bool of_scheduler = tunable_get(id)->scheduler != SCHEDULER_ANY;

        snprintf(path, sizeof(path), "sys/block/%s/queue/%s%s%s%s", drive, of_scheduler ? "iosched" : "", of_scheduler ? suffix : "",
                 of_scheduler ? "/" : "", of_scheduler ? file + strlen("iosched/") : file);
        return put(t, path, "%" PRIi64 "\n", value);
}

static int put_settings(const struct replay_tree *t, const struct device_facts *facts, const char *suffix) {
        int r = 0;

        for (int id = 0; id < _TUNABLE_MAX && r == 0; id++)
                if (id != TUNABLE_QUEUE_SCHEDULER && facts->values[id].present && facts->values[id].numeric)
                        r = put_setting(t, facts->name, (enum tunable_id) id, facts->values[id].number, suffix);
        return r;
}

/* What the others would begin with waits beside it for a switch (sysfs_write_tunable()). */
static int put_other_schedulers(const struct replay_tree *t, const struct device_facts *facts) {
        int r = 0;

        for (int s = SCHEDULER_NONE; s < SCHEDULER_OTHER && r == 0; s++) {
                struct device_facts other = { .scheduler = (enum scheduler) s };
                char suffix[32], path[PATH_MAX];

                if (s == (int) facts->scheduler || !(facts->schedulers & 1u << s))
                        continue;
                snprintf(suffix, sizeof(suffix), ".%s", scheduler_to_string((enum scheduler) s));
                snprintf(path, sizeof(path), "%s/sys/block/%s/queue/iosched%s", t->root, facts->name, suffix);
                if (access(path, F_OK) == 0) /* it was active before */
                        continue;
                str_copy(other.name, sizeof(other.name), facts->name);
                replay_complete_settings(&other);
                r = fdio_mkdir_parents(path);
                if (r == 0)
                        r = put_settings(t, &other, suffix);
        }
        return r;
}

static int put_schedulers(const struct replay_tree *t, const struct device_facts *facts) {
        char list[256] = "", path[PATH_MAX];

        if (!facts->schedulers) /* there was no such file */
                return 0;
        for (int s = SCHEDULER_NONE; s < SCHEDULER_OTHER; s++) {
                bool active = s == (int) facts->scheduler;
                if (facts->schedulers & 1u << s)
                        str_append(list, sizeof(list), "%s%s%s%s", *list ? " " : "", active ? "[" : "", scheduler_to_string((enum scheduler) s),
                                   active ? "]" : "");
        }
        snprintf(path, sizeof(path), "sys/block/%s/queue/scheduler", facts->name);
        return put(t, path, "%s\n", list);
}

/* One that is known already is switched as any program switches it. */
static void follow_switch(const struct replay_tree *t, const struct device_facts *facts) {
        _cleanup_close_ int fd = sysfs_open_device(t->root, facts->name);
        const char *name = scheduler_to_string(facts->scheduler);
        char active[TUNABLE_VALUE_MAX];

        if (fd >= 0 && name && sysfs_read_tunable(fd, TUNABLE_QUEUE_SCHEDULER, active, sizeof(active)) == 0 && !streq(active, name))
                (void) sysfs_write_tunable(fd, TUNABLE_QUEUE_SCHEDULER, name);
}

int replay_tree_put(struct replay_tree *t, const struct device_facts *facts) {
        char path[PATH_MAX];
        int r;

        if (!*facts->name || strchr(facts->name, '/') || streq(facts->name, ".") || streq(facts->name, ".."))
                return -EINVAL;
        snprintf(path, sizeof(path), "sys/block/%s/dev", facts->name);
        r = put(t, path, "%" PRIu32 ":%" PRIu32 "\n", DEV_MAJOR(facts->dev), DEV_MINOR(facts->dev));
        if (r == 0) {
                snprintf(path, sizeof(path), "sys/block/%s/queue/rotational", facts->name);
                r = put(t, path, "%d\n", facts->rotational);
        }
        if (r == 0 && facts->queue_depth > 0) {
                snprintf(path, sizeof(path), "sys/block/%s/device/queue_depth", facts->name);
                r = put(t, path, "%" PRIu32 "\n", facts->queue_depth);
        }
        follow_switch(t, facts);
        if (r == 0)
                r = put_schedulers(t, facts);
        if (r == 0)
                r = put_settings(t, facts, "");
        return r == 0 ? put_other_schedulers(t, facts) : r;
}
