/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scope-bound cleanup and hand-over of ownership, after the conventions of systemd. */
#pragma once

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define _cleanup_(x) __attribute__((__cleanup__(x)))
#define _printf_(a, b) __attribute__((__format__(printf, a, b)))
#define _unused_ __attribute__((__unused__))

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
/* An argument is evaluated twice: nothing that changes anything. */
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define CLAMP(x, low, high) ((x) < (low) ? (low) : ((x) > (high) ? (high) : (x)))

#define container_of(ptr, type, member) ((type *) ((char *) (ptr) - offsetof(type, member)))

/* Yields the value and leaves NULL (or -1) behind: the caller now owns it. */
#define TAKE_PTR(ptr)                    \
        ({                               \
                typeof(ptr) _p_ = (ptr); \
                (ptr) = NULL;            \
                _p_;                     \
        })
#define TAKE_FD(fd)            \
        ({                     \
                int _f_ = (fd); \
                (fd) = -1;     \
                _f_;           \
        })

#define DEFINE_TRIVIAL_CLEANUP_FUNC(type, func)  \
        static inline void func##p(type *p) {    \
                if (*p)                          \
                        *p = func(*p);           \
        }

static inline void freep(void *p) {
        free(*(void **) p);
}

/* Closes fd unless it is negative, keeps errno, returns -1: fd = safe_close(fd). */
int safe_close(int fd);

static inline void closep(int *fd) {
        *fd = safe_close(*fd);
}

static inline void fclosep(FILE **f) {
        if (*f)
                fclose(*f);
}

static inline void closedirp(DIR **d) {
        if (*d)
                closedir(*d);
}

#define _cleanup_free_ _cleanup_(freep)
#define _cleanup_close_ _cleanup_(closep)
#define _cleanup_closedir_ _cleanup_(closedirp)
#define _cleanup_fclose_ _cleanup_(fclosep)

/* A sum that is too great stays at the greatest. */
static inline uint32_t add_saturating(uint32_t a, uint32_t b) {
        return a + MIN(b, UINT32_MAX - a);
}

static inline int streq(const char *a, const char *b) {
        return strcmp(a, b) == 0;
}

/* What is behind the prefix of s; NULL where it has another. */
static inline const char *startswith(const char *s, const char *prefix) {
        size_t n = strlen(prefix);

        return strncmp(s, prefix, n) == 0 ? s + n : NULL;
}
