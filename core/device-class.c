/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <string.h>

#include "device-class.h"
#include "macro.h"
#include "statement.h"

/* ATA's NOMINAL MEDIA ROTATION RATE: 0 not reported, 1 solid state, 0x401..0xfffe rpm. udev writes 0 for solid state. */
#define ROTATION_RPM_MIN 0x401

static const char *const class_names[] = {
        [DEVICE_CLASS_SKIP] = "skip",
        [DEVICE_CLASS_HDD] = "hdd",
        [DEVICE_CLASS_SSD] = "ssd",
        [DEVICE_CLASS_NVME] = "nvme",
        [DEVICE_CLASS_EMMC] = "emmc",
        [DEVICE_CLASS_SD_CARD] = "sd-card",
        [DEVICE_CLASS_USB_STICK] = "usb-stick",
        [DEVICE_CLASS_USB_DISK] = "usb-disk",
        [DEVICE_CLASS_VIRTUAL] = "virtual",
        [DEVICE_CLASS_RAID] = "raid",
        [DEVICE_CLASS_ZONED] = "zoned",
};
_Static_assert(ARRAY_SIZE(class_names) == _DEVICE_CLASS_MAX, "every class has a name");

const char *device_class_to_string(enum device_class c) {
        return (unsigned) c < _DEVICE_CLASS_MAX ? class_names[c] : NULL;
}

int device_class_from_string(const char *name) {
        for (int c = 0; c < _DEVICE_CLASS_MAX; c++)
                if (streq(name, class_names[c]))
                        return c;
        return -EINVAL;
}

static bool is_digit(char c) {
        return c >= '0' && c <= '9';
}

/* Kernel names that are not a drive of their own. The character behind the prefix must be a digit, so that a driver whose
 * name merely begins alike ("ramdisk0", "mdblk0") is not taken for it. */
static const struct {
        const char *prefix, *why;
} not_drives[] = {
        { "loop", "a loop device: a file on another drive" },
        { "ram", "a RAM disk" },
        { "zram", "compressed RAM" },
        { "pmem", "persistent memory: no queue to schedule" },
        { "nbd", "a network block device" },
        { "rbd", "a network block device" },
        { "drbd", "stacked on another drive" },
        { "ublkb", "a block device of a user-space server" },
        { "nullb", "the kernel's null device" },
        { "dm-", "device mapper: stacked on other drives" },
        { "md", "software RAID: stacked on other drives" },
        { "md_d", "software RAID: stacked on other drives" },
        { "bcache", "bcache: stacked on other drives" },
        { "zd", "a ZFS volume: stacked on other drives" },
        { "sr", "an optical drive" },
        { "fd", "a floppy drive" },
        { "mtdblock", "raw flash" },
};

static const char *why_not_a_drive(const struct device_traits *t) {
        for (size_t i = 0; i < ARRAY_SIZE(not_drives); i++) {
                const char *number = startswith(t->name, not_drives[i].prefix);
                if (number && is_digit(*number))
                        return not_drives[i].why;
        }
        /* mdadm can name an array by itself: md_home. */
        if (startswith(t->name, "md_"))
                return "software RAID: stacked on other drives";
        /* mmcblk0boot0, mmcblk0rpmb: the firmware's own areas of an eMMC. */
        if (startswith(t->name, "mmcblk") && (strstr(t->name, "boot") || strstr(t->name, "rpmb")))
                return "a firmware area of an eMMC";
        /* nvme0c1n1: one path of the drive that is also there as nvme0n1, and the only one that processes see. */
        if (t->hidden)
                return "hidden: one path of a multipath drive";
        if (t->is_cdrom)
                return "an optical drive";
        if (t->has_slaves)
                return "stacked on other drives";
        return NULL;
}

/* SCSI INQUIRY of what is not one disk. The model is searched for the text; NULL matches any. */
struct inquiry {
        const char *vendor, *model, *why;
};

