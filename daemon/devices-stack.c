/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands on a drive: the other way round than devices-leaf.c goes, from the top of each stack down. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>

#include "devices-internal.h"
#include "event.h"
#include "fdio.h"
#include "str.h"

struct search {
        struct devices *devices;
        uint32_t wanted;
        uint32_t drives[UPPER_DRIVES_MAX]; /* of ours that were found below, each once */
        size_t n_drives;
        unsigned nodes;
        bool cut;
};

static int not_hidden(const struct dirent *entry) {
        return entry->d_name[0] != '.';
}

static void visit(struct search *s, int dirfd, unsigned depth);

static void visit_path(struct search *s, int dirfd, const char *path, unsigned depth) {
        _cleanup_close_ int fd = openat(dirfd, path, O_PATH | O_DIRECTORY | O_CLOEXEC);

        if (fd >= 0)
                visit(s, fd, depth + 1);
}

/* The path is that of the process that gave the file to the loop device: mostly among the first process's mounts, in a container among our own. A
 * sandbox hides some of the former, and shows nothing of a drive in their place. */
static uint32_t find_file(const struct devices *d, const char *file) {
        size_t length, own_length;
        uint32_t dev = mount_table_find_path(d->mounts, file, &length), own = mount_table_find_path(d->own_mounts, file, &own_length);

        return own != 0 && own_length > length ? own : dev;
}

/* From the list of mounts alone: to ask for the file itself would be to wait for its server, and that may be dead. It leads nowhere on a
 * recorded machine, where other loop devices are. */
int devices_open_backing(const struct devices *d, int dirfd) {
        char file[PATH_MAX], path[64];
        uint32_t dev;
        int fd;

        if (*d->root || fdio_read_at(dirfd, "loop/backing_file", file, sizeof(file)) < 0)
                return -ENOENT;
        file[strcspn(file, "\n")] = '\0';
        dev = mount_table_find_node(d->mounts, file);
        if (dev == 0)
                dev = find_file(d, file);
        snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", DEV_MAJOR(dev), DEV_MINOR(dev));
        fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
        return fd < 0 ? -errno : fd;
}

static void visit_below(struct search *s, int dirfd, unsigned depth) {
        _cleanup_close_ int backing = devices_open_backing(s->devices, dirfd);
        struct dirent **slaves = NULL;
        char path[sizeof("slaves/") + NAME_MAX];
        int n = scandirat(dirfd, "slaves", &slaves, not_hidden, versionsort);

        for (int i = 0; i < n; i++) {
                snprintf(path, sizeof(path), "slaves/%s", slaves[i]->d_name);
                visit_path(s, dirfd, path, depth);
                free(slaves[i]);
        }
        free(slaves);
        if (backing >= 0)
                visit(s, backing, depth + 1);
}

static void note_drive(struct search *s, uint32_t dev) {
        for (size_t i = 0; i < s->n_drives; i++)
                if (s->drives[i] == dev)
                        return;
        if (s->n_drives < ARRAY_SIZE(s->drives))
                s->drives[s->n_drives++] = dev;
        else
                s->cut = true;
}

/* A drive of ours ends the search at any depth but the first: a loop device may be one, and stand on another. */
static void visit(struct search *s, int dirfd, unsigned depth) {
        char number[32];
        uint32_t dev;

        if (depth >= STACK_DEPTH_MAX || ++s->nodes > STACK_NODES_MAX) {
                s->cut = true;
                return;
        }
        if (fdio_read_at(dirfd, "dev", number, sizeof(number)) < 0 || devices_parse_number(number, &dev) < 0)
                return;
        if (depth > 1 && devices_find_number(s->devices, dev))
                note_drive(s, dev);
        else if (faccessat(dirfd, "partition", F_OK, 0) == 0)
                visit_path(s, dirfd, "..", depth);
        else
                visit_below(s, dirfd, depth);
}

/* Something else stands on it, and hands down what it is asked: that is looked at instead. */
static bool is_covered(int dirfd) {
        struct dirent **holders = NULL;
        int n = scandirat(dirfd, "holders", &holders, not_hidden, NULL);

        for (int i = 0; i < n; i++)
                free(holders[i]);
        free(holders);
        return n > 0;
}

/* Returns whether the block device of this name is a top of a stack with the wanted drive in it. */
static bool is_upper(struct search *s, const char *name, uint32_t *ret) {
        char path[PATH_MAX], number[32];
        _cleanup_close_ int fd = -1;

        if (snprintf(path, sizeof(path), "%s/sys/block/%s", s->devices->root, name) >= (int) sizeof(path))
                return false;
        fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0 || fdio_read_at(fd, "dev", number, sizeof(number)) < 0 || devices_parse_number(number, ret) < 0 || *ret == s->wanted ||
            is_covered(fd))
                return false;
        visit(s, fd, 1);
        for (size_t i = 0; i < s->n_drives; i++)
                if (s->drives[i] == s->wanted)
                        return true;
        return false;
}

size_t devices_find_uppers(struct devices *d, uint32_t dev, struct upper ret[UPPERS_MAX]) {
        _cleanup_(names_freep) char **names = NULL;
        bool cut = false;
        size_t n = 0;

        if (devices_tree_list(d->root, &names) < 0)
                return 0;
        for (size_t i = 0; names[i]; i++) {
                struct search s = { .devices = d, .wanted = dev };
                uint32_t upper;

                if (is_upper(&s, names[i], &upper)) {
                        if (n < UPPERS_MAX) {
                                ret[n] = (struct upper) { .dev = upper, .drives = (uint8_t) s.n_drives };
                                str_copy(ret[n++].name, sizeof(ret->name), names[i]);
                        } else {
                                cut = true;
                        }
                }
                cut |= s.cut;
        }
        if (cut)
                devices_note_cut(d);
        return n;
}
