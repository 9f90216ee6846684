/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an application reads while it starts: which pages of which files, in which order, and in how many of its last starts. Of files it knows
 * the names and the marks by which one that was replaced is told, nothing of what is in them. docs/prefetch.md has the account. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "macro.h"
#include "startup.h"

#define PREFETCH_PAGE_BYTES 4096u
#define PREFETCH_FILES_MAX 4096   /* a large program has some hundreds */
#define PREFETCH_RANGES_MAX 16384
#define PREFETCH_NAMES_MAX (256u << 10) /* bytes of paths: 60 for each file */
#define PREFETCH_PATH_MAX 1024
#define PREFETCH_UNNAMED "/" /* the path of a file that is not known yet */
#define PREFETCH_PAGES_MAX (1u << 18) /* a GiB: more is no start */
#define PREFETCH_STARTS 4         /* that are remembered, for each page */
#define PREFETCH_TIMES 8          /* latest starts whose lengths are remembered, with help and without */
#define PREFETCH_TEXT_MAX (1u << 20) /* bytes; more was not written by us */

struct prefetch_file {
        uint32_t path; /* where it begins in names */
        uint32_t dev;  /* of its file system while it is seen; 0 in a list that is kept: numbers change */
        uint64_t ino, size;
        int64_t mtime_ns;
};

/* Whether neither was replaced nor written since the other was looked at. */
bool prefetch_file_is_same(const struct prefetch_file *a, const struct prefetch_file *b);

struct prefetch_range {
        uint32_t file, first, count; /* pages */
        uint32_t order;              /* of its first use */
        uint8_t hits;                /* a bit for each start that is remembered, the last one's lowest */
};

struct prefetch_times {
        size_t n; /* ever */
        uint32_t ms[PREFETCH_TIMES];
};

struct prefetch_list {
        char application[APPLICATION_MAX];
        uint32_t uid;
        bool off;               /* the user wants no help for it */
        uint32_t starts;        /* learnt from; counts up to PREFETCH_STARTS */
        uint32_t since_control; /* starts with help since the last one without */
        struct prefetch_times helped, unhelped;
        size_t n_files, n_ranges, names_size;
        size_t files_room, ranges_room, names_room;
        struct prefetch_file *files;
        struct prefetch_range *ranges;
        char *names;
        uint64_t refused; /* files and ranges that found no room */
};

/* Returns 0 or -ENOMEM. */
int prefetch_list_new(const char *application, uint32_t uid, struct prefetch_list **ret);
struct prefetch_list *prefetch_list_free(struct prefetch_list *l);
DEFINE_TRIVIAL_CLEANUP_FUNC(struct prefetch_list *, prefetch_list_free)

const char *prefetch_list_path(const struct prefetch_list *l, const struct prefetch_file *f);

/* file: all but the path. Returns its place, -ENOSPC where a bound is reached, -EINVAL for a path that is not absolute or no text, or -ENOMEM. */
int prefetch_list_add_file(struct prefetch_list *l, const struct prefetch_file *file, const char *path);

/* Its place where the list has a file of that number on that file system, else as above. */
int prefetch_list_get_file(struct prefetch_list *l, const struct prefetch_file *file, const char *path);

/* Gives a file of the list that path. Returns 0, or as above. */
int prefetch_list_name_file(struct prefetch_list *l, size_t file, const char *path);

/* Pages of a file of the list, used behind all others so far. Where they follow on the range that was added last, that grows. Returns 0, -ENOSPC, -EINVAL
 * or -ENOMEM. */
int prefetch_list_add_pages(struct prefetch_list *l, uint32_t file, uint32_t first, uint32_t count, uint8_t hits);

/* What comes of what was known, with one more start. seen: what that needed, sorted or not. helped: most was read ahead, so what it read itself is what
 * the list lacks, and what it did not says nothing. Else a page is forgotten that none of the last PREFETCH_STARTS needed, or at once where the list was wrong:
 * this start needed less than half of what was wanted. A file that was replaced is taken as it is now; where a tenth of what was wanted lay in such files, the
 * times are those of another build, and go. The rest is the old one's. Returns 0 or -ENOMEM. */
int prefetch_list_merge(const struct prefetch_list *old, const struct prefetch_list *seen, bool helped, struct prefetch_list **ret);

/* Whether enough of the starts that are remembered read it. */
bool prefetch_range_is_wanted(const struct prefetch_list *l, const struct prefetch_range *r);

/* Pages that are wanted. */
uint64_t prefetch_list_wanted_pages(const struct prefetch_list *l);

/* A start took so long. */
void prefetch_times_add(struct prefetch_times *t, uint32_t ms);
/* The median; 0: there is none. */
uint32_t prefetch_times_median(const struct prefetch_times *t);
/* How many are kept: PREFETCH_TIMES at most. */
size_t prefetch_times_kept(const struct prefetch_times *t);

/* What the help is worth: medians, and of how many starts each is; 0: of none. */
struct prefetch_worth {
        uint32_t helped_ms, helped, unhelped_ms, unhelped;
};

struct prefetch_worth prefetch_list_get_worth(const struct prefetch_list *l);

/* "1.1 s; without help 2.9 s", as far as it is known; "": not at all. Returns buf. */
char *prefetch_worth_describe(const struct prefetch_worth *w, char *buf, size_t size);

/* Whether the help has been shown to be none: as many starts of each kind as PREFETCH_JUDGED at least, and the median with help is no shorter by a
 * twentieth. */
#define PREFETCH_JUDGED 3
bool prefetch_list_is_worthless(const struct prefetch_list *l);

/* Whether the next start is one to compare, without help: one of so many, the first ones sooner (of four, of eight), so that what the help is worth is known
 * early. every: 0: none. */
bool prefetch_list_is_control_due(const struct prefetch_list *l, uint32_t every);

/* prefetch-text.c: as text, which ends with a checksum, of a list whose ranges stand as prefetch_list_merge() and prefetch_list_parse() leave them: by file and
 * place. Returns 0 with malloc'ed text, or -ENOMEM. */
int prefetch_list_format(const struct prefetch_list *l, char **ret, size_t *ret_size);
/* Returns 0, -EBADMSG for what prefetch_list_format() does not write, or -ENOMEM. text has a byte of room behind it, and is taken to pieces. */
int prefetch_list_parse(char *text, size_t size, struct prefetch_list **ret);
