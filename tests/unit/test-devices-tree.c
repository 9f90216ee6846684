/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trees that no kernel would show, or only a broken one. Whole machines are in tests/machines. */
#include <errno.h>

#include "devices.h"
#include "event.h"
#include "str.h"
#include "test.h"

#define DM_MAJOR 253

static char found[256], left_out[256], last_model[64];

static void note(void *userdata _unused_, enum drive_action action, const struct drive *drive) {
        if (action == DRIVE_LEFT_OUT)
                str_append(left_out, sizeof(left_out), "%s ", drive->name);
        else
                str_append(found, sizeof(found), "%s%s ", action == DRIVE_ADDED ? "" : "?", drive->name);
        str_copy(last_model, sizeof(last_model), drive->model);
}

/* A fresh root directory for each test. */
static const char *new_root(void) {
        static char root[256];
        static unsigned n;

        snprintf(root, sizeof(root), "%s/%u", test_tmpdir(), n++);
        test_write_file(root, "sys/block/.keep", "");
        test_write_file(root, "sys/dev/block/.keep", "");
        found[0] = left_out[0] = '\0';
        return root;
}

static void write_attribute(const char *root, const char *name, const char *attribute, const char *text) {
        char path[128];

        snprintf(path, sizeof(path), "sys/block/%s/%s", name, attribute);
        test_write_file(root, path, text);
}

static void add_node(const char *root, const char *name, const char *number) {
        char path[512], target[64];

        write_attribute(root, name, "dev", number);
        write_attribute(root, name, "size", "1000\n");
        snprintf(path, sizeof(path), "%s/sys/dev/block/%s", root, number);
        snprintf(target, sizeof(target), "../../block/%s", name);
        if (symlink(target, path) < 0)
                perror(path);
}

static void add_slave(const char *root, const char *name, const char *slave) {
        char path[512], target[64];

        snprintf(path, sizeof(path), "sys/block/%s/slaves/.keep", name);
        test_write_file(root, path, "");
        snprintf(path, sizeof(path), "%s/sys/block/%s/slaves/%s", root, name, slave);
        snprintf(target, sizeof(target), "../../%s", slave);
        if (symlink(target, path) < 0)
                perror(path);
}

static void add_ssd(const char *root, const char *name, const char *number) {
        add_node(root, name, number);
        write_attribute(root, name, "queue/scheduler", "[none] mq-deadline\n");
}

static void add_dm(const char *root, unsigned i) {
        char name[32], number[32];

        snprintf(name, sizeof(name), "dm-%u", i);
        snprintf(number, sizeof(number), "%d:%u", DM_MAJOR, i);
        add_node(root, name, number);
}

static void add_dm_slave(const char *root, unsigned i, unsigned below) {
        char name[32], slave[32];

        snprintf(name, sizeof(name), "dm-%u", i);
        snprintf(slave, sizeof(slave), "dm-%u", below);
        add_slave(root, name, slave);
}

static struct devices *open_tree(const char *root) {
        struct devices_config config = { .root = root };
        struct devices *d = NULL;

        return devices_new(&config, NULL, note, NULL, &d) < 0 ? NULL : d;
}

TEST(what_is_excluded_or_no_drive_is_told_as_left_out) {
        static const char *const exclude[] = { "sdb", "dm-0", NULL };
        const char *root = new_root();
        struct devices_config config = { .root = root, .exclude = exclude };
        _cleanup_(devices_freep) struct devices *d = NULL;
        bool inferred;

        add_ssd(root, "sda", "8:0");
        add_ssd(root, "sdb", "8:16");
        add_dm(root, 0);
        CHECK_INT(devices_new(&config, NULL, note, NULL, &d), 0);
        CHECK_STR(found, "sda ");
        CHECK_STR(left_out, "dm-0 sdb ");
        CHECK_INT(devices_resolve_leaf(d, DEV_NUMBER(8, 16), &inferred), 0);
}

