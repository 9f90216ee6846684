/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
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
#define EXTENTS_MAX 64
/* How often it is asked how memory stands. */
#define MEMORY_PAGES ((4096u << 10) / PREFETCH_PAGE_BYTES)
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
        if (limits->control_every > 0 && l->since_control + 1 >= limits->control_every)
                return PREFETCH_CONTROL;
        return PREFETCH_PLAYED;
}

/* A file of the list. */
struct opened {
        int fd; /* -1: not to be read */
        uint32_t chunk; /* pages */
};

/* A range that is to be read, and where it lies on the drive. */
struct piece {
        int fd;
        uint32_t first, count, order, chunk;
        uint64_t at; /* bytes; with heads */
};

struct play {
        const struct prefetch_list *list;
        const struct prefetch_places *places;
        const struct prefetch_limits *limits;
        struct prefetch_result *result;
        bool heads;
        struct opened *files; /* of the list */
        struct piece *pieces;
        size_t n;
        uint32_t chunks[PREFETCH_PLACES_MAX]; /* of files at each place */
        nsec_t end;
        uint64_t pages_max, pages_to_memory;
};

static int compare_orders(const void *a, const void *b) {
        const struct piece *x = a, *y = b;

        return (x->order > y->order) - (x->order < y->order);
}

static int compare_places(const void *a, const void *b) {
        const struct piece *x = a, *y = b;

        return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : compare_orders(a, b);
}

