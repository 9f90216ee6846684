/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "format.h"
#include "macro.h"
#include "str.h"

#define COMMON_OPTIONS 4
#define SYNOPSIS_COLUMNS 36u /* the longest and two blanks */
#define LETTERS_MAX (2 * (CLI_OPTIONS_MAX + COMMON_OPTIONS) + 3)

enum { COMMON_BUS, COMMON_HELP, COMMON_JSON, COMMON_ALL };

const struct cli_option cli_common_options[] = {
        [COMMON_BUS] = { "bus", '\0', "BUS", "system (default), session or a bus address; or set BRIO_BUS" },
        [COMMON_HELP] = { "help", 'h', NULL, "show this help" },
        [COMMON_JSON] = { "json", 'j', NULL, "print JSON" },
        [COMMON_ALL] = { "all", '\0', NULL, "tell of other users' processes, too; asks for an administrator" },
        {},
};

bool cli_takes(const struct cli_verb *verb, const struct cli_option *common) {
        if (common == &cli_common_options[COMMON_JSON])
                return verb->json;
        return common != &cli_common_options[COMMON_ALL] || verb->observes;
}

/* An option's value in getopt's answer: its index above the letters' range. */
#define OWN_BASE 256
#define COMMON_BASE (OWN_BASE + CLI_OPTIONS_MAX)

struct getopt_table {
        struct option longs[CLI_OPTIONS_MAX + COMMON_OPTIONS + 1];
        size_t n_longs;
        char letters[LETTERS_MAX];
        int codes[CLI_OPTIONS_MAX + COMMON_OPTIONS];
};

int cli_usage_error(const char *verb, const char *format, ...) {
        va_list args;

        fputs("brioctl: ", stderr);
        va_start(args, format);
        vfprintf(stderr, format, args);
        va_end(args);
        if (verb)
                fprintf(stderr, "\nTry: brioctl help %s\n", verb);
        else
                fputs("\nTry: brioctl help\n", stderr);
        return CLI_USAGE;
}

const char *cli_drive_name(const char *given) {
        static const char prefix[] = "/dev/";
        size_t length = strlen(prefix);

        return strncmp(given, prefix, length) == 0 ? given + length : given;
}

const struct cli_verb *cli_find_verb(const struct cli_verb *const *verbs, const char *name) {
        for (; *verbs; verbs++)
                if (streq((*verbs)->name, name))
                        return *verbs;
        return NULL;
}

int cli_unknown_verb(const struct cli_verb *const *verbs, const char *name) {
        const struct cli_verb *nearest = NULL;
        size_t least = SIZE_MAX;

        for (; *verbs; verbs++) {
                size_t d = str_distance(name, (*verbs)->name);
                /* A start of the name ("dev") is closer than any misspelling. */
                if (name[0] && strncmp((*verbs)->name, name, strlen(name)) == 0)
                        d = 0;
                if (d < least) {
                        least = d;
                        nearest = *verbs;
                }
        }
        /* Beyond a third of the word it is another word rather than a slip. */
        if (nearest && least <= MAX(strlen(nearest->name) / 3, 1u))
                return cli_usage_error(NULL, "unknown verb \"%s\". Did you mean \"%s\"?", name, nearest->name);
        return cli_usage_error(NULL, "unknown verb \"%s\".", name);
}

void cli_print_overview(const struct cli_verb *const *verbs) {
        struct output out;

        output_init(&out, stdout);
        printf("Usage: brioctl [OPTION…] VERB [ARGUMENT…]\n\nShows what briod sees on the drives and why it acts, and steers it.\n\n");
        output_styled(&out, STYLE_BOLD, "Verbs");
        printf(":\n");
        for (; *verbs; verbs++) {
                _cleanup_free_ char *synopsis = text_format("%s %s", (*verbs)->name, (*verbs)->operands);
                printf("  %s%*s%s\n", synopsis, (int) (SYNOPSIS_COLUMNS - MIN(text_width(synopsis), SYNOPSIS_COLUMNS - 1u)), "",
                       (*verbs)->summary);
        }
        printf("\n`brioctl VERB --help` tells more about each. Exit codes: 0 done, 1 failed, 2 usage, 3 briod is not running.\n");
}

static void print_option(const struct cli_option *o) {
        char names[64] = "    ";

        if (o->letter)
                snprintf(names, sizeof(names), "-%c, ", o->letter);
        str_append(names, sizeof(names), "--%s %s", o->name, o->argument ? o->argument : "");
        printf("  %-26s %s\n", names, o->help);
}

void cli_print_help(const struct cli_verb *verb) {
        printf("Usage: brioctl %s [OPTION…]%s%s\n\n%s.\n", verb->name, verb->operands[0] ? " " : "", verb->operands, verb->summary);
        if (verb->details)
                printf("\n%s\n", verb->details);
        printf("\nOptions:\n");
        for (const struct cli_option *o = verb->options; o && o->name; o++)
                print_option(o);
        for (size_t i = 0; i < COMMON_OPTIONS; i++)
                if (cli_takes(verb, &cli_common_options[i]))
                        print_option(&cli_common_options[i]);
}

static void table_add_option(struct getopt_table *t, const struct cli_option *o, int code) {
        size_t used = strlen(t->letters);

        t->longs[t->n_longs] = (struct option){
                .name = o->name,
                .has_arg = o->argument ? required_argument : no_argument,
                .val = code,
        };
        t->codes[t->n_longs++] = o->letter;
        if (o->letter)
                snprintf(t->letters + used, sizeof(t->letters) - used, o->argument ? "%c:" : "%c", o->letter);
}

