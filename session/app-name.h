/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What people call an application. */
#pragma once

#include <stddef.h>

#define APP_NAME_MAX 128

/* The name in its desktop file, in the language of LC_MESSAGES where that has one; without such a file the last part of its id. What is not seen
 * in it is shown as escapes. Returns buf. */
char *app_name(const char *application, char *buf, size_t size);