static bool is_same(const struct prefetch_file *f, const struct stat *st) {
        return S_ISREG(st->st_mode) && (st->st_mode & S_IROTH) && st->st_ino == f->ino && (uint64_t) st->st_size == f->size &&
               st->st_mtim.tv_sec * (int64_t) NSEC_PER_SEC + st->st_mtim.tv_nsec == f->mtime_ns;
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

static struct opened open_file(struct play *p, const struct prefetch_file *f) {
        const struct prefetch_place *place;
        _cleanup_close_ int fd = prefetch_places_open(p->places, prefetch_list_path(p->list, f), O_RDONLY | O_NONBLOCK | O_NOCTTY, &place);
        struct stat st;

        if (fd < 0 || fstat(fd, &st) < 0 || !is_same(f, &st))
                return (struct opened){ .fd = -1 };
        p->heads |= place->heads;
        return (struct opened){ TAKE_FD(fd), p->chunks[place - p->places->places] };
}

/* Where each range of a file lies: from its extents, which the file system has with the inode. */
static void locate(struct piece *pieces, size_t n) {
        _Alignas(struct fiemap) char buf[sizeof(struct fiemap) + EXTENTS_MAX * sizeof(struct fiemap_extent)] = { 0 };
        struct fiemap *map = (struct fiemap *) buf;

        map->fm_length = FIEMAP_MAX_OFFSET;
        map->fm_extent_count = EXTENTS_MAX;
        if (ioctl(pieces[0].fd, FS_IOC_FIEMAP, map) < 0)
                return;
        for (size_t i = 0; i < n; i++)
                for (uint32_t k = 0; k < map->fm_mapped_extents; k++) {
                        const struct fiemap_extent *e = &map->fm_extents[k];
                        uint64_t offset = (uint64_t) pieces[i].first * PREFETCH_PAGE_BYTES;
                        if (offset >= e->fe_logical && offset - e->fe_logical < e->fe_length)
                                pieces[i].at = e->fe_physical + offset - e->fe_logical;
                }
}

/* Those of a file stand together, in their order within it. */
static void collect(struct play *p) {
        for (size_t i = 0; i < p->list->n_ranges; i++) {
                const struct prefetch_range *r = &p->list->ranges[i];
                const struct opened *f = &p->files[r->file];
                struct piece *last = p->n > 0 ? &p->pieces[p->n - 1] : NULL;
                if (f->fd < 0 || !prefetch_range_is_wanted(p->list, r))
                        continue;
                if (last && last->fd == f->fd && r->first >= last->first + last->count && r->first - last->first - last->count <= GAP_PAGES) {
                        last->count = r->first + r->count - last->first;
                        last->order = MIN(last->order, r->order);
                        continue;
                }
                p->pieces[p->n++] = (struct piece){ .fd = f->fd, .first = r->first, .count = r->count, .order = r->order, .chunk = f->chunk };
        }
}

static void sort(struct play *p) {
        for (size_t i = 0, k; p->heads && i < p->n; i = k) {
                for (k = i + 1; k < p->n && p->pieces[k].fd == p->pieces[i].fd; k++)
                        ;
                locate(p->pieces + i, k - i);
        }
        qsort(p->pieces, p->n, sizeof(*p->pieces), p->heads ? compare_places : compare_orders);
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

/* Returns false where the rest is to be left. */
static bool may_go_on(struct play *p, uint64_t pages) {
        if (clock_now(CLOCK_MONOTONIC) >= p->end) {
                p->result->outcome = PREFETCH_STOPPED;
                return false;
        }
        if (pages < p->pages_to_memory)
                return true;
        p->pages_to_memory = pages + MEMORY_PAGES;
        if (pages >= p->pages_max || is_memory_short()) {
                p->result->outcome = PREFETCH_SHORT;
                return false;
        }
        return true;
}

static void read_ahead(struct play *p) {
        uint64_t pages = 0;

        for (size_t i = 0; i < p->n; i++) {
                const struct piece *piece = &p->pieces[i];
                for (uint32_t k = 0; k < piece->count; k += piece->chunk) {
                        uint32_t count = MIN(piece->chunk, piece->count - k);
                        if (!may_go_on(p, pages))
                                return;
                        if (posix_fadvise(piece->fd, (off_t) (piece->first + k) * PREFETCH_PAGE_BYTES, (off_t) count * PREFETCH_PAGE_BYTES, POSIX_FADV_WILLNEED) != 0)
                                break;
                        pages += count;
                        p->result->bytes = pages * PREFETCH_PAGE_BYTES;
                }
                p->result->ranges++;
        }
}

/* Of this process: what it had the drives read. */
static uint64_t read_so_far(void) {
        struct rusage u;

        return getrusage(RUSAGE_SELF, &u) < 0 ? 0 : (uint64_t) u.ru_inblock * 512;
}

static int compare_inodes(const void *a, const void *b, void *list) {
        const struct prefetch_list *l = list;
        const struct prefetch_file *x = &l->files[*(const uint32_t *) a], *y = &l->files[*(const uint32_t *) b];

        return (x->ino > y->ino) - (x->ino < y->ino);
}

/* What the inodes and directories need is read with that: in the order in which the inodes lie. */
static bool open_files(struct play *p) {
        const struct prefetch_list *l = p->list;
        _cleanup_free_ uint32_t *by_inode = calloc(MAX(l->n_files, (size_t) 1), sizeof(*by_inode));
        _cleanup_free_ bool *wanted = calloc(MAX(l->n_files, (size_t) 1), sizeof(*wanted));

        if (!by_inode || !wanted)
                return false;
        for (size_t i = 0; i < l->n_ranges; i++)
                wanted[l->ranges[i].file] |= prefetch_range_is_wanted(l, &l->ranges[i]);
        for (uint32_t i = 0; i < l->n_files; i++) {
                by_inode[i] = i;
                p->files[i].fd = -1;
        }
        qsort_r(by_inode, l->n_files, sizeof(*by_inode), compare_inodes, (void *) l);
        for (size_t i = 0; i < l->n_files && clock_now(CLOCK_MONOTONIC) < p->end; i++) {
                uint32_t k = by_inode[i];
                if (!wanted[k])
                        continue;
                p->files[k] = open_file(p, &l->files[k]);
                p->result->files += p->files[k].fd >= 0;
                p->result->missing += p->files[k].fd < 0;
        }
        return true;
}

static uint32_t find_drive(const struct prefetch_list *l, const struct prefetch_places *places) {
        uint64_t pages[PREFETCH_PLACES_MAX] = { 0 }; /* of a drive, with the first place on it */
        size_t most = 0;

        for (size_t i = 0; i < l->n_ranges; i++) {
                const struct prefetch_range *r = &l->ranges[i];
                const struct prefetch_place *place = prefetch_places_find(places, prefetch_list_path(l, &l->files[r->file]));
                size_t k = 0;
                if (!place || !prefetch_range_is_wanted(l, r))
                        continue;
                while (places->places[k].dev != place->dev)
                        k++;
                pages[k] += r->count;
                if (pages[k] > pages[most])
                        most = k;
        }
        return pages[most] > 0 ? places->places[most].dev : 0;
}

void prefetch_play_begin(const struct prefetch_list *l, const struct prefetch_places *places, struct prefetch_result *ret) {
        *ret = (struct prefetch_result){ .outcome = PREFETCH_STOPPED, .dev = find_drive(l, places), .worth = prefetch_list_get_worth(l) };
}

void prefetch_play(const struct prefetch_list *l, const struct prefetch_places *places, const struct prefetch_limits *limits, struct prefetch_result *ret) {
        nsec_t begun = clock_now(CLOCK_MONOTONIC);
        _cleanup_free_ struct opened *files = calloc(MAX(l->n_files, (size_t) 1), sizeof(*files));
        _cleanup_free_ struct piece *pieces = calloc(MAX(l->n_ranges, (size_t) 1), sizeof(*pieces));
        struct play p = { .list = l, .places = places, .limits = limits, .result = ret, .files = files, .pieces = pieces, .end = begun + limits->time };

        ret->outcome = PREFETCH_PLAYED;
        for (size_t i = 0; i < places->n; i++)
                p.chunks[i] = find_chunk(places->places[i].fs_dev);
        p.pages_max = MIN(limits->bytes / PREFETCH_PAGE_BYTES, available_pages() * limits->memory_percent / 100);
        if (!files || !pieces || !open_files(&p)) {
                ret->outcome = PREFETCH_FAILED;
                return;
        }
        collect(&p);
        sort(&p);
        read_ahead(&p);
        for (size_t i = 0; i < l->n_files; i++)
                safe_close(files[i].fd);
        ret->read_bytes = read_so_far();
        ret->cpu = clock_now(CLOCK_PROCESS_CPUTIME_ID);
        ret->took = nsec_sub(clock_now(CLOCK_MONOTONIC), begun);
}
