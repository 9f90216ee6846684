/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From any block device's number to the drive below it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>

#include "clock.h"
#include "devices-internal.h"
#include "event.h"
#include "fdio.h"
#include "str.h"

#define LEAF_CACHE_LIFE (5 * NSEC_PER_SEC)
#define HASH_MULTIPLIER 2654435769u /* 2^32 / golden ratio: spreads neighbouring minors */

struct walk {
        const struct devices *devices;
        uint32_t leaf; /* 0: none found yet */
        bool inferred, cut;
        unsigned nodes;
};

void leaf_cache_clear(struct leaf_cache *c) {
        memset(c->slots, 0, sizeof(c->slots));
}

static struct leaf_slot *cache_slot(struct leaf_cache *c, uint32_t dev) {
        return &c->slots[(dev * HASH_MULTIPLIER) >> (32 - LEAF_CACHE_BITS)];
}

static int not_hidden(const struct dirent *entry) {
        return entry->d_name[0] != '.';
}

static void walk_node(struct walk *w, int dirfd, unsigned depth);

static void walk_child(struct walk *w, int dirfd, const char *path, unsigned depth) {
        _cleanup_close_ int fd = openat(dirfd, path, O_PATH | O_DIRECTORY | O_CLOEXEC);

        if (fd >= 0)
                walk_node(w, fd, depth + 1);
}

static void walk_slaves(struct walk *w, int dirfd, unsigned depth) {
        _cleanup_close_ int backing = devices_open_backing(w->devices, dirfd);
        struct dirent **slaves = NULL;
        char path[sizeof("slaves/") + NAME_MAX];
        int n = scandirat(dirfd, "slaves", &slaves, not_hidden, versionsort); /* sorted: the first leaf is always the same */

        for (int i = 0; i < n; i++) {
                snprintf(path, sizeof(path), "slaves/%s", slaves[i]->d_name);
                walk_child(w, dirfd, path, depth);
                free(slaves[i]);
        }
        free(slaves);
        if (backing >= 0)
                walk_node(w, backing, depth + 1);
}

static void walk_node(struct walk *w, int dirfd, unsigned depth) {
        char number[32];
        uint32_t dev;

        if (depth >= STACK_DEPTH_MAX || ++w->nodes > STACK_NODES_MAX) {
                w->cut = true;
                return;
        }
        if (fdio_read_at(dirfd, "dev", number, sizeof(number)) < 0 || devices_parse_number(number, &dev) < 0)
                return;
        if (devices_find_number(w->devices, dev)) {
                if (w->leaf && w->leaf != dev)
                        w->inferred = true;
                else
                        w->leaf = dev;
        } else if (faccessat(dirfd, "partition", F_OK, 0) == 0)
                walk_child(w, dirfd, "..", depth);
        else
                walk_slaves(w, dirfd, depth);
}

uint32_t devices_resolve_leaf(struct devices *d, uint32_t dev, bool *ret_inferred) {
        struct leaf_slot *slot = cache_slot(&d->leaves, dev);
        struct walk w = { .devices = d };
        nsec_t now = clock_now(CLOCK_MONOTONIC);
        char path[PATH_MAX];

        if (now >= d->leaves.expires) {
                leaf_cache_clear(&d->leaves);
                d->leaves.expires = now + LEAF_CACHE_LIFE;
        }
        if (dev != 0 && slot->dev != dev) {
                if (snprintf(path, sizeof(path), "%s/sys/dev/block/%u:%u", d->root, DEV_MAJOR(dev), DEV_MINOR(dev)) < (int) sizeof(path))
                        walk_child(&w, AT_FDCWD, path, 0);
                if (w.cut)
                        devices_note_cut(d);
                *slot = (struct leaf_slot){ .dev = dev, .leaf = w.leaf, .inferred = w.inferred || (w.leaf && w.cut) };
        }
        if (ret_inferred)
                *ret_inferred = dev != 0 && slot->inferred;
        return dev != 0 ? slot->leaf : 0;
}
