/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <sys/stat.h>

#include "policy-files.h"

const char *policy_severity_name(enum policy_severity severity) {
        return severity == POLICY_ERROR ? "error" : "warning";
}

void policy_print_finding(FILE *to, enum policy_severity severity, const char *file, int line, const char *message) {
        if (line > 0)
                fprintf(to, "%s:%d: %s: %s\n", file, line, policy_severity_name(severity), message);
        else
                fprintf(to, "%s: %s: %s\n", file, policy_severity_name(severity), message);
}

static void report_to_stderr(_unused_ void *userdata, enum policy_severity severity, const char *file, int line, const char *message) {
        policy_print_finding(stderr, severity, file, line, message);
}

int policy_files_load(const char *directory, struct policy_set *ret) {
        struct stat st;
        int r;

        if (directory && stat(directory, &st) < 0)
                r = -errno;
        else if (directory && !S_ISDIR(st.st_mode))
                r = -ENOTDIR;
        else
                r = policy_load_all("/", directory, report_to_stderr, NULL, ret);
        if (r >= 0)
                return 0;
        fprintf(stderr, "brioctl: cannot read the policies%s%s: %s.\n", directory ? " in " : "", directory ? directory : "", strerror(-r));
        return r;
}
