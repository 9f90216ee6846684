/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "macro.h"
#include "mount-table.h"
#include "process-ask.h"
#include "process-drives.h"
#include "sound-clients.h"
#include "str.h"

#ifndef RESOLVE_CACHED /* Linux 5.12 */
#define RESOLVE_CACHED 0x20
#endif

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

/* An open file as it was looked at: which drive it is on, the daemon finds. */
struct file_seen {
        uint32_t dev;    /* of the file system, or the block device itself; 0: of none */
        uint64_t mount;  /* of a file system without a device of its own; else 0 */
        uint64_t socket; /* its inode; 0: it is none */
        uint16_t holds;  /* EVENT_HOLDS_SOUND, EVENT_HOLDS_VIDEO */
        uint8_t access;  /* enum file_access */
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

/* The link's own mode tells how the file was opened (fs/proc/fd.c tid_fd_update_inode()); a recorded link has all bits. */
static uint8_t find_access(int fd, const char *name) {
        struct stat st;

        if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
                return 0;
        return (uint8_t) ((st.st_mode & S_IRUSR ? FILE_READ : 0) | (st.st_mode & S_IWUSR ? FILE_WRITE : 0));
}

/* An empty file was not written to. DONT_SYNC: a dead network or FUSE server must not stop us here. */
static void see(int fd, const char *name, struct file_seen *ret) {
        struct statx st;

        *ret = (struct file_seen){ 0 };
        if (statx(fd, name, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT | AT_EMPTY_PATH, STATX_TYPE | STATX_INO | STATX_SIZE | STATX_MNT_ID, &st) < 0)
                return;
        if (S_ISCHR(st.stx_mode))
                ret->holds = find_held_node(fd, name, st.stx_rdev_major);
        if (S_ISSOCK(st.stx_mode) && st.stx_dev_major == 0)
                ret->socket = st.stx_ino;
        if (S_ISBLK(st.stx_mode)) {
                ret->dev = DEV_NUMBER(st.stx_rdev_major, st.stx_rdev_minor);
                ret->access = FILE_NODE;
        } else if (S_ISREG(st.stx_mode) || S_ISDIR(st.stx_mode)) {
                ret->dev = DEV_NUMBER(st.stx_dev_major, st.stx_dev_minor);
                if (st.stx_dev_major == 0)
                        ret->mount = st.stx_mask & STATX_MNT_ID ? st.stx_mnt_id : 0; /* from 5.8 on */
                if (st.stx_dev_major == 0 && !ret->mount)
                        ret->dev = 0;
        }
        if (ret->dev && *name)
                ret->access |= find_access(fd, name) & (S_ISREG(st.stx_mode) && st.stx_size == 0 ? ~FILE_WRITE : ~0);
}

/* In a tree the links are text: what they name is on the recorded machine. */
static void see_recorded(struct drive_finder *f, int fd, const char *name, struct file_seen *ret) {
        char target[PATH_MAX];

        *ret = (struct file_seen){ 0 };
        if (!read_link(fd, name, target) || *target != '/') /* socket:[1], pipe:[2] */
                return;
        if (startswith(target, "/dev/")) { /* a node: itself, not the file system that holds it */
                ret->holds = find_holds(target);
                ret->dev = mount_table_find_node(f->mounts, target);
                ret->access = FILE_NODE;
        } else {
                ret->dev = mount_table_find_path(f->mounts, target, NULL);
        }
        ret->access |= find_access(fd, name);
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

/* What was seen of a process: its program, its working directory, and its open files. */
struct files_seen {
        bool more; /* than PROCESS_FILES_MAX */
        size_t n;
        struct file_seen program, directory, files[PROCESS_FILES_MAX];
};

_Static_assert(sizeof(struct files_seen) <= PROCESS_ASK_MAX, "an answer holds it");

struct process_place {
        struct drive_finder *finder; /* NULL: of this machine; with a root prefix nothing is asked */
        int32_t tgid;
};

static void see_file(const struct process_place *p, int fd, const char *name, struct file_seen *ret) {
        if (p->finder)
                see_recorded(p->finder, fd, name, ret);
        else
                see(fd, name, ret);
}

static int see_files(const void *question, void *answer) {
        const struct process_place *p = question;
        struct files_seen *ret = answer;
        _cleanup_closedir_ DIR *dir = NULL;
        char path[PATH_MAX];

        *ret = (struct files_seen){ 0 };
        if (snprintf(path, sizeof(path), "%s/proc/%" PRId32 "/fd", p->finder ? p->finder->root : "", p->tgid) >= (int) sizeof(path) || !(dir = opendir(path)))
                return -ESRCH;
        for (const struct dirent *e; (e = readdir(dir));) {
                if (*e->d_name == '.')
                        continue;
                ret->more = ret->n == PROCESS_FILES_MAX;
                if (ret->more)
                        break;
                see_file(p, dirfd(dir), e->d_name, &ret->files[ret->n++]);
        }
        see_file(p, dirfd(dir), "../exe", &ret->program);
        see_file(p, dirfd(dir), "../cwd", &ret->directory);
        return 0;
}

static int see_program(const void *question, void *answer) {
        const struct process_place *p = question;
        char path[PATH_MAX];

        if (snprintf(path, sizeof(path), "%s/proc/%" PRId32 "/exe", p->finder ? p->finder->root : "", p->tgid) >= (int) sizeof(path))
                return -ENAMETOOLONG;
        see_file(p, AT_FDCWD, path, answer);
        return 0;
}

static int ask(struct drive_finder *f, int32_t tgid, process_ask_fn fn, void *answer, size_t size) {
        struct process_place p = { *f->root ? f : NULL, tgid };

        return *f->root ? fn(&p, answer) : process_ask(tgid, fn, &p, sizeof(p), answer, size);
}

/* The block device that it is on; 0: none. */
static uint32_t find_device(struct drive_finder *f, const struct file_seen *file) {
        return file->mount ? mount_table_find_file(f->mounts, file->mount, file->dev) : file->dev;
}

static void add_file(struct drive_finder *f, struct process_drives *d, const struct file_seen *file, uint8_t access) {
        uint32_t dev = find_device(f, file);

        if (dev != 0)
                add_drive(f, d, dev, access);
}

void drive_finder_look(struct drive_finder *f, int32_t tgid, nsec_t now, struct process_drives *ret) {
        struct files_seen seen;

        *ret = (struct process_drives){ .t = now };
        if (ask(f, tgid, see_files, &seen, sizeof(seen)) < 0)
                return;
        f->bounds_hit += seen.more;
        for (size_t i = 0; i < seen.n; i++) {
                const struct file_seen *file = &seen.files[i];
                ret->holds |= file->holds;
                if (file->socket && !(ret->holds & EVENT_HOLDS_SOUND) && sound_clients_have(f->sound, file->socket, now))
                        ret->holds |= EVENT_HOLDS_SOUND;
                add_file(f, ret, file, file->access);
        }
        add_file(f, ret, &seen.program, FILE_HOME | FILE_PROGRAM);
        add_file(f, ret, &seen.directory, FILE_HOME);
}

uint32_t drive_finder_find_program(struct drive_finder *f, int32_t tgid) {
        struct file_seen program;
        uint32_t dev = ask(f, tgid, see_program, &program, sizeof(program)) < 0 ? 0 : find_device(f, &program);

        return dev != 0 ? f->resolve(f->userdata, dev) : 0;
}

/* Without reading anything from a drive. Returns a descriptor, or -errno: -EAGAIN where it would have to, -EINVAL before Linux 5.12. */
static int open_known(int directory, const char *path) {
        struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_CACHED | RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
        int fd = (int) syscall(SYS_openat2, directory, path, &how, sizeof(how));

        return fd < 0 ? -errno : fd;
}

/* The whole way where it is known, else as much of it as is; -errno where nothing is. */
static int open_known_part(int directory, const char *path) {
        char part[EXEC_PROGRAM_MAX];

        str_copy(part, sizeof(part), path);
        for (char *slash; (slash = strrchr(part, '/'));) {
                int fd = open_known(directory, part);
                if (fd >= 0)
                        return fd;
                *slash = '\0';
                if (!*part)
                        break;
        }
        return -EAGAIN;
}

struct entry_place {
        int32_t tgid;
        int directory;
        char program[EXEC_PROGRAM_MAX];
};

static int see_entry(const void *question, void *answer) {
        const struct entry_place *p = question;
        _cleanup_close_ int directory = -1, fd = -1;
        char path[PATH_MAX];

        if (*p->program == '/')
                snprintf(path, sizeof(path), "/proc/%" PRId32 "/root", p->tgid);
        else if (p->directory == AT_FDCWD)
                snprintf(path, sizeof(path), "/proc/%" PRId32 "/cwd", p->tgid);
        else
                snprintf(path, sizeof(path), "/proc/%" PRId32 "/fd/%d", p->tgid, p->directory);
        directory = open(path, O_PATH | O_CLOEXEC);
        if (directory < 0)
                return -errno;
        fd = open_known_part(directory, p->program);
        see(fd >= 0 ? fd : directory, "", answer);
        return 0;
}

uint32_t drive_finder_find_entry(struct drive_finder *f, int32_t tgid, const struct exec_entry *entry) {
        struct entry_place place = { .tgid = tgid, .directory = entry->directory };
        struct file_seen seen;
        uint32_t dev;

        str_copy(place.program, sizeof(place.program), entry->program);
        if (*f->root || process_ask(tgid, see_entry, &place, sizeof(place), &seen, sizeof(seen)) < 0)
                return 0;
        dev = find_device(f, &seen);
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
