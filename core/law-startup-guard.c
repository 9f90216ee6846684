/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Law startup-guard: while an application starts, the drives that it reads from serve it first. A process that moves much there now steps back, for as
 * long as the start lasts: bfq raises the weight of each new queue of the usual weight, a load's as that of the program that starts
 * (block/bfq-iosched.c, bfq_bfqq_handle_idle_busy_switch), unless it is of another weight. docs/laws.md has the account and what was measured. */
#include <inttypes.h>
#include <stdio.h>

#include "law.h"
#include "law-private.h"
#include "macro.h"
#include "mention.h"
#include "peak-rate.h"
#include "queue-burst.h"
#include "soft-rt.h"
#include "str.h"

/* Of a drive that idles half of the time no process has to make room: its requests are served as they come. */
#define BUSY_PERMILLE 500
/* A share of what is moved says something of a process that moves at least a page in each of so many parts of a second. */
#define PAGE_BYTES 4096u
#define PAGES_PER_S 4u
#define WAIT_TIMES 2 /* as long as ever */

static bool plays(const struct snapshot *s, const struct process_view *p) {
        for (size_t i = 0; i < s->n_streams; i++) {
                const struct stream_view *v = &s->streams[i];
                if (v->tgid == p->tgid && (!v->start_ticks || v->start_ticks == p->start_ticks) && (v->state != STREAM_NEAR_MISS || law_starves(v)))
                        return true;
        }
        return false;
}

/* So many bytes a second are much. */
static uint64_t much(const struct policy_startup_guard *p) {
        return (uint64_t) p->min_rate_kib * 1024;
}

/* Much of itself, or much of what a busy drive does: sixteen readers of single pages from a disk with heads move little, and are all of it. */
static bool moves_much(const struct policy_startup_guard *p, const struct device_view *v, const struct process_view *process) {
        uint64_t rate = process->read_bytes_per_s + process->write_bytes_per_s, all = v->read_bytes_per_s + v->write_bytes_per_s;

        if (rate >= much(p))
                return true;
        return v->utilisation_permille >= BUSY_PERMILLE && rate >= PAGE_BYTES * PAGES_PER_S && rate * 100 >= all * p->min_share_percent;
}

/* On any drive that it uses. */
static bool is_served_strictly(const struct controller *c, const struct process_view *process) {
        for (size_t i = 0; i < ARRAY_SIZE(c->devices); i++)
                if (c->devices[i].used && process_view_uses(process, c->devices[i].facts.dev) && law_serves_strictly(&c->devices[i]))
                        return true;
        return false;
}

/* Served last is served in time here: bfq gives the idle class a turn every 200 ms, and a start lasts seconds. Level 7 would do as long as the start
 * is raised and the processes that make room are not; but what bfq raised stays so for some time at level 7, too, and a start that takes long, or is
 * of many processes, is raised no more: then its reads wait for others' turns. Of CFQ's turns level 7 has 40 ms instead of 100, and each is waited for. */
static uint16_t choose_priority(const struct controller *c, const struct process_view *process) {
        return is_served_strictly(c, process) ? law_step_back_priority(SCHEDULER_BFQ) : LAW_STEP_BACK_IDLE;
}

static bool could_make_room(const struct controller *c, const struct controller_device *d, const struct controller_input *in, const struct device_view *v,
                            const struct process_view *process) {
        return process->dev == d->facts.dev && !process->in_start && moves_much(&d->policy->startup_guard, v, process) && !plays(in->snapshot, process) &&
               !law_stream_guard_knows(c, d, in, process);
}

/* bfq takes a process that begins to read for a start for so long, in ms, and until it was served so much. */
#define RAISED_BYTES_MAX (INTERACTIVE_SECTORS_MAX * SECTOR_BYTES)
static uint32_t raise_ms(const struct device_view *v) {
        return v->requests.raise_ms ? v->requests.raise_ms : RAISE_MIN_MS;
}

