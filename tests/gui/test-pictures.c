/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures of every page and of the windows over it, in one style a process (style-env.h), looked at region by region: each text, icon and
 * chart is on the picture, whole, apart from the others, and stands out as much as it should. What always looks the same is compared with how
 * it did (references.h). Those with a problem are left in $BRIO_ARTEFACTS, and all where there is $BRIO_KEEP_PICTURES. */
#include "test.h" /* before GLib, which brings its own MIN() */

#include <adwaita.h>

#include "dialogs.h"
#include "drive-card.h"
#include "english.h"
#include "fake-systemd.h"
#include "gui-env.h"
#include "page-env.h"
#include "process-menu.h"
#include "references.h"
#include "regions.h"
#include "report-dialog.h"
#include "screenshot.h"
#include "settings.h"
#include "style-env.h"
#include "window-env.h"

#define WIDE_PX 1000
#define NARROW_PX 360
/* All of the longest page at that width, so that nothing has to be scrolled to. */
#define WIDE_HEIGHT_PX 1700
#define NARROW_HEIGHT_PX 3900
#define PLAIN_HEIGHT_PX 700 /* of what has a page of its own: nothing is there, or something failed */
#define LOOK_AGAIN_MS 50
#define STILL_LOOKS 4
#define REFERENCE_LOOKS 20
#define LOOKS_MAX (ENV_PATIENCE_S * 1000 / LOOK_AGAIN_MS)
#define MESSAGE_PX 372 /* no message of libadwaita 1.7 is narrower, with text of the usual size */
#define FRAME_PX 10 /* that a window draws around itself without a compositor */

#define LOADED "desktop.json"
#define REFUSED "refusing.json"
#define OPEN "open" /* a state: the card of each drive */
#define ABSENT "" /* no daemon */

struct shot {
        const char *page, *state, *scenario, *detail;
        const char *types[4]; /* of the widgets that must be there */
        unsigned counts[4];   /* at least so many each */
};

static void open_preferences(struct app *app) {
        if (!fake_systemd_begin("disabled"))
                abort();
        dialogs_show_preferences(GTK_WINDOW(app->window));
}

static void open_help(struct app *app) {
        dialogs_show_help(GTK_WINDOW(app->window));
}

static void open_about(struct app *app) {
        dialogs_show_about(GTK_WINDOW(app->window), app->client);
}

static void open_shortcuts(struct app *app) {
        dialogs_show_shortcuts(GTK_WINDOW(app->window));
}

static void on_report(GObject *source, GAsyncResult *result, gpointer unused) {
        GBytes *archive = report_dialog_make_finish(result, NULL);

        (void) source;
        (void) unused;
        g_clear_pointer(&archive, g_bytes_unref);
}

static void open_report(struct app *app) {
        report_dialog_make_async(app->window, app->client, on_report, NULL);
}

static GtkWidget *find_process(void *window) {
        GtkWidget *view = page_env_find(GTK_WIDGET(window), GTK_TYPE_COLUMN_VIEW, NULL);

        return view && g_list_model_get_n_items(G_LIST_MODEL(gtk_column_view_get_model(GTK_COLUMN_VIEW(view)))) > 0 ? view : NULL;
}

static bool has_process(void *window) {
        return find_process(window) != NULL;
}

static bool has_menu(void *window) {
        return page_env_find(window, GTK_TYPE_POPOVER_MENU, NULL) != NULL;
}

/* Of the first process. */
static void open_menu(struct app *app) {
        GtkWidget *view;

        brio_window_show_page(app->window, "processes");
        if (!env_wait(has_process, app->window))
                return;
        view = find_process(app->window);
        gtk_single_selection_set_selected(GTK_SINGLE_SELECTION(gtk_column_view_get_model(GTK_COLUMN_VIEW(view))), 0);
        process_menu_open(GTK_COLUMN_VIEW(view), &(GdkRectangle){ .width = 1, .height = 1 });
        env_wait(has_menu, app->window);
}

