/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Law startup-guard: while an application starts, the drives that it reads from serve it first. Whoever moves much there now steps back, for as
 * long as the start lasts: bfq raises the weight of each new queue of the usual weight, a load's as that of the program that starts
 * (block/bfq-iosched.c, bfq_bfqq_handle_idle_busy_switch), unless it is of another weight. docs/laws.md has the account and what was measured. */
#include <inttypes.h>
#include <stdio.h>

#include "law.h"
#include "law-private.h"
#include "macro.h"
#include "str.h"

/* Of a drive that idles half of the time nobody has to make room: its requests are served as they come. */
#define BUSY_PERMILLE 500
/* A share of what is moved says something of who moves at least a page in each of so many parts of a second. */
#define PAGE_BYTES 4096u
#define PAGES_PER_S 4u

const struct verdict *law_startup_guard_start(const struct controller_input *in, uint32_t dev) {
        for (size_t i = 0; i < in->n_verdicts; i++)
                if (in->verdicts[i].kind == VERDICT_STARTUP && in->verdicts[i].dev == dev)
                        return &in->verdicts[i];
        return NULL;
}

static bool plays(const struct snapshot *s, const struct process_view *p) {
        for (size_t i = 0; i < s->n_streams; i++) {
                const struct stream_view *v = &s->streams[i];
                if (v->tgid == p->tgid && (!v->start_ticks || v->start_ticks == p->start_ticks) && v->state != STREAM_NEAR_MISS)
                        return true;
        }
        return false;
}

/* Much of itself, or much of what a busy drive does: sixteen who read single pages from a disk with heads move little, and are all of it. */
static bool moves_much(const struct policy_startup_guard *p, const struct device_view *v, const struct process_view *who) {
        uint64_t rate = who->read_bytes_per_s + who->write_bytes_per_s, all = v->read_bytes_per_s + v->write_bytes_per_s;

        if (rate >= (uint64_t) p->min_rate_kib * 1024)
                return true;
        return v->utilisation_permille >= BUSY_PERMILLE && rate >= PAGE_BYTES * PAGES_PER_S && rate * 100 >= all * p->min_share_percent;
}

/* Served last is served in time here: bfq gives the idle class a turn every 200 ms, and a start lasts seconds. Level 7 would do as long as the start
 * is raised and whoever makes room is not; but what bfq raised stays so for some time at level 7, too, and a start that takes long, or is
 * of many processes, is raised no more: then its reads wait for others' turns. */
static uint16_t choose_priority(enum scheduler s) {
        return s == SCHEDULER_BFQ ? LAW_STEP_BACK_IDLE : law_step_back_priority(s);
}

size_t law_startup_guard_processes(const struct controller_device *d, const struct controller_input *in, size_t *at, struct priority_wish *ret) {
        const struct policy_startup_guard *p = &d->policy->startup_guard;
        bool honoured = law_step_back_priority(d->facts.scheduler) != IO_PRIORITY_NONE;
        const struct device_view *view = snapshot_find_device(in->snapshot, d->facts.dev);
        const struct verdict *start = p->enabled && honoured && view ? law_startup_guard_start(in, d->facts.dev) : NULL;

        for (; start && in->hold != HOLD_THROUGHPUT && *at < in->snapshot->n_processes; (*at)++) {
                const struct process_view *who = &in->snapshot->processes[*at];
                uint16_t priority = choose_priority(d->facts.scheduler);
                char rate[32], text[IO_PRIORITY_TEXT_MAX];
                if (who->dev != d->facts.dev || who->in_start || plays(in->snapshot, who) || !moves_much(p, view, who))
                        continue;
                *ret = (struct priority_wish){ .law = LAW_STARTUP_GUARD, .who = { .tgid = who->tgid, .start_ticks = who->start_ticks }, .priority = priority };
                memcpy(ret->who.name, who->name, sizeof(ret->who.name));
                if (law_step_back_spares(in, &ret->who))
                        continue;
                snprintf(ret->sentence, sizeof(ret->sentence), "%s (%" PRId32 ") starts, and %s moves %s/s there; it steps back to %s until that runs",
                         start->subject.name, start->subject.tgid, who->name,
                         str_format_bytes(rate, sizeof(rate), who->read_bytes_per_s + who->write_bytes_per_s),
                         io_priority_format(priority, text, sizeof(text)));
                (*at)++;
                return 1;
        }
        return 0;
}

/* Every 200 ms bfq serves the idle class for a turn (BFQ_CL_IDLE_TIMEOUT): of 125 ms, that is a third of the drive's time. A start reads little at a
 * time, and needs no long turns itself. */
static size_t shorten_turns(const struct law_input *l, const struct verdict *start, struct law_wish *ret) {
        int64_t original, value = l->d->policy->startup_guard.slice_us / (int64_t) USEC_PER_MSEC;

        if (value == 0 || !law_original(l->d, TUNABLE_BFQ_TIMEOUT_SYNC, &original) || original <= value)
                return 0;
        *ret = (struct law_wish){ .law = LAW_STARTUP_GUARD, .tunable = TUNABLE_BFQ_TIMEOUT_SYNC, .value = value, .costs_throughput = true };
        snprintf(ret->sentence, sizeof(ret->sentence), "%s; turns of %" PRIi64 " ms instead of %" PRIi64 " until it runs", start->sentence, value, original);
        return 1;
}

/* bfq keeps the drive free for the start's next read; mq-deadline does not, and what is written back belongs to nobody who could step back. So each read
 * waits for as many writes as the drive has taken. */
static size_t bound_writes(const struct law_input *l, const struct verdict *start, struct law_wish *ret) {
        const struct policy_startup_guard *p = &l->d->policy->startup_guard;
        uint64_t written = law_write_load(l->view).bytes_per_s;
        char rate[32];
        int64_t original;

        if (p->write_depth == 0 || written < (uint64_t) p->min_rate_kib * 1024 || !law_original(l->d, TUNABLE_MQ_DEADLINE_ASYNC_DEPTH, &original) ||
            original <= p->write_depth)
                return 0;
        *ret = (struct law_wish){ .law = LAW_STARTUP_GUARD, .tunable = TUNABLE_MQ_DEADLINE_ASYNC_DEPTH, .value = p->write_depth, .costs_throughput = true };
        snprintf(ret->sentence, sizeof(ret->sentence), "%s, beside %s/s that are written; %" PRIu32 " of these at a time instead of %" PRIi64 " until it runs",
                 start->sentence, str_format_bytes(rate, sizeof(rate), written), p->write_depth, original);
        return 1;
}

size_t law_startup_guard(const struct law_input *l, struct law_wish *ret) {
        const struct verdict *start = l->d->policy->startup_guard.enabled ? law_find_verdict(l, VERDICT_STARTUP) : NULL;

        if (!start)
                return 0;
        if (l->d->facts.scheduler == SCHEDULER_BFQ)
                return shorten_turns(l, start, ret);
        return l->d->facts.scheduler == SCHEDULER_MQ_DEADLINE ? bound_writes(l, start, ret) : 0;
}
