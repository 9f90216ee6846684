/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "policy-keys.h"
#include "test.h"

#define MAIN "/etc/brio/policies.d/10-test.conf"
#define DROPIN "/etc/brio/policies.d/10-test.conf.d/a.conf"

/* The last finding, and how many there were. */
struct findings {
        int n, line;
        enum policy_severity severity;
        char file[POLICY_FILE_MAX], message[512];
};

static struct findings found;

static void keep_finding(void *userdata, enum policy_severity severity, const char *file, int line, const char *message) {
        struct findings *f = userdata;

        f->n++;
        f->line = line;
        f->severity = severity;
        snprintf(f->file, sizeof(f->file), "%s", file);
        snprintf(f->message, sizeof(f->message), "%s", message);
}

static struct policy fresh(void) {
        struct policy p;

        policy_init(&p, "10-test", MAIN);
        found = (struct findings) { .n = 0 };
        return p;
}

static int set(struct policy *p, const char *section, const char *key, const char *value) {
        return policy_set(p, section, key, value, MAIN, 7, keep_finding, &found);
}

TEST(a_fresh_policy_permits_nothing) {
        struct policy p = fresh();

        CHECK_STR(p.name, "10-test");
        CHECK_STR(p.file, MAIN);
        CHECK_INT(p.classes, 0);
        CHECK_INT(p.n_schedulers, 0);
        CHECK(!p.idle_limit.enabled && !p.slice_share.enabled && !p.hole_filler.enabled && !p.throughput.enabled);
        CHECK_INT(p.idle_limit.group_slice_us, 300000);
        CHECK_INT(p.idle_limit.min_readers, 8);
        CHECK_INT(p.slice_share.min_readers, 4);
        CHECK_INT(p.slice_share.floor_us, 0);
        CHECK_INT(p.switch_quiet_us, 2000000);
        CHECK_INT(p.dwell_us, 2000000);
        CHECK_INT(p.hold_us, 5000000);
        CHECK_INT(p.hysteresis_percent, 25);
        for (int i = 0; i < _TUNABLE_MAX; i++)
                CHECK(!p.limits[i].set);
}

