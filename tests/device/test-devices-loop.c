/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A real loop device on the real kernel, with its own uevents where no udevd runs. */
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "devices.h"
#include "event.h"
#include "test.h"
#include "units.h"

#define PATIENCE_USEC (20 * USEC_PER_SEC)
#define BACKING_BYTES (8 << 20)
#define ATTEMPTS_MAX 20 /* another program may take the free number first */

struct seen {
        char name[32];
        unsigned added, removed;
        struct drive last;
};

static void note(void *userdata, enum drive_action action, const struct drive *drive) {
        struct seen *seen = userdata;

        if (action == DRIVE_LEFT_OUT || !streq(drive->name, seen->name))
                return;
        seen->added += action == DRIVE_ADDED;
        seen->removed += action == DRIVE_REMOVED;
        seen->last = *drive;
}

static void run_until(sd_event *event, const unsigned *count, unsigned wanted) {
        uint64_t now, end;

        sd_event_now(event, CLOCK_MONOTONIC, &now);
        for (end = now + PATIENCE_USEC; now < end && *count < wanted; sd_event_now(event, CLOCK_MONOTONIC, &now))
                if (sd_event_run(event, end - now) < 0)
                        return;
}

/* Detaches when the last descriptor is closed, whatever becomes of the test. */
static int attach(int loop, int backing) {
        struct loop_config config = { .fd = (uint32_t) backing, .info.lo_flags = LO_FLAGS_AUTOCLEAR };

        return ioctl(loop, LOOP_CONFIGURE, &config) < 0 ? -errno : 0;
}

/* Opens a loop device that is not used, without attaching it. */
static int open_free_loop(char *ret_name, size_t size) {
        _cleanup_close_ int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
        char path[64];
        int n = control < 0 ? -1 : ioctl(control, LOOP_CTL_GET_FREE);

        if (n < 0)
                return -errno;
        snprintf(ret_name, size, "loop%d", n);
        snprintf(path, sizeof(path), "/dev/loop%d", n);
        n = open(path, O_RDWR | O_CLOEXEC);
        return n < 0 ? -errno : n;
}

static void watch_one_loop(int *loop, int backing, struct seen *seen, bool *ret_busy) {
        _cleanup_(devices_freep) struct devices *d = NULL;
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        struct devices_config config = { .root = "", .include = (const char *[]){ seen->name, NULL } };
        struct stat st;
        uint32_t dev;
        int r;

        CHECK(fstat(*loop, &st) == 0);
        dev = DEV_NUMBER(major(st.st_rdev), minor(st.st_rdev));
        CHECK(sd_event_new(&event) >= 0);
        CHECK_INT(devices_new(&config, event, note, seen, &d), 0);
        r = attach(*loop, backing);
        *ret_busy = r == -EBUSY;
        if (*ret_busy)
                return;
        CHECK_INT(r, 0);
        CHECK_INT(seen->added, 0);
        run_until(event, &seen->added, 1);
        CHECK_INT(seen->added, 1);
        CHECK_INT(seen->last.dev, dev);
        CHECK_INT(seen->last.traits.size_sectors, BACKING_BYTES / SECTOR_BYTES);
        CHECK_INT(devices_resolve_leaf(d, dev, NULL), dev);

        CHECK(ioctl(*loop, LOOP_CLR_FD) == 0);
        *loop = safe_close(*loop); /* a cleared loop device is detached by its last close */
        run_until(event, &seen->removed, 1);
        CHECK_INT(seen->removed, 1);
        CHECK_INT(devices_resolve_leaf(d, dev, NULL), 0);
}

static int open_backing(const char *path) {
        int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

        if (fd >= 0 && ftruncate(fd, BACKING_BYTES) < 0)
                return safe_close(fd);
        return fd;
}

static void skip_without_loop_devices(void) {
        if (geteuid() != 0)
                test_skip("needs root: attaches a loop device");
        if (access("/dev/loop-control", F_OK) < 0)
                test_skip("no /dev/loop-control: no loop devices in this container");
}

/* ret_leaf: the drive below a block device; 0: none. */
static void find_leaf(dev_t number, uint32_t *ret_leaf) {
        _cleanup_(devices_freep) struct devices *d = NULL;
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        struct devices_config config = { .root = "" };
        struct seen seen = { 0 };

        *ret_leaf = 0;
        CHECK(sd_event_new(&event) >= 0);
        CHECK_INT(devices_new(&config, event, note, &seen, &d), 0);
        *ret_leaf = devices_resolve_leaf(d, DEV_NUMBER(major(number), minor(number)), NULL);
}

static void check_loop_stands_on(const char *loop, uint32_t drive) {
        char path[64];
        struct stat st;
        uint32_t leaf;

        snprintf(path, sizeof(path), "/dev/%s", loop);
        CHECK(stat(path, &st) == 0);
        find_leaf(st.st_rdev, &leaf);
        CHECK_INT(leaf, drive);
}

/* A process that asks for a file by its path waits for the server that has it. */
TEST(what_a_loop_device_stands_on_is_known_without_asking_for_its_file) {
        _cleanup_close_ int backing = -1;
        const char *dir = test_tmpdir();
        char path[256];
        struct stat st;
        uint32_t drive;
        int r = -EBUSY;

        skip_without_loop_devices();
        snprintf(path, sizeof(path), "%s/backing", dir);
        backing = open_backing(path);
        CHECK(backing >= 0 && fstat(backing, &st) == 0 && unlink(path) == 0);
        find_leaf(st.st_dev, &drive);
        if (drive == 0)
                test_skip("the temporary files are on no drive");
        for (int i = 0; i < ATTEMPTS_MAX && r == -EBUSY; i++) {
                char name[32];
                _cleanup_close_ int loop = open_free_loop(name, sizeof(name));

                CHECK(loop >= 0);
                r = attach(loop, backing);
                if (r == 0)
                        check_loop_stands_on(name, drive);
        }
        CHECK_INT(r, 0);
}

TEST(an_included_loop_device_comes_with_its_file_and_goes_with_it) {
        _cleanup_close_ int backing = -1;
        const char *dir = test_tmpdir();
        char path[256];
        bool busy = true;

        skip_without_loop_devices();
        snprintf(path, sizeof(path), "%s/backing", dir);
        backing = open_backing(path);
        CHECK(backing >= 0);

        for (int i = 0; i < ATTEMPTS_MAX && busy; i++) {
                struct seen seen = { 0 };
                _cleanup_close_ int loop = open_free_loop(seen.name, sizeof(seen.name));

                CHECK(loop >= 0);
                watch_one_loop(&loop, backing, &seen, &busy);
        }
        CHECK(!busy);
}
