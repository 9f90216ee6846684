/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a model file (models/NAME.conf) and makes the drive it describes. */
#pragma once

#include <errno.h>

#include "model-disk.h"
#include "model-flash.h"
#include "model-hdd.h"
#include "model-ssd.h"

enum drive_kind {
        DRIVE_KIND_HDD,
        DRIVE_KIND_FLASH,
        DRIVE_KIND_DISK,
        DRIVE_KIND_SSD,
        _DRIVE_KIND_MAX,
        _DRIVE_KIND_INVALID = -EINVAL,
};

struct drive {
        enum drive_kind kind;
        union {
                struct hdd hdd;
                struct flash flash;
                struct disk disk;
                struct ssd ssd;
        };
};

/* Where and why a model file was refused. */
struct drive_load_error {
        int line; /* 0: the file as a whole */
        char text[160];
};

/* Fills ret, which must not move afterwards (the engine keeps its address). The capacity is the caller's, what of the drive is served; a
 * file of kind disk says beside that how large the drive is. Returns 0, the errno of open, or -EINVAL with *ret_error filled. */
int drive_load(const char *path, uint64_t capacity_bytes, uint64_t seed, struct drive *ret, struct drive_load_error *ret_error);

struct drive_model *drive_model(struct drive *d);
