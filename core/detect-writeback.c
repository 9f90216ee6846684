/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads and writes in each other's way, in both directions (seed 002): reads that wait behind what is written back, and writeback that is
 * throttled although that helps no reader while the machine's memory waits for it. docs/detectors.md has the account. */
#include <stdio.h>

#include "detect.h"
#include "macro.h"
#include "str.h"

/* In so many of the last five seconds; in at most one, it is over. */
#define SECONDS_FOUND 3
#define SECONDS_ENDS 2

/* Reads starve: most of what the drive does is writing, and a read takes several times what it takes alone, and long enough that
 * a user notices; all reads together wait for a tenth of the second. */
#define STARVES_WRITE_PERMILLE 700
#define STARVES_TIMES_ALONE 4
#define STARVES_READ_US 20000u
#define STARVES_WAIT_MS 100
#define STARVES_DEPTH_MILLI 1000 /* and something stands in the queue */
/* What a read may take alone at most, where that is not known, or was learnt while readers were in each other's way. */
#define ALONE_ROTATIONAL_US 25000u
#define ALONE_FLASH_US 5000u

/* Throttling hurts: the drive is busy all the time with a queue that is no longer than blk-wbt allows it to be. */
#define HURTS_BUSY_PERMILLE 950
#define HURTS_DEPTH_PERCENT 130 /* of wbt's normal limit */
#define HURTS_DIRTY_PERMILLE 900
#define HURTS_MERGE_PERMILLE 100
#define HURTS_WRITES_PER_S 100
#define HURTS_READS_PER_S 2
#define WBT_DEPTH 16u

/* While writing is held back by us, reads no longer starve because of that: so the finding stands as long as a process reads and
 * much of what the drive does is writing. */
#define CONTESTED_WRITE_PERMILLE 500
#define CONTESTED_READS_PER_S 1

static uint32_t alone_us(const struct device_view *v) {
        uint32_t most = v->settings.rotational ? ALONE_ROTATIONAL_US : ALONE_FLASH_US;

        return v->alone_us ? MIN(v->alone_us, most) : most;
}

static uint32_t starve_limit_us(const struct device_view *v) {
        return MAX(STARVES_TIMES_ALONE * alone_us(v), STARVES_READ_US);
}

static uint32_t depth_milli(const struct writing_second *s) {
        return (uint32_t) MIN(s->queue_ms * USEC_PER_MSEC * 1000 / MAX(s->span_us, 1u), UINT32_MAX);
}

static bool starves(const struct device_view *v, const struct writing_second *s) {
        return writing_read_us(s) > starve_limit_us(v) && s->read_ms >= STARVES_WAIT_MS && writing_permille(s) > STARVES_WRITE_PERMILLE &&
               depth_milli(s) >= STARVES_DEPTH_MILLI;
}

static bool is_contested(const struct device_view *v, const struct writing_second *s) {
        return starves(v, s) || (writing_permille(s) > CONTESTED_WRITE_PERMILLE &&
                                 s->reads * USEC_PER_SEC >= (uint64_t) CONTESTED_READS_PER_S * s->span_us);
}

/* blk-wbt's normal limit at its standard depth (block/blk-wbt.c, calc_wb_limits()). */
static uint32_t wbt_normal(const struct device_view *v) {
        uint32_t depth = v->settings.queue_depth ? v->settings.queue_depth : v->settings.nr_requests;

        depth = depth ? MIN(depth, WBT_DEPTH) : WBT_DEPTH;
        return depth <= 2 ? depth : (depth + 1) / 2;
}

static uint32_t merge_permille(const struct writing_second *s) {
        uint64_t all = (uint64_t) s->merges + s->writes;

        return all ? (uint32_t) (s->merges * 1000ULL / all) : 0;
}

/* How many requests throttling leaves in the queue; 0: nothing throttles. */
static uint32_t throttled_depth(const struct device_view *v) {
        if (!v->settings.known || (v->settings.wbt_us == 0 && !v->settings.throttled))
                return 0;
        return v->settings.wbt_us > 0 ? wbt_normal(v) : v->settings.nr_requests;
}

/* Memory waits for what is written: it was reclaimed by the process that wanted some, or is nearly full of what is dirty; or the writes are
 * those of a reclaim, small and apart. */
static bool is_wanted_urgently(const struct device_view *v, const struct writing_second *s) {
        bool apart = v->settings.wbt_us > 0 && s->merges_known && merge_permille(s) < HURTS_MERGE_PERMILLE &&
                     s->writes * USEC_PER_SEC > (uint64_t) HURTS_WRITES_PER_S * s->span_us;

        return apart || (s->memory_known && (s->stalls > 0 || s->scans > 0 || s->dirty_permille > HURTS_DIRTY_PERMILLE));
}

static bool hurts(const struct device_view *v, const struct writing_second *s) {
        bool few_reads = s->reads * USEC_PER_SEC < (uint64_t) HURTS_READS_PER_S * s->span_us;
        uint32_t depth = throttled_depth(v);

        return depth > 0 && s->busy_ms * USEC_PER_MSEC * 1000 >= (uint64_t) HURTS_BUSY_PERMILLE * s->span_us &&
               depth_milli(s) <= HURTS_DEPTH_PERCENT * 10 * depth && is_wanted_urgently(v, s) &&
               (few_reads || writing_read_us(s) <= (v->settings.wbt_us ? v->settings.wbt_us : starve_limit_us(v)));
}

typedef bool (*judge_fn)(const struct device_view *v, const struct writing_second *s);

