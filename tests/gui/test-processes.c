/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of processes alone, against a scripted daemon. */
#include "test.h" /* before GLib, which brings its own MIN() */

#include <adwaita.h>
#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "gui-env.h"
#include "object-process.h"
#include "page-env.h"
#include "page-processes.h"
#include "process-cell.h"
#include "process-columns.h"
#include "process-menu.h"
#include "process-order.h"
#include "program-rules-ask.h"
#include "style-env.h"
#include "widget-env.h"

static bool open_processes(int width, struct page_env *ret) {
        return page_env_open(BRIO_TYPE_PAGE_PROCESSES, "desktop.json", width, 300, ret);
}

static GtkColumnView *view_of(struct page_env *p) {
        return GTK_COLUMN_VIEW(find(GTK_WIDGET(p->page), GTK_TYPE_COLUMN_VIEW, NULL));
}

static GtkSingleSelection *selection_of(struct page_env *p) {
        return GTK_SINGLE_SELECTION(gtk_column_view_get_model(view_of(p)));
}

/* The numbers of the processes from the top on, "5 7 ". */
static char *order(struct page_env *p) {
        GListModel *model = G_LIST_MODEL(selection_of(p));
        GString *text = g_string_new(NULL);

        for (guint i = 0; i < g_list_model_get_n_items(model); i++) {
                g_autoptr(BrioProcess) process = g_list_model_get_item(model, i);

                g_string_append_printf(text, "%u ", brio_process_get_pid(process));
        }
        return g_string_free(text, FALSE);
}

static GtkColumnViewColumn *column(struct page_env *p, const char *title) {
        GListModel *model = gtk_column_view_get_columns(view_of(p));

        for (guint i = 0; i < g_list_model_get_n_items(model); i++) {
                g_autoptr(GtkColumnViewColumn) c = g_list_model_get_item(model, i);

                if (strcmp(gtk_column_view_column_get_title(c), title) == 0)
                        return c; /* the view keeps it */
        }
        return NULL;
}

/* n processes, of which number i + 1 reads rates[i] kB/s. */
static void set_processes(const unsigned *rates, unsigned n) {
        GString *json = g_string_new("('[");

        for (unsigned i = 0; i < n; i++)
                g_string_append_printf(json, "%s{\"pid\": %u, \"name\": \"p%u\", \"read_bytes_per_second\": %u}", i ? ", " : "", i + 1, i + 1,
                                       rates[i] * 1000);
        g_string_append(json, "]',)");
        g_free(env_control("SetProcesses", json->str));
        g_string_free(json, TRUE);
}

struct expected {
        struct page_env *page;
        const char *order;
};

static bool has_order(void *userdata) {
        struct expected *e = userdata;
        g_autofree char *now = order(e->page);

        return strcmp(now, e->order) == 0;
}

static bool comes_to(struct page_env *p, const char *text) {
        struct expected e = { p, text };

        return env_wait(has_order, &e);
}

struct ends {
        struct page_env *page;
        guint n;
        uint32_t first, last; /* processes */
};

static bool has_ends(void *userdata) {
        struct ends *e = userdata;
        GListModel *model = G_LIST_MODEL(selection_of(e->page));
        guint n = g_list_model_get_n_items(model);
        g_autoptr(BrioProcess) first = g_list_model_get_item(model, 0), last = g_list_model_get_item(model, n - 1);

        return n == e->n && brio_process_get_pid(first) == e->first && brio_process_get_pid(last) == e->last;
}

static bool comes_to_ends(struct page_env *p, guint n, uint32_t first, uint32_t last) {
        struct ends e = { p, n, first, last };

        return env_wait(has_ends, &e);
}

static bool can_scroll(void *adjustment) {
        return gtk_adjustment_get_upper(adjustment) > 1000;
}

static bool is_descending(GtkColumnView *view, const char *column) {
        gboolean descending;
        const char *id = process_order_get(view, &descending);

        return id && strcmp(id, column) == 0 && descending;
}

