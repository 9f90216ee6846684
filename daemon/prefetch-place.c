/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "macro.h"
#include "prefetch-place.h"

/* How often the way to a place is looked for: another process's rename, or mount, may spoil it. */
#define TRIES 8

static void free_texts(struct prefetch_place *place) {
        free((char *) place->point);
        free((char *) place->top);
}

/* Where one on that point stands, or is to stand; NULL: there is no room. */
static struct prefetch_place *find_room(struct prefetch_places *p, const char *point) {
        struct prefetch_place *places;

        for (size_t i = 0; i < p->n; i++)
                if (streq(p->places[i].point, point))
                        return &p->places[i];
        places = p->n < PREFETCH_PLACES_MAX ? reallocarray(p->places, p->n + 1, sizeof(*places)) : NULL;
        if (!places)
                return NULL;
        p->places = places;
        places[p->n] = (struct prefetch_place){ 0 };
        return &places[p->n];
}

bool prefetch_places_add(struct prefetch_places *p, const struct prefetch_place *place) {
        struct prefetch_place copy = *place, *room = find_room(p, place->point);

        copy.point = strdup(place->point);
        copy.top = strdup(place->top);
        if (!room || !copy.point || !copy.top) {
                free_texts(&copy);
                p->refused++;
                return false;
        }
        p->n += !room->point;
        free_texts(room);
        *room = copy;
        return true;
}

void prefetch_places_done(struct prefetch_places *p) {
        for (size_t i = 0; i < p->n; i++)
                free_texts(&p->places[i]);
        free(p->places);
        *p = (struct prefetch_places){ 0 };
}

/* What of path is below a directory, with its slash; NULL: it is not. */
static const char *below(const char *path, const char *directory) {
        size_t length = streq(directory, "/") ? 0 : strlen(directory);

        return strncmp(path, directory, length) == 0 && path[length] == '/' ? path + length : NULL;
}

static bool join(const char *directory, const char *rest, char ret[static PREFETCH_PATH_MAX]) {
        return snprintf(ret, PREFETCH_PATH_MAX, "%s%s", streq(directory, "/") ? "" : directory, rest) < PREFETCH_PATH_MAX;
}

bool prefetch_places_locate(const struct prefetch_places *p, uint32_t fs_dev, const char *path, char ret[static PREFETCH_PATH_MAX]) {
        for (size_t i = 0; i < p->n; i++) {
                const char *rest = p->places[i].fs_dev == fs_dev ? below(path, p->places[i].top) : NULL;
                if (rest)
                        return join(p->places[i].point, rest, ret);
        }
        return false;
}

bool prefetch_places_unlocate(const struct prefetch_places *p, uint32_t fs_dev, const char *path, char ret[static PREFETCH_PATH_MAX]) {
        for (size_t i = 0; i < p->n; i++) {
                const char *rest = p->places[i].fs_dev == fs_dev ? below(path, p->places[i].point) : NULL;
                if (rest)
                        return join(p->places[i].top, rest, ret);
        }
        return false;
}

/* Of several the one that is furthest down. */
const struct prefetch_place *prefetch_places_find(const struct prefetch_places *p, const char *path) {
        const struct prefetch_place *best = NULL;

        for (size_t i = 0; i < p->n; i++)
                if (below(path, p->places[i].point) && (!best || strlen(p->places[i].point) > strlen(best->point)))
                        best = &p->places[i];
        return best;
}

static int open_below(int dir_fd, const char *path, int flags, uint64_t resolve) {
        struct open_how how = { .flags = (uint64_t) (flags | O_NOFOLLOW | O_CLOEXEC), .resolve = resolve | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS };
        int fd = (int) syscall(SYS_openat2, dir_fd, path, &how, sizeof(how));

        return fd < 0 ? -errno : fd;
}

/* What is mounted, and the way there, the kernel has in memory: it is asked nowhere else (RESOLVE_CACHED). A server that has taken a request and never answers
 * would keep even a process that is killed. */
int prefetch_place_open(const struct prefetch_place *place) {
        _cleanup_close_ int fd = -EAGAIN;
        struct statx st;

        for (unsigned i = 0; i < TRIES && fd == -EAGAIN; i++)
                fd = open_below(AT_FDCWD, place->point, O_PATH | O_DIRECTORY, RESOLVE_CACHED);
        if (fd < 0)
                return fd;
        if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MNT_ID, &st) < 0)
                return -errno;
        return st.stx_mask & STATX_MNT_ID && st.stx_mnt_id == place->mount ? TAKE_FD(fd) : -EXDEV;
}

int prefetch_places_open(const struct prefetch_places *p, const char *path, int flags, const struct prefetch_place **ret_place) {
        const struct prefetch_place *place = prefetch_places_find(p, path);
        _cleanup_close_ int top = -1;
        int fd;

        if (!place)
                return -EXDEV;
        top = prefetch_place_open(place);
        fd = top < 0 ? top : open_below(top, below(path, place->point) + 1, flags, RESOLVE_BENEATH | RESOLVE_NO_XDEV);
        if (fd >= 0)
                *ret_place = place;
        return fd;
}

struct prefetch_file prefetch_file_of(const struct stat *st, uint32_t fs_dev) {
        return (struct prefetch_file){ .dev = fs_dev, .ino = st->st_ino, .size = (uint64_t) st->st_size,
                                       .mtime_ns = st->st_mtim.tv_sec * (int64_t) NSEC_PER_SEC + st->st_mtim.tv_nsec };
}

bool prefetch_path_join(const char *names, size_t size, char ret[static PREFETCH_PATH_MAX]) {
        size_t at = PREFETCH_PATH_MAX - 1;
        char path[PREFETCH_PATH_MAX];

        path[at] = '\0';
        while (size > 0) {
                size_t length = strnlen(names, size);
                if (length == size || length == 0 || length + 1 > at)
                        return false;
                at -= length + 1;
                path[at] = '/';
                memcpy(path + at + 1, names, length);
                names += length + 1;
                size -= length + 1;
        }
        memcpy(ret, path + at, PREFETCH_PATH_MAX - at);
        return path[at] != '\0';
}
