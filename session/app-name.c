/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app-name.h"

#include <limits.h>
#include <locale.h>

#include "str.h"

#define LOCALE_MAX 32
#define LINE_MAX_BYTES 4096 /* what is longer is no name */

enum fit { NONE, PLAIN, LANGUAGE, COUNTRY };

/* How well the key of a line names what is looked for: "Name", "Name[de]", "Name[de_DE]". */
static enum fit judge(const char *key, const char *language, const char *country) {
        char wanted[LOCALE_MAX + 8];

        if (streq(key, "Name"))
                return PLAIN;
        snprintf(wanted, sizeof(wanted), "Name[%s]", language);
        if (streq(key, wanted))
                return LANGUAGE;
        snprintf(wanted, sizeof(wanted), "Name[%s]", country);
        return streq(key, wanted) ? COUNTRY : NONE;
}

static bool read_name(FILE *f, char *buf, size_t size) {
        char language[LOCALE_MAX], country[LOCALE_MAX], line[LINE_MAX_BYTES];
        enum fit best = NONE;
        bool within = false;

        str_copy(country, sizeof(country), setlocale(LC_MESSAGES, NULL));
        country[strcspn(country, ".@")] = '\0';
        str_copy(language, sizeof(language), country);
        language[strcspn(language, "_")] = '\0';
        while (fgets(line, sizeof(line), f)) {
                char *key = str_strip(line), *value = strchr(line, '=');
                enum fit fit;
                if (*key == '[')
                        within = streq(key, "[Desktop Entry]");
                if (!within || !value)
                        continue;
                *value = '\0';
                fit = judge(str_strip(key), language, country);
                if (fit <= best)
                        continue;
                best = fit;
                str_copy(buf, size, str_strip(value + 1));
        }
        return best > NONE && *buf;
}

static bool find(const char *directory, const char *application, char *buf, size_t size) {
        _cleanup_fclose_ FILE *f = NULL;
        char path[PATH_MAX];

        if (snprintf(path, sizeof(path), "%s/applications/%s.desktop", directory, application) >= (int) sizeof(path))
                return false;
        f = fopen(path, "re");
        return f && read_name(f, buf, size);
}

char *app_name(const char *application, char *buf, size_t size) {
        const char *dirs = getenv("XDG_DATA_DIRS"), *own = getenv("XDG_DATA_HOME"), *home = getenv("HOME"), *dot = strrchr(application, '.');
        _cleanup_free_ char *all = NULL;
        char *rest, *directory;
        bool found = false;

        if (asprintf(&all, "%s%s:%s", own && *own ? own : home ? home : "", own && *own ? "" : "/.local/share",
                     dirs && *dirs ? dirs : "/usr/local/share:/usr/share") < 0)
                all = NULL;
        for (rest = all; rest && !found && !strchr(application, '/') && (directory = strsep(&rest, ":"));)
                found = find(directory, application, buf, size);
        if (!found)
                str_copy(buf, size, dot && dot[1] ? dot + 1 : application);
        return str_make_text(buf, size);
}
