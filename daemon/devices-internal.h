/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the devices-*.c share; no other file includes it. */
#pragma once

#include <libudev.h>

#include "devices.h"
#include "mount-table.h"
#include "units.h"

/* A drive as sysfs shows it now, before it is decided whether we want it: class and class_reason are not filled. */
struct drive_reading {
        struct drive drive;
        uint64_t diskseq; /* changes with the medium; 0: the kernel is older than 5.15 */
};

/* Copies a udev property into ret. False where there is none. */
typedef bool (*property_fn)(void *userdata, const char *key, char *ret, size_t size);

/* Reads the directory of a whole disk. Returns 0, or -ENODEV where it is gone or hidden (has no device number). */
int devices_read_traits(const char *root, int dirfd, const char *name, property_fn property, void *userdata,
                        struct drive_reading *ret);

/* The two places that drives are read from. read: as above, -ENOENT or -ENODEV where it is gone. list: the kernel names of all
 * whole disks, a NULL-terminated vector that the caller frees with names_free(). */
int devices_udev_read(struct udev *udev, const char *name, struct drive_reading *ret);
int devices_udev_list(struct udev *udev, char ***ret);
int devices_tree_read(const char *root, const char *name, struct drive_reading *ret);
int devices_tree_list(const char *root, char ***ret);
char **names_free(char **names);
DEFINE_TRIVIAL_CLEANUP_FUNC(char **, names_free);

/* Parses "MAJOR:MINOR" as the file `dev` has it. Returns 0 or -EINVAL. */
int devices_parse_number(const char *text, uint32_t *ret);

/* Drives stack a few levels (LVM on LUKS on md on partitions is five). A stack that is deeper or wider is cut and counted. */
#define STACK_DEPTH_MAX 16
#define STACK_NODES_MAX 256

/* The directory of what a loop device's file is on. Returns a descriptor, or -errno where there is none. */
int devices_open_backing(const struct devices *d, int dirfd);

#define LEAF_CACHE_BITS 8

/* Answers of devices_resolve_leaf(), direct-mapped. Emptied by every uevent of a block device and, since device mapper tables
 * change before their uevent, after LEAF_CACHE_LIFE. */
struct leaf_cache {
        struct leaf_slot {
                uint32_t dev; /* 0: empty */
                uint32_t leaf;
                bool inferred;
        } slots[1 << LEAF_CACHE_BITS];
        nsec_t expires;
};

void leaf_cache_clear(struct leaf_cache *c);

struct drive_entry {
        struct drive drive;
        uint64_t diskseq;
};

struct drive_include {
        char name[32];
        int class; /* -1: as it looks */
};

#define PENDING_MAX 64 /* more drives than that changing at once: all are looked at */

struct devices {
        char *root;
        struct drive_include *includes;
        size_t n_includes;
        char **excludes;
        drive_fn fn;
        void *userdata;

        struct drive_entry *entries;
        size_t n_entries;

        struct udev *udev; /* NULL: a tree */
        struct udev_monitor *monitor;
        sd_event_source *monitor_source, *settle_timer;
        char pending[PENDING_MAX][32]; /* changed; looked at when settle_timer ends */
        size_t n_pending;
        bool pending_all;

        struct mount_table *mounts, *own_mounts; /* where the files of loop devices are */
        struct leaf_cache leaves;
        uint64_t stacks_cut; /* how often one of the STACK_ bounds was met */
        char description[256];
        size_t description_length; /* without what devices_note_cut() added */
};

/* NULL where it is not in the list. */
const struct drive *devices_find_number(const struct devices *d, uint32_t dev);

void devices_note_cut(struct devices *d);
