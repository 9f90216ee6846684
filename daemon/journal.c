/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each kind of death leaves behind.
 *
 * Killed process: all that was written is in the page cache, so the file is whole up to its last write(2), and that one
 * was made before the drive's. The next run finds originals, what was written, and what stood before.
 *
 * Power loss, panic: the kernel starts with fresh settings, and another boot id makes the entries void. The fsync is for
 * everything between the two: a state directory that goes read-only or loses its server while the machine runs on. So
 * an original is synced before its tunable is touched, and later records of the same tunable, which only repeat it, and
 * forgetting are not.
 *
 * Error while writing: the file is cut back to its last whole line. Where that or an fsync failed, it is not known what is
 * on disk (after a failed fsync the kernel calls dirty pages clean): then the next record writes a new file. */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "fdio.h"
#include "journal-private.h"
#include "macro.h"
#include "snapshot.h"
#include "str.h"

#define FILE_NAME "originals"
#define FILE_NAME_NEW "originals.new"
#define LOCK_NAME "lock"
#define LOCK_TRIES 100 /* a second */

#define ENTRIES_MAX ((size_t) SNAPSHOT_DEVICES_MAX * _TUNABLE_MAX) /* every tunable of every drive */
#define COMPACT_BYTES ((size_t) 64 * 1024) /* a day of changes every few seconds stays a file that is read in no time */
#define COMPACT_FACTOR 4                   /* and is not rewritten while most of it is alive */
#define FILE_BYTES_MAX ((size_t) 4 * 1024 * 1024) /* what a full journal can reach; more was not written by us */

static struct journal_entry *find(const struct journal *j, const char *device, enum tunable_id tunable) {
        for (size_t i = 0; i < j->n; i++)
                if (j->entries[i].tunable == tunable && streq(j->entries[i].device, device))
                        return &j->entries[i];
        return NULL;
}

/* Adds or replaces. Returns 0, -ENOMEM or -ENOSPC with ENTRIES_MAX of them. */
static int put(struct journal *j, const struct journal_entry *e) {
        struct journal_entry *there = find(j, e->device, e->tunable);

        if (there) {
                *there = *e;
                return 0;
        }
        if (j->n == ENTRIES_MAX)
                return -ENOSPC;
        if (j->n == j->allocated) {
                size_t wanted = MAX(16u, j->allocated * 2);
                struct journal_entry *grown = reallocarray(j->entries, wanted, sizeof(*grown));
                if (!grown)
                        return -ENOMEM;
                j->entries = grown;
                j->allocated = wanted;
        }
        j->entries[j->n++] = *e;
        return 0;
}

static void drop(struct journal *j, struct journal_entry *e) {
        *e = j->entries[--j->n];
}

static int sync_directory(struct journal *j) {
        j->directory_dirty = true;
        if (j->serves)
                return 0;
        if (fsync(j->dir_fd) < 0)
                return -errno;
        j->directory_dirty = false;
        return 0;
}

static int remove_file(struct journal *j) {
        j->fd = safe_close(j->fd);
        j->size = 0;
        if (unlinkat(j->dir_fd, FILE_NAME, 0) < 0 && errno != ENOENT) {
                j->suspect = true;
                return -errno;
        }
        j->suspect = false;
        return sync_directory(j);
}

int journal_remove_empty(struct journal *j) {
        int r;

        if (j->pass_on)
                return 0;
        r = j->n + j->n_priorities == 0 ? remove_file(j) : 0;
        return r < 0 ? r : j->n + j->n_priorities == 0;
}

static int write_entries(struct journal *j, int fd, size_t *ret_size) {
        char line[JOURNAL_LINE_MAX];
        size_t size = 0;

        for (size_t i = 0; i < j->n + j->n_priorities; i++) {
                int length = i < j->n ? journal_line_format(line, j->boot_id, JOURNAL_LINE_ORIGINAL, &j->entries[i]) :
                                        journal_line_format_priority(line, j->boot_id, JOURNAL_LINE_PRIORITY, &j->priorities[i - j->n]);
                int r = length < 0 ? length : fdio_write_all(fd, line, (size_t) length);
                if (r < 0)
                        return r;
                size += (size_t) length;
        }
        if (!j->serves && fsync(fd) < 0) /* else the next worker syncs it */
                return -errno;
        *ret_size = size;
        return 0;
}

