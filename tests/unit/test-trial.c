/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trials on a bfq drive whose reads take as long as its settings and a test say. */
#include "controller.h"
#include "str.h"
#include "test.h"
#include "told.h"

#define DRIVE 0x800000u
#define SEC NSEC_PER_SEC
#define IDLE TUNABLE_BFQ_SLICE_IDLE_US
#define TICK (250 * NSEC_PER_MSEC)
#define CROWD 150 /* for which the law sets 2000 us */

static struct controller *c;
static struct policy policy;
static struct device_facts facts;
static struct snapshot snapshot;
static struct verdict verdicts[2];
static struct controller_input in;
static struct plan plan;
static uint64_t noise;

/* What the drive does. */
static struct {
        uint32_t readers, with_us, without_us; /* what reads take with the law's value, and with the original */
        unsigned noise_percent;
        bool law;                              /* the law has a reason */
        bool holes;                            /* and so has hole-filler, which moves the same tunable */
        bool told;                             /* single requests are: one in ten takes TAIL times as long */
} world;

#define TAIL 4
#define TOLD_READS 50 /* a look */
static struct histogram_window waits;

static unsigned sets, restores;
static char last_reason[PLAN_REASON_MAX];

static void set_fact(enum tunable_id id, int64_t value) {
        facts.values[id].present = facts.values[id].numeric = true;
        facts.values[id].number = value;
}

/* With the same noise each time. */
static void setup(void) {
        c = controller_new();
        sets = restores = 0;
        noise = 1;
        policy_init(&policy, "hdd", "hdd.conf");
        policy.classes = 1u << DEVICE_CLASS_HDD;
        policy.idle_limit = (struct policy_idle_limit){ .enabled = true, .group_slice_us = 300000, .min_readers = 16 };
        policy.trial.enabled = policy.trial.probe = true;
        memset(&facts, 0, sizeof(facts));
        facts = (struct device_facts){ .dev = DRIVE, .name = "sda", .model = "Disk 1", .class = DEVICE_CLASS_HDD, .scheduler = SCHEDULER_BFQ, .rotational = true };
        facts.schedulers = 1u << SCHEDULER_BFQ;
        set_fact(TUNABLE_QUEUE_SCHEDULER, SCHEDULER_BFQ);
        set_fact(IDLE, 8000);
        snapshot = (struct snapshot){ .n_devices = 1, .devices = { { .dev = DRIVE, .busy_since = 1 } } };
        in = (struct controller_input){ .now = 100 * SEC, .mode = MODE_AUTO, .snapshot = &snapshot, .verdicts = verdicts };
        world.readers = CROWD;
        world.with_us = 84000;
        world.without_us = 310000;
        world.noise_percent = 20;
        world.law = true;
        world.holes = false;
        world.told = false;
        memset(&waits, 0, sizeof(waits));
        if (controller_set_device(c, &facts, &policy) < 0)
                abort();
}

static void teardown(void) {
        c = controller_free(c);
}

static struct controller_device *device(void) {
        return controller_find_device(c, DRIVE);
}

static const struct law_trial *law(void) {
        return &device()->trial.laws[LAW_IDLE_LIMIT];
}

static bool is_set(void) {
        return device()->tunables[IDLE].owner == OWNER_BRIO;
}

static void perform(void) {
        for (size_t i = 0; i < plan.n; i++) {
                const struct setting_change *change = &plan.changes[i];
                struct receipt r = { .id = change->id, .dev = change->dev, .tunable = change->tunable, .law = change->law, .t = in.now };
                r.result = change->advice ? RECEIPT_ADVISED : change->action == CHANGE_RESTORE ? RECEIPT_RESTORED : RECEIPT_APPLIED;
                snprintf(r.old, sizeof(r.old), "%" PRIi64, device()->facts.values[change->tunable].number);
                str_copy(r.wanted, sizeof(r.wanted), change->value);
                str_copy(r.observed, sizeof(r.observed), change->value);
                sets += r.result == RECEIPT_APPLIED;
                restores += r.result == RECEIPT_RESTORED;
                str_copy(last_reason, sizeof(last_reason), told(change->reason));
                controller_commit(c, &r);
        }
}

