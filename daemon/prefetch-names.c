/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "event.h"
#include "macro.h"
#include "prefetch-names.h"
#include "task-table.h"

/* include/linux/exportfs.h FILEID_INO32_GEN: a number and a generation, of which 0 is any on these file systems (ext4_nfs_get_inode()). */
#define HANDLE_TYPE 1

static bool is_unnamed(const struct prefetch_list *l, size_t i) {
        return strcmp(prefetch_list_path(l, &l->files[i]), PREFETCH_UNNAMED) == 0;
}

static bool finds_by_number(int fd) {
        struct statfs fs;

        return fstatfs(fd, &fs) == 0 && (fs.f_type == EXT4_SUPER_MAGIC || fs.f_type == F2FS_SUPER_MAGIC);
}

/* The path of a file as it is found below the mount. */
static bool find_by_number(int mount_fd, uint64_t ino, char *ret, size_t size) {
        union {
                struct file_handle head;
                char bytes[sizeof(struct file_handle) + 2 * sizeof(uint32_t)];
        } handle = { .head = { .handle_bytes = 2 * sizeof(uint32_t), .handle_type = HANDLE_TYPE } };
        const uint32_t number[2] = { (uint32_t) ino, 0 };
        _cleanup_close_ int fd = -1;
        char link[32];
        ssize_t n;

        if (ino > UINT32_MAX)
                return false;
        memcpy(handle.head.f_handle, number, sizeof(number));
        fd = open_by_handle_at(mount_fd, &handle.head, O_PATH | O_CLOEXEC);
        if (fd < 0)
                return false;
        snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
        n = readlink(link, ret, size - 1);
        if (n <= 0)
                return false;
        ret[n] = '\0';
        return true;
}

static void name_by_numbers(struct prefetch_list *l, const struct prefetch_places *places, const struct prefetch_place *place) {
        _cleanup_close_ int top = prefetch_place_open(place), mount_fd = -1;
        char path[PREFETCH_PATH_MAX], whole[PREFETCH_PATH_MAX];

        if (top >= 0)
                mount_fd = openat(top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* whatever stands over it by now */
        if (mount_fd < 0 || !finds_by_number(mount_fd))
                return;
        for (size_t i = 0; i < l->n_files; i++)
                if (l->files[i].dev == place->fs_dev && is_unnamed(l, i) && find_by_number(mount_fd, l->files[i].ino, path, sizeof(path)) &&
                    prefetch_places_unlocate(places, place->fs_dev, path, whole))
                        (void) prefetch_list_name_file(l, i, whole); /* without room it is not learnt */
}

bool prefetch_names_parse(char *line, uint32_t *ret_dev, uint64_t *ret_ino, const char **ret_path) {
        unsigned major, minor;
        int at = 0;

        if (sscanf(line, "%*x-%*x %*s %*x %x:%x %" SCNu64 " %n", &major, &minor, ret_ino, &at) != 3 || at == 0 || line[at] != '/')
                return false;
        line[at + (int) strcspn(line + at, "\n")] = '\0';
        *ret_dev = DEV_NUMBER(major, minor);
        *ret_path = line + at;
        return true;
}

static void name_file(struct prefetch_list *l, const struct prefetch_places *places, uint32_t dev, uint64_t ino, const char *path) {
        char whole[PREFETCH_PATH_MAX];

        for (size_t i = 0; i < l->n_files; i++)
                if (l->files[i].dev == dev && l->files[i].ino == ino && is_unnamed(l, i) && prefetch_places_unlocate(places, dev, path, whole))
                        (void) prefetch_list_name_file(l, i, whole);
}

static void add_mapped(struct prefetch_list *l, const struct prefetch_places *places, uint32_t dev, uint64_t ino, const char *path) {
        char whole[PREFETCH_PATH_MAX];

        if (prefetch_places_unlocate(places, dev, path, whole))
                (void) prefetch_list_get_file(l, &(struct prefetch_file){ .dev = dev, .ino = ino }, whole);
}

static void take_mapped(struct prefetch_list *l, const struct prefetch_places *places, int32_t tgid, bool is_residency) {
        _cleanup_fclose_ FILE *maps = NULL;
        _cleanup_free_ char *line = NULL;
        const char *path;
        size_t size = 0;
        char name[32];
        uint32_t dev;
        uint64_t ino;

        snprintf(name, sizeof(name), "/proc/%" PRId32 "/maps", tgid);
        maps = fopen(name, "re");
        while (maps && getline(&line, &size, maps) > 0)
                if (prefetch_names_parse(line, &dev, &ino, &path))
                        (is_residency ? add_mapped : name_file)(l, places, dev, ino, path);
}

static bool all_are_named(const struct prefetch_list *l) {
        for (size_t i = 0; i < l->n_files; i++)
                if (is_unnamed(l, i))
                        return false;
        return true;
}

void prefetch_names_find(struct prefetch_list *l, const struct prefetch_places *places, const struct prefetch_tasks *tasks) {
        if (!tasks->is_residency && all_are_named(l))
                return;
        alarm(PREFETCH_PATIENCE_S);
        for (size_t i = 0; i < places->n; i++)
                name_by_numbers(l, places, &places->places[i]);
        for (size_t i = 0; i < tasks->n; i++)
                if (task_leader(tasks->tids[i]) == tasks->tids[i])
                        take_mapped(l, places, tasks->tids[i], tasks->is_residency);
        alarm(0);
}
