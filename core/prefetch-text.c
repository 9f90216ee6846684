/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A list as text: a line about the application, two about how long its starts took, one for each file, with its ranges behind it, and the checksum of all
 * that. Fields are parted by tabs. Of a file's path only what differs from the one before is written. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>

#include "checksum.h"
#include "prefetch-list.h"
#include "str.h"

#define MAGIC "brio1\tprefetch"
#define LINE_BYTES (PREFETCH_PATH_MAX + 256)

struct writer {
        char *text;
        size_t size, room;
        int error;
};

static void put(struct writer *w, const char *format, ...) _printf_(2, 3);

static void put(struct writer *w, const char *format, ...) {
        va_list args;
        char *text;

        if (w->error < 0)
                return;
        if (w->room - w->size < LINE_BYTES) {
                text = realloc(w->text, 2 * w->room + LINE_BYTES);
                if (!text) {
                        w->error = -ENOMEM;
                        return;
                }
                w->text = text;
                w->room = 2 * w->room + LINE_BYTES;
        }
        va_start(args, format);
        w->size += (size_t) vsnprintf(w->text + w->size, w->room - w->size, format, args);
        va_end(args);
}

static void put_times(struct writer *w, const struct prefetch_times *t) {
        put(w, "\n%zu", t->n);
        for (size_t i = 0; i < prefetch_times_kept(t); i++)
                put(w, "\t%" PRIu32, t->ms[i]);
}

static size_t count_shared(const char *a, const char *b) {
        size_t n = 0;

        while (a[n] && a[n] == b[n])
                n++;
        return n;
}

