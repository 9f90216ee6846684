/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include "dev-number.h"
#include "fdio.h"
#include "macro.h"
#include "mount-table.h"
#include "str.h"

#define DEV_PREFIX "/dev/"

/* For so long after the table was read no file has it read again: there may be a thousand mounts, and a user may make and remove some all the time. */
#define READ_INTERVAL_NS NSEC_PER_SEC

struct mount {
        uint64_t id;
        uint32_t dev;
        uint32_t file_dev; /* of a file seen on it; 0: none yet */
        uint32_t fs_dev;   /* the kernel's own number of the file system */
        bool disk;         /* of a type that the kernel itself reads from a drive */
        char *point, *top; /* top: what of the file system it shows */
};

struct mount_table {
        char *root;
        bool own;
        FILE *file; /* kept open: poll(2) tells of changes */
        nsec_t read; /* for a file */
        size_t n;
        struct mount *mounts;
};

int mount_table_new(const char *root, struct mount_table **ret) {
        struct mount_table *t = calloc(1, sizeof(*t));

        if (!t)
                return -ENOMEM;
        t->root = strdup(root);
        if (!t->root) {
                free(t);
                return -ENOMEM;
        }
        *ret = t;
        return 0;
}

int mount_table_new_own(const char *root, struct mount_table **ret) {
        int r = mount_table_new(root, ret);

        if (r == 0)
                (*ret)->own = true;
        return r;
}

static void free_mount(struct mount *m) {
        free(m->point);
        free(m->top);
}

static void forget(struct mount_table *t) {
        for (size_t i = 0; i < t->n; i++)
                free_mount(&t->mounts[i]);
        free(t->mounts);
        t->mounts = NULL;
        t->n = 0;
}

struct mount_table *mount_table_free(struct mount_table *t) {
        if (!t)
                return NULL;
        forget(t);
        fclosep(&t->file);
        free(t->root);
        free(t);
        return NULL;
}

/* The number of sys/class/block/NAME. */
static uint32_t read_number(const struct mount_table *t, const char *name) {
        char path[PATH_MAX], text[ATTRIBUTE_MAX], node[NAME_MAX + 1];
        uint32_t dev;

        if (!str_copy(node, sizeof(node), name))
                return 0;
        for (char *p = node; (p = strchr(p, '/')); )
                *p = '!'; /* as sysfs spells it */
        if (snprintf(path, sizeof(path), "%s/sys/class/block/%s/dev", t->root, node) >= (int) sizeof(path) ||
            fdio_read_at(AT_FDCWD, path, text, sizeof(text)) < 0 || dev_number_parse(text, &dev) < 0)
                return 0;
        return dev;
}

static int is_mapped(const struct dirent *entry) {
        return startswith(entry->d_name, "dm-") != NULL;
}

/* /dev/mapper/NAME is a link that udev makes; sysfs knows the name too. */
static uint32_t read_mapped_number(const struct mount_table *t, const char *name) {
        char path[PATH_MAX], text[ATTRIBUTE_MAX];
        struct dirent **entries = NULL;
        uint32_t dev = 0;
        int n = 0;

        if (snprintf(path, sizeof(path), "%s/sys/class/block", t->root) < (int) sizeof(path))
                n = scandir(path, &entries, is_mapped, NULL);
        for (int i = 0; i < n; i++) {
                if (dev == 0 &&
                    snprintf(path, sizeof(path), "%s/sys/class/block/%s/dm/name", t->root, entries[i]->d_name) <
                            (int) sizeof(path) &&
                    fdio_read_at(AT_FDCWD, path, text, sizeof(text)) >= 0 && streq(text, name))
                        dev = read_number(t, entries[i]->d_name);
                free(entries[i]);
        }
        free(entries);
        return dev;
}

static uint32_t find_in_sysfs(const struct mount_table *t, const char *name) {
        const char *mapped = startswith(name, "mapper/");

        return mapped ? read_mapped_number(t, mapped) : read_number(t, name);
}

/* Within the file system of /dev alone: a user may name what he mounts "/dev/../" and a file whose server never answers.
 * Returns a descriptor, or -errno: -ENOSYS before Linux 5.6. */
static int open_node(const char *name) {
        struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_BENEATH | RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS };
        _cleanup_close_ int dev = open(DEV_PREFIX, O_PATH | O_DIRECTORY | O_CLOEXEC);
        int fd = dev < 0 ? -1 : (int) syscall(SYS_openat2, dev, name, &how, sizeof(how));

        return fd < 0 ? -errno : fd;
}

uint32_t mount_table_find_node(const struct mount_table *t, const char *path) {
        const char *name = startswith(path, DEV_PREFIX);
        _cleanup_close_ int fd = -1;
        struct stat st;

        if (!name)
                return 0;
        if (!*t->root)
                fd = open_node(name);
        /* A hardened service may have no such nodes in its /dev. */
        if (fd < 0 || fstat(fd, &st) < 0)
                return find_in_sysfs(t, name);
        return S_ISBLK(st.st_mode) ? DEV_NUMBER(major(st.st_rdev), minor(st.st_rdev)) : 0;
}

static bool is_octal(char c) {
        return c >= '0' && c <= '7';
}

