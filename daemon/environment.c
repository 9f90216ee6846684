/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <limits.h>
#include <sys/utsname.h>

#include "clock.h"
#include "config.h"
#include "environment.h"
#include "str.h"

#define HZ_KEY "CONFIG_HZ="

/* Timers of some tunables move in steps of 1/HZ. Only the kernel's configuration says it. */
static void add_hz(const char *root, const char *release, char *buf, size_t size) {
        _cleanup_fclose_ FILE *f = NULL;
        char path[PATH_MAX], line[256];
        uint64_t hz;

        snprintf(path, sizeof(path), "%s/boot/config-%s", root, release);
        f = fopen(path, "re");
        while (f && fgets(line, sizeof(line), f))
                if (strncmp(line, HZ_KEY, strlen(HZ_KEY)) == 0 && str_parse_u64(str_strip(line + strlen(HZ_KEY)), &hz) == 0) {
                        str_append(buf, size, "hz=%" PRIu64 "\n", hz);
                        return;
                }
}

char *environment_describe(const char *root, enum mode mode, const struct policy_set *policies, char *buf, size_t size) {
        struct utsname u = { 0 };

        *buf = '\0';
        uname(&u);
        str_append(buf, size, "version=%s\nkernel=%s\nmachine=%s\n", BRIO_VERSION, u.release, u.machine);
        add_hz(root, u.release, buf, size);
        str_append(buf, size, "cpus=%ld\ntime_usec=%" PRIu64 "\nmode=%s\npolicies=", sysconf(_SC_NPROCESSORS_ONLN),
                   (uint64_t) (clock_now(CLOCK_REALTIME) / NSEC_PER_USEC), mode_to_string(mode));
        for (size_t i = 0; i < policies->n; i++)
                str_append(buf, size, "%s%s", i > 0 ? "," : "", policies->policies[i].name);
        str_append(buf, size, "\n");
        return buf;
}
