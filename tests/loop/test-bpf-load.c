/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The running kernel's verifier takes each program, whichever clang compiled it. BRIO_BPF_OBJECTS: paths of objects, parted by colons. */
#include <bpf/libbpf.h>
#include <stdarg.h>
#include <unistd.h>

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

TEST(the_kernel_takes_each_program_whichever_clang_compiled_it) {
        char *objects = getenv("BRIO_BPF_OBJECTS"), *path;
        unsigned n = 0;

        if (geteuid() != 0)
                test_skip("loop devices need root");
        if (access("/sys/kernel/btf/vmlinux", R_OK) < 0)
                test_skip("the kernel has no BTF");
        libbpf_set_print(keep);
        CHECK(objects);
        for (; (path = strsep(&objects, ":")); n++)
                load(path);
        CHECK(n >= 2);
}
