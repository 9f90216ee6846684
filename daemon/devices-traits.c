/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One whole disk's directory in sysfs, and what udev knows of it, as traits. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>

#include "devices-internal.h"
#include "fdio.h"
#include "str.h"

#define SCSI_TYPE_ROM 5 /* INQUIRY peripheral device type: CD and DVD */
#define MINOR_BITS 20

/* The attribute without surrounding blanks (INQUIRY pads with them); "" where there is none. */
static void read_text(int dirfd, const char *path, char *ret, size_t size) {
        char text[ATTRIBUTE_MAX + 1];

        *ret = '\0';
        if (fdio_read_at(dirfd, path, text, sizeof(text)) >= 0)
                str_copy(ret, size, str_strip(text));
}

static uint64_t read_number(int dirfd, const char *path) {
        char text[32];
        uint64_t n;

        read_text(dirfd, path, text, sizeof(text));
        return str_parse_u64(text, &n) < 0 ? 0 : n;
}

/* The last part of where a link points to: the name of a subsystem, a driver or a device. */
static void read_link_name(int dirfd, const char *path, char *ret, size_t size) {
        char target[PATH_MAX];
        ssize_t n = readlinkat(dirfd, path, target, sizeof(target) - 1);
        const char *slash;

        *ret = '\0';
        if (n < 0)
                return;
        target[n] = '\0';
        slash = strrchr(target, '/');
        str_copy(ret, size, slash ? slash + 1 : target);
}

static bool has_directories(int dirfd, const char *path) {
        _cleanup_closedir_ DIR *dir = fdio_open_directory(dirfd, path);

        for (const struct dirent *e; dir && (e = readdir(dir));)
                if (e->d_name[0] != '.')
                        return true;
        return false;
}

int devices_parse_number(const char *text, uint32_t *ret) {
        char part[16];
        const char *colon = strchr(text, ':');
        uint64_t major, minor;

        if (!colon || (size_t) (colon - text) >= sizeof(part))
                return -EINVAL;
        memcpy(part, text, (size_t) (colon - text));
        part[colon - text] = '\0';
        if (str_parse_u64(part, &major) < 0 || str_parse_u64(colon + 1, &minor) < 0)
                return -EINVAL;
        if (major >= 1U << (32 - MINOR_BITS) || minor >= 1U << MINOR_BITS)
                return -EINVAL;
        *ret = (uint32_t) (major << MINOR_BITS | minor);
        return 0;
}

/* The SCSI host's name for its driver says how the drive is attached also where there is no udevd: usb-storage, ufshcd, ... */
static bool read_scsi_driver(const char *root, int dirfd, char *ret, size_t size) {
        char address[32], path[PATH_MAX];
        uint64_t host;
        char *colon;

        read_link_name(dirfd, "device", address, sizeof(address)); /* HOST:CHANNEL:TARGET:LUN */
        colon = strchr(address, ':');
        if (!colon)
                return false;
        *colon = '\0';
        if (str_parse_u64(address, &host) < 0)
                return false;
        if (snprintf(path, sizeof(path), "%s/sys/class/scsi_host/host%" PRIu64 "/proc_name", root, host) >= (int) sizeof(path))
                return false;
        read_text(AT_FDCWD, path, ret, size);
        return *ret != '\0';
}

static void read_driver(const char *root, int dirfd, property_fn property, void *userdata, struct device_traits *t) {
        if (property(userdata, "ID_USB_DRIVER", t->driver, sizeof(t->driver)))
                return;
        if (streq(t->subsystem, "scsi") && read_scsi_driver(root, dirfd, t->driver, sizeof(t->driver)))
                return;
        read_link_name(dirfd, "device/driver", t->driver, sizeof(t->driver));
        if (!*t->driver) /* NVMe: the parent is the controller, and its parent the PCI function */
                read_link_name(dirfd, "device/device/driver", t->driver, sizeof(t->driver));
}

static int hex_digit(char c) {
        const char *digits = "0123456789abcdef", *p = c ? strchr(digits, c) : NULL;

        return p ? (int) (p - digits) : -1;
}