static void put_files(struct writer *w, const struct prefetch_list *l) {
        const char *before = "";
        size_t next = 0;

        for (size_t i = 0; i < l->n_files; i++) {
                const struct prefetch_file *f = &l->files[i];
                const char *path = prefetch_list_path(l, f);
                size_t shared = count_shared(before, path);
                put(w, "\n%zu\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRId64, shared, path + shared, f->ino, f->size, f->mtime_ns);
                for (; next < l->n_ranges && l->ranges[next].file == i; next++) {
                        const struct prefetch_range *r = &l->ranges[next];
                        put(w, "\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t%u", r->first, r->count, r->order, r->hits);
                }
                before = path;
        }
}

int prefetch_list_format(const struct prefetch_list *l, char **ret, size_t *ret_size) {
        struct writer w = { 0 };

        put(&w, MAGIC "\t%" PRIu32 "\t%u\t%" PRIu32 "\t%" PRIu32 "\t%s", l->uid, l->off, l->starts, l->since_control, l->application);
        put_times(&w, &l->helped);
        put_times(&w, &l->unhelped);
        put_files(&w, l);
        put(&w, "\n");
        if (w.error == 0)
                put(&w, "\t%08x", checksum_crc32c(0, w.text, w.size));
        if (w.error < 0) {
                free(w.text);
                return w.error;
        }
        *ret = w.text;
        *ret_size = w.size;
        return 0;
}

/* The next field of a line. Returns 0 or -EBADMSG. */
static int take_number(char **line, uint64_t most, uint64_t *ret) {
        const char *field = strsep(line, "\t");

        return !field || str_parse_u64_most(field, most, ret) < 0 ? -EBADMSG : 0;
}

static int take_head(char *line, struct prefetch_list *l) {
        uint64_t uid, off, starts, since;

        if (!line || strncmp(line, MAGIC "\t", sizeof(MAGIC)) != 0)
                return -EBADMSG;
        line += sizeof(MAGIC);
        if (take_number(&line, UINT32_MAX, &uid) < 0 || take_number(&line, 1, &off) < 0 || take_number(&line, PREFETCH_STARTS, &starts) < 0 ||
            take_number(&line, UINT32_MAX, &since) < 0 || !line || !*line || !str_is_text(line) || strchr(line, '\t') ||
            !str_copy(l->application, sizeof(l->application), line))
                return -EBADMSG;
        l->uid = (uint32_t) uid;
        l->off = off;
        l->starts = (uint32_t) starts;
        l->since_control = (uint32_t) since;
        return 0;
}

static int take_times(char *line, struct prefetch_times *ret) {
        uint64_t n, ms;

        if (take_number(&line, UINT32_MAX, &n) < 0)
                return -EBADMSG;
        ret->n = (size_t) n;
        for (size_t i = 0; i < prefetch_times_kept(ret); i++) {
                if (take_number(&line, UINT32_MAX, &ms) < 0)
                        return -EBADMSG;
                ret->ms[i] = (uint32_t) ms;
        }
        return line ? -EBADMSG : 0;
}

static int take_ranges(char *line, struct prefetch_list *l, uint32_t file) {
        uint64_t first, count, order, hits, pages = (l->files[file].size + PREFETCH_PAGE_BYTES - 1) / PREFETCH_PAGE_BYTES, end = 0;

        while (line) {
                size_t before = l->n_ranges;
                int r;
                if (take_number(&line, UINT32_MAX, &first) < 0 || take_number(&line, UINT32_MAX, &count) < 0 ||
                    take_number(&line, PREFETCH_RANGES_MAX - 1, &order) < 0 || take_number(&line, (1u << PREFETCH_STARTS) - 1, &hits) < 0 ||
                    hits == 0 || count == 0 || first < end || first + count > pages)
                        return -EBADMSG;
                r = prefetch_list_add_pages(l, file, (uint32_t) first, (uint32_t) count, (uint8_t) hits);
                if (r < 0 || l->n_ranges == before) /* two in place of one were not written */
                        return r == -ENOMEM ? r : -EBADMSG;
                l->ranges[before].order = (uint32_t) order;
                end = first + count;
        }
        return 0;
}

static int take_file(char *line, struct prefetch_list *l, char path[static PREFETCH_PATH_MAX]) {
        struct prefetch_file f = { 0 };
        uint64_t shared;
        const char *rest, *mtime;
        int place;

        if (take_number(&line, strlen(path), &shared) < 0 || !(rest = strsep(&line, "\t")) || strlen(rest) >= PREFETCH_PATH_MAX - shared)
                return -EBADMSG;
        str_copy(path + shared, PREFETCH_PATH_MAX - shared, rest);
        if (take_number(&line, UINT64_MAX, &f.ino) < 0 || take_number(&line, INT64_MAX, &f.size) < 0 || !(mtime = strsep(&line, "\t")) ||
            str_parse_i64(mtime, &f.mtime_ns) < 0 || !line)
                return -EBADMSG;
        place = prefetch_list_add_file(l, &f, path);
        if (place < 0)
                return place == -ENOMEM ? place : -EBADMSG;
        return take_ranges(line, l, (uint32_t) place);
}

int prefetch_list_parse(char *text, size_t size, struct prefetch_list **ret) {
        _cleanup_(prefetch_list_freep) struct prefetch_list *l = NULL;
        char path[PREFETCH_PATH_MAX] = "", *rest = text, *line = NULL;
        int r;

        text[size] = '\0';
        if (size > PREFETCH_TEXT_MAX || !checksum_unseal(text, size))
                return -EBADMSG;
        r = prefetch_list_new("", 0, &l);
        if (r == 0)
                r = take_head(strsep(&rest, "\n"), l);
        if (r == 0)
                r = take_times(strsep(&rest, "\n"), &l->helped);
        if (r == 0)
                r = take_times(strsep(&rest, "\n"), &l->unhelped);
        while (r == 0 && (line = strsep(&rest, "\n")) && rest)
                r = take_file(line, l, path);
        if (r < 0)
                return r;
        if (!line || *line) /* the last line is whole */
                return -EBADMSG;
        *ret = TAKE_PTR(l);
        return 0;
}
