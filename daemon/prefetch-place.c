/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>

#include "macro.h"
#include "prefetch-place.h"

bool prefetch_places_add(struct prefetch_places *p, uint32_t fs_dev, uint32_t dev, bool heads, const char *point, const char *top) {
        struct prefetch_place place = { fs_dev, dev, heads, strdup(point), strdup(top) };

        if (p->n == PREFETCH_PLACES_MAX || !place.point || !place.top) {
                free(place.point);
                free(place.top);
                return false;
        }
        p->places[p->n++] = place;
        return true;
}

void prefetch_places_done(struct prefetch_places *p) {
        for (size_t i = 0; i < p->n; i++) {
                free(p->places[i].point);
                free(p->places[i].top);
        }
        p->n = 0;
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

/* Of several the one that is furthest down; of two on one point the later one is on top. */
const struct prefetch_place *prefetch_places_find(const struct prefetch_places *p, const char *path) {
        const struct prefetch_place *best = NULL;

        for (size_t i = 0; i < p->n; i++)
                if (below(path, p->places[i].point) && (!best || strlen(p->places[i].point) >= strlen(best->point)))
                        best = &p->places[i];
        return best;
}

bool prefetch_places_have_heads(const struct prefetch_places *p, uint32_t dev) {
        for (size_t i = 0; i < p->n; i++)
                if (p->places[i].dev == dev)
                        return p->places[i].heads;
        return false;
}

int prefetch_places_open(const struct prefetch_places *p, const char *path, int flags, const struct prefetch_place **ret_place) {
        struct open_how how = { .flags = (uint64_t) (flags | O_NOFOLLOW | O_CLOEXEC),
                                .resolve = RESOLVE_BENEATH | RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS };
        const struct prefetch_place *place = prefetch_places_find(p, path);
        _cleanup_close_ int top = -1;
        int fd;

        if (!place)
                return -EXDEV;
        top = open(place->point, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (top < 0)
                return -errno;
        fd = (int) syscall(SYS_openat2, top, below(path, place->point) + 1, &how, sizeof(how));
        if (fd < 0)
                return -errno;
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
