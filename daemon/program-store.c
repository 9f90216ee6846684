/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>

#include "fdio.h"
#include "line-file.h"
#include "policy-load.h"
#include "program-store.h"
#include "str.h"

/* Two keys, each with the names that have it, one a line. */
#define PROGRAM_LINE_MAX (sizeof("Always = ") + EVENT_NAME_MAX)
#define TEXT_MAX ((POLICY_PROGRAMS_MAX + 4) * PROGRAM_LINE_MAX)

static const struct line_file file = { .name = PROGRAM_STORE_NAME, .name_new = PROGRAM_STORE_NAME ".new" };

int program_store_load(const char *dir, policy_report_fn report, void *userdata, struct policy_programs *ret) {
        _cleanup_close_ int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        char text[2 * TEXT_MAX];
        struct policy p;
        ssize_t n;

        if (dir_fd < 0)
                return errno == ENOENT ? 0 : -errno;
        n = fdio_read_own(dir_fd, file.name, text, sizeof(text));
        if (n < 0)
                return n == -ENOENT ? 0 : (int) n;
        policy_init(&p, "programs", file.name);
        policy_parse_text(&p, file.name, text, (size_t) n, report, userdata);
        *ret = p.step_back.programs;
        return 0;
}

static int write_programs(int fd, const void *userdata) {
        const struct policy_programs *p = userdata;
        char text[TEXT_MAX] = "# briod writes this: brioctl program\n[StepBack]\n";

        for (size_t i = 0; i < p->n; i++)
                str_append(text, sizeof(text), "%s = %s\n", p->all[i].rule == PROGRAM_NEVER ? "Never" : "Always", p->all[i].name);
        return fdio_write_all(fd, text, strlen(text));
}

int program_store_save(const char *dir, const struct policy_programs *p) {
        return p->n > 0 ? line_file_save(dir, &file, write_programs, p) : line_file_drop(dir, &file);
}