static void look(void) {
        struct device_view *v = &snapshot.devices[0];
        uint32_t us = is_set() ? world.with_us : world.without_us;

        in.now += TICK;
        snapshot.now = v->t = in.now;
        v->span_us = TICK / NSEC_PER_USEC;
        v->readers = v->readers_smoothed = world.readers;
        v->read_iops = world.readers ? 200 : 0;
        v->read_latency_us = us - us * world.noise_percent / 200 + (uint32_t) (test_random(&noise) % (us * world.noise_percent / 100 + 1));
        v->requests.read_waits = world.told ? &waits : NULL;
        for (unsigned i = 0; world.told && world.readers && i < TOLD_READS; i++)
                histogram_window_add(&waits, in.now, i % 10 == 0 ? us * TAIL : us);
        in.n_verdicts = world.law;
        verdicts[0] = (struct verdict){ .kind = VERDICT_MANY_SYNC, .dev = DRIVE, .n_evidence = 1, .evidence = { { "readers", world.readers, 16, "" } },
                                        .sentence = "many readers" };
        if (world.holes)
                verdicts[in.n_verdicts++] = (struct verdict){ .kind = VERDICT_HOLES, .dev = DRIVE, .since = in.now - 10 * SEC, .n_evidence = 1,
                                                              .evidence = { { "injection-cost", 1200, 1500, "permille" } }, .sentence = "holes" };
        controller_step(c, &in, &plan);
        perform();
}

static void run(double seconds) {
        for (nsec_t end = in.now + (nsec_t) (seconds * NSEC_PER_SEC); in.now < end;)
                look();
}

/* The load is there for long, and the law's reason comes later: so there is a before. */
static void run_without_then_with(double seconds) {
        world.law = false;
        run(20);
        world.law = true;
        run(seconds);
}

TEST(a_change_that_makes_reads_faster_is_kept_and_says_by_how_much) {
        struct trial_report r;

        setup();
        run_without_then_with(1);
        CHECK(is_set());
        CHECK_INT(law()->state, TRIAL_MEASURING);
        CHECK_INT(device()->state, DEVICE_STATE_TRIAL);
        run(5);
        CHECK_INT(law()->state, TRIAL_KEPT);
        CHECK_INT(device()->state, DEVICE_STATE_HOLDING);
        CHECK(is_set());
        CHECK(controller_take_report(c, &r));
        CHECK_INT(r.law, LAW_IDLE_LIMIT);
        CHECK_INT(r.state, TRIAL_KEPT);
        CHECK(r.first_id > 0 && r.last_id >= r.first_id);
        printf("# %s\n", told(r.effect));
        CHECK(strstr(told(r.effect), "slice_idle_us 8000 → 2000 µs: mean read 3"));
        CHECK(strstr(told(r.effect), " → 8"));
        CHECK(strstr(told(r.effect), "24 samples against 6, confidence 99"));
        CHECK(strstr(told(device()->reason), "a trial found it better"));
        CHECK(!controller_take_report(c, &r));
        run(600);
        CHECK_INT(sets, 1); /* and never a probe of what is proven */
        teardown();
}

static bool is_about(uint32_t us, uint32_t expected) {
        return us >= expected - expected / HISTOGRAM_ERROR_PART && us <= expected + expected / HISTOGRAM_ERROR_PART;
}

TEST(a_trial_says_what_95_of_100_reads_took_before_and_after) {
        struct trial_report r;

        setup();
        world.told = true;
        run_without_then_with(6);
        CHECK_INT(law()->state, TRIAL_KEPT);
        CHECK(controller_take_report(c, &r));
        printf("# %s\n", told(r.effect));
        CHECK(is_about(r.figures.p95_before_us, TAIL * world.without_us));
        CHECK(is_about(r.figures.p95_after_us, TAIL * world.with_us)); /* and nothing of what was queued before */
        CHECK_INT(r.figures.measure, TRIAL_MEAN_READ);
        CHECK_INT(r.figures.n_before, 24);
        CHECK_INT(r.figures.n_after, 6);
        CHECK(r.figures.confidence_permille >= 990);
        CHECK(strstr(told(r.effect), "slice_idle_us 8000 → 2000 µs: p95 read 1"));
        CHECK(strstr(told(r.effect), " ms; decided on mean read 3"));
        teardown();
}

