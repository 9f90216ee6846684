/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The block device behind a mount, for file systems whose st_dev is a number of their own (btrfs, bcachefs), and, in a
 * recorded tree, behind a path. */
#pragma once

#include <stdint.h>

struct mount_table;

/* Reads ROOT/proc/self/mountinfo (in a tree that has none, ROOT/proc/1/mountinfo) when first asked, and again when the
 * kernel says that it changed. Returns 0 or -ENOMEM. */
int mount_table_new(const char *root, struct mount_table **ret);
struct mount_table *mount_table_free(struct mount_table *t);

/* Device number of the mount with this id (statx), or 0: none, or not on a block device. */
uint32_t mount_table_find_id(struct mount_table *t, uint64_t id);

/* The same of the mount that path lies on. */
uint32_t mount_table_find_path(struct mount_table *t, const char *path);

/* Device number of a node below /dev, or 0. In a tree: from sys/class/block. */
uint32_t mount_table_find_node(const struct mount_table *t, const char *path);
