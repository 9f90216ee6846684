/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <inttypes.h>

#include "clock.h"
#include "describe.h"
#include "str.h"
#include "top-frame.h"
#include "users.h"

#define OTHER_VERSION "briod and brioctl are of different versions: `brioctl version` shows both"
#define NOT_RUNNING "briod is not running; waiting for it. Start it: systemctl start briod"
#define LINES_BESIDE_TABLES 5 /* title, two headings, two blank lines */

static void print_title(const struct top_frame *f, const struct output *o) {
        const struct top_link *l = f->link;
        char interval[32], clock[16] = "";
        time_t now = time(NULL);
        struct tm tm;

        if (localtime_r(&now, &tm))
                strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
        output_styled(o, STYLE_BOLD, "Brio");
        output_styled(o, STYLE_PLAIN, " %s  ", clock);
        if (!l->connected) {
                output_styled(o, STYLE_BAD, "%s", l->error == -EBADMSG ? OTHER_VERSION : NOT_RUNNING);
                fputc('\n', o->file);
                return;
        }
        output_styled(o, STYLE_PLAIN, "mode ");
        output_styled(o, describe_mode_style(l->mode), "%s", l->mode);
        output_styled(o, STYLE_PLAIN, ", every %s", str_format_duration_us(interval, sizeof(interval), l->interval_ms * USEC_PER_MSEC));
        if (f->sort != TOP_SORT_BYTES)
                output_styled(o, STYLE_PLAIN, ", by %s", top_sort_to_string(f->sort));
        if (l->dropped > 0)
                output_styled(o, STYLE_WARNING, ", %" PRIu64 " samples lost", l->dropped);
        if (f->paused)
                output_styled(o, STYLE_WARNING, ", paused");
        if (f->keys)
                output_styled(o, STYLE_DIM, "   q quit  p pause  s sort  + - interval");
        fputc('\n', o->file);
}

static void add_sample(struct table *t, const struct brio_sample *s) {
        static const struct brio_sample none;
        char buf[32];

        if (!s)
                s = &none;
        table_add(t, STYLE_PLAIN, "%s", format_rate(buf, sizeof(buf), s->read_bytes_per_s));
        table_add(t, STYLE_PLAIN, "%s", format_rate(buf, sizeof(buf), s->write_bytes_per_s));
        table_add(t, STYLE_PLAIN, "%s", format_latency(buf, sizeof(buf), s->read_latency_us));
        table_add(t, STYLE_PLAIN, "%s", format_latency(buf, sizeof(buf), s->write_latency_us));
        table_add(t, STYLE_PLAIN, "%s", s == &none ? "" : format_milli(buf, sizeof(buf), s->depth_milli));
        table_add(t, STYLE_PLAIN, "%s", s == &none ? "" : format_permille(buf, sizeof(buf), s->utilisation_permille));
        if (s == &none)
                table_add(t, STYLE_PLAIN, "%s", "");
        else
                table_add(t, STYLE_PLAIN, "%" PRIu32, s->readers);
}

static size_t print_drives(const struct top_frame *f, const struct output *o) {
        static const struct table_column columns[] = {
                COLUMN_KEEP("DRIVE"), COLUMN_RIGHT("READ"), COLUMN_RIGHT("WRITE"), COLUMN_RIGHT_DROP("READ LAT", 2),
                COLUMN_RIGHT_DROP("WRITE LAT", 5), COLUMN_RIGHT_DROP("DEPTH", 6), COLUMN_RIGHT("UTIL"),
                COLUMN_RIGHT_DROP("READERS", 3), COLUMN_DROP("STATE", 4), COLUMN_DROP("SCHEDULER", 7), COLUMN_DROP("SET BY BRIO", 1),
        };
        _cleanup_(table_freep) struct table *t = table_new(columns, ARRAY_SIZE(columns));
        size_t n = value_length(f->link->devices), shown = 0, room = f->lines > LINES_BESIDE_TABLES ? f->lines - LINES_BESIDE_TABLES : 1;

        for (size_t i = 0; i < n && (f->lines == 0 || shown < room); i++) {
                struct json_object *d = value_at(f->link->devices, i);
                const char *name = value_text(d, "name"), *state = value_text(d, "state");
                _cleanup_free_ char *set = NULL;

                if (f->device && !streq(name, f->device))
                        continue;
                shown++;
                set = describe_settings(d);
                table_add(t, STYLE_BOLD, "%s", name);
                add_sample(t, f->link->connected ? top_link_sample(f->link, name, f->now) : NULL);
                table_add(t, describe_state_style(state), "%s", state);
                table_add(t, STYLE_PLAIN, "%s", value_text(d, "scheduler"));
                table_add(t, STYLE_PLAIN, "%s", set);
        }
        table_print(t, o, 0);
        return shown;
}

