/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of decisions alone, against a scripted daemon. */
#include "test.h" /* before GLib, which brings its own MIN() */

#include "decision-row.h"
#include "gui-env.h"
#include "page-decisions.h"
#include "page-env.h"

static GListModel *get_model(struct page_env *p) {
        return G_LIST_MODEL(gtk_list_view_get_model(GTK_LIST_VIEW(page_env_find(GTK_WIDGET(p->page), GTK_TYPE_LIST_VIEW, NULL))));
}

static bool has_one(void *page) {
        struct page_env p = { .page = page };

        return page_env_shows(page, "list") && g_list_model_get_n_items(get_model(&p)) == 1;
}

static bool has_five(void *page) {
        struct page_env p = { .page = page };

        return page_env_shows(page, "list") && g_list_model_get_n_items(get_model(&p)) == 5;
}

static bool says_worse(void *page) {
        return page_env_find(page, GTK_TYPE_LABEL, "Measured: mean read 84 ms → 310 ms") != NULL;
}

static bool has_asked_undo(void *unused) {
        g_autofree char *calls = env_control("Calls", "()");

        (void) unused;
        return strstr(calls, "[\"Undo\", [\"d3\"]]") != NULL;
}

#define FORMULA \
        "slice_idle_us = min(base 8000 µs, group slice 300000 µs / 60 readers) = 5000 µs\n" \
        "Measured: mean read 310 ms → 84 ms, 24 samples against 6, confidence 99.0 %"

