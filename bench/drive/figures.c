/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "figures.h"

#include <ini.h>

#include "macro.h"
#include "parts.h"
#include "str.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * 1024)
#define BLOCK 4096
/* From a completion to the next request of the same reader: what the way through loop driver and FUSE takes beyond WAY_NS (serve.c). */
#define HOST_NS (20 * NSEC_PER_USEC)
/* Where a disk's inner zone is looked at: this part of the drive lies behind. */
#define INNER_PART 32
/* The rate is looked at each time that so much is written, to find where it falls. */
#define STEP_BYTES (16 * MIB)

struct asked {
        const struct drive_workload *w;
        uint64_t random, next;
};

static void aim(struct asked *a, struct drive_request *r, bool at_random) {
        const struct drive_workload *w = a->w;
        uint64_t span = (w->span_bytes > 0 ? w->span_bytes : FIGURES_SERVED_BYTES) / w->bytes;

        *r = (struct drive_request) { .length = at_random && w->pattern == PATTERN_READ_BESIDE ? BLOCK : w->bytes };
        r->write = drive_random(&a->random) % 100 < w->write_percent && !(at_random && w->pattern == PATTERN_READ_BESIDE);
        r->offset = w->from_bytes + (at_random ? drive_random(&a->random) : a->next++) % span * w->bytes;
}

/* The first reader's requests are those that PATTERN_READ_BESIDE is about. */
static bool is_at_random(const struct drive_workload *w, const struct drive_request *r, const struct drive_request *first) {
        return w->pattern == PATTERN_RANDOM || (w->pattern == PATTERN_READ_BESIDE && r == first);
}

/* Looks at the rate each time that STEP_BYTES more are done, for the first such step that takes more than twice the first one's time. */
struct cliff {
        uint64_t step_bytes, bytes, found_bytes;
        nsec_t first_ns, since;
};

static void look_for_cliff(struct cliff *c, nsec_t now, uint64_t bytes) {
        c->bytes += bytes;
        c->step_bytes += bytes;
        if (c->step_bytes < STEP_BYTES || c->found_bytes > 0)
                return;
        if (c->first_ns == 0)
                c->first_ns = now - c->since;
        else if (now - c->since > 2 * c->first_ns)
                c->found_bytes = c->bytes - c->step_bytes;
        c->step_bytes = 0;
        c->since = now;
}

struct drive_outcome drive_run(struct drive *d, const struct drive_workload *w, uint64_t seed, unsigned n) {
        struct asked a = { .w = w, .random = seed ^ UINT64_C(0x9e3779b97f4a7c15) };
        struct drive_request requests[FIGURES_DEPTH_MAX] = { 0 };
        nsec_t begun[FIGURES_DEPTH_MAX] = { 0 }, now = 0, from = 0, sum = 0, longest = 0;
        unsigned done = 0, timed = 0;
        struct cliff cliff = { 0 };
        struct drive_engine e;

        drive_engine_init(&e, drive_model(d));
        for (size_t i = 0; i < w->depth; i++) {
                aim(&a, &requests[i], is_at_random(w, &requests[i], requests));
                drive_engine_submit(&e, &requests[i]);
        }
        while (done < w->before + n) {
                struct drive_request *r = drive_engine_complete(&e, DRIVE_NEVER - 1);
                bool at_random = is_at_random(w, r, requests);
                nsec_t *since = &begun[r - requests];

                now = r->done;
                if (w->flushed && r->write) {
                        *r = (struct drive_request) { .flush = true, .arrival = now };
                        drive_engine_submit(&e, r);
                        continue;
                }
                done++;
                look_for_cliff(&cliff, now, w->bytes);
                if (done > w->before && (w->pattern != PATTERN_READ_BESIDE || at_random)) {
                        timed++;
                        sum += now - *since;
                        longest = MAX(longest, now - *since);
                }
                if (done == w->before)
                        from = now;
                aim(&a, r, at_random);
                *since = r->arrival = now + HOST_NS;
                drive_engine_submit(&e, r);
        }
        return (struct drive_outcome) {
                .iops = (double) n * (double) NSEC_PER_SEC / (double) (now - from),
                .mbps = (double) n * (double) NSEC_PER_SEC / (double) (now - from) * (double) w->bytes / 1e6,
                .mean_us = timed > 0 ? (double) sum / timed / (double) NSEC_PER_USEC : 0,
                .longest_ms = (double) longest / (double) NSEC_PER_MSEC,
                .cliff_mb = (double) cliff.found_bytes / 1e6,
        };
}