/* Writes what is alive into a new file that takes the old one's place at once. */
static int rewrite(struct journal *j) {
        _cleanup_close_ int fd = -1;
        size_t size = 0;
        int r;

        r = journal_remove_empty(j);
        if (r != 0)
                return r < 0 ? r : 0;
        fd = fdio_create_own(j->dir_fd, FILE_NAME_NEW, 0644);
        if (fd < 0)
                return fd;
        r = write_entries(j, fd, &size);
        if (r == 0 && renameat(j->dir_fd, FILE_NAME_NEW, j->dir_fd, FILE_NAME) < 0)
                r = -errno;
        if (r < 0) {
                unlinkat(j->dir_fd, FILE_NAME_NEW, 0);
                return r;
        }
        safe_close(j->fd);
        j->fd = TAKE_FD(fd);
        j->size = size;
        j->suspect = false;
        return sync_directory(j);
}

int journal_append_line(struct journal *j, const char *line, int length) {
        int r;

        if (length < 0)
                return length;
        if (j->pass_on)
                return j->pass_on(j->userdata, line, (size_t) length);
        if (j->suspect) {
                r = rewrite(j);
                if (r < 0)
                        return r;
        }
        if (j->fd < 0) {
                j->fd = fdio_open_own(j->dir_fd, FILE_NAME, O_WRONLY | O_CREAT | O_APPEND);
                if (j->fd < 0)
                        return j->fd;
                j->directory_dirty = true;
        }
        r = fdio_write_all(j->fd, line, (size_t) length);
        if (r < 0) {
                if (ftruncate(j->fd, (off_t) j->size) < 0)
                        j->suspect = true;
                return r;
        }
        j->size += (size_t) length;
        return 0;
}

static int append(struct journal *j, enum journal_line_kind kind, const struct journal_entry *e) {
        char line[JOURNAL_LINE_MAX];

        return journal_append_line(j, line, journal_line_format(line, j->boot_id, kind, e));
}

void journal_compact(struct journal *j) {
        if (!j->pass_on && j->size > COMPACT_BYTES && j->size > (j->n + j->n_priorities) * JOURNAL_LINE_MAX * COMPACT_FACTOR)
                (void) rewrite(j); /* the long file is as good as the short one */
}

