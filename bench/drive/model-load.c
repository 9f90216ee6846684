/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model-load.h"

#include <ini.h>

#include "macro.h"
#include "str.h"

#define BYTES_PER_MB UINT64_C(1000000)
#define BYTES_PER_KIB UINT64_C(1024)
#define BYTES_PER_MIB (UINT64_C(1024) * BYTES_PER_KIB)
#define BYTES_PER_GB (UINT64_C(1000) * BYTES_PER_MB)
#define NSEC_PER_MINUTE (60 * NSEC_PER_SEC)

/* Everything a file can say, with a place for each. Those not said stay 0, which the model refuses where it needs more. */
struct settings {
        enum drive_kind kind;
        uint64_t queue_depth, link_rate_mbps, overhead_us;
        uint64_t rpm, media_rate_mbps, read_ahead_kib, seek_min_us, seek_max_us, write_settle_us, longest_wait_us;
        uint64_t channels, page_kib, read_us, write_us, read_rate_mbps, write_rate_mbps, buffer_kib, flush_us;
        uint64_t segment_kib, open_segments, merge_us, stall_us, stall_every_mb;
        uint64_t destages_per_read, capacity_gb, outer_rate_mbps, inner_rate_mbps, segments, read_ahead_least_kib, write_cache_kib, destage_after_us;
        uint64_t program_us, suspend_us, suspends, slc_rate_mbps, slc_mb, fold_rate_mbps, fold_after_us, small_kib, filled_percent, spare_percent;
        uint64_t band_kib, media_cache_mib, media_cache_used_mib, streams, clean_us, clean_bands, clean_after_us;
};

struct parser {
        struct settings settings;
        struct drive_load_error error;
};

enum value_type { VALUE_COUNT, VALUE_DURATION };

