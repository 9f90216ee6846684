/* SPDX-License-Identifier: GPL-3.0-or-later */
/* "hold-file memory|descriptor": has a user without rights exec with what never answers, and says his process's number. When the input ends, it says
 * whether that was still so, and ends it. Exit status 77 where users have no file systems of their own. */
#include <linux/fuse.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "held-file.h"

#define PAGE 4096

/* The page is asked for with the arguments, which the kernel reads first. */
static void exec_with_memory(int fd) {
        char *held = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);

        if (held != MAP_FAILED)
                syscall(SYS_execve, "/bin/true", held, held + PAGE / 2);
}

static void exec_with_descriptor(int fd) {
        (void) fd;
        execl("/bin/true", "true", NULL);
}

int main(int argc, char *argv[]) {
        struct held_file *f;

        if (argc != 2)
                return 2;
        f = strcmp(argv[1], "memory") == 0 ? held_file_start(FUSE_READ, 0, exec_with_memory) : held_file_start(FUSE_FLUSH, 0, exec_with_descriptor);
        if (!f || !held_file_await(f))
                return 77;
        printf("%d\n", f->user);
        fflush(stdout);
        while (getchar() != EOF)
                ;
        printf("%s\n", f->released ? "released" : "held");
        held_file_end(f);
        return 0;
}
