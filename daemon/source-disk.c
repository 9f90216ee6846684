/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>

#include "diskstats.h"
#include "fdio.h"
#include "source-disk.h"
#include "str.h"

/* A seq_file answers at most a page a read, in whole lines; what a recorded file holds may be cut anywhere. */
#define DISKSTATS_BUFFER_BYTES 16384

/* A line is under 400 bytes with 32 bytes of name and 17 numbers of 20 digits: one that fills the buffer is no line. */

struct disk_base {
        uint32_t dev;
        bool known; /* counters and t hold the last reading */
        bool told;  /* a drive of ours; else only when it did something is kept */
        uint64_t sample; /* the number of the sample that saw it last */
        nsec_t t;
        nsec_t busy; /* when I/O of it was seen last; 0: never */
        struct disk_counters counters;
};

struct source_disk {
        struct event_sink sink;
        char *root, *path;
        int fd;
        int error; /* of the last sample */
        uint64_t sample;
        size_t n_bases;
        struct disk_base *bases;
        char buf[DISKSTATS_BUFFER_BYTES + 1];
};

int source_disk_new(const char *root, struct event_sink sink, struct source_disk **ret) {
        struct source_disk *s = calloc(1, sizeof(*s));

        if (!s)
                return -ENOMEM;
        s->fd = -1;
        s->sink = sink;
        s->root = strdup(root);
        if (!s->root || asprintf(&s->path, "%s/proc/diskstats", root) < 0) {
                s->path = NULL;
                source_disk_free(s);
                return -ENOMEM;
        }
        *ret = s;
        return 0;
}

struct source_disk *source_disk_free(struct source_disk *s) {
        if (!s)
                return NULL;
        safe_close(s->fd);
        free(s->root);
        free(s->path);
        free(s->bases);
        free(s);
        return NULL;
}

static struct disk_base *find_base(struct source_disk *s, uint32_t dev) {
        for (size_t i = 0; i < s->n_bases; i++)
                if (s->bases[i].dev == dev)
                        return &s->bases[i];
        return NULL;
}

static int ensure_base(struct source_disk *s, uint32_t dev, struct disk_base **ret) {
        struct disk_base *b = find_base(s, dev), *bases;

        if (dev == 0)
                return -EINVAL;
        if (!b) {
                bases = reallocarray(s->bases, s->n_bases + 1, sizeof(*bases));
                if (!bases)
                        return -ENOMEM;
                s->bases = bases;
                b = &bases[s->n_bases++];
                *b = (struct disk_base) { .dev = dev };
        }
        *ret = b;
        return 0;
}

int source_disk_add(struct source_disk *s, uint32_t dev) {
        struct disk_base *b;
        int r = ensure_base(s, dev, &b);

        if (r < 0)
                return r;
        if (!b->told)
                *b = (struct disk_base) { .dev = dev, .told = true };
        return 0;
}

int source_disk_add_other(struct source_disk *s, uint32_t dev) {
        struct disk_base *b;

        return ensure_base(s, dev, &b);
}

size_t source_disk_list_others(const struct source_disk *s, struct drive_activity *ret, size_t size) {
        size_t n = 0;

        for (size_t i = 0; i < s->n_bases && n < size; i++)
                if (!s->bases[i].told)
                        ret[n++] = (struct drive_activity){ s->bases[i].dev, s->bases[i].busy };
        return n;
}

uint64_t source_disk_read_bytes(const struct source_disk *s) {
        uint64_t sectors = 0;

        for (size_t i = 0; i < s->n_bases; i++)
                if (s->bases[i].told && s->bases[i].known)
                        sectors += s->bases[i].counters.read_sectors;
        return sectors * SECTOR_BYTES;
}

void source_disk_remove(struct source_disk *s, uint32_t dev) {
        struct disk_base *b = find_base(s, dev);

        if (b)
                *b = s->bases[--s->n_bases];
}

/* With fewer writes in a sample it says nothing whether they are merged. */
#define MERGES_WRITES 25

static void report_merges(struct source_disk *s, const struct disk_base *b, const struct disk_counters *c, const struct event *stat) {
        struct event e = { .t = stat->t, .kind = EVENT_DEVICE_MERGES, .dev = stat->dev };

        if (stat->device_stat.writes < MERGES_WRITES || c->write_merges < b->counters.write_merges)
                return;
        e.merges = (struct event_device_merges){
                .span_us = stat->device_stat.span_us,
                .writes = (uint32_t) MIN(c->write_merges - b->counters.write_merges, UINT32_MAX),
        };
        s->sink.fn(s->sink.userdata, &e);
}

/* Where nothing is told, it is enough that something moved. */
static bool note_other(struct disk_base *b, const struct disk_counters *c, nsec_t now) {
        if (c->inflight > 0 || (b->known && (c->reads != b->counters.reads || c->writes != b->counters.writes)))
                b->busy = now;
        b->known = true;
        b->counters = *c;
        return false;
}

/* Returns whether the drive is one of ours and busy. */
static bool report(struct source_disk *s, struct disk_base *b, const struct disk_counters *c, nsec_t now) {
        struct event e = { .t = now, .kind = EVENT_DEVICE_STAT, .dev = b->dev };
        uint64_t span_us = nsec_sub(now, b->t) / NSEC_PER_USEC;
        bool busy;

        b->sample = s->sample;
        if (!b->told)
                return note_other(b, c, now);
        if (!b->known || diskstats_subtract(c, &b->counters, &e.device_stat) < 0) {
                b->known = true;
                b->t = now;
                b->counters = *c;
                return c->inflight > 0;
        }
        busy = e.device_stat.reads > 0 || e.device_stat.writes > 0 || c->discards > b->counters.discards || c->inflight > 0;
        if (span_us == 0) /* two samples at one time: rates over it mean nothing, the next sample has the sum */
                return busy;
        e.device_stat.span_us = (uint32_t) MIN(span_us, UINT32_MAX);
        report_merges(s, b, c, &e);
        b->t = now;
        b->counters = *c;
        s->sink.fn(s->sink.userdata, &e);
        return busy;
}