TEST(a_probe_says_what_reads_took_without_the_law_as_before) {
        setup();
        world.told = true;
        world.readers = 0;
        run(5);
        world.readers = CROWD;
        run(45);
        CHECK_INT(law()->state, TRIAL_KEPT);
        CHECK(is_about(law()->figures.p95_before_us, TAIL * world.without_us));
        CHECK(is_about(law()->figures.p95_after_us, TAIL * world.with_us));
        CHECK_INT(law()->figures.n_before, 6);
        CHECK_INT(law()->figures.n_after, 24);
        teardown();
}

/* They are looked at where reads are slow: to compare those alone with all that comes after would flatter the law. */
TEST(where_single_requests_were_told_only_for_a_part_there_is_no_p95) {
        setup();
        world.law = false;
        run(20);
        world.told = true;
        run(3);
        world.law = true;
        run(6);
        CHECK_INT(law()->state, TRIAL_KEPT);
        CHECK_INT(law()->figures.p95_before_us, 0);
        CHECK_INT(law()->figures.p95_after_us, 0);
        CHECK(strstr(told(law()->effect), "2000 µs: mean read "));
        teardown();
}

TEST(a_change_that_makes_reads_slower_goes_back_at_once_and_stays_away_ever_longer) {
        nsec_t away;

        setup();
        world.with_us = 500000;
        run_without_then_with(6);
        CHECK(!is_set());
        CHECK_INT(law()->state, TRIAL_REVERTED);
        CHECK(strstr(last_reason, "a trial found idle-limit to be worse"));
        CHECK(strstr(told(device()->reason), "idle-limit stays away"));
        away = in.now;
        run(3500);
        CHECK_INT(sets, 1);
        while (!is_set())
                look();
        CHECK(in.now - away > 3590 * SEC && in.now - away < 3700 * SEC);
        run(6); /* what it took meanwhile was the before */
        CHECK(!is_set());
        away = in.now;
        while (!is_set())
                look();
        CHECK(in.now - away > 7100 * SEC && in.now - away < 7300 * SEC);
        teardown();
}

TEST(what_makes_no_difference_is_kept_at_low_confidence_and_not_tried_again_at_once) {
        setup();
        world.with_us = world.without_us;
        run_without_then_with(20);
        CHECK(is_set());
        CHECK_INT(law()->state, TRIAL_INCONCLUSIVE);
        CHECK(strstr(told(law()->effect), "no difference that is sure"));
        CHECK_INT(law()->figures.p95_after_us, 0); /* single requests were not told */
        world.law = false;
        run(30);
        CHECK(!is_set());
        world.law = true;
        run(2);
        CHECK_INT(law()->state, TRIAL_INCONCLUSIVE); /* remembered */
        CHECK_INT(device()->trial.law, LAW_NONE);
        teardown();
}

TEST(at_an_onset_there_is_no_before_so_the_old_value_comes_back_for_a_moment_later) {
        nsec_t given_back;

        setup();
        world.readers = 0;
        run(5);
        world.readers = CROWD;
        run(0.25);
        CHECK(is_set()); /* at once: that is what it is for */
        CHECK_INT(law()->state, TRIAL_UNPROVEN);
        run(29);
        CHECK_INT(sets, 1);
        while (is_set() && in.now < 200 * SEC)
                look();
        CHECK(!is_set());
        CHECK_INT(law()->state, TRIAL_PROBING);
        CHECK_INT(device()->state, DEVICE_STATE_TRIAL);
        CHECK(strstr(told(device()->reason), "given back for a moment"));
        given_back = in.now;
        while (!is_set())
                look();
        CHECK(in.now - given_back <= 2 * SEC); /* the first look shows it */
        CHECK_INT(law()->state, TRIAL_KEPT);
        CHECK(strstr(told(law()->effect), "6 samples against 24"));
        run(600);
        CHECK_INT(sets, 2);
        teardown();
}

