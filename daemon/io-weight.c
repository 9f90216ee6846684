/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "event.h"
#include "fdio.h"
#include "io-weight.h"
#include "str.h"

#define GROUPS_MAX 32 /* kept; an application has one */
#define FRESH_NS (5 * NSEC_PER_SEC)
#define DEPTH_MAX 16

struct group {
        char path[256]; /* "": free */
        uint32_t weight;
        nsec_t t;
};

struct io_weights {
        char *root;
        size_t next;
        nsec_t cost_looked;
        bool has_cost;
        struct group groups[GROUPS_MAX];
};

struct io_weights *io_weights_new(const char *root) {
        struct io_weights *w = calloc(1, sizeof(*w));

        if (w && !(w->root = strdup(root)))
                return io_weights_free(w);
        return w;
}

struct io_weights *io_weights_free(struct io_weights *w) {
        if (!w)
                return NULL;
        free(w->root);
        free(w);
        return NULL;
}

uint32_t io_weight_parse(const char *text) {
        const char *behind = startswith(text, "default ");
        char number[16];
        uint64_t value;
        size_t n;

        if (behind)
                text = behind;
        n = strcspn(text, "\n");
        if (n == 0 || n >= sizeof(number))
                return 0;
        memcpy(number, text, n);
        number[n] = '\0';
        return str_parse_u64_most(number, 10000, &value) == 0 ? (uint32_t) value : 0;
}

static uint32_t read_weight(const char *directory, const char *file) {
        char path[PATH_MAX], text[ATTRIBUTE_MAX];

        if (snprintf(path, sizeof(path), "%s/%s", directory, file) >= (int) sizeof(path) || fdio_read_at(AT_FDCWD, path, text, sizeof(text)) < 0)
                return 0;
        return io_weight_parse(text);
}

/* From the group up to the root, which has none. */
static uint32_t find_weight(char *directory, size_t mount_length) {
        static const char *const files[] = { "io.bfq.weight", "io.weight", "blkio.bfq.weight" };

        for (unsigned depth = 0; depth < DEPTH_MAX && strlen(directory) > mount_length + 1; depth++) {
                char *slash = strrchr(directory, '/');
                for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
                        uint32_t weight = read_weight(directory, files[i]);
                        if (weight && weight != IO_WEIGHT_USUAL)
                                return weight;
                }
                *slash = '\0';
        }
        return 0;
}

static uint32_t look_up(const struct io_weights *w, const char *mount, const char *path) {
        char directory[PATH_MAX];
        int mounted = snprintf(directory, sizeof(directory), "%s/sys/fs/cgroup%s", w->root, mount);

        if (snprintf(directory, sizeof(directory), "%s/sys/fs/cgroup%s%s", w->root, mount, path) >= (int) sizeof(directory))
                return 0;
        return find_weight(directory, (size_t) mounted);
}

static uint32_t get_group(struct io_weights *w, const char *mount, const char *path, nsec_t now) {
        struct group *g = NULL;

        if (streq(path, "/") || strlen(path) >= sizeof(g->path))
                return 0;
        for (size_t i = 0; !g && i < GROUPS_MAX; i++)
                if (streq(w->groups[i].path, path))
                        g = &w->groups[i];
        if (g && nsec_sub(now, g->t) < FRESH_NS)
                return g->weight;
        if (!g)
                g = &w->groups[w->next++ % GROUPS_MAX];
        str_copy(g->path, sizeof(g->path), path);
        g->weight = look_up(w, mount, path);
        g->t = now;
        return g->weight;
}

/* blk-iocost divides by io.weight itself (Documentation/admin-guide/cgroup-v2.rst, "IO Interface Files"). */
static bool has_cost(struct io_weights *w, nsec_t now) {
        static const char *const mounts[] = { "", "/unified" };
        char path[PATH_MAX], text[ATTRIBUTE_MAX];

        if (w->cost_looked && nsec_sub(now, w->cost_looked) < FRESH_NS)
                return w->has_cost;
        w->cost_looked = now;
        w->has_cost = false;
        for (size_t i = 0; i < ARRAY_SIZE(mounts); i++)
                if (snprintf(path, sizeof(path), "%s/sys/fs/cgroup%s/io.cost.qos", w->root, mounts[i]) < (int) sizeof(path) &&
                    fdio_read_at(AT_FDCWD, path, text, sizeof(text)) >= 0)
                        w->has_cost |= strstr(text, "enable=1") != NULL;
        return w->has_cost;
}

static bool is_unified(const struct io_weights *w) {
        char path[PATH_MAX];

        return snprintf(path, sizeof(path), "%s/sys/fs/cgroup/cgroup.controllers", w->root) < (int) sizeof(path) && access(path, F_OK) == 0;
}

uint32_t io_weights_find(struct io_weights *w, int32_t tgid, nsec_t now) {
        char path[PATH_MAX], text[ATTRIBUTE_MAX], *rest = text, *line;

        if (has_cost(w, now) || snprintf(path, sizeof(path), "%s/proc/%" PRId32 "/cgroup", w->root, tgid) >= (int) sizeof(path) ||
            fdio_read_at(AT_FDCWD, path, text, sizeof(text)) < 0)
                return 0;
        while ((line = strsep(&rest, "\n"))) { /* "0::/user.slice/..." and, of v1, "7:blkio:/..." */
                char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
                uint32_t weight = 0;
                if (!group)
                        continue;
                *group++ = '\0';
                controllers++;
                if (!*controllers)
                        weight = get_group(w, is_unified(w) ? "" : "/unified", group, now);
                else if (streq(controllers, "blkio"))
                        weight = get_group(w, "/blkio", group, now);
                if (weight)
                        return weight;
        }
        return 0;
}
