/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <getopt.h>
#include <ini.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <syslog.h>

#include "config.h"
#include "macro.h"
#include "options.h"
#include "request-sources.h"
#include "str.h"

static const char help[] =
        "Usage: briod [OPTION]...\n"
        "\n"
        "Keeps the desktop responsive while its disks are busy: watches which processes do\n"
        "I/O on which drive and tunes the kernel's I/O schedulers. Restores every setting\n"
        "when it ends. Talk to it with brioctl(1).\n"
        "\n"
        "  --mode MODE          auto (decide and act), advise (decide, write nothing) or\n"
        "                       off (watch only); default auto\n"
        "  --include DEV[=CLASS]  treat DEV as a drive whatever it is (a loop device, say);\n"
        "                       may be given more than once\n"
        "  --exclude DEV        leave DEV alone; may be given more than once\n"
        "  --source SOURCE      see single requests through bpf, tracefs, blktrace, nothing\n"
        "                       (proc: what /proc shows has to do), or the best that works\n"
        "                       (auto, default)\n"
        "  --config FILE        configuration (default /etc/brio/briod.conf)\n"
        "  --policy-dir DIR     read policies from DIR alone\n"
        "  --bus BUS            system (default), session, or a D-Bus address\n"
        "  --root DIR           take every path below DIR: a recorded machine\n"
        "  --replay FILE        serve a recording of brioctl record as if it happened now;\n"
        "                       nothing of this machine is read or written\n"
        "  --state-dir DIR      where originals are kept (default /var/lib/brio)\n"
        "  --check              check configuration and policies, print what is wrong, leave\n"
        "  --restore            put back what a briod that was killed has left, leave\n"
        "  --verbose            log more\n"
        "  -h, --help           this text\n"
        "  --version            the version\n"
        "\n"
        "Exit status: 0 ended as asked, 1 failed, 2 wrong usage. See briod(8).\n";

static int add_name(char **list, const char *name) {
        const char *node = startswith(name, "/dev/");
        size_t n = 0;

        if (node)
                name = node;
        while (list[n])
                n++;
        if (*name == '\0' || strchr(name, '/'))
                return -EINVAL;
        if (n == OPTIONS_NAMES_MAX)
                return -E2BIG;
        list[n] = strdup(name);
        return list[n] ? 0 : -ENOMEM;
}

/* NAME or NAME=CLASS */
static int add_include(char **list, const char *name) {
        const char *class = strchr(name, '=');

        if (class && (class == name || device_class_from_string(class + 1) <= DEVICE_CLASS_SKIP))
                return -EINVAL;
        return add_name(list, name);
}

static int parse_mode(struct options *o, const char *word) {
        int mode = mode_from_string(word);

        if (mode < 0)
                return mode;
        o->mode = (enum mode) mode;
        return 0;
}

static int parse_source(struct options *o, const char *word) {
        const char *choice = request_sources_choice(word);

        if (!choice)
                return -EINVAL;
        o->source = choice;
        return 0;
}

enum {
        OPT_CONFIG = 0x100, OPT_POLICY_DIR, OPT_BUS, OPT_ROOT, OPT_REPLAY, OPT_STATE_DIR, OPT_MODE, OPT_INCLUDE, OPT_EXCLUDE, OPT_SOURCE, OPT_CHECK,
        OPT_RESTORE, OPT_VERBOSE, OPT_VERSION,
};

/* Returns 0, 1 to leave, or -EINVAL with a sentence in *ret_problem. */
static int take_option(struct options *o, int option, const char *value, const char **ret_problem) {
        struct stat st;

        switch (option) {
        case OPT_CONFIG:
                o->config = value;
                return 0;
        case OPT_POLICY_DIR:
                o->policy_dir = value;
                return 0;
        case OPT_BUS:
                o->bus = value;
                return 0;
        case OPT_ROOT:
                o->root = streq(value, "/") ? "" : value;
                *ret_problem = "--root takes a directory";
                return stat(value, &st) == 0 && S_ISDIR(st.st_mode) ? 0 : -EINVAL;
        case OPT_REPLAY:
                o->replay = value;
                return 0;
        case OPT_STATE_DIR:
                o->state_dir = value;
                return 0;
        case OPT_MODE:
                o->mode_given = true;
                *ret_problem = "--mode takes auto, advise or off";
                return parse_mode(o, value);
        case OPT_INCLUDE:
                *ret_problem = "--include takes the kernel's name of a drive, such as loop0, or with a class, such as loop0=hdd";
                return add_include(o->include, value);
        case OPT_EXCLUDE:
                *ret_problem = "--exclude takes the kernel's name of a drive, such as sda";
                return add_name(o->exclude, value);
        case OPT_SOURCE:
                o->source_given = true;
                *ret_problem = "--source takes auto, bpf, tracefs, blktrace or proc";
                return parse_source(o, value);
        case OPT_CHECK:
                o->check = true;
                return 0;
        case OPT_RESTORE:
                o->restore = true;
                return 0;
        case OPT_VERBOSE:
                o->log_level = LOG_DEBUG;
                return 0;
        case 'h':
                fputs(help, stdout);
                return 1;
        case OPT_VERSION:
                puts("briod " BRIO_VERSION);
                return 1;
        default:
                *ret_problem = NULL; /* getopt has spoken */
                return -EINVAL;
        }
}

