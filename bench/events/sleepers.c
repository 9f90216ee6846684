/* SPDX-License-Identifier: GPL-3.0-or-later */
/* brio-events-sleepers N: N processes that do nothing. Prints "ready" once they are there; SIGTERM ends all of its group. */
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>

#include "macro.h"
#include "str.h"

#define SLEEPERS_MAX 32768

static void end_all(int number _unused_) {
        kill(0, SIGKILL);
}

/* Returns in the first process alone. */
static int make(uint64_t n) {
        for (uint64_t i = 0; i < n; i++) {
                pid_t parent = getpid(), child = fork();

                if (child < 0)
                        return -errno;
                if (child > 0)
                        continue;
                prctl(PR_SET_PDEATHSIG, (unsigned long) SIGKILL);
                while (getppid() == parent)
                        pause();
                _exit(0);
        }
        return 0;
}

int main(int argc, char **argv) {
        uint64_t n;
        int r;

        if (argc != 2 || str_parse_u64(argv[1], &n) < 0 || n == 0 || n > SLEEPERS_MAX || getpid() != getpgrp()) {
                fputs("Usage: setsid --wait brio-events-sleepers N\n", stderr);
                return 2;
        }
        signal(SIGTERM, end_all);
        r = make(n);
        if (r < 0) {
                fprintf(stderr, "brio-events-sleepers: %s\n", strerror(-r));
                end_all(SIGTERM);
        }
        puts("ready");
        fflush(stdout);
        for (;;)
                pause();
}