static const struct key {
        const char *section, *name;
        enum value_type type;
        size_t offset;
} keys[] = {
        { "model", "queue_depth", VALUE_COUNT, offsetof(struct settings, queue_depth) },
        { "hdd", "rpm", VALUE_COUNT, offsetof(struct settings, rpm) },
        { "hdd", "seek_min", VALUE_DURATION, offsetof(struct settings, seek_min_us) },
        { "hdd", "seek_max", VALUE_DURATION, offsetof(struct settings, seek_max_us) },
        { "hdd", "write_settle", VALUE_DURATION, offsetof(struct settings, write_settle_us) },
        { "hdd", "longest_wait", VALUE_DURATION, offsetof(struct settings, longest_wait_us) },
        { "hdd", "overhead", VALUE_DURATION, offsetof(struct settings, overhead_us) },
        { "hdd", "media_rate_mbps", VALUE_COUNT, offsetof(struct settings, media_rate_mbps) },
        { "hdd", "link_rate_mbps", VALUE_COUNT, offsetof(struct settings, link_rate_mbps) },
        { "hdd", "read_ahead_kib", VALUE_COUNT, offsetof(struct settings, read_ahead_kib) },
        { "disk", "capacity_gb", VALUE_COUNT, offsetof(struct settings, capacity_gb) },
        { "disk", "rpm", VALUE_COUNT, offsetof(struct settings, rpm) },
        { "disk", "seek_min", VALUE_DURATION, offsetof(struct settings, seek_min_us) },
        { "disk", "seek_max", VALUE_DURATION, offsetof(struct settings, seek_max_us) },
        { "disk", "write_settle", VALUE_DURATION, offsetof(struct settings, write_settle_us) },
        { "disk", "longest_wait", VALUE_DURATION, offsetof(struct settings, longest_wait_us) },
        { "disk", "overhead", VALUE_DURATION, offsetof(struct settings, overhead_us) },
        { "disk", "outer_rate_mbps", VALUE_COUNT, offsetof(struct settings, outer_rate_mbps) },
        { "disk", "inner_rate_mbps", VALUE_COUNT, offsetof(struct settings, inner_rate_mbps) },
        { "disk", "link_rate_mbps", VALUE_COUNT, offsetof(struct settings, link_rate_mbps) },
        { "disk", "segments", VALUE_COUNT, offsetof(struct settings, segments) },
        { "disk", "segment_kib", VALUE_COUNT, offsetof(struct settings, segment_kib) },
        { "disk", "read_ahead_kib", VALUE_COUNT, offsetof(struct settings, read_ahead_kib) },
        { "disk", "read_ahead_least_kib", VALUE_COUNT, offsetof(struct settings, read_ahead_least_kib) },
        { "disk", "write_cache_kib", VALUE_COUNT, offsetof(struct settings, write_cache_kib) },
        { "disk", "destages_per_read", VALUE_COUNT, offsetof(struct settings, destages_per_read) },
        { "disk", "destage_after", VALUE_DURATION, offsetof(struct settings, destage_after_us) },
        { "smr", "band_kib", VALUE_COUNT, offsetof(struct settings, band_kib) },
        { "smr", "media_cache_mib", VALUE_COUNT, offsetof(struct settings, media_cache_mib) },
        { "smr", "media_cache_used_mib", VALUE_COUNT, offsetof(struct settings, media_cache_used_mib) },
        { "smr", "streams", VALUE_COUNT, offsetof(struct settings, streams) },
        { "smr", "clean", VALUE_DURATION, offsetof(struct settings, clean_us) },
        { "smr", "clean_bands", VALUE_COUNT, offsetof(struct settings, clean_bands) },
        { "smr", "clean_after", VALUE_DURATION, offsetof(struct settings, clean_after_us) },
        { "flash", "channels", VALUE_COUNT, offsetof(struct settings, channels) },
        { "flash", "page_kib", VALUE_COUNT, offsetof(struct settings, page_kib) },
        { "flash", "overhead", VALUE_DURATION, offsetof(struct settings, overhead_us) },
        { "flash", "link_rate_mbps", VALUE_COUNT, offsetof(struct settings, link_rate_mbps) },
        { "flash", "read", VALUE_DURATION, offsetof(struct settings, read_us) },
        { "flash", "read_rate_mbps", VALUE_COUNT, offsetof(struct settings, read_rate_mbps) },
        { "flash", "write", VALUE_DURATION, offsetof(struct settings, write_us) },
        { "flash", "write_rate_mbps", VALUE_COUNT, offsetof(struct settings, write_rate_mbps) },
        { "flash", "buffer_kib", VALUE_COUNT, offsetof(struct settings, buffer_kib) },
        { "flash", "flush", VALUE_DURATION, offsetof(struct settings, flush_us) },
        { "flash", "segment_kib", VALUE_COUNT, offsetof(struct settings, segment_kib) },
        { "flash", "open_segments", VALUE_COUNT, offsetof(struct settings, open_segments) },
        { "flash", "merge", VALUE_DURATION, offsetof(struct settings, merge_us) },
        { "flash", "stall", VALUE_DURATION, offsetof(struct settings, stall_us) },
        { "flash", "stall_every_mb", VALUE_COUNT, offsetof(struct settings, stall_every_mb) },
        { "ssd", "channels", VALUE_COUNT, offsetof(struct settings, channels) },
        { "ssd", "page_kib", VALUE_COUNT, offsetof(struct settings, page_kib) },
        { "ssd", "overhead", VALUE_DURATION, offsetof(struct settings, overhead_us) },
        { "ssd", "link_rate_mbps", VALUE_COUNT, offsetof(struct settings, link_rate_mbps) },
        { "ssd", "read", VALUE_DURATION, offsetof(struct settings, read_us) },
        { "ssd", "read_rate_mbps", VALUE_COUNT, offsetof(struct settings, read_rate_mbps) },
        { "ssd", "program", VALUE_DURATION, offsetof(struct settings, program_us) },
        { "ssd", "suspend", VALUE_DURATION, offsetof(struct settings, suspend_us) },
        { "ssd", "suspends", VALUE_COUNT, offsetof(struct settings, suspends) },
        { "ssd", "slc_mb", VALUE_COUNT, offsetof(struct settings, slc_mb) },
        { "ssd", "slc_rate_mbps", VALUE_COUNT, offsetof(struct settings, slc_rate_mbps) },
        { "ssd", "write_rate_mbps", VALUE_COUNT, offsetof(struct settings, write_rate_mbps) },
        { "ssd", "fold_rate_mbps", VALUE_COUNT, offsetof(struct settings, fold_rate_mbps) },
        { "ssd", "fold_after", VALUE_DURATION, offsetof(struct settings, fold_after_us) },
        { "ssd", "buffer_kib", VALUE_COUNT, offsetof(struct settings, buffer_kib) },
        { "ssd", "flush", VALUE_DURATION, offsetof(struct settings, flush_us) },
        { "ssd", "small_kib", VALUE_COUNT, offsetof(struct settings, small_kib) },
        { "ssd", "filled_percent", VALUE_COUNT, offsetof(struct settings, filled_percent) },
        { "ssd", "spare_percent", VALUE_COUNT, offsetof(struct settings, spare_percent) },
};