static void close_menu(GtkWidget *menu) {
        gtk_popover_popdown(GTK_POPOVER(menu));
        env_wait(page_env_is_unmapped, menu);
}

static void open_details(struct app *app) {
        open_menu(app);
        close_menu(page_env_find(GTK_WIDGET(app->window), GTK_TYPE_POPOVER_MENU, NULL));
        gtk_widget_activate_action(find_process(app->window), "process.details", NULL);
}

/* By the page of a shot. */
static const struct {
        const char *page;
        void (*open)(struct app *);
        bool of_toolkit; /* what it looks like is GTK's or libadwaita's, also in high contrast and from right to left */
        bool wide;       /* it cannot be narrow */
} windows_over[] = {
        { "preferences", open_preferences, false, false },
        { "help", open_help, false, false },
        { "shortcuts", open_shortcuts, true, true },
        { "about", open_about, true, false },
        { "report", open_report, false, false },
        { "menu", open_menu, false, true },
        { "details", open_details, false, false },
};

static const struct shot shots[] = {
        { "absent", "absent", ABSENT, NULL, { "AdwStatusPage", "GtkButton" }, { 1, 1 } },
        { "welcome", "absent", ABSENT, NULL, { "BrioPageWelcome" }, { 1 } },
        { "welcome", "loaded", LOADED, NULL, { "BrioPageWelcome" }, { 1 } },
        { "overview", "loaded", LOADED, NULL, { "BrioDriveCard", "BrioPlot" }, { 2, 3 } },
        { "overview", OPEN, LOADED, NULL, { "BrioDriveCard", "BrioPlot" }, { 2, 6 } },
        { "startups", "loaded", LOADED, NULL, { "BrioStartupRow", "BrioLatencyBar" }, { 3, 3 } },
        { "startups", "detail", LOADED, "org.mozilla.firefox", { "BrioStartupDetail", "BrioTimeline" }, { 1, 1 } },
        { "streams", "loaded", LOADED, NULL, { "BrioStreamRow" }, { 3 } },
        { "streams", "detail", LOADED, "tracker-miner-f", { "BrioRhythmChart" }, { 1 } },
        { "processes", "loaded", LOADED, NULL, { "GtkColumnView" }, { 1 } },
        { "decisions", "loaded", LOADED, NULL, { "BrioDecisionRow" }, { 3 } },
        { "policies", "loaded", LOADED, NULL, { "BrioPolicyRow", "BrioModeSwitch" }, { 2, 1 } },
        { "overview", "empty", NULL, NULL, { "AdwStatusPage" }, { 1 } },
        { "startups", "empty", NULL, NULL, { "AdwStatusPage" }, { 1 } },
        { "streams", "empty", NULL, NULL, { "AdwStatusPage" }, { 1 } },
        { "processes", "empty", NULL, NULL, { "AdwStatusPage" }, { 1 } },
        { "decisions", "empty", NULL, NULL, { "AdwStatusPage" }, { 1 } },
        { "policies", "empty", NULL, NULL, { "AdwPreferencesGroup" }, { 1 } },
        { "startups", "refused", REFUSED, NULL, { "AdwStatusPage", "GtkButton" }, { 1, 1 } },
        { "streams", "refused", REFUSED, NULL, { "AdwStatusPage", "GtkButton" }, { 1, 1 } },
        { "processes", "refused", REFUSED, NULL, { "AdwStatusPage", "GtkButton" }, { 1, 1 } },
        { "decisions", "refused", REFUSED, NULL, { "AdwStatusPage", "GtkButton" }, { 1, 1 } },
        { "policies", "refused", REFUSED, NULL, { "GtkButton" }, { 1 } },
        { "preferences", "over", ABSENT, NULL, { "GtkSwitch" }, { 1 } },
        { "help", "over", ABSENT, NULL, { "AdwActionRow" }, { 6 } },
        { "shortcuts", "over", ABSENT, NULL, { "GtkShortcutsShortcut" }, { 10 } },
        { "about", "over", ABSENT, NULL, { "AdwActionRow" }, { 2 } },
        { "report", "over", LOADED, NULL, { "GtkSwitch" }, { 1 } },
        { "menu", "over", LOADED, NULL, { "GtkModelButton" }, { 5 } },
        { "details", "over", LOADED, NULL, { "AdwActionRow" }, { 10 } },
};

