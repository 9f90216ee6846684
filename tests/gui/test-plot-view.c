/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h" /* before GLib, which brings its own MIN() */

#include <math.h>

#include "plot-span.h"
#include "plot-view.h"

#define S INT64_C(1000000)

static const int spans[] = { 30, 60, 120, 300, 600, 1800 };

static struct plot_view view_of(const struct history *h, int span_s) {
        return (struct plot_view){ .unit = PLOT_UNIT_DURATION_US, .n_lines = 3, .history = h, .span_s = span_s, .cursor_age_us = -1,
                                   .lines = { { 0, "Median", "a", FALSE }, { 1, "99 %", "b", FALSE }, { 2, "Mean only", "c", TRUE } } };
}

static struct history *new_history(void) {
        return history_new(3, 360, 363, 5 * S);
}

TEST(each_step_of_a_zoom_is_the_next_span_and_ends_are_kept) {
        for (size_t i = 0; i < G_N_ELEMENTS(spans); i++) {
                CHECK_INT(plot_span_fit(spans[i]), spans[i]);
                CHECK_INT(plot_span_fit(spans[i] + 1), spans[i]);
                CHECK_INT(plot_span_zoom(spans[i], 1), spans[i > 0 ? i - 1 : 0]);
                CHECK_INT(plot_span_zoom(spans[i], -1), spans[MIN(i + 1, G_N_ELEMENTS(spans) - 1)]);
                CHECK_INT(spans[i] % plot_span_interval_s(spans[i]), 0);
                CHECK(spans[i] / plot_span_interval_s(spans[i]) >= 10 && spans[i] / plot_span_interval_s(spans[i]) <= 15);
        }
        CHECK_INT(plot_span_fit(INT32_MIN), 30);
        CHECK_INT(plot_span_fit(INT32_MAX), 1800);
        CHECK_INT(plot_span_zoom(60, INT32_MAX), 30);
        CHECK_INT(plot_span_zoom(60, INT32_MIN), 1800);
        CHECK_INT(plot_span_step_us(30), S);
        CHECK_INT(plot_span_step_us(1800), 30 * S);
}

TEST(a_column_is_a_pixel_or_two) {
        for (size_t i = 0; i < G_N_ELEMENTS(spans); i++) {
                struct plot_view v = view_of(NULL, spans[i]);

                CHECK_INT(plot_view_count_columns(&v, 1000), spans[i] > 300 ? 500 : 1000);
                CHECK_INT(plot_view_count_columns(&v, 1), 1);
                CHECK_INT(plot_view_count_columns(&v, -5), 1);
        }
}

TEST(a_sample_stays_in_its_column_until_that_leaves_the_plot) {
        uint64_t seed = test_seed();

        for (int round = 0; round < 200; round++) {
                struct history *h = new_history();
                struct plot_view v = view_of(h, spans[test_random(&seed) % G_N_ELEMENTS(spans)]);
                size_t n = 1 + test_random(&seed) % 2000;
                int64_t t = (int64_t) (test_random(&seed) % 1000000000), width = plot_view_column_us(&v, n), phase;

                CHECK(width * (int64_t) n >= v.span_s * S && width * (int64_t) n < v.span_s * S + (int64_t) n);
                history_append(h, t, (float[]){ 1, 2, 3 });
                phase = plot_view_begin_us(&v, n) % width;
                for (int i = 0; i < 20; i++) {
                        int64_t begin;

                        t += 1 + (int64_t) (test_random(&seed) % 3000000);
                        history_append(h, t, (float[]){ 1, 2, 3 });
                        begin = plot_view_begin_us(&v, n);
                        CHECK_INT((begin - phase) % width, 0);
                        CHECK(t < begin + width * (int64_t) n && t >= begin + width * ((int64_t) n - 1));
                }
                history_free(h);
        }
}

static char *sentence(const struct plot_view *v) {
        return plot_view_sentence(v);
}

TEST(the_mean_is_spoken_of_only_where_median_and_percentile_are_not_known) {
        struct history *h = new_history();
        struct plot_view v = view_of(h, 60);
        g_autofree char *nothing = sentence(&v), *mean = NULL, *known = NULL, *before = NULL;
        guint lines[PLOT_LINES_MAX];

        CHECK_STR(nothing, "Median –, 99 % –");
        history_append(h, 100 * S, (float[]){ NAN, NAN, 64000 });
        mean = sentence(&v);
        CHECK_STR(mean, "Mean only 64 ms");
        CHECK_INT(plot_view_told(&v, lines), 1);
        CHECK_INT(lines[0], 2);
        history_append(h, 101 * S, (float[]){ 8000, 120000, NAN });
        known = sentence(&v);
        CHECK_STR(known, "Median 8 ms, 99 % 120 ms");
        CHECK_INT(plot_view_told(&v, lines), 3);
        v.cursor_age_us = S;
        before = sentence(&v);
        CHECK_STR(before, "Mean only 64 ms, 1 s ago");
        history_free(h);
}

