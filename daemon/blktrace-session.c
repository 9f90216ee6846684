/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/blktrace_api.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "blktrace-session.h"
#include "clock.h"
#include "event.h"
#include "fdio.h"
#include "macro.h"
#include "str.h"

#define DEBUG_DIR "/sys/kernel/debug"
#define BLOCK_DIR DEBUG_DIR "/block"
#define LOCKDOWN_FILE "/sys/kernel/security/lockdown"

/* linux/blktrace_api.h of Linux 6.19, for headers that are older. */
struct blktrace_setup2 {
        char name[64];
        uint64_t action_mask;
        uint32_t buffer_bytes, buffers;
        uint64_t first_sector, last_sector;
        uint32_t pid, flags;
        uint64_t reserved[11];
};

_Static_assert(sizeof(struct blktrace_setup2) == 192, "as the kernel has it");
#define SETUP2 _IOWR(0x12, 142, struct blktrace_setup2)

/* Each event is one of reads or of writes, so this is all of them; a split is of no other category. Without NOTIFY there are no messages. */
#define ACTION_MASK (BLK_TC_READ | BLK_TC_WRITE)

/* Where what is told ends: behind any drive, and where no other program would have it end. It shows in sysfs, so that one that was made and
 * not noted yet is known. */
#define LAST_SECTOR (UINT64_MAX - 0x6272696fu)

static void block_path(char *buf, size_t size, const struct blktrace_place *place, const char *file) {
        snprintf(buf, size, BLOCK_DIR "/%s/%s", place->name, file);
}

/* A file of the kernel's own that lockdown refuses as it does the relay files: one that could be written. ret: what opening one says. */
static bool try_writable_file(int *ret) {
        _cleanup_closedir_ DIR *d = opendir(BLOCK_DIR);
        const struct dirent *e;
        bool tried = false;

        while (d && !tried && (e = readdir(d))) {
                char path[PATH_MAX];
                _cleanup_close_ int fd = -1;

                if (*e->d_name == '.')
                        continue;
                snprintf(path, sizeof(path), BLOCK_DIR "/%s/state", e->d_name);
                fd = open(path, O_RDONLY | O_CLOEXEC);
                *ret = fd < 0 ? -errno : 0;
                tried = *ret != -ENOENT;
        }
        return tried;
}

static bool is_locked_down(void) {
        char text[ATTRIBUTE_MAX];
        int error;

        if (fdio_read_at(AT_FDCWD, LOCKDOWN_FILE, text, sizeof(text)) >= 0)
                return !strstr(text, "[none]");
        return try_writable_file(&error) && error == -EPERM;
}

/* Whether a drive of /sys has its node. Without drives that is not known, and nothing to complain of. */
static bool has_nodes(void) {
        _cleanup_closedir_ DIR *d = opendir("/sys/block");
        const struct dirent *e;
        bool any = false, found = false;

        while (d && !found && (e = readdir(d))) {
                char path[PATH_MAX];

                if (*e->d_name == '.')
                        continue;
                any = true;
                snprintf(path, sizeof(path), "/dev/%s", e->d_name);
                found = access(path, F_OK) == 0;
        }
        return found || !any;
}

static bool is_mounted(void) {
        struct statfs fs;

        return statfs(DEBUG_DIR, &fs) == 0 && fs.f_type == DEBUGFS_MAGIC;
}

enum blktrace_obstacle blktrace_obstacle(void) {
        if (is_locked_down())
                return BLKTRACE_LOCKED_DOWN;
        if (!is_mounted())
                return geteuid() == 0 ? BLKTRACE_NOT_MOUNTED : BLKTRACE_FORBIDDEN; /* a user that may not look into it sees no file system either */
        if (access(BLOCK_DIR, R_OK | X_OK) < 0)
                return errno == ENOENT ? BLKTRACE_NOT_BUILT : BLKTRACE_FORBIDDEN;
        return has_nodes() ? BLKTRACE_POSSIBLE : BLKTRACE_NO_NODES;
}