TEST(a_probe_that_finds_the_law_to_be_worse_leaves_the_old_value) {
        setup();
        world.readers = 0;
        run(5);
        world.readers = CROWD;
        world.with_us = 400000;
        run(45);
        CHECK(!is_set());
        CHECK_INT(law()->state, TRIAL_REVERTED);
        CHECK_INT(sets, 1);
        teardown();
}

TEST(there_is_no_probe_while_a_program_starts_or_a_stream_plays_or_where_the_policy_has_none) {
        setup();
        snapshot.n_startups = 1;
        run(120);
        CHECK_INT(sets, 1);
        CHECK_INT(restores, 0);
        snapshot.n_startups = 0;
        policy.trial.probe = false;
        controller_set_device(c, &facts, &policy);
        run(120);
        CHECK_INT(restores, 0);
        teardown();
}

TEST(what_another_law_had_set_is_no_before) {
        setup();
        policy.hole_filler.enabled = true;
        controller_set_device(c, &facts, &policy);
        world.law = false;
        world.holes = true;
        run(15);
        CHECK(device()->tunables[IDLE].law == LAW_HOLE_FILLER && device()->tunables[IDLE].wanted == 0);
        CHECK(device()->trial.recent.series[TRIAL_MEAN_READ].n >= RANK_SAMPLES_MIN);
        world.holes = false;
        world.law = true;
        run(5);
        CHECK_INT(device()->tunables[IDLE].law, LAW_IDLE_LIMIT);
        CHECK_INT(law()->state, TRIAL_UNPROVEN); /* and not measured against 0, as if that were the original */
        teardown();
}

/* 32 processes that read in sequence: hundreds of reads a turn, so that 99 of 100 take next to nothing, and one waits for all the other turns. */
static void look_at_turns(bool shared) {
        struct device_view *v = &snapshot.devices[0];
        bool set = device()->tunables[TUNABLE_BFQ_TIMEOUT_SYNC].owner == OWNER_BRIO;
        uint32_t longest = set ? 2100000 : 3600000;

        in.now += TICK;
        snapshot.now = v->t = in.now;
        v->span_us = TICK / NSEC_PER_USEC;
        v->readers = v->readers_smoothed = 32;
        v->read_iops = 1800;
        v->read_latency_us = 15000;
        v->requests.since = 1;
        v->requests.latencies.wait[REQUEST_READ] = (struct latency_view){ .requests = 5000, .median_us = 400, .p99_us = 900,
                                                                          .longest_us = longest - longest / 10 + (uint32_t) (test_random(&noise) % (longest / 5)) };
        in.n_verdicts = shared;
        verdicts[0] = (struct verdict){ .kind = VERDICT_SHARED, .dev = DRIVE, .n_evidence = 1, .evidence = { { "readers", 32, 3, "" } }, .sentence = "32 share" };
        controller_step(c, &in, &plan);
        perform();
}

TEST(shorter_turns_are_tried_by_the_longest_read_also_where_there_was_no_before) {
        const struct law_trial *share;
        nsec_t given_back;

        setup();
        policy.slice_share = (struct policy_slice_share){ .enabled = true, .min_readers = 4, .floor_us = 60000 };
        set_fact(TUNABLE_BFQ_TIMEOUT_SYNC, 125);
        controller_set_device(c, &facts, &policy);
        share = &device()->trial.laws[LAW_SLICE_SHARE];
        while (share->state != TRIAL_PROBING && in.now < 300 * SEC)
                look_at_turns(true);
        CHECK_INT(share->state, TRIAL_PROBING);
        for (given_back = in.now; share->state == TRIAL_PROBING && in.now < 400 * SEC;)
                look_at_turns(true);
        CHECK(in.now - given_back <= 33 * SEC);
        CHECK_INT(share->state, TRIAL_KEPT);
        printf("# %s\n", told(share->effect));
        CHECK(strstr(told(share->effect), "timeout_sync 125 → 60 ms: longest read 3"));
        teardown();
}

