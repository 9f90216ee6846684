/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "macro.h"
#include "soft-rt.h"

static const char *const answer_names[_SOFT_RT_ANSWER_MAX] = {
        [SOFT_RT_BUSY] = "busy",
        [SOFT_RT_YES] = "yes",
        [SOFT_RT_TOO_EARLY] = "too-early",
        [SOFT_RT_SEEKY] = "seeky",
        [SOFT_RT_BURST] = "burst",
        [SOFT_RT_OTHER_WEIGHT] = "weight",
        [SOFT_RT_NO_RATE] = "no-rate",
        [SOFT_RT_UNDER_WAY] = "under-way",
};

const char *soft_rt_answer_to_string(enum soft_rt_answer a) {
        return answer_names[a];
}

uint32_t soft_rt_factor(const struct soft_rt *s) {
        switch (s->raised) {
        case RAISED_NOT:
                return 1;
        case RAISED_INTERACTIVE:
                return SOFT_RT_FACTOR_INTERACTIVE;
        case RAISED_SOFT_RT:
                return SOFT_RT_FACTOR;
        }
        return 1;
}

/* Rounded down, as nsecs_to_jiffies() does. */
static uint64_t jiffies(const struct soft_rt_rule *rule, nsec_t t) {
        return t / (NSEC_PER_SEC / rule->hz);
}

static nsec_t whole(const struct soft_rt_rule *rule, nsec_t t) {
        return t - t % (NSEC_PER_SEC / rule->hz);
}

/* In whole jiffies, as the kernel compares. */
static bool is_over(const struct soft_rt_rule *rule, nsec_t since, uint32_t ms, nsec_t t) {
        return jiffies(rule, t) > jiffies(rule, since) + jiffies(rule, ms * NSEC_PER_MSEC);
}

void soft_rt_pause(struct soft_rt *s, const struct soft_rt_rule *rule, nsec_t t) {
        uint64_t by_pause = jiffies(rule, t) + jiffies(rule, rule->slice_idle) + SOFT_RT_JIFFIES, by_rate;

        if (rule->rate == 0)
                return;
        by_rate = s->busy_jiffies + rule->hz * s->sectors / rule->rate;
        if (!rule->memory)
                s->next_start_jiffies = 0;
        s->next_start_jiffies = MAX(s->next_start_jiffies, MAX(by_rate, by_pause));
}

static enum soft_rt_answer judge(const struct soft_rt *s, const struct soft_rt_rule *rule, nsec_t t, const struct soft_rt_traits *traits) {
        if (rule->rate == 0)
                return SOFT_RT_NO_RATE;
        if (traits->weight != SOFT_RT_WEIGHT)
                return SOFT_RT_OTHER_WEIGHT;
        if (traits->in_large_burst)
                return SOFT_RT_BURST;
        if (traits->totally_seeky)
                return SOFT_RT_SEEKY;
        if (traits->under_way)
                return SOFT_RT_UNDER_WAY;
        return jiffies(rule, t) > s->next_start_jiffies ? SOFT_RT_YES : SOFT_RT_TOO_EARLY;
}

static void raise_interactive(struct soft_rt *s, const struct soft_rt_rule *rule, nsec_t t) {
        if (s->raised == RAISED_NOT)
                s->raised_sectors = 0;
        s->raised = RAISED_INTERACTIVE;
        s->raised_since = s->interactive_since = t;
        s->raised_ms = rule->interactive_ms;
}

/* A process that is raised as one that starts goes back to that, if its time is not over by then. */
static void raise_soft_rt(struct soft_rt *s, nsec_t t) {
        if (s->raised == RAISED_NOT)
                s->interactive_since = 0;
        else if (s->raised == RAISED_INTERACTIVE)
                s->interactive_since = s->raised_since;
        s->raised = RAISED_SOFT_RT;
        s->raised_since = t;
        s->raised_ms = SOFT_RT_RAISE_MS;
}

/* What the beginning of a period does to the raising. */
static void begin_raise(struct soft_rt *s, const struct soft_rt_rule *rule, nsec_t t, const struct soft_rt_traits *traits) {
        bool rested = !traits->under_way && (!s->empty_since || is_over(rule, s->empty_since, INTERACTIVE_IDLE_NS / NSEC_PER_MSEC, t));

        if (rule->interactive_ms > 0 && rested && !traits->in_large_burst && traits->weight == SOFT_RT_WEIGHT)
                raise_interactive(s, rule, t);
        else if (s->raised != RAISED_NOT && traits->in_large_burst)
                s->raised = RAISED_NOT;
        else if (s->answer == SOFT_RT_YES)
                raise_soft_rt(s, t);
}

/* A process that was raised as one that starts has loaded what it needs, and may turn out a player from here on. */
static void end_raise(struct soft_rt *s, const struct soft_rt_rule *rule, nsec_t t) {
        if (s->raised == RAISED_INTERACTIVE)
                s->next_start_jiffies = jiffies(rule, t);
        s->raised = RAISED_NOT;
}

