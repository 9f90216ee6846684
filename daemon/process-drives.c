/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fdio.h"
#include "macro.h"
#include "mount-table.h"
#include "process-drives.h"
#include "sound-clients.h"
#include "str.h"

struct drive_finder {
        char *root;
        resolve_drive_fn resolve;
        void *userdata;
        struct mount_table *mounts;
        struct sound_clients *sound; /* NULL with a root prefix */
        uint64_t bounds_hit;
};

int drive_finder_new(const char *root, resolve_drive_fn resolve, void *userdata, struct drive_finder **ret) {
        struct drive_finder *f = calloc(1, sizeof(*f));

        if (!f)
                return -ENOMEM;
        *f = (struct drive_finder) { .root = strdup(root), .resolve = resolve, .userdata = userdata };
        if (f->root && !*f->root)
                f->sound = sound_clients_new();
        if (!f->root || (!*f->root && !f->sound) || mount_table_new(root, &f->mounts) < 0) {
                drive_finder_free(f);
                return -ENOMEM;
        }
        *ret = f;
        return 0;
}

struct drive_finder *drive_finder_free(struct drive_finder *f) {
        if (!f)
                return NULL;
        mount_table_free(f->mounts);
        sound_clients_free(f->sound);
        free(f->root);
        free(f);
        return NULL;
}

uint64_t drive_finder_bounds_hit(const struct drive_finder *f) {
        return f->bounds_hit + (f->sound ? sound_clients_bounds_hit(f->sound) : 0);
}

struct file_kind {
        bool node;  /* the block device itself */
        bool empty; /* a file with nothing in it: it was not written to */
        uint16_t holds;  /* EVENT_HOLDS_SOUND, EVENT_HOLDS_VIDEO */
        uint64_t socket; /* its inode; 0: it is none */
};

/* What ALSA and V4L2 call the nodes that data comes from and goes to; others of theirs, as a mixer's, many a program has open all the time. */
static uint16_t find_holds(const char *node) {
        const char *slash = strrchr(node, '/');
        const char *name = slash ? slash + 1 : node;

        if (startswith(name, "pcmC"))
                return EVENT_HOLDS_SOUND;
        return startswith(name, "video") ? EVENT_HOLDS_VIDEO : 0;
}

/* Fills path, of PATH_MAX bytes; false where it leads nowhere. */
static bool read_link(int fd, const char *name, char *path) {
        ssize_t n = readlinkat(fd, name, path, PATH_MAX - 1);

        path[MAX(n, 0)] = '\0';
        return n > 0;
}

/* Documentation/admin-guide/devices.txt */
#define SOUND_MAJOR 116
#define VIDEO_MAJOR 81

static uint16_t find_held_node(int fd, const char *name, uint32_t major) {
        char node[PATH_MAX];

        return (major == SOUND_MAJOR || major == VIDEO_MAJOR) && read_link(fd, name, node) ? find_holds(node) : 0;
}

/* The block device of an open file, or 0, and what it is. DONT_SYNC: a dead network or FUSE server must not stop us here. */
static uint32_t find_live(struct drive_finder *f, int fd, const char *name, nsec_t now, struct file_kind *ret) {
        struct statx st;

        if (statx(fd, name, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT | AT_EMPTY_PATH, STATX_TYPE | STATX_INO | STATX_SIZE | STATX_MNT_ID, &st) < 0)
                return 0;
        *ret = (struct file_kind){ .node = S_ISBLK(st.stx_mode), .empty = S_ISREG(st.stx_mode) && st.stx_size == 0 };
        if (S_ISCHR(st.stx_mode))
                ret->holds = find_held_node(fd, name, st.stx_rdev_major);
        if (S_ISSOCK(st.stx_mode) && st.stx_dev_major == 0)
                ret->socket = st.stx_ino;
        if (ret->node)
                return DEV_NUMBER(st.stx_rdev_major, st.stx_rdev_minor);
        if (!S_ISREG(st.stx_mode) && !S_ISDIR(st.stx_mode))
                return 0;
        if (st.stx_dev_major != 0)
                return DEV_NUMBER(st.stx_dev_major, st.stx_dev_minor);
        if (!(st.stx_mask & STATX_MNT_ID)) /* before 5.8 */
                return 0;
        return mount_table_find_file(f->mounts, st.stx_mnt_id, DEV_NUMBER(st.stx_dev_major, st.stx_dev_minor), now);
}

