/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small TAP harness. TEST(name) registers itself; the name states the claim. Link libtest: it has main().
 *
 *   TEST(parse_refuses_a_sign) { CHECK(str_parse_u64("-1", &n) == -EINVAL); }
 */
#pragma once

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "macro.h"

struct test_case {
        const char *name;
        void (*run)(void);
        struct test_case *next;
};

void test_register(struct test_case *t);
void test_fail(const char *file, int line, const char *format, ...) _printf_(3, 4);
/* Ends the running test as skipped. `reason` must be expected (tests/expected-skips), or the run fails. */
_Noreturn void test_skip(const char *reason);
/* The seed for randomised inputs: $BRIO_TEST_SEED or a fixed one; printed. */
uint64_t test_seed(void);
uint64_t test_random(uint64_t *state); /* splitmix64 */
/* A fresh directory that is removed when the test program ends. The text stays valid. */
const char *test_tmpdir(void);
/* Writes a file (and its parents) below dir. */
void test_write_file(const char *dir, const char *path, const char *text);
/* Reads one into a static buffer, without the final newline; "(missing)" where there is none. */
const char *test_read_file(const char *dir, const char *path);

#define TEST(name)                                                                \
        static void test_##name(void);                                            \
        static struct test_case case_##name = { #name, test_##name, NULL };       \
        __attribute__((constructor)) static void register_##name(void) {          \
                test_register(&case_##name);                                      \
        }                                                                         \
        static void test_##name(void)

/* Each CHECK ends the test at its first failure and says what was there. */
#define CHECK(expr)                                                   \
        do {                                                          \
                if (!(expr)) {                                        \
                        test_fail(__FILE__, __LINE__, "%s", #expr);   \
                        return;                                       \
                }                                                     \
        } while (0)
#define CHECK_INT(actual, expected)                                                                        \
        do {                                                                                               \
                intmax_t _a = (intmax_t) (actual), _e = (intmax_t) (expected);                             \
                if (_a != _e) {                                                                            \
                        test_fail(__FILE__, __LINE__, "%s: %jd, expected %jd", #actual, _a, _e);           \
                        return;                                                                            \
                }                                                                                          \
        } while (0)
#define CHECK_STR(actual, expected)                                                                        \
        do {                                                                                               \
                const char *_a = (actual), *_e = (expected);                                               \
                if (!_a || strcmp(_a, _e) != 0) {                                                          \
                        test_fail(__FILE__, __LINE__, "%s: \"%s\", expected \"%s\"", #actual, _a ? _a : "(null)", _e); \
                        return;                                                                            \
                }                                                                                          \
        } while (0)
