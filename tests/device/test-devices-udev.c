/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drives that come, change and go, as libudev and its monitor tell it. Run below umockdev's preload library. */
#include <errno.h>
#include <libudev.h>
#include "devices.h"
#include "event.h"
#include "fdio.h"
#include "str.h"
#include "test.h"
#include "units.h"

/* GLib has these too. */
#undef MIN
#undef MAX
#undef CLAMP
#include <umockdev.h>

#define PATIENCE_USEC (20 * USEC_PER_SEC) /* for what must come */
#define EVENTS_AT_ONCE 8           /* umockdev's socket holds ten unread ones */
#define QUIET_USEC (400 * USEC_PER_MSEC) /* for what must not: four times the time that changes settle in */

struct machine {
        UMockdevTestbed *testbed;
        sd_event *event;
        struct devices *devices;
        char log[512]; /* "+sda ~sda -sda " */
        struct drive last;
};

static void note(void *userdata, enum drive_action action, const struct drive *drive) {
        struct machine *m = userdata;

        if (action == DRIVE_LEFT_OUT)
                return;
        str_append(m->log, sizeof(m->log), "%c%s ", "+~-"[action], drive->name);
        m->last = *drive;
}

static void machine_done(struct machine *m) {
        devices_free(m->devices);
        sd_event_unref(m->event);
        g_clear_object(&m->testbed);
}

/* The kernel drops uevents where they are not read in time, and says so once. The linker puts this before libudev's. */
static bool lose_events;

struct udev_device *__real_udev_monitor_receive_device(struct udev_monitor *monitor);
struct udev_device *__wrap_udev_monitor_receive_device(struct udev_monitor *monitor);

struct udev_device *__wrap_udev_monitor_receive_device(struct udev_monitor *monitor) {
        struct udev_device *device = __real_udev_monitor_receive_device(monitor);

        if (!lose_events)
                return device;
        for (; device; device = __real_udev_monitor_receive_device(monitor))
                udev_device_unref(device);
        lose_events = false;
        errno = ENOBUFS;
        return NULL;
}

/* /sys/dev/block, which umockdev leaves out. */
static char *link_number(struct machine *m, char *syspath, const char *number) {
        _cleanup_free_ char *root = umockdev_testbed_get_root_dir(m->testbed);
        char path[256], target[256];

        snprintf(path, sizeof(path), "%s/sys/dev/block", root);
        snprintf(target, sizeof(target), "../..%s", syspath + strlen("/sys"));
        if (fdio_mkdir_parents(path) < 0 || !str_append(path, sizeof(path), "/%s", number) || symlink(target, path) < 0)
                perror(path);
        return syspath;
}

/* Both tell the monitor, as the kernel does. */
static char *add_disk(struct machine *m, const char *name, const char *number, const char *size) {
        const char *attributes[] = { "dev", number, "size", size, "removable", "0", "diskseq", "1", "queue/rotational", "1",
                                     "queue/scheduler", "none [mq-deadline]", NULL };
        const char *properties[] = { "DEVTYPE", "disk", "DEVNAME", name, NULL };
        char *path = umockdev_testbed_add_devicev(m->testbed, "block", name, NULL, (char **) attributes, (char **) properties);

        return link_number(m, path, number);
}

static char *add_partition(struct machine *m, const char *disk, const char *name, const char *number) {
        const char *attributes[] = { "dev", number, "size", "1000", "partition", "1", NULL };
        const char *properties[] = { "DEVTYPE", "partition", "DEVNAME", name, NULL };
        char *path = umockdev_testbed_add_devicev(m->testbed, "block", name, disk, (char **) attributes, (char **) properties);

        return link_number(m, path, number);
}

static bool start(struct machine *m, const struct devices_config *config) {
        return sd_event_new(&m->event) >= 0 && devices_new(config, m->event, note, m, &m->devices) >= 0;
}

/* Runs the event loop until the log is as expected, or for the whole time. Returns the log. */
static const char *run(struct machine *m, uint64_t usec, const char *expected) {
        uint64_t now, end;

        sd_event_now(m->event, CLOCK_MONOTONIC, &now);
        for (end = now + usec; now < end && !(expected && streq(m->log, expected));) {
                if (sd_event_run(m->event, end - now) < 0)
                        return "(the event loop failed)";
                sd_event_now(m->event, CLOCK_MONOTONIC, &now);
        }
        return m->log;
}

static const struct devices_config no_lists = { .root = "" };