TEST(no_other_law_takes_what_a_probe_has_given_back) {
        setup();
        policy.hole_filler.enabled = true;
        controller_set_device(c, &facts, &policy);
        while (law()->state != TRIAL_PROBING && in.now < 300 * SEC)
                look();
        CHECK_INT(law()->state, TRIAL_PROBING);
        world.holes = true;
        while (law()->state == TRIAL_PROBING && in.now < 300 * SEC) {
                CHECK(!is_set());
                look();
        }
        CHECK_INT(law()->state, TRIAL_KEPT);
        run(1);
        CHECK(is_set());
        teardown();
}

TEST(a_start_ends_a_probe_at_once) {
        setup();
        world.with_us = world.without_us; /* so that it would take its time */
        while (law()->state != TRIAL_PROBING && in.now < 300 * SEC)
                look();
        CHECK_INT(law()->state, TRIAL_PROBING);
        snapshot.n_startups = 1;
        look();
        CHECK(is_set());
        CHECK_INT(law()->state, TRIAL_UNPROVEN);
        teardown();
}

TEST(a_load_that_changes_makes_the_trial_void_and_the_law_stays) {
        setup();
        run_without_then_with(1);
        CHECK_INT(law()->state, TRIAL_MEASURING);
        world.readers = 2 * CROWD;
        run(1);
        CHECK(is_set());
        CHECK_INT(law()->state, TRIAL_UNPROVEN);
        CHECK_STR(told(law()->effect), "the load changed meanwhile");
        CHECK_INT(law()->figures.measure, TRIAL_NOT_MEASURED); /* and no numbers */
        teardown();
}

TEST(what_is_known_of_such_a_drive_decides_without_a_trial) {
        struct outcome good = { .key = { .model = "Disk 1", .class = DEVICE_CLASS_HDD, .scheduler = SCHEDULER_BFQ, .law = LAW_IDLE_LIMIT, .workload = "many-sync" },
                                .result = OUTCOME_BETTER, .figures = { .measure = TRIAL_MEAN_READ, .before = 300000, .after = 80000, .n_before = 24, .n_after = 12,
                                                                       .confidence_permille = 999 }, .change = "slice_idle_us 8000 → 2000 µs", .until = 10000 * SEC };
        struct outcome bad = good;

        setup();
        outcomes_add(&c->outcomes, &good);
        run(300);
        CHECK_INT(law()->state, TRIAL_KNOWN);
        CHECK_INT(sets, 1);
        CHECK_INT(restores, 0);
        CHECK(strstr(told(device()->reason), "known to be better"));
        teardown();

        setup();
        bad.result = OUTCOME_WORSE;
        outcomes_add(&c->outcomes, &bad);
        run(300);
        CHECK_INT(sets, 0);
        CHECK_INT(law()->state, TRIAL_BARRED);
        CHECK(strstr(told(device()->reason), "stays away"));
        teardown();

        setup();
        str_copy(bad.key.model, sizeof(bad.key.model), "Disk 2"); /* another drive's troubles are its own */
        outcomes_add(&c->outcomes, &bad);
        run(1);
        CHECK_INT(sets, 1);
        teardown();
}