/* udev writes what is not a safe character as \xHH. In place. */
static void decode_property(char *s) {
        char *out = s;

        while (*s) {
                int high = -1, low = -1;
                if (s[0] == '\\' && s[1] == 'x' && (high = hex_digit(s[2])) >= 0)
                        low = hex_digit(s[3]);
                if (low >= 0 && (high || low)) {
                        *out++ = (char) (high << 4 | low);
                        s += 4;
                } else
                        *out++ = *s++;
        }
        *out = '\0';
}

/* SCSI keeps 16 characters of a SATA drive's model, where udev has all 40. For other drives sysfs has the better text: in
 * ID_MODEL an underscore may have been a blank. */
static void read_model(property_fn property, void *userdata, const struct device_traits *t, char *ret, size_t size) {
        char text[4 * 64 + 1];

        if (property(userdata, "ID_MODEL_ENC", text, sizeof(text))) {
                decode_property(text);
                str_copy(ret, size, str_strip(text));
        } else if (streq(t->subsystem, "scsi") && property(userdata, "ID_MODEL", text, sizeof(text))) {
                for (char *p = text; (p = strchr(p, '_'));)
                        *p = ' ';
                str_copy(ret, size, str_strip(text));
        } else
                str_copy(ret, size, t->model);
}

static void read_parent(const char *root, int dirfd, property_fn property, void *userdata, struct device_traits *t) {
        char type[16];
        uint64_t scsi_type;

        read_link_name(dirfd, "device/subsystem", t->subsystem, sizeof(t->subsystem));
        read_text(dirfd, "device/vendor", t->vendor, sizeof(t->vendor));
        read_text(dirfd, "device/model", t->model, sizeof(t->model));
        read_text(dirfd, "device/type", type, sizeof(type));
        if (streq(t->subsystem, "mmc")) {
                str_copy(t->mmc_type, sizeof(t->mmc_type), type);
                read_text(dirfd, "device/name", t->model, sizeof(t->model));
        } else if (streq(t->subsystem, "scsi") && str_parse_u64(type, &scsi_type) == 0)
                t->is_cdrom = scsi_type == SCSI_TYPE_ROM;
        read_driver(root, dirfd, property, userdata, t);
}

static void read_properties(property_fn property, void *userdata, struct device_traits *t) {
        char text[16];
        uint64_t rpm;

        property(userdata, "ID_BUS", t->bus, sizeof(t->bus));
        t->rotation_rpm = -1;
        if (property(userdata, "ID_ATA_ROTATION_RATE_RPM", text, sizeof(text)) && str_parse_u64(text, &rpm) == 0 &&
            rpm <= UINT16_MAX)
                t->rotation_rpm = (int32_t) rpm;
        if (property(userdata, "ID_CDROM", text, sizeof(text)))
                t->is_cdrom = t->is_cdrom || streq(text, "1");
}

int devices_read_traits(const char *root, int dirfd, const char *name, property_fn property, void *userdata,
                        struct drive_reading *ret) {
        struct drive_reading reading = { 0 };
        struct device_traits *t = &reading.drive.traits;
        char text[ATTRIBUTE_MAX];

        read_text(dirfd, "dev", text, sizeof(text));
        if (devices_parse_number(text, &reading.drive.dev) < 0)
                return -ENODEV;
        reading.diskseq = read_number(dirfd, "diskseq");
        str_copy(t->name, sizeof(t->name), name);
        str_copy(reading.drive.name, sizeof(reading.drive.name), name);

        read_parent(root, dirfd, property, userdata, t);
        read_properties(property, userdata, t);
        read_model(property, userdata, t, reading.drive.model, sizeof(reading.drive.model));
        str_make_text(reading.drive.model, sizeof(reading.drive.model));
        read_text(dirfd, "queue/zoned", t->zoned, sizeof(t->zoned));
        read_text(dirfd, "queue/scheduler", text, sizeof(text));
        t->has_scheduler = strchr(text, '[') != NULL; /* "none" without brackets: nothing to choose from */
        t->rotational = read_number(dirfd, "queue/rotational") != 0;
        t->removable = read_number(dirfd, "removable") != 0;
        t->hidden = read_number(dirfd, "hidden") != 0;
        t->has_slaves = has_directories(dirfd, "slaves");
        t->size_sectors = read_number(dirfd, "size");
        *ret = reading;
        return 0;
}