int options_parse(struct options *o, int argc, char *argv[]) {
        static const struct option options[] = {
                { "config", required_argument, NULL, OPT_CONFIG },         { "policy-dir", required_argument, NULL, OPT_POLICY_DIR },
                { "bus", required_argument, NULL, OPT_BUS },               { "root", required_argument, NULL, OPT_ROOT },
                { "replay", required_argument, NULL, OPT_REPLAY },
                { "state-dir", required_argument, NULL, OPT_STATE_DIR },   { "mode", required_argument, NULL, OPT_MODE },
                { "include", required_argument, NULL, OPT_INCLUDE },       { "exclude", required_argument, NULL, OPT_EXCLUDE },
                { "source", required_argument, NULL, OPT_SOURCE },         { "check", no_argument, NULL, OPT_CHECK },
                { "restore", no_argument, NULL, OPT_RESTORE },             { "verbose", no_argument, NULL, OPT_VERBOSE },
                { "help", no_argument, NULL, 'h' },                        { "version", no_argument, NULL, OPT_VERSION },
                { NULL, 0, NULL, 0 },
        };
        int option;

        *o = (struct options){ .bus = "system", .root = "", .mode = MODE_AUTO, .source = REQUEST_SOURCE_AUTO, .log_level = LOG_INFO };
        while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
                const char *problem = NULL;
                int r = take_option(o, option, optarg, &problem);

                if (r > 0)
                        return 0;
                if (r == -E2BIG) {
                        fprintf(stderr, "briod: --include and --exclude take at most %d drives each\n", OPTIONS_NAMES_MAX);
                        return r;
                }
                if (r < 0) {
                        fprintf(stderr, "briod: %s%s\"briod --help\" lists the options\n", problem ? problem : "", problem ? "; " : "");
                        return -EINVAL;
                }
        }
        if (optind < argc) {
                fprintf(stderr, "briod: unexpected argument \"%s\"; \"briod --help\" lists the options\n", argv[optind]);
                return -EINVAL;
        }
        if (o->replay && (*o->root || o->restore)) {
                fprintf(stderr, "briod: --replay goes with neither --root nor --restore\n");
                return -EINVAL;
        }
        return 1;
}

struct config_parser {
        struct options *options;
        FILE *file;
        const char *path;
        int line;
        int problems;
};

static char *read_line(char *buf, int size, void *userdata) {
        struct config_parser *p = userdata;

        p->line++;
        return fgets(buf, size, p->file);
}

/* The value is a list: each word counts. */
static int add_names(char **list, int (*add)(char **, const char *), const char *value) {
        _cleanup_free_ char *copy = strdup(value);
        char *rest = copy;

        if (!copy)
                return -ENOMEM;
        for (char *word; (word = strsep(&rest, " ,\t"));) {
                int r = *word ? add(list, word) : 0;
                if (r < 0)
                        return r;
        }
        return 0;
}

/* inih wants nonzero for "fine". */
static int take_key(void *userdata, const char *section, const char *key, const char *value) {
        struct config_parser *p = userdata;
        struct options *o = p->options;
        const char *source_given = o->source;
        enum mode given = o->mode;
        int r;

        if (!streq(section, "Daemon"))
                r = -ENOENT;
        else if (streq(key, "Mode")) {
                r = parse_mode(o, value);
                if (o->mode_given)
                        o->mode = given;
                o->mode_configured |= r >= 0;
        } else if (streq(key, "Source")) {
                r = parse_source(o, value);
                if (o->source_given)
                        o->source = source_given;
        } else if (streq(key, "Include"))
                r = add_names(o->include, add_include, value);
        else if (streq(key, "Exclude"))
                r = add_names(o->exclude, add_name, value);
        else
                r = -ENOENT;
        if (r < 0) {
                const char *what = r == -ENOENT ? "unknown key" : r == -E2BIG ? "too many drives" : "bad value";

                p->problems++;
                fprintf(stderr, "%s:%d: %s [%s] %s=%s\n", p->path, p->line, what, section, key, value);
        }
        return 1;
}

int options_load_config(struct options *o) {
        struct config_parser p = { .options = o };
        _cleanup_fclose_ FILE *file = NULL;
        char path[PATH_MAX];
        int r;

        if (snprintf(path, sizeof(path), "%s/etc/brio/briod.conf", o->root) >= (int) sizeof(path)) {
                fprintf(stderr, "briod: %s: %s\n", o->root, strerror(ENAMETOOLONG));
                return -ENAMETOOLONG;
        }
        p.path = o->config ? o->config : path;
        file = fopen(p.path, "re");
        if (!file && errno == ENOENT && !o->config)
                return 0;
        if (!file) {
                r = -errno;
                fprintf(stderr, "briod: cannot read %s: %s\n", p.path, strerror(-r));
                return r;
        }
        p.file = file;
        errno = 0;
        r = ini_parse_stream(read_line, &p, take_key, &p);
        if (ferror(file)) { /* a directory, for one: it opens, but there is nothing to read */
                r = errno > 0 ? -errno : -EIO;
                fprintf(stderr, "briod: cannot read %s: %s\n", p.path, strerror(-r));
                return r;
        }
        if (r != 0) {
                p.problems++;
                fprintf(stderr, "%s:%d: neither a section, a key nor a comment\n", p.path, r);
        }
        return p.problems ? -EINVAL : 0;
}

void options_done(struct options *o) {
        for (size_t i = 0; o->include[i]; i++)
                free(o->include[i]);
        for (size_t i = 0; o->exclude[i]; i++)
                free(o->exclude[i]);
}