TEST(the_drives_that_are_there_are_told_once) {
        _cleanup_(machine_done) struct machine m = { .testbed = umockdev_testbed_new() };
        _cleanup_free_ char *sda = add_disk(&m, "sda", "8:0", "1000000"), *sda1 = add_partition(&m, sda, "sda1", "8:1");
        _cleanup_free_ char *sdb = add_disk(&m, "sdb", "8:16", "0"), *loop = add_disk(&m, "loop0", "7:0", "1000");
        bool inferred = true;

        CHECK(sda && sda1 && sdb && loop);
        CHECK(start(&m, &no_lists));
        CHECK_STR(m.log, "+sda ");
        CHECK_INT(m.last.dev, DEV_NUMBER(8, 0));
        CHECK_INT(m.last.class, DEVICE_CLASS_HDD);
        CHECK_INT(devices_resolve_leaf(m.devices, DEV_NUMBER(8, 1), &inferred), DEV_NUMBER(8, 0));
        CHECK(!inferred);
        CHECK_INT(devices_resolve_leaf(m.devices, DEV_NUMBER(7, 0), NULL), 0);
        CHECK_INT(devices_resolve_leaf(m.devices, DEV_NUMBER(0, 0), NULL), 0);
        CHECK_INT(devices_resolve_leaf(m.devices, DEV_NUMBER(0, 27), NULL), 0); /* btrfs, overlayfs, tmpfs */
        CHECK(strncmp(devices_describe(m.devices), "libudev, monitor ", 17) == 0);
}

TEST(a_drive_that_is_plugged_in_and_out_is_told) {
        _cleanup_(machine_done) struct machine m = { .testbed = umockdev_testbed_new() };
        _cleanup_free_ char *sda = NULL, *sda1 = NULL;

        CHECK(start(&m, &no_lists));
        CHECK_STR(m.log, "");
        sda = add_disk(&m, "sda", "8:0", "1000000");
        CHECK_STR(run(&m, PATIENCE_USEC, "+sda "), "+sda ");
        /* That there was nothing is not remembered. */
        CHECK_INT(devices_resolve_leaf(m.devices, DEV_NUMBER(8, 1), NULL), 0);
        sda1 = add_partition(&m, sda, "sda1", "8:1");
        for (uint64_t usec = 0; usec < PATIENCE_USEC && devices_resolve_leaf(m.devices, DEV_NUMBER(8, 1), NULL) == 0; usec += QUIET_USEC)
                run(&m, QUIET_USEC, NULL);
        CHECK_INT(devices_resolve_leaf(m.devices, DEV_NUMBER(8, 1), NULL), DEV_NUMBER(8, 0));
        umockdev_testbed_uevent(m.testbed, sda, "remove");
        CHECK_STR(run(&m, PATIENCE_USEC, "+sda -sda "), "+sda -sda ");
        CHECK_INT(devices_resolve_leaf(m.devices, DEV_NUMBER(8, 1), NULL), 0);
}

TEST(many_changes_at_once_are_told_once) {
        _cleanup_(machine_done) struct machine m = { .testbed = umockdev_testbed_new() };
        _cleanup_free_ char *sda = add_disk(&m, "sda", "8:0", "1000000");

        CHECK(start(&m, &no_lists));
        umockdev_testbed_set_attribute(m.testbed, sda, "queue/rotational", "0");
        for (int i = 0; i < EVENTS_AT_ONCE; i++)
                umockdev_testbed_uevent(m.testbed, sda, "change");
        CHECK_STR(run(&m, PATIENCE_USEC, "+sda ~sda "), "+sda ~sda ");
        CHECK_STR(run(&m, QUIET_USEC, NULL), "+sda ~sda ");
        CHECK_INT(m.last.class, DEVICE_CLASS_SSD);
}

TEST(a_drive_is_there_while_it_has_a_medium) {
        _cleanup_(machine_done) struct machine m = { .testbed = umockdev_testbed_new() };
        _cleanup_free_ char *sda = add_disk(&m, "sda", "8:0", "0");

        CHECK(start(&m, &no_lists));
        CHECK_STR(m.log, "");
        umockdev_testbed_set_attribute(m.testbed, sda, "size", "1000000");
        umockdev_testbed_uevent(m.testbed, sda, "change");
        CHECK_STR(run(&m, PATIENCE_USEC, "+sda "), "+sda ");
        umockdev_testbed_set_attribute(m.testbed, sda, "size", "0");
        umockdev_testbed_uevent(m.testbed, sda, "change");
        CHECK_STR(run(&m, PATIENCE_USEC, "+sda -sda "), "+sda -sda ");
}

