/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "macro.h"
#include "statement.h"
#include "str.h"

/* BEGINS id (BETWEEN argument)* ENDS; shift out, group separator and shift in of ASCII */
#define BEGINS '\x0e'
#define BETWEEN '\x1d'
#define ENDS '\x0f'
#define ID_MAX 48

#define N_(text) text

static const struct statement table[] = {
#define STATEMENT_ENTRY(symbol, id, text) [SAY_##symbol] = { id, text, STATEMENT_LITERAL(id) },
        STATEMENT_TABLE(STATEMENT_ENTRY)
#undef STATEMENT_ENTRY
};

const struct statement *statement_get(enum statement_id id) {
        return &table[id];
}

const char *statement_plain(enum statement_id id) {
        return table[id].plain;
}

const struct statement *statement_find(const char *id) {
        for (size_t i = 0; i < ARRAY_SIZE(table); i++)
                if (streq(table[i].id, id))
                        return &table[i];
        return NULL;
}

static const struct {
        const char *word, *unit; /* in the table, behind the name on the bus */
} kinds[_ARGUMENT_KIND_MAX] = {
        [ARGUMENT_TEXT] = { "", "" },
        [ARGUMENT_LAW] = { "law", "" },
        [ARGUMENT_TUNABLE] = { "tunable", "" },
        [ARGUMENT_NUMBER] = { "n", "" },
        [ARGUMENT_PERCENT] = { "percent", "" },
        [ARGUMENT_TENTHS] = { "tenths", "_tenths" },
        [ARGUMENT_HUNDREDTHS] = { "hundredths", "_hundredths" },
        [ARGUMENT_TIME] = { "time", "_usec" },
        [ARGUMENT_USEC] = { "usec", "_usec" },
        [ARGUMENT_BYTES] = { "bytes", "_bytes" },
};

bool argument_is_number(enum argument_kind kind) {
        return kind >= ARGUMENT_NUMBER;
}

static bool next_parameter(const char **at, struct parameter *ret) {
        const char *begin = strchr(*at, '{'), *end = begin ? strchr(begin, '}') : NULL;
        char text[48], *colon;

        if (!end || (size_t) (end - begin) >= sizeof(text))
                return false;
        snprintf(text, sizeof(text), "%.*s", (int) (end - begin - 1), begin + 1);
        *ret = (struct parameter){ .begin = begin, .end = end + 1 };
        *at = end + 1;
        colon = strchr(text, ':');
        if (colon)
                *colon = '\0';
        str_copy(ret->name, sizeof(ret->name), text);
        for (enum argument_kind k = 0; colon && k < _ARGUMENT_KIND_MAX; k++)
                if (streq(kinds[k].word, colon + 1))
                        ret->kind = k;
        return true;
}

bool statement_parameter(const struct statement *s, unsigned i, struct parameter *ret) {
        const char *at = s->text;

        while (next_parameter(&at, ret))
                if (i-- == 0)
                        return true;
        return false;
}

const char *parameter_key(const struct parameter *p, char buf[static PARAMETER_KEY_MAX]) {
        snprintf(buf, PARAMETER_KEY_MAX, "%s%s", p->name, kinds[p->kind].unit);
        return buf;
}

/* As its sentence tells it, so that a text changes when its sentence does. */
static int64_t round_argument(enum statement_id id, unsigned i, int64_t value) {
        struct parameter p;

        if (value <= 0 || !statement_parameter(&table[id], i, &p))
                return value;
        if (p.kind == ARGUMENT_TIME)
                return (int64_t) str_round_duration_us((uint64_t) value);
        return p.kind == ARGUMENT_BYTES ? (int64_t) str_round_bytes((uint64_t) value) : value;
}

bool statement_append(char *buf, size_t size, enum statement_id id, const struct argument *arguments, size_t n) {
        size_t before = strlen(buf);
        bool fits = str_append(buf, size, "%c%s", BEGINS, table[id].id);

        for (size_t i = 0; i < n && fits; i++)
                if (arguments[i].text)
                        fits = str_append(buf, size, "%c%s", BETWEEN, arguments[i].text);
                else
                        fits = str_append(buf, size, "%c%" PRIi64, BETWEEN, round_argument(id, (unsigned) i, arguments[i].number));
        fits = fits && str_append(buf, size, "%c", ENDS);
        if (!fits)
                buf[before] = '\0';
        return fits;
}

/* Behind the statement that begins at p. Returns false where it was cut: then that is the end. */
static bool skip(const char *p, const char **ret_end) {
        unsigned depth = 0;

        for (; *p; p++)
                if (*p == BEGINS)
                        depth++;
                else if (*p == ENDS && --depth == 0)
                        break;
        *ret_end = *p ? p + 1 : p;
        return *p;
}

bool statement_is_in(const char *text) {
        return strchr(text, BEGINS);
}