/* A window that is looked at again until it stays what it is. */
struct sight {
        const struct shot *shot;
        struct app app;
        GtkWidget *window; /* that is looked at: the dashboard's, or the one over it */
        GArray *regions;
        unsigned still;
};

static bool is_plain(const struct shot *s) {
        return !s->scenario || g_str_equal(s->scenario, ABSENT) || g_str_equal(s->scenario, REFUSED) || g_str_equal(s->page, "welcome");
}

/* Its place in windows_over; -1: none. */
static int find_window_over(const struct shot *s) {
        for (size_t i = 0; i < G_N_ELEMENTS(windows_over); i++)
                if (g_str_equal(windows_over[i].page, s->page))
                        return (int) i;
        return -1;
}

static bool is_of_toolkit(const struct shot *s) {
        int over = find_window_over(s);

        return over >= 0 && windows_over[over].of_toolkit;
}

static bool can_be_narrow(const struct shot *s) {
        int over = find_window_over(s);

        return over < 0 || !windows_over[over].wide;
}

static bool is_same(const GArray *a, const GArray *b) {
        if (a->len != b->len)
                return false;
        for (guint i = 0; i < a->len; i++) {
                const struct region *x = &g_array_index(a, struct region, i), *y = &g_array_index(b, struct region, i);

                if (!graphene_rect_equal(&x->bounds, &y->bounds) || !g_str_equal(x->name, y->name))
                        return false;
        }
        return true;
}

static unsigned count_types(GtkWidget *w, const char *type_name) {
        unsigned n = gtk_widget_get_mapped(w) && g_str_equal(G_OBJECT_TYPE_NAME(w), type_name);

        for (GtkWidget *c = gtk_widget_get_first_child(w); c; c = gtk_widget_get_next_sibling(c))
                n += count_types(c, type_name);
        return n;
}

/* What must be there, or NULL. */
static const char *find_missing(const struct sight *s) {
        for (size_t i = 0; i < G_N_ELEMENTS(s->shot->types) && s->shot->types[i]; i++)
                if (count_types(s->window, s->shot->types[i]) < s->shot->counts[i])
                        return s->shot->types[i];
        return NULL;
}

static void look_again(struct sight *s) {
        GArray *regions;

        env_run_for_ms(LOOK_AGAIN_MS);
        regions = regions_find(s->window);
        s->still = !brio_client_is_waiting(s->app.client) && !find_missing(s) && s->regions && is_same(s->regions, regions) ? s->still + 1 : 0;
        g_clear_pointer(&s->regions, g_array_unref);
        s->regions = regions;
}

static struct app open_sight(const struct shot *shot) {
        g_autoptr(GSettings) settings = settings_new();
        bool has_page = g_strcmp0(shot->scenario, ABSENT) != 0 && !g_str_equal(shot->page, "welcome");

        g_settings_set_boolean(settings, SETTINGS_WELCOMED, !g_str_equal(shot->page, "welcome"));
        g_settings_set_string(settings, SETTINGS_PAGE, has_page ? shot->page : "overview");
        g_settings_set_int(settings, SETTINGS_WIDTH, WIDE_PX + FRAME_PX);
        g_settings_set_int(settings, SETTINGS_HEIGHT, PLAIN_HEIGHT_PX + FRAME_PX);
        return restore_window(settings);
}

static bool is_shown(void *window) {
        return !g_str_equal(brio_window_get_shown(window), "connecting");
}

static unsigned samples;

static void on_sampled(void) {
        samples++;
}

static bool has_samples(void *unused) {
        (void) unused;
        return samples > 1;
}

