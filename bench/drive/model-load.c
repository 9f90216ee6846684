/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model-load.h"

#include <ini.h>

#include "macro.h"
#include "str.h"

#define BYTES_PER_MB UINT64_C(1000000)
#define BYTES_PER_KIB UINT64_C(1024)
#define NSEC_PER_MINUTE (60 * NSEC_PER_SEC)

/* Everything a file can say, with a place for each. Those not said stay 0, which the model refuses where it needs more. */
struct settings {
        enum drive_kind kind;
        uint64_t queue_depth, link_rate_mbps, overhead_us;
        uint64_t rpm, media_rate_mbps, read_ahead_kib, seek_min_us, seek_max_us, write_settle_us, longest_wait_us;
        uint64_t channels, page_kib, read_us, write_us, read_rate_mbps, write_rate_mbps, buffer_kib, flush_us;
        uint64_t segment_kib, open_segments, merge_us, stall_us, stall_every_mb;
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
};

static const char *const kind_names[] = {
        [DRIVE_KIND_HDD] = "hdd",
        [DRIVE_KIND_FLASH] = "flash",
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

static int make(const struct settings *s, uint64_t capacity_bytes, uint64_t seed, struct drive *ret) {
        ret->kind = s->kind;
        switch (s->kind) {
        case DRIVE_KIND_HDD:
                return make_hdd(s, capacity_bytes, seed, &ret->hdd);
        case DRIVE_KIND_FLASH:
                return make_flash(s, seed, &ret->flash);
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
        case _DRIVE_KIND_MAX:
        case _DRIVE_KIND_INVALID:
                break;
        }
        return NULL;
}
