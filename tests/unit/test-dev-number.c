/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "dev-number.h"
#include "str.h"
#include "test.h"

TEST(a_number_is_two_whole_ones_that_fit_and_not_that_of_none) {
        static const char *const wrong[] = { "", "8", "8:", ":0", "8:0 ", "8:-1", "0x8:0", "4096:0", "8:1048576", "0:0" };
        char text[32];
        uint32_t dev;

        for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
                str_copy(text, sizeof(text), wrong[i]);
                dev = 7;
                CHECK_INT(dev_number_parse(text, &dev), -EBADMSG);
                CHECK_INT(dev, 7);
        }
        str_copy(text, sizeof(text), "4095:1048575");
        CHECK_INT(dev_number_parse(text, &dev), 0);
        CHECK(DEV_MAJOR(dev) == 4095 && DEV_MINOR(dev) == 1048575);
        str_copy(text, sizeof(text), "0:31"); /* of a file system without a drive */
        CHECK_INT(dev_number_parse(text, &dev), 0);
        CHECK_INT(dev, DEV_NUMBER(0, 31));
}