static void open_cards(GtkWidget *w) {
        if (BRIO_IS_DRIVE_CARD(w))
                brio_drive_card_set_open(BRIO_DRIVE_CARD(w), TRUE);
        for (GtkWidget *c = gtk_widget_get_first_child(w); c; c = gtk_widget_get_next_sibling(c))
                open_cards(c);
}

/* What was read ahead for the start that is shown. */
#define READ_AHEAD \
        "('{\"device\": \"sda\", \"time_usec\": 1795000000020000, \"tunable\": \"read-ahead\", \"unit\": \"KiB\", \"new\": \"141500\", \"pid\": 5120, \"process\": \"firefox\", " \
        "\"application\": \"org.mozilla.firefox\", \"law\": \"prefetch\", \"reason\": \"-\", \"reason_data\": [{\"id\": \"prefetch\", \"application\": \"org.mozilla.firefox\"}]}',)"

static bool open_shot(const struct shot *shot, struct sight *ret) {
        *ret = (struct sight){ .shot = shot };
        if (g_strcmp0(shot->scenario, ABSENT) != 0 && !env_daemon_start(shot->scenario))
                return false;
        if (g_strcmp0(shot->scenario, LOADED) == 0) /* the numbers stay what they are */
                for (const char *const *drive = (const char *const[]){ "sda", "nvme0n1", NULL }; *drive; drive++) {
                        g_autofree char *parameters = g_strdup_printf("('%s', '{\"swing\": 0}')", *drive);

                        g_free(env_control("SetDrive", parameters));
                }
        if (g_str_equal(shot->page, "startups") && shot->detail)
                g_free(env_control("AddDecision", READ_AHEAD));
        ret->app = open_sight(shot);
        samples = 0;
        g_signal_connect(ret->app.client, "sampled", on_sampled, NULL);
        if (!env_wait(is_shown, ret->app.window) || (g_strcmp0(shot->scenario, LOADED) == 0 && !env_wait(has_samples, NULL)))
                return false;
        if (shot->detail)
                brio_window_show_detail(ret->app.window, shot->detail);
        if (g_str_equal(shot->state, OPEN)) {
                open_cards(GTK_WIDGET(ret->app.window));
                brio_client_call_async(ret->app.client, "Hold", g_variant_new("(sss)", "pause", "FFmpeg", "org.mozilla.firefox"), "(u)", NULL, NULL, NULL);
        }
        ret->window = GTK_WIDGET(ret->app.window);
        return true;
}

static GtkWidget *find_over(GtkWindow *below) {
        GListModel *all = gtk_window_get_toplevels();

        for (guint i = 0; i < g_list_model_get_n_items(all); i++) {
                g_autoptr(GtkWindow) w = g_list_model_get_item(all, i);

                if (gtk_window_get_transient_for(w) == below)
                        return GTK_WIDGET(w);
        }
        return page_env_find(GTK_WIDGET(below), GTK_TYPE_POPOVER_MENU, NULL);
}

/* Another one for each width of the window below: it is no wider than that. High enough for all of it. */
static void open_over(struct sight *s, int height) {
        GtkWindow *below = GTK_WINDOW(s->app.window);
        GtkWidget *over = find_over(below);
        int width, unused;

        if (over)
                gtk_window_destroy(GTK_WINDOW(over));
        windows_over[find_window_over(s->shot)].open(&s->app);
        s->window = find_over(below);
        if (!GTK_IS_WINDOW(s->window))
                return;
        gtk_window_get_default_size(GTK_WINDOW(s->window), &width, &unused);
        gtk_window_set_default_size(GTK_WINDOW(s->window), width, height + FRAME_PX);
}

static bool has_width(const struct sight *s, int width) {
        int has = gtk_widget_get_width(s->window), message = g_str_equal(style_env_name(), "large") ? MESSAGE_PX * 3 / 2 : MESSAGE_PX;

        return find_window_over(s->shot) >= 0 ? has <= MAX(width + FRAME_PX, message) : has == width;
}

