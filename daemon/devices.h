/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which drives there are: from udev (and its monitor), or, with a root prefix, from the tree alone. */
#pragma once

#include <systemd/sd-event.h>

#include "device-class.h"
#include "macro.h"

struct drive {
        uint32_t dev;              /* DEV_NUMBER() */
        char name[32];
        char model[64];            /* as people know it; "" where unknown */
        enum device_class class;
        const char *class_reason;  /* a text of statements that lasts */
        struct device_traits traits;
};

/* DRIVE_LEFT_OUT: a disk that is none of ours (excluded, or no drive by itself: zram, a loop or dm device, which may stand on one of ours). It
 * is told each time that it is looked at, and vanishes without a word. */
enum drive_action { DRIVE_ADDED, DRIVE_CHANGED, DRIVE_REMOVED, DRIVE_LEFT_OUT };
typedef void (*drive_fn)(void *userdata, enum drive_action action, const struct drive *drive);

struct devices_config {
        const char *root;                 /* "" : the running machine */
        const char *const *include;       /* NULL-terminated: names, or NAME=CLASS; treated as drives whatever they are */
        const char *const *exclude;       /* NULL-terminated: names to leave alone */
};

struct devices;

/* Calls fn for every disk that there is, then for each change while the event loop runs (not with a root).
 * Without udevd it listens to the kernel's own uevents. Returns 0, -EINVAL for an include with an unknown class, or -errno. */
int devices_new(const struct devices_config *config, sd_event *event, drive_fn fn, void *userdata, struct devices **ret);
struct devices *devices_free(struct devices *d);
DEFINE_TRIVIAL_CLEANUP_FUNC(struct devices *, devices_free);

/* A line for `brioctl probe`: "libudev, monitor udev" or why less. */
const char *devices_describe(const struct devices *d);

/* The whole drive under a device number, through partitions, dm-crypt, LVM, md and loop devices, or 0. With more than one leaf below, the
 * first; *ret_inferred says so. */
uint32_t devices_resolve_leaf(struct devices *d, uint32_t dev, bool *ret_inferred);

/* What stands on a drive and is asked by processes themselves: the tops of its stacks (dm-crypt, LVM, md, a loop device with a
 * file there). Returns their number, at most UPPERS_MAX; what is left out, here or of the drives below one, is counted. */
#define UPPERS_MAX 16
#define UPPER_DRIVES_MAX 64
struct upper {
        uint32_t dev;
        uint8_t drives; /* of ours that it stands on */
        char name[32];
};
size_t devices_find_uppers(struct devices *d, uint32_t dev, struct upper ret[UPPERS_MAX]);