#define WORKLOAD(p, d, b, w) .pattern = (p), .depth = (d), .bytes = (b), .write_percent = (w)
#define RANDOM(depth, bytes, write_percent) WORKLOAD(PATTERN_RANDOM, depth, bytes, write_percent)
#define SEQUENTIAL(depth, bytes, write_percent) WORKLOAD(PATTERN_SEQUENTIAL, depth, bytes, write_percent)
#define READ_BESIDE(depth, bytes, write_percent) WORKLOAD(PATTERN_READ_BESIDE, depth, bytes, write_percent)

enum what { IOPS, MBPS, MEAN_US, LONGEST_MS, CLIFF_MB };
enum where { SERVED, WHOLE, INNER };

/* What [intended] may say. Requests of 0 bytes are the largest that the drive gets. */
static const struct intention {
        const char *key, *label, *unit;
        struct drive_workload workload;
        enum what what;
        enum where where;
        unsigned n;
} intentions[] = {
        { "random_read_iops_1", "random 4 KiB reads, depth 1", "IOPS", { RANDOM(1, BLOCK, 0) }, IOPS, SERVED, 20000 },
        { "random_read_iops_4", "random 4 KiB reads, depth 4", "IOPS", { RANDOM(4, BLOCK, 0) }, IOPS, SERVED, 20000 },
        { "random_read_iops_32", "random 4 KiB reads, depth 32", "IOPS", { RANDOM(32, BLOCK, 0) }, IOPS, SERVED, 20000 },
        { "whole_read_iops_1", "random 4 KiB reads over the whole drive, depth 1", "IOPS", { RANDOM(1, BLOCK, 0) }, IOPS, WHOLE, 20000 },
        { "random_write_iops_1", "random 4 KiB writes, depth 1", "IOPS", { RANDOM(1, BLOCK, 100) }, IOPS, SERVED, 20000 },
        { "random_write_iops_32", "random 4 KiB writes, depth 32", "IOPS", { RANDOM(32, BLOCK, 100) }, IOPS, SERVED, 20000 },
        { "near_write_iops_1", "random 4 KiB writes within 256 MiB, depth 1", "IOPS", { RANDOM(1, BLOCK, 100), .span_bytes = 256 * MIB }, IOPS, SERVED, 20000 },
        { "steady_write_iops_32", "random 4 KiB writes, depth 32, after 16 GiB", "IOPS",
          { RANDOM(32, BLOCK, 100), .before = 4 << 20 }, IOPS, SERVED, 1 << 20 },
        { "mixed_iops_4", "random 4 KiB, 70 % reads, depth 4", "IOPS", { RANDOM(4, BLOCK, 30) }, IOPS, SERVED, 20000 },
        { "sequential_read_mbps", "sequential reads", "MB/s", { SEQUENTIAL(4, 0, 0) }, MBPS, SERVED, 2000 },
        { "sequential_write_mbps", "sequential writes", "MB/s", { SEQUENTIAL(4, 0, 100) }, MBPS, SERVED, 2000 },
        { "inner_read_mbps", "sequential reads, inner zone", "MB/s", { SEQUENTIAL(4, 0, 0) }, MBPS, INNER, 2000 },
        { "absorb_mbps", "writes into the empty write cache", "MB/s", { SEQUENTIAL(1, 256 * KIB, 100) }, MBPS, SERVED, 64 },
        { "absorb_us", "a random 4 KiB write into the empty write cache", "us", { RANDOM(1, BLOCK, 100) }, MEAN_US, SERVED, 100 },
        { "fsync_us", "a random 4 KiB write and its flush", "us", { RANDOM(1, BLOCK, 100), .flushed = true }, MEAN_US, SERVED, 2000 },
        { "read_beside_writes_us", "a random 4 KiB read beside sequential writes", "us", { READ_BESIDE(5, MIB, 100), .before = 8000 },
          MEAN_US, SERVED, 20000 },
        { "after_cache_write_mbps", "sequential writes, after 64 GiB", "MB/s", { SEQUENTIAL(4, 0, 100), .before = 65536 }, MBPS, SERVED, 2000 },
        { "cache_mb", "sequential writes until they are half as fast", "MB", { SEQUENTIAL(4, MIB, 100) }, CLIFF_MB, SERVED, 65536 },
        { "longest_write_ms", "longest of sequential 64 KiB writes", "ms", { SEQUENTIAL(1, 64 * KIB, 100) }, LONGEST_MS, SERVED, 20000 },
        { "longest_random_write_ms", "longest of random 64 KiB writes", "ms", { RANDOM(1, 64 * KIB, 100) }, LONGEST_MS, SERVED, 20000 },
};

