/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "clock.h"
#include "fdio.h"
#include "macro.h"
#include "prefetch-play.h"
#include "str.h"

/* What is asked for at a time: not so much that the limits are looked at too late. The kernel takes what the queue has as its largest request, and leaves out
 * the rest (force_page_cache_ra()); where that is not known, so much as is usual for reading ahead. */
#define CHUNK_MAX_KIB 1024u
#define CHUNK_UNKNOWN_KIB 128u
/* So much between two ranges of a file is read with them: on the way past it the drive takes no longer. */
#define GAP_PAGES 4u
/* How often it is asked how memory stands. */
#define LOOK_PAGES ((4096u << 10) / PREFETCH_PAGE_BYTES)
#define MEMORY_FILE "/proc/meminfo"
#define MEMORY_BYTES 4096
/* All that would run wait for memory at once for so much of the time (Documentation/accounting/psi.rst): then there is none to spare. That some of them
 * wait is usual beside programs that write much. */
#define PRESSURE_FILE "/proc/pressure/memory"
#define PRESSURE_PERCENT 10

const char *prefetch_outcome_to_string(enum prefetch_outcome o) {
        static const char *const names[_PREFETCH_OUTCOME_MAX] = {
                [PREFETCH_NONE] = "none", [PREFETCH_PLAYED] = "played", [PREFETCH_CONTROL] = "control", [PREFETCH_OFF] = "off",
                [PREFETCH_WORTHLESS] = "worthless", [PREFETCH_SHORT] = "short-of-memory", [PREFETCH_STOPPED] = "stopped", [PREFETCH_FAILED] = "failed",
        };

        return names[o];
}

bool prefetch_outcome_is_help(enum prefetch_outcome o) {
        return o == PREFETCH_PLAYED || o == PREFETCH_SHORT || o == PREFETCH_STOPPED;
}

enum prefetch_outcome prefetch_choose(const struct prefetch_list *l, const struct prefetch_limits *limits) {
        if (l->off)
                return PREFETCH_OFF;
        if (l->starts == 0 || prefetch_list_wanted_pages(l) == 0)
                return PREFETCH_NONE;
        if (prefetch_list_is_worthless(l))
                return PREFETCH_WORTHLESS;
        if (prefetch_list_is_control_due(l, limits->control_every))
                return PREFETCH_CONTROL;
        return PREFETCH_PLAYED;
}

/* A file's turn. */
struct turn {
        uint64_t key;   /* the lowest comes first */
        uint32_t file;
        size_t range;   /* its first one that is wanted; the others stand behind it, in their order within the file */
};

struct play {
        const struct prefetch_list *list;
        const struct prefetch_places *places;
        const struct prefetch_limits *limits;
        struct prefetch_result *result;
        uint32_t chunks[PREFETCH_PLACES_MAX]; /* pages, of files at each place */
        nsec_t end;
        uint64_t read_before; /* by this process */
        uint64_t pages, pages_max, pages_to_look;
};

static int compare_turns(const void *a, const void *b) {
        const struct turn *x = a, *y = b;

        return (x->key > y->key) - (x->key < y->key);
}

static bool is_same(const struct prefetch_file *f, const struct stat *st) {
        const struct prefetch_file now = prefetch_file_of(st, f->dev);

        return S_ISREG(st->st_mode) && (st->st_mode & S_IROTH) && prefetch_file_is_same(f, &now);
}

static uint32_t find_chunk(uint32_t fs_dev) {
        char path[64], text[16];
        uint64_t kib = CHUNK_UNKNOWN_KIB;

        for (size_t i = 0; i < 2; i++) { /* of a partition it is its drive's */
                snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/%squeue/max_sectors_kb", fs_dev >> 20, fs_dev & ((1u << 20) - 1), i == 0 ? "" : "../");
                if (fdio_read_at(AT_FDCWD, path, text, sizeof(text)) > 0 && str_parse_u64(text, &kib) == 0)
                        break;
        }
        return CLAMP((uint32_t) MIN(kib, (uint64_t) CHUNK_MAX_KIB), 4u, CHUNK_MAX_KIB) * 1024 / PREFETCH_PAGE_BYTES;
}

