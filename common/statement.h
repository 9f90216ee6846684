/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences as data. A reason, a verdict or an outcome is a text of statements: each is an id with its arguments, between control characters, which no name
 * has. Such a text is copied, compared and put into another one as any text is. The table statement-table.h makes the sentence of it, in English or through
 * a catalogue of translations; the bus tells id and arguments. Plain text between statements stands for itself. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "statement-table.h"

enum statement_id {
#define STATEMENT_ID(symbol, id, text) SAY_##symbol,
        STATEMENT_TABLE(STATEMENT_ID)
#undef STATEMENT_ID
        _STATEMENT_MAX,
};

struct statement {
        const char *id;    /* "idle-limit", as on the bus */
        const char *text;  /* in English, with {name} or {name:kind} for each argument, in their order */
        const char *plain; /* without arguments, as a text of statements */
};

const struct statement *statement_get(enum statement_id id);
const struct statement *statement_find(const char *id); /* NULL: none has it */

/* What a parameter stands for, by its kind in the table. */
enum argument_kind {
        ARGUMENT_TEXT,       /* none: a name, or a text of statements */
        ARGUMENT_LAW,        /* law: its id */
        ARGUMENT_TUNABLE,    /* tunable: the name of its file */
        ARGUMENT_NUMBER,     /* n */
        ARGUMENT_PERCENT,    /* percent: "30 %" */
        ARGUMENT_TENTHS,     /* tenths: 84 is 8.4 */
        ARGUMENT_HUNDREDTHS, /* hundredths: 105 is 1.05 */
        ARGUMENT_TIME,       /* time: of us, in the unit that suits */
        ARGUMENT_USEC,       /* usec: exact */
        ARGUMENT_BYTES,      /* bytes: in the unit that suits */
        _ARGUMENT_KIND_MAX,
};

struct parameter {
        char name[32]; /* "base" */
        enum argument_kind kind;
        const char *begin, *end; /* the whole of it, in the text of its statement */
};

/* The argument of that number. Returns false where the statement has fewer. */
bool statement_parameter(const struct statement *s, unsigned i, struct parameter *ret);
/* Its key on the bus: the name, and the unit ("base_usec"). Returns buf. */
#define PARAMETER_KEY_MAX 48
const char *parameter_key(const struct parameter *p, char buf[static PARAMETER_KEY_MAX]);
bool argument_is_number(enum argument_kind kind);

struct argument {
        const char *text; /* NULL: it is a number */
        int64_t number;
};

static inline struct argument argument_of_text(const char *text) {
        return (struct argument){ .text = text };
}

static inline struct argument argument_of_number(int64_t number) {
        return (struct argument){ .number = number };
}

/* A statement without arguments, as a text that lasts. */
const char *statement_plain(enum statement_id id);

/* A statement by its id, and one with an argument, as literals. */
#define STATEMENT_LITERAL(id) "\x0e" id "\x0f"
#define STATEMENT_LITERAL_OF(id, argument) "\x0e" id "\x1d" argument "\x0f"

#define STATEMENT_ARGUMENTS_MAX 9

/* Appends a statement with its arguments, in the order of the table, to the text in buf; where not all of it fits, nothing.
 * Times and bytes are rounded to what the sentence tells. Returns true if it fitted. */
bool statement_append(char *buf, size_t size, enum statement_id id, const struct argument *arguments, size_t n);

/* SAY(buf, size, SAY_IDLE_LIMIT, ...): the same, with texts and numbers as they come, up to nine. */
#define ARGUMENT(x) _Generic((x), char *: argument_of_text, const char *: argument_of_text, default: argument_of_number)(x)
#define SAY(buf, size, ...) SAY_PICK(__VA_ARGS__, SAY_9, SAY_8, SAY_7, SAY_6, SAY_5, SAY_4, SAY_3, SAY_2, SAY_1, SAY_0, )(buf, size, __VA_ARGS__)
#define SAY_PICK(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, name, ...) name
#define SAY_LIST(s, z, id, n, ...) statement_append(s, z, id, (const struct argument[]){ __VA_ARGS__ }, n)
#define SAY_0(s, z, id) statement_append(s, z, id, NULL, 0)
#define SAY_1(s, z, id, a) SAY_LIST(s, z, id, 1, ARGUMENT(a))
#define SAY_2(s, z, id, a, b) SAY_LIST(s, z, id, 2, ARGUMENT(a), ARGUMENT(b))
#define SAY_3(s, z, id, a, b, c) SAY_LIST(s, z, id, 3, ARGUMENT(a), ARGUMENT(b), ARGUMENT(c))
#define SAY_4(s, z, id, a, b, c, d) SAY_LIST(s, z, id, 4, ARGUMENT(a), ARGUMENT(b), ARGUMENT(c), ARGUMENT(d))
#define SAY_5(s, z, id, a, b, c, d, e) SAY_LIST(s, z, id, 5, ARGUMENT(a), ARGUMENT(b), ARGUMENT(c), ARGUMENT(d), ARGUMENT(e))
#define SAY_6(s, z, id, a, b, c, d, e, f) SAY_LIST(s, z, id, 6, ARGUMENT(a), ARGUMENT(b), ARGUMENT(c), ARGUMENT(d), ARGUMENT(e), ARGUMENT(f))
#define SAY_7(s, z, id, a, b, c, d, e, f, g) \
        SAY_LIST(s, z, id, 7, ARGUMENT(a), ARGUMENT(b), ARGUMENT(c), ARGUMENT(d), ARGUMENT(e), ARGUMENT(f), ARGUMENT(g))
#define SAY_8(s, z, id, a, b, c, d, e, f, g, h) \
        SAY_LIST(s, z, id, 8, ARGUMENT(a), ARGUMENT(b), ARGUMENT(c), ARGUMENT(d), ARGUMENT(e), ARGUMENT(f), ARGUMENT(g), ARGUMENT(h))
#define SAY_9(s, z, id, a, b, c, d, e, f, g, h, i) \
        SAY_LIST(s, z, id, 9, ARGUMENT(a), ARGUMENT(b), ARGUMENT(c), ARGUMENT(d), ARGUMENT(e), ARGUMENT(f), ARGUMENT(g), ARGUMENT(h), ARGUMENT(i))

/* A part of a text: a statement, or what is plain. */
struct statement_part {
        const struct statement *statement; /* NULL: plain text */
        const char *begin, *end;           /* the plain text, or the arguments with their marks */
};

/* The next part of the text at *at, which it moves. Returns false at the end. A statement of an unknown id is passed over. */
bool statement_next(const char **at, struct statement_part *ret);
/* The argument of that number, a text that may have statements; "" where there is none. Returns buf, cut to size. */
#define STATEMENT_ARGUMENT_MAX 1024
const char *statement_argument(const struct statement_part *p, unsigned i, char *buf, size_t size);

/* Whether the text has any. */
bool statement_is_in(const char *text);

/* Statements within statements' arguments go no deeper. */
#define STATEMENT_DEPTH_MAX 6u

/* How to tell it. All zero: in English, with ids as names. */
struct statement_language {
        const char *(*translate)(const char *text);                        /* NULL: as it is */
        const char *(*name)(enum argument_kind kind, const char *id);      /* of a law or tunable; NULL: its id */
        char decimal;                                                      /* 0: '.' */
};

/* The sentence of a text. Returns ret, cut to size. */
char *statement_tell(const char *text, const struct statement_language *language, char *ret, size_t size);