static bool is_descending_by_wait(void *view) {
        return is_descending(view, "wait");
}

TEST(the_busiest_come_first_until_a_column_is_chosen) {
        struct page_env p;

        CHECK(open_processes(1400, &p));
        CHECK(comes_to(&p, "5120 4242 6001 977 1312 "));
        CHECK(is_descending(view_of(&p), "total")); /* a heading has the arrow */
        gtk_column_view_sort_by_column(view_of(&p), column(&p, "Waits"), GTK_SORT_DESCENDING);
        CHECK(comes_to(&p, "4242 6001 5120 977 1312 "));
        gtk_column_view_sort_by_column(view_of(&p), column(&p, "Name"), GTK_SORT_ASCENDING);
        CHECK(comes_to(&p, "1312 4242 6001 5120 977 "));
        gtk_column_view_sort_by_column(view_of(&p), column(&p, "PID"), GTK_SORT_ASCENDING);
        CHECK(comes_to(&p, "977 1312 4242 5120 6001 "));
        gtk_column_view_sort_by_column(view_of(&p), column(&p, "99 %"), GTK_SORT_DESCENDING);
        CHECK(comes_to(&p, "6001 5120 4242 977 1312 "));
        CHECK(page_env_close(&p));
}

static void count(GtkSorter *sorter, GtkSorterChange change_of_order, unsigned *n) {
        (void) sorter;
        (void) change_of_order;
        (*n)++;
}

/* As a click on its title does. */
TEST(the_first_click_on_a_title_of_figures_shows_the_largest_first_and_the_second_the_smallest) {
        unsigned sorted = 0;
        struct page_env p;

        CHECK(open_processes(1400, &p));
        CHECK(comes_to(&p, "5120 4242 6001 977 1312 "));
        g_signal_connect(gtk_column_view_get_sorter(view_of(&p)), "changed", G_CALLBACK(count), &sorted);
        gtk_column_view_sort_by_column(view_of(&p), column(&p, "Waits"), GTK_SORT_ASCENDING);
        CHECK(env_wait(is_descending_by_wait, view_of(&p)));
        CHECK_INT(sorted, 1); /* not the other way round first */
        CHECK(comes_to(&p, "4242 6001 5120 977 1312 "));
        gtk_column_view_sort_by_column(view_of(&p), column(&p, "Waits"), GTK_SORT_ASCENDING);
        CHECK(!is_descending(view_of(&p), "wait"));
        gtk_column_view_sort_by_column(view_of(&p), column(&p, "Name"), GTK_SORT_ASCENDING);
        CHECK(comes_to(&p, "1312 4242 6001 5120 977 "));
        CHECK(page_env_close(&p));
}

static bool has_details(void *unused) {
        GListModel *windows = gtk_window_get_toplevels();

        (void) unused;
        for (guint i = 0; i < g_list_model_get_n_items(windows); i++) {
                g_autoptr(GtkWidget) w = g_list_model_get_item(windows, i);

                if (ADW_IS_MESSAGE_DIALOG(w) && page_env_find(w, GTK_TYPE_LABEL, "4242"))
                        return true;
        }
        return false;
}

static bool has_copied(void *clipboard) {
        GdkContentProvider *content = gdk_clipboard_get_content(clipboard);
        g_auto(GValue) value = G_VALUE_INIT;

        g_value_init(&value, G_TYPE_STRING);
        return content && gdk_content_provider_get_value(content, &value, NULL) && strstr(g_value_get_string(&value), "PID\t4242\n");
}

