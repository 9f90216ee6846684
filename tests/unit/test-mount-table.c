/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <poll.h>

#include "dev-number.h"
#include "macro.h"
#include "mount-table.h"
#include "test.h"

#define SDB DEV_NUMBER(8, 16)
#define SDC DEV_NUMBER(8, 32)

int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout);

/* The kernel says each time that something was mounted. */
int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout _unused_) {
        for (nfds_t i = 0; i < n; i++)
                fds[i].revents = POLLPRI | POLLERR;
        return (int) n;
}

static void put_mount(const char *root, const char *type, const char *source) {
        char line[256];

        snprintf(line, sizeof(line), "30 1 0:30 / /home rw - %s %s rw\n", type, source);
        test_write_file(root, "proc/1/mountinfo", line);
}

static const char *make_root(void) {
        static char root[256];
        static unsigned count;

        snprintf(root, sizeof(root), "%s/root-%u", test_tmpdir(), count++);
        test_write_file(root, "sys/class/block/sdb/dev", "8:16\n");
        test_write_file(root, "sys/class/block/sdc/dev", "8:32\n");
        return root;
}

TEST(files_have_the_table_read_once_a_second_at_most_however_often_users_mount_something) {
        const char *root = make_root();
        struct mount_table *t;

        put_mount(root, "btrfs", "/dev/sdb");
        CHECK_INT(mount_table_new(root, &t), 0);
        CHECK_INT(mount_table_find_file(t, 30, DEV_NUMBER(0, 30), 5 * NSEC_PER_SEC), SDB);
        put_mount(root, "btrfs", "/dev/sdc");
        CHECK_INT(mount_table_find_file(t, 30, DEV_NUMBER(0, 30), 6 * NSEC_PER_SEC - 1), SDB);
        CHECK_INT(mount_table_find_file(t, 30, DEV_NUMBER(0, 30), 6 * NSEC_PER_SEC), SDC);
        put_mount(root, "btrfs", "/dev/sdb");
        CHECK_INT(mount_table_find_file(t, 30, DEV_NUMBER(0, 30), 7 * NSEC_PER_SEC - 1), SDC);
        CHECK_INT(mount_table_find_path(t, "/home/file", NULL), SDB); /* of one path, not of each file */
        mount_table_free(t);
}

TEST(a_source_is_looked_for_where_the_file_system_can_stand_on_a_drive_alone) {
        static const struct {
                const char *type;
                uint32_t dev;
        } cases[] = { { "btrfs", SDB }, { "bcachefs", SDB }, { "fuse", 0 }, { "fuse.sshfs", 0 }, { "tmpfs", 0 }, { "overlay", 0 } };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                const char *root = make_root();
                struct mount_table *t;
                put_mount(root, cases[i].type, "/dev/sdb");
                CHECK_INT(mount_table_new(root, &t), 0);
                CHECK_INT(mount_table_find_file(t, 30, DEV_NUMBER(0, 30), NSEC_PER_SEC), cases[i].dev);
                mount_table_free(t);
        }
}