#define RAID_MODEL(controller) STATEMENT_LITERAL_OF("class-raid-model", controller)
#define RAID_VENDOR(vendor) STATEMENT_LITERAL_OF("class-raid-vendor", vendor)
#define VIRTUAL_MODEL(disk) STATEMENT_LITERAL_OF("class-virtual-model", disk)
#define VIRTUAL_VENDOR(vendor) STATEMENT_LITERAL_OF("class-virtual-vendor", vendor)

static const struct inquiry raid_luns[] = {
        { "DELL", "PERC", RAID_MODEL("Dell PERC") },
        { "DELL", "BOSS", RAID_MODEL("Dell BOSS") },
        { "HP", "LOGICAL VOLUME", RAID_MODEL("HP Smart Array") },
        { "HPE", "LOGICAL VOLUME", RAID_MODEL("HPE Smart Array") },
        { "HPE", "MR", RAID_MODEL("HPE MegaRAID") },
        { "LSI", NULL, RAID_VENDOR("LSI") },
        { "LSILOGIC", NULL, RAID_VENDOR("LSILOGIC") },
        { "AVAGO", NULL, RAID_VENDOR("AVAGO") },
        { "BROADCOM", NULL, RAID_VENDOR("BROADCOM") },
        { "MegaRAID", NULL, RAID_VENDOR("MegaRAID") },
        { "Adaptec", NULL, RAID_VENDOR("Adaptec") },
        { "ASR8405", NULL, RAID_VENDOR("ASR8405") },
        { "AMCC", NULL, RAID_VENDOR("AMCC") },
        { "3ware", NULL, RAID_VENDOR("3ware") },
        { "Areca", NULL, RAID_VENDOR("Areca") },
        { "IBM", "ServeRAID", RAID_MODEL("IBM ServeRAID") },
        { "SMC", "SMC", RAID_MODEL("Supermicro RAID") },
        { "LIO-ORG", NULL, STATEMENT_LITERAL_OF("class-target", "LIO-ORG") },
        { "IET", NULL, STATEMENT_LITERAL_OF("class-target", "IET") },
        { NULL, "RAID", STATEMENT_LITERAL("class-raid-name") },
};

static const struct inquiry virtual_disks[] = {
        { "QEMU", NULL, VIRTUAL_VENDOR("QEMU") },
        { "VMware", NULL, VIRTUAL_VENDOR("VMware") },
        { "VMware,", NULL, VIRTUAL_VENDOR("VMware") },
        { "Msft", "Virtual Disk", VIRTUAL_MODEL("Hyper-V") },
        { "Google", "PersistentDisk", VIRTUAL_MODEL("Google PersistentDisk") },
        { "XENSRC", NULL, VIRTUAL_VENDOR("XENSRC") },
};

/* Emulated SATA disks carry the vendor "ATA" of every SATA disk. */
static const char *const emulated_models[] = { "QEMU HARDDISK", "VBOX HARDDISK", "VMware Virtual", "Virtual HD" };

static const char *inquiry_match(const struct inquiry *table, size_t n, const struct device_traits *t) {
        for (size_t i = 0; i < n; i++) {
                if (table[i].vendor && !streq(table[i].vendor, t->vendor))
                        continue;
                if (!table[i].model || strstr(t->model, table[i].model))
                        return table[i].why;
        }
        return NULL;
}

static bool is_usb(const struct device_traits *t) {
        /* The driver comes first: for a SATA disk in a USB case udev says ID_BUS=ata. */
        return streq(t->driver, "usb-storage") || streq(t->driver, "uas") || startswith(t->driver, "ums-") || streq(t->bus, "usb");
}

static const char *why_virtual(const struct device_traits *t) {
        if (startswith(t->name, "vd") || streq(t->subsystem, "virtio"))
                return statement_plain(SAY_CLASS_VIRTIO);
        if (startswith(t->name, "xvd") || streq(t->subsystem, "xen"))
                return statement_plain(SAY_CLASS_XEN);
        /* A hypervisor that states a rotation rate was told to show this kind of drive. */
        for (size_t i = 0; t->rotation_rpm < 0 && i < ARRAY_SIZE(emulated_models); i++)
                if (startswith(t->model, emulated_models[i]))
                        return statement_plain(SAY_CLASS_EMULATED);
        return inquiry_match(virtual_disks, ARRAY_SIZE(virtual_disks), t);
}

