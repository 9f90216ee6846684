/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files in policies/, as they are installed. */
#include "law.h"
#include "policy-load.h"
#include "test.h"

static void count_finding(void *userdata, enum policy_severity severity _unused_, const char *file, int line,
                          const char *message) {
        printf("# %s:%d: %s\n", file, line, message);
        ++*(unsigned *) userdata;
}

static bool load_shipped(struct policy_set *ret) {
        unsigned findings = 0;
        char path[4096];

        snprintf(path, sizeof(path), "%s/policies", getenv("BRIO_SOURCE_DIR"));
        return policy_load_all(NULL, path, count_finding, &findings, ret) == 0 && findings == 0;
}

TEST(the_shipped_policies_parse_without_a_report_and_say_why) {
        struct policy_set s;

        CHECK(load_shipped(&s));
        CHECK(s.n > 0);
        for (size_t i = 0; i < s.n; i++)
                CHECK(s.policies[i].description[0] != '\0');
        policy_set_done(&s);
}

TEST(each_class_of_drives_has_exactly_one_shipped_policy) {
        struct policy_set s;
        uint32_t seen = 0, all = ((UINT32_C(1) << _DEVICE_CLASS_MAX) - 1) & ~(UINT32_C(1) << DEVICE_CLASS_SKIP);

        CHECK(load_shipped(&s));
        for (size_t i = 0; i < s.n; i++) {
                CHECK_INT(seen & s.policies[i].classes, 0);
                seen |= s.policies[i].classes;
        }
        CHECK_INT(seen, all);
        policy_set_done(&s);
}

TEST(a_shipped_policy_limits_every_tunable_that_its_laws_move) {
        static const enum tunable_id idle[] = { TUNABLE_BFQ_SLICE_IDLE_US, TUNABLE_CFQ_SLICE_IDLE_US, TUNABLE_CFQ_SLICE_IDLE };
        static const enum tunable_id slice[] = { TUNABLE_BFQ_TIMEOUT_SYNC, TUNABLE_CFQ_SLICE_SYNC_US, TUNABLE_CFQ_SLICE_SYNC,
                                                 TUNABLE_MQ_DEADLINE_FIFO_BATCH, TUNABLE_MQ_DEADLINE_READ_EXPIRE };
        static const enum tunable_id guard[] = { TUNABLE_BFQ_STRICT_GUARANTEES, TUNABLE_MQ_DEADLINE_ASYNC_DEPTH };
        static const enum tunable_id throughput[] = { TUNABLE_BFQ_LOW_LATENCY, TUNABLE_CFQ_LOW_LATENCY };
        struct policy_set s;

        CHECK(load_shipped(&s));
        for (size_t i = 0; i < s.n; i++) {
                const struct policy *p = &s.policies[i];
                for (size_t j = 0; p->idle_limit.enabled && j < ARRAY_SIZE(idle); j++)
                        CHECK(p->limits[idle[j]].set);
                for (size_t j = 0; p->slice_share.enabled && j < ARRAY_SIZE(slice); j++)
                        CHECK(p->limits[slice[j]].set);
                for (size_t j = 0; (p->stream_guard.enabled || p->writeback_guard.enabled) && j < ARRAY_SIZE(guard); j++)
                        CHECK(p->limits[guard[j]].set);
                for (size_t j = 0; p->throughput.enabled && j < ARRAY_SIZE(throughput); j++)
                        CHECK(p->limits[throughput[j]].set);
                CHECK(p->readahead.enabled == (p->classes == 1u << DEVICE_CLASS_HDD)); /* what flash reads beyond what is asked for costs as much as that */
                CHECK(!p->readahead.enabled || p->limits[TUNABLE_QUEUE_READ_AHEAD_KB].max >= p->readahead.size_kib);
                CHECK(!p->hole_filler.enabled); /* nothing shows yet that it helps */
                /* A share shorter than pays is no wait at all: the limits must let the law say so. */
                if (p->idle_limit.enabled)
                        CHECK_INT(policy_clamp(p, TUNABLE_BFQ_SLICE_IDLE_US, 0), 0);
        }
        policy_set_done(&s);
}

TEST(drives_that_are_best_left_alone_are) {
        static const enum device_class alone[] = { DEVICE_CLASS_ZONED, DEVICE_CLASS_VIRTUAL };
        struct policy_set s;

        CHECK(load_shipped(&s));
        for (size_t i = 0; i < ARRAY_SIZE(alone); i++) {
                const struct policy *p = policy_match(s.policies, s.n, alone[i]);
                CHECK(p && p->n_schedulers == 0 && !p->idle_limit.enabled && !p->slice_share.enabled && !p->throughput.enabled);
        }
        CHECK(!policy_match(s.policies, s.n, DEVICE_CLASS_SKIP));
        policy_set_done(&s);
}