struct parser {
        uint64_t request_bytes;
        size_t n;
        struct {
                const struct intention *intention;
                uint64_t value;
        } found[FIGURES_MAX];
        struct drive_load_error *error;
};

static int on_entry(void *user, const char *section, const char *name, const char *value) {
        struct parser *p = user;

        if (streq(section, "model") && streq(name, "request_kib") && str_parse_u64(value, &p->request_bytes) == 0)
                p->request_bytes *= KIB;
        if (!streq(section, "intended"))
                return 1;
        for (size_t i = 0; i < ARRAY_SIZE(intentions) && p->n < FIGURES_MAX; i++) {
                if (!streq(name, intentions[i].key))
                        continue;
                p->found[p->n].intention = &intentions[i];
                if (str_parse_u64(value, &p->found[p->n].value) < 0)
                        break;
                p->n++;
                return 1;
        }
        str_append(p->error->text, sizeof(p->error->text), "nothing measures \"%s = %s\" in [intended]", name, value);
        return 0;
}

static int read_intended(const char *path, struct parser *p) {
        _cleanup_fclose_ FILE *f = fopen(path, "re");
        int r;

        if (!f)
                return -errno;
        r = ini_parse_file(f, on_entry, p);
        p->error->line = r;
        return r == 0 ? 0 : -EINVAL;
}

static double value_of(const struct drive_outcome *o, enum what what) {
        switch (what) {
        case IOPS:
                return o->iops;
        case MBPS:
                return o->mbps;
        case MEAN_US:
                return o->mean_us;
        case LONGEST_MS:
                return o->longest_ms;
        case CLIFF_MB:
                return o->cliff_mb;
        }
        return 0;
}

static void place(struct drive_workload *w, enum where where, uint64_t capacity_bytes) {
        if (where == WHOLE)
                w->span_bytes = capacity_bytes;
        if (where == INNER) {
                w->from_bytes = (capacity_bytes - capacity_bytes / INNER_PART) / MIB * MIB;
                w->span_bytes = capacity_bytes / INNER_PART;
        }
}

static int measure(const char *path, uint64_t seed, const struct intention *i, uint64_t request_bytes, double *ret, struct drive_load_error *ret_error) {
        _cleanup_free_ struct drive *d = malloc(sizeof(*d));
        struct drive_workload w = i->workload;
        struct drive_outcome o;
        int r;

        if (!d)
                return -ENOMEM;
        r = drive_load(path, FIGURES_SERVED_BYTES, seed, d, ret_error);
        if (r < 0)
                return r;
        if (w.bytes == 0)
                w.bytes = request_bytes;
        place(&w, i->where, d->kind == DRIVE_KIND_DISK ? d->disk.params.geometry.capacity_bytes : FIGURES_SERVED_BYTES);
        o = drive_run(d, &w, seed, i->n);
        *ret = value_of(&o, i->what);
        return 0;
}

int drive_figures(const char *path, uint64_t seed, struct drive_figure ret[FIGURES_MAX], struct drive_load_error *ret_error) {
        struct drive_load_error error = { 0 };
        struct parser p = { .request_bytes = MIB, .error = &error };
        int r = read_intended(path, &p);

        for (size_t i = 0; r == 0 && i < p.n; i++) {
                const struct intention *intention = p.found[i].intention;

                ret[i] = (struct drive_figure) { .key = intention->key, .label = intention->label, .unit = intention->unit,
                                                 .intended = (double) p.found[i].value };
                r = measure(path, seed, intention, p.request_bytes, &ret[i].reached, &error);
        }
        if (r < 0)
                *ret_error = error;
        return r < 0 ? r : (int) p.n;
}