/* "be/4" as ionice(1) has it; "" where the class is not set. */
static char *format_class(char *buf, size_t size, struct json_object *p) {
        const char *class = value_text(p, "io_class");

        if (streq(class, "realtime") || streq(class, "best-effort"))
                snprintf(buf, size, "%s/%" PRIu64, class[0] == 'r' ? "rt" : "be", value_u64(p, "io_level"));
        else
                str_copy(buf, size, streq(class, "none") ? "" : class);
        return buf;
}

/* Of the columns, those behind the rates: there are no sums of them. */
#define COLUMNS_OF_ONE 10u

/* "~" before a share that is an estimate: from its state as /proc tells it, not from its requests. */
static void add_wait(struct table *t, struct json_object *p, bool observed) {
        char buf[32];

        if (value_get(p, "wait_permille"))
                table_add(t, STYLE_PLAIN, "%s%s", observed ? "" : "~", format_permille(buf, sizeof(buf), value_u64(p, "wait_permille")));
        else
                table_add(t, STYLE_PLAIN, "%s", "");
}

static void add_requests(struct table *t, struct json_object *p, bool observed) {
        static const char *const latencies[] = { "read_latency_usec", "read_latency_p99_usec", "write_latency_usec" };
        char buf[32];

        if (observed)
                table_add(t, STYLE_PLAIN, "%" PRIu64, value_u64(p, "reads_per_second") + value_u64(p, "writes_per_second"));
        else
                table_add(t, STYLE_PLAIN, "%s", "");
        add_wait(t, p, observed);
        for (size_t k = 0; k < ARRAY_SIZE(latencies); k++)
                table_add(t, STYLE_PLAIN, "%s", format_latency(buf, sizeof(buf), value_u64(p, latencies[k])));
        table_add(t, STYLE_PLAIN, "%s", !observed ? "" : value_bool(p, "seeks") ? "random" : "sequential");
}

/* Other users' processes on a drive, of which there are sums alone. */
static void add_others(struct table *t, struct json_object *p) {
        char buf[32];

        table_add(t, STYLE_PLAIN, "%s", "");
        table_add(t, STYLE_PLAIN, "%s", "others");
        table_add(t, STYLE_DIM, "%" PRIu64 " %s", value_u64(p, "others"), value_u64(p, "others") == 1 ? "process" : "processes");
        table_add(t, STYLE_PLAIN, "%s", value_text(p, "device"));
        table_add(t, STYLE_PLAIN, "%s", format_rate(buf, sizeof(buf), value_u64(p, "read_bytes_per_second")));
        table_add(t, STYLE_PLAIN, "%s", format_rate(buf, sizeof(buf), value_u64(p, "write_bytes_per_second")));
        for (unsigned i = 0; i < COLUMNS_OF_ONE; i++)
                table_add(t, STYLE_PLAIN, "%s", "");
}

static void add_process(struct table *t, struct json_object *p) {
        const char *device = value_text(p, "device");
        char buf[32];

        if (value_get(p, "others")) {
                add_others(t, p);
                return;
        }
        table_add(t, STYLE_PLAIN, "%" PRIu64, value_u64(p, "pid"));
        table_add(t, STYLE_PLAIN, "%s", value_get(p, "uid") ? user_name((uint32_t) value_u64(p, "uid")) : "");
        table_add(t, STYLE_BOLD, "%s", value_text(p, "name"));
        table_add(t, STYLE_PLAIN, "%s%s", device, device[0] && value_bool(p, "inferred") ? "?" : "");
        table_add(t, STYLE_PLAIN, "%s", format_rate(buf, sizeof(buf), value_u64(p, "read_bytes_per_second")));
        table_add(t, STYLE_PLAIN, "%s", format_rate(buf, sizeof(buf), value_u64(p, "write_bytes_per_second")));
        add_requests(t, p, value_get(p, "reads_per_second"));
        table_add(t, STYLE_PLAIN, "%s", format_class(buf, sizeof(buf), p));
        table_add(t, STYLE_PLAIN, "%s", str_format_bytes(buf, sizeof(buf), value_u64(p, "read_bytes")));
        table_add(t, STYLE_PLAIN, "%s", str_format_bytes(buf, sizeof(buf), value_u64(p, "write_bytes")));
        table_add(t, STYLE_PLAIN, "%s", str_format_duration_us(buf, sizeof(buf), value_u64(p, "idle_usec")));
}