TEST(a_stack_that_is_its_own_slave_ends) {
        const char *root = new_root();
        _cleanup_(devices_freep) struct devices *d = NULL;
        bool inferred = false;

        add_ssd(root, "sda", "8:0");
        for (unsigned i = 0; i < 3; i++)
                add_dm(root, i);
        add_dm_slave(root, 0, 1);
        add_dm_slave(root, 1, 0);
        add_dm_slave(root, 2, 2);
        add_slave(root, "dm-2", "sda");
        CHECK((d = open_tree(root)));
        CHECK_STR(found, "sda ");
        CHECK_INT(devices_resolve_leaf(d, DEV_NUMBER(DM_MAJOR, 0), &inferred), 0);
        CHECK(!inferred);
        /* What was found before the bound was met counts, but as inferred. */
        CHECK_INT(devices_resolve_leaf(d, DEV_NUMBER(DM_MAJOR, 2), &inferred), DEV_NUMBER(8, 0));
        CHECK(inferred);
        CHECK(strstr(devices_describe(d), "too wide: 2"));
}

TEST(a_deep_stack_is_followed_to_its_bound) {
        const char *root = new_root();
        _cleanup_(devices_freep) struct devices *d = NULL;
        bool inferred = true;

        add_ssd(root, "sda", "8:0");
        for (unsigned i = 0; i < 40; i++)
                add_dm(root, i);
        add_slave(root, "dm-0", "sda");
        for (unsigned i = 1; i < 40; i++)
                add_dm_slave(root, i, i - 1);
        CHECK((d = open_tree(root)));
        CHECK_INT(devices_resolve_leaf(d, DEV_NUMBER(DM_MAJOR, 12), &inferred), DEV_NUMBER(8, 0));
        CHECK(!inferred);
        CHECK(!strstr(devices_describe(d), "too wide"));
        CHECK_INT(devices_resolve_leaf(d, DEV_NUMBER(DM_MAJOR, 39), NULL), 0);
        CHECK(strstr(devices_describe(d), "too wide: 1"));
}

/* Sixteen levels that each stand twice on the one below are 65536 ways down. */
TEST(a_wide_stack_takes_bounded_time) {
        const char *root = new_root();
        _cleanup_(devices_freep) struct devices *d = NULL;

        for (unsigned i = 0; i < 32; i++)
                add_dm(root, i);
        for (unsigned i = 2; i < 32; i++) {
                add_dm_slave(root, i, (i / 2 - 1) * 2);
                add_dm_slave(root, i, (i / 2 - 1) * 2 + 1);
        }
        CHECK((d = open_tree(root)));
        CHECK_INT(devices_resolve_leaf(d, DEV_NUMBER(DM_MAJOR, 31), NULL), 0);
        CHECK(strstr(devices_describe(d), "too wide: 1"));
}

/* md of two partitions, dm-crypt on it, and LVM on that in two parts; another drive stands alone. */
TEST(what_stands_on_a_drive_is_found_from_the_top) {
        const char *root = new_root();
        struct upper uppers[UPPERS_MAX];
        _cleanup_(devices_freep) struct devices *d = NULL;

        add_ssd(root, "sda", "8:0\n");
        add_ssd(root, "sdb", "8:16\n");
        add_ssd(root, "sdc", "8:32\n");
        add_node(root, "md0", "9:0\n");
        add_slave(root, "md0", "sda");
        add_slave(root, "md0", "sdb");
        write_attribute(root, "md0", "holders/dm-0", "");
        add_node(root, "dm-0", "253:0\n");
        add_slave(root, "dm-0", "md0");
        write_attribute(root, "dm-0", "holders/dm-1", "");
        write_attribute(root, "dm-0", "holders/dm-2", "");
        add_node(root, "dm-1", "253:1\n");
        add_slave(root, "dm-1", "dm-0");
        add_node(root, "dm-2", "253:2\n");
        add_slave(root, "dm-2", "dm-0");
        d = open_tree(root);
        CHECK(d);
        for (uint32_t minor = 0; minor <= 16; minor += 16) {
                CHECK_INT(devices_find_uppers(d, DEV_NUMBER(8, minor), uppers), 2);
                CHECK_STR(uppers[0].name, "dm-1");
                CHECK_INT(uppers[0].dev, DEV_NUMBER(DM_MAJOR, 1));
                CHECK_INT(uppers[0].drives, 2);
                CHECK_STR(uppers[1].name, "dm-2");
        }
        CHECK_INT(devices_find_uppers(d, DEV_NUMBER(8, 32), uppers), 0);
}