/* The file's name may be new, and the file another than before. */
static int sync_from_outside(struct journal *j) {
        _cleanup_close_ int fd = openat(j->dir_fd, FILE_NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        int r = fd < 0 || fsync(fd) < 0 || fsync(j->dir_fd) < 0 ? -errno : 0;

        if (r < 0)
                (void) j->pass_on(j->userdata, NULL, 0);
        return r;
}

int journal_sync(struct journal *j) {
        if (j->pass_on)
                return sync_from_outside(j);
        if (j->fd >= 0 && fsync(j->fd) < 0) {
                j->suspect = true;
                return -errno;
        }
        return j->directory_dirty ? sync_directory(j) : 0;
}

static int take_note(struct journal *j, const struct journal_entry *e) {
        int r = append(j, JOURNAL_LINE_ORIGINAL, e);

        if (r < 0)
                return r;
        r = put(j, e);
        if (r < 0)
                j->suspect = true; /* the file says more than we know */
        else
                journal_compact(j);
        return r;
}

int journal_note(struct journal *j, const char *device, unsigned long long diskseq, enum tunable_id tunable,
                 const char *scheduler, const char *before, const char *value) {
        const struct journal_entry *known = find(j, device, tunable);
        struct journal_entry e = { .diskseq = diskseq, .tunable = tunable };

        if (known)
                e = *known;
        else if (!str_copy(e.device, sizeof(e.device), device) || !str_copy(e.scheduler, sizeof(e.scheduler), scheduler) ||
                 !str_copy(e.original, sizeof(e.original), before))
                return -EINVAL;
        if (!str_copy(e.before, sizeof(e.before), before) || !str_copy(e.written, sizeof(e.written), value))
                return -EINVAL;
        return take_note(j, &e);
}

int journal_record(struct journal *j, const char *device, unsigned long long diskseq, enum tunable_id tunable,
                   const char *scheduler, const char *before, const char *value) {
        bool first = !find(j, device, tunable);
        int r;

        r = journal_note(j, device, diskseq, tunable, scheduler, before, value);
        if (r < 0 || !first)
                return r;
        r = journal_sync(j);
        if (r < 0 && j->pass_on)
                (void) journal_forget(j, device, tunable);
        else if (r < 0)
                drop(j, find(j, device, tunable));
        return r;
}

int journal_forget(struct journal *j, const char *device, enum tunable_id tunable) {
        struct journal_entry *e = find(j, device, tunable), forgotten;
        int r;

        if (!e)
                return 0;
        forgotten = *e;
        drop(j, e);
        r = journal_remove_empty(j);
        if (r != 0)
                return r < 0 ? r : 0;
        r = append(j, JOURNAL_LINE_FORGET, &forgotten);
        if (r < 0)
                j->suspect = true; /* it still says what is no longer so */
        return r;
}

void journal_forget_device(struct journal *j, const char *device) {
        for (size_t i = j->n; i-- > 0;)
                if (streq(j->entries[i].device, device))
                        (void) journal_forget(j, device, j->entries[i].tunable);
}

size_t journal_count(const struct journal *j) {
        return j->n;
}

const struct journal_entry *journal_get(const struct journal *j, size_t i) {
        return i < j->n ? &j->entries[i] : NULL;
}

const struct journal_entry *journal_find(const struct journal *j, const char *device, enum tunable_id tunable) {
        return find(j, device, tunable);
}

static int take_line(struct journal *j, const char *line, size_t length, unsigned *damaged, bool *ret_stale) {
        struct journal_entry *there;
        union journal_record record;
        int kind = journal_line_parse(line, length, j->boot_id, &record);

        switch (kind) {
        case JOURNAL_LINE_ORIGINAL:
                return put(j, &record.entry);
        case JOURNAL_LINE_FORGET:
                there = find(j, record.entry.device, record.entry.tunable);
                if (there)
                        drop(j, there);
                return 0;
        case JOURNAL_LINE_PRIORITY:
        case JOURNAL_LINE_RETURN:
                journal_take_priority(j, (enum journal_line_kind) kind, &record.priority);
                return 0;
        case -ESTALE:
                *ret_stale = true;
                return 0;
        }
        (*damaged)++;
        return 0;
}

static int take_text(struct journal *j, const char *text, size_t length, unsigned *damaged, bool *ret_stale) {
        for (size_t at = 0; at < length;) {
                const char *newline = memchr(text + at, '\n', length - at);
                size_t n = newline ? (size_t) (newline - text) - at : length - at;
                int r;
                if (!newline) { /* cut short, even where what is there happens to be whole */
                        (*damaged)++;
                        return 0;
                }
                r = take_line(j, text + at, n, damaged, ret_stale);
                if (r < 0)
                        return r;
                at += n + 1;
        }
        return 0;
}

static int load(struct journal *j, unsigned *damaged) {
        _cleanup_close_ int fd = fdio_open_own(j->dir_fd, FILE_NAME, O_RDWR | O_APPEND);
        _cleanup_free_ char *text = NULL;
        bool stale = false;
        struct stat st;
        ssize_t n;
        size_t length;
        int r;

        if (fd < 0)
                return fd == -ENOENT ? 0 : fd;
        if (fstat(fd, &st) < 0)
                return -errno;
        length = (size_t) MIN(st.st_size, (off_t) FILE_BYTES_MAX);
        text = malloc(length + 1);
        if (!text)
                return -ENOMEM;
        n = fdio_read_all(fd, text, length);
        if (n < 0)
                return (int) n;
        length = (size_t) n;
        r = take_text(j, text, length, damaged, &stale);
        if (r < 0)
                return r;
        if (stale) /* what a power loss cut short is void with the rest: a file is of one boot */
                *damaged = 0;
        j->fd = TAKE_FD(fd);
        j->size = length;
        if (stale || j->n + j->n_priorities == 0 || *damaged > 0 || (off_t) length < st.st_size) {
                j->suspect = true;
                (void) rewrite(j); /* a full disk must not keep the originals from being restored */
        }
        return 0;
}

/* A worker that was forked a moment before its briod was killed has the lock until it is its turn to end. */
static int take_lock(int fd) {
        const struct timespec moment = { .tv_nsec = 10 * NSEC_PER_MSEC };

        for (unsigned tries = 0; flock(fd, LOCK_EX | LOCK_NB) < 0; tries++) {
                if (errno != EWOULDBLOCK)
                        return -errno;
                if (tries == LOCK_TRIES)
                        return -EBUSY;
                (void) nanosleep(&moment, NULL);
        }
        return 0;
}

static int lock_directory(struct journal *j, const char *dir) {
        int r = fdio_mkdir_parents(dir);

        if (r < 0)
                return r;
        j->dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (j->dir_fd < 0)
                return -errno;
        j->lock_fd = fdio_open_own(j->dir_fd, LOCK_NAME, O_RDWR | O_CREAT);
        if (j->lock_fd < 0)
                return j->lock_fd;
        return take_lock(j->lock_fd);
}

int journal_open(const char *dir, const char *boot_id, struct journal **ret, unsigned *ret_damaged) {
        struct journal *j = calloc(1, sizeof(*j));
        unsigned damaged = 0;
        int r;

        if (!j)
                return -ENOMEM;
        j->dir_fd = j->lock_fd = j->fd = -1;
        r = str_copy(j->boot_id, sizeof(j->boot_id), boot_id) ? lock_directory(j, dir) : -EINVAL;
        if (r == 0)
                r = load(j, &damaged);
        if (r < 0) {
                journal_close(j);
                return r;
        }
        *ret = j;
        *ret_damaged = damaged;
        return 0;
}

struct journal *journal_close(struct journal *j) {
        if (!j)
                return NULL;
        safe_close(j->fd);
        safe_close(j->lock_fd);
        safe_close(j->dir_fd);
        free(j->entries);
        free(j);
        return NULL;
}

void journal_become_worker(struct journal *j, journal_pass_on_fn pass_on, void *userdata) {
        j->fd = safe_close(j->fd);
        j->lock_fd = safe_close(j->lock_fd);
        j->pass_on = pass_on;
        j->userdata = userdata;
}

int journal_directory(const struct journal *j) {
        return j->dir_fd;
}

/* A place in the lock file for each name (FNV-1a). */
static off_t place_of(const char *device) {
        uint64_t hash = 0xcbf29ce484222325u;

        for (; *device; device++)
                hash = (hash ^ (unsigned char) *device) * 0x100000001b3u;
        return (off_t) (hash >> 2);
}

/* A lock of the process, not of the descriptor, and another than the directory's: the kernel drops it when the last write of a killed
 * worker has come to its end. The descriptor stays open, as closing it would drop the lock. */
void journal_claim_device(struct journal *j, const char *device) {
        struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = place_of(device), .l_len = 1 };

        j->lock_fd = openat(j->dir_fd, LOCK_NAME, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
        if (j->lock_fd >= 0)
                (void) fcntl(j->lock_fd, F_SETLKW, &lock);
}

int journal_take_passed(struct journal *j, const char *line, size_t length) {
        union journal_record record;

        j->serves = true;
        if (length == 0) {
                j->suspect = true;
                return 0;
        }
        switch (journal_line_parse(line, length - 1, j->boot_id, &record)) {
        case JOURNAL_LINE_ORIGINAL:
                return take_note(j, &record.entry);
        case JOURNAL_LINE_FORGET:
                return journal_forget(j, record.entry.device, record.entry.tunable);
        }
        return -EBADMSG;
}