TEST(what_is_known_decides_also_where_the_value_stood_before_the_load_came) {
        struct outcome good = { .key = { .model = "Disk 1", .class = DEVICE_CLASS_HDD, .scheduler = SCHEDULER_BFQ, .law = LAW_IDLE_LIMIT, .workload = "many-sync" },
                                .result = OUTCOME_BETTER, .figures = { .measure = TRIAL_MEAN_READ, .before = 300000, .after = 80000, .n_before = 24, .n_after = 12,
                                                                       .confidence_permille = 999 }, .change = "slice_idle_us 8000 → 0 µs", .until = 10000 * SEC };

        for (int known = 0; known < 2; known++) {
                setup();
                policy.idle_limit.ahead = true;
                policy.idle_limit.shortest_wait_us = 8000;
                if (known)
                        outcomes_add(&c->outcomes, &good);
                world.readers = 0;
                world.law = false;
                snapshot.devices[0].busy_since = 0;
                snapshot.devices[0].idle_since = in.now;
                run(5);
                CHECK(is_set());
                CHECK_INT(law()->state, TRIAL_UNPROVEN);
                world.readers = CROWD;
                world.law = true;
                snapshot.devices[0].busy_since = in.now;
                snapshot.devices[0].idle_since = 0;
                run(300);
                CHECK(is_set());
                CHECK_INT(law()->state, known ? TRIAL_KNOWN : TRIAL_KEPT);
                CHECK_INT(sets, known ? 1 : 2);
                teardown();
        }
}

TEST(without_trials_in_the_policy_a_law_is_believed) {
        setup();
        policy.trial.enabled = false;
        world.with_us = 900000;
        controller_set_device(c, &facts, &policy);
        run_without_then_with(120);
        CHECK(is_set());
        CHECK_INT(law()->state, TRIAL_NONE);
        CHECK_INT(restores, 0);
        teardown();
}

TEST(in_mode_advise_nothing_is_tried_but_what_is_expected_is_said) {
        char text[TRIAL_EFFECT_MAX];

        setup();
        in.mode = MODE_ADVISE;
        run(60);
        CHECK_INT(sets, 0);
        CHECK(device()->tunables[IDLE].advice_known);
        controller_expect(c, DRIVE, LAW_IDLE_LIMIT, IDLE, 8000, 2000, text, sizeof(text));
        CHECK_STR(told(text), "a round through 150 readers idles for 300 ms at most instead of 1.2 s");
        teardown();
}

/* A world in which everything changes without rhyme or reason, and the drive gets better or worse by what is set. */
static void stir(uint64_t *random) {
        switch (test_random(random) % 24) {
        case 0:
                world.law = !world.law;
                break;
        case 1:
                world.readers = (uint32_t) (test_random(random) % 600);
                break;
        case 2:
                world.with_us = 1000 + (uint32_t) (test_random(random) % 1000000);
                break;
        case 3:
                world.without_us = 1000 + (uint32_t) (test_random(random) % 1000000);
                break;
        case 4:
                snapshot.n_startups = test_random(random) % 2;
                break;
        default:
                break;
        }
}

/* Since the sets of the last hour are all that count. */
#define HOUR_TICKS (3600 * SEC / TICK)

TEST(whatever_happens_there_are_no_more_changes_in_an_hour_than_the_policy_allows) {
        static uint8_t set_in[HOUR_TICKS];
        uint64_t random = test_seed();

        for (unsigned round = 0; round < 5; round++) {
                unsigned within = 0, most = 0, limit = 5 + (unsigned) (test_random(&random) % 60);
                setup();
                memset(set_in, 0, sizeof(set_in));
                policy.changes_per_hour = limit;
                policy.dwell_us = 100000;
                policy.hold_us = 0;
                policy.trial.backoff_us = 60000000;
                controller_set_device(c, &facts, &policy);
                for (size_t i = 0; i < 3 * HOUR_TICKS; i++) {
                        unsigned before = sets;
                        stir(&random);
                        look();
                        within = within - set_in[i % HOUR_TICKS] + (sets - before);
                        set_in[i % HOUR_TICKS] = (uint8_t) (sets - before);
                        most = MAX(most, within);
                        if (within > limit)
                                printf("# round %u, tick %zu: %u of %u\n", round, i, within, limit);
                        CHECK(within <= limit);
                        CHECK(restores <= sets);
                }
                CHECK(most > 0);
                teardown();
        }
}

