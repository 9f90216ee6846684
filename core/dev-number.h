/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A device number in one word, as the kernel's own dev_t: the form that traces use. 0: none. */
#pragma once

#include <stdint.h>

#define DEV_NUMBER(major, minor) ((uint32_t) (major) << 20 | (uint32_t) (minor))
#define DEV_MAJOR(dev) ((dev) >> 20)
#define DEV_MINOR(dev) ((dev) & 0xfffffu)

/* "8:0", which is changed. Returns 0 or -EBADMSG. */
int dev_number_parse(char *text, uint32_t *ret);