TEST(another_medium_is_another_drive) {
        _cleanup_(machine_done) struct machine m = { .testbed = umockdev_testbed_new() };
        _cleanup_free_ char *sda = add_disk(&m, "sda", "8:0", "1000000");

        CHECK(start(&m, &no_lists));
        umockdev_testbed_set_attribute(m.testbed, sda, "diskseq", "2");
        umockdev_testbed_uevent(m.testbed, sda, "change");
        CHECK_STR(run(&m, PATIENCE_USEC, "+sda -sda +sda "), "+sda -sda +sda ");
}

TEST(a_drive_that_vanishes_before_it_is_looked_at_is_gone) {
        _cleanup_(machine_done) struct machine m = { .testbed = umockdev_testbed_new() };
        _cleanup_free_ char *sda = add_disk(&m, "sda", "8:0", "1000000"), *sdb = add_disk(&m, "sdb", "8:16", "1000000");

        CHECK(sdb);
        CHECK(start(&m, &no_lists));
        CHECK_STR(m.log, "+sda +sdb ");
        umockdev_testbed_uevent(m.testbed, sda, "change");
        umockdev_testbed_set_attribute(m.testbed, sda, "dev", "");
        CHECK_STR(run(&m, PATIENCE_USEC, "+sda +sdb -sda "), "+sda +sdb -sda ");
        /* The late event changes nothing. */
        umockdev_testbed_uevent(m.testbed, sda, "remove");
        CHECK_STR(run(&m, QUIET_USEC, NULL), "+sda +sdb -sda ");
}

TEST(lost_events_are_made_good) {
        _cleanup_(machine_done) struct machine m = { .testbed = umockdev_testbed_new() };
        _cleanup_free_ char *sda = add_disk(&m, "sda", "8:0", "1000000"), *sdb = add_disk(&m, "sdb", "8:16", "1000000"), *sdc = NULL;

        CHECK(sda && sdb);
        CHECK(start(&m, &no_lists));
        lose_events = true;
        sdc = add_disk(&m, "sdc", "8:32", "1000000");
        umockdev_testbed_remove_device(m.testbed, sda);
        CHECK_STR(run(&m, PATIENCE_USEC, "+sda +sdb -sda ~sdb +sdc "), "+sda +sdb -sda ~sdb +sdc ");
        CHECK(sdc && !lose_events);
}

TEST(named_drives_are_taken_or_left_alone) {
        _cleanup_(machine_done) struct machine m = { .testbed = umockdev_testbed_new() };
        _cleanup_free_ char *sda = add_disk(&m, "sda", "8:0", "1000000"), *loop0 = add_disk(&m, "loop0", "7:0", "1000");
        _cleanup_free_ char *loop1 = add_disk(&m, "loop1", "7:1", "1000"), *loop2 = add_disk(&m, "loop2", "7:2", "1000");
        struct devices_config config = { .root = "", .include = (const char *[]){ "loop0", "/dev/loop1=sd-card", "loop2", NULL },
                                         .exclude = (const char *[]){ "sda", "loop2", NULL } };

        CHECK(sda && loop0 && loop1 && loop2);
        CHECK(start(&m, &config));
        CHECK_STR(m.log, "+loop0 +loop1 ");
        CHECK_INT(m.last.class, DEVICE_CLASS_SD_CARD);
        CHECK_INT(devices_resolve_leaf(m.devices, DEV_NUMBER(7, 0), NULL), DEV_NUMBER(7, 0));
        CHECK_INT(devices_resolve_leaf(m.devices, DEV_NUMBER(8, 0), NULL), 0);
}

TEST(an_include_that_cannot_be_meant_is_refused) {
        static const char *const bad[] = { "loop0=floppy", "loop0=skip", "loop0=", "", "=hdd", "/dev/", "a-name-that-is-longer-than-any-drive-has" };

        for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
                _cleanup_(machine_done) struct machine m = { .testbed = umockdev_testbed_new() };
                struct devices_config config = { .root = "", .include = (const char *[]){ bad[i], NULL } };

                CHECK(sd_event_new(&m.event) >= 0);
                CHECK_INT(devices_new(&config, m.event, note, &m, &m.devices), -EINVAL);
                CHECK(!m.devices);
        }
}