TEST(a_process_is_copied_and_its_details_are_shown_whatever_room_its_columns_have) {
        struct page_env p;
        GtkWidget *row, *view;
        GdkRectangle bounds;
        graphene_rect_t at;

        CHECK(open_processes(400, &p));
        CHECK(comes_to(&p, "5120 4242 6001 977 1312 "));
        env_run_for_ms(300); /* it is laid out */
        view = GTK_WIDGET(view_of(&p));
        gtk_single_selection_set_selected(selection_of(&p), 1);
        row = page_env_find(view, GTK_TYPE_LIST_VIEW, NULL);
        CHECK(row && gtk_widget_compute_bounds(row, view, &at));
        bounds = (GdkRectangle){ (int) at.origin.x + 20, (int) at.origin.y + 10, 1, 1 };
        CHECK_INT((int) brio_process_get_pid(process_columns_pick(view_of(&p), bounds.x, bounds.y)), 5120);
        process_menu_open(view_of(&p), &bounds);
        gtk_widget_activate_action(GTK_WIDGET(p.page), "process.copy", NULL);
        CHECK(has_copied(gtk_widget_get_clipboard(view)));
        gtk_widget_activate_action(GTK_WIDGET(p.page), "process.details", NULL);
        CHECK(env_wait(has_details, NULL));
        CHECK(page_env_close(&p));
}

