/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>

#include "event.h"
#include "fdio.h"
#include "loop-drive.h"
#include "str.h"
#include "test.h"
#include "tunable.h"

#define BACKING_BYTES (64 * 1024 * 1024)
#define ATTEMPTS 10 /* another user of loop devices may be faster */
#define LOOP_MAJOR_NUMBER 7

static int attach(int backing, char *name, size_t size) {
        _cleanup_close_ int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
        struct loop_config config = { .fd = (uint32_t) backing, .info = { .lo_flags = LO_FLAGS_AUTOCLEAR } };

        if (control < 0)
                return -errno;
        for (unsigned i = 0; i < ATTEMPTS; i++) {
                _cleanup_close_ int fd = -1;
                char path[64];
                int n = ioctl(control, LOOP_CTL_GET_FREE);
                if (n < 0)
                        return -errno;
                snprintf(name, size, "loop%d", n);
                snprintf(path, sizeof(path), "/dev/%s", name);
                fd = open(path, O_RDWR | O_CLOEXEC);
                if (fd < 0)
                        return -errno;
                if (ioctl(fd, LOOP_CONFIGURE, &config) == 0)
                        return TAKE_FD(fd);
                if (errno != EBUSY)
                        return -errno;
        }
        return -EBUSY;
}

static void remember(const struct loop_drive *d, const char *file, char ret[static 64]) {
        char path[128], text[ATTRIBUTE_MAX];

        snprintf(path, sizeof(path), "%s/%s", d->queue, file);
        if (fdio_read_at(AT_FDCWD, path, text, sizeof(text)) < 0 || tunable_active_word(text, ret, 64) < 0)
                ret[0] = '\0';
}

int loop_drive_new(struct loop_drive *ret, const char *dir) {
        char path[4096];
        _cleanup_close_ int backing = -1;
        uint64_t number;

        snprintf(path, sizeof(path), "%s/backing", dir);
        backing = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (backing < 0 || ftruncate(backing, BACKING_BYTES) < 0)
                return -errno;
        ret->fd = attach(backing, ret->name, sizeof(ret->name));
        if (ret->fd < 0)
                return ret->fd;
        snprintf(ret->queue, sizeof(ret->queue), "/sys/block/%.24s/queue", ret->name);
        if (str_parse_u64(ret->name + strlen("loop"), &number) < 0)
                abort();
        ret->dev = DEV_NUMBER(LOOP_MAJOR_NUMBER, number);
        remember(ret, "scheduler", ret->scheduler);
        remember(ret, "nr_requests", ret->nr_requests);
        remember(ret, "read_ahead_kb", ret->read_ahead_kb);
        return 0;
}

void loop_drive_set(const struct loop_drive *d, const char *file, const char *value) {
        char path[128];
        int r;

        snprintf(path, sizeof(path), "%s/%s", d->queue, file);
        r = fdio_write_at(AT_FDCWD, path, value);
        if (r < 0) {
                fprintf(stderr, "%s: %s: %s\n", path, value, strerror(-r));
                abort();
        }
}

void loop_drive_done(struct loop_drive *d) {
        if (d->fd < 0)
                return;
        loop_drive_set(d, "scheduler", "none"); /* selecting one anew resets its settings */
        loop_drive_set(d, "scheduler", d->scheduler);
        loop_drive_set(d, "nr_requests", d->nr_requests);
        loop_drive_set(d, "read_ahead_kb", d->read_ahead_kb);
        ioctl(d->fd, LOOP_CLR_FD);
        d->fd = safe_close(d->fd);
}
