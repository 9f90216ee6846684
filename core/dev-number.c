/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <string.h>

#include "dev-number.h"
#include "str.h"

int dev_number_parse(char *text, uint32_t *ret) {
        char *after = strchr(text, ':');
        uint64_t major, minor;

        if (!after)
                return -EBADMSG;
        *after++ = '\0';
        if (str_parse_u64_most(text, DEV_MAJOR(UINT32_MAX), &major) < 0 || str_parse_u64_most(after, DEV_MINOR(UINT32_MAX), &minor) < 0 || major + minor == 0)
                return -EBADMSG;
        *ret = DEV_NUMBER(major, minor);
        return 0;
}