/* Of so many processes at once it raises none. */
static bool is_raised(const struct device_view *v, const struct verdict *start) {
        return verdict_evidence(start, "processes", 0) < QUEUE_BURST_LARGE &&
               verdict_evidence(start, "latency", 0) < (int64_t) raise_ms(v) * (int64_t) USEC_PER_MSEC &&
               verdict_evidence(start, "read", 0) < (int64_t) RAISED_BYTES_MAX;
}

/* Of the seconds counted the first was not whole. */
static bool may_be_raised(const struct device_view *v, const struct process_view *process) {
        const struct moved *reads = &process->moved[REQUEST_READ], *writes = &process->moved[REQUEST_WRITE];
        uint64_t active_ms = MAX(reads->active_s, writes->active_s) * UINT64_C(1000);

        return active_ms < raise_ms(v) + UINT64_C(1000) && reads->bytes + writes->bytes < RAISED_BYTES_MAX;
}

/* Whether the processes that could make room have one weight for bfq, and the class of most. */
static bool weigh_alike(const struct controller *c, const struct controller_device *d, const struct controller_input *in, const struct device_view *v) {
        uint16_t first = IO_PRIORITY_NONE;

        for (size_t i = 0; i < in->snapshot->n_processes; i++) {
                const struct process_view *p = &in->snapshot->processes[i];
                uint16_t priority;
                if (!could_make_room(c, d, in, v, p))
                        continue;
                priority = controller_priority_of(c, p);
                first = first == IO_PRIORITY_NONE ? priority : first;
                if (may_be_raised(v, p) || p->io_weight || priority >> IO_PRIORITY_CLASS_SHIFT != IO_CLASS_BEST_EFFORT || priority != first)
                        return false;
        }
        return true;
}

/* On a drive on which bfq waits for no next request it does so for those that it raises, and of the others each has a turn of one request: as long as
 * these weigh alike. Of several weights or classes it waits for all but the lightest (bfq_asymmetric_scenario()), and a process that is given another priority
 * keeps the old one to the end of its next turn. So to make room costs the start a whole turn of each, which is more than it has to gain. Beside much that
 * is written it lost nothing by that, and won a little. */
bool law_startup_guard_leaves(const struct controller *c, const struct controller_device *d, const struct controller_input *in) {
        const struct device_view *v = snapshot_find_device(in->snapshot, d->facts.dev);
        size_t starts = 0;

        if (!v || d->facts.scheduler != SCHEDULER_BFQ || law_waits_for_readers(&d->facts) || !v->settings.low_latency || v->settings.slice_idle_us == 0 ||
            law_write_load(v).bytes_per_s >= much(&d->policy->startup_guard))
                return false;
        for (size_t i = 0; i < in->n_verdicts; i++) {
                if (in->verdicts[i].kind != VERDICT_STARTUP || in->verdicts[i].dev != d->facts.dev)
                        continue;
                if (!is_raised(v, &in->verdicts[i]))
                        return false;
                starts++;
        }
        return starts > 0 && weigh_alike(c, d, in, v);
}

