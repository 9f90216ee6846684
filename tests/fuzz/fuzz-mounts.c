/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whatever users mount, as /proc/1/mountinfo tells of it behind a path and a byte 0xff: the path and a file are on a drive that there is, or on none. */
#include <stdbool.h>
#include <string.h>

#include "event.h"
#include "fuzz-files.h"
#include "fuzz.h"
#include "mount-table.h"

static void make_drives(void) {
        static bool made;

        if (made)
                return;
        fuzz_write("sys/class/block/sda/dev", "8:0\n", 4);
        fuzz_write("sys/class/block/dm-0/dev", "254:0\n", 6);
        fuzz_write("sys/class/block/dm-0/dm/name", "home\n", 5);
        made = true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct fuzz_input in = { data, size };
        struct mount_table *t;
        size_t length, n;
        char *path, *text;

        make_drives();
        path = fuzz_take(&in, NULL);
        text = fuzz_take(&in, &n);
        fuzz_write("proc/1/mountinfo", text, n);
        MUST(mount_table_new(fuzz_directory(), &t) == 0);
        if (*path == '/') { /* as all are that the kernel tells */
                (void) mount_table_find_path(t, path, &length);
                MUST(length <= strlen(path));
        }
        (void) mount_table_find_file(t, strlen(path), DEV_NUMBER(0, 31), NSEC_PER_SEC);
        (void) mount_table_find_node(t, path);
        mount_table_free(t);
        free(path);
        free(text);
        return 0;
}
