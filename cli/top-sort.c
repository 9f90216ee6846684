/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "str.h"
#include "top-sort.h"

static const struct {
        const char *word;
        const char *text;       /* a text to sort by, or NULL */
        const char *numbers[2]; /* else the sum of these */
} sorts[_TOP_SORT_MAX] = {
        [TOP_SORT_BYTES] = { "bytes", NULL, { "read_bytes_per_second", "write_bytes_per_second" } },
        [TOP_SORT_READ] = { "read", NULL, { "read_bytes_per_second" } },
        [TOP_SORT_WRITE] = { "write", NULL, { "write_bytes_per_second" } },
        [TOP_SORT_REQUESTS] = { "requests", NULL, { "reads_per_second", "writes_per_second" } },
        [TOP_SORT_WAIT] = { "wait", NULL, { "wait_permille" } },
        [TOP_SORT_LATENCY] = { "latency", NULL, { "read_latency_usec" } },
        [TOP_SORT_P99] = { "p99", NULL, { "read_latency_p99_usec" } },
        [TOP_SORT_PID] = { "pid", NULL, { "pid" } },
        [TOP_SORT_NAME] = { "name", "name", { NULL } },
        [TOP_SORT_DRIVE] = { "drive", "device", { NULL } },
};

int top_sort_from_string(const char *word) {
        for (int i = 0; i < _TOP_SORT_MAX; i++)
                if (streq(sorts[i].word, word))
                        return i;
        return -1;
}

const char *top_sort_to_string(enum top_sort sort) {
        return sorts[sort].word;
}

const char *top_sort_words(void) {
        return "bytes, read, write, requests, wait, latency, p99, pid, name or drive";
}

struct row {
        struct json_object *process;
        const char *text;
        uint64_t number;
        size_t place;
};

static int compare_rows(const void *a, const void *b) {
        const struct row *x = a, *y = b;
        int r = x->text ? strcmp(x->text, y->text) : (x->number < y->number) - (x->number > y->number);

        return r ? r : (x->place > y->place) - (x->place < y->place);
}

static uint64_t number_of(struct json_object *process, enum top_sort sort) {
        uint64_t sum = 0;

        for (size_t i = 0; i < ARRAY_SIZE(sorts[sort].numbers) && sorts[sort].numbers[i]; i++)
                sum += value_u64(process, sorts[sort].numbers[i]);
        return sum;
}

struct json_object *top_select(struct json_object *processes, enum top_sort sort, const char *device) {
        size_t n = value_length(processes), used = 0;
        _cleanup_free_ struct row *rows = calloc(MAX(n, 1u), sizeof(*rows));
        struct json_object *chosen = json_object_new_array();

        if (!rows || !chosen)
                return chosen;
        for (size_t i = 0; i < n; i++) {
                struct json_object *p = value_at(processes, i);
                if (!p || (device && !streq(value_text(p, "device"), device)))
                        continue;
                rows[used++] = (struct row){
                        .process = p,
                        .text = sorts[sort].text ? value_text(p, sorts[sort].text) : NULL,
                        .number = number_of(p, sort),
                        .place = i,
                };
        }
        qsort(rows, used, sizeof(*rows), compare_rows);
        for (size_t i = 0; i < used; i++)
                json_object_array_add(chosen, json_object_get(rows[i].process));
        return chosen;
}
