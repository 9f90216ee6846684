/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <string.h>

#include "device-class.h"
#include "macro.h"

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

static bool starts_with(const char *s, const char *prefix) {
        return strncmp(s, prefix, strlen(prefix)) == 0;
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
                size_t n = strlen(not_drives[i].prefix);
                if (strncmp(t->name, not_drives[i].prefix, n) == 0 && is_digit(t->name[n]))
                        return not_drives[i].why;
        }
        /* mdadm can name an array by itself: md_home. */
        if (starts_with(t->name, "md_"))
                return "software RAID: stacked on other drives";
        /* mmcblk0boot0, mmcblk0rpmb: the firmware's own areas of an eMMC. */
        if (starts_with(t->name, "mmcblk") && (strstr(t->name, "boot") || strstr(t->name, "rpmb")))
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

static const struct inquiry raid_luns[] = {
        { "DELL", "PERC", "vendor and model of a Dell PERC controller" },
        { "DELL", "BOSS", "vendor and model of a Dell BOSS controller" },
        { "HP", "LOGICAL VOLUME", "vendor and model of an HP Smart Array controller" },
        { "HPE", "LOGICAL VOLUME", "vendor and model of an HPE Smart Array controller" },
        { "HPE", "MR", "vendor and model of an HPE MegaRAID controller" },
        { "LSI", NULL, "vendor LSI: a volume of a RAID controller" },
        { "LSILOGIC", NULL, "vendor LSILOGIC: a volume of a RAID controller" },
        { "AVAGO", NULL, "vendor AVAGO: a volume of a RAID controller" },
        { "BROADCOM", NULL, "vendor BROADCOM: a volume of a RAID controller" },
        { "MegaRAID", NULL, "vendor MegaRAID: a volume of a RAID controller" },
        { "Adaptec", NULL, "vendor Adaptec: a volume of a RAID controller" },
        { "ASR8405", NULL, "a volume of an Adaptec RAID controller" },
        { "AMCC", NULL, "vendor AMCC: a volume of a 3ware controller" },
        { "3ware", NULL, "vendor 3ware: a volume of a RAID controller" },
        { "Areca", NULL, "vendor Areca: a volume of a RAID controller" },
        { "IBM", "ServeRAID", "vendor and model of an IBM ServeRAID controller" },
        { "SMC", "SMC", "vendor and model of a Supermicro RAID controller" },
        { "LIO-ORG", NULL, "vendor LIO-ORG: a network storage target" },
        { "IET", NULL, "vendor IET: a network storage target" },
        { NULL, "RAID", "the model names a RAID controller" },
};

static const struct inquiry virtual_disks[] = {
        { "QEMU", NULL, "vendor QEMU: a virtual machine's disk" },
        { "VMware", NULL, "vendor VMware: a virtual machine's disk" },
        { "VMware,", NULL, "vendor VMware: a virtual machine's disk" },
        { "Msft", "Virtual Disk", "vendor and model of a Hyper-V disk" },
        { "Google", "PersistentDisk", "vendor and model of a cloud disk" },
        { "XENSRC", NULL, "vendor XENSRC: a virtual machine's disk" },
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
        return streq(t->driver, "usb-storage") || streq(t->driver, "uas") || starts_with(t->driver, "ums-") || streq(t->bus, "usb");
}

static const char *why_virtual(const struct device_traits *t) {
        if (starts_with(t->name, "vd") || streq(t->subsystem, "virtio"))
                return "virtio: the host's drive is behind it, whatever it reports";
        if (starts_with(t->name, "xvd") || streq(t->subsystem, "xen"))
                return "Xen: the host's drive is behind it, whatever it reports";
        /* A hypervisor that states a rotation rate was told to show this kind of drive. */
        for (size_t i = 0; t->rotation_rpm < 0 && i < ARRAY_SIZE(emulated_models); i++)
                if (starts_with(t->model, emulated_models[i]))
                        return "model of an emulated disk, without a rotation rate";
        return inquiry_match(virtual_disks, ARRAY_SIZE(virtual_disks), t);
}

static enum device_class classify_by_rotation(const struct device_traits *t, const char **ret_why) {
        if (t->rotation_rpm == 0 || t->rotation_rpm == 1) {
                *ret_why = "the drive reports that it is solid state";
                return DEVICE_CLASS_SSD;
        }
        if (t->rotation_rpm >= ROTATION_RPM_MIN) {
                *ret_why = "the drive reports its rotation rate";
                return DEVICE_CLASS_HDD;
        }
        *ret_why = t->rotational ? "rotational is 1" : "rotational is 0";
        return t->rotational ? DEVICE_CLASS_HDD : DEVICE_CLASS_SSD;
}

static enum device_class classify_card(const struct device_traits *t, const char **ret_why) {
        if (streq(t->mmc_type, "MMC")) {
                *ret_why = "card type MMC";
                return DEVICE_CLASS_EMMC;
        }
        *ret_why = streq(t->mmc_type, "SD") ? "card type SD" : "a card of unknown type, taken for the slower kind";
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
                *ret_why = "its zones must be written in order";
                return DEVICE_CLASS_ZONED;
        }
        if (starts_with(t->name, "nvme") || streq(t->subsystem, "nvme") || streq(t->subsystem, "nvme-subsystem")) {
                /* The node above several paths has no queue of its own, but it is what processes read from. */
                *ret_why = t->has_scheduler ? "NVMe" : "NVMe with several paths: watched, no scheduler of its own";
                return DEVICE_CLASS_NVME;
        }
        if (!t->has_scheduler) {
                *ret_why = "it has no I/O scheduler";
                return DEVICE_CLASS_SKIP;
        }
        if (starts_with(t->name, "mmcblk") || starts_with(t->name, "mspblk") || starts_with(t->name, "msblk"))
                return classify_card(t, ret_why);
        if (is_usb(t)) {
                *ret_why = t->removable ? "USB, removable medium" : "USB, fixed medium";
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
        if (starts_with(t->driver, "ufshcd")) {
                *ret_why = "UFS: flash behind ufshcd";
                return DEVICE_CLASS_SSD;
        }
        return classify_by_rotation(t, ret_why);
}

enum device_class device_classify_included(const struct device_traits *t, const char **ret_why) {
        enum device_class c = device_classify(t, ret_why);

        if (c != DEVICE_CLASS_SKIP)
                return c;
        *ret_why = t->rotational ? "named by the user; rotational is 1" : "named by the user; rotational is 0";
        return t->rotational ? DEVICE_CLASS_HDD : DEVICE_CLASS_SSD;
}
