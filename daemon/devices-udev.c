/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The drives of the running machine, through libudev. */
#include <errno.h>
#include <fcntl.h>

#include "devices-internal.h"
#include "str.h"

static struct udev_device *device_unref(struct udev_device *device) {
        return udev_device_unref(device);
}
DEFINE_TRIVIAL_CLEANUP_FUNC(struct udev_device *, device_unref);

static struct udev_enumerate *enumerate_unref(struct udev_enumerate *e) {
        return udev_enumerate_unref(e);
}
DEFINE_TRIVIAL_CLEANUP_FUNC(struct udev_enumerate *, enumerate_unref);

static bool udev_property(void *userdata, const char *key, char *ret, size_t size) {
        const char *value = udev_device_get_property_value(userdata, key);

        if (!value)
                return false;
        str_copy(ret, size, value);
        return true;
}

int devices_udev_read(struct udev *udev, const char *name, struct drive_reading *ret) {
        _cleanup_(device_unrefp) struct udev_device *device = udev_device_new_from_subsystem_sysname(udev, "block", name);
        _cleanup_close_ int fd = -1;
        const char *type;

        if (!device)
                return errno > 0 ? -errno : -ENODEV;
        type = udev_device_get_devtype(device);
        if (!type || !streq(type, "disk"))
                return -ENODEV;
        fd = open(udev_device_get_syspath(device), O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0)
                return -errno;
        return devices_read_traits("", fd, name, udev_property, device, ret);
}

int devices_udev_list(struct udev *udev, char ***ret) {
        _cleanup_(enumerate_unrefp) struct udev_enumerate *e = udev_enumerate_new(udev);
        _cleanup_(names_freep) char **names = NULL;
        struct udev_list_entry *first, *entry;
        size_t n = 0;
        int r;

        if (!e)
                return -ENOMEM;
        if ((r = udev_enumerate_add_match_subsystem(e, "block")) < 0 || (r = udev_enumerate_add_match_property(e, "DEVTYPE", "disk")) < 0 ||
            (r = udev_enumerate_scan_devices(e)) < 0)
                return r;
        first = udev_enumerate_get_list_entry(e);
        udev_list_entry_foreach(entry, first)
                n++;
        names = calloc(n + 1, sizeof(*names));
        if (!names)
                return -ENOMEM;
        n = 0;
        udev_list_entry_foreach(entry, first) {
                const char *path = udev_list_entry_get_name(entry), *slash = strrchr(path, '/');
                if (!(names[n++] = strdup(slash ? slash + 1 : path)))
                        return -ENOMEM;
        }
        *ret = TAKE_PTR(names);
        return 0;
}
