/* SPDX-License-Identifier: GPL-3.0-or-later */
/* brio-drive: serves one file over FUSE whose reads and writes take as long as a modelled drive's. Under a loop device
 * with direct I/O the kernel's real schedulers run on it; bench/drive/emulate puts it there. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "data.h"
#include "model-load.h"
#include "serve.h"
#include "str.h"

struct options {
        const char *model, *mountpoint;
        uint64_t size_bytes, seed, parent_pid;
};

static int usage(FILE *f, int status) {
        fputs("Usage: brio-drive --model FILE --size BYTES [--seed N] [--parent PID] FILE\n\n"
              "Mounts over FILE, an existing file, an emulated drive of that size. Prints \"ready\" once it\n"
              "serves. Ends, and unmounts, on SIGINT, SIGTERM or, with --parent, when that parent ends.\n\n"
              "While the extended attribute " DRIVE_TIMING_NAME " of FILE is \"" DRIVE_TIMING_OFF "\" (and not \"" DRIVE_TIMING_ON "\") the\n"
              "drive answers at once, for its preparation.\n",
              f);
        return status;
}

static int parse_options(int argc, char **argv, struct options *ret) {
        static const struct option known[] = {
                { "model", required_argument, NULL, 'm' },  { "size", required_argument, NULL, 's' },
                { "seed", required_argument, NULL, 'r' },   { "parent", required_argument, NULL, 'p' },
                { "help", no_argument, NULL, 'h' },         { 0 },
        };
        struct options o = { 0 };
        int c, r = 0;

        while (r == 0 && (c = getopt_long(argc, argv, "h", known, NULL)) >= 0) {
                if (c == 'm')
                        o.model = optarg;
                else if (c == 's')
                        r = str_parse_u64(optarg, &o.size_bytes);
                else if (c == 'r')
                        r = str_parse_u64(optarg, &o.seed);
                else if (c == 'p')
                        r = str_parse_u64(optarg, &o.parent_pid);
                else if (c == 'h')
                        exit(usage(stdout, 0));
                else
                        r = -EINVAL;
        }
        if (r < 0 || optind != argc - 1 || !o.model || o.size_bytes < DRIVE_BLOCK_BYTES || o.size_bytes % DRIVE_BLOCK_BYTES != 0)
                return -EINVAL;
        o.mountpoint = argv[optind];
        *ret = o;
        return 0;
}

static int follow_parent(uint64_t parent_pid) {
        if (parent_pid == 0)
                return 0;
        if (prctl(PR_SET_PDEATHSIG, (unsigned long) SIGTERM) < 0)
                return -errno;
        /* It may have ended before that took effect. */
        return (uint64_t) getppid() == parent_pid ? 0 : -ESRCH;
}

/* Tells itself what is wrong with the file. */
static int load(const struct options *o, struct drive *ret) {
        struct drive_load_error error = { 0 };
        int r = drive_load(o->model, o->size_bytes, o->seed, ret, &error);

        if (r == 0)
                return 0;
        fprintf(stderr, "%s:", o->model);
        if (error.line > 0)
                fprintf(stderr, "%d:", error.line);
        fprintf(stderr, " %s\n", error.text[0] ? error.text : strerror(-r));
        return r;
}

int main(int argc, char **argv) {
        static struct drive drive;
        struct drive_data data = { 0 };
        struct options options;
        int r;

        if (parse_options(argc, argv, &options) < 0)
                return usage(stderr, 2);
        if (load(&options, &drive) < 0)
                return 1;
        r = follow_parent(options.parent_pid);
        if (r == 0)
                r = drive_data_init(&data, options.size_bytes);
        if (r == 0)
                r = drive_serve(drive_model(&drive), &data, options.mountpoint);
        drive_data_done(&data);
        if (r < 0)
                fprintf(stderr, "brio-drive: %s\n", strerror(-r));
        return r < 0 ? 1 : 0;
}