static const char *const kind_names[] = {
        [DRIVE_KIND_HDD] = "hdd",
        [DRIVE_KIND_FLASH] = "flash",
        [DRIVE_KIND_DISK] = "disk",
        [DRIVE_KIND_SSD] = "ssd",
};

static enum drive_kind kind_from_string(const char *text) {
        for (int k = 0; k < _DRIVE_KIND_MAX; k++)
                if (streq(text, kind_names[k]))
                        return k;
        return _DRIVE_KIND_INVALID;
}

/* What emulate and check read, not the drive. */
static bool is_for_others(const char *section, const char *name) {
        static const char *const names[] = { "class", "rotational", "tags", "request_kib" };

        if (streq(section, "intended"))
                return true;
        for (size_t i = 0; streq(section, "model") && i < ARRAY_SIZE(names); i++)
                if (streq(name, names[i]))
                        return true;
        return false;
}

static int set_value(struct settings *s, const struct key *k, const char *value) {
        uint64_t *at = (uint64_t *) ((char *) s + k->offset);

        return k->type == VALUE_DURATION ? str_parse_duration_us(value, at) : str_parse_u64(value, at);
}

/* inih's convention: 1 is fine, 0 an error at this line; it reports the first one's. */
static int on_entry(void *user, const char *section, const char *name, const char *value) {
        struct parser *p = user;

        if (p->error.text[0])
                return 0;
        if (is_for_others(section, name))
                return 1;
        if (streq(section, "model") && streq(name, "kind")) {
                p->settings.kind = kind_from_string(value);
                if (p->settings.kind >= 0)
                        return 1;
                str_append(p->error.text, sizeof(p->error.text), "unknown kind of drive \"%s\"", value);
                return 0;
        }
        for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
                if (!streq(section, keys[i].section) || !streq(name, keys[i].name))
                        continue;
                if (set_value(&p->settings, &keys[i], value) == 0)
                        return 1;
                str_append(p->error.text, sizeof(p->error.text), "bad value \"%s\" for %s", value, name);
                return 0;
        }
        str_append(p->error.text, sizeof(p->error.text), "unknown key \"%s\" in [%s]", name, section);
        return 0;
}

static int parse(const char *path, struct parser *p) {
        _cleanup_fclose_ FILE *f = fopen(path, "re");
        int r;

        if (!f)
                return -errno;
        r = ini_parse_file(f, on_entry, p);
        if (r == 0)
                return 0;
        if (!p->error.text[0])
                str_append(p->error.text, sizeof(p->error.text), "not a line of an INI file");
        p->error.line = r > 0 ? r : 0;
        return -EINVAL;
}