size_t law_startup_guard_processes(const struct controller *c, const struct controller_device *d, const struct controller_input *in, size_t *at,
                                   struct priority_wish *ret) {
        const struct policy_startup_guard *p = &d->policy->startup_guard;
        bool honoured = law_step_back_priority(d->facts.scheduler) != IO_PRIORITY_NONE;
        const struct device_view *view = snapshot_find_device(in->snapshot, d->facts.dev);
        const struct verdict *start = p->enabled && honoured && view ? law_find_start(in, d->facts.dev) : NULL;

        if (start && *at == 0 && law_startup_guard_leaves(c, d, in))
                return 0;
        for (; start && in->hold != HOLD_THROUGHPUT && *at < in->snapshot->n_processes; (*at)++) {
                const struct process_view *process = &in->snapshot->processes[*at];
                char text[IO_PRIORITY_TEXT_MAX], starting[MENTION_MAX], name[MENTION_MAX];
                uint16_t priority;
                if (!could_make_room(c, d, in, view, process))
                        continue;
                priority = choose_priority(c, process);
                *ret = (struct priority_wish){ .law = LAW_STARTUP_GUARD, .priority = priority, .process = process_view_subject(process) };
                if (law_step_back_spares(in, &ret->process) || law_step_back_never(d, process->name) || !others_time_allows(d, in, process->uid))
                        continue;
                SAY(ret->sentence, sizeof(ret->sentence), SAY_MAKES_ROOM, mention(starting, start->subject.name, start->subject.tgid, start->subject.uid),
                    mention(name, process->name, 0, process->uid), process->read_bytes_per_s + process->write_bytes_per_s,
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
        str_copy(ret->sentence, sizeof(ret->sentence), start->sentence);
        SAY(ret->sentence, sizeof(ret->sentence), SAY_START_TURNS, value, original);
        return 1;
}

static bool has_others(const struct law_input *l) {
        for (size_t i = 0; i < l->in->snapshot->n_processes; i++) {
                const struct process_view *p = &l->in->snapshot->processes[i];
                if (could_make_room(l->c, l->d, l->in, l->view, p) && others_time_allows(l->d, l->in, p->uid))
                        return true;
        }
        return false;
}

/* What rests for longer than half of that between two reads has them interrupted, though bfq raises it: bfq sends a request of another process each time
 * (bfq_update_has_short_ttime(), bfq_choose_bfqq_for_injection()), and the next read waits for that. */
static size_t wait_longer(const struct law_input *l, const struct verdict *start, struct law_wish *ret) {
        int64_t original;

        if (!law_waits_for_readers(&l->d->facts) || !law_original(l->d, TUNABLE_BFQ_SLICE_IDLE_US, &original) || original <= 0 || !has_others(l))
                return 0;
        *ret = (struct law_wish){ .law = LAW_STARTUP_GUARD, .tunable = TUNABLE_BFQ_SLICE_IDLE_US, .value = WAIT_TIMES * original,
                                  .hold_us = l->d->policy->startup_guard.hold_us, .costs_throughput = true };
        str_copy(ret->sentence, sizeof(ret->sentence), start->sentence);
        SAY(ret->sentence, sizeof(ret->sentence), SAY_START_WAIT, ret->value, original);
        return 1;
}

/* bfq keeps the drive free for the start's next read; mq-deadline does not, and what is written back belongs to no process that could step back. So each read
 * waits for as many writes as the drive has taken. */
static size_t bound_writes(const struct law_input *l, const struct verdict *start, struct law_wish *ret) {
        const struct policy_startup_guard *p = &l->d->policy->startup_guard;
        uint64_t written = law_write_load(l->view).bytes_per_s;
        int64_t original;

        if (p->write_depth == 0 || written < much(p) || !law_original(l->d, TUNABLE_MQ_DEADLINE_ASYNC_DEPTH, &original) ||
            original <= p->write_depth)
                return 0;
        *ret = (struct law_wish){ .law = LAW_STARTUP_GUARD, .tunable = TUNABLE_MQ_DEADLINE_ASYNC_DEPTH, .value = p->write_depth, .costs_throughput = true };
        str_copy(ret->sentence, sizeof(ret->sentence), start->sentence);
        SAY(ret->sentence, sizeof(ret->sentence), SAY_START_WRITES, written, p->write_depth, original);
        return 1;
}

size_t law_startup_guard(const struct law_input *l, struct law_wish *ret) {
        const struct verdict *start = l->d->policy->startup_guard.enabled ? law_find_verdict(l, VERDICT_STARTUP) : NULL;

        if (!start)
                return 0;
        if (l->d->facts.scheduler == SCHEDULER_BFQ) {
                size_t n = wait_longer(l, start, ret);
                return n + shorten_turns(l, start, ret + n);
        }
        return l->d->facts.scheduler == SCHEDULER_MQ_DEADLINE ? bound_writes(l, start, ret) : 0;
}
