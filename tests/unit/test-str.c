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

TEST(u64_above_the_most_is_none) {
        uint64_t n = 7;

        CHECK_INT(str_parse_u64_most("256", 255, &n), -ERANGE);
        CHECK_INT(str_parse_u64_most("x", 255, &n), -EINVAL);
        CHECK_INT(n, 7);
        CHECK(str_parse_u64_most("255", 255, &n) == 0);
        CHECK_INT(n, 255);
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

/* The bytes of a code point, whatever it is, in buf. */
static char *encode(uint32_t point, char buf[static 5]) {
        size_t n = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;

        buf[n] = '\0';
        for (size_t i = n; i-- > 1; point >>= 6)
                buf[i] = (char) (0x80 | (point & 0x3f));
        buf[0] = (char) (n == 1 ? point : (0xf0u << (4 - n) & 0xffu) | point);
        return buf;
}

/* What stands for text that is not seen. */
static void expect(char *buf, size_t size, const char *piece, uint32_t point) {
        if (point >= 0x80 && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff)) {
                str_append(buf, size, point <= 0xffff ? "\\u%04x" : "\\U%08x", point);
                return;
        }
        for (; *piece; piece++)
                str_append(buf, size, "\\x%02x", (unsigned char) *piece);
}

TEST(whatever_is_not_seen_changes_directions_or_is_no_utf8_is_shown_as_escapes_and_all_else_stays) {
        /* Of each kind one that is seen or not, and its neighbours that are the contrary. */
        static const uint32_t seen[] = { '\t', ' ', 'a', '~', 0xa0, 0xac, 0xae, 0x3a9, 0x5d0, 0x61b, 0x627, 0x2010, 0x2027, 0x202f, 0x2070, 0x20ac,
                                         0x3042, 0xfdff, 0xfefe, 0xfffc, 0xfffd, 0x10000, 0x1f4be, 0xdffff, 0xe1000, 0x10ffff };
        static const uint32_t unseen[] = { 1, '\n', 0x1b, 0x1f, 0x7f, 0x80, 0x9b, 0x9f, 0xad, 0x61c, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2028,
                                           0x2029, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2060, 0x2066, 0x2067, 0x2068, 0x2069, 0x206f, 0x3164,
                                           0xfe0f, 0xfeff, 0xfffb, 0x1d173, 0xe0001, 0xe0020, 0xe007f, 0xe0fff, 0xd800, 0xdfff, 0x110000 };
        static const char *const broken[] = { "\xff\x80", "\xff\xbf", "\xc0", "\xc1", "\xf5", "\xff", "\xc3", "\xe2\x82", "\xe0\x80\x80", "\xf0\x9f\x92" };
        uint64_t state = test_seed();

        for (unsigned run = 0; run < 20000; run++) {
                char text[256] = "", expected[256] = "", buf[5];
                for (unsigned k = test_random(&state) % 12; k > 0; k--) {
                        uint64_t kind = test_random(&state) % 3, which = test_random(&state);
                        const char *piece = kind == 0 ? encode(seen[which % ARRAY_SIZE(seen)], buf) :
                                            kind == 1 ? encode(unseen[which % ARRAY_SIZE(unseen)], buf) :
                                                        broken[which % ARRAY_SIZE(broken)];
                        str_append(text, sizeof(text), "%s", piece);
                        if (kind == 0)
                                str_append(expected, sizeof(expected), "%s", piece);
                        else
                                expect(expected, sizeof(expected), piece, kind == 1 ? unseen[which % ARRAY_SIZE(unseen)] : UINT32_MAX);
                }
                CHECK_INT(str_is_text(text), streq(text, expected));
                CHECK_STR(str_make_text(text, sizeof(text)), expected);
                CHECK(str_is_text(text));
        }
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

TEST(no_escape_and_no_character_is_cut_where_there_is_no_room) {
        static const char whole[] = "a\u202e" "b\x1b" "\u20ac" "c";

        for (size_t size = sizeof(whole); size < 24; size++) {
                static const char expected[] = "a\\u202eb\\x1b\u20acc";
                char buf[24];
                size_t n;
                str_copy(buf, sizeof(buf), whole);
                n = strlen(str_make_text(buf, size));
                CHECK(n < size && str_is_text(buf) && strncmp(buf, expected, n) == 0);
                CHECK(n == 1 || n == 7 || n == 8 || n == 12 || n == 15 || n == 16);
        }
}

TEST(what_is_no_text_is_shown_as_escapes) {
        static const struct {
                const char *from, *to;
        } cases[] = {
                { "", "" },
                { "Gr\xc3\xbc\xc3\x9f" "e\t1", "Gr\xc3\xbc\xc3\x9f" "e\t1" },
                { "a\xff" "b", "a\\xffb" },
                { "name\xe2\x82", "name\\xe2\\x82" },
                { "\x1b[31mred\n\x7f", "\\x1b[31mred\\x0a\\x7f" },
                { "\xc2\x9b" "1m", "\\u009b1m" },
                { "a\u202e" "b", "a\\u202eb" },
                { "\u200bls\U000e0041", "\\u200bls\\U000e0041" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                char buf[32];
                str_copy(buf, sizeof(buf), cases[i].from);
                CHECK_STR(str_make_text(buf, sizeof(buf)), cases[i].to);
                CHECK(str_is_text(buf));
        }
}
