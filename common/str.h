/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Strict, locale-free parsing and bounded formatting of text. Nothing here allocates. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "macro.h"

/* Parses a decimal number that fills the whole string (no sign, no blanks, no hex).
 * Returns 0; -EINVAL for anything else, -ERANGE above 2^64-1. */
int str_parse_u64(const char *s, uint64_t *ret);
/* The same, with -ERANGE above most. */
int str_parse_u64_most(const char *s, uint64_t most, uint64_t *ret);

/* As above with an optional leading '-'. -ERANGE outside int64_t. */
int str_parse_i64(const char *s, int64_t *ret);

/* yes/no, true/false, on/off, 1/0 in any case. Returns 0 or -EINVAL. */
int str_parse_bool(const char *s, bool *ret);

/* "300ms", "2s", "600us", "1min": a whole number and a unit, which is required. In microseconds.
 * Returns 0, -EINVAL, or -ERANGE where the product overflows. */
int str_parse_duration_us(const char *s, uint64_t *ret);

/* "A..B" with A <= B, whole numbers that may be negative. Returns 0, -EINVAL or -ERANGE. */
int str_parse_range(const char *s, int64_t *ret_min, int64_t *ret_max);

/* Copies at most size-1 bytes and terminates; a cut does not part the bytes of a character. Returns true if all of src fitted. */
bool str_copy(char *dst, size_t size, const char *src);

/* Appends formatted text to the string in buf. Returns true if all of it fitted; cut as by str_copy() otherwise. */
bool str_append(char *buf, size_t size, const char *format, ...) _printf_(3, 4);

/* Removes blanks and newlines at both ends, in place. Returns the new start within s. */
char *str_strip(char *s);

/* True if s is well-formed UTF-8 in which everything is seen and stays in its place: no control characters other than tab, no bidirectional
 * controls, zero width characters, tags or line separators. Fit for a log, a terminal and the bus. */
bool str_is_text(const char *s);

/* Makes s, in size bytes, a text as above: escapes stand for what is not seen or no character, \u202e for U+202E, \U000e0041 beyond U+FFFF, \x1b for what
 * is no more than a byte. Escapes are longer, at most STR_ESCAPE_GROWTH times; what has no room is cut at the end, and no escape is. Returns s. */
#define STR_ESCAPE_GROWTH 4
char *str_make_text(char *s, size_t size);

/* How many letters to insert, remove or replace to turn a into b; letters that differ in case alone are equal.
 * Words longer than 64 bytes are as far as their length. */
size_t str_distance(const char *a, const char *b);

/* A duration for people: "600 µs", "12.5 ms", "2.4 s", "3 min". Returns buf. */
char *str_format_duration_us(char *buf, size_t size, uint64_t us);

/* The duration that such a text says: 12.4 ms of 12430 us. */
uint64_t str_round_duration_us(uint64_t us);

/* A byte count for people with decimal prefixes, as drives are sold: "4.1 kB", "97 MB". Returns buf. */
char *str_format_bytes(char *buf, size_t size, uint64_t bytes);

/* The byte count that such a text says: 4100 of 4096. */
uint64_t str_round_bytes(uint64_t bytes);
