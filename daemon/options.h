/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What briod was asked to do: the command line over the configuration file over the defaults. */
#pragma once

#include <stdbool.h>

#include "controller.h"

#define OPTIONS_NAMES_MAX 256 /* entries of --include and of --exclude */

struct options {
        const char *config;     /* NULL: ROOT/etc/brio/briod.conf, which need not exist */
        const char *policy_dir; /* NULL: the three directories of policies */
        const char *bus;        /* "system", "session", or an address */
        const char *root;       /* "": this machine */
        const char *state_dir;  /* NULL: $STATE_DIRECTORY, else ROOT/var/lib/brio */
        const char *replay;     /* NULL: what happens is told by this machine, not by that recording */
        const char *source;     /* of single requests: "auto", one's name, or "proc" for none; given: as mode_given */
        bool source_given;
        enum mode mode;
        bool mode_given;        /* on the command line: stronger than the file, and than what was set before */
        bool mode_configured;   /* by the file */
        bool check;             /* check configuration and policies, then leave */
        bool restore;           /* put back what a briod that was killed has left, then leave */
        int log_level;
        char *include[OPTIONS_NAMES_MAX + 1]; /* NULL-terminated, owned */
        char *exclude[OPTIONS_NAMES_MAX + 1];
};

/* Parses argv; prints --help and --version itself. Returns 1 to go on, 0 where all is done, or -EINVAL or -E2BIG after having
 * said what is wrong on stderr (exit code 2). */
int options_parse(struct options *o, int argc, char *argv[]);

/* Reads the configuration file. A missing default file is fine. Returns 0, or -errno/-EINVAL after having reported each problem with
 * file and line on stderr. */
int options_load_config(struct options *o);

void options_done(struct options *o);
