/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whatever a process and its parent have in their names, control groups and environments, parted by bytes 0xff: what comes of it names an application
 * as text, or none. */
#include <errno.h>

#include "fuzz-files.h"
#include "fuzz.h"
#include "process-launch.h"
#include "process-stat.h"
#include "str.h"

#define TGID 77
#define PARENT 66

static void check_unit(const char *path) {
        char application[APPLICATION_MAX];
        size_t length = process_launch_parse_unit(path, true, application);

        MUST(length <= strlen(path) && memchr(application, '\0', sizeof(application)) && str_is_text(application));
        MUST((length > 0) == (*application != '\0'));
}

static void check_environment(const char *environment, size_t size) {
        char application[APPLICATION_MAX], *exact = malloc(size > 0 ? size : 1);
        const char *token;
        bool launched;

        MUST(exact);
        memcpy(exact, environment, size);
        launched = process_launch_parse_environment(exact, size, TGID, application, &token);
        MUST(memchr(application, '\0', sizeof(application)) && str_is_text(application));
        MUST(launched || (!*application && !*token));
        MUST(!*token || (token > exact && token + strlen(token) < exact + size));
        free(exact);
}

static void write_part(struct fuzz_input *in, const char *path) {
        size_t size;
        char *text = fuzz_take(in, &size);

        fuzz_write(path, text, size);
        free(text);
}

/* A process that is there, with whatever name. */
static void write_stat(struct fuzz_input *in) {
        char *name = fuzz_take(in, NULL), text[4096];
        int n = snprintf(text, sizeof(text), "%d (%.64s) S %d 77 77 %s 77 0 0 0 0 0 0 0 0 0 20 0 1 0 12345 0\n", TGID, name, PARENT,
                         strlen(name) % 2 ? "34816" : "0");

        fuzz_write("proc/77/stat", text, (size_t) n);
        free(name);
}

static void check_look(struct fuzz_input *in, bool entering) {
        char *program = fuzz_take(in, NULL);
        struct exec_entry entry = { .environment_size = MIN(in->size, sizeof(entry.environment)) };
        struct process_launch launch;
        _Atomic int32_t at;
        int r;

        str_copy(entry.program, sizeof(entry.program), program);
        memcpy(entry.environment, in->data, entry.environment_size);
        entry.arguments_size = MIN(in->size, sizeof(entry.arguments));
        memcpy(entry.arguments, in->data, entry.arguments_size);
        r = process_launch_look(fuzz_directory(), TGID, 0, entering ? &entry : NULL, &at, &launch);
        MUST(r == 0);
        MUST(launch.parent == PARENT && memchr(launch.name, '\0', sizeof(launch.name)) && str_is_text(launch.name));
        MUST(memchr(launch.application, '\0', sizeof(launch.application)) && str_is_text(launch.application));
        MUST(!*launch.application || (launch.flags & EVENT_LAUNCHED));
        MUST((launch.flags & ~(EVENT_LAUNCHED | EVENT_TERMINAL)) == 0);
        free(program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct fuzz_input whole = { data, size }, in;
        bool entering = size > 0 && data[0] % 2;
        char *text;
        size_t n;

        if (size == 0)
                return 0;
        whole.data++;
        whole.size--;
        in = whole;
        text = fuzz_take(&in, &n);
        check_unit(text);
        free(text);
        check_environment((const char *) whole.data, whole.size);

        in = whole;
        write_part(&in, "proc/77/cgroup");
        write_part(&in, "proc/66/cgroup");
        write_part(&in, "proc/77/environ");
        write_part(&in, "proc/66/environ");
        write_stat(&in);
        check_look(&in, entering);
        return 0;
}
