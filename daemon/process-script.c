/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <string.h>

#include "macro.h"
#include "process-script.h"
#include "str.h"

/* commands: the letters of options by which what follows is a command, or nothing but input; -MODULE: by which it is the name of what is run.
 * values: options with a value of their own behind them, each with a blank before and behind it. */
struct interpreter {
        const char *name;
        const char *commands;
        char module;
        const char *values;
};

static const struct interpreter interpreters[] = {
        { "python", "c", 'm', " -W -X -Q --check-hash-based-pycs " }, { "pypy", "c", 'm', " -W -X " },
        { "bash", "cs", 0, " -O +O -o +o --rcfile --init-file " },    { "sh", "cs", 0, " -o +o " },
        { "dash", "cs", 0, " -o +o " },                               { "zsh", "cs", 0, " -o +o " },
        { "ksh", "cs", 0, " -o +o " },                                { "fish", "c", 0, " -C -d -o -f " },
        { "perl", "eE", 0, " -I " },                                  { "ruby", "e", 0, " -I -r -C -E " },
        { "node", "ep", 0, " -r -C --require --import --loader " },   { "nodejs", "ep", 0, " -r -C --require --import --loader " },
        { "gjs", "c", 0, " -I --include-path " },                     { "gjs-console", "c", 0, " -I --include-path " },
        { "cjs", "c", 0, " -I --include-path " },                     { "lua", "e", 0, " -l " },
        { "php", "r", 0, " -c -d " },                                 { "tclsh", "", 0, " -encoding " },
        { "wish", "", 0, " -encoding " },                             { "guile", "c", 0, " -L -C -l -x " },
        { "mono", "", 0, " --config " },
};

/* Behind the name there may be a version. */
static const struct interpreter *find(const char *name) {
        for (size_t i = 0; i < ARRAY_SIZE(interpreters); i++) {
                const char *version = startswith(name, interpreters[i].name);
                if (version && version[strspn(version, "0123456789.")] == '\0')
                        return &interpreters[i];
        }
        return NULL;
}

bool process_script_is_interpreter(const char *name) {
        return find(name) != NULL;
}

/* Of "-lc": options of one letter each. */
static const char *find_letter(const char *option, const char *letters) {
        return option[0] == '-' && option[1] != '-' ? strpbrk(option + 1, letters) : NULL;
}

static bool has_value(const struct interpreter *i, const char *option) {
        const char *at = strstr(i->values, option);

        return at && at > i->values && at[-1] == ' ' && at[strlen(option)] == ' ';
}

const char *process_script_find(const char *name, const char *arguments, size_t size) {
        const struct interpreter *i = find(name);
        const char *end = arguments + size;
        bool options = true, is_value = false, is_module = false;

        if (!i || size == 0 || !memchr(arguments, '\0', size))
                return NULL;
        for (const char *a = arguments + strlen(arguments) + 1; a < end && memchr(a, '\0', (size_t) (end - a)); a += strlen(a) + 1) {
                if (is_value)
                        is_value = false;
                else if (is_module || !options || (*a != '-' && *a != '+'))
                        return *a ? a : NULL;
                else if (streq(a, "--"))
                        options = false;
                else if (streq(a, "-"))
                        return NULL;
                else if (has_value(i, a))
                        is_value = true;
                else if (i->module && a[1] == i->module && !a[2])
                        is_module = true;
                else if (find_letter(a, i->commands) || streq(a, "--eval") || streq(a, "--print"))
                        return NULL;
        }
        return NULL;
}
