/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <sys/utsname.h>

#include "release.h"

bool release_is_before(const char *release, unsigned major, unsigned minor) {
        unsigned has_major, has_minor;

        return sscanf(release, "%3u.%3u", &has_major, &has_minor) == 2 && (has_major < major || (has_major == major && has_minor < minor));
}

bool kernel_is_before(unsigned major, unsigned minor) {
        struct utsname u;

        return uname(&u) == 0 && release_is_before(u.release, major, minor);
}
