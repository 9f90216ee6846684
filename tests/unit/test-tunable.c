/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <limits.h>

#include "test.h"
#include "tunable.h"

TEST(every_row_is_filled_in_and_found_by_its_name) {
        for (enum tunable_id id = 0; id < _TUNABLE_MAX; id++) {
                const struct tunable *t = tunable_get(id);
                CHECK(t->name && t->unit && t->effect);
                CHECK(t->type < _TUNABLE_TYPE_MAX);
                CHECK(t->min <= t->max);
                CHECK_INT(tunable_find(t->scheduler, t->name), id);
                CHECK(!(t->flags & TUNABLE_RESETS_OTHERS) || t->side_effects);
        }
        CHECK_INT(tunable_find(SCHEDULER_BFQ, "nr_requests"), _TUNABLE_INVALID);
        CHECK_INT(tunable_find(SCHEDULER_ANY, "slice_idle"), _TUNABLE_INVALID);
}

TEST(what_lies_in_iosched_is_lost_on_a_switch) {
        for (enum tunable_id id = 0; id < _TUNABLE_MAX; id++)
                if (tunable_get(id)->scheduler != SCHEDULER_ANY)
                        CHECK(tunable_get(id)->flags & TUNABLE_LOST_ON_SWITCH);
        CHECK(tunable_get(TUNABLE_QUEUE_NR_REQUESTS)->flags & TUNABLE_LOST_ON_SWITCH);
        CHECK(!(tunable_get(TUNABLE_QUEUE_READ_AHEAD_KB)->flags & TUNABLE_LOST_ON_SWITCH));
        CHECK(tunable_get(TUNABLE_QUEUE_WBT_LAT_USEC)->flags & TUNABLE_INEXACT);
}

TEST(twins_point_at_each_other_and_the_finer_is_primary) {
        unsigned pairs = 0;

        for (enum tunable_id id = 0; id < _TUNABLE_MAX; id++) {
                enum tunable_id twin = tunable_get(id)->twin;
                if (twin == _TUNABLE_INVALID) {
                        CHECK(tunable_is_primary(id));
                        continue;
                }
                CHECK_INT(tunable_get(twin)->twin, id);
                CHECK(tunable_is_primary(id) != tunable_is_primary(twin));
                pairs += tunable_is_primary(id);
        }
        CHECK_INT(pairs, 6); /* five of cfq, one of bfq */
        CHECK(tunable_is_primary(TUNABLE_BFQ_SLICE_IDLE_US));
        CHECK(!tunable_is_primary(TUNABLE_CFQ_TARGET_LATENCY));
}

TEST(paths_tell_queue_and_iosched_apart) {
        char path[64];

        CHECK_STR(tunable_path(TUNABLE_QUEUE_NR_REQUESTS, path, sizeof(path)), "queue/nr_requests");
        CHECK_STR(tunable_path(TUNABLE_BFQ_SLICE_IDLE_US, path, sizeof(path)), "queue/iosched/slice_idle_us");
}

TEST(scheduler_names_go_both_ways) {
        for (enum scheduler s = 0; s < _SCHEDULER_MAX; s++)
                if (scheduler_to_string(s))
                        CHECK_INT(scheduler_from_string(scheduler_to_string(s)), s);
        CHECK(!scheduler_to_string(SCHEDULER_ANY) && !scheduler_to_string(SCHEDULER_OTHER));
        for (const char *const *name = (const char *const[]){ "deadline", "noop", "adios", "", "nonexxx", "BFQ", NULL }; *name; name++)
                CHECK_INT(scheduler_from_string(*name), SCHEDULER_OTHER);
}

TEST(the_active_word_is_the_one_in_brackets_or_the_only_one) {
        char word[8];

        CHECK(tunable_active_word("none mq-deadline kyber [bfq]", word, sizeof(word)) == 0);
        CHECK_STR(word, "bfq");
        CHECK(tunable_active_word("noop deadline [cfq] \n", word, sizeof(word)) == 0);
        CHECK_STR(word, "cfq");
        CHECK(tunable_active_word("none\n", word, sizeof(word)) == 0);
        CHECK_STR(word, "none");
        for (const char *const *text = (const char *const[]){ "", "\n", "[]", "[bfq", "none bfq", "[mq-deadline]", " none", NULL }; *text; text++)
                CHECK_INT(tunable_active_word(*text, word, sizeof(word)), -EINVAL);
        CHECK_STR(word, "none");
}