/* verb NULL: the options that may stand before the verb. */
static void table_fill(struct getopt_table *t, const struct cli_verb *verb) {
        *t = (struct getopt_table){};
        str_copy(t->letters, sizeof(t->letters), verb ? ":" : "+:"); /* '+': stop at the verb; ':': tell a missing argument apart */
        for (size_t i = 0; verb && verb->options && verb->options[i].name; i++)
                table_add_option(t, &verb->options[i], OWN_BASE + (int) i);
        for (size_t i = 0; i < COMMON_OPTIONS; i++)
                if (!verb || cli_takes(verb, &cli_common_options[i]))
                        table_add_option(t, &cli_common_options[i], COMMON_BASE + (int) i);
}

static int code_of_letter(const struct getopt_table *t, int letter) {
        for (size_t i = 0; i < t->n_longs; i++)
                if (t->codes[i] == letter)
                        return t->longs[i].val;
        return -EINVAL;
}

/* getopt leaves an unknown short option in optopt, an unknown long one only in argv. */
static int bad_option(const char *verb, int c, char **argv) {
        const char *word = argv[optind - 1];

        if (c == ':')
                return cli_usage_error(verb, "%s needs an argument.", word);
        if (optopt > 0 && optopt < OWN_BASE && strncmp(word, "--", 2) != 0)
                return cli_usage_error(verb, "there is no option -%c here.", optopt);
        return cli_usage_error(verb, "%s is not an option here, or takes no argument.", word);
}

/* Parses until the end (or, for verb NULL, until the verb). Returns -1 to go on, or an exit code. */
static int parse_options(struct cli_invocation *inv, const struct cli_verb *verb, int argc, char **argv, bool *ret_help) {
        struct getopt_table table;
        int c;

        table_fill(&table, verb);
        opterr = 0;
        optind = 0; /* glibc: start afresh */
        while ((c = getopt_long(argc, argv, table.letters, table.longs, NULL)) >= 0) {
                if (c == '?' || c == ':')
                        return bad_option(verb ? verb->name : NULL, c, argv);
                if (c < OWN_BASE)
                        c = code_of_letter(&table, c);
                if (c == COMMON_BASE + COMMON_BUS)
                        inv->bus = optarg;
                else if (c == COMMON_BASE + COMMON_JSON)
                        inv->json = true;
                else if (c == COMMON_BASE + COMMON_ALL)
                        inv->all = true;
                else if (c == COMMON_BASE + COMMON_HELP)
                        *ret_help = true;
                else
                        inv->options[c - OWN_BASE] = optarg ? optarg : "";
        }
        return -1;
}

static int check_operands(const struct cli_verb *verb, const struct cli_invocation *inv) {
        if (inv->argc < verb->min_operands)
                return cli_usage_error(verb->name, "%s needs %s.", verb->name, verb->needs);
        if (verb->max_operands == 0 && inv->argc > 0)
                return cli_usage_error(verb->name, "%s takes no arguments.", verb->name);
        if (verb->max_operands >= 0 && inv->argc > verb->max_operands)
                return cli_usage_error(verb->name, "%s takes %s, and no \"%s\" after it.", verb->name, verb->operands, inv->argv[verb->max_operands]);
        if (inv->json && !verb->json)
                return cli_usage_error(verb->name, "%s takes no --json.", verb->name);
        if (inv->all && !verb->observes)
                return cli_usage_error(verb->name, "%s takes no --all.", verb->name);
        return -1;
}

/* A full disk or a closed pipe must not look like success. */
static int finish(int code) {
        if (fflush(stdout) == 0 && !ferror(stdout))
                return code;
        fprintf(stderr, "brioctl: cannot write to the standard output: %s\n", strerror(errno));
        return code == CLI_OK ? CLI_FAILED : code;
}

static int run_verb(struct cli_invocation *inv, const char *name, int argc, char **argv, bool help) {
        int r;

        inv->verb = cli_find_verb(inv->verbs, name);
        if (!inv->verb)
                return cli_unknown_verb(inv->verbs, name);
        r = parse_options(inv, inv->verb, argc, argv, &help);
        if (r >= 0)
                return r;
        if (help) {
                cli_print_help(inv->verb);
                return CLI_OK;
        }
        inv->argc = argc - optind;
        inv->argv = argv + optind;
        r = check_operands(inv->verb, inv);
        return r >= 0 ? r : inv->verb->run(inv);
}

int cli_run(const struct cli_verb *const *verbs, int argc, char **argv) {
        const char *bus = getenv("BRIO_BUS");
        struct cli_invocation inv = { .verbs = verbs, .bus = bus && bus[0] ? bus : "system" };
        static char version[] = "version";
        bool help = false;
        int r, first;

        text_set_locale();
        if (argc == 2 && streq(argv[1], "--version"))
                argv[1] = version;
        r = parse_options(&inv, NULL, argc, argv, &help);
        if (r >= 0)
                return r;
        first = optind;
        if (first >= argc && !help)
                return cli_usage_error(NULL, "which verb?");
        if (first >= argc) {
                cli_print_overview(verbs);
                return finish(CLI_OK);
        }
        return finish(run_verb(&inv, argv[first], argc - first, argv + first, help));
}