static int open_file(const struct play *p, const struct prefetch_file *f, uint32_t *ret_chunk) {
        const struct prefetch_place *place;
        _cleanup_close_ int fd = prefetch_places_open(p->places, prefetch_list_path(p->list, f), O_RDONLY | O_NONBLOCK | O_NOCTTY, &place);
        struct stat st;

        if (fd < 0 || fstat(fd, &st) < 0 || !is_same(f, &st))
                return -1;
        *ret_chunk = p->chunks[place - p->places->places];
        return TAKE_FD(fd);
}

/* "MemAvailable:    1234 kB"; 0: not known. */
static uint64_t available_pages(void) {
        char text[MEMORY_BYTES];
        const char *at;
        unsigned long long kib;

        if (fdio_read_at(AT_FDCWD, MEMORY_FILE, text, sizeof(text)) < 0 || !(at = strstr(text, "MemAvailable:")) ||
            sscanf(at, "MemAvailable: %llu", &kib) != 1)
                return 0;
        return kib * 1024 / PREFETCH_PAGE_BYTES;
}

static bool is_memory_short(void) {
        char text[MEMORY_BYTES];
        const char *full;
        double percent;

        if (fdio_read_at(AT_FDCWD, PRESSURE_FILE, text, sizeof(text)) < 0)
                return false;
        full = strstr(text, "full avg10=");
        return full && sscanf(full, "full avg10=%lf", &percent) == 1 && percent > PRESSURE_PERCENT;
}

/* Of this process: what it had the drives read. */
static uint64_t read_so_far(void) {
        struct rusage u;

        return getrusage(RUSAGE_SELF, &u) < 0 ? 0 : (uint64_t) u.ru_inblock * 512;
}

/* Returns false where the user has had what there is. */
static bool note(const struct play *p) {
        const struct prefetch_limits *l = p->limits;

        p->result->read_bytes = read_so_far() - p->read_before;
        return !l->account || prefetch_account_note(l->account, l->play, l->used + p->result->bytes, read_so_far(), clock_now(CLOCK_MONOTONIC));
}

/* Others use memory meanwhile, and read ahead, too. */
static bool has_room(const struct play *p) {
        const struct prefetch_limits *l = p->limits;
        uint64_t asked;

        if (p->pages >= p->pages_max || is_memory_short())
                return false;
        asked = l->account ? prefetch_account_asked(l->account) : l->used + p->result->bytes;
        return asked / PREFETCH_PAGE_BYTES < available_pages() * l->memory_percent / 100;
}

/* Returns false where the rest is to be left. */
static bool may_go_on(struct play *p) {
        bool has_some = note(p);

        if (clock_now(CLOCK_MONOTONIC) >= p->end) {
                p->result->outcome = PREFETCH_STOPPED;
                return false;
        }
        if (has_some && p->pages < p->pages_to_look)
                return true;
        p->pages_to_look = p->pages + LOOK_PAGES;
        if (!has_some || !has_room(p)) {
                p->result->outcome = PREFETCH_SHORT;
                return false;
        }
        return true;
}

/* Returns as above. */
static bool read_piece(struct play *p, int fd, uint64_t first, uint64_t end, uint32_t chunk) {
        for (uint64_t at = first; at < end; at += chunk) {
                uint64_t count = MIN(chunk, end - at);
                if (!may_go_on(p))
                        return false;
                if (posix_fadvise(fd, (off_t) at * PREFETCH_PAGE_BYTES, (off_t) count * PREFETCH_PAGE_BYTES, POSIX_FADV_WILLNEED) != 0)
                        break;
                p->pages += count;
                p->result->bytes = p->pages * PREFETCH_PAGE_BYTES;
        }
        p->result->ranges++;
        return true;
}

/* Returns as above. */
static bool read_file(struct play *p, const struct turn *t) {
        const struct prefetch_list *l = p->list;
        uint64_t first = l->ranges[t->range].first, end = first;
        uint32_t chunk;
        _cleanup_close_ int fd = open_file(p, &l->files[t->file], &chunk);

        p->result->files += fd >= 0;
        p->result->missing += fd < 0;
        if (fd < 0)
                return true;
        for (size_t i = t->range; i < l->n_ranges && l->ranges[i].file == t->file; i++) {
                const struct prefetch_range *r = &l->ranges[i];
                if (!prefetch_range_is_wanted(l, r))
                        continue;
                if (r->first < end || r->first - end > GAP_PAGES) {
                        if (end > first && !read_piece(p, fd, first, end, chunk))
                                return false;
                        first = r->first;
                }
                end = (uint64_t) r->first + r->count;
        }
        return read_piece(p, fd, first, end, chunk);
}