/* In that width; false, having said why, where it does not become what it should. */
static bool settle(struct sight *s, int width) {
        bool over = find_window_over(s->shot) >= 0;
        int height = is_plain(s->shot) && !over ? PLAIN_HEIGHT_PX : width == WIDE_PX ? WIDE_HEIGHT_PX : NARROW_HEIGHT_PX;

        gtk_window_set_default_size(GTK_WINDOW(s->app.window), width + FRAME_PX, height + FRAME_PX);
        if (over)
                open_over(s, height);
        s->still = 0;
        for (int i = 0; i < LOOKS_MAX && s->still < STILL_LOOKS; i++) {
                look_again(s);
                if (!has_width(s, width))
                        s->still = 0;
        }
        if (s->still < STILL_LOOKS)
                printf("# %s, %d pixels wide for %d: %s\n", s->shot->page, gtk_widget_get_width(s->window), width,
                       find_missing(s) ? find_missing(s) : "it does not rest");
        return s->still >= STILL_LOOKS;
}

static bool close_shot(struct sight *s) {
        if (GTK_IS_POPOVER(s->window))
                close_menu(s->window);
        g_clear_pointer(&s->regions, g_array_unref);
        return close_window(&s->app);
}

/* With what always looks the same. */
static unsigned compared, different;

/* The state of a switch, say, is another process's to tell, and may come after all is in its place. */
static bool looks_as_it_did(const struct sight *s, const char *name) {
        for (int i = 0; i < REFERENCE_LOOKS; i++) {
                struct picture p;
                bool same;

                if (!picture_take(s->window, &p))
                        return false;
                same = references_match(name, &p);
                picture_done(&p);
                if (same)
                        return true;
                env_run_for_ms(LOOK_AGAIN_MS);
        }
        return false;
}

static unsigned look(const struct sight *s, const char *name) {
        struct regions_demand demand = style_env_demand();
        graphene_rect_t all = GRAPHENE_RECT_INIT(0, 0, (float) gtk_widget_get_width(s->window), (float) gtk_widget_get_height(s->window));
        struct picture p;
        unsigned n;
        double background;

        if (!picture_take(s->window, &p))
                return 1;
        if (is_of_toolkit(s->shot))
                demand.high_contrast = false;
        n = regions_find_clipped(s->regions, s->window) + regions_find_overlapping(s->regions) + regions_find_torn(s->regions)
                + regions_find_broken(s->regions) + regions_find_illegible(s->regions, &p, &demand);
        background = picture_look_at(&p, &all).background;
        if (demand.dark ? background > 0.1 : background < 0.7) {
                printf("# a background of luminance %.2f is not %s\n", background, demand.dark ? "dark" : "light");
                n++;
        }
        if (is_plain(s->shot) && !is_of_toolkit(s->shot) && g_str_equal(style_env_name(), "light") && !references_missing()) {
                compared++;
                different += !looks_as_it_did(s, name);
        }
        picture_done(&p);
        return n;
}

static void keep(const struct sight *s, const char *name) {
        const char *directory = g_getenv("BRIO_ARTEFACTS");
        g_autofree char *path = g_strdup_printf("%s/%s-%s.png", directory ? directory : test_tmpdir(), name, style_env_name());

        if (screenshot_save(s->window, path, NULL))
                printf("# see %s\n", path);
}

/* One width of it. ltr: where each region is from left to right; NULL: that is what this is. */
static unsigned check_width(struct sight *s, int width, const GArray *ltr) {
        g_autofree char *name = g_strdup_printf("%s-%s-%d", s->shot->page, s->shot->state, width);
        unsigned n = 1, before = different;

        if (settle(s, width))
                n = look(s, name) + (ltr && !is_of_toolkit(s->shot) ? regions_find_unmirrored(ltr, s->regions, gtk_widget_get_width(s->window)) : 0);
        if (n > 0 || different > before || g_getenv("BRIO_KEEP_PICTURES")) {
                printf("# that was %s\n", name);
                keep(s, name);
        }
        return n;
}

/* Where the style is another language: what is said in English, in how many windows. */
static unsigned languages_looked_at, english;

