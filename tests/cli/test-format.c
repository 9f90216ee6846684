/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "format.h"
#include "test.h"

static char buffer[4096];

/* Output into the buffer, so many columns wide. */
static struct output open_output(unsigned columns) {
        text_set_locale();
        memset(buffer, 0, sizeof(buffer));
        return (struct output){ .file = fmemopen(buffer, sizeof(buffer), "w"), .columns = columns };
}

TEST(width_counts_columns_and_not_bytes) {
        text_set_locale();
        CHECK_INT(text_width("abc"), 3);
        CHECK_INT(text_width("600 µs"), 6);
        CHECK_INT(text_width("磁気"), 4);
        CHECK_INT(text_width("e\xcc\x81"), 1); /* a combining accent */
}

TEST(cutting_never_splits_a_character) {
        text_set_locale();
        CHECK_INT(text_cut("磁気", 3), 3);
        CHECK_INT(text_cut("µs", 1), 2);
        CHECK_INT(text_cut("abc", 0), 0);
        CHECK_INT(text_cut("abc", 9), 3);
}

TEST(what_is_not_seen_reaches_a_terminal_as_escapes) {
        static const struct {
                const char *from, *to;
        } cases[] = {
                { "a\033[2Jb\nc\x7f", "a\\x1b[2Jb\\x0ac\\x7f" },
                { "\xff\xc3", "\\xff\\xc3" },
                { "x\xc2\x9b" "y", "x\\u009by" }, /* CSI as one character */
                { "a\u202e" "b", "a\\u202eb" },
                { "µ磁", "µ磁" },
        };

        text_set_locale();
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                char *text = text_make_harmless(text_format("%s", cases[i].from));
                CHECK_STR(text, cases[i].to);
                free(text);
        }
}

TEST(paragraphs_break_at_blanks_and_long_words_break_anywhere) {
        struct output o = open_output(20);

        output_paragraph(&o, 2, "one two three four five");
        output_paragraph(&o, 0, "%s", "");
        output_paragraph(&o, 10, "abcdefghijklmnopqrstuvwxyz");
        fclose(o.file);
        CHECK_STR(buffer, "  one two three four\n  five\n\n          abcdefghijklmnopqrstuvwxyz\n");
        o = open_output(20);
        output_paragraph(&o, 0, "abcdefghijklmnopqrstuvwxyz");
        fclose(o.file);
        CHECK_STR(buffer, "abcdefghijklmnopqrst\nuvwxyz\n");
}

static void print_table(const struct output *o) {
        static const struct table_column columns[] = { COLUMN_KEEP("NAME"), COLUMN("TEXT"), COLUMN_RIGHT_DROP("N", 1), COLUMN_RIGHT("M") };
        _cleanup_(table_freep) struct table *t = table_new(columns, ARRAY_SIZE(columns));

        for (size_t i = 0; i < 2; i++) {
                table_add(t, STYLE_PLAIN, "%s", i ? "b" : "ä");
                table_add(t, STYLE_PLAIN, "%s", i ? "" : "a longer text than fits");
                table_add(t, STYLE_PLAIN, "%d", i ? 5 : 12345678);
                table_add(t, STYLE_PLAIN, "%d", i ? 7 : 123);
        }
        table_print(t, o, 0);
        fclose(o->file);
}

TEST(tables_align_without_a_limit) {
        struct output o = open_output(0);

        print_table(&o);
        CHECK_STR(buffer, "NAME  TEXT                            N    M\n"
                          "ä     a longer text than fits  12345678  123\n"
                          "b     -                               5    7\n");
}

TEST(narrow_tables_drop_columns_and_cut_text_and_never_numbers) {
        struct output o = open_output(30);

        print_table(&o);
        CHECK_STR(buffer, "NAME  TEXT                   M\n"
                          "ä     a longer text than…  123\n"
                          "b     -                      7\n");
}

TEST(evidence_is_said_in_peoples_units) {
        static const struct {
                int64_t value;
                const char *unit, *text;
        } cases[] = {
                { 61400, "us", "61.4 ms" }, { 0, "us", "0 µs" },        { -1500, "us", "-1.5 ms" },    { 58706735, "bytes/s", "59 MB/s" },
                { 612000000, "bytes", "612 MB" }, { 875, "permille", "87.5 %" }, { 1250, "milli", "1.25" }, { 8, "s", "8 s" },
                { 150, "", "150" },         { 8, "processes", "8 processes" }, { INT64_MIN, "", "-9223372036854775808" },
        };
        char buf[64];

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
                CHECK_STR(format_quantity(buf, sizeof(buf), cases[i].value, cases[i].unit), cases[i].text);
}

TEST(numbers_for_people) {
        char buf[32];

        CHECK_STR(format_permille(buf, sizeof(buf), 1000), "100.0 %");
        CHECK_STR(format_permille(buf, sizeof(buf), 5), "0.5 %");
        CHECK_STR(format_milli(buf, sizeof(buf), 31409), "31.40");
        CHECK_STR(format_rate(buf, sizeof(buf), 0), "-");
        CHECK_STR(format_rate(buf, sizeof(buf), 4100), "4.1 kB/s");
        CHECK_STR(format_latency(buf, sizeof(buf), 0), "-");
}