/* In a tree the links are text: what they name is on the recorded machine. */
static uint32_t find_recorded(struct drive_finder *f, int fd, const char *name, struct file_kind *ret) {
        char target[PATH_MAX];

        if (!read_link(fd, name, target) || *target != '/') /* socket:[1], pipe:[2] */
                return 0;
        ret->node = startswith(target, "/dev/");
        if (ret->node) { /* a node: itself, not the file system that holds it */
                ret->holds = find_holds(target);
                return mount_table_find_node(f->mounts, target);
        }
        return mount_table_find_path(f->mounts, target, NULL);
}

/* The link's own mode tells how the file was opened (fs/proc/fd.c tid_fd_update_inode()); a recorded link has all bits. */
static uint8_t find_access(int fd, const char *name) {
        struct stat st;

        if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
                return 0;
        return (uint8_t) ((st.st_mode & S_IRUSR ? FILE_READ : 0) | (st.st_mode & S_IWUSR ? FILE_WRITE : 0));
}

static void add_drive(struct drive_finder *f, struct process_drives *d, uint32_t dev, uint8_t access) {
        uint32_t drive = f->resolve(f->userdata, dev);
        size_t i = 0;

        if (drive == 0) {
                d->foreign |= access & FILE_HOME ? FILE_READ | FILE_WRITE | (access & FILE_PROGRAM) : access;
                return;
        }
        while (i < d->n && d->devs[i] != drive)
                i++;
        if (i == PROCESS_DRIVES_MAX) {
                f->bounds_hit++;
                return;
        }
        if (i == d->n) {
                d->devs[i] = drive;
                d->access[i] = 0;
                d->n++;
        }
        d->access[i] |= access;
}

static uint32_t find_device(struct drive_finder *f, int fd, const char *name, nsec_t now, struct file_kind *ret) {
        return *f->root ? find_recorded(f, fd, name, ret) : find_live(f, fd, name, now, ret);
}

static void look_at_home(struct drive_finder *f, int fd, struct process_drives *d) {
        static const struct {
                const char *name;
                uint8_t access;
        } homes[] = { { "../exe", FILE_HOME | FILE_PROGRAM }, { "../cwd", FILE_HOME } };

        for (size_t i = 0; i < ARRAY_SIZE(homes); i++) {
                struct file_kind kind = { 0 };
                uint32_t dev = find_device(f, fd, homes[i].name, d->t, &kind);

                if (dev != 0)
                        add_drive(f, d, dev, homes[i].access);
        }
}

void drive_finder_look(struct drive_finder *f, int32_t tgid, nsec_t now, struct process_drives *ret) {
        _cleanup_closedir_ DIR *dir = NULL;
        struct process_drives d = { .t = now };
        char path[PATH_MAX];
        size_t files = 0;

        *ret = d;
        if (snprintf(path, sizeof(path), "%s/proc/%d/fd", f->root, tgid) >= (int) sizeof(path) || !(dir = opendir(path)))
                return;
        for (const struct dirent *e; (e = readdir(dir));) {
                struct file_kind kind = { 0 };
                uint32_t dev;

                if (*e->d_name == '.')
                        continue;
                if (files++ == PROCESS_FILES_MAX) {
                        f->bounds_hit++;
                        break;
                }
                dev = find_device(f, dirfd(dir), e->d_name, now, &kind);
                d.holds |= kind.holds;
                if (kind.socket && !(d.holds & EVENT_HOLDS_SOUND) && sound_clients_have(f->sound, kind.socket, now))
                        d.holds |= EVENT_HOLDS_SOUND;
                if (dev != 0)
                        add_drive(f, &d, dev, (uint8_t) ((find_access(dirfd(dir), e->d_name) & (kind.empty ? ~FILE_WRITE : ~0)) | (kind.node ? FILE_NODE : 0)));
        }
        look_at_home(f, dirfd(dir), &d);
        *ret = d;
}

uint32_t drive_finder_find_program(struct drive_finder *f, int32_t tgid, nsec_t now) {
        char path[PATH_MAX];
        struct file_kind kind = { 0 };
        uint32_t dev;

        if (snprintf(path, sizeof(path), "%s/proc/%d/exe", f->root, tgid) >= (int) sizeof(path))
                return 0;
        dev = find_device(f, AT_FDCWD, path, now, &kind);
        return dev != 0 ? f->resolve(f->userdata, dev) : 0;
}