TEST(what_is_kept_as_extremes_is_read_out_as_the_most_that_it_was) {
        struct history *h = new_history();
        struct plot_view v = view_of(h, 1800);
        g_autofree char *old = NULL, *ago = NULL, *newer = NULL;

        for (int i = 0; i <= 1500; i++)
                history_append(h, i * S, (float[]){ (float) (1000 * (1 + i % 5)), 9000, NAN });
        v.cursor_age_us = 1390 * S;
        old = plot_view_reading(&v, 0);
        CHECK_STR(old, "≤ 5 ms");
        ago = plot_view_ago(&v);
        CHECK_STR(ago, "23 min 10 s ago");
        v.cursor_age_us = 100 * S;
        newer = plot_view_reading(&v, 0);
        CHECK_STR(newer, "1 ms");
        history_free(h);
}

TEST(a_moment_at_which_something_was_changed_is_read_out_as_one) {
        struct history *h = new_history();
        struct plot_view v = view_of(h, 60);
        g_autofree char *then = NULL, *later = NULL;

        for (int i = 0; i <= 30; i++)
                history_append(h, i * S, (float[]){ 1000, 2000, NAN });
        CHECK(!plot_view_is_marked(&v));
        history_mark(h, 20 * S + 300000);
        CHECK(!plot_view_is_marked(&v)); /* there is no cursor */
        v.cursor_age_us = 10 * S;
        then = plot_view_ago(&v);
        CHECK_STR(then, "10 s ago · changed");
        v.cursor_age_us = 5 * S;
        later = plot_view_ago(&v);
        CHECK_STR(later, "5 s ago");
        history_free(h);
}

TEST(spans_are_said_in_the_shortest_way) {
        static const struct { int s; const char *text; } cases[] = { { 0, "0 s" }, { 60, "60 s" }, { 119, "119 s" }, { 150, "2 min 30 s" }, { 1800, "30 min" } };

        for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
                g_autofree char *text = plot_view_format_span(cases[i].s);

                CHECK_STR(text, cases[i].text);
        }
}

TEST(rows_have_the_least_and_the_most_of_each_part_of_the_time_the_newest_first) {
        struct history *h = new_history();
        struct plot_view v = view_of(h, 60);
        g_auto(GStrv) none = plot_view_rows(&v, 0), rows = NULL, same = NULL;

        CHECK_INT(g_strv_length(none), 0);
        for (int i = 0; i < 23; i++) /* 12:00:00 to 12:00:22, of which 20 to 22 are not over yet */
                history_append(h, (43200 + i) * S, (float[]){ (float) (1000 + 100 * i), i < 5 ? NAN : 9000, i < 5 ? 700 : NAN });
        rows = plot_view_rows(&v, 0);
        CHECK_INT(g_strv_length(rows), 4);
        CHECK_STR(rows[0], "12:00:15\t2.5–2.9 ms\t9 ms\t–");
        CHECK_STR(rows[3], "12:00:00\t1–1.4 ms\t–\t700 µs");
        history_append(h, 43223 * S, (float[]){ 5, 5, 5 });
        same = plot_view_rows(&v, 0);
        CHECK_INT(g_strv_length(same), 4);
        CHECK_STR(same[0], rows[0]);
        history_free(h);
}

TEST(rows_follow_the_clock_on_the_wall) {
        struct history *h = new_history();
        struct plot_view v = view_of(h, 60);
        g_auto(GStrv) rows = NULL;

        for (int i = 0; i < 23; i++)
                history_append(h, i * S + 300000, (float[]){ (float) (1000 + 100 * i), 9000, NAN });
        rows = plot_view_rows(&v, 43200 * S - 300000);
        CHECK_INT(g_strv_length(rows), 4);
        CHECK_STR(rows[0], "12:00:15\t2.5–2.9 ms\t9 ms\t–");
        history_free(h);
}

/* The first or the last number of the first cell of figures. */
static int64_t number(const char *row, bool last) {
        g_auto(GStrv) cells = g_strsplit(row, "\t", -1);
        char *dash = strstr(cells[1], "–");

        return g_ascii_strtoll(last && dash ? dash + strlen("–") : cells[1], NULL, 10);
}

TEST(every_value_of_the_span_is_in_one_row_and_no_other_is) {
        uint64_t seed = test_seed();

        for (int round = 0; round < 50; round++) {
                struct history *h = history_new(3, 4000, 1, S); /* all as they came */
                struct plot_view v = view_of(h, spans[test_random(&seed) % G_N_ELEMENTS(spans)]);
                int64_t offset = (int64_t) (test_random(&seed) % 1000000000), interval = plot_span_interval_s(v.span_s) * S;
                int64_t end, begin, least = INT64_MAX, most = -1;
                g_auto(GStrv) rows = NULL;

                v.unit = PLOT_UNIT_REQUESTS;
                for (int64_t i = 0, n = 1 + (int64_t) (test_random(&seed) % 3000); i < n; i++)
                        history_append(h, i * S, (float[]){ (float) (i + 10), NAN, NAN });
                end = (history_newest_us(h) + offset) / interval * interval - offset;
                begin = end - v.span_s * S;
                for (int64_t i = 0; i * S <= history_newest_us(h); i++)
                        if (i * S >= begin && i * S < end) {
                                least = MIN(least, i + 10);
                                most = MAX(most, i + 10);
                        }
                rows = plot_view_rows(&v, offset);
                CHECK_INT(most < 0, g_strv_length(rows) == 0);
                if (most >= 0) {
                        CHECK_INT(number(rows[g_strv_length(rows) - 1], false), least);
                        CHECK_INT(number(rows[0], true), most);
                }
                history_free(h);
        }
}
