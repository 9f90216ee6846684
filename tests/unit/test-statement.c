/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>

#include "statement.h"
#include "str.h"
#include "test.h"

static const char *english(const char *text) {
        static char told[512];

        return statement_tell(text, NULL, told, sizeof(told));
}

static bool stands_before(const struct statement *s, unsigned n, const char *name) {
        struct parameter p;

        for (unsigned i = 0; i < n; i++)
                if (statement_parameter(s, i, &p) && streq(p.name, name))
                        return true;
        return false;
}

TEST(each_statement_has_an_id_of_its_own_and_arguments_of_kinds_that_are_known) {
        for (enum statement_id i = 0; i < _STATEMENT_MAX; i++) {
                const struct statement *s = statement_get(i);
                struct parameter p;
                unsigned n = 0;
                size_t braces = 0;
                CHECK(statement_find(s->id) == s);
                CHECK(!streq(s->id, "text")); /* on the bus: what is plain */
                for (const char *c = s->id; *c; c++)
                        CHECK(islower(*c) || isdigit(*c) || *c == '-');
                for (; statement_parameter(s, n, &p); n++) {
                        const char *colon = memchr(p.begin, ':', (size_t) (p.end - p.begin));
                        CHECK_INT(p.kind == ARGUMENT_TEXT, !colon); /* a kind that is misspelt is none */
                        CHECK(!stands_before(s, n, p.name));
                        for (const char *c = p.name; *c; c++)
                                CHECK(islower(*c) || isdigit(*c) || *c == '_');
                }
                for (const char *c = s->text; *c; c++)
                        braces += *c == '{';
                CHECK(braces == n && n <= 9);
        }
}

TEST(a_statement_is_told_in_english_with_its_arguments) {
        char buf[512] = "";

        CHECK(SAY(buf, sizeof(buf), SAY_MANY_SYNC, 60u));
        CHECK(SAY(buf, sizeof(buf), SAY_READ_SIZE, UINT64_C(4096)));
        CHECK(SAY(buf, sizeof(buf), SAY_IDLE_LIMIT, "slice_idle_us", 8000, 300000, 60, 5000));
        CHECK_STR(english(buf), "60 processes read a little each at the same time (4.1 kB a read); "
                                "slice_idle_us = min(base 8000 µs, group slice 300000 µs / 60 readers) = 5000 µs");
}

TEST(a_text_of_statements_is_an_argument_of_another_one) {
        char buf[512] = "", inner[256] = "";

        SAY(inner, sizeof(inner), SAY_SHARED, 4);
        str_append(inner, sizeof(inner), ", ");
        SAY(inner, sizeof(inner), SAY_HOLES, 7);
        SAY(buf, sizeof(buf), SAY_LAW_SAYS, "idle-limit", inner);
        str_append(buf, sizeof(buf), " · plain");
        CHECK_STR(english(buf), "idle-limit: 4 processes share the drive, 7 % of the time the drive idles while requests wait for it · plain");
}

TEST(numbers_are_told_in_the_unit_that_suits_them) {
        char buf[512] = "";

        SAY(buf, sizeof(buf), SAY_INJECTION_HURTS, 205);
        CHECK(strstr(english(buf), " 2.05 times as long"));
        *buf = '\0';
        SAY(buf, sizeof(buf), SAY_TRIAL_CONFIDENCE, 993);
        CHECK_STR(english(buf), ", confidence 99.3 %");
        *buf = '\0';
        SAY(buf, sizeof(buf), SAY_READS_STARVE, 250000, 8000, 80000000);
        CHECK_STR(english(buf), "a read takes 250 ms (alone 8 ms) while 80 MB/s are written");
}