/* The whole way where it is known, else as much of it as is; -errno where nothing is. */
static int open_known_part(int directory, const char *path) {
        char part[EXEC_PROGRAM_MAX];

        str_copy(part, sizeof(part), path);
        for (char *slash; (slash = strrchr(part, '/'));) {
                int fd = fdio_open_known(directory, part, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
                if (fd >= 0)
                        return fd;
                *slash = '\0';
                if (!*part)
                        break;
        }
        return -EAGAIN;
}

uint32_t drive_finder_find_entry(struct drive_finder *f, int32_t tgid, const struct exec_entry *entry, nsec_t now) {
        _cleanup_close_ int directory = -1, fd = -1;
        struct file_kind kind = { 0 };
        char path[PATH_MAX];
        uint32_t dev;

        if (*f->root)
                return 0;
        if (*entry->program == '/')
                snprintf(path, sizeof(path), "/proc/%d/root", tgid);
        else if (entry->directory == AT_FDCWD)
                snprintf(path, sizeof(path), "/proc/%d/cwd", tgid);
        else
                snprintf(path, sizeof(path), "/proc/%d/fd/%d", tgid, entry->directory);
        directory = open(path, O_PATH | O_CLOEXEC);
        if (directory < 0)
                return 0;
        fd = open_known_part(directory, entry->program);
        dev = find_device(f, fd >= 0 ? fd : directory, "", now, &kind);
        return dev != 0 ? f->resolve(f->userdata, dev) : 0;
}

static bool contains(const uint32_t *devs, size_t n, uint32_t dev) {
        for (size_t i = 0; i < n; i++)
                if (devs[i] == dev)
                        return true;
        return false;
}

/* The drives that access of that kind went to: at least one number, perhaps 0. */
static size_t choose(const struct process_drives *d, const uint32_t *busy, size_t n_busy, enum file_access access,
                     uint32_t ret[PROCESS_DRIVES_MAX]) {
        size_t n = 0, n_open = 0;
        uint32_t open = 0;
        bool nodes = false, at_home = false;

        for (size_t i = 0; i < d->n; i++) {
                at_home |= d->access[i] & FILE_HOME && n_busy == 1 && d->devs[i] == busy[0];
                if (!(d->access[i] & access))
                        continue;
                open = d->devs[i];
                n_open++;
                if (!contains(busy, n_busy, d->devs[i]) || (nodes && !(d->access[i] & FILE_NODE)))
                        continue;
                if (!nodes && (d->access[i] & FILE_NODE)) {
                        nodes = true;
                        n = 0;
                }
                ret[n++] = d->devs[i];
        }
        if (n > 0)
                return n;
        if (access == FILE_WRITE && n_open == 1)
                ret[0] = open;
        else
                ret[0] = n_busy == 1 && (at_home || (n_open == 0 && !(d->foreign & access))) ? busy[0] : 0;
        return 1;
}

bool process_drives_doubt_mapped(const struct process_drives *d, const uint32_t *busy, size_t n_busy) {
        bool program = d->foreign & FILE_PROGRAM, others = false;

        for (size_t i = 0; i < d->n; i++) {
                if (!contains(busy, n_busy, d->devs[i]))
                        continue;
                program |= d->access[i] & FILE_PROGRAM;
                others |= !(d->access[i] & FILE_PROGRAM) && d->access[i] & FILE_READ;
        }
        return program && others;
}

static struct drive_share *share_of(struct drive_share *shares, size_t *n, uint32_t dev) {
        for (size_t i = 0; i < *n; i++)
                if (shares[i].dev == dev)
                        return &shares[i];
        shares[*n] = (struct drive_share) { .dev = dev };
        return &shares[(*n)++];
}

/* The i-th of n equal parts; what cannot be split goes to the first ones. */
static uint32_t part(uint64_t bytes, size_t n, size_t i) {
        return (uint32_t) MIN(bytes / n + (i < bytes % n), UINT32_MAX);
}

size_t process_drives_share(const struct process_drives *d, const uint32_t *busy, size_t n_busy, uint64_t read_bytes,
                            uint64_t write_bytes, struct drive_share ret[DRIVE_SHARES_MAX]) {
        uint32_t devs[PROCESS_DRIVES_MAX];
        size_t n = 0, n_devs;

        n_devs = choose(d, busy, n_busy, FILE_READ, devs);
        for (size_t i = 0; i < n_devs && part(read_bytes, n_devs, i) > 0; i++)
                share_of(ret, &n, devs[i])->read_bytes = part(read_bytes, n_devs, i);
        n_devs = choose(d, busy, n_busy, FILE_WRITE, devs);
        for (size_t i = 0; i < n_devs && part(write_bytes, n_devs, i) > 0; i++)
                share_of(ret, &n, devs[i])->write_bytes = part(write_bytes, n_devs, i);
        return n;
}