/* In how many of the last seconds; ret_sum has these added up, saturating: a recording may say anything. */
static unsigned count(const struct device_view *v, judge_fn judge, struct writing_second *ret_sum) {
        unsigned n = 0;

        *ret_sum = (struct writing_second){ 0 };
        for (size_t i = 0; i < WRITING_SECONDS; i++) {
                const struct writing_second *s = &v->writing[i];
                if (s->span_us == 0 || !judge(v, s))
                        continue;
                n++;
                ret_sum->span_us = add_saturating(ret_sum->span_us, s->span_us);
                ret_sum->reads = add_saturating(ret_sum->reads, s->reads);
                ret_sum->read_ms = add_saturating(ret_sum->read_ms, s->read_ms);
                ret_sum->read_sectors = add_saturating(ret_sum->read_sectors, s->read_sectors);
                ret_sum->writes = add_saturating(ret_sum->writes, s->writes);
                ret_sum->write_sectors = add_saturating(ret_sum->write_sectors, s->write_sectors);
                ret_sum->merges = add_saturating(ret_sum->merges, s->merges);
                ret_sum->queue_ms = add_saturating(ret_sum->queue_ms, s->queue_ms);
                ret_sum->stalls = add_saturating(ret_sum->stalls, s->stalls);
                ret_sum->scans = add_saturating(ret_sum->scans, s->scans);
                ret_sum->memory_known |= s->memory_known;
                ret_sum->dirty_permille = MAX(ret_sum->dirty_permille, s->dirty_permille);
        }
        return n;
}

static void name_writer(const struct detection *d, struct verdict *v) {
        uint64_t sum;
        const struct process_view *most = detection_find_writer(d, &sum);
        char name[MENTION_MAX];

        if (!most)
                return;
        v->culprit = process_view_subject(most);
        v->culprit_permille = (uint16_t) (most->write_bytes_per_s * 1000 / sum);
        SAY(v->sentence, sizeof(v->sentence), SAY_WRITTEN_BY, PERCENT(v->culprit_permille), mention(name, most->name, 0, most->uid));
}

static void tell_starving(struct detection *d, const struct writing_second *s) {
        struct verdict *v = detection_add(d, NULL);
        uint32_t read_us = writing_read_us(s), alone = alone_us(d->view);
        uint64_t rate = s->write_sectors * SECTOR_BYTES * USEC_PER_SEC / s->span_us;

        if (!v)
                return;
        v->severity = (uint16_t) MIN(read_us / 500, 1000u); /* half a second a read is as bad as can be */
        verdict_add(v, "read-latency", read_us, starve_limit_us(d->view), "us");
        verdict_add(v, "read-latency-alone", alone, 0, "us");
        verdict_add(v, "written", writing_permille(s), STARVES_WRITE_PERMILLE, "permille");
        verdict_add(v, "queue-depth", depth_milli(s), 0, "milli");
        if (s->memory_known)
                verdict_add(v, "dirty", s->dirty_permille, 0, "permille");
        SAY(v->sentence, sizeof(v->sentence), d->view->alone_us ? SAY_READS_STARVE : SAY_READS_STARVE_AT_MOST, read_us, alone, rate);
        name_writer(d, v);
}

static void tell_throttling(struct detection *d, const struct writing_second *s) {
        uint32_t depth = depth_milli(s), limit = HURTS_DEPTH_PERCENT * 10 * wbt_normal(d->view);
        struct verdict *v = detection_add(d, NULL);

        if (!v)
                return;
        v->severity = s->stalls > 0 || s->scans > 0 ? 800 : 400;
        verdict_add(v, "wbt-latency", d->view->settings.wbt_us, 0, "us");
        verdict_add(v, "queue-depth", depth, limit, "milli");
        verdict_add(v, "stalls", s->stalls, 0, "");
        verdict_add(v, "dirty", s->dirty_permille, HURTS_DIRTY_PERMILLE, "permille");
        verdict_add(v, "merged", merge_permille(s), HURTS_MERGE_PERMILLE, "permille");
        SAY(v->sentence, sizeof(v->sentence), SAY_THROTTLED, depth / 100);
        if (s->stalls > 0 || s->scans > 0)
                SAY(v->sentence, sizeof(v->sentence), SAY_THROTTLED_STALLS, s->stalls);
        else if (s->memory_known && s->dirty_permille > HURTS_DIRTY_PERMILLE)
                SAY(v->sentence, sizeof(v->sentence), SAY_THROTTLED_DIRTY, PERCENT(s->dirty_permille));
        else
                SAY(v->sentence, sizeof(v->sentence), SAY_THROTTLED_RECLAIM);
}

/* Each direction has its own hysteresis. */
static bool is_found(struct detection *d, enum verdict_direction direction, judge_fn judge, struct writing_second *ret_sum) {
        d->direction = direction;
        return count(d->view, judge, ret_sum) >= (detection_stands(d, NULL) ? SECONDS_ENDS : SECONDS_FOUND);
}

/* What we throttle ourselves we let go where programs wait for memory, also where reads would starve: they would wait for memory, too. */
void detect_writeback(struct detection *d) {
        struct writing_second starving, throttled;
        bool ours = d->view->settings.throttled;
        bool hurt = is_found(d, DIRECTION_THROTTLING_HURTS, hurts, &throttled);
        bool starved = is_found(d, DIRECTION_READS_STARVE, ours ? is_contested : starves, &starving);

        if (starved && !(hurt && ours && throttled.stalls + throttled.scans > 0))
                tell_starving(d, &starving);
        else if (hurt) {
                d->direction = DIRECTION_THROTTLING_HURTS;
                tell_throttling(d, &throttled);
        }
}