TEST(every_key_takes_a_good_value) {
        struct policy p = fresh();

        CHECK_INT(set(&p, "Policy", "Description", "grün"), 0);
        CHECK_INT(set(&p, "Policy", "Class", "hdd, usb-disk"), 0);
        CHECK_INT(set(&p, "Scheduler", "Prefer", "bfq cfq,mq-deadline none"), 0);
        CHECK_INT(set(&p, "Scheduler", "QuietTime", "100ms"), 0);
        CHECK_INT(set(&p, "IdleLimit", "Enabled", "yes"), 0);
        CHECK_INT(set(&p, "IdleLimit", "GroupSlice", "10 s"), 0);
        CHECK_INT(set(&p, "IdleLimit", "MinReaders", "2"), 0);
        CHECK_INT(set(&p, "SliceShare", "Enabled", "on"), 0);
        CHECK_INT(set(&p, "SliceShare", "MinReaders", "1000000"), 0);
        CHECK_INT(set(&p, "SliceShare", "Floor", "16ms"), 0);
        CHECK_INT(set(&p, "StartupGuard", "Enabled", "yes"), 0);
        CHECK_INT(set(&p, "StartupGuard", "MinRate", "512"), 0);
        CHECK_INT(set(&p, "StartupGuard", "MinShare", "5%"), 0);
        CHECK_INT(set(&p, "StartupGuard", "OthersTime", "0s"), 0);
        CHECK_INT(set(&p, "StartupGuard", "Hold", "1s"), 0);
        CHECK_INT(set(&p, "StartupGuard", "Slice", "40ms"), 0);
        CHECK_INT(set(&p, "StepBack", "Enabled", "true"), 0);
        CHECK_INT(set(&p, "StepBack", "After", "3s"), 0);
        CHECK_INT(set(&p, "StepBack", "Pause", "1min"), 0);
        CHECK_INT(set(&p, "StepBack", "Never", "firefox, Web Content"), 0);
        CHECK_INT(set(&p, "StepBack", "Always", "updatedb"), 0);
        CHECK_INT(set(&p, "Trial", "Enabled", "yes"), 0);
        CHECK_INT(set(&p, "Trial", "Probe", "no"), 0);
        CHECK_INT(set(&p, "Trial", "Settle", "100ms"), 0);
        CHECK_INT(set(&p, "Trial", "ProbeAfter", "10s"), 0);
        CHECK_INT(set(&p, "Trial", "Backoff", "1min"), 0);
        CHECK_INT(set(&p, "Trial", "RememberDays", "3650"), 0);
        CHECK_INT(set(&p, "Timing", "ChangesPerHour", "3600"), 0);
        CHECK_INT(set(&p, "Timing", "Dwell", "60min"), 0);
        CHECK_INT(set(&p, "Timing", "Hold", "0s"), 0);
        CHECK_INT(set(&p, "Timing", "Hysteresis", "100 %"), 0);
        CHECK_INT(set(&p, "Limits", "bfq.timeout_sync", "16..125"), 0);
        CHECK_INT(found.n, 0);
        CHECK_STR(p.description, "grün");
        CHECK_INT(p.classes, 1 << DEVICE_CLASS_HDD | 1 << DEVICE_CLASS_USB_DISK);
        CHECK_INT(p.n_schedulers, 4);
        CHECK(p.schedulers[0] == SCHEDULER_BFQ && p.schedulers[1] == SCHEDULER_CFQ);
        CHECK(p.schedulers[2] == SCHEDULER_MQ_DEADLINE && p.schedulers[3] == SCHEDULER_NONE);
        CHECK_INT(p.switch_quiet_us, 100000);
        CHECK(p.idle_limit.enabled && p.slice_share.enabled);
        CHECK(p.startup_guard.enabled && p.startup_guard.min_rate_kib == 512 && p.startup_guard.min_share_percent == 5);
        CHECK(p.startup_guard.hold_us == 1000000 && p.startup_guard.slice_us == 40000);
        CHECK_INT(p.idle_limit.source.line, 7);
        CHECK_INT(p.idle_limit.group_slice_us, 10000000);
        CHECK_INT(p.idle_limit.min_readers, 2);
        CHECK_INT(p.slice_share.min_readers, 1000000);
        CHECK_INT(p.slice_share.floor_us, 16000);
        CHECK_INT(p.dwell_us, 3600000000);
        CHECK_INT(p.hold_us, 0);
        CHECK_INT(p.hysteresis_percent, 100);
        CHECK(p.limits[TUNABLE_BFQ_TIMEOUT_SYNC].set);
        CHECK_INT(p.limits[TUNABLE_BFQ_TIMEOUT_SYNC].min, 16);
        CHECK_INT(p.limits[TUNABLE_BFQ_TIMEOUT_SYNC].max, 125);
        CHECK_INT(set(&p, "Scheduler", "Prefer", "keep"), 0);
        CHECK_INT(p.n_schedulers, 0);
}

TEST(programs_add_up_and_the_last_rule_of_one_holds) {
        struct policy p = fresh();

        CHECK_INT(policy_program_rule(&p, "tar"), PROGRAM_UNRULED);
        CHECK_INT(set(&p, "StepBack", "Never", " Web Content ,tar, fifteen-bytes-x"), 0);
        CHECK_INT(set(&p, "StepBack", "Always", "updatedb,tar"), 0);
        CHECK_INT(found.n, 0);
        CHECK_INT(p.step_back.programs.n, 4);
        CHECK_INT(policy_program_rule(&p, "Web Content"), PROGRAM_NEVER);
        CHECK_INT(policy_program_rule(&p, "fifteen-bytes-x"), PROGRAM_NEVER);
        CHECK_INT(policy_program_rule(&p, "tar"), PROGRAM_ALWAYS);
        CHECK_INT(policy_program_rule(&p, "updatedb"), PROGRAM_ALWAYS);
        CHECK_INT(policy_program_rule(&p, "Tar"), PROGRAM_UNRULED);
        CHECK_INT(policy_programs_find(&p.step_back.programs, "tar")->source.line, 7);
}

TEST(a_list_with_a_name_that_no_process_can_have_changes_nothing) {
        static const char *const wrong[] = { "tar, sixteen-bytes-xy", "tar,,cp", "tar,", ",", "tar\x01", "\xff\xfe", "tar, a name that is far longer than any" };
        struct policy p = fresh();

        for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
                bool ends = strcmp(wrong[i], "tar,") == 0; /* a comma may end it */
                CHECK_INT(set(&p, "StepBack", "Never", wrong[i]), ends ? 0 : -EINVAL);
                CHECK_INT(p.step_back.programs.n, ends);
                p.step_back.programs.n = 0;
        }
        CHECK_INT(found.n, ARRAY_SIZE(wrong) - 1);
}

