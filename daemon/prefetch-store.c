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
/* A line that says what it is, one for each application that is switched off, and the checksum. */
#define OFF_NAMES "off.names"
#define OFF_MAGIC "brio1\toff"
#define OFF_TEXT_MAX ((PREFETCH_OFF_MAX + 2) * APPLICATION_MAX)

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

static int parse_off(char *text, size_t size, struct prefetch_off *ret) {
        const char *line;

        text[size] = '\0';
        if (!checksum_unseal(text, size) || !streq(strsep(&text, "\n"), OFF_MAGIC))
                return -EBADMSG;
        while (ret->n < PREFETCH_OFF_MAX && (line = strsep(&text, "\n")) && text)
                str_copy(ret->applications[ret->n++], APPLICATION_MAX, line);
        return 0;
}

void prefetch_store_load_off(int dir_fd, struct prefetch_off *ret) {
        _cleanup_free_ char *text = NULL;
        ssize_t n = load_text(dir_fd, OFF_NAMES, OFF_TEXT_MAX, &text);

        ret->n = 0;
        if (n >= 0)
                (void) parse_off(text, (size_t) n, ret);
}

static bool is_off(const struct prefetch_off *off, const char *application) {
        for (size_t i = 0; i < off->n; i++)
                if (streq(off->applications[i], application))
                        return true;
        return false;
}

int prefetch_store_load(int dir_fd, const char *application, uint32_t uid, struct prefetch_list **ret) {
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = NULL;
        char name[PREFETCH_NAME_MAX];
        struct prefetch_off off;
        int r = load(dir_fd, prefetch_store_name(application, uid, name), &l);

        if (r < 0)
                return r;
        if (!streq(l->application, application) || l->uid != uid)
                return -EBADMSG;
        prefetch_store_load_off(dir_fd, &off);
        l->off |= is_off(&off, application);
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

/* UINT32_MAX: of a file that is not ours. */
static uint32_t owner_of(const char *name) {
        uint32_t uid = UINT32_MAX;

        (void) sscanf(name, "%" SCNu32 "-", &uid);
        return uid;
}

/* A user with lists, and the one of them that has been unchanged for longest. */
struct owner {
        uint32_t uid;
        size_t lists;
        time_t when;
        char oldest[NAME_MAX + 1];
};

static bool note_list(int dir_fd, const char *name, struct owner *owners, size_t *n) {
        uint32_t uid = owner_of(name);
        struct stat st;
        size_t i = 0;

        if (!is_list(name) || fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
                return false;
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

int prefetch_store_each(int dir_fd, uint32_t uid, prefetch_store_fn fn, void *userdata) {
        _cleanup_closedir_ DIR *d = fdio_open_directory(dir_fd, ".");
        struct prefetch_off off;

        if (!d)
                return -errno;
        prefetch_store_load_off(dir_fd, &off);
        for (const struct dirent *e; (e = readdir(d));) {
                _cleanup_(prefetch_list_freep) struct prefetch_list *l = NULL;
                if (!is_list(e->d_name) || (uid != PREFETCH_EVERYBODY && owner_of(e->d_name) != uid) || load(dir_fd, e->d_name, &l) < 0)
                        continue;
                l->off |= is_off(&off, l->application);
                fn(userdata, l);
        }
        return 0;
}

static int save_off(int dir_fd, const struct prefetch_off *off) {
        char text[OFF_TEXT_MAX] = OFF_MAGIC "\n";

        for (size_t i = 0; i < off->n; i++)
                str_append(text, sizeof(text), "%s\n", off->applications[i]);
        str_append(text, sizeof(text), "\t%08x", checksum_crc32c(0, text, strlen(text)));
        return save_text(dir_fd, OFF_NAMES, text, strlen(text));
}

static int switch_application(int dir_fd, const char *application, bool on) {
        struct prefetch_off off;
        size_t i = 0;
        int r;

        if (!str_is_text(application) || strlen(application) >= APPLICATION_MAX)
                return -EINVAL;
        prefetch_store_load_off(dir_fd, &off);
        while (i < off.n && !streq(off.applications[i], application))
                i++;
        if ((i == off.n) == on)
                return 0;
        if (!on && off.n == PREFETCH_OFF_MAX)
                return -E2BIG;
        if (on)
                memmove(off.applications[i], off.applications[i + 1], (--off.n - i) * sizeof(off.applications[i]));
        else
                str_copy(off.applications[off.n++], APPLICATION_MAX, application);
        r = save_off(dir_fd, &off);
        return r < 0 ? r : 1;
}

static int switch_all(int dir_fd, bool on) {
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

int prefetch_store_switch(int dir_fd, const char *application, bool on) {
        return *application ? switch_application(dir_fd, application, on) : switch_all(dir_fd, on);
}

/* What is started after logins; also what cannot be read may name it. */
static bool is_next_with(int dir_fd, const char *name, const char *application) {
        _cleanup_free_ char *text = NULL;
        struct prefetch_next next;
        ssize_t n;

        if (!ends_with(name, SUFFIX_NEXT))
                return false;
        n = load_text(dir_fd, name, PREFETCH_NEXT_TEXT_MAX, &text);
        if (n < 0 || prefetch_next_parse(text, (size_t) n, &next) < 0)
                return true;
        for (size_t i = 0; i < next.n; i++)
                if (streq(next.applications[i].application, application))
                        return true;
        return false;
}

static bool is_list_of(int dir_fd, const char *name, const char *application) {
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = NULL;

        return is_list(name) && load(dir_fd, name, &l) == 0 && streq(l->application, application);
}

static bool is_kept_always(const char *name) {
        return *name == '.' || streq(name, OFF) || streq(name, OFF_NAMES);
}

int prefetch_store_forget(int dir_fd, const char *application) {
        _cleanup_closedir_ DIR *d = fdio_open_directory(dir_fd, ".");
        int n = 0;

        if (!d)
                return -errno;
        for (const struct dirent *e; (e = readdir(d));) {
                if (*application ? !is_list_of(dir_fd, e->d_name, application) && !is_next_with(dir_fd, e->d_name, application) : is_kept_always(e->d_name))
                        continue;
                n += unlinkat(dir_fd, e->d_name, 0) == 0 && is_list(e->d_name);
        }
        return fsync(dir_fd) < 0 ? -errno : n;
}
