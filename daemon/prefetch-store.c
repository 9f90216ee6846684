/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "checksum.h"
#include "fdio.h"
#include "macro.h"
#include "prefetch-store.h"
#include "str.h"

#define DIRECTORY "prefetch"
#define SUFFIX ".list"
#define SUFFIX_NEXT ".next"
#define SUFFIX_NEW ".new"
#define OFF "off" /* a file that is there where nothing is to be helped */

char *prefetch_store_name(const char *application, uint32_t uid, char ret[static PREFETCH_NAME_MAX]) {
        uint32_t first = checksum_crc32c(0, application, strlen(application)), second = checksum_crc32c(~first, application, strlen(application));

        snprintf(ret, PREFETCH_NAME_MAX, "%" PRIu32 "-%08x%08x" SUFFIX, uid, first, second);
        return ret;
}

int prefetch_store_open(const char *state_dir) {
        _cleanup_close_ int state = open(state_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
        int fd;

        if (state < 0)
                return -errno;
        if (mkdirat(state, DIRECTORY, 0700) < 0 && errno != EEXIST)
                return -errno;
        fd = openat(state, DIRECTORY, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        return fd < 0 ? -errno : fd;
}

int prefetch_store_lock(int dir_fd) {
        return flock(dir_fd, LOCK_EX) < 0 ? -errno : 0;
}

/* malloc'ed text, with a byte of room behind it. */
static ssize_t load_text(int dir_fd, const char *name, size_t most, char **ret) {
        ssize_t n = fdio_load_own(dir_fd, name, most, ret);

        return n == -ENOTSUP || n == -EFBIG ? -EBADMSG : n;
}

static int load(int dir_fd, const char *name, struct prefetch_list **ret) {
        _cleanup_free_ char *text = NULL;
        ssize_t n = load_text(dir_fd, name, PREFETCH_TEXT_MAX, &text);

        return n < 0 ? (int) n : prefetch_list_parse(text, (size_t) n, ret);
}

int prefetch_store_load(int dir_fd, const char *application, uint32_t uid, struct prefetch_list **ret) {
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = NULL;
        char name[PREFETCH_NAME_MAX];
        int r = load(dir_fd, prefetch_store_name(application, uid, name), &l);

        if (r < 0)
                return r;
        if (!streq(l->application, application) || l->uid != uid)
                return -EBADMSG;
        *ret = TAKE_PTR(l);
        return 0;
}

static bool ends_with(const char *name, const char *suffix) {
        size_t length = strlen(name);

        return length > strlen(suffix) && streq(name + length - strlen(suffix), suffix);
}

static bool is_list(const char *name) {
        return ends_with(name, SUFFIX);
}

/* A user with lists, and the one of them that has been unchanged for longest. */
struct owner {
        uint32_t uid;
        size_t lists;
        time_t when;
        char oldest[NAME_MAX + 1];
};

static bool note_list(int dir_fd, const char *name, struct owner *owners, size_t *n) {
        uint32_t uid = UINT32_MAX; /* of a file that is not ours */
        struct stat st;
        size_t i = 0;

        if (!is_list(name) || fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
                return false;
        (void) sscanf(name, "%" SCNu32 "-", &uid);
        while (i < *n && owners[i].uid != uid)
                i++;
        if (i == *n)
                owners[(*n)++] = (struct owner){ .uid = uid };
        if (owners[i].lists++ == 0 || st.st_mtim.tv_sec < owners[i].when) {
                owners[i].when = st.st_mtim.tv_sec;
                str_copy(owners[i].oldest, sizeof(owners[i].oldest), name);
        }
        return true;
}

/* Until there is room for one more. */
static void make_room(int dir_fd) {
        for (;;) {
                _cleanup_closedir_ DIR *d = fdio_open_directory(dir_fd, ".");
                struct owner owners[PREFETCH_LISTS_MAX], *giver = owners;
                size_t n_owners = 0, n = 0;
                if (!d)
                        return;
                for (const struct dirent *e; n < PREFETCH_LISTS_MAX && (e = readdir(d));)
                        n += note_list(dir_fd, e->d_name, owners, &n_owners);
                if (n < PREFETCH_LISTS_MAX)
                        return;
                for (struct owner *o = owners; o < owners + n_owners; o++)
                        if (o->lists > giver->lists || (o->lists == giver->lists && o->when < giver->when))
                                giver = o;
                if (unlinkat(dir_fd, giver->oldest, 0) < 0)
                        return;
        }
}

static int save_text(int dir_fd, const char *name, const char *text, size_t size) {
        char name_new[PREFETCH_NAME_MAX + sizeof(SUFFIX_NEW)];
        _cleanup_close_ int fd = -1;
        int r;

        snprintf(name_new, sizeof(name_new), "%s" SUFFIX_NEW, name);
        fd = fdio_create_own(dir_fd, name_new, 0600);
        if (fd < 0)
                return fd;
        r = fdio_write_all(fd, text, size);
        if (r == 0 && fsync(fd) < 0)
                r = -errno;
        if (r == 0 && renameat(dir_fd, name_new, dir_fd, name) < 0)
                r = -errno;
        if (r < 0) {
                unlinkat(dir_fd, name_new, 0);
                return r;
        }
        return fsync(dir_fd) < 0 ? -errno : 0;
}

int prefetch_store_save(int dir_fd, const struct prefetch_list *l) {
        char name[PREFETCH_NAME_MAX];
        _cleanup_free_ char *text = NULL;
        size_t size;
        int r = prefetch_list_format(l, &text, &size);

        if (r < 0)
                return r;
        if (size > PREFETCH_TEXT_MAX)
                return -EFBIG;
        if (faccessat(dir_fd, prefetch_store_name(l->application, l->uid, name), F_OK, 0) < 0)
                make_room(dir_fd);
        return save_text(dir_fd, name, text, size);
}

static char *name_next(uint32_t uid, char ret[static PREFETCH_NAME_MAX]) {
        snprintf(ret, PREFETCH_NAME_MAX, "%" PRIu32 SUFFIX_NEXT, uid);
        return ret;
}

int prefetch_store_load_next(int dir_fd, uint32_t uid, struct prefetch_next *ret) {
        _cleanup_free_ char *text = NULL;
        char name[PREFETCH_NAME_MAX];
        ssize_t n = load_text(dir_fd, name_next(uid, name), PREFETCH_NEXT_TEXT_MAX, &text);

        return n < 0 ? (int) n : prefetch_next_parse(text, (size_t) n, ret);
}

int prefetch_store_save_next(int dir_fd, uint32_t uid, const struct prefetch_next *next) {
        char name[PREFETCH_NAME_MAX], text[PREFETCH_NEXT_TEXT_MAX];

        return save_text(dir_fd, name_next(uid, name), text, prefetch_next_format(next, text));
}

int prefetch_store_each(int dir_fd, prefetch_store_fn fn, void *userdata) {
        _cleanup_closedir_ DIR *d = fdio_open_directory(dir_fd, ".");

        if (!d)
                return -errno;
        for (const struct dirent *e; (e = readdir(d));) {
                _cleanup_(prefetch_list_freep) struct prefetch_list *l = NULL;
                if (is_list(e->d_name) && load(dir_fd, e->d_name, &l) == 0)
                        fn(userdata, l);
        }
        return 0;
}

int prefetch_store_switch(int dir_fd, bool on) {
        _cleanup_close_ int fd = -1;

        if (on)
                return unlinkat(dir_fd, OFF, 0) < 0 && errno != ENOENT ? -errno : fsync(dir_fd) < 0 ? -errno : 0;
        fd = fdio_create_own(dir_fd, OFF, 0600);
        if (fd < 0)
                return fd;
        return fsync(fd) < 0 || fsync(dir_fd) < 0 ? -errno : 0;
}

bool prefetch_store_is_on(int dir_fd) {
        return faccessat(dir_fd, OFF, F_OK, AT_SYMLINK_NOFOLLOW) < 0;
}

int prefetch_store_forget(int dir_fd, const char *application) {
        _cleanup_closedir_ DIR *d = fdio_open_directory(dir_fd, ".");
        int n = 0;

        if (!d)
                return -errno;
        for (const struct dirent *e; (e = readdir(d));) {
                _cleanup_(prefetch_list_freep) struct prefetch_list *l = NULL;
                if (*application && !ends_with(e->d_name, SUFFIX_NEXT) &&
                    (!is_list(e->d_name) || load(dir_fd, e->d_name, &l) < 0 || !streq(l->application, application)))
                        continue;
                n += *e->d_name != '.' && !streq(e->d_name, OFF) && unlinkat(dir_fd, e->d_name, 0) == 0 && is_list(e->d_name);
        }
        return fsync(dir_fd) < 0 ? -errno : n;
}