TEST(a_policy_has_64_programs_and_takes_no_more) {
        struct policy p = fresh();
        char name[EVENT_NAME_MAX];

        for (int i = 0; i < POLICY_PROGRAMS_MAX; i++) {
                snprintf(name, sizeof(name), "p%d", i);
                CHECK_INT(set(&p, "StepBack", i % 2 ? "Never" : "Always", name), 0);
        }
        CHECK_INT(set(&p, "StepBack", "Never", "one-more"), -EINVAL);
        CHECK_INT(set(&p, "StepBack", "Never", "p0"), 0); /* it has its place */
        CHECK_INT(policy_program_rule(&p, "p0"), PROGRAM_NEVER);
        CHECK_INT(policy_programs_set(&p.step_back.programs, "p1", PROGRAM_UNRULED, (struct policy_source) { 0 }), 0);
        CHECK_INT(policy_programs_set(&p.step_back.programs, "p1", PROGRAM_UNRULED, (struct policy_source) { 0 }), -ENOENT);
        CHECK_INT(policy_program_rule(&p, "p1"), PROGRAM_UNRULED);
        CHECK_INT(policy_program_rule(&p, "p2"), PROGRAM_ALWAYS);
        CHECK_INT(policy_program_rule(&p, "p63"), PROGRAM_NEVER);
        CHECK_INT(set(&p, "StepBack", "Never", "one-more"), 0);
}

static const char *text_of(const struct policy *p, const char *section, const char *name) {
        static char text[POLICY_TEXT_MAX];
        const struct policy_key *key = policy_key_find(section, name);

        return key && policy_key_format(p, key, text) ? text : "(left out)";
}

