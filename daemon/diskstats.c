/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "diskstats.h"
#include "str.h"

/* Positions of the fields after the name, as iostats.rst numbers them less one. */
enum {
        FIELD_READS = 0,
        FIELD_READ_SECTORS = 2,
        FIELD_READ_MS = 3,
        FIELD_WRITES = 4,
        FIELD_WRITE_MERGES = 5,
        FIELD_WRITE_SECTORS = 6,
        FIELD_WRITE_MS = 7,
        FIELD_INFLIGHT = 8,
        FIELD_BUSY_MS = 9,
        FIELD_QUEUE_MS = 10,
        FIELDS_MIN = 11, /* before 4.18 */
        FIELD_DISCARDS = 11,
        FIELDS_KNOWN = 12,
};

static char *take_word(char **text) {
        char *word;

        while ((word = strsep(text, " \t")))
                if (*word)
                        return word;
        return NULL;
}

static int take_u64(char **text, uint64_t *ret) {
        const char *word = take_word(text);

        return word ? str_parse_u64(word, ret) : -EINVAL;
}

int diskstats_take_dev(char **line, uint32_t *ret) {
        uint64_t major, minor;
        int r = take_u64(line, &major);

        if (r >= 0)
                r = take_u64(line, &minor);
        if (r < 0)
                return r;
        if (major > DEV_MAJOR(UINT32_MAX) || minor > DEV_MINOR(UINT32_MAX))
                return -ERANGE;
        *ret = DEV_NUMBER(major, minor);
        return 0;
}

static uint32_t parse_inflight(uint64_t value) {
        /* Some kernels count it per CPU and let it slip below zero for a moment. */
        return value > INT32_MAX ? 0 : (uint32_t) value;
}

int diskstats_parse(char *rest, struct disk_counters *ret) {
        uint64_t fields[FIELDS_KNOWN] = { 0 };
        size_t n = 0;
        int r;

        if (!take_word(&rest))
                return -EINVAL;
        for (const char *word; (word = take_word(&rest)); n++) {
                uint64_t value;

                r = str_parse_u64(word, &value);
                if (r < 0)
                        return r;
                if (n < FIELDS_KNOWN)
                        fields[n] = value;
        }
        if (n < FIELDS_MIN)
                return -EINVAL;
        *ret = (struct disk_counters) {
                .reads = fields[FIELD_READS],
                .read_sectors = fields[FIELD_READ_SECTORS],
                .read_ms = (uint32_t) fields[FIELD_READ_MS],
                .writes = fields[FIELD_WRITES],
                .write_merges = fields[FIELD_WRITE_MERGES],
                .write_sectors = fields[FIELD_WRITE_SECTORS],
                .write_ms = (uint32_t) fields[FIELD_WRITE_MS],
                .inflight = parse_inflight(fields[FIELD_INFLIGHT]),
                .busy_ms = (uint32_t) fields[FIELD_BUSY_MS],
                .queue_ms = (uint32_t) fields[FIELD_QUEUE_MS],
                .discards = fields[FIELD_DISCARDS],
        };
        return 0;
}

static bool subtract_count(uint64_t now, uint64_t before, uint32_t *ret) {
        *ret = now >= before ? (uint32_t) MIN(now - before, UINT32_MAX) : 0;
        return now >= before;
}

/* A wrapped counter and one that began anew look alike; but no sample is so long that time in it advances by half of
 * what 32 bits hold (24 days). */
static bool subtract_ms(uint32_t now, uint32_t before, uint32_t *ret) {
        *ret = now - before;
        return *ret <= INT32_MAX;
}

int diskstats_subtract(const struct disk_counters *now, const struct disk_counters *before, struct event_device_stat *ret) {
        struct event_device_stat d = { .inflight = now->inflight };
        uint32_t discards;

        if (!subtract_count(now->reads, before->reads, &d.reads) ||
            !subtract_count(now->read_sectors, before->read_sectors, &d.read_sectors) ||
            !subtract_count(now->writes, before->writes, &d.writes) ||
            !subtract_count(now->write_sectors, before->write_sectors, &d.write_sectors) ||
            !subtract_count(now->discards, before->discards, &discards) ||
            !subtract_ms(now->read_ms, before->read_ms, &d.read_ms) ||
            !subtract_ms(now->write_ms, before->write_ms, &d.write_ms) ||
            !subtract_ms(now->busy_ms, before->busy_ms, &d.busy_ms) ||
            !subtract_ms(now->queue_ms, before->queue_ms, &d.queue_ms))
                return -ESTALE;
        *ret = d;
        return 0;
}