TEST(new_figures_move_rows_and_leave_the_selection_and_the_scrolling) {
        unsigned rates[60];
        struct page_env p;
        GtkAdjustment *adjustment;
        g_autoptr(GObject) selected = NULL;

        for (unsigned i = 0; i < ARRAY_SIZE(rates); i++)
                rates[i] = 100 - i;
        CHECK(open_processes(700, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        set_processes(rates, 3);
        CHECK(comes_to(&p, "1 2 3 "));
        gtk_single_selection_set_selected(selection_of(&p), 1);
        rates[1] = 500;
        set_processes(rates, 3);
        CHECK(comes_to(&p, "2 1 3 "));
        CHECK_INT(gtk_single_selection_get_selected(selection_of(&p)), 0);
        selected = g_object_ref(gtk_single_selection_get_selected_item(selection_of(&p)));
        CHECK_INT(brio_process_get_pid(BRIO_PROCESS(selected)), 2);
        set_processes(rates, ARRAY_SIZE(rates));
        CHECK(comes_to_ends(&p, ARRAY_SIZE(rates), 2, 60));
        CHECK(gtk_single_selection_get_selected_item(selection_of(&p)) == selected);
        adjustment = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(find(GTK_WIDGET(p.page), GTK_TYPE_SCROLLED_WINDOW, NULL)));
        CHECK(env_wait(can_scroll, adjustment));
        rates[1] = 1; /* the row at the top goes to the bottom */
        set_processes(rates, ARRAY_SIZE(rates));
        CHECK(comes_to_ends(&p, ARRAY_SIZE(rates), 1, 2));
        env_run_for_ms(300);
        CHECK_INT(gtk_adjustment_get_value(adjustment), 0);
        gtk_adjustment_set_value(adjustment, 400);
        env_run_for_ms(100);
        rates[20] = 900;
        set_processes(rates, ARRAY_SIZE(rates));
        CHECK(comes_to_ends(&p, ARRAY_SIZE(rates), 21, 2));
        env_run_for_ms(300);
        CHECK_INT(gtk_adjustment_get_value(adjustment), 400);
        CHECK(gtk_single_selection_get_selected_item(selection_of(&p)) == selected);
        CHECK(page_env_close(&p));
}

struct sorted {
        struct page_env *page;
        const unsigned *rates;
        unsigned n;
};

static bool is_sorted(void *userdata) {
        struct sorted *s = userdata;
        GListModel *model = G_LIST_MODEL(selection_of(s->page));
        unsigned last = UINT_MAX;

        if (g_list_model_get_n_items(model) != s->n)
                return false;
        for (unsigned i = 0; i < s->n; i++) {
                g_autoptr(BrioProcess) process = g_list_model_get_item(model, i);
                unsigned pid = brio_process_get_pid(process);

                if (pid > s->n || s->rates[pid - 1] > last)
                        return false;
                last = s->rates[pid - 1];
        }
        return true;
}

TEST(rows_that_come_and_go_while_others_move_stay_in_order) {
        uint64_t seed = test_seed();
        struct page_env p;

        CHECK(open_processes(1400, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        for (unsigned round = 0; round < 12; round++) {
                unsigned rates[100], n = 40 + (unsigned) (test_random(&seed) % 60);
                struct sorted sorted = { &p, rates, n };

                for (unsigned i = 0; i < n; i++)
                        rates[i] = (unsigned) (test_random(&seed) % 1000);
                set_processes(rates, n);
                CHECK(env_wait(is_sorted, &sorted));
        }
        CHECK(page_env_close(&p));
}

TEST(a_search_narrows_the_list_and_says_where_nothing_is_found) {
        struct page_env p;
        GtkEditable *entry;

        CHECK(open_processes(700, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        gtk_search_bar_set_search_mode(brio_page_get_search_bar(p.page), TRUE);
        entry = GTK_EDITABLE(find(GTK_WIDGET(p.page), GTK_TYPE_SEARCH_ENTRY, NULL));
        gtk_editable_set_text(entry, "fire");
        CHECK(comes_to(&p, "1312 "));
        gtk_editable_set_text(entry, "SDA");
        CHECK(comes_to(&p, "5120 4242 6001 "));
        gtk_editable_set_text(entry, "sda nothing");
        CHECK(env_wait(page_env_shows_no_match, p.page));
        gtk_search_bar_set_search_mode(brio_page_get_search_bar(p.page), FALSE); /* and the entry is empty again */
        CHECK(env_wait(page_env_shows_list, p.page));
        CHECK(comes_to(&p, "5120 4242 6001 977 1312 "));
        CHECK(page_env_close(&p));
}

TEST(what_a_search_finds_begins_at_the_top_and_one_that_finds_the_same_moves_nothing) {
        unsigned rates[60];
        struct page_env p;
        GtkAdjustment *adjustment;
        GtkEditable *entry;

        for (unsigned i = 0; i < ARRAY_SIZE(rates); i++)
                rates[i] = 100 - i;
        CHECK(open_processes(700, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        set_processes(rates, ARRAY_SIZE(rates));
        CHECK(comes_to_ends(&p, ARRAY_SIZE(rates), 1, 60));
        adjustment = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(find(GTK_WIDGET(p.page), GTK_TYPE_SCROLLED_WINDOW, NULL)));
        CHECK(env_wait(can_scroll, adjustment));
        gtk_search_bar_set_search_mode(brio_page_get_search_bar(p.page), TRUE);
        env_run_for_ms(500); /* it is there */
        gtk_adjustment_set_value(adjustment, 400);
        entry = GTK_EDITABLE(find(GTK_WIDGET(p.page), GTK_TYPE_SEARCH_ENTRY, NULL));
        gtk_editable_set_text(entry, "p"); /* they all are */
        env_run_for_ms(500);
        CHECK_INT(gtk_adjustment_get_value(adjustment), 400);
        gtk_editable_set_text(entry, "p1");
        CHECK(comes_to(&p, "1 10 11 12 13 14 15 16 17 18 19 "));
        gtk_editable_set_text(entry, "");
        CHECK(comes_to_ends(&p, ARRAY_SIZE(rates), 1, 60));
        env_run_for_ms(300);
        CHECK_INT(gtk_adjustment_get_value(adjustment), 0);
        CHECK(page_env_close(&p));
}

TEST(quiet_and_failure_are_said_and_end_by_themselves) {
        static const unsigned one[] = { 5 };
        struct page_env p;

        CHECK(open_processes(700, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        g_free(env_control("SetProcesses", "('[]',)"));
        CHECK(env_wait(page_env_shows_empty, p.page));
        g_free(env_control("SetErrors", "('{\"GetProcesses\": [\"org.freedesktop.DBus.Error.UnknownMethod\", \"no such method\"]}',)"));
        CHECK(env_wait(page_env_shows_failed, p.page));
        g_free(env_control("SetErrors", "('{}',)"));
        CHECK(env_wait(page_env_shows_empty, p.page));
        set_processes(one, 1);
        CHECK(env_wait(page_env_shows_list, p.page));
        CHECK(page_env_close(&p));
}

TEST(columns_come_and_go_with_the_width) {
        static const struct {
                int width;
                bool drive, latency, user;
        } widths[] = { { 360, false, false, false }, { 800, true, true, false }, { 1400, true, true, true } };

        for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
                struct page_env p;

                CHECK(open_processes(widths[i].width, &p));
                CHECK(env_wait(page_env_shows_list, p.page));
                env_run_for_ms(300);
                CHECK(gtk_column_view_column_get_visible(column(&p, "Name")));
                CHECK(gtk_column_view_column_get_visible(column(&p, "Waits")));
                CHECK_INT(gtk_column_view_column_get_visible(column(&p, "Drive")), widths[i].drive);
                CHECK_INT(gtk_column_view_column_get_visible(column(&p, "Latency")), widths[i].latency);
                CHECK_INT(gtk_column_view_column_get_visible(column(&p, "User")), widths[i].user);
                CHECK(page_env_close(&p));
        }
}

static void check_columns_have_room(void) {
        for (int width = 360; width <= 1400; width += 80) {
                GtkAdjustment *adjustment;
                struct page_env p;

                CHECK(open_processes(width, &p));
                CHECK(env_wait(page_env_shows_list, p.page));
                env_run_for_ms(300);
                adjustment = gtk_scrolled_window_get_hadjustment(GTK_SCROLLED_WINDOW(find(GTK_WIDGET(p.page), GTK_TYPE_SCROLLED_WINDOW, NULL)));
                if (gtk_adjustment_get_upper(adjustment) > gtk_adjustment_get_page_size(adjustment))
                        printf("# %d pixels: %g needed\n", width, gtk_adjustment_get_upper(adjustment));
                CHECK(gtk_adjustment_get_upper(adjustment) <= gtk_adjustment_get_page_size(adjustment));
                CHECK(page_env_close(&p));
        }
}

/* Nothing that is shown needs sideways scrolling, at any width. */
TEST(shown_columns_have_room) {
        check_columns_have_room();
}

TEST(shown_columns_have_room_for_large_text) {
        GtkSettings *settings = gtk_settings_get_default();
        int usual;

        g_object_get(settings, "gtk-xft-dpi", &usual, NULL);
        g_object_set(settings, "gtk-xft-dpi", STYLE_ENV_LARGE_DPI, NULL);
        check_columns_have_room();
        g_object_set(settings, "gtk-xft-dpi", usual, NULL);
}

TEST(the_table_and_the_search_have_names) {
        struct page_env p;

        CHECK(open_processes(700, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        gtk_test_accessible_assert_property(view_of(&p), GTK_ACCESSIBLE_PROPERTY_LABEL, "Processes that read and write");
        gtk_test_accessible_assert_property(find(GTK_WIDGET(p.page), GTK_TYPE_SEARCH_ENTRY, NULL), GTK_ACCESSIBLE_PROPERTY_LABEL, "Search processes");
        CHECK(page_env_close(&p));
}

/* The cell with that text. */
static GtkWidget *find_cell(GtkWidget *w, const char *text) {
        if (BRIO_IS_PROCESS_CELL(w) && strcmp(brio_process_cell_get_text(BRIO_PROCESS_CELL(w)), text) == 0)
                return w;
        for (GtkWidget *c = gtk_widget_get_first_child(w); c; c = gtk_widget_get_next_sibling(c)) {
                GtkWidget *found = find_cell(c, text);

                if (found)
                        return found;
        }
        return NULL;
}

static bool has_tooltip(struct page_env *p, const char *text) {
        g_autoptr(GObject) tooltip = g_object_new(GTK_TYPE_TOOLTIP, NULL);
        GtkWidget *view = GTK_WIDGET(view_of(p)), *cell = find_cell(view, text);
        graphene_rect_t bounds;
        gboolean shown = FALSE;

        if (!cell || !gtk_widget_compute_bounds(cell, view, &bounds)) {
                test_fail(__FILE__, __LINE__, "no cell says %s", text);
                return false;
        }
        g_signal_emit_by_name(view, "query-tooltip", (int) (bounds.origin.x + bounds.size.width / 2), (int) (bounds.origin.y + bounds.size.height / 2),
                              FALSE, tooltip, &shown);
        return shown;
}

TEST(a_tooltip_says_what_is_cut_and_how_sure_a_figure_is) {
        static const char long_name[] = "a-name-that-is-longer-than-a-narrow-column-is-wide";
        struct page_env p;

        CHECK(open_processes(360, &p));
        g_free(env_control("SetProcesses", "('[{\"pid\": 1, \"name\": \"short\", \"read_bytes_per_second\": 5000}, "
                           "{\"pid\": 2, \"name\": \"a-name-that-is-longer-than-a-narrow-column-is-wide\", \"wait_permille\": 310}]',)"));
        CHECK(comes_to(&p, "1 2 "));
        env_run_for_ms(300);
        CHECK(!has_tooltip(&p, "short"));
        CHECK(!has_tooltip(&p, "5.0 kB/s"));
        CHECK(has_tooltip(&p, long_name));
        CHECK(has_tooltip(&p, "~31 %"));
        CHECK(page_env_close(&p));
}

TEST(where_no_requests_are_seen_the_page_says_so) {
        static const unsigned one[] = { 5 };
        struct page_env p;
        GtkWidget *box, *note;

        CHECK(open_processes(700, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        box = gtk_widget_get_ancestor(find(GTK_WIDGET(p.page), GTK_TYPE_SCROLLED_WINDOW, NULL), GTK_TYPE_BOX);
        note = gtk_widget_get_last_child(box);
        CHECK(!gtk_widget_get_visible(note));
        set_processes(one, 1);
        CHECK(comes_to(&p, "1 "));
        CHECK(gtk_widget_get_visible(note));
        CHECK(strstr(gtk_label_get_label(GTK_LABEL(note)), "estimated") != NULL);
        CHECK(page_env_close(&p));
}

TEST(why_no_requests_can_be_seen_is_for_brioctl_to_say_which_speaks_english) {
        static const unsigned one[] = { 5 };
        struct page_env p;

        CHECK(page_env_open(BRIO_TYPE_PAGE_PROCESSES, "without-requests.json", 700, 300, &p));
        set_processes(one, 1);
        CHECK(comes_to(&p, "1 "));
        CHECK(page_env_find(GTK_WIDGET(p.page), GTK_TYPE_LABEL,
                            "Waiting is estimated and latencies are not known: single requests cannot be seen here. “brioctl probe” says why.") != NULL);
        CHECK(page_env_close(&p));
}

/* Before main(): the tests start with the toolkit there. */
TEST(the_page_says_nothing_until_the_daemon_has_answered) {
        struct page_env p;

        CHECK(open_processes(800, &p));
        CHECK(page_env_loads_in_silence(p.page));
        CHECK(page_env_close(&p));
}

__attribute__((constructor)) static void init_toolkit(void) {
        adw_init();
}

static GtkWidget *observe_button(struct page_env *p) {
        GtkWidget *label = page_env_find(GTK_WIDGET(p->page), GTK_TYPE_LABEL, "Show Other Users’ Processes…");

        return label ? gtk_widget_get_ancestor(label, GTK_TYPE_BUTTON) : NULL;
}

static bool has_no_button(void *p) {
        return !observe_button(p);
}

TEST(other_users_are_a_row_of_sums_and_a_button_asks_to_see_them) {
        struct page_env p;
        GtkWidget *button;

        CHECK(open_processes(1000, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        g_free(env_control("SetProcesses", "('[{\"pid\": 7, \"name\": \"mine\", \"read_bytes_per_second\": 5000}, "
                                           "{\"others\": 3, \"device\": \"sda\", \"read_bytes_per_second\": 9000}]',)"));
        CHECK(comes_to(&p, "0 7 "));
        {
                g_autoptr(BrioProcess) others = g_list_model_get_item(G_LIST_MODEL(selection_of(&p)), 0);
                CHECK_STR(brio_process_get_name(others), "3 processes of other users");
                CHECK_INT(brio_process_get_others(others), 3);
        }
        button = observe_button(&p);
        CHECK(button);
        g_signal_emit_by_name(button, "clicked");
        CHECK(comes_to(&p, "7 "));
        CHECK(env_wait(has_no_button, &p));
        CHECK(page_env_close(&p));
}

#define BROWSER                                                                                                                       \
        "('[{\"pid\": 11, \"name\": \"firefox\", \"application\": \"org.mozilla.firefox\", \"uid\": 0, \"read_bytes_per_second\": 5000000}, " \
        "{\"pid\": 12, \"name\": \"Web Content\", \"application\": \"org.mozilla.firefox\", \"uid\": 0, \"read_bytes_per_second\": 7000000}]',)"

static bool has_history(void *p) {
        g_autoptr(BrioProcess) group = g_list_model_get_item(G_LIST_MODEL(selection_of(p)), 0);
        gint64 highest;

        return brio_process_get_history(group, &highest)[BRIO_PROCESS_SECONDS - 2] == 12000000;
}

TEST(an_application_is_a_row_with_its_name_that_unfolds_to_its_processes) {
        struct page_env p;

        CHECK(open_processes(1400, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        g_free(env_control("SetProcesses", BROWSER));
        CHECK(comes_to(&p, "0 "));
        env_run_for_ms(300); /* it is laid out */
        CHECK(find_cell(GTK_WIDGET(p.page), "Firefox (2)") != NULL);
        CHECK(find_cell(GTK_WIDGET(p.page), "12 MB/s") != NULL);
        g_signal_emit_by_name(view_of(&p), "activate", 0);
        CHECK(comes_to(&p, "0 12 11 "));
        env_run_for_ms(300);
        CHECK(find_cell(GTK_WIDGET(p.page), "Web Content") != NULL);
        CHECK(env_wait(has_history, &p));
        g_signal_emit_by_name(view_of(&p), "activate", 0);
        CHECK(comes_to(&p, "0 "));
        CHECK(page_env_close(&p));
}

static void open_menu_of_first(struct page_env *p) {
        gtk_single_selection_set_selected(selection_of(p), 0);
        process_menu_open(view_of(p), &(GdkRectangle){ 10, 10, 1, 1 });
}

/* The item of the menu that is on, as its target; "": that Brio decides. */
static char *rule_shown(struct page_env *p) {
        g_autoptr(GVariant) state = g_action_group_get_action_state(g_object_get_data(G_OBJECT(view_of(p)), "brio-actions"), "rule");

        return g_variant_dup_string(state, NULL);
}

TEST(the_menu_of_a_group_is_about_each_of_its_programs_that_has_not_that_rule) {
        g_autofree char *mixed = NULL;
        struct page_env p;

        CHECK(open_processes(1400, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        page_env_catch(p.window, "program-rules", PROGRAM_RULES_TYPE);
        g_free(env_control("SetProcesses", BROWSER));
        CHECK(comes_to(&p, "0 "));
        open_menu_of_first(&p);
        mixed = rule_shown(&p);
        CHECK_STR(mixed, "mixed"); /* firefox has one, by a policy */
        gtk_widget_activate_action(GTK_WIDGET(p.page), "process.rule", "s", "always");
        CHECK_STR(page_env_caught(), "([('firefox', 'always'), ('Web Content', 'always')], true)");
        gtk_widget_activate_action(GTK_WIDGET(p.page), "process.rule", "s", "never");
        CHECK_STR(page_env_caught(), "([('Web Content', 'never')], true)");
        CHECK(page_env_close(&p));
}

TEST(the_menu_of_a_process_shows_its_rule_and_takes_it_back_and_of_other_users_there_is_none) {
        g_autofree char *rule = NULL, *none = NULL;
        struct page_env p;

        CHECK(open_processes(1000, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        page_env_catch(p.window, "program-rules", PROGRAM_RULES_TYPE);
        g_free(env_control("SetProcesses", "('[{\"pid\": 7, \"name\": \"updatedb\", \"read_bytes_per_second\": 5000}]',)"));
        CHECK(comes_to(&p, "7 "));
        open_menu_of_first(&p);
        rule = rule_shown(&p);
        CHECK_STR(rule, "always");
        gtk_widget_activate_action(GTK_WIDGET(p.page), "process.rule", "s", "");
        CHECK_STR(page_env_caught(), "([('updatedb', '')], true)");
        g_free(env_control("SetProcesses", "('[{\"pid\": 8, \"name\": \"cp\", \"read_bytes_per_second\": 5000}]',)"));
        CHECK(comes_to(&p, "8 "));
        open_menu_of_first(&p);
        none = rule_shown(&p);
        CHECK_STR(none, "");
        CHECK(g_action_group_get_action_enabled(g_object_get_data(G_OBJECT(view_of(&p)), "brio-actions"), "rule"));
        g_free(env_control("SetProcesses", "('[{\"others\": 3, \"device\": \"sda\", \"read_bytes_per_second\": 9000}]',)"));
        CHECK(comes_to(&p, "0 "));
        open_menu_of_first(&p);
        CHECK(!g_action_group_get_action_enabled(g_object_get_data(G_OBJECT(view_of(&p)), "brio-actions"), "rule"));
        CHECK(page_env_close(&p));
}

/* As a person does, with whom the menu closes. */
static void choose_lower(struct page_env *p) {
        open_menu_of_first(p);
        gtk_popover_popdown(g_object_get_data(G_OBJECT(view_of(p)), "brio-popover"));
        gtk_widget_activate_action(GTK_WIDGET(p->page), "process.lower", NULL);
}

/* Of a page_env_catch(). */
static bool has_caught(void *expected) {
        return page_env_caught() && strstr(page_env_caught(), expected);
}

TEST(the_priority_of_a_process_is_lowered_from_its_menu_and_the_word_offers_to_undo_it) {
        struct page_env p;

        CHECK(open_processes(1000, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        page_env_catch(p.window, "notify-undo", "(ssv)");
        g_free(env_control("SetProcesses", "('[{\"pid\": 7, \"name\": \"cp\", \"read_bytes_per_second\": 5000}]',)"));
        CHECK(comes_to(&p, "7 "));
        choose_lower(&p);
        CHECK(env_wait(has_caught, (char[]){ "('“cp” lets others go first now', 'win.undo', <'d" }));
        CHECK(page_env_close(&p));
}

TEST(a_process_that_keeps_its_priority_is_told_with_the_reason_and_a_group_has_no_such_item) {
        struct page_env p;

        CHECK(open_processes(1000, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        page_env_catch(p.window, "notify", "s");
        g_free(env_control("SetProcesses", "('[{\"pid\": 2, \"name\": \"kswapd0\", \"read_bytes_per_second\": 5000}]',)"));
        CHECK(comes_to(&p, "2 "));
        choose_lower(&p);
        CHECK(env_wait(has_caught, (char[]){ "“kswapd0” keeps its priority: it is a kernel thread, which works for others" }));
        g_free(env_control("SetErrors", "('{\"LowerPriority\": [\"NotAuthorized\", \"no\"]}',)"));
        choose_lower(&p);
        CHECK(env_wait(has_caught, (char[]){ "Administrator permission is needed" }));
        g_free(env_control("SetProcesses", BROWSER));
        CHECK(comes_to(&p, "0 "));
        open_menu_of_first(&p);
        CHECK(!g_action_group_get_action_enabled(g_object_get_data(G_OBJECT(view_of(&p)), "brio-actions"), "lower"));
        CHECK(page_env_close(&p));
}
