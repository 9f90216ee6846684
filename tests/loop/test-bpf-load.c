/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The running kernel's verifier takes each program, whichever clang compiled it. BRIO_BPF_OBJECTS: paths of objects, parted by colons; BRIO_BUILD_DIR: where they
 * were built. */
#include <bpf/libbpf.h>
#include <stdarg.h>
#include <unistd.h>

#include "macro.h"
#include "test.h"

/* The verifier's log comes as one warning, and ends with what it found. */
__attribute__((format(printf, 2, 0))) static int keep(enum libbpf_print_level level, const char *format, va_list args) {
        char text[16384];

        if (level != LIBBPF_WARN)
                return 0;
        vsnprintf(text, sizeof(text), format, args);
        for (char *rest = text, *line; (line = strsep(&rest, "\n"));)
                if (*line)
                        printf("# %s\n", line);
        return 0;
}

static void load(const char *path) {
        struct bpf_object *object = bpf_object__open_file(path, NULL);
        int r = object ? bpf_object__load(object) : -1;

        bpf_object__close(object);
        if (r < 0)
                test_fail(__FILE__, __LINE__, "%s: the kernel refuses it: %s (see above)", path, strerror(-r));
}

static unsigned for_each_object(void (*look)(const char *path)) {
        const char *paths = getenv("BRIO_BPF_OBJECTS");
        _cleanup_free_ char *objects = paths ? strdup(paths) : NULL;
        char *rest = objects;
        unsigned n = 0;

        for (char *path; (path = strsep(&rest, ":")); n++)
                look(path);
        return n;
}

TEST(the_kernel_takes_each_program_whichever_clang_compiled_it) {
        if (geteuid() != 0)
                test_skip("loop devices need root");
        if (access("/sys/kernel/btf/vmlinux", R_OK) < 0)
                test_skip("the kernel has no BTF");
        libbpf_set_print(keep);
        CHECK(for_each_object(load) >= 2);
}

/* Else the same source would make another briod in each directory, and figures in virtual time would be another build's. */
static void find_directory(const char *path) {
        const char *directory = getenv("BRIO_BUILD_DIR");
        _cleanup_fclose_ FILE *f = fopen(path, "re");
        char buf[256 * 1024];
        size_t n;

        CHECK(f && directory);
        n = fread(buf, 1, sizeof(buf), f);
        CHECK(n > 0 && n < sizeof(buf));
        if (memmem(buf, n, directory, strlen(directory)))
                test_fail(__FILE__, __LINE__, "%s: names the directory in which it was built", path);
}

TEST(no_program_names_the_directory_in_which_it_was_built) {
        CHECK(for_each_object(find_directory) >= 2);
}
