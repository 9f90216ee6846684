/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/stat.h>

#include "fdio.h"
#include "str.h"
#include "test.h"

static struct test_case *cases, **last = &cases;
static bool failed;
static const char *skipped;
static jmp_buf skip_point;
static char tmpdir[PATH_MAX];

void test_register(struct test_case *t) {
        *last = t;
        last = &t->next;
}

void test_fail(const char *file, int line, const char *format, ...) {
        va_list args;

        failed = true;
        printf("# %s:%d: ", file, line);
        va_start(args, format);
        vprintf(format, args);
        va_end(args);
        putchar('\n');
}

void test_skip(const char *reason) {
        skipped = reason;
        longjmp(skip_point, 1);
}

uint64_t test_seed(void) {
        const char *text = getenv("BRIO_TEST_SEED");
        uint64_t seed = 20261121;

        if (text && str_parse_u64(text, &seed) < 0)
                fprintf(stderr, "BRIO_TEST_SEED is not a number: %s\n", text);
        printf("# seed %" PRIu64 "\n", seed);
        return seed;
}

uint64_t test_random(uint64_t *state) {
        uint64_t z = *state += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
}

static int remove_entry(const char *path, const struct stat *st _unused_, int type _unused_, struct FTW *ftw _unused_) {
        return remove(path);
}

const char *test_tmpdir(void) {
        if (!*tmpdir) {
                const char *base = getenv("TMPDIR");
                snprintf(tmpdir, sizeof(tmpdir), "%s/brio-test-XXXXXX", base ? base : "/tmp");
                if (!mkdtemp(tmpdir)) {
                        perror(tmpdir);
                        exit(99);
                }
        }
        return tmpdir;
}

void test_write_file(const char *dir, const char *path, const char *text) {
        char full[PATH_MAX], parent[PATH_MAX];
        _cleanup_fclose_ FILE *f = NULL;

        if (snprintf(full, sizeof(full), "%s/%s", dir, path) >= (int) sizeof(full))
                abort();
        f = fopen(full, "we");
        if (!f && errno == ENOENT) {
                str_copy(parent, sizeof(parent), full);
                *strrchr(parent, '/') = '\0';
                if (fdio_mkdir_parents(parent) == 0)
                        f = fopen(full, "we");
        }
        if (!f || fputs(text, f) < 0) {
                perror(full);
                exit(99);
        }
}

const char *test_read_file(const char *dir, const char *path) {
        static char text[65536];
        char full[PATH_MAX];

        if (snprintf(full, sizeof(full), "%s/%s", dir, path) >= (int) sizeof(full))
                abort();
        return fdio_read_at(AT_FDCWD, full, text, sizeof(text)) < 0 ? "(missing)" : text;
}

static void run_case(const struct test_case *t) {
        failed = false;
        skipped = NULL;
        if (setjmp(skip_point) == 0)
                t->run();
}

int main(void) {
        unsigned n = 0, failures = 0;

        umask(022); /* what tests make is for all, whatever the shell would have */
        setvbuf(stdout, NULL, _IOLBF, 0);
        for (struct test_case *t = cases; t; t = t->next) {
                run_case(t);
                n++;
                failures += failed;
                printf("%sok %u - %s%s%s\n", failed ? "not " : "", n, t->name, skipped ? " # SKIP " : "", skipped ? skipped : "");
        }
        printf("1..%u\n", n);
        if (*tmpdir)
                nftw(tmpdir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
        return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