/* Takes one line. Returns true if it was that of an added drive not yet seen in this sample. */
static bool take_line(struct source_disk *s, char *line, nsec_t now, bool *busy) {
        struct disk_counters c;
        struct disk_base *b;
        uint32_t dev;

        if (diskstats_take_dev(&line, &dev) < 0)
                return false;
        b = find_base(s, dev);
        if (!b || b->sample == s->sample || !line || diskstats_parse(line, &c) < 0)
                return false;
        *busy |= report(s, b, &c, now);
        return true;
}

/* Takes the whole lines of buf and moves the rest to its start. Returns the length of the rest. */
static size_t take_lines(struct source_disk *s, size_t length, nsec_t now, size_t *missing, bool *busy) {
        char *line = s->buf, *end = s->buf + length, *newline;

        while (*missing > 0 && (newline = memchr(line, '\n', (size_t) (end - line)))) {
                *newline = '\0';
                *missing -= take_line(s, line, now, busy);
                line = newline + 1;
        }
        memmove(s->buf, line, (size_t) (end - line));
        return (size_t) (end - line);
}

static int read_and_report(struct source_disk *s, nsec_t now, bool *ret_busy) {
        size_t missing = s->n_bases, rest = 0;
        off_t offset = 0;
        bool busy = false;

        while (missing > 0) {
                ssize_t n = pread(s->fd, s->buf + rest, DISKSTATS_BUFFER_BYTES - rest, offset);

                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0)
                        return -errno;
                if (n == 0) /* a last line without its end is cut: its last number may lack digits */
                        break;
                offset += n;
                rest = take_lines(s, rest + (size_t) n, now, &missing, &busy);
                if (rest == DISKSTATS_BUFFER_BYTES)
                        return -EFBIG;
        }
        if (ret_busy)
                *ret_busy = busy;
        return 0;
}

/* A recorded file may be replaced between samples, so that one is opened each time. */
static int ensure_open(struct source_disk *s) {
        if (s->fd >= 0 && *s->root)
                s->fd = safe_close(s->fd);
        if (s->fd < 0)
                s->fd = open(s->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
        return s->fd < 0 ? -errno : 0;
}

int source_disk_sample(struct source_disk *s, nsec_t now, bool *ret_busy) {
        s->sample++;
        s->error = ensure_open(s);
        if (s->error >= 0)
                s->error = read_and_report(s, now, ret_busy);
        if (s->error < 0)
                return s->error;
        for (size_t i = s->n_bases; i-- > 0;) {
                if (s->bases[i].sample == s->sample)
                        continue;
                s->bases[i].known = false;
                if (!s->bases[i].told)
                        s->bases[i] = s->bases[--s->n_bases];
        }
        return 0;
}

/* queue/iostats = 0 freezes a drive's counters: it looks idle for ever. */
static bool counts_nothing(const struct source_disk *s, uint32_t dev) {
        char path[PATH_MAX], text[ATTRIBUTE_MAX];

        if (snprintf(path, sizeof(path), "%s/sys/dev/block/%u:%u/queue/iostats", s->root, DEV_MAJOR(dev), DEV_MINOR(dev)) >=
            (int) sizeof(path))
                return false;
        return fdio_read_at(AT_FDCWD, path, text, sizeof(text)) >= 0 && streq(text, "0");
}

static size_t probe(void *source, struct source_info *ret) {
        struct source_disk *s = source;
        int r = ensure_open(s);
        size_t n = 0;

        *ret = (struct source_info) { .name = "diskstats", .state = SOURCE_WORKS };
        if (r >= 0 && s->error < 0)
                r = s->error;
        if (r < 0) {
                ret->state = SOURCE_UNAVAILABLE;
                snprintf(ret->detail, sizeof(ret->detail),
                         "/proc/diskstats cannot be read (%s), so no drive can be watched; the kernel needs CONFIG_PROC_FS and "
                         "briod a mounted /proc", strerrordesc_np(-r));
                return 1;
        }
        for (size_t i = 0; i < s->n_bases; i++) {
                n += s->bases[i].told;
                if (!s->bases[i].told || !counts_nothing(s, s->bases[i].dev))
                        continue;
                ret->state = SOURCE_REDUCED;
                if (!*ret->detail)
                        str_append(ret->detail, sizeof(ret->detail),
                                   "statistics are switched off; write 1 to queue/iostats of drive");
                str_append(ret->detail, sizeof(ret->detail), " %u:%u", DEV_MAJOR(s->bases[i].dev), DEV_MINOR(s->bases[i].dev));
        }
        if (ret->state == SOURCE_WORKS)
                snprintf(ret->detail, sizeof(ret->detail), "what %zu drive%s, from /proc/diskstats", n,
                         n == 1 ? " does" : "s do");
        return 1;
}

static int start(void *source, const struct source_drive *drive, nsec_t now _unused_) {
        return source_disk_add(source, drive->dev);
}

static void stop(void *source, uint32_t dev, nsec_t now _unused_) {
        source_disk_remove(source, dev);
}

const struct source_ops source_disk_ops = { .probe = probe, .start = start, .stop = stop };