const char *blktrace_obstacle_to_sentence(enum blktrace_obstacle o) {
        switch (o) {
        case BLKTRACE_POSSIBLE:
                return NULL;
        case BLKTRACE_NOT_MOUNTED:
                return "debugfs is not mounted; mount -t debugfs debugfs /sys/kernel/debug";
        case BLKTRACE_NOT_BUILT:
                return "this kernel has no blktrace; it needs CONFIG_BLK_DEV_IO_TRACE";
        case BLKTRACE_FORBIDDEN:
                return "not permitted; briod needs to be root";
        case BLKTRACE_LOCKED_DOWN:
                return "the kernel is locked down, as with Secure Boot, and does not give blktrace's buffers; it would without Secure Boot "
                       "or lockdown=; tracefs works under lockdown integrity";
        case BLKTRACE_NO_NODES:
                return "the drives' nodes in /dev are hidden from briod; a drop-in of briod.service shows them: see --source in briod(8)";
        }
        return NULL;
}

int blktrace_place_find(uint32_t dev, struct blktrace_place *ret) {
        struct blktrace_place p = { .dev = dev };
        char path[PATH_MAX], target[PATH_MAX];
        const char *name;
        ssize_t n;

        snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", DEV_MAJOR(dev), DEV_MINOR(dev));
        n = readlink(path, target, sizeof(target) - 1);
        if (n < 0)
                return -ENODEV;
        target[n] = '\0';
        name = strrchr(target, '/');
        if (!name || !str_copy(p.name, sizeof(p.name), name + 1))
                return -ENODEV;
        *ret = p;
        return 0;
}

/* The kernel writes a slash in a node's name as an exclamation mark. Closed soon: an open drive cannot be let go. */
static int open_node(const struct blktrace_place *place) {
        char path[PATH_MAX];
        _cleanup_close_ int fd = -1;
        struct stat st;

        snprintf(path, sizeof(path), "/dev/%s", place->name);
        for (char *c = path; *c; c++)
                if (*c == '!')
                        *c = '/';
        fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        if (fd < 0 || fstat(fd, &st) < 0 || !S_ISBLK(st.st_mode) || st.st_rdev != makedev(DEV_MAJOR(place->dev), DEV_MINOR(place->dev)))
                return -ENXIO;
        return TAKE_FD(fd);
}

/* What tells this trace from another of the same drive. */
static int identify(const struct blktrace_place *place, uint64_t *ret_inode, nsec_t *ret_made) {
        char path[PATH_MAX];
        struct stat st;

        block_path(path, sizeof(path), place, "dropped");
        if (stat(path, &st) < 0)
                return -errno;
        *ret_inode = st.st_ino;
        *ret_made = (nsec_t) st.st_mtim.tv_sec * NSEC_PER_SEC + (nsec_t) st.st_mtim.tv_nsec;
        return 0;
}

static bool ends_as_ours(const struct blktrace_place *place) {
        char path[PATH_MAX], text[ATTRIBUTE_MAX];
        uint64_t last;

        snprintf(path, sizeof(path), "/sys/block/%s/trace/end_lba", place->name);
        return fdio_read_at(AT_FDCWD, path, text, sizeof(text)) >= 0 && str_parse_u64(text, &last) == 0 && last == LAST_SECTOR;
}

static bool is_ours(const struct blktrace_place *place, const struct blktrace_state *state) {
        const struct blktrace_mark *mark = blktrace_state_find(state, place->name);
        uint64_t inode;
        nsec_t made;

        if (!mark || identify(place, &inode, &made) < 0 || !blktrace_mark_is(mark, inode, made))
                return false;
        return mark->inode != 0 || ends_as_ours(place); /* the moment alone may be another program's, too */
}

/* Older kernels forget a trace that runs when it is torn down, and leave its files. */
static void tear_down(int node) {
        (void) ioctl(node, BLKTRACESTOP);
        (void) ioctl(node, BLKTRACETEARDOWN);
}

/* Version 2 first: Linux 6.19 leaves out of version 1 what that has no bits for, and writes with FUA as well. An ioctl that a kernel
 * does not know goes to the driver, which may say anything. */
