/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "device-class.h"
#include "str.h"
#include "test.h"

/* A case names only what differs from a SATA disk on AHCI; settled() fills in the rest. */
#define DISK(n) .name = n, .subsystem = "scsi", .has_scheduler = true
#define REPORTS_SOLID_STATE (-2) /* 0 in a case means that the rotation rate is unknown */

struct classify_case {
        enum device_class expected;
        struct device_traits traits;
};

static const struct classify_case cases[] = {
        /* What sysfs and udev say of ordinary drives. */
        { DEVICE_CLASS_HDD, { DISK("sda"), .rotational = true } },
        { DEVICE_CLASS_HDD, { DISK("sda"), .rotational = true, .rotation_rpm = 7200 } },
        { DEVICE_CLASS_SSD, { DISK("sdb") } },
        { DEVICE_CLASS_SSD, { DISK("sdb"), .rotation_rpm = REPORTS_SOLID_STATE } },
        { DEVICE_CLASS_NVME, { .name = "nvme0n1", .subsystem = "nvme", .has_scheduler = true } },
        { DEVICE_CLASS_EMMC, { .name = "mmcblk0", .mmc_type = "MMC", .has_scheduler = true } },
        { DEVICE_CLASS_SD_CARD, { .name = "mmcblk1", .mmc_type = "SD", .has_scheduler = true } },
        { DEVICE_CLASS_SD_CARD, { .name = "mspblk0", .has_scheduler = true } },
        { DEVICE_CLASS_SSD, { DISK("sda"), .driver = "ufshcd", .vendor = "SAMSUNG", .model = "KLUEG8UHDB-C2E1", .rotational = true } },

        /* The flag lies: the drive's own rotation rate wins over it. */
        { DEVICE_CLASS_SSD, { DISK("sda"), .rotational = true, .rotation_rpm = REPORTS_SOLID_STATE } },
        { DEVICE_CLASS_HDD, { DISK("sda"), .rotational = false, .rotation_rpm = 5400 } },
        { DEVICE_CLASS_HDD, { DISK("sda"), .rotational = true, .rotation_rpm = 300 } }, /* a reserved value: not believed */
        { DEVICE_CLASS_VIRTUAL, { .name = "vda", .subsystem = "virtio", .rotational = true, .has_scheduler = true } },
        { DEVICE_CLASS_VIRTUAL, { .name = "xvda", .subsystem = "xen", .has_scheduler = true } },
        { DEVICE_CLASS_USB_STICK, { DISK("sdc"), .bus = "usb", .vendor = "SanDisk", .rotational = true, .removable = true } },
        { DEVICE_CLASS_USB_DISK, { DISK("sdc"), .bus = "usb", .driver = "uas", .vendor = "WD", .rotational = true } },
        /* udev calls a SATA disk in a USB case ID_BUS=ata; without udevd there is no ID_BUS at all. */
        { DEVICE_CLASS_USB_DISK, { DISK("sdc"), .bus = "ata", .driver = "usb-storage", .rotational = true, .rotation_rpm = 7200 } },
        { DEVICE_CLASS_USB_STICK, { DISK("sdc"), .driver = "ums-realtek", .removable = true } },
        { DEVICE_CLASS_SSD, { DISK("sdb"), .removable = true } }, /* hot-swap bays say so: not USB */

        /* Virtual machines that show SCSI or SATA disks. */
        { DEVICE_CLASS_VIRTUAL, { DISK("sda"), .driver = "virtio_scsi", .vendor = "QEMU", .model = "QEMU HARDDISK", .rotational = true } },
        { DEVICE_CLASS_VIRTUAL, { DISK("sda"), .vendor = "VMware", .model = "Virtual disk" } },
        { DEVICE_CLASS_VIRTUAL, { DISK("sda"), .model = "VBOX HARDDISK", .rotational = true } },
        { DEVICE_CLASS_HDD, { DISK("sda"), .model = "QEMU HARDDISK", .rotational = true, .rotation_rpm = 7200 } },

        /* RAID controllers' volumes, and the disks that the same controllers pass through. */
        { DEVICE_CLASS_RAID, { DISK("sda"), .vendor = "DELL", .model = "PERC H730P Mini", .rotational = true } },
        { DEVICE_CLASS_RAID, { DISK("sda"), .vendor = "HPE", .model = "LOGICAL VOLUME", .rotational = true } },
        { DEVICE_CLASS_RAID, { DISK("sda"), .vendor = "AVAGO", .model = "MR9361-8i", .rotational = true } },
        { DEVICE_CLASS_RAID, { DISK("sda"), .vendor = "Lenovo", .model = "RAID 930-8i-2GB", .rotational = true } },
        { DEVICE_CLASS_HDD, { DISK("sdb"), .driver = "megaraid_sas", .vendor = "SEAGATE", .model = "ST1200MM0099", .rotational = true } },
        { DEVICE_CLASS_HDD, { DISK("sdb"), .vendor = "DELL", .model = "ST2000DM001", .rotational = true } },

        /* Zoned before the transport. */
        { DEVICE_CLASS_ZONED, { DISK("sda"), .zoned = "host-managed", .rotational = true, .rotation_rpm = 7200 } },
        { DEVICE_CLASS_ZONED, { DISK("sda"), .zoned = "host-aware", .rotational = true } },
        { DEVICE_CLASS_ZONED, { .name = "nvme0n2", .subsystem = "nvme", .zoned = "host-managed", .has_scheduler = true } },

        /* NVMe with several paths: the node that processes see is the drive, its hidden paths are not. */
        { DEVICE_CLASS_NVME, { .name = "nvme1n1", .subsystem = "nvme-subsystem" } },
        { DEVICE_CLASS_SKIP, { .name = "nvme1c1n1", .subsystem = "nvme", .hidden = true, .has_scheduler = true } },

        /* Not drives of their own. */
        { DEVICE_CLASS_SKIP, { DISK("loop0") } },
        { DEVICE_CLASS_SKIP, { DISK("loop12"), .rotational = true } },
        { DEVICE_CLASS_SKIP, { DISK("ram0") } },
        { DEVICE_CLASS_SKIP, { .name = "zram0" } },
        { DEVICE_CLASS_SKIP, { DISK("nbd3") } },
        { DEVICE_CLASS_SKIP, { DISK("dm-0"), .has_slaves = true } },
        { DEVICE_CLASS_SKIP, { DISK("dm-7") } },
        { DEVICE_CLASS_SKIP, { DISK("md127") } },
        { DEVICE_CLASS_SKIP, { DISK("md_d1") } },
        { DEVICE_CLASS_SKIP, { DISK("md_home") } },
        { DEVICE_CLASS_SKIP, { DISK("bcache0") } },
        { DEVICE_CLASS_SKIP, { DISK("sr0"), .removable = true } },
        { DEVICE_CLASS_SKIP, { DISK("sda"), .is_cdrom = true } },
        { DEVICE_CLASS_SKIP, { DISK("fd0"), .removable = true } },
        { DEVICE_CLASS_SKIP, { .name = "pmem0" } },
        { DEVICE_CLASS_SKIP, { DISK("nullb0") } },
        { DEVICE_CLASS_SKIP, { .name = "mmcblk0boot0", .mmc_type = "MMC", .has_scheduler = true } },
        { DEVICE_CLASS_SKIP, { .name = "mmcblk2rpmb", .mmc_type = "MMC", .has_scheduler = true } },
        { DEVICE_CLASS_SKIP, { DISK("foo0"), .has_slaves = true } },
        { DEVICE_CLASS_SKIP, { .name = "foo0", .rotational = true } }, /* no scheduler */
        { DEVICE_CLASS_HDD, { DISK("ramdisk0"), .rotational = true } }, /* only begins like ram0 */
};

