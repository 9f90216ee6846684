/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "str.h"
#include "test.h"

TEST(u64_takes_digits_only) {
        uint64_t n = 7;

        CHECK(str_parse_u64("18446744073709551615", &n) == 0);
        CHECK(n == UINT64_MAX);
        for (const char *const *s = (const char *const[]){ "", "-1", "+1", " 1", "1 ", "0x10", "1ms", NULL }; *s; s++)
                CHECK_INT(str_parse_u64(*s, &n), -EINVAL);
        CHECK_INT(str_parse_u64("18446744073709551616", &n), -ERANGE);
        CHECK(n == UINT64_MAX);
}

TEST(i64_reaches_both_ends) {
        int64_t n;

        CHECK(str_parse_i64("-9223372036854775808", &n) == 0);
        CHECK(n == INT64_MIN);
        CHECK(str_parse_i64("9223372036854775807", &n) == 0);
        CHECK(n == INT64_MAX);
        CHECK_INT(str_parse_i64("9223372036854775808", &n), -ERANGE);
        CHECK_INT(str_parse_i64("-", &n), -EINVAL);
}

TEST(durations_need_a_unit) {
        uint64_t us;

        CHECK(str_parse_duration_us("300ms", &us) == 0);
        CHECK_INT(us, 300000);
        CHECK(str_parse_duration_us("2 s", &us) == 0);
        CHECK_INT(us, 2000000);
        CHECK_INT(str_parse_duration_us("300", &us), -EINVAL);
        CHECK_INT(str_parse_duration_us("ms", &us), -EINVAL);
        CHECK_INT(str_parse_duration_us("3e2ms", &us), -EINVAL);
        CHECK_INT(str_parse_duration_us("18446744073709551615s", &us), -ERANGE);
}

TEST(ranges_are_ordered) {
        int64_t min, max;

        CHECK(str_parse_range("-5..8000", &min, &max) == 0);
        CHECK(min == -5 && max == 8000);
        CHECK_INT(str_parse_range("8..1", &min, &max), -EINVAL);
        CHECK_INT(str_parse_range("8", &min, &max), -EINVAL);
        CHECK_INT(str_parse_range("1..2..3", &min, &max), -EINVAL);
}

TEST(formatting_never_shows_an_exponent) {
        char buf[32];

        CHECK_STR(str_format_duration_us(buf, sizeof(buf), 600), "600 µs");
        CHECK_STR(str_format_duration_us(buf, sizeof(buf), 12500), "12.5 ms");
        CHECK_STR(str_format_duration_us(buf, sizeof(buf), 999499), "999 ms");
        CHECK_STR(str_format_duration_us(buf, sizeof(buf), 999500), "1 s");
        CHECK_STR(str_format_bytes(buf, sizeof(buf), 999), "999 B");
        CHECK_STR(str_format_bytes(buf, sizeof(buf), 999999), "1.0 MB");
        CHECK_STR(str_format_bytes(buf, sizeof(buf), UINT64_MAX), "18 EB");
}

TEST(text_is_utf8_without_controls) {
        CHECK(str_is_text(""));
        CHECK(str_is_text("Festplatte, grö\xc3\x9f" "er\t\xe2\x82\xac \xf0\x9f\x92\xbe"));
        for (const char *const *s = (const char *const[]){ "\x1b[31m", "a\nb", "\x7f", "\xc2\x9b" "31m", "\xff", "\xc0\xaf", "\xe0\x80\x80",
                                                           "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80", NULL }; *s; s++)
                CHECK(!str_is_text(*s));
}

TEST(distance_counts_single_letter_changes) {
        CHECK_INT(str_distance("GroupSlize", "GroupSlice"), 1);
        CHECK_INT(str_distance("groupslice", "GroupSlice"), 0);
        CHECK_INT(str_distance("", "abc"), 3);
        CHECK_INT(str_distance("kitten", "sitting"), 3);
        CHECK_INT(str_distance("0123456789012345678901234567890123456789012345678901234567890123456789", "a"), 70);
}

TEST(a_cut_does_not_part_a_character) {
        char buf[8] = "", *nothing = buf + 7;

        CHECK(!str_copy(buf, sizeof(buf), "12345\xe2\x82\xac")); /* three bytes, of which two fit */
        CHECK_STR(buf, "12345");
        CHECK(str_copy(buf, sizeof(buf), "1234\xe2\x82\xac"));
        CHECK(!str_append(buf, sizeof(buf), "9"));
        CHECK_STR(buf, "1234\xe2\x82\xac");
        str_copy(buf, sizeof(buf), "12345");
        CHECK(!str_append(buf, sizeof(buf), "6\xc2\xb5s"));
        CHECK_STR(buf, "123456");
        CHECK(!str_copy(buf, sizeof(buf), "\xff\xff\xff\xff\xff\xff\xff\xff\xff")); /* no text at all */
        CHECK(strlen(buf) >= 6);
        *nothing = '\0';
        CHECK(!str_copy(nothing, 1, "\xc2\xb5"));
        CHECK_STR(nothing, "");
}

TEST(what_is_no_text_becomes_question_marks) {
        static const struct {
                const char *from, *to;
        } cases[] = {
                { "", "" },
                { "Gr\xc3\xbc\xc3\x9f" "e\t1", "Gr\xc3\xbc\xc3\x9f" "e\t1" },
                { "a\xff" "b", "a?b" },
                { "name\xe2\x82", "name??" },
                { "\x1b[31mred\n\x7f", "?[31mred??" },
                { "\xc2\x9b" "1m", "??1m" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                char buf[32];
                str_copy(buf, sizeof(buf), cases[i].from);
                CHECK_STR(str_make_text(buf), cases[i].to);
                CHECK(str_is_text(buf));
        }
}