static int set_up(int node, uint32_t buffer_bytes, uint32_t n) {
        struct blktrace_setup2 two = { .action_mask = ACTION_MASK, .buffer_bytes = buffer_bytes, .buffers = n, .last_sector = LAST_SECTOR };
        struct blk_user_trace_setup one = { .act_mask = ACTION_MASK, .buf_size = buffer_bytes, .buf_nr = n, .end_lba = LAST_SECTOR };

        if (ioctl(node, SETUP2, &two) >= 0)
                return 0;
        if (errno == EBUSY || errno == ENOMEM)
                return -errno;
        return ioctl(node, BLKTRACESETUP, &one) < 0 ? -errno : 0;
}

static int note(const struct blktrace_place *place, struct blktrace_state *state, uint64_t inode, nsec_t made) {
        struct blktrace_mark mark = { .inode = inode, .made = made };

        str_copy(mark.name, sizeof(mark.name), place->name);
        return blktrace_state_note(state, &mark);
}

/* From here on the trace is there, and ours. */
static int begin_made(int node, const struct blktrace_place *place, struct blktrace_state *state) {
        uint64_t inode;
        nsec_t made;
        int r = identify(place, &inode, &made);

        if (r >= 0)
                r = note(place, state, inode, made);
        if (r >= 0 && ioctl(node, BLKTRACESTART) < 0)
                r = -errno;
        if (r < 0)
                tear_down(node);
        return r;
}

int blktrace_session_begin(const struct blktrace_place *place, uint32_t buffer_bytes, uint32_t n, struct blktrace_state *state) {
        _cleanup_close_ int node = open_node(place);
        int r;

        if (node < 0)
                return node;
        if (is_ours(place, state))
                tear_down(node);
        r = note(place, state, 0, clock_now(CLOCK_REALTIME));
        if (r < 0)
                return r;
        r = set_up(node, buffer_bytes, n);
        if (r >= 0)
                r = begin_made(node, place, state);
        if (r < 0)
                (void) blktrace_state_forget(state, place->name);
        return r;
}

void blktrace_session_end(const struct blktrace_place *place, struct blktrace_state *state) {
        _cleanup_close_ int node = -1;

        if (is_ours(place, state)) {
                node = open_node(place);
                if (node < 0) /* left to the next run */
                        return;
                tear_down(node);
        }
        (void) blktrace_state_forget(state, place->name);
}

int blktrace_session_open_cpu(const struct blktrace_place *place, unsigned cpu) {
        char path[PATH_MAX], file[32];
        int fd;

        snprintf(file, sizeof(file), "trace%u", cpu);
        block_path(path, sizeof(path), place, file);
        fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        return fd < 0 ? -errno : fd;
}

uint64_t blktrace_session_dropped(const struct blktrace_place *place) {
        char path[PATH_MAX], text[ATTRIBUTE_MAX];
        uint64_t n;

        block_path(path, sizeof(path), place, "dropped");
        return fdio_read_at(AT_FDCWD, path, text, sizeof(text)) >= 0 && str_parse_u64(text, &n) == 0 ? n : 0;
}

static bool find_by_name(const char *name, struct blktrace_place *ret) {
        char path[PATH_MAX], text[ATTRIBUTE_MAX];

        snprintf(path, sizeof(path), "/sys/block/%s/dev", name);
        if (fdio_read_at(AT_FDCWD, path, text, sizeof(text)) < 0 || dev_number_parse(text, &ret->dev) < 0)
                return false;
        return str_copy(ret->name, sizeof(ret->name), name);
}

size_t blktrace_session_clean_up(struct blktrace_state *state) {
        size_t removed = 0;

        if (!is_mounted())
                return 0;
        for (size_t i = state->n; i > 0; i--) { /* the last one takes the place of one that is forgotten */
                struct blktrace_place place = { 0 };
                bool there = find_by_name(state->marks[i - 1].name, &place) && is_ours(&place, state);
                size_t n = state->n;

                if (!there) {
                        (void) blktrace_state_forget(state, state->marks[i - 1].name);
                        continue;
                }
                blktrace_session_end(&place, state);
                removed += state->n < n;
        }
        return removed;
}