static enum device_class classify_by_rotation(const struct device_traits *t, const char **ret_why) {
        if (t->rotation_rpm == 0 || t->rotation_rpm == 1) {
                *ret_why = statement_plain(SAY_CLASS_REPORTS_SSD);
                return DEVICE_CLASS_SSD;
        }
        if (t->rotation_rpm >= ROTATION_RPM_MIN) {
                *ret_why = statement_plain(SAY_CLASS_REPORTS_RATE);
                return DEVICE_CLASS_HDD;
        }
        *ret_why = statement_plain(t->rotational ? SAY_CLASS_ROTATES : SAY_CLASS_STILL);
        return t->rotational ? DEVICE_CLASS_HDD : DEVICE_CLASS_SSD;
}

static enum device_class classify_card(const struct device_traits *t, const char **ret_why) {
        if (streq(t->mmc_type, "MMC")) {
                *ret_why = statement_plain(SAY_CLASS_EMMC);
                return DEVICE_CLASS_EMMC;
        }
        *ret_why = statement_plain(streq(t->mmc_type, "SD") ? SAY_CLASS_SD : SAY_CLASS_CARD);
        return DEVICE_CLASS_SD_CARD;
}

enum device_class device_classify(const struct device_traits *t, const char **ret_why) {
        const char *why = why_not_a_drive(t);

        if (why) {
                *ret_why = why;
                return DEVICE_CLASS_SKIP;
        }
        /* Before the transport: a zoned NVMe or USB drive has a zoned drive's rules. */
        if (streq(t->zoned, "host-managed") || streq(t->zoned, "host-aware")) {
                *ret_why = statement_plain(SAY_CLASS_ZONED);
                return DEVICE_CLASS_ZONED;
        }
        if (startswith(t->name, "nvme") || streq(t->subsystem, "nvme") || streq(t->subsystem, "nvme-subsystem")) {
                /* The node above several paths has no queue of its own, but it is what processes read from. */
                *ret_why = statement_plain(t->has_scheduler ? SAY_CLASS_NVME : SAY_CLASS_NVME_PATHS);
                return DEVICE_CLASS_NVME;
        }
        if (!t->has_scheduler) {
                *ret_why = "it has no I/O scheduler";
                return DEVICE_CLASS_SKIP;
        }
        if (startswith(t->name, "mmcblk") || startswith(t->name, "mspblk") || startswith(t->name, "msblk"))
                return classify_card(t, ret_why);
        if (is_usb(t)) {
                *ret_why = statement_plain(t->removable ? SAY_CLASS_USB_STICK : SAY_CLASS_USB_DISK);
                return t->removable ? DEVICE_CLASS_USB_STICK : DEVICE_CLASS_USB_DISK;
        }
        if ((why = why_virtual(t))) {
                *ret_why = why;
                return DEVICE_CLASS_VIRTUAL;
        }
        if ((why = inquiry_match(raid_luns, ARRAY_SIZE(raid_luns), t))) {
                *ret_why = why;
                return DEVICE_CLASS_RAID;
        }
        if (startswith(t->driver, "ufshcd")) {
                *ret_why = statement_plain(SAY_CLASS_UFS);
                return DEVICE_CLASS_SSD;
        }
        return classify_by_rotation(t, ret_why);
}

enum device_class device_classify_included(const struct device_traits *t, const char **ret_why) {
        enum device_class c = device_classify(t, ret_why);

        if (c != DEVICE_CLASS_SKIP)
                return c;
        *ret_why = statement_plain(t->rotational ? SAY_CLASS_NAMED_ROTATES : SAY_CLASS_NAMED_STILL);
        return t->rotational ? DEVICE_CLASS_HDD : DEVICE_CLASS_SSD;
}
