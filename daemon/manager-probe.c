/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How well everything that is listened to works here. */
#include <inttypes.h>

#include "manager.h"
#include "str.h"

static size_t probe_devices(void *source, struct source_info *ret) {
        *ret = (struct source_info){ .name = "udev", .state = SOURCE_WORKS };
        str_copy(ret->detail, sizeof(ret->detail), devices_describe(source));
        return 1;
}

static const struct source_ops devices_ops = { .probe = probe_devices };

static size_t probe_pages(void *source, struct source_info *ret) {
        if (!source)
                return 0;
        prefetch_probe(source, ret);
        return 1;
}

static const struct source_ops pages_ops = { .probe = probe_pages };

/* What it costs while it runs, and whether it kept up. */
static void add_account(const struct source *source, struct source_info *ret) {
        uint64_t drops = source->ops->drops && source->self ? source->ops->drops(source->self) : 0, ms;
        struct source_cost c = { 0 };
        char rate[32];

        if (source->ops->cost && source->self)
                source->ops->cost(source->self, &c);
        ms = c.active_ns / NSEC_PER_MSEC;
        if (ms > 0)
                str_append(ret->detail, sizeof(ret->detail), "; while it ran: %" PRIu64 " wake-ups/s, %s/s, %" PRIu64 " events/s",
                           c.wakeups * 1000 / ms, str_format_bytes(rate, sizeof(rate), c.bytes * 1000 / ms), c.events * 1000 / ms);
        if (drops == 0)
                return;
        str_append(ret->detail, sizeof(ret->detail), "; events lost: %" PRIu64, drops);
        ret->state = SOURCE_REDUCED;
}

size_t manager_probe(struct manager *m, struct source_info *ret) {
        const struct source sources[MANAGER_SOURCES_MAX / SOURCE_INFOS_MAX - REQUEST_SOURCES_MAX] = {
                { &source_disk_ops, m->source_disk },
                { &source_process_ops, m->source_process },
                { &source_psi_ops, m->source_psi },
                { &source_memory_ops, m->source_memory },
                { &source_logind_ops, m->source_logind },
                { &devices_ops, m->devices },
                { &source_bfq_ops, m->source_bfq },
                { &pages_ops, m->prefetch },
        };
        const struct source *source;
        size_t n = 0;

        if (m->source_replay)
                return source_replay_ops.probe(m->source_replay, ret);
        for (size_t i = 0; i < ARRAY_SIZE(sources) && sources[i].ops; i++) {
                struct source_info *info = &ret[n];
                size_t told = sources[i].ops->probe(sources[i].self, info);
                n += told;
                if (told > 0)
                        add_account(&sources[i], info);
        }
        for (size_t i = 0; (source = request_sources_get(m->source_requests, i)); i++) {
                struct source_info *info = &ret[n];
                n += source->ops->probe(source->self, info);
                add_account(source, info);
                request_sources_explain(m->source_requests, i, info);
        }
        return n;
}
