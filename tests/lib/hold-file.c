/* SPDX-License-Identifier: GPL-3.0-or-later */
/* "hold-file memory|descriptor|start": has a user without rights exec with what never answers, and says his process's number. When the input ends, it says
 * whether that was still so, and ends it. Exit status 77 where users have no file systems of their own. */
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdio.h>
#include <stdlib.h>
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

/* A program that a launcher has started: it is looked at until it runs, and in the midst of that it becomes another one. */
static void start_with_descriptor(int fd) {
        static const char become[] = "import os, sys, time\n" "while time.process_time() < 0.5: pass\n" "os.set_inheritable(int(sys.argv[1]), False); os.execv('/bin/true', ['true'])";
        char number[16];

        snprintf(number, sizeof(number), "%d", getpid());
        setenv("GIO_LAUNCHED_DESKTOP_FILE", "/usr/share/applications/held.desktop", 1);
        setenv("GIO_LAUNCHED_DESKTOP_FILE_PID", number, 1);
        snprintf(number, sizeof(number), "%d", fd);
        (void) fcntl(fd, F_SETFD, 0);
        execl("/usr/bin/python3", "python3", "-I", "-c", become, number, NULL);
}

int main(int argc, char *argv[]) {
        struct held_file *f;

        if (argc != 2)
                return 2;
        if (strcmp(argv[1], "memory") == 0)
                f = held_file_start(FUSE_READ, 0, exec_with_memory);
        else
                f = held_file_start(FUSE_FLUSH, 0, strcmp(argv[1], "start") == 0 ? start_with_descriptor : exec_with_descriptor);
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
