/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a verb is, and the one place where command lines are parsed. The table of verbs (main.c) is the truth that
 * --help, the manual page, the completions and their tests are held against. */
#pragma once

#include <stdbool.h>

/* Exit codes, part of the interface. */
enum {
        CLI_OK = 0,
        CLI_FAILED = 1,
        CLI_USAGE = 2,
        CLI_NO_DAEMON = 3,
};

#define CLI_OPTIONS_MAX 6 /* of a verb's own */

struct cli_option {
        const char *name;     /* long name; NULL ends the list */
        char letter;          /* '\0': none */
        const char *argument; /* the word that --help shows for its value; NULL: a flag */
        const char *help;
};

struct cli_verb;

/* A parsed command line. Everything is borrowed from argv, the environment or the verb table. */
struct cli_invocation {
        const struct cli_verb *verb;
        const struct cli_verb *const *verbs;       /* all, NULL-terminated */
        const char *bus;                           /* "system", "session" or an address */
        bool json;
        bool all;                                  /* of verbs that observe: other users' processes, too */
        const char *options[CLI_OPTIONS_MAX];      /* by index in verb->options: the argument, "" for a flag, NULL: not given */
        int argc;                                  /* operands */
        char **argv;                               /* NULL-terminated */
};

struct cli_verb {
        const char *name;
        const char *operands;              /* "[DEV]"; "" */
        const char *needs;                 /* what to give for them, "a drive, such as sda"; NULL: where none has to be given */
        const char *summary;               /* one line, no full stop */
        const char *details;               /* for --help; NULL: none */
        int min_operands, max_operands;    /* max -1: any number */
        bool json;                         /* takes --json */
        bool observes;                     /* tells of processes, and takes --all */
        const struct cli_option *options;  /* NULL: none of its own */
        int (*run)(const struct cli_invocation *inv); /* returns an exit code */
};

/* Finds the verb, parses its options and runs it. Returns an exit code. */
int cli_run(const struct cli_verb *const *verbs, int argc, char **argv);

/* Says what is wrong with the command line and where the help is; returns CLI_USAGE. */
int cli_usage_error(const char *verb, const char *format, ...) __attribute__((__format__(printf, 2, 3)));

/* The kernel's name of a drive, of which people give the device file, too: "/dev/sda" is "sda". Points into given. */
const char *cli_drive_name(const char *given);

/* NULL where there is no such verb. */
const struct cli_verb *cli_find_verb(const struct cli_verb *const *verbs, const char *name);
/* Reports an unknown verb with the nearest one as a hint; returns CLI_USAGE. */
int cli_unknown_verb(const struct cli_verb *const *verbs, const char *name);

void cli_print_overview(const struct cli_verb *const *verbs);
void cli_print_help(const struct cli_verb *verb);

/* The options that every verb takes (--json only where verb->json, --all where verb->observes), ended by a NULL name. */
extern const struct cli_option cli_common_options[];
bool cli_takes(const struct cli_verb *verb, const struct cli_option *common);
