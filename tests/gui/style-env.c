/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h" /* before GLib, which brings its own MIN() */

#include "style-env.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <locale.h>

#include "config.h"
#include "window-env.h"

const char *style_env_name(void) {
        const char *name = g_getenv("BRIO_STYLE");

        return name ? name : "light";
}

static bool is_style(const char *begin) {
        return g_str_has_prefix(style_env_name(), begin);
}

const char *style_env_catalogue(void) {
        static char *path;

        if (!path && (is_style("de") || is_style("he")))
                path = g_strdup_printf("%s/po/%s.po", g_getenv("BRIO_SOURCE_DIR"), style_env_name());
        return path;
}

/* A language is looked for under its locale alone, which need not be installed. */
static void set_up_language(const char *locale) {
        g_autofree char *name = g_strdup_printf("%s.UTF-8", locale), *path = g_build_filename(test_tmpdir(), name, NULL);
        const char *argv[] = { "localedef", "-i", locale, "-f", "UTF-8", path, NULL };
        int status = -1;

        if (!g_spawn_sync(NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, &status, NULL) || status != 0) {
                printf("Bail out! no locale %s can be made: Debian has its sources in the package locales\n", locale);
                exit(99);
        }
        g_setenv("LOCPATH", test_tmpdir(), TRUE);
        g_setenv("LC_ALL", name, TRUE);
        g_unsetenv("LANGUAGE");
        if (!setlocale(LC_ALL, ""))
                abort();
        bindtextdomain(GETTEXT_PACKAGE, g_getenv("BRIO_LOCALE_DIR"));
        bind_textdomain_codeset(GETTEXT_PACKAGE, "UTF-8");
        textdomain(GETTEXT_PACKAGE);
        if (g_str_equal(_("Overview"), "Overview")) {
                printf("Bail out! no translation into %s in $BRIO_LOCALE_DIR\n", locale);
                exit(99);
        }
}

void style_env_set_up(void) {
        static bool done;

        if (done)
                return;
        done = true;
        if (is_style("contrast"))
                g_setenv("ADW_DEBUG_HIGH_CONTRAST", "1", TRUE);
        if (is_style("de"))
                set_up_language("de_DE");
        if (is_style("he"))
                set_up_language("he_IL");
        start_application();
        if (style_env_demand().dark)
                adw_style_manager_set_color_scheme(adw_style_manager_get_default(), ADW_COLOR_SCHEME_FORCE_DARK);
        /* The same everywhere, and at once what it will be; with the one button that GNOME's windows have. */
        g_object_set(gtk_settings_get_default(), "gtk-font-name", STYLE_ENV_FONT " 10", "gtk-enable-animations", FALSE, "gtk-decoration-layout", ":close",
                     NULL);
        if (is_style("large"))
                g_object_set(gtk_settings_get_default(), "gtk-xft-dpi", STYLE_ENV_LARGE_DPI, NULL);
}

struct regions_demand style_env_demand(void) {
        return (struct regions_demand){ .dark = g_str_has_suffix(style_env_name(), "dark"), .high_contrast = is_style("contrast") };
}
