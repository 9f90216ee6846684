/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "bpf-underway.h"
#include "event.h"
#include "fdio.h"

struct bpf_underway *bpf_underway_next(struct bpf_underway places[static BPF_UNDERWAY_PLACES], size_t *i, nsec_t until) {
        while (*i < BPF_UNDERWAY_PLACES) {
                struct bpf_underway *u = &places[(*i)++];
                if (__atomic_load_n(&u->request, __ATOMIC_ACQUIRE) && u->record.t <= until)
                        return u;
        }
        return NULL;
}

bool bpf_underway_take(struct bpf_underway *u, nsec_t until, nsec_t t, struct bpf_record *ret) {
        uint64_t request = __atomic_load_n(&u->request, __ATOMIC_ACQUIRE);
        struct bpf_record record = u->record;

        if (!request || record.t > until ||
            !__atomic_compare_exchange_n(&u->request, &request, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
                return false;
        record.t = t;
        record.kind = BPF_RECORD_COMPLETE;
        record.unseen = true;
        *ret = record;
        return true;
}

/* Whether the file has nothing but these characters. */
static bool consists_of(const char *blocks, uint32_t dev, const char *file, const char *characters) {
        char path[PATH_MAX], text[64];

        snprintf(path, sizeof(path), "%s/%u:%u/%s", blocks, DEV_MAJOR(dev), DEV_MINOR(dev), file);
        return fdio_read_at(AT_FDCWD, path, text, sizeof(text)) > 0 && !text[strspn(text, characters)];
}

/* The kernel counts what is under way (reads and writes) only where it keeps statistics. */
bool bpf_underway_rests(const char *blocks, uint32_t dev) {
        return consists_of(blocks, dev, "queue/iostats", "1") && consists_of(blocks, dev, "inflight", " 0");
}
