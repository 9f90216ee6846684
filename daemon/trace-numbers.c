/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>

#include "dev-number.h"
#include "fdio.h"
#include "macro.h"
#include "trace-numbers.h"

static bool add(struct trace_numbers *n, uint32_t dev, uint32_t drive) {
        if (n->n == TRACE_NUMBERS_MAX)
                return false;
        n->numbers[n->n++] = (struct trace_number) { dev, drive };
        return true;
}

/* What is asked of a partition carries the partition's number, and a sector of the whole drive (blk_partition_remap()). */
static bool add_partitions(struct trace_numbers *n, uint32_t drive) {
        char path[PATH_MAX], file[PATH_MAX], text[ATTRIBUTE_MAX];
        const struct dirent *e;
        uint32_t dev;
        _cleanup_closedir_ DIR *d = NULL;
        bool room = true;

        snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", DEV_MAJOR(drive), DEV_MINOR(drive));
        d = opendir(path);
        while (d && room && (e = readdir(d))) {
                if (snprintf(file, sizeof(file), "%s/%s/partition", path, e->d_name) >= (int) sizeof(file) || access(file, F_OK) < 0)
                        continue;
                snprintf(file, sizeof(file), "%.2048s/%s/dev", path, e->d_name);
                if (fdio_read_at(AT_FDCWD, file, text, sizeof(text)) >= 0 && dev_number_parse(text, &dev) == 0)
                        room = add(n, dev, drive);
        }
        return room;
}

bool trace_numbers_add(struct trace_numbers *n, uint32_t drive) {
        return add(n, drive, drive) && add_partitions(n, drive);
}

uint32_t trace_numbers_find(const struct trace_numbers *n, uint32_t dev) {
        for (size_t i = 0; i < n->n; i++)
                if (n->numbers[i].dev == dev)
                        return n->numbers[i].drive;
        return 0;
}

bool trace_numbers_equal(const struct trace_numbers *a, const struct trace_numbers *b) {
        return a->n == b->n && memcmp(a->numbers, b->numbers, a->n * sizeof(a->numbers[0])) == 0;
}