bool statement_next(const char **at, struct statement_part *ret) {
        while (**at) {
                const char *begin = *at;
                char id[ID_MAX];
                bool whole;
                *ret = (struct statement_part){ .begin = begin };
                if (*begin != BEGINS) {
                        ret->end = *at = begin + strcspn(begin, "\x0e");
                        return true;
                }
                whole = skip(begin, at);
                ret->begin = begin + 1 + strcspn(begin + 1, "\x0e\x0f\x1d");
                ret->end = *at - whole;
                snprintf(id, sizeof(id), "%.*s", (int) (ret->begin - begin - 1), begin + 1);
                ret->statement = statement_find(id);
                if (ret->statement && whole)
                        return true;
        }
        return false;
}

const char *statement_argument(const struct statement_part *p, unsigned i, char *buf, size_t size) {
        const char *begin = p->begin;

        *buf = '\0';
        while (begin < p->end && *begin == BETWEEN) {
                const char *end = ++begin;
                while (end < p->end && *end != BETWEEN)
                        if (*end == BEGINS)
                                skip(end, &end);
                        else
                                end++;
                if (i-- == 0) {
                        str_append(buf, size, "%.*s", (int) (end - begin), begin);
                        break;
                }
                begin = end;
        }
        return buf;
}

/* "8.4" of 84 and 10 */
static void format_parts(int64_t value, int64_t parts, char *buf, size_t size) {
        int64_t whole = value / parts, rest = value % parts;

        snprintf(buf, size, "%" PRIi64 ".%0*" PRIi64, whole, parts == 10 ? 1 : 2, rest < 0 ? -rest : rest);
}

static void tell_number(const char *text, enum argument_kind kind, const struct statement_language *language, char *ret, size_t size) {
        int64_t value = 0;
        char buf[48], *point;

        (void) str_parse_i64(text, &value);
        switch (kind) {
        case ARGUMENT_TENTHS:
                format_parts(value, 10, buf, sizeof(buf));
                break;
        case ARGUMENT_HUNDREDTHS:
                format_parts(value, 100, buf, sizeof(buf));
                break;
        case ARGUMENT_TIME:
                str_format_duration_us(buf, sizeof(buf), (uint64_t) MAX(value, 0));
                break;
        case ARGUMENT_BYTES:
                str_format_bytes(buf, sizeof(buf), (uint64_t) MAX(value, 0));
                break;
        case ARGUMENT_USEC:
                snprintf(buf, sizeof(buf), "%" PRIi64 " µs", value);
                break;
        case ARGUMENT_PERCENT:
                snprintf(buf, sizeof(buf), "%" PRIi64 " %%", value);
                break;
        case ARGUMENT_NUMBER:
        case ARGUMENT_TEXT:
        case ARGUMENT_LAW:
        case ARGUMENT_TUNABLE:
        case _ARGUMENT_KIND_MAX:
                snprintf(buf, sizeof(buf), "%" PRIi64, value);
                break;
        }
        point = strchr(buf, '.');
        if (point && language->decimal)
                *point = language->decimal;
        str_append(ret, size, "%s", buf);
}

static void tell_into(const char *text, const struct statement_language *language, unsigned depth, char *ret, size_t size);

/* Of the parameter in a translation: which argument it is, by the text in English. Returns false where that has none of the name. */
static bool find_argument(const struct statement *s, const char *name, unsigned *ret, enum argument_kind *ret_kind) {
        struct parameter p;

        for (*ret = 0; statement_parameter(s, *ret, &p); (*ret)++)
                if (streq(p.name, name)) {
                        *ret_kind = p.kind;
                        return true;
                }
        return false;
}

static void tell_argument(const struct statement_part *part, const struct parameter *p, const struct statement_language *language, unsigned depth, char *ret,
                          size_t size) {
        char text[STATEMENT_ARGUMENT_MAX];
        enum argument_kind kind;
        unsigned i;

        if (!find_argument(part->statement, p->name, &i, &kind))
                return;
        statement_argument(part, i, text, sizeof(text));
        if (argument_is_number(kind))
                tell_number(text, kind, language, ret, size);
        else if (kind != ARGUMENT_TEXT)
                str_append(ret, size, "%s", language->name ? language->name(kind, text) : text);
        else
                tell_into(text, language, depth + 1, ret, size);
}

static void tell_into(const char *text, const struct statement_language *language, unsigned depth, char *ret, size_t size) {
        struct statement_part part;

        while (depth < STATEMENT_DEPTH_MAX && statement_next(&text, &part)) {
                const char *words, *at;
                struct parameter p;
                if (!part.statement) {
                        str_append(ret, size, "%.*s", (int) (part.end - part.begin), part.begin);
                        continue;
                }
                words = at = language->translate ? language->translate(part.statement->text) : part.statement->text;
                while (next_parameter(&at, &p)) {
                        str_append(ret, size, "%.*s", (int) (p.begin - words), words);
                        tell_argument(&part, &p, language, depth, ret, size);
                        words = p.end;
                }
                str_append(ret, size, "%s", words);
        }
}

char *statement_tell(const char *text, const struct statement_language *language, char *ret, size_t size) {
        static const struct statement_language english = { 0 };

        *ret = '\0';
        tell_into(text, language ? language : &english, 0, ret, size);
        return ret;
}