TEST(more_on_a_drive_than_there_is_room_for_is_left_out_and_said) {
        const char *root = new_root();
        struct upper uppers[UPPERS_MAX];
        _cleanup_(devices_freep) struct devices *d = NULL;

        add_ssd(root, "sda", "8:0\n");
        for (unsigned i = 0; i < UPPERS_MAX + 1; i++) {
                char name[32], number[32];
                snprintf(name, sizeof(name), "dm-%u", i);
                snprintf(number, sizeof(number), "%d:%u\n", DM_MAJOR, i);
                add_node(root, name, number);
                add_slave(root, name, "sda");
        }
        d = open_tree(root);
        CHECK(d && !strstr(devices_describe(d), "too wide"));
        CHECK_INT(devices_find_uppers(d, DEV_NUMBER(8, 0), uppers), UPPERS_MAX);
        CHECK(strstr(devices_describe(d), "too wide"));
}

TEST(many_numbers_share_the_cache_without_mixing) {
        const char *root = new_root();
        _cleanup_(devices_freep) struct devices *d = NULL;

        add_ssd(root, "sda", "8:0");
        add_ssd(root, "sdb", "8:16");
        for (unsigned i = 0; i < 600; i++) {
                char name[32];
                add_dm(root, i);
                snprintf(name, sizeof(name), "dm-%u", i);
                add_slave(root, name, i % 2 ? "sda" : "sdb");
        }
        CHECK((d = open_tree(root)));
        for (unsigned round = 0; round < 2; round++)
                for (unsigned i = 0; i < 600; i++) {
                        uint32_t below = i % 2 ? DEV_NUMBER(8, 0) : DEV_NUMBER(8, 16);
                        CHECK_INT(devices_resolve_leaf(d, DEV_NUMBER(DM_MAJOR, i), NULL), below);
                }
}

TEST(broken_attributes_hide_only_their_drive) {
        static const char *const bad_numbers[] = {
                "", "8", "8:", ":0", "8:0:0", "-8:0", "8:-1", "4096:0", "8:1048576", "junk", "99999999999999999999:0",
        };
        const char *root = new_root();
        _cleanup_(devices_freep) struct devices *d = NULL;
        char name[32], long_text[6000];

        for (size_t i = 0; i < ARRAY_SIZE(bad_numbers); i++) {
                snprintf(name, sizeof(name), "sd%c", (char) ('b' + i));
                write_attribute(root, name, "dev", bad_numbers[i]);
                write_attribute(root, name, "size", "1000\n");
                write_attribute(root, name, "queue/scheduler", "[none]\n");
        }
        memset(long_text, 'x', sizeof(long_text) - 1);
        long_text[sizeof(long_text) - 1] = '\0';
        add_ssd(root, "sdz", "8:0");
        write_attribute(root, "sdz", "device/model", long_text);
        write_attribute(root, "sdz", "queue/zoned", long_text);
        test_write_file(root, "run/udev/data/b8:0",
                        "E:ID_MODEL_ENC=\\x4\\xzz\\x20\\x00A\\x20B\\x20\\x20\nE:ID_ATA_ROTATION_RATE_RPM=-7200\nE:\nE:ID_BUS");
        test_write_file(root, "sys/block/file", "not a directory");
        CHECK((d = open_tree(root)));
        CHECK_STR(found, "sdz ");
        CHECK_STR(last_model, "\\x4\\xzz \\x00A B");
}

TEST(a_root_without_sysfs_is_an_error) {
        struct devices_config config = { .root = "/nonexistent" };
        struct devices *d = NULL;

        CHECK_INT(devices_new(&config, NULL, note, NULL, &d), -ENOENT);
        CHECK(!d);
}