static void look_for_english(const struct sight *s) {
        const char *catalogue = style_env_catalogue();

        if (!catalogue)
                return;
        languages_looked_at++;
        english += english_find(s->window, catalogue);
}

static unsigned check_shot(const struct shot *shot) {
        bool rtl = g_str_equal(style_env_name(), "rtl");
        g_autoptr(GArray) wide = NULL, narrow = NULL;
        struct sight s;
        unsigned n = 0;

        if (rtl) {
                if (!open_shot(shot, &s) || !settle(&s, WIDE_PX))
                        return 1;
                wide = g_steal_pointer(&s.regions);
                if (can_be_narrow(shot)) {
                        if (!settle(&s, NARROW_PX))
                                return 1;
                        narrow = g_steal_pointer(&s.regions);
                }
                n += !close_shot(&s);
                gtk_widget_set_default_direction(GTK_TEXT_DIR_RTL);
        }
        if (open_shot(shot, &s)) {
                n += check_width(&s, WIDE_PX, wide);
                look_for_english(&s);
                if (can_be_narrow(shot))
                        n += check_width(&s, NARROW_PX, narrow);
        } else
                n++;
        if (rtl)
                gtk_widget_set_default_direction(GTK_TEXT_DIR_LTR);
        return n + !close_shot(&s);
}

static unsigned check_page(const char *page) {
        unsigned n = 0;

        style_env_set_up();
        for (size_t i = 0; i < G_N_ELEMENTS(shots); i++)
                if (g_str_equal(shots[i].page, page))
                        n += check_shot(&shots[i]);
        return n;
}

TEST(a_window_without_a_daemon_is_whole_and_legible) {
        CHECK_INT(check_page("absent"), 0);
}

TEST(the_first_page_is_whole_and_legible) {
        CHECK_INT(check_page("welcome"), 0);
}

TEST(the_overview_is_whole_and_legible) {
        CHECK_INT(check_page("overview"), 0);
}

TEST(the_start_ups_are_whole_and_legible) {
        CHECK_INT(check_page("startups"), 0);
}

TEST(the_streams_are_whole_and_legible) {
        CHECK_INT(check_page("streams"), 0);
}

TEST(the_processes_are_whole_and_legible) {
        CHECK_INT(check_page("processes"), 0);
}

TEST(the_decisions_are_whole_and_legible) {
        CHECK_INT(check_page("decisions"), 0);
}

TEST(the_policies_are_whole_and_legible) {
        CHECK_INT(check_page("policies"), 0);
}

TEST(the_windows_over_it_are_whole_and_legible) {
        CHECK_INT(check_page("preferences"), 0);
        CHECK_INT(check_page("help"), 0);
        CHECK_INT(check_page("about"), 0);
        CHECK_INT(check_page("report"), 0);
        CHECK_INT(check_page("menu"), 0);
        CHECK_INT(check_page("details"), 0);
}

/* GTK 4.8 measures a label of its own in that window with less than nothing, and warns, where memory is not zero in the beginning. */
TEST(the_window_of_shortcuts_is_whole_and_legible) {
        GLogLevelFlags fatal = g_log_set_always_fatal((GLogLevelFlags) (G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL));
        unsigned n = check_page("shortcuts");

        g_log_set_always_fatal(fatal);
        CHECK_INT(n, 0);
}

TEST(no_page_dialog_or_menu_of_another_language_has_a_sentence_in_english) {
        style_env_set_up();
        if (!style_env_catalogue())
                test_skip("the style is of English");
        CHECK_INT(languages_looked_at, G_N_ELEMENTS(shots));
        CHECK_INT(english, 0);
}

TEST(what_always_looks_the_same_looks_as_it_did) {
        style_env_set_up();
        if (references_missing())
                test_skip(references_missing());
        if (!g_str_equal(style_env_name(), "light"))
                test_skip("the reference pictures are of the light style");
        CHECK(compared > 0);
        CHECK_INT(different, 0);
}
