/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What kind of drive it is: a function of what sysfs and udev say, first match wins. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum device_class {
        DEVICE_CLASS_SKIP, /* not a drive to tune: loop, ram, zram, dm, md, optical, boot partitions of eMMC, ... */
        DEVICE_CLASS_HDD,
        DEVICE_CLASS_SSD,
        DEVICE_CLASS_NVME,
        DEVICE_CLASS_EMMC,
        DEVICE_CLASS_SD_CARD,
        DEVICE_CLASS_USB_STICK,
        DEVICE_CLASS_USB_DISK,
        DEVICE_CLASS_VIRTUAL,
        DEVICE_CLASS_RAID,
        DEVICE_CLASS_ZONED,
        _DEVICE_CLASS_MAX,
};

const char *device_class_to_string(enum device_class c); /* "sd-card", ... */
int device_class_from_string(const char *name);          /* the class, or -EINVAL */

/* Everything the classification looks at. Strings are "" where unknown. */
struct device_traits {
        char name[32];          /* kernel name */
        char subsystem[16];     /* of the parent device: "scsi", "nvme", "mmc", "virtio", ... */
        char bus[16];           /* ID_BUS */
        char vendor[32], model[64];
        char driver[32];        /* of the parent device, or ID_USB_DRIVER */
        char mmc_type[8];       /* "MMC" or "SD" */
        char zoned[16];         /* queue/zoned: "none", "host-aware", "host-managed" */
        bool rotational;        /* as reported: it can lie (virtio, USB) */
        int32_t rotation_rpm;   /* ID_ATA_ROTATION_RATE_RPM; 0: solid state; -1: unknown */
        bool removable, hidden, has_slaves, is_cdrom, has_scheduler;
        uint64_t size_sectors;
};

/* The class, and in ret_why (a literal, a text of statements) the trait that decided, for people. */
enum device_class device_classify(const struct device_traits *t, const char **ret_why);

/* As above for a drive that the user named (--include): never SKIP; by `rotational`, hdd or ssd, where the
 * rules above say SKIP. */
enum device_class device_classify_included(const struct device_traits *t, const char **ret_why);
