/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io-weight.h"
#include "macro.h"
#include "test.h"

#define SEC NSEC_PER_SEC
#define APP "sys/fs/cgroup/user.slice/app.slice/app-cp.scope"

DEFINE_TRIVIAL_CLEANUP_FUNC(struct io_weights *, io_weights_free)

static void write_file(const char *path, const char *text) {
        test_write_file(test_tmpdir(), path, text);
}

TEST(a_weight_is_a_number_or_the_default_of_several) {
        CHECK_INT(io_weight_parse("100"), 100);
        CHECK_INT(io_weight_parse("default 50\n8:0 200"), 50);
        CHECK_INT(io_weight_parse("8:0 200"), 0);
        CHECK_INT(io_weight_parse(""), 0);
        CHECK_INT(io_weight_parse("99999"), 0);
}

TEST(the_innermost_group_that_has_not_the_usual_weight_counts) {
        _cleanup_(io_weights_freep) struct io_weights *w = io_weights_new(test_tmpdir());

        write_file("sys/fs/cgroup/cgroup.controllers", "io");
        write_file("proc/10/cgroup", "0::/user.slice/app.slice/app-cp.scope\n");
        write_file(APP "/io.bfq.weight", "default 100\n");
        write_file("sys/fs/cgroup/user.slice/app.slice/io.weight", "default 30\n");
        write_file("sys/fs/cgroup/user.slice/io.weight", "default 500\n");
        CHECK_INT(io_weights_find(w, 10, SEC), 30);
        write_file(APP "/io.bfq.weight", "default 20\n");
        CHECK_INT(io_weights_find(w, 10, 2 * SEC), 30); /* it is remembered for a while */
        CHECK_INT(io_weights_find(w, 10, 7 * SEC), 20);
}

TEST(version_one_of_the_groups_has_its_own_file_and_the_root_has_none) {
        _cleanup_(io_weights_freep) struct io_weights *w = io_weights_new(test_tmpdir());

        write_file("proc/11/cgroup", "9:name=systemd:/\n7:blkio:/backup\n0::/\n");
        write_file("sys/fs/cgroup/blkio/backup/blkio.bfq.weight", "10\n");
        write_file("sys/fs/cgroup/blkio/blkio.bfq.weight", "700\n");
        CHECK_INT(io_weights_find(w, 11, SEC), 10);
        write_file("proc/12/cgroup", "7:blkio:/\n0::/\n");
        CHECK_INT(io_weights_find(w, 12, SEC), 0);
        CHECK_INT(io_weights_find(w, 13, SEC), 0); /* is gone */
}

TEST(where_iocost_is_on_weights_are_honoured_and_not_told) {
        _cleanup_(io_weights_freep) struct io_weights *w = io_weights_new(test_tmpdir());

        write_file("proc/14/cgroup", "7:blkio:/backup\n");
        write_file("sys/fs/cgroup/blkio/backup/blkio.bfq.weight", "10\n");
        write_file("sys/fs/cgroup/io.cost.qos", "8:0 enable=1 ctrl=auto rpct=95.00\n");
        CHECK_INT(io_weights_find(w, 14, SEC), 0);
        write_file("sys/fs/cgroup/io.cost.qos", "8:0 enable=0 ctrl=auto\n");
        CHECK_INT(io_weights_find(w, 14, 10 * SEC), 10);
}