/* Where each file is; NULL: below no place. malloc'ed. */
static const struct prefetch_place **find_places(const struct prefetch_list *l, const struct prefetch_places *places) {
        const struct prefetch_place **at = calloc(MAX(l->n_files, (size_t) 1), sizeof(*at));

        for (size_t i = 0; at && i < l->n_files; i++)
                at[i] = prefetch_places_find(places, prefetch_list_path(l, &l->files[i]));
        return at;
}

/* On drives with heads in the order of the inodes, near which the file's data lie, too; on others in that of first use. */
static size_t list_turns(const struct play *p, const struct prefetch_place *const *at, struct turn *ret) {
        const struct prefetch_list *l = p->list;
        size_t n = 0;

        for (size_t i = 0; i < l->n_ranges; i++) {
                const struct prefetch_range *r = &l->ranges[i];
                bool heads = at[r->file] && at[r->file]->heads;
                if (!prefetch_range_is_wanted(l, r))
                        continue;
                if (n == 0 || ret[n - 1].file != r->file)
                        ret[n++] = (struct turn){ heads ? l->files[r->file].ino : r->order, r->file, i };
                else if (!heads)
                        ret[n - 1].key = MIN(ret[n - 1].key, (uint64_t) r->order);
        }
        qsort(ret, n, sizeof(*ret), compare_turns);
        return n;
}

static void find_drive(const struct prefetch_list *l, const struct prefetch_places *places, struct prefetch_result *ret) {
        _cleanup_free_ const struct prefetch_place **at = find_places(l, places);
        uint64_t pages[PREFETCH_PLACES_MAX] = { 0 }; /* of a drive, with the first place on it */
        size_t most = 0;

        for (size_t i = 0; at && i < l->n_ranges; i++) {
                const struct prefetch_range *r = &l->ranges[i];
                size_t k = 0;
                if (!at[r->file] || !prefetch_range_is_wanted(l, r))
                        continue;
                while (places->places[k].dev != at[r->file]->dev)
                        k++;
                pages[k] += r->count;
                if (pages[k] > pages[most])
                        most = k;
        }
        if (pages[most] == 0)
                return;
        ret->dev = places->places[most].dev;
        ret->heads = places->places[most].heads;
}

void prefetch_play_begin(const struct prefetch_list *l, const struct prefetch_places *places, struct prefetch_result *ret) {
        *ret = (struct prefetch_result){ .outcome = PREFETCH_STOPPED, .worth = prefetch_list_get_worth(l) };
        find_drive(l, places, ret);
}

void prefetch_play(const struct prefetch_list *l, const struct prefetch_places *places, const struct prefetch_limits *limits, struct prefetch_result *ret) {
        nsec_t begun = clock_now(CLOCK_MONOTONIC);
        uint64_t most = limits->bytes / PREFETCH_PAGE_BYTES;
        _cleanup_free_ struct turn *turns = calloc(MAX(l->n_ranges, (size_t) 1), sizeof(*turns));
        _cleanup_free_ const struct prefetch_place **at = find_places(l, places);
        struct play p = { .list = l, .places = places, .limits = limits, .result = ret, .end = begun + limits->time, .read_before = read_so_far() };
        size_t n = 0;

        ret->outcome = turns && at ? PREFETCH_PLAYED : PREFETCH_FAILED;
        for (size_t i = 0; i < places->n; i++)
                p.chunks[i] = find_chunk(places->places[i].fs_dev);
        p.pages_max = most - MIN(limits->used / PREFETCH_PAGE_BYTES, most);
        if (turns && at)
                n = list_turns(&p, at, turns);
        for (size_t i = 0; i < n && may_go_on(&p) && read_file(&p, &turns[i]); i++)
                ;
        (void) note(&p);
        ret->took = nsec_sub(clock_now(CLOCK_MONOTONIC), begun);
}