static void print_processes(const struct top_frame *f, const struct output *o, size_t n_drives) {
        static const struct table_column columns[] = {
                COLUMN_RIGHT("PID"), COLUMN_DROP("USER", 5), COLUMN("NAME"), COLUMN("DRIVE"), COLUMN_RIGHT("READ"), COLUMN_RIGHT("WRITE"),
                COLUMN_RIGHT_DROP("REQ/S", 4), COLUMN_RIGHT("WAIT"), COLUMN_RIGHT_DROP("READ LAT", 2), COLUMN_RIGHT_DROP("READ P99", 1),
                COLUMN_RIGHT_DROP("WRITE LAT", 8), COLUMN_DROP("PATTERN", 6), COLUMN_DROP("CLASS", 7), COLUMN_RIGHT_DROP("READ SUM", 11),
                COLUMN_RIGHT_DROP("WRITE SUM", 10), COLUMN_RIGHT_DROP("LAST I/O", 9),
        };
        _cleanup_(table_freep) struct table *t = table_new(columns, ARRAY_SIZE(columns));
        _cleanup_value_ struct json_object *processes = top_select(f->link->processes, f->sort, f->device);
        size_t n = value_length(processes), used = n_drives + LINES_BESIDE_TABLES;

        if (n == 0)
                fputs("No process did I/O lately.\n", o->file);
        if (f->lines > 0)
                n = f->lines > used ? MIN(n, f->lines - used) : 0;
        for (size_t i = 0; i < n; i++)
                add_process(t, value_at(processes, i));
        if (n > 0)
                table_print(t, o, 0);
}

void top_frame_print(const struct top_frame *f, const struct output *o) {
        size_t n;

        print_title(f, o);
        fputc('\n', o->file);
        n = print_drives(f, o);
        fputc('\n', o->file);
        print_processes(f, o, n);
}

static struct json_object *sample_json(const struct brio_sample *s) {
        struct json_object *v;

        if (!s)
                return NULL;
        v = json_object_new_object();
        json_object_object_add(v, "span_usec", json_object_new_uint64(s->span_us));
        json_object_object_add(v, "read_iops", json_object_new_uint64(s->read_iops));
        json_object_object_add(v, "write_iops", json_object_new_uint64(s->write_iops));
        json_object_object_add(v, "read_latency_usec", json_object_new_uint64(s->read_latency_us));
        json_object_object_add(v, "write_latency_usec", json_object_new_uint64(s->write_latency_us));
        json_object_object_add(v, "utilisation_permille", json_object_new_uint64(s->utilisation_permille));
        json_object_object_add(v, "queue_depth_milli", json_object_new_uint64(s->depth_milli));
        json_object_object_add(v, "inflight", json_object_new_uint64(s->inflight));
        json_object_object_add(v, "read_bytes_per_second", json_object_new_uint64(s->read_bytes_per_s));
        json_object_object_add(v, "write_bytes_per_second", json_object_new_uint64(s->write_bytes_per_s));
        json_object_object_add(v, "readers", json_object_new_uint64(s->readers));
        return v;
}

static struct json_object *drive_json(const struct top_frame *f, struct json_object *device) {
        static const char *const keys[] = { "name", "class", "scheduler", "workload", "state", "tunables" };
        struct json_object *drive = json_object_new_object();

        for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
                json_object_object_add(drive, keys[i], json_object_get(value_get(device, keys[i])));
        json_object_object_add(drive, "sample", sample_json(top_link_sample(f->link, value_text(device, "name"), f->now)));
        return drive;
}

struct json_object *top_frame_json(const struct top_frame *f) {
        struct json_object *frame = json_object_new_object(), *drives = json_object_new_array();
        const struct top_link *l = f->link;

        for (size_t i = 0; l->connected && i < value_length(l->devices); i++) {
                struct json_object *d = value_at(l->devices, i);
                if (!f->device || streq(value_text(d, "name"), f->device))
                        json_object_array_add(drives, drive_json(f, d));
        }
        json_object_object_add(frame, "time_usec", json_object_new_uint64(clock_now(CLOCK_REALTIME) / NSEC_PER_USEC));
        json_object_object_add(frame, "connected", json_object_new_boolean(l->connected));
        json_object_object_add(frame, "mode", l->connected ? json_object_new_string(l->mode) : NULL);
        json_object_object_add(frame, "drives", drives);
        json_object_object_add(frame, "processes", l->connected ? top_select(l->processes, f->sort, f->device) : NULL);
        return frame;
}