TEST(a_key_is_shown_as_a_file_would_have_it) {
        static const struct {
                const char *section, *key, *value, *shown;
        } cases[] = {
                { "Policy", "Description", "grün", "grün" },
                { "Policy", "Class", "usb-disk,hdd", "hdd usb-disk" },
                { "Scheduler", "Prefer", "bfq,  cfq", "bfq cfq" },
                { "Scheduler", "Prefer", "keep", "(left out)" },
                { "Scheduler", "QuietTime", "2000ms", "2s" },
                { "IdleLimit", "Enabled", "on", "yes" },
                { "IdleLimit", "Enabled", "0", "no" },
                { "IdleLimit", "MinReaders", "1000000", "1000000" },
                { "SliceShare", "Floor", "0s", "0ms" },
                { "SliceShare", "Floor", "1500us", "1500us" },
                { "SliceShare", "Floor", "16000us", "16ms" },
                { "Timing", "Dwell", "60min", "3600s" },
                { "Timing", "Hysteresis", "100 %", "100%" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct policy p = fresh();
                CHECK_INT(set(&p, cases[i].section, cases[i].key, cases[i].value), 0);
                CHECK_STR(text_of(&p, cases[i].section, cases[i].key), cases[i].shown);
        }
        struct policy empty = fresh();
        CHECK_STR(text_of(&empty, "Policy", "Description"), "(left out)");
        CHECK_STR(text_of(&empty, "Policy", "Class"), ""); /* it must have one: the lack is to be seen */
}

TEST(what_a_key_shows_reads_back_as_the_same) {
        uint64_t seed = test_seed();

        for (const struct policy_key *k = policy_key_table(); k->section; k++) {
                struct policy p = fresh(), read = fresh();
                char text[POLICY_TEXT_MAX];

                if (k->max > 0) { /* a number: any that it may be */
                        uint32_t n = k->min + (uint32_t) (test_random(&seed) % (k->max - k->min + 1));
                        memcpy((char *) &p + k->offset, &n, sizeof(n));
                        memset((char *) &read + k->offset, 0, sizeof(n));
                }
                p.classes = 1 << DEVICE_CLASS_HDD | 1 << DEVICE_CLASS_USB_DISK;
                p.schedulers[p.n_schedulers++] = SCHEDULER_KYBER;
                p.idle_limit.enabled = p.slice_share.enabled = true;
                snprintf(p.description, sizeof(p.description), "%0*d", (int) sizeof(p.description) - 1, 7);
                CHECK_INT(policy_key_format(&p, k, text), k->type != NULL);
                if (!k->type)
                        continue;
                CHECK_INT(set(&read, k->section, k->name, text), 0);
                CHECK_STR(text_of(&read, k->section, k->name), text);
                CHECK(k->offset == 0 || memcmp((char *) &p + k->offset, (char *) &read + k->offset, k->max > 0 ? sizeof(uint32_t) : sizeof(bool)) == 0);
        }
}

TEST(a_refused_value_is_explained_and_changes_nothing) {
        static const struct {
                const char *section, *key, *value, *message;
        } cases[] = {
                { "Policy", "Class", "", "Class needs a value" },
                { "Policy", "Class", ",", "Class needs at least one class of drives" },
                { "Policy", "Class", "hdd sdd", "unknown class \"sdd\", did you mean hdd?" },
                { "Policy", "Class", "hdd floppy", "unknown class \"floppy\"" },
                { "Policy", "Class", "skip", "drives of the class \"skip\" are never tuned" },
                { "Scheduler", "Prefer", "bfg", "unknown scheduler \"bfg\", did you mean bfq?" },
                { "Scheduler", "Prefer", "adios", "unknown scheduler \"adios\"" },
                { "Scheduler", "Prefer", "bfq keep", "\"keep\" stands alone: it leaves the scheduler that is there" },
                { "Scheduler", "Prefer", "bfq none bfq", "Prefer names \"bfq\" twice" },
                { "Scheduler", "Prefer", "bfq cfq kyber none mq-deadline", "Prefer takes at most 4 schedulers" },
                { "Scheduler", "QuietTime", "2", "QuietTime is a time such as 300ms (a whole number with us, ms, s or min), not \"2\"" },
                { "Scheduler", "QuietTime", "99ms", "QuietTime must lie between 100 ms and 60 min, not \"99ms\"" },
                { "Scheduler", "QuietTime", "18446744073709551615min", "QuietTime must lie between 100 ms and 60 min, not \"18446744073709551615min\"" },
                { "IdleLimit", "Enabled", "maybe", "Enabled is yes or no, not \"maybe\"" },
                { "IdleLimit", "MinReaders", "1", "MinReaders must lie between 2 and 1000000, not \"1\"" },
                { "IdleLimit", "MinReaders", "-4", "MinReaders is a whole number, not \"-4\"" },
                { "IdleLimit", "MinReaders", "99999999999999999999", "MinReaders must lie between 2 and 1000000, not \"99999999999999999999\"" },
                { "SliceShare", "MinReaders", "3", "MinReaders must lie between 4 and 1000000, not \"3\"" },
                { "Timing", "Hysteresis", "25", "Hysteresis is a percentage such as 25%, not \"25\"" },
                { "Timing", "Hysteresis", "%", "Hysteresis is a percentage such as 25%, not \"%\"" },
                { "Timing", "Hysteresis", "101%", "Hysteresis must lie between 0 and 100, not \"101%\"" },
                { "Limits", "fifo_batch", "16", "fifo_batch is a range A..B of whole numbers, A no greater than B, not \"16\"" },
                { "Limits", "fifo_batch", "16..1", "fifo_batch is a range A..B of whole numbers, A no greater than B, not \"16..1\"" },
                { "Limits", "fifo_batch", "", "fifo_batch is a range A..B of whole numbers, A no greater than B, not \"\"" },
                { "Limits", "fifo_batch", "-1..16",
                  "fifo_batch = -1..16 leaves the kernel's range for mq-deadline.fifo_batch, 0..2147483647 requests" },
                { "Limits", "queue.nomerges", "0..3", "queue.nomerges = 0..3 leaves the kernel's range for queue.nomerges, 0..2" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct policy p = fresh(), before = p;
                CHECK_INT(set(&p, cases[i].section, cases[i].key, cases[i].value), -EINVAL);
                CHECK_STR(found.message, cases[i].message);
                CHECK_INT(found.n, 1);
                CHECK_INT(found.line, 7);
                CHECK_STR(found.file, MAIN);
                CHECK(found.severity == POLICY_ERROR);
                CHECK(memcmp(&p, &before, sizeof(p)) == 0);
        }
}

TEST(a_file_with_nothing_but_refused_values_is_no_source) {
        struct policy p = fresh(), before = p;

        CHECK_INT(policy_set(&p, "Timing", "Hold", "never", DROPIN, 2, keep_finding, &found), -EINVAL);
        CHECK_STR(found.file, DROPIN);
        CHECK_INT(found.line, 2);
        CHECK(memcmp(&p, &before, sizeof(p)) == 0);
        CHECK_INT(policy_set(&p, "Timing", "Hold", "1s", DROPIN, 3, keep_finding, &found), 0);
        CHECK_INT(policy_set(&p, "Timing", "Hold", "never", DROPIN, 4, keep_finding, &found), -EINVAL);
        CHECK_INT(p.n_dropins, 1);
        CHECK_STR(p.dropins[0], DROPIN);
}

TEST(a_description_too_long_is_refused_not_cut) {
        struct policy p = fresh();
        char text[POLICY_TEXT_MAX + 1];

        memset(text, 'x', sizeof(text));
        text[POLICY_TEXT_MAX] = '\0';
        CHECK_INT(set(&p, "Policy", "Description", text), -EINVAL);
        CHECK_STR(found.message, "Description is longer than 255 bytes");
        CHECK_STR(p.description, "");
        text[POLICY_TEXT_MAX - 1] = '\0';
        CHECK_INT(set(&p, "Policy", "Description", text), 0);
        CHECK_STR(p.description, text);
}

TEST(an_unknown_key_comes_with_the_nearest_known_one) {
        static const struct {
                const char *section, *key, *message;
        } cases[] = {
                { "IdleLimit", "GroupSlize", "unknown key GroupSlize, did you mean GroupSlice?" },
                { "IdleLimit", "groupslice", "unknown key groupslice, did you mean GroupSlice?" },
                { "IdleLimit", "Wobble", "unknown key Wobble" },
                { "SliceShare", "GroupSlice", "GroupSlice belongs in [IdleLimit]" },
                { "IdleLimits", "Enabled", "unknown section [IdleLimits], did you mean IdleLimit?" },
                { "Weather", "Enabled", "unknown section [Weather]" },
                { "", "Enabled", "Enabled stands before the first [Section]" },
                { "IdleLimit", "", "the key before = is missing" },
                { "Limits", "slice_idle_ms", "unknown tunable slice_idle_ms, did you mean slice_idle_us?" },
                { "Limits", "bqf.slice_idle_us", "unknown tunable bqf.slice_idle_us, did you mean bfq.slice_idle_us?" },
                { "Limits", "kyber.slice_idle_us", "unknown tunable kyber.slice_idle_us, did you mean bfq.slice_idle_us?" },
                { "Limits", "bfq.", "unknown tunable bfq." },
                { "Limits", ".", "unknown tunable ." },
                { "Limits", "scheduler", "scheduler has no limits, its choice is Prefer in [Scheduler]" },
                { "Limits", "queue.scheduler", "scheduler has no limits, its choice is Prefer in [Scheduler]" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                struct policy p = fresh(), before = p;
                CHECK_INT(set(&p, cases[i].section, cases[i].key, "1..2"), -ENOENT);
                CHECK_STR(found.message, cases[i].message);
                CHECK_INT(found.n, 1);
                CHECK(memcmp(&p, &before, sizeof(p)) == 0);
        }
}

TEST(a_bare_name_limits_every_scheduler_that_has_it) {
        struct policy p = fresh();

        CHECK_INT(set(&p, "Limits", "slice_idle_us", "500..8000"), 0);
        CHECK(p.limits[TUNABLE_BFQ_SLICE_IDLE_US].set && p.limits[TUNABLE_CFQ_SLICE_IDLE_US].set);
        CHECK(!p.limits[TUNABLE_BFQ_SLICE_IDLE].set);
        CHECK_INT(set(&p, "Limits", "cfq.slice_idle_us", "1000..2000"), 0);
        CHECK_INT(p.limits[TUNABLE_CFQ_SLICE_IDLE_US].max, 2000);
        CHECK_INT(p.limits[TUNABLE_BFQ_SLICE_IDLE_US].max, 8000);
        CHECK_INT(set(&p, "Limits", "mq-deadline.async_depth", "1..64"), 0);
        CHECK(!p.limits[TUNABLE_QUEUE_ASYNC_DEPTH].set);
        CHECK_INT(set(&p, "Limits", "async_depth", "2..64"), 0);
        CHECK_INT(p.limits[TUNABLE_QUEUE_ASYNC_DEPTH].min, 2);
        CHECK_INT(p.limits[TUNABLE_MQ_DEADLINE_ASYNC_DEPTH].min, 2);
}

TEST(a_bare_name_must_lie_within_the_range_of_each) {
        struct policy p = fresh();
        /* bfq keeps 32 bits of nanoseconds, cfq took more */
        int64_t over = tunable_get(TUNABLE_BFQ_SLICE_IDLE_US)->max + 1;
        char range[64];

        CHECK(tunable_get(TUNABLE_CFQ_SLICE_IDLE_US)->max >= over);
        snprintf(range, sizeof(range), "0..%" PRId64, over);
        CHECK_INT(set(&p, "Limits", "slice_idle_us", range), -EINVAL);
        CHECK(strstr(found.message, "bfq.slice_idle_us"));
        CHECK(!p.limits[TUNABLE_CFQ_SLICE_IDLE_US].set);
        CHECK_INT(set(&p, "Limits", "cfq.slice_idle_us", range), 0);
}

TEST(every_numeric_tunable_can_be_limited_to_the_kernels_range_and_not_beyond) {
        for (int id = 0; id < _TUNABLE_MAX; id++) {
                const struct tunable *t = tunable_get((enum tunable_id) id);
                const char *owner = t->scheduler == SCHEDULER_ANY ? "queue" : scheduler_to_string(t->scheduler);
                struct policy p = fresh();
                char key[64], range[64];

                if (t->type == TUNABLE_NAME)
                        continue;
                snprintf(key, sizeof(key), "%s.%s", owner, t->name);
                snprintf(range, sizeof(range), "%" PRId64 "..%" PRId64, t->min, t->max);
                CHECK_INT(set(&p, "Limits", key, range), 0);
                CHECK(p.limits[id].set && p.limits[id].min == t->min && p.limits[id].max == t->max);
                CHECK_INT(policy_clamp(&p, (enum tunable_id) id, INT64_MAX), t->max);
                CHECK_INT(policy_clamp(&p, (enum tunable_id) id, INT64_MIN), t->min);
                if (t->min > INT64_MIN) {
                        snprintf(range, sizeof(range), "%" PRId64 "..%" PRId64, t->min - 1, t->max);
                        CHECK_INT(set(&p, "Limits", key, range), -EINVAL);
                }
        }
}

TEST(clamping_never_leaves_the_limit_nor_the_kernels_range) {
        struct policy p = fresh();
        uint64_t state = test_seed();

        CHECK_INT(policy_clamp(&p, TUNABLE_QUEUE_NOMERGES, 9), 2);
        for (unsigned i = 0; i < 10000; i++) {
                enum tunable_id id = (enum tunable_id) (test_random(&state) % _TUNABLE_MAX);
                const struct tunable *t = tunable_get(id);
                int64_t a = (int64_t) test_random(&state), b = (int64_t) test_random(&state);
                int64_t x = (int64_t) test_random(&state), y;

                policy_init(&p, "x", MAIN);
                p.limits[id] = (struct policy_limit) { .set = true, .min = CLAMP(MIN(a, b), t->min, t->max),
                                                       .max = CLAMP(MAX(a, b), t->min, t->max) };
                y = policy_clamp(&p, id, x);
                CHECK(y >= p.limits[id].min && y <= p.limits[id].max);
                if (x >= p.limits[id].min && x <= p.limits[id].max)
                        CHECK(y == x);
        }
}

TEST(a_limit_holds_for_the_twin_in_the_other_unit) {
        struct policy p = fresh();

        CHECK_INT(set(&p, "Limits", "slice_idle_us", "1500..8000"), 0);
        CHECK_INT(policy_clamp(&p, TUNABLE_CFQ_SLICE_IDLE, 0), 2); /* 1 ms would be outside */
        CHECK_INT(policy_clamp(&p, TUNABLE_CFQ_SLICE_IDLE, 20), 8);
        CHECK_INT(set(&p, "Limits", "slice_idle_us", "500..600"), 0);
        CHECK_INT(policy_clamp(&p, TUNABLE_CFQ_SLICE_IDLE, 5), 0); /* no whole millisecond fits: the nearest below */
        CHECK_INT(set(&p, "Limits", "cfq.slice_idle", "1..4"), 0);
        CHECK_INT(policy_clamp(&p, TUNABLE_CFQ_SLICE_IDLE, 20), 4);
        p = fresh();
        CHECK_INT(set(&p, "Limits", "cfq.slice_sync", "16..100"), 0);
        CHECK_INT(policy_clamp(&p, TUNABLE_CFQ_SLICE_SYNC_US, 15000), 16000);
        CHECK_INT(policy_clamp(&p, TUNABLE_CFQ_SLICE_SYNC_US, 15000000), 100000);
}

TEST(a_policy_without_a_class_is_reported) {
        struct policy p = fresh();

        CHECK_INT(policy_validate(&p, keep_finding, &found), -EINVAL);
        CHECK_STR(found.message, "no Class in [Policy]: it applies to no drive");
        CHECK_STR(found.file, MAIN);
        CHECK_INT(found.line, 0);
        CHECK_INT(set(&p, "Policy", "Class", "hdd"), 0);
        CHECK_INT(policy_validate(&p, keep_finding, &found), 0);
        CHECK_INT(found.n, 1);
}

TEST(limits_that_contradict_each_other_are_reported_where_the_second_stands) {
        struct policy p = fresh();

        set(&p, "Policy", "Class", "hdd");
        set(&p, "Limits", "bfq.slice_idle", "1..4");
        CHECK_INT(policy_set(&p, "Limits", "bfq.slice_idle_us", "4001..8000", DROPIN, 3, keep_finding, &found), 0);
        CHECK_INT(policy_validate(&p, keep_finding, &found), -EINVAL);
        CHECK_STR(found.message, "the limits of slice_idle and slice_idle_us, which are one variable, contradict each other");
        CHECK_STR(found.file, DROPIN);
        CHECK_INT(found.line, 3);
        CHECK_INT(set(&p, "Limits", "bfq.slice_idle_us", "4000..8000"), 0);
        CHECK_INT(policy_validate(&p, keep_finding, &found), 0);
}

TEST(a_law_that_may_move_nothing_is_reported_where_it_was_enabled) {
        struct policy p = fresh();

        set(&p, "Policy", "Class", "hdd");
        CHECK_INT(policy_set(&p, "IdleLimit", "Enabled", "yes", DROPIN, 12, keep_finding, &found), 0);
        set(&p, "Limits", "bfq.slice_idle_us", "8000..8000");
        CHECK_INT(policy_validate(&p, keep_finding, &found), 0); /* cfq's may move */
        set(&p, "Limits", "slice_idle_us", "8000..8000");
        CHECK_INT(policy_validate(&p, keep_finding, &found), -EINVAL);
        CHECK_STR(found.message, "[IdleLimit] is enabled, but the limits leave nothing that it may move");
        CHECK_STR(found.file, DROPIN);
        CHECK_INT(found.line, 12);
        set(&p, "IdleLimit", "Enabled", "no");
        CHECK_INT(policy_validate(&p, keep_finding, &found), 0);
        set(&p, "SliceShare", "Enabled", "yes");
        for (const char *const *s = (const char *const[]){ "bfq.timeout_sync", "slice_sync_us", "fifo_batch", NULL }; *s; s++)
                CHECK_INT(set(&p, "Limits", *s, "16..16"), 0);
        CHECK_INT(policy_validate(&p, keep_finding, &found), 0); /* read_expire may move */
        CHECK_INT(set(&p, "Limits", "read_expire", "500..500"), 0);
        CHECK_INT(policy_validate(&p, keep_finding, &found), -EINVAL);
        CHECK(strstr(found.message, "[SliceShare]"));
        set(&p, "SliceShare", "Enabled", "no");
        set(&p, "Throughput", "Enabled", "yes");
        CHECK_INT(policy_validate(&p, keep_finding, &found), 0);
        set(&p, "Limits", "low_latency", "1..1");
        CHECK_INT(policy_validate(&p, keep_finding, &found), -EINVAL);
        CHECK(strstr(found.message, "[Throughput]"));
        set(&p, "Limits", "bfq.timeout_sync", "16..500");
        CHECK_INT(policy_validate(&p, keep_finding, &found), 0); /* a disk's turns may grow */
        set(&p, "Throughput", "Enabled", "no");
        set(&p, "HoleFiller", "Enabled", "yes");
        CHECK_INT(policy_validate(&p, keep_finding, &found), -EINVAL); /* slice_idle is nailed, above */
        CHECK(strstr(found.message, "[HoleFiller]"));
}

TEST(what_bounds_writes_needs_one_limit_with_room_and_what_plays_one_of_more) {
        struct policy p = fresh();

        set(&p, "Policy", "Class", "hdd");
        set(&p, "StreamGuard", "Enabled", "yes");
        set(&p, "WritebackGuard", "Enabled", "yes");
        set(&p, "Limits", "nr_requests", "64..64");
        set(&p, "Limits", "async_depth", "48..48");
        CHECK_INT(policy_validate(&p, keep_finding, &found), 0);
        CHECK_INT(set(&p, "Limits", "bfq.strict_guarantees", "0..0"), 0);
        CHECK_INT(policy_validate(&p, keep_finding, &found), -EINVAL);
        CHECK_STR(found.message, "[WritebackGuard] is enabled, but the limits leave nothing that it may move");
        set(&p, "WritebackGuard", "Enabled", "no");
        CHECK_INT(policy_validate(&p, keep_finding, &found), 0);
        CHECK_INT(set(&p, "Limits", "slice_idle_us", "8000..8000"), 0);
        CHECK_INT(policy_validate(&p, keep_finding, &found), -EINVAL);
        CHECK_STR(found.message, "[StreamGuard] is enabled, but the limits leave nothing that it may move");
}

TEST(more_files_than_there_is_room_for_lose_their_place_and_nothing_else) {
        struct policy p = fresh();
        char file[64];

        for (int i = 0; i <= POLICY_DROPINS_MAX; i++) {
                const char *value = i == POLICY_DROPINS_MAX ? "yes" : "no";
                snprintf(file, sizeof(file), "/%d.conf", i);
                CHECK_INT(policy_set(&p, "IdleLimit", "Enabled", value, file, 5, keep_finding, &found), 0);
        }
        CHECK_INT(p.n_dropins, POLICY_DROPINS_MAX);
        CHECK(p.idle_limit.enabled);
        CHECK_INT(p.idle_limit.source.line, 0);
        CHECK_STR(policy_source_file(&p, p.idle_limit.source), MAIN);
}

TEST(the_last_policy_of_a_class_is_the_one_that_holds) {
        struct policy p[3];

        for (size_t i = 0; i < 3; i++)
                policy_init(&p[i], "x", MAIN);
        p[0].classes = 1 << DEVICE_CLASS_HDD | 1 << DEVICE_CLASS_SSD;
        p[2].classes = 1 << DEVICE_CLASS_HDD;
        CHECK(policy_match(p, 3, DEVICE_CLASS_HDD) == &p[2]);
        CHECK(policy_match(p, 3, DEVICE_CLASS_SSD) == &p[0]);
        CHECK(policy_match(p, 3, DEVICE_CLASS_NVME) == NULL);
        CHECK(policy_match(NULL, 0, DEVICE_CLASS_HDD) == NULL);
}

TEST(the_listed_keys_are_the_known_ones) {
        size_t n = 0;

        for (const struct policy_key *k = policy_key_table(); k->section; k++, n++) {
                struct policy p = fresh();

                if (strcmp(k->section, POLICY_LIMITS_SECTION) != 0)
                        CHECK_INT(set(&p, k->section, k->name, ""), -EINVAL); /* -ENOENT: not known */
        }
        CHECK_INT(n, 54);
}

/* The manual page gives each section a "# SECTION [X]" and each key in it a line "*Key* = ". */
TEST(the_manual_page_describes_exactly_the_keys_that_there_are) {
        const char *source = getenv("BRIO_SOURCE_DIR");
        char text[65536], section[32] = "", documented[64][64];
        const struct policy_key *k = policy_key_table();
        size_t n = 0;

        CHECK(source);
        snprintf(text, sizeof(text), "%s", test_read_file(source, "docs/brio.policy.5.scd"));
        for (char *save, *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
                char key[32];
                if (sscanf(line, "# SECTION [%31[^]]]", section) == 1 || sscanf(line, "*%31[^*]* =", key) != 1 || !strstr(line, "* = "))
                        continue;
                CHECK(n < ARRAY_SIZE(documented));
                snprintf(documented[n++], sizeof(documented[0]), "%s.%s", section, key);
        }
        for (size_t i = 0; i < n && k->section; i++, k++) {
                char known[64];
                snprintf(known, sizeof(known), "%s.%s", k->section, k->name);
                CHECK_STR(documented[i], known);
        }
        CHECK_INT(n, 54);
        CHECK(!k->section);
}
