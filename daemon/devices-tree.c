/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The drives of a recorded machine: sysfs and udev's database as files below a directory. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>

#include "devices-internal.h"
#include "fdio.h"
#include "str.h"

#define UDEV_RECORD_MAX 16384 /* a drive with many links has about 3 KiB */

static int not_hidden(const struct dirent *entry) {
        return entry->d_name[0] != '.';
}

int devices_tree_list(const char *root, char ***ret) {
        _cleanup_(names_freep) char **names = NULL;
        struct dirent **entries = NULL;
        char path[PATH_MAX];
        int n, r = 0;

        if (snprintf(path, sizeof(path), "%s/sys/block", root) >= (int) sizeof(path))
                return -ENAMETOOLONG;
        n = scandir(path, &entries, not_hidden, versionsort);
        if (n < 0)
                return -errno;
        names = calloc((size_t) n + 1, sizeof(*names));
        if (!names)
                r = -ENOMEM;
        for (int i = 0; i < n; i++) {
                if (r == 0 && !(names[i] = strdup(entries[i]->d_name)))
                        r = -ENOMEM;
                free(entries[i]);
        }
        free(entries);
        if (r < 0)
                return r;
        *ret = TAKE_PTR(names);
        return 0;
}

/* A record of /run/udev/data has a line E:KEY=VALUE for each property. userdata: its text. */
static bool record_property(void *userdata, const char *key, char *ret, size_t size) {
        size_t key_length = strlen(key);

        for (const char *line = userdata; line && *line;) {
                const char *end = strchrnul(line, '\n');
                if (strncmp(line, "E:", 2) == 0 && strncmp(line + 2, key, key_length) == 0 && line[2 + key_length] == '=') {
                        const char *value = line + 2 + key_length + 1;
                        size_t length = MIN((size_t) (end - value), size - 1);
                        memcpy(ret, value, length);
                        ret[length] = '\0';
                        return true;
                }
                line = *end ? end + 1 : NULL;
        }
        return false;
}

int devices_tree_read(const char *root, const char *name, struct drive_reading *ret) {
        char path[PATH_MAX], number[32], record[UDEV_RECORD_MAX];
        _cleanup_close_ int fd = -1;
        ssize_t n;

        if (snprintf(path, sizeof(path), "%s/sys/block/%s", root, name) >= (int) sizeof(path))
                return -ENAMETOOLONG;
        fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0)
                return -errno;
        record[0] = '\0';
        if (fdio_read_at(fd, "dev", number, sizeof(number)) >= 0 &&
            snprintf(path, sizeof(path), "%s/run/udev/data/b%s", root, number) < (int) sizeof(path)) {
                n = fdio_read_at(AT_FDCWD, path, record, sizeof(record));
                if (n < 0) /* a machine without udevd */
                        record[0] = '\0';
        }
        return devices_read_traits(root, fd, name, record_property, record, ret);
}
