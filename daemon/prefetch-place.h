/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where files are that may be learnt of and read ahead: the file systems on drives whose policy has it so. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "prefetch-list.h"

#define PREFETCH_PLACES_MAX 256 /* each revision of a snap is a file system */

struct prefetch_place {
        uint64_t mount;       /* its id */
        uint32_t fs_dev, dev; /* of the file system, and of the drive that it lies on */
        bool heads;           /* the drive has some: what is near is sooner there */
        const char *point, *top;    /* where it is, and what of the file system is seen there */
};

struct prefetch_places {
        size_t n;
        struct prefetch_place *places;
        uint64_t refused; /* that found no room, or no memory */
};

/* With copies of its texts. Of two on one point the later one is on top, and takes the place of the other. Returns false where there is no room, or no memory. */
bool prefetch_places_add(struct prefetch_places *p, const struct prefetch_place *place);
void prefetch_places_done(struct prefetch_places *p);

/* The path by which a file is found: path is from the root of its file system. Returns false where that part of it is mounted nowhere, or what
 * comes of it is too long. */
bool prefetch_places_locate(const struct prefetch_places *p, uint32_t fs_dev, const char *path, char ret[static PREFETCH_PATH_MAX]);

/* The other way: the path from the root of its file system. */
bool prefetch_places_unlocate(const struct prefetch_places *p, uint32_t fs_dev, const char *path, char ret[static PREFETCH_PATH_MAX]);

/* Where a file of that path is; NULL: below no place. */
const struct prefetch_place *prefetch_places_find(const struct prefetch_places *p, const char *path);

/* Opens the directory that it shows, with O_PATH. Waits for no drive, and for no server of a file system that stands over it, or on the way, by now. Returns
 * the descriptor, -EXDEV where it is another mount that is found there, or -errno. */
int prefetch_place_open(const struct prefetch_place *place);

/* Opens a file by that path, if it is below a place, on its file system, and on the way there nothing is a link. flags: as of open(2).
 * Returns the descriptor, or -errno; *ret_place: where it is. */
int prefetch_places_open(const struct prefetch_places *p, const char *path, int flags, const struct prefetch_place **ret_place);

/* All but its path. */
struct prefetch_file prefetch_file_of(const struct stat *st, uint32_t fs_dev);

/* A file's path from its names and those of the directories above it, each with its end, as the kernel told them. Returns false for what is none, or is
 * too long. */
bool prefetch_path_join(const char *names, size_t size, char ret[static PREFETCH_PATH_MAX]);