TEST(numbers_are_parsed_strictly) {
        int64_t n;

        CHECK(tunable_parse(TUNABLE_QUEUE_WBT_LAT_USEC, "-1", &n) == 0);
        CHECK_INT(n, -1);
        CHECK_INT(tunable_parse(TUNABLE_BFQ_SLICE_IDLE_US, "8000 ", &n), -EINVAL);
        CHECK_INT(tunable_parse(TUNABLE_KYBER_READ_LAT_NSEC, "18446744073709551615", &n), -ERANGE);
        CHECK_INT(tunable_parse(TUNABLE_QUEUE_SCHEDULER, "bfq", &n), -EINVAL);
}

struct vector {
        enum tunable_id id;
        const char *written, *observed;
};

static void check_vectors(const struct vector *v, size_t n, bool expected) {
        for (size_t i = 0; i < n; i++)
                if (tunable_equivalent(v[i].id, v[i].written, v[i].observed) != expected)
                        test_fail(__FILE__, __LINE__, "%s: wrote \"%s\", read \"%s\": expected %s", tunable_get(v[i].id)->name,
                                  v[i].written, v[i].observed, expected ? "the same" : "different");
}

TEST(a_scheduler_is_formatted_by_its_name_and_all_else_as_the_number) {
        char text[TUNABLE_VALUE_MAX];

        CHECK_STR(tunable_format(TUNABLE_QUEUE_SCHEDULER, SCHEDULER_MQ_DEADLINE, text, sizeof(text)), "mq-deadline");
        CHECK_STR(tunable_format(TUNABLE_QUEUE_NR_REQUESTS, SCHEDULER_MQ_DEADLINE, text, sizeof(text)), "2");
        CHECK_STR(tunable_format(TUNABLE_QUEUE_WBT_LAT_USEC, -1, text, sizeof(text)), "-1");
        CHECK_STR(tunable_format(TUNABLE_KYBER_READ_LAT_NSEC, INT64_MAX, text, sizeof(text)), "9223372036854775807");
        CHECK_STR(tunable_format(TUNABLE_QUEUE_SCHEDULER, SCHEDULER_OTHER, text, sizeof(text)), "6");
}

TEST(equivalent_knows_what_kernels_read_back) {
        static const struct vector same[] = {
                /* 6.18 with HZ 250 */
                { TUNABLE_BFQ_TIMEOUT_SYNC, "125", "128" },
                { TUNABLE_BFQ_TIMEOUT_SYNC, "124", "124" },
                { TUNABLE_BFQ_TIMEOUT_SYNC, "0", "4" },
                { TUNABLE_BFQ_TIMEOUT_SYNC, "1", "4" },
                { TUNABLE_MQ_DEADLINE_READ_EXPIRE, "501", "504" },
                { TUNABLE_MQ_DEADLINE_PRIO_AGING_EXPIRE, "-5", "0" },
                { TUNABLE_BFQ_STRICT_GUARANTEES, "2", "1" },
                { TUNABLE_BFQ_MAX_BUDGET, "3000000000", "2147483647" },
                { TUNABLE_MQ_DEADLINE_FIFO_BATCH, "-7", "0" },
                { TUNABLE_MQ_DEADLINE_WRITES_STARVED, "-7", "-7" },
                { TUNABLE_MQ_DEADLINE_ASYNC_DEPTH, "0", "1" },
                { TUNABLE_QUEUE_NR_REQUESTS, "3", "4" },
                { TUNABLE_QUEUE_READ_AHEAD_KB, "130", "128" },
                { TUNABLE_QUEUE_READ_AHEAD_KB, "1", "0" },
                { TUNABLE_QUEUE_RQ_AFFINITY, "3", "0" },
                { TUNABLE_QUEUE_RQ_AFFINITY, "5", "1" },
                { TUNABLE_QUEUE_NOMERGES, "3", "1" },
                { TUNABLE_QUEUE_NOMERGES, "2", "2" },
                { TUNABLE_QUEUE_WBT_LAT_USEC, "-1", "75000" },
                /* other rates of jiffies: 100, 300, 1000 */
                { TUNABLE_BFQ_TIMEOUT_SYNC, "125", "130" },
                { TUNABLE_BFQ_TIMEOUT_SYNC, "125", "127" },
                { TUNABLE_BFQ_TIMEOUT_SYNC, "125", "126" },
                { TUNABLE_BFQ_TIMEOUT_SYNC, "125", "125" },
                { TUNABLE_QUEUE_SCHEDULER, "bfq", "bfq" },
                { TUNABLE_KYBER_READ_LAT_NSEC, "0", "0" },
        };
        static const struct vector different[] = {
                { TUNABLE_BFQ_TIMEOUT_SYNC, "125", "124" }, /* the kernel rounds up */
                { TUNABLE_BFQ_TIMEOUT_SYNC, "125", "129" },
                { TUNABLE_BFQ_TIMEOUT_SYNC, "125", "135" },
                { TUNABLE_BFQ_SLICE_IDLE_US, "600", "601" },
                { TUNABLE_BFQ_SLICE_IDLE_US, "600", "" },
                { TUNABLE_BFQ_SLICE_IDLE_US, "5000000", "705032" }, /* wraps: not what was asked for */
                { TUNABLE_BFQ_SLICE_IDLE_US, "junk", "0" },
                { TUNABLE_QUEUE_READ_AHEAD_KB, "130", "130" }, /* no page is this small */
                { TUNABLE_QUEUE_READ_AHEAD_KB, "130", "132" },
                { TUNABLE_QUEUE_MAX_SECTORS_KB, "2560", "1280" },
                { TUNABLE_QUEUE_NOMERGES, "3", "2" },
                { TUNABLE_QUEUE_WBT_LAT_USEC, "-1", "0" },
                { TUNABLE_MQ_DEADLINE_WRITES_STARVED, "-1", "75000" },
                { TUNABLE_QUEUE_SCHEDULER, "bfq", "mq-deadline" },
                { TUNABLE_KYBER_READ_LAT_NSEC, "-1", "0" },
        };

        check_vectors(same, ARRAY_SIZE(same), true);
        check_vectors(different, ARRAY_SIZE(different), false);
}