static void end_soft_rt(struct soft_rt *s, const struct soft_rt_rule *rule, nsec_t t) {
        if (rule->interactive_ms > 0 && s->interactive_since && !is_over(rule, s->interactive_since, rule->interactive_ms, t)) {
                s->raised = RAISED_INTERACTIVE;
                s->raised_since = s->interactive_since;
                s->raised_ms = rule->interactive_ms;
        } else
                end_raise(s, rule, t);
}

/* bfq looks whenever it dispatches a request in the queue's turn. */
static void check_raise(struct soft_rt *s, const struct soft_rt_rule *rule, nsec_t t) {
        if (s->raised != RAISED_NOT && is_over(rule, s->raised_since, s->raised_ms, t)) {
                if (s->raised == RAISED_SOFT_RT)
                        end_soft_rt(s, rule, t);
                else
                        end_raise(s, rule, t);
        }
        if (s->raised == RAISED_INTERACTIVE && s->raised_sectors > INTERACTIVE_SECTORS_MAX)
                end_raise(s, rule, t);
}

enum soft_rt_answer soft_rt_wake(struct soft_rt *s, const struct soft_rt_rule *rule, nsec_t t, const struct soft_rt_traits *traits) {
        uint64_t now = jiffies(rule, t);
        uint64_t apart = now > s->next_start_jiffies ? now - s->next_start_jiffies : s->next_start_jiffies - now;
        int64_t apart_ns = (int64_t) MIN(apart, (uint64_t) INT64_MAX / NSEC_PER_SEC) * (int64_t) (NSEC_PER_SEC / rule->hz);

        s->margin_ns = now > s->next_start_jiffies ? apart_ns : -apart_ns;
        s->answer = judge(s, rule, t, traits);
        if (s->answer == SOFT_RT_YES) {
                s->yes += s->yes < UINT32_MAX;
                s->last_yes = t;
        } else
                s->no += s->no < UINT32_MAX;
        begin_raise(s, rule, t, traits);
        s->busy_jiffies = now;
        s->sectors = 0;
        return s->answer;
}

void soft_rt_begin(struct soft_rt *s, const struct soft_rt_rule *rule, nsec_t t) {
        *s = (struct soft_rt){ .begun = true, .next_start_jiffies = rule->memory ? jiffies(rule, t) : UINT64_MAX };
}

void soft_rt_lose(struct soft_rt *s, const struct soft_rt_rule *rule, nsec_t t) {
        if (s->raised == RAISED_SOFT_RT)
                end_soft_rt(s, rule, t);
}

void soft_rt_turn(struct soft_rt *s, const struct soft_rt_rule *rule, nsec_t t) {
        nsec_t longest = rule->turn_ms * NSEC_PER_MSEC, now = whole(rule, t), since = whole(rule, s->raised_since), empty = whole(rule, s->empty_since);

        if (s->raised == RAISED_SOFT_RT && since < now && s->empty_since && empty < now)
                s->raised_since = empty > since ? since + (now - empty) : now;
        s->empty_since = t + (s->raised == RAISED_INTERACTIVE ? longest * SOFT_RT_FACTOR_INTERACTIVE : longest);
}

void soft_rt_serve(struct soft_rt *s, const struct soft_rt_rule *rule, nsec_t t, uint32_t sectors, bool in_turn) {
        s->sectors += sectors;
        if (s->raised != RAISED_NOT)
                s->raised_sectors += sectors;
        if (in_turn)
                check_raise(s, rule, t);
}

void soft_rt_rest(struct soft_rt *s, nsec_t t) {
        s->empty_since = MAX(t, 1u);
}

enum soft_rt_answer soft_rt_ask(struct soft_rt *s, const struct soft_rt_rule *rule, nsec_t t, const struct soft_rt_traits *traits) {
        bool begins = s->inflight == 0 && (!s->empty_since || nsec_sub(t, s->empty_since) > s->window);

        if (!s->begun)
                soft_rt_begin(s, rule, t);
        if (begins)
                soft_rt_wake(s, rule, t, traits);
        s->inflight++;
        s->empty_since = 0;
        if (traits->totally_seeky)
                soft_rt_lose(s, rule, t);
        check_raise(s, rule, t);
        return begins ? s->answer : SOFT_RT_BUSY;
}

void soft_rt_done(struct soft_rt *s, const struct soft_rt_rule *rule, nsec_t t, uint32_t sectors) {
        s->sectors += sectors;
        s->raised_sectors += sectors;
        s->inflight -= s->inflight > 0;
        if (s->inflight > 0)
                return;
        s->empty_since = MAX(t, 1u);
        s->window = rule->slice_idle;
        if (rule->slice_idle > 0 && s->raised != RAISED_NOT)
                s->window = MAX(rule->slice_idle, SOFT_RT_RAISED_IDLE_NS);
        soft_rt_pause(s, rule, t);
}