TEST(a_text_changes_when_its_sentence_does_and_no_more_often) {
        static const int64_t values[][2] = { { 1048576, 1048600 }, { 12430, 12449 }, { 61000000, 119000000 }, { 4096, 4100 }, { 999, 999 }, { 1000400, 1000000 } };
        char a[256], b[256], told[256];

        for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
                *a = *b = '\0';
                SAY(a, sizeof(a), SAY_STARTING, "vi", values[i][0], values[i][0]);
                SAY(b, sizeof(b), SAY_STARTING, "vi", values[i][1], values[i][1]);
                CHECK_INT(streq(a, b), streq(statement_tell(a, NULL, told, sizeof(told)), english(b)));
        }
        for (uint64_t v = 1; v < UINT64_C(1) << 50; v += v / 7 + 1) {
                char raw[32], rounded[32];
                CHECK_STR(str_format_bytes(rounded, sizeof(rounded), str_round_bytes(v)), str_format_bytes(raw, sizeof(raw), v));
                CHECK_STR(str_format_duration_us(rounded, sizeof(rounded), str_round_duration_us(v)), str_format_duration_us(raw, sizeof(raw), v));
        }
}

TEST(what_does_not_fit_is_not_begun) {
        char buf[24] = "before";

        CHECK(!SAY(buf, sizeof(buf), SAY_FOREIGN, "a_tunable_of_a_long_name", "1"));
        CHECK_STR(buf, "before");
}

TEST(a_text_that_was_cut_anywhere_tells_whole_statements_alone) {
        char buf[512] = "", cut[512];

        SAY(buf, sizeof(buf), SAY_SHARED, 4);
        SAY(buf, sizeof(buf), SAY_LAW_SAYS, "idle-limit", statement_plain(SAY_PROBE));
        for (size_t n = 0; n <= strlen(buf); n++) {
                str_copy(cut, n + 1, buf);
                CHECK(*english(cut) == '\0' || streq(english(cut), "4 processes share the drive") || n == strlen(buf));
        }
}

TEST(an_id_that_is_not_known_says_nothing_and_what_is_plain_stays) {
        CHECK_STR(english("before \x0e" "of-a-later-version\x1d" "1\x0f after"), "before  after");
        CHECK_STR(english("as a former version had it"), "as a former version had it");
        CHECK_STR(english("{process} is plain"), "{process} is plain");
}

static const char *translate(const char *text) {
        return streq(text, "{process} waits {percent:percent} of the time for its reads") ? "{percent} der Zeit wartet {process}" :
               streq(text, "; at its best it takes {best:time}")                  ? "; am schnellsten {best:time}" :
               streq(text, "{law:law} stays away, since a trial found it worse: {effect}") ? "{law}: weg, {effect}" : text;
}

static const char *name(enum argument_kind kind, const char *id) {
        return kind == ARGUMENT_LAW && streq(id, "idle-limit") ? "Wartezeit" : id;
}

TEST(a_language_puts_arguments_in_its_own_order_and_has_its_own_names_and_its_decimal_point) {
        static const struct statement_language german = { .translate = translate, .name = name, .decimal = ',' };
        char buf[512] = "", told[512];

        SAY(buf, sizeof(buf), SAY_VICTIM, "vi", 30);
        SAY(buf, sizeof(buf), SAY_STARTED_BEST, 2400000);
        CHECK_STR(statement_tell(buf, &german, told, sizeof(told)), "30 % der Zeit wartet vi; am schnellsten 2,4 s");
        *buf = '\0';
        SAY(buf, sizeof(buf), SAY_STAYS_AWAY, "idle-limit", statement_plain(SAY_VOID_LOAD));
        CHECK_STR(statement_tell(buf, &german, told, sizeof(told)), "Wartezeit: weg, the load changed meanwhile");
}

TEST(the_key_on_the_bus_tells_the_unit) {
        char key[PARAMETER_KEY_MAX];
        struct parameter p;

        CHECK(statement_parameter(statement_get(SAY_READS_STARVE), 2, &p));
        CHECK_STR(parameter_key(&p, key), "rate_bytes");
        CHECK(statement_parameter(statement_get(SAY_IDLE_LIMIT), 1, &p));
        CHECK_STR(parameter_key(&p, key), "base_usec");
        CHECK(!statement_parameter(statement_get(SAY_IDLE_LIMIT), 5, &p));
}
