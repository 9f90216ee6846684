/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The block device behind a mount, for file systems whose st_dev is a number of their own (btrfs, bcachefs), and, in a
 * recorded tree, behind a path. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "units.h"

struct mount_table;

/* Reads ROOT/proc/1/mountinfo (else that of self) when first asked, and again when the kernel says that it changed. The
 * first process's, because a service has mounts of its own, with other ids than those that most processes see.
 * Returns 0 or -ENOMEM. */
int mount_table_new(const char *root, struct mount_table **ret);
/* The same of this process's own mounts, which are others in a sandbox or in a container. */
int mount_table_new_own(const char *root, struct mount_table **ret);
struct mount_table *mount_table_free(struct mount_table *t);

/* Device number behind a file, from the id of its mount and its own device number (statx), or 0: none known, or not on a
 * block device. The two are remembered together, so that a file in a sandbox, whose mounts have other ids, is found by
 * the number that it shares with a file outside. What changed within a second of the last time that a file had the table read is
 * seen after it: this is asked for each file that a process has open. */
uint32_t mount_table_find_file(struct mount_table *t, uint64_t id, uint32_t file_dev, nsec_t now);

/* The same of the mount that path lies on; *ret_length, unless NULL, is that of its own path. */
uint32_t mount_table_find_path(struct mount_table *t, const char *path, size_t *ret_length);

/* Device number of a node below /dev, or 0. In a tree: from sys/class/block. */
uint32_t mount_table_find_node(const struct mount_table *t, const char *path);

struct mount_view {
        uint64_t id;     /* by which statx(2) knows a file on it */
        uint32_t dev;    /* the block device behind it */
        uint32_t fs_dev; /* the kernel's own number of the file system: another one for btrfs */
        const char *point, *top; /* where it is, and what of the file system is seen there */
};
typedef void (*mount_fn)(void *userdata, const struct mount_view *m);

/* The mounts of file systems that the kernel itself reads from a block device, in the order of the table. */
void mount_table_each_disk(struct mount_table *t, mount_fn fn, void *userdata);