/* mountinfo writes blanks and backslashes as \NNN. */
static void unescape(char *s) {
        char *out = s;

        for (; *s; out++) {
                if (s[0] == '\\' && is_octal(s[1]) && is_octal(s[2]) && is_octal(s[3])) {
                        *out = (char) ((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
                        s += 4;
                } else
                        *out = *s++;
        }
        *out = '\0';
}

/* Those that may stand on a drive and yet be another process's to answer (fuseblk), or far away, are none of them. */
static bool is_disk_type(const char *type) {
        static const char *const types[] = { "ext4", "btrfs", "xfs", "f2fs", "ext3", "ext2", "squashfs", "erofs" };

        for (size_t i = 0; i < ARRAY_SIZE(types); i++)
                if (streq(types[i], type))
                        return true;
        return false;
}

/* The source of any other one with a number of its own is what its user says, and no drive. */
static bool may_stand_on_drive(const char *type) {
        return is_disk_type(type) || streq(type, "bcachefs");
}

/* "ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [TAGS...] - TYPE SOURCE OPTIONS" (proc_pid_mountinfo(5)) */
static int add_line(struct mount_table *t, char *line) {
        char *tail = strstr(line, " - "), *words[5], *type, *source;
        struct mount m = { 0 }, *mounts;

        if (!tail)
                return 0;
        *tail = '\0';
        tail += strlen(" - ");
        for (size_t i = 0; i < ARRAY_SIZE(words); i++)
                if (!(words[i] = strsep(&line, " ")))
                        return 0;
        type = strsep(&tail, " ");
        source = strsep(&tail, " ");
        if (!source || str_parse_u64(words[0], &m.id) < 0 || dev_number_parse(words[2], &m.dev) < 0)
                return 0;
        m.fs_dev = m.dev;
        m.disk = is_disk_type(type);
        if (DEV_MAJOR(m.dev) == 0) {
                unescape(source);
                m.dev = may_stand_on_drive(type) ? mount_table_find_node(t, source) : 0;
        }
        unescape(words[3]);
        unescape(words[4]);
        m.top = strdup(words[3]);
        m.point = strdup(words[4]);
        mounts = reallocarray(t->mounts, t->n + 1, sizeof(*mounts));
        if (mounts)
                t->mounts = mounts;
        if (!m.point || !m.top || !mounts) {
                free_mount(&m);
                return -ENOMEM;
        }
        t->mounts[t->n++] = m;
        return 0;
}

static FILE *open_file(const struct mount_table *t) {
        static const char *const names[] = { "1", "self" };
        FILE *f = NULL;

        for (size_t i = t->own; !f && i < ARRAY_SIZE(names); i++) {
                char path[PATH_MAX];
                if (snprintf(path, sizeof(path), "%s/proc/%s/mountinfo", t->root, names[i]) < (int) sizeof(path))
                        f = fopen(path, "re");
        }
        return f;
}

static bool has_changed(FILE *f) {
        struct pollfd p = { .fd = fileno(f), .events = POLLPRI };

        return poll(&p, 1, 0) > 0 && (p.revents & (POLLPRI | POLLERR));
}

/* Without memory or file the table is what it came to: a mount not found is a drive not known. Returns whether it was read. */
static bool refresh(struct mount_table *t) {
        _cleanup_free_ char *line = NULL;
        size_t size = 0;

        if (t->file && !has_changed(t->file))
                return false;
        forget(t);
        if (!t->file)
                t->file = open_file(t);
        if (!t->file)
                return true;
        rewind(t->file);
        while (getline(&line, &size, t->file) > 0)
                if (add_line(t, line) < 0)
                        break;
        return true;
}

uint32_t mount_table_find_file(struct mount_table *t, uint64_t id, uint32_t file_dev, nsec_t now) {
        if ((!t->file || nsec_sub(now, t->read) >= READ_INTERVAL_NS) && refresh(t))
                t->read = now;
        for (size_t i = 0; i < t->n; i++) {
                if (t->mounts[i].id != id)
                        continue;
                t->mounts[i].file_dev = file_dev;
                return t->mounts[i].dev;
        }
        for (size_t i = 0; i < t->n; i++)
                if (t->mounts[i].file_dev == file_dev)
                        return t->mounts[i].dev;
        return 0;
}

static bool lies_below(const char *path, const char *point) {
        size_t n = strlen(point);

        if (streq(point, "/"))
                return true;
        return strncmp(path, point, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

uint32_t mount_table_find_path(struct mount_table *t, const char *path, size_t *ret_length) {
        const struct mount *best = NULL;

        (void) refresh(t);
        for (size_t i = 0; i < t->n; i++)
                if (lies_below(path, t->mounts[i].point) && (!best || strlen(t->mounts[i].point) >= strlen(best->point)))
                        best = &t->mounts[i]; /* of two on one point the later one is on top */
        if (ret_length)
                *ret_length = best ? strlen(best->point) : 0;
        return best ? best->dev : 0;
}

void mount_table_each_disk(struct mount_table *t, mount_fn fn, void *userdata) {
        (void) refresh(t);
        for (size_t i = 0; i < t->n; i++) {
                const struct mount *m = &t->mounts[i];
                if (m->disk && m->dev != 0)
                        fn(userdata, &(struct mount_view){ m->id, m->dev, m->fs_dev, m->point, m->top });
        }
}