TEST(decisions_are_listed_newest_first_with_why_and_what_came_of_them) {
        struct page_env p;
        GtkWidget *page, *row, *details;

        CHECK(page_env_open(BRIO_TYPE_PAGE_DECISIONS, "desktop.json", 800, 900, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        env_run_for_ms(200);
        page = GTK_WIDGET(p.page);
        CHECK_INT(g_list_model_get_n_items(get_model(&p)), 4);
        CHECK(page_env_find(page, GTK_TYPE_LABEL, "Wait for the next read: 8000 → 5000 µs") != NULL);
        gtk_test_accessible_assert_property(GTK_ACCESSIBLE(page_env_find(page, GTK_TYPE_LABEL, "Wait for the next read: 8000 → 5000 µs")),
                                            GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                            "slice_idle_us: For how long the drive waits for the next read of the same program.");
        CHECK(page_env_find(page, GTK_TYPE_LABEL, "sda · Waits for readers · Changed again since · Measured: better") != NULL);
        CHECK(page_env_find(page, GTK_TYPE_LABEL, "sda · Letting others go first · In force") != NULL);
        CHECK(page_env_find(page, GTK_TYPE_LABEL, "nvme0n1 · Reads before writes · Failed · EACCES") != NULL);
        CHECK(page_env_find(page, GTK_TYPE_LABEL, "Of 100 reads, 95 took up to 470 ms before and up to 120 ms with it") != NULL);
        CHECK(page_env_find(page, GTK_TYPE_LABEL, "60 processes read a little each at the same time (4.1 kB a read)") != NULL);
        CHECK(page_env_find(page, GTK_TYPE_LABEL, FORMULA) == NULL);
        CHECK(page_env_find(page, GTK_TYPE_LABEL, "rsync lets others go first") != NULL);
        row = gtk_widget_get_ancestor(page_env_find(page, GTK_TYPE_LABEL, "Wait for the next read: 8000 → 5000 µs"), BRIO_TYPE_DECISION_ROW);
        details = page_env_find(row, GTK_TYPE_EXPANDER, NULL);
        gtk_test_accessible_assert_property(GTK_ACCESSIBLE(details), GTK_ACCESSIBLE_PROPERTY_LABEL, "Details: Wait for the next read: 8000 → 5000 µs");
        gtk_expander_set_expanded(GTK_EXPANDER(details), TRUE);
        CHECK(page_env_find(page, GTK_TYPE_LABEL, FORMULA) != NULL);
        row = page_env_find(page, BRIO_TYPE_DECISION_ROW, NULL);
        gtk_test_accessible_assert_property(GTK_ACCESSIBLE(row), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                            "Brake for writes: 2000 → 1000 µs, nvme0n1 · Reads before writes · Failed · EACCES, "
                                            "a read takes 40 ms (alone 1 ms) while 96 MB/s are written");
        CHECK(page_env_close(&p));
}

/* The first that has a button is rsync's priority: what is older for slice_idle_us is in force as of the newer one. */
TEST(what_is_in_force_can_be_undone_and_what_is_not_cannot) {
        struct page_env p;
        GtkWidget *row, *button = NULL;

        CHECK(page_env_open(BRIO_TYPE_PAGE_DECISIONS, "desktop.json", 800, 900, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        env_run_for_ms(200);
        row = page_env_find(GTK_WIDGET(p.page), BRIO_TYPE_DECISION_ROW, NULL);
        CHECK(page_env_find(row, GTK_TYPE_BUTTON, NULL) == NULL);
        row = gtk_widget_get_ancestor(page_env_find(GTK_WIDGET(p.page), GTK_TYPE_LABEL, "sda · Letting others go first · In force"), BRIO_TYPE_DECISION_ROW);
        button = page_env_find(row, GTK_TYPE_BUTTON, NULL);
        CHECK(button != NULL);
        gtk_test_accessible_assert_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, "Undo: rsync lets others go first");
        g_signal_emit_by_name(button, "clicked");
        CHECK(env_wait(has_asked_undo, NULL));
        CHECK(env_wait(has_five, p.page)); /* that it was put back is a decision, too */
        CHECK(page_env_close(&p));
}

/* Of a row that is unfolded, newest first; NULL: it has not so many. */
static GtkWidget *get_part(GtkWidget *row, unsigned n) {
        GtkWidget *each = page_env_find(row, GTK_TYPE_EXPANDER, NULL), *part = each ? page_env_find(each, BRIO_TYPE_DECISION_ROW, NULL) : NULL;

        for (; part && n > 0; n--)
                part = gtk_widget_get_next_sibling(part);
        return part;
}

static bool has_two_parts(void *row) {
        return get_part(row, 1) && !get_part(row, 2) && page_env_find(get_part(row, 1), GTK_TYPE_LABEL, "fio lets others go first");
}

static bool has_asked_undo_of_fio(void *unused) {
        g_autofree char *calls = env_control("Calls", "()");

        (void) unused;
        return strstr(calls, "[\"Undo\", [\"d5\"]]") != NULL;
}

static void add_stepped_back(unsigned pid, const char *process) {
        g_autofree char *entry = g_strdup_printf("('{\"device\": \"sda\", \"time_usec\": 1795000009000000, \"tunable\": \"ioprio\", \"old\": \"BE/4\", \"new\": "
                                                 "\"BE/7\", \"pid\": %u, \"process\": \"%s\", \"law\": \"step-back\", \"reason\": \"it reads\"}',)", pid, process);

        g_free(env_control("AddDecision", entry));
}

static GtkWidget *find_group(struct page_env *p, const char *title) {
        GtkWidget *label = page_env_find(GTK_WIDGET(p->page), GTK_TYPE_LABEL, title);

        return label ? gtk_widget_get_ancestor(label, BRIO_TYPE_DECISION_ROW) : NULL;
}

TEST(what_stepped_back_together_is_one_row_that_unfolds_to_each_with_its_button) {
        struct page_env p;
        GtkWidget *row, *of_first;

        CHECK(page_env_open(BRIO_TYPE_PAGE_DECISIONS, "desktop.json", 800, 900, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        add_stepped_back(5001, "fio");
        add_stepped_back(5002, "fio");
        CHECK(env_wait(has_five, p.page));
        env_run_for_ms(200);
        row = find_group(&p, "fio lets others go first, 2 times");
        CHECK(row != NULL);
        CHECK(page_env_find(row, GTK_TYPE_LABEL, "Wednesday, 18 November 2026") != NULL);
        CHECK(page_env_find(row, GTK_TYPE_LABEL, "sda · Letting others go first · In force") != NULL);
        CHECK(get_part(row, 0) == NULL);
        gtk_test_accessible_assert_property(GTK_ACCESSIBLE(page_env_find(row, GTK_TYPE_EXPANDER, NULL)), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                            "Each of Them: fio lets others go first, 2 times");
        gtk_expander_set_expanded(GTK_EXPANDER(page_env_find(row, GTK_TYPE_EXPANDER, NULL)), TRUE);
        CHECK(env_wait(has_two_parts, row));
        of_first = get_part(row, 1);
        gtk_expander_set_expanded(GTK_EXPANDER(page_env_find(of_first, GTK_TYPE_EXPANDER, NULL)), TRUE);
        CHECK(page_env_find(of_first, GTK_TYPE_LABEL, "11:06:49  Priority of fio (5001): Normal 4 → Normal 7") != NULL);
        g_signal_emit_by_name(page_env_find(of_first, GTK_TYPE_BUTTON, NULL), "clicked");
        CHECK(env_wait(has_asked_undo_of_fio, NULL));
        CHECK(page_env_close(&p));
}

#define TITLE_OF_THREE "2 programs let others go first"

static bool has_group_of_three(void *page) {
        return find_group(page, TITLE_OF_THREE) != NULL;
}

static bool says_measured(void *row) {
        return page_env_find(row, GTK_TYPE_LABEL, "Measured: it takes a third") != NULL;
}

TEST(a_row_that_is_unfolded_stays_so_when_a_process_joins_and_when_a_trial_ends) {
        struct page_env p;
        GtkWidget *row;

        CHECK(page_env_open(BRIO_TYPE_PAGE_DECISIONS, "desktop.json", 800, 900, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        add_stepped_back(5001, "fio");
        add_stepped_back(5002, "fio");
        CHECK(env_wait(has_five, p.page));
        env_run_for_ms(200);
        row = find_group(&p, "fio lets others go first, 2 times");
        gtk_expander_set_expanded(GTK_EXPANDER(page_env_find(row, GTK_TYPE_EXPANDER, NULL)), TRUE);
        CHECK(env_wait(has_two_parts, row));
        add_stepped_back(5003, "tar");
        CHECK(env_wait(has_group_of_three, &p));
        CHECK(get_part(row, 2) != NULL);
        CHECK(page_env_find(get_part(row, 0), GTK_TYPE_LABEL, "tar lets others go first") != NULL);
        g_free(env_control("EndTrial", "('d5', '{\"outcome\": \"kept\", \"effect\": \"it takes a third\"}')"));
        CHECK(env_wait(says_measured, row));
        CHECK(get_part(row, 2) != NULL);
        CHECK(find_group(&p, TITLE_OF_THREE) == row);
        CHECK(page_env_close(&p));
}

static char *said; /* to the person, last; NULL: nothing */

static void on_said(GSimpleAction *action, GVariant *text) {
        (void) action;
        g_free(said);
        said = g_variant_dup_string(text, NULL);
}

/* In place of the window that has the page. */
static void listen(struct page_env *p) {
        g_autoptr(GSimpleActionGroup) actions = g_simple_action_group_new();
        g_autoptr(GSimpleAction) notify = g_simple_action_new("notify", G_VARIANT_TYPE_STRING);

        g_signal_connect(notify, "activate", G_CALLBACK(on_said), NULL);
        g_action_map_add_action(G_ACTION_MAP(actions), G_ACTION(notify));
        gtk_widget_insert_action_group(GTK_WIDGET(p->window), "win", G_ACTION_GROUP(actions));
        g_clear_pointer(&said, g_free);
}

static bool has_said(void *unused) {
        (void) unused;
        return said != NULL;
}

#define UNDONE "Undone. Brio will not change this until you choose a mode again."

static void undo_all(struct page_env *p) {
        GtkWidget *row = find_group(p, TITLE_OF_THREE), *button;

        CHECK(row != NULL);
        button = page_env_find(row, GTK_TYPE_BUTTON, NULL);
        CHECK(button != NULL);
        CHECK_STR(gtk_button_get_label(GTK_BUTTON(button)), "Undo All");
        g_clear_pointer(&said, g_free);
        g_signal_emit_by_name(button, "clicked");
        CHECK(!gtk_widget_get_sensitive(button));
        CHECK(env_wait(has_said, NULL));
}

/* On a page that is opened for it. */
static void undo_three(struct page_env *p, const char *last) {
        CHECK(page_env_open(BRIO_TYPE_PAGE_DECISIONS, "desktop.json", 800, 900, p));
        CHECK(env_wait(page_env_shows_list, p->page));
        listen(p);
        add_stepped_back(5001, "fio");
        add_stepped_back(5002, "fio");
        add_stepped_back(5003, last);
        CHECK(env_wait(has_group_of_three, p));
        undo_all(p);
}

TEST(all_of_a_row_are_undone_with_one_word) {
        struct page_env p;

        undo_three(&p, "tar");
        CHECK_STR(said, UNDONE);
        CHECK_INT(env_count_calls("Undo"), 3);
        CHECK(page_env_close(&p));
}

TEST(what_of_a_row_could_not_be_undone_is_named) {
        struct page_env p;

        undo_three(&p, "gone");
        CHECK_STR(said, "Undone, except for gone (5003). Failed: the process has ended. “journalctl -u briod” tells more");
        CHECK_INT(env_count_calls("Undo"), 3);
        CHECK(page_env_close(&p));
}

TEST(a_refusal_ends_it_with_one_question_for_a_password) {
        struct page_env p;

        undo_three(&p, "theirs");
        CHECK_STR(said, "Administrator permission is needed");
        CHECK_INT(env_count_calls("Undo"), 1);
        CHECK(page_env_close(&p));
}

static bool is_written(void *file) {
        g_autofree char *text = NULL;

        return g_file_load_contents(file, NULL, &text, NULL, NULL, NULL) && g_str_has_suffix(text, "\n]\n");
}

TEST(what_is_listed_can_be_copied_and_saved) {
        g_autofree char *path = g_strdup_printf("%s/decisions.json", test_tmpdir());
        g_autoptr(GFile) file = g_file_new_for_path(path);
        g_auto(GValue) copied = G_VALUE_INIT;
        struct page_env p;
        GdkContentProvider *content;

        CHECK(page_env_open(BRIO_TYPE_PAGE_DECISIONS, "desktop.json", 800, 900, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        brio_page_search(p.page, "rsync");
        CHECK(env_wait(has_one, p.page));
        CHECK(gtk_widget_activate_action(GTK_WIDGET(p.page), "decisions.copy", NULL));
        content = gdk_clipboard_get_content(gtk_widget_get_clipboard(GTK_WIDGET(p.page)));
        g_value_init(&copied, G_TYPE_STRING);
        CHECK(content && gdk_content_provider_get_value(content, &copied, NULL));
        CHECK(g_str_has_prefix(g_value_get_string(&copied), "time,pid,id,"));
        CHECK(strstr(g_value_get_string(&copied), ",rsync,ioprio,") != NULL);
        CHECK(strstr(g_value_get_string(&copied), "nvme0n1") == NULL); /* is not listed */
        brio_page_decisions_save(BRIO_PAGE_DECISIONS(p.page), file, "json");
        CHECK(env_wait(is_written, file));
        CHECK(page_env_close(&p));
}

TEST(a_decision_that_is_being_undone_cannot_be_undone_twice) {
        struct page_env p;
        GtkWidget *row, *button;

        CHECK(page_env_open(BRIO_TYPE_PAGE_DECISIONS, "desktop.json", 800, 900, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        env_run_for_ms(200);
        g_free(env_control("SetDelays", "('{\"Undo\": 1000}',)"));
        row = gtk_widget_get_ancestor(page_env_find(GTK_WIDGET(p.page), GTK_TYPE_LABEL, "sda · Letting others go first · In force"), BRIO_TYPE_DECISION_ROW);
        button = page_env_find(row, GTK_TYPE_BUTTON, NULL);
        g_signal_emit_by_name(button, "clicked");
        CHECK(!gtk_widget_get_sensitive(button));
        g_signal_emit_by_name(button, "clicked");
        CHECK(env_wait(has_five, p.page));
        env_run_for_ms(300);
        CHECK_INT(env_count_calls("Undo"), 1);
        CHECK(page_env_close(&p));
}

TEST(a_decision_and_what_its_trial_found_are_shown_at_once_and_nothing_is_asked_for_again) {
        struct page_env p;
        g_autofree char *calls = NULL;

        CHECK(page_env_open(BRIO_TYPE_PAGE_DECISIONS, NULL, 800, 700, &p));
        CHECK(env_wait(page_env_shows_empty, p.page));
        g_free(env_control("AddDecision", "('{\"device\": \"sdx\", \"tunable\": \"nr_requests\", \"old\": \"64\", \"new\": \"32\"}',)"));
        CHECK(env_wait(has_one, p.page));
        g_free(env_control("EndTrial", "('d1', '{\"outcome\": \"reverted\", \"effect\": \"mean read 84 ms → 310 ms\"}')"));
        CHECK(env_wait(says_worse, p.page));
        CHECK_INT(g_list_model_get_n_items(get_model(&p)), 1);
        calls = env_control("Calls", "()");
        CHECK(strstr(strstr(calls, "GetDecisions") + 1, "GetDecisions") == NULL);
        CHECK(page_env_close(&p));
}

static GtkAdjustment *get_place(struct page_env *p) {
        return gtk_scrollable_get_vadjustment(GTK_SCROLLABLE(page_env_find(GTK_WIDGET(p->page), GTK_TYPE_LIST_VIEW, NULL)));
}

static void add_decisions(struct page_env *p, guint n) {
        guint wanted = g_list_model_get_n_items(get_model(p)) + n;

        for (guint i = 0; i < n; i++)
                g_free(env_control("AddDecision", "('{\"device\": \"sdx\", \"tunable\": \"nr_requests\", \"old\": \"64\", \"new\": \"32\"}',)"));
        for (int i = 0; i < 100 && g_list_model_get_n_items(get_model(p)) < wanted; i++)
                env_run_for_ms(50);
        CHECK_INT(g_list_model_get_n_items(get_model(p)), wanted);
        env_run_for_ms(300);
}

TEST(new_decisions_come_into_view_of_a_reader_at_the_top_and_move_no_other) {
        struct page_env p;

        CHECK(page_env_open(BRIO_TYPE_PAGE_DECISIONS, "desktop.json", 800, 300, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        add_decisions(&p, 8);
        CHECK(gtk_adjustment_get_upper(get_place(&p)) > gtk_adjustment_get_page_size(get_place(&p)));
        CHECK(gtk_adjustment_get_value(get_place(&p)) == 0);
        gtk_adjustment_set_value(get_place(&p), 200);
        env_run_for_ms(200);
        add_decisions(&p, 3);
        CHECK(gtk_adjustment_get_value(get_place(&p)) > 200);
        CHECK(page_env_close(&p));
}

TEST(a_drive_and_a_search_leave_what_matches_and_can_be_taken_back) {
        struct page_env p;
        GtkDropDown *drive;
        guint n;

        CHECK(page_env_open(BRIO_TYPE_PAGE_DECISIONS, "desktop.json", 800, 700, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        drive = GTK_DROP_DOWN(page_env_find(GTK_WIDGET(p.page), GTK_TYPE_DROP_DOWN, NULL));
        n = g_list_model_get_n_items(gtk_drop_down_get_model(drive));
        CHECK(n >= 3); /* all, and each drive once */
        for (guint i = 1; i < n; i++)
                if (strcmp(gtk_string_list_get_string(GTK_STRING_LIST(gtk_drop_down_get_model(drive)), i), "nvme0n1") == 0)
                        gtk_drop_down_set_selected(drive, i);
        CHECK(has_one(p.page));
        brio_page_search(p.page, "rsync");
        CHECK(env_wait(page_env_shows_no_match, p.page));
        gtk_drop_down_set_selected(drive, 0); /* still there */
        CHECK(gtk_widget_get_mapped(GTK_WIDGET(drive)));
        CHECK(env_wait(has_one, p.page));
        CHECK(page_env_close(&p));
}

TEST(a_refusal_says_so_and_trying_again_helps) {
        struct page_env p;
        GtkWidget *again;

        CHECK(page_env_open(BRIO_TYPE_PAGE_DECISIONS, "refusing.json", 800, 700, &p));
        CHECK(env_wait(page_env_shows_failed, p.page));
        env_run_for_ms(50);
        again = page_env_find(GTK_WIDGET(p.page), GTK_TYPE_BUTTON, NULL);
        g_free(env_control("SetErrors", "('{}',)"));
        g_signal_emit_by_name(again, "clicked");
        CHECK(env_wait(page_env_shows_empty, p.page));
        CHECK(page_env_close(&p));
}

static void (*label_measure)(GtkWidget *, GtkOrientation, int, int *, int *, int *, int *);
static guint heights, widths_for_heights;

static void count_measure(GtkWidget *label, GtkOrientation orientation, int for_size, int *least, int *natural, int *least_line, int *line) {
        bool in_row = gtk_widget_get_ancestor(label, BRIO_TYPE_DECISION_ROW) != NULL;

        heights += in_row && orientation == GTK_ORIENTATION_VERTICAL && for_size >= 0;
        widths_for_heights += in_row && orientation == GTK_ORIENTATION_HORIZONTAL && for_size >= 0;
        label_measure(label, orientation, for_size, least, natural, least_line, line);
}

/* A label looks for the width that goes with a height by making its lines anew for one after the other: seconds for the rows of a long list. */
TEST(no_text_of_a_row_is_asked_for_the_width_that_goes_with_a_height) {
        GtkWidgetClass *labels = g_type_class_ref(GTK_TYPE_LABEL);
        struct page_env p;

        label_measure = labels->measure;
        labels->measure = count_measure;
        heights = widths_for_heights = 0;
        CHECK(page_env_open(BRIO_TYPE_PAGE_DECISIONS, "desktop.json", 800, 900, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        env_run_for_ms(200);
        CHECK(heights > 0);
        CHECK_INT(widths_for_heights, 0);
        CHECK(page_env_close(&p));
        labels->measure = label_measure;
        g_type_class_unref(labels);
}

static guint count_rows(GtkWidget *w) {
        guint n = BRIO_IS_DECISION_ROW(w);

        for (GtkWidget *c = gtk_widget_get_first_child(w); c; c = gtk_widget_get_next_sibling(c))
                n += count_rows(c);
        return n;
}

static bool has_ten_thousand(void *list) {
        return g_list_model_get_n_items(list) == 10000;
}

/* As many widgets as fit the window, however many there are. */
TEST(ten_thousand_decisions_are_listed_by_a_few_hundred_widgets) {
        g_autoptr(GVariantBuilder) builder = g_variant_builder_new(G_VARIANT_TYPE("aa{sv}"));
        g_autoptr(BrioDecisions) list = brio_decisions_new();
        g_autoptr(GVariant) entries = NULL;
        struct page_env p;
        GtkSelectionModel *model;
        GtkWidget *view;

        CHECK(page_env_open(BRIO_TYPE_PAGE_DECISIONS, "desktop.json", 800, 700, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        for (unsigned i = 1; i <= 10000; i++) {
                g_autofree char *id = g_strdup_printf("d%u", i);

                g_variant_builder_open(builder, G_VARIANT_TYPE("a{sv}"));
                g_variant_builder_add(builder, "{sv}", "id", g_variant_new_string(id));
                g_variant_builder_add(builder, "{sv}", "sequence", g_variant_new_uint64(i));
                g_variant_builder_add(builder, "{sv}", "tunable", g_variant_new_string("slice_idle_us"));
                g_variant_builder_add(builder, "{sv}", "old", g_variant_new_string("8000"));
                g_variant_builder_add(builder, "{sv}", "new", g_variant_new_string("5000"));
                g_variant_builder_add(builder, "{sv}", "reason", g_variant_new_string("60 processes read a little each"));
                g_variant_builder_close(builder);
        }
        entries = g_variant_ref_sink(g_variant_builder_end(builder));
        brio_decisions_load(list, entries);
        view = page_env_find(GTK_WIDGET(p.page), GTK_TYPE_LIST_VIEW, NULL);
        model = GTK_SELECTION_MODEL(gtk_no_selection_new(decision_groups_new(G_LIST_MODEL(list))));
        gtk_list_view_set_model(GTK_LIST_VIEW(view), model);
        g_object_unref(model);
        CHECK(env_wait(has_ten_thousand, list));
        env_run_for_ms(300);
        printf("# %u rows\n", count_rows(view));
        CHECK(count_rows(view) > 5 && count_rows(view) < 400);
        CHECK(page_env_close(&p));
}

TEST(the_page_says_nothing_until_the_daemon_has_answered) {
        struct page_env p;

        CHECK(page_env_open(BRIO_TYPE_PAGE_DECISIONS, "desktop.json", 800, 600, &p));
        CHECK(page_env_loads_in_silence(p.page));
        CHECK(page_env_close(&p));
}

/* Needs none of the resources, which register themselves at the same time. */
__attribute__((constructor)) static void init_toolkit(void) {
        adw_init();
}