static int make_hdd(const struct settings *s, uint64_t capacity_bytes, uint64_t seed, struct hdd *ret) {
        struct hdd_params params = {
                .capacity_bytes = capacity_bytes,
                .turn_ns = s->rpm > 0 ? NSEC_PER_MINUTE / s->rpm : 0,
                .seek_min_ns = s->seek_min_us * NSEC_PER_USEC,
                .seek_max_ns = s->seek_max_us * NSEC_PER_USEC,
                .write_settle_ns = s->write_settle_us * NSEC_PER_USEC,
                .longest_wait_ns = s->longest_wait_us * NSEC_PER_USEC,
                .overhead_ns = s->overhead_us * NSEC_PER_USEC,
                .media_rate = s->media_rate_mbps * BYTES_PER_MB,
                .link_rate = s->link_rate_mbps * BYTES_PER_MB,
                .read_ahead_bytes = s->read_ahead_kib * BYTES_PER_KIB,
                .queue_depth = s->queue_depth,
        };

        return hdd_init(ret, &params, seed);
}

static int make_flash(const struct settings *s, uint64_t seed, struct flash *ret) {
        struct flash_params params = {
                .queue_depth = s->queue_depth,
                .channels = s->channels,
                .overhead_ns = s->overhead_us * NSEC_PER_USEC,
                .read_ns = s->read_us * NSEC_PER_USEC,
                .write_ns = s->write_us * NSEC_PER_USEC,
                .read_rate = s->read_rate_mbps * BYTES_PER_MB,
                .write_rate = s->write_rate_mbps * BYTES_PER_MB,
                .link_rate = s->link_rate_mbps * BYTES_PER_MB,
                .page_bytes = s->page_kib * BYTES_PER_KIB,
                .buffer_bytes = s->buffer_kib * BYTES_PER_KIB,
                .segment_bytes = s->segment_kib * BYTES_PER_KIB,
                .open_segments = s->open_segments,
                .merge_ns = s->merge_us * NSEC_PER_USEC,
                .flush_ns = s->flush_us * NSEC_PER_USEC,
                .stall_ns = s->stall_us * NSEC_PER_USEC,
                .stall_every_bytes = s->stall_every_mb * BYTES_PER_MB,
        };

        return flash_init(ret, &params, seed);
}

static int make_disk(const struct settings *s, uint64_t capacity_bytes, uint64_t seed, struct disk *ret) {
        struct disk_params params = {
                .geometry = {
                        .capacity_bytes = s->capacity_gb * BYTES_PER_GB,
                        .outer_rate = s->outer_rate_mbps * BYTES_PER_MB,
                        .inner_rate = s->inner_rate_mbps * BYTES_PER_MB,
                        .turn_ns = s->rpm > 0 ? NSEC_PER_MINUTE / s->rpm : 0,
                        .seek_min_ns = s->seek_min_us * NSEC_PER_USEC,
                        .seek_max_ns = s->seek_max_us * NSEC_PER_USEC,
                },
                .smr = {
                        .band_bytes = s->band_kib * BYTES_PER_KIB,
                        .media_cache_bytes = s->media_cache_mib * BYTES_PER_MIB,
                        .used_bytes = s->media_cache_used_mib * BYTES_PER_MIB,
                        .streams = s->streams,
                        .clean_bands = s->clean_bands,
                        .clean_ns = s->clean_us * NSEC_PER_USEC,
                        .clean_after_ns = s->clean_after_us * NSEC_PER_USEC,
                },
                .write_settle_ns = s->write_settle_us * NSEC_PER_USEC,
                .longest_wait_ns = s->longest_wait_us * NSEC_PER_USEC,
                .overhead_ns = s->overhead_us * NSEC_PER_USEC,
                .destage_after_ns = s->destage_after_us * NSEC_PER_USEC,
                .link_rate = s->link_rate_mbps * BYTES_PER_MB,
                .read_ahead_bytes = s->read_ahead_kib * BYTES_PER_KIB,
                .read_ahead_least_bytes = s->read_ahead_least_kib * BYTES_PER_KIB,
                .segment_bytes = s->segment_kib * BYTES_PER_KIB,
                .segments = s->segments,
                .destages_per_read = s->destages_per_read,
                .write_cache_bytes = s->write_cache_kib * BYTES_PER_KIB,
                .queue_depth = s->queue_depth,
        };

        return capacity_bytes > params.geometry.capacity_bytes ? -EINVAL : disk_init(ret, &params, seed);
}