/* What was written to the files of a Linux 4.19 with cfq, and what was read back. */
TEST(equivalent_agrees_with_a_recorded_cfq) {
        static const char *const written[] = { "junk", "-1", "0", "1", "2147483648", "4294967295", "4294967296", "4294967297",
                                               "18446744073709551615", "18446744073709551616", "99999999999999999999999", "0x10",
                                               "010", "5.7", "5 6", " 5", "5ms", "\n", "5\n", "+5" };
        static const char *const from_zero[] = { "0", "0", "0", "1", "2147483648", "4294967295", "0", "1", "4294967295", "0",
                                                 "4135583743", "0", "10", "5", "5", "0", "5", "0", "5", "0" };
        static const struct {
                enum tunable_id id;
                int64_t min, max;
        } rows[] = {
                { TUNABLE_CFQ_BACK_SEEK_MAX, 0, UINT32_MAX },     { TUNABLE_CFQ_BACK_SEEK_PENALTY, 1, UINT32_MAX },
                { TUNABLE_CFQ_FIFO_EXPIRE_ASYNC, 1, UINT32_MAX }, { TUNABLE_CFQ_FIFO_EXPIRE_SYNC, 1, UINT32_MAX },
                { TUNABLE_CFQ_GROUP_IDLE, 0, UINT32_MAX },        { TUNABLE_CFQ_GROUP_IDLE_US, 0, UINT32_MAX },
                { TUNABLE_CFQ_LOW_LATENCY, 0, 1 },                { TUNABLE_CFQ_QUANTUM, 1, UINT32_MAX },
                { TUNABLE_CFQ_SLICE_ASYNC, 1, UINT32_MAX },       { TUNABLE_CFQ_SLICE_ASYNC_RQ, 1, UINT32_MAX },
                { TUNABLE_CFQ_SLICE_ASYNC_US, 1, UINT32_MAX },    { TUNABLE_CFQ_SLICE_IDLE, 0, UINT32_MAX },
                { TUNABLE_CFQ_SLICE_IDLE_US, 0, UINT32_MAX },     { TUNABLE_CFQ_SLICE_SYNC, 1, UINT32_MAX },
                { TUNABLE_CFQ_SLICE_SYNC_US, 1, UINT32_MAX },     { TUNABLE_CFQ_TARGET_LATENCY, 1, UINT32_MAX },
                { TUNABLE_CFQ_TARGET_LATENCY_US, 1, UINT32_MAX },
        };

        CHECK_INT(ARRAY_SIZE(written), ARRAY_SIZE(from_zero));
        for (size_t row = 0; row < ARRAY_SIZE(rows); row++)
                for (size_t i = 0; i < ARRAY_SIZE(written); i++) {
                        char observed[32], other[32];
                        int64_t n;
                        CHECK(tunable_parse(rows[row].id, from_zero[i], &n) == 0);
                        n = CLAMP(n, rows[row].min, rows[row].max);
                        snprintf(observed, sizeof(observed), "%" PRId64, n);
                        snprintf(other, sizeof(other), "%" PRId64, n + 1);
                        struct vector v = { rows[row].id, written[i], observed };
                        check_vectors(&v, 1, true);
                        v.observed = other;
                        check_vectors(&v, 1, false);
                }
}