TEST(whatever_happens_a_law_that_was_reverted_stays_away_for_the_back_off_and_is_tried_ever_more_rarely) {
        uint64_t random = test_seed();

        for (unsigned round = 0; round < 5; round++) {
                nsec_t reverted = 0;
                unsigned reverts = 0;
                setup();
                policy.trial.backoff_us = 600000000; /* 10 min */
                controller_set_device(c, &facts, &policy);
                for (size_t i = 0; i < 4 * HOUR_TICKS; i++) {
                        enum trial_state before = law()->state;
                        unsigned before_sets = sets;
                        stir(&random);
                        world.with_us = world.without_us * 2;
                        look();
                        if (law()->state == TRIAL_REVERTED && before != TRIAL_REVERTED) {
                                reverted = in.now;
                                reverts++;
                        }
                        if (sets > before_sets && reverted)
                                CHECK(in.now - reverted >= 600 * SEC);
                }
                CHECK(reverts <= 6); /* 10 + 20 + 40 + 80 + 160 min are more than four hours */
                teardown();
        }
}

TEST(a_drive_is_probed_at_most_twice_while_the_law_has_its_reason) {
        uint64_t random = test_seed();

        setup();
        world.with_us = world.without_us;
        for (size_t i = 0; i < 2 * HOUR_TICKS; i++) {
                snapshot.n_startups = test_random(&random) % 16 == 0; /* which ends each probe in vain */
                look();
        }
        CHECK(restores <= 2);
        teardown();
}

TEST(the_same_events_always_give_the_same_trials) {
        char effects[2][TRIAL_EFFECT_MAX];

        for (size_t i = 0; i < 2; i++) {
                setup();
                run_without_then_with(30);
                str_copy(effects[i], sizeof(effects[i]), law()->effect);
                teardown();
        }
        CHECK(*effects[0]);
        CHECK_STR(effects[0], effects[1]);
}

/* docs/trials.md, "What is measured": a stream guard that were tried by throughput would be taken back while a stream plays. */
TEST(a_law_is_tried_by_what_it_promises_and_the_guards_are_never_tried) {
        static const enum trial_measure wanted[_LAW_MAX] = {
                [LAW_IDLE_LIMIT] = TRIAL_MEAN_READ,      [LAW_WRITEBACK_GUARD] = TRIAL_NOT_MEASURED,  [LAW_SLICE_SHARE] = TRIAL_LONGEST_READ,
                [LAW_HOLE_FILLER] = TRIAL_THROUGHPUT,    [LAW_THROUGHPUT] = TRIAL_THROUGHPUT,      [LAW_STARTUP_GUARD] = TRIAL_NOT_MEASURED,
                [LAW_STREAM_GUARD] = TRIAL_NOT_MEASURED, [LAW_STEP_BACK] = TRIAL_NOT_MEASURED,     [LAW_SCHEDULER] = TRIAL_NOT_MEASURED,
                [LAW_READAHEAD] = TRIAL_NOT_MEASURED,
        };

        for (int law = 0; law < _LAW_MAX; law++)
                CHECK_STR(trial_measure_name(trial_measure_of((enum law_id) law)), trial_measure_name(wanted[law]));
}

TEST(of_outcomes_the_one_that_ends_first_makes_room) {
        static struct outcomes o;
        struct outcome one = { .key = { .law = LAW_IDLE_LIMIT, .workload = "busy" }, .result = OUTCOME_BETTER };
        struct outcome_key first;

        memset(&o, 0, sizeof(o));
        for (unsigned i = 0; i < OUTCOMES_MAX + 1; i++) {
                snprintf(one.key.model, sizeof(one.key.model), "disk %u", i);
                one.until = 1000 + i;
                outcomes_add(&o, &one);
                if (i == 0)
                        first = one.key;
        }
        CHECK_INT(o.changes, OUTCOMES_MAX + 1);
        CHECK(!outcomes_find_any(&o, &first));
        CHECK(outcomes_find(&o, &one.key, one.until - 1));
        CHECK(!outcomes_find(&o, &one.key, one.until));
        CHECK(outcomes_find_any(&o, &one.key));
}