static int make_ssd(const struct settings *s, struct ssd *ret) {
        struct ssd_params params = {
                .queue_depth = s->queue_depth,
                .channels = s->channels,
                .overhead_ns = s->overhead_us * NSEC_PER_USEC,
                .read_ns = s->read_us * NSEC_PER_USEC,
                .program_ns = s->program_us * NSEC_PER_USEC,
                .suspend_ns = s->suspend_us * NSEC_PER_USEC,
                .flush_ns = s->flush_us * NSEC_PER_USEC,
                .fold_after_ns = s->fold_after_us * NSEC_PER_USEC,
                .suspends = s->suspends,
                .read_rate = s->read_rate_mbps * BYTES_PER_MB,
                .slc_rate = s->slc_rate_mbps * BYTES_PER_MB,
                .rate = s->write_rate_mbps * BYTES_PER_MB,
                .fold_rate = s->fold_rate_mbps * BYTES_PER_MB,
                .link_rate = s->link_rate_mbps * BYTES_PER_MB,
                .page_bytes = s->page_kib * BYTES_PER_KIB,
                .buffer_bytes = s->buffer_kib * BYTES_PER_KIB,
                .slc_bytes = s->slc_mb * BYTES_PER_MB,
                .small_bytes = s->small_kib * BYTES_PER_KIB,
                .filled_percent = (unsigned) MIN(s->filled_percent, 100),
                .spare_percent = (unsigned) MIN(s->spare_percent, 100),
        };

        return ssd_init(ret, &params);
}

static int make(const struct settings *s, uint64_t capacity_bytes, uint64_t seed, struct drive *ret) {
        ret->kind = s->kind;
        switch (s->kind) {
        case DRIVE_KIND_HDD:
                return make_hdd(s, capacity_bytes, seed, &ret->hdd);
        case DRIVE_KIND_FLASH:
                return make_flash(s, seed, &ret->flash);
        case DRIVE_KIND_DISK:
                return make_disk(s, capacity_bytes, seed, &ret->disk);
        case DRIVE_KIND_SSD:
                return make_ssd(s, &ret->ssd);
        case _DRIVE_KIND_MAX:
        case _DRIVE_KIND_INVALID:
                break;
        }
        return -EINVAL;
}

int drive_load(const char *path, uint64_t capacity_bytes, uint64_t seed, struct drive *ret, struct drive_load_error *ret_error) {
        struct parser p = { .settings.kind = _DRIVE_KIND_INVALID };
        int r = parse(path, &p);

        if (r == 0 && p.settings.kind < 0) {
                str_append(p.error.text, sizeof(p.error.text), "no kind in [model]");
                r = -EINVAL;
        }
        if (r == 0) {
                p.error.line = 0;
                r = make(&p.settings, capacity_bytes, seed, ret);
                if (r < 0)
                        str_append(p.error.text, sizeof(p.error.text), "these values make no drive");
        }
        if (r < 0)
                *ret_error = p.error;
        return r;
}

struct drive_model *drive_model(struct drive *d) {
        switch (d->kind) {
        case DRIVE_KIND_HDD:
                return &d->hdd.model;
        case DRIVE_KIND_FLASH:
                return &d->flash.model;
        case DRIVE_KIND_DISK:
                return &d->disk.model;
        case DRIVE_KIND_SSD:
                return &d->ssd.model;
        case _DRIVE_KIND_MAX:
        case _DRIVE_KIND_INVALID:
                break;
        }
        return NULL;
}