static struct device_traits settled(const struct device_traits *given) {
        struct device_traits t = *given;

        t.rotation_rpm = t.rotation_rpm == REPORTS_SOLID_STATE ? 0 : t.rotation_rpm == 0 ? -1 : t.rotation_rpm;
        if (!*t.zoned)
                str_copy(t.zoned, sizeof(t.zoned), "none");
        if (streq(t.subsystem, "scsi") && !*t.vendor)
                str_copy(t.vendor, sizeof(t.vendor), "ATA");
        if (streq(t.subsystem, "scsi") && !*t.driver)
                str_copy(t.driver, sizeof(t.driver), "ahci");
        return t;
}

TEST(each_drive_has_its_class_and_a_reason) {
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct device_traits t = settled(&cases[i].traits);
                const char *why = NULL;
                enum device_class c = device_classify(&t, &why);

                if (c != cases[i].expected)
                        test_fail(__FILE__, __LINE__, "case %zu, %s %s: %s (%s), expected %s", i, t.name, t.model,
                                  device_class_to_string(c), why, device_class_to_string(cases[i].expected));
                CHECK(why && *why);
        }
}

TEST(an_included_drive_is_never_skipped) {
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct device_traits t = settled(&cases[i].traits);
                const char *why = NULL;
                enum device_class c = device_classify_included(&t, &why);

                CHECK(why && *why);
                if (cases[i].expected == DEVICE_CLASS_SKIP)
                        CHECK_INT(c, t.rotational ? DEVICE_CLASS_HDD : DEVICE_CLASS_SSD);
                else
                        CHECK_INT(c, cases[i].expected);
        }
}

TEST(class_names_go_both_ways) {
        for (int c = 0; c < _DEVICE_CLASS_MAX; c++)
                CHECK_INT(device_class_from_string(device_class_to_string((enum device_class) c)), c);
        CHECK_INT(device_class_from_string("sdcard"), -EINVAL);
        CHECK_INT(device_class_from_string(""), -EINVAL);
        CHECK_INT(device_class_from_string("HDD"), -EINVAL);
        CHECK(device_class_to_string(_DEVICE_CLASS_MAX) == NULL);
        CHECK_STR(device_class_to_string(DEVICE_CLASS_SD_CARD), "sd-card");
}
