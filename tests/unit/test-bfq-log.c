/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bfq-log.h"
#include "event.h"
#include "test.h"

#define DRIVE DEV_NUMBER(7, 10)
#define MS ((nsec_t) NSEC_PER_MSEC)

static struct bfq_log_message parse(const char *line) {
        struct bfq_log_message m;

        bfq_log_parse_line(line, strlen(line), &m);
        return m;
}

/* As Linux 6.18 printed it. */
#define TIME "34673.484154"
#define LINE(task, head, text) task "   [001] dN.1. " TIME ":   7,10  " head "m   N " text
#define RAISING "bfq16958S raising period dur 12/300 msec, old coeff 3000, w 120000(40)"

static bool is_raised(const struct bfq_log_message *m) {
        return m->kind == BFQ_LOG_RAISED && m->t == 34673484154000 && m->queue.dev == DRIVE && m->queue.tid == 16958 && m->queue.sync &&
               m->coefficient == BFQ_COEFFICIENT_SOFT_RT && m->raised_ms == 12 && m->period_ms == 300;
}

TEST(a_raised_queue_is_read_from_a_line_with_and_without_a_cgroup) {
        struct bfq_log_message m = parse(LINE("             fio-16958", "1,0  ", RAISING));

        CHECK(is_raised(&m));
        m = parse(LINE("             fio-16958", "1ffa,1c3  ", RAISING));
        CHECK(is_raised(&m));
        m = parse(LINE("             fio-16958", "", RAISING));
        CHECK(is_raised(&m));
}

TEST(a_task_may_have_any_name) {
        struct bfq_log_message m = parse(LINE(" m   N bfq1S -9", "1,0  ", RAISING));

        CHECK(is_raised(&m));
        m = parse(LINE("1.000000: 8,0  m   N bfq -9", "1,0  ", RAISING));
        CHECK(is_raised(&m));
        m = parse(LINE("a: 8,0 [0] -9", "1,0  ", RAISING));
        CHECK(is_raised(&m));
}

TEST(what_is_no_message_of_a_queue_is_passed_over) {
        static const char *const lines[] = {
                "",
                "             fio-16148   [001] d..1. 34653.384889:   7,10   Q  RS 0 + 512 [fio]",
                LINE("fio-1", "1,0  ", "bfq dispatch requests: 1 busy queues"),
                LINE("fio-1", "1,0  ", "bfq0A new_ioprio 6 new_weight 20"), /* before it has a thread */
                LINE("fio-1", "1,0  ", "bfq99999999999S expire (0, slow 0, num_disp 0, short_ttime 1)"),
                LINE("fio-1", "1,0  ", "bfq16958S raising period dur 12/300 msec, old coeff 3000"),
                LINE("fio-1", "1,0  ", "bfq16958S raising period dur 4294967296/300 msec, old coeff 3000, w 1(4)"),
                LINE("fio-1", "1,0  ", "bfq16958X expire (0"),
                "fio-1 [001] d..1. 34673.4841:   7,10  1,0  m   N " RAISING,
                "fio-1 [001] d..1. 34673.484154:   7  1,0  m   N " RAISING,
                " m   N " RAISING,
        };

        for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
                struct bfq_log_message m = parse(lines[i]);
                if (m.kind != BFQ_LOG_OTHER)
                        test_fail(__FILE__, __LINE__, "\"%s\" is of kind %d", lines[i], (int) m.kind);
        }
}

TEST(a_message_of_blktrace_is_read_without_its_line) {
        struct bfq_log_message m = { .t = 5, .queue.dev = DRIVE };

        bfq_log_parse_text(RAISING "garbage", strlen(RAISING), &m);
        CHECK_INT(m.kind, BFQ_LOG_RAISED);
        CHECK_INT(m.t, 5);
        CHECK_INT(m.queue.dev, DRIVE);
        bfq_log_parse_text("bfqSHARED-A bfqq_served 512 secs", 32, &m);
        CHECK_INT(m.kind, BFQ_LOG_SERVED);
        CHECK_INT(m.queue.tid, 0);
        CHECK(!m.queue.sync);
}

TEST(a_loss_is_told) {
        CHECK_INT(parse("CPU:1 [LOST 1234 EVENTS]").kind, BFQ_LOG_LOST);
}

/* What Linux 6.18 said of a reader of 1 MiB/s and, later, two greedy ones of the same sectors, whose queues it merged. */
TEST(a_real_log_has_its_verdicts) {
        static const struct {
                uint32_t coefficient;
                int32_t tid;
                nsec_t t;
        } expected[] = {
                { BFQ_COEFFICIENT_INTERACTIVE, 16958, 34673185156000 }, /* new, so perhaps an application's start */
                { BFQ_COEFFICIENT_SOFT_RT, 16958, 34673484154000 },     /* 300 ms later */
                { BFQ_COEFFICIENT_SOFT_RT, 16989, 34676407012000 },
                { BFQ_COEFFICIENT_SOFT_RT, 0, 34677000624000 },
                { BFQ_COEFFICIENT_INTERACTIVE, 0, 34680272104000 },
                { 1, 0, 34680272328000 },
        };
        static struct bfq_verdicts v;
        char path[4096], line[512];
        size_t n = 0;
        FILE *f;

        snprintf(path, sizeof(path), "%s/tests/fuzz/corpus-bfq/linux-6.18", getenv("BRIO_SOURCE_DIR"));
        f = fopen(path, "re");
        CHECK(f != NULL);
        while (fgets(line, sizeof(line), f)) {
                struct bfq_log_message m;
                const struct bfq_verdict *changed;

                bfq_log_parse_line(line, strcspn(line, "\n"), &m);
                changed = bfq_verdicts_feed(&v, &m);
                if (!changed)
                        continue;
                if (n == ARRAY_SIZE(expected) || changed->coefficient != expected[n].coefficient || changed->queue.tid != expected[n].tid ||
                    changed->seen != expected[n].t || changed->queue.dev != DRIVE || !changed->queue.sync)
                        test_fail(__FILE__, __LINE__, "verdict %zu: %u of %d at %" PRIu64, n, changed->coefficient, changed->queue.tid, changed->seen);
                n++;
        }
        fclose(f);
        CHECK_INT(n, ARRAY_SIZE(expected));
        CHECK_INT(v.lost, 1);
}

static const struct bfq_verdict *feed(struct bfq_verdicts *v, enum bfq_log_kind kind, int32_t tid, nsec_t t) {
        struct bfq_log_message m = { .kind = kind, .t = t, .queue = { .dev = DRIVE, .tid = tid, .sync = true }, .coefficient = 30, .raised_ms = 1 };

        return bfq_verdicts_feed(v, &m);
}

static void raise_one(struct bfq_verdicts *v) {
        *v = (struct bfq_verdicts) { 0 };
        feed(v, BFQ_LOG_IN_SERVICE, 1, 9 * MS);
        feed(v, BFQ_LOG_SERVED, 1, 10 * MS);
        feed(v, BFQ_LOG_RAISED, 1, 10 * MS);
}

TEST(a_queue_is_raised_since_bfq_says_so) {
        static struct bfq_verdicts v;

        raise_one(&v);
        CHECK_INT(v.n, 1);
        CHECK_INT(v.verdicts[0].coefficient, 30);
        CHECK_INT(v.verdicts[0].since, 9 * MS);
        CHECK(feed(&v, BFQ_LOG_SERVED, 1, 20 * MS) == NULL);
        CHECK(feed(&v, BFQ_LOG_RAISED, 1, 20 * MS) == NULL);
        CHECK_INT(v.verdicts[0].since, 9 * MS);
        CHECK_INT(v.verdicts[0].seen, 20 * MS);
}

TEST(a_dispatch_in_its_turn_without_a_word_of_raising_ends_it) {
        static struct bfq_verdicts v;
        const struct bfq_verdict *changed;

        raise_one(&v);
        CHECK(feed(&v, BFQ_LOG_SERVED, 1, 20 * MS) == NULL);
        changed = feed(&v, BFQ_LOG_EXPIRED, 1, 21 * MS);
        CHECK(changed != NULL);
        CHECK_INT(changed->coefficient, 1);
        CHECK_INT(changed->since, 20 * MS);
}

TEST(a_dispatch_in_anothers_turn_says_nothing) {
        static struct bfq_verdicts v;

        raise_one(&v);
        feed(&v, BFQ_LOG_IN_SERVICE, 2, 20 * MS);
        CHECK(feed(&v, BFQ_LOG_SERVED, 1, 21 * MS) == NULL);
        CHECK(feed(&v, BFQ_LOG_EXPIRED, 2, 22 * MS) == NULL);
        CHECK(feed(&v, BFQ_LOG_SERVED, 1, 23 * MS) == NULL); /* whose turn it is, is not known */
        CHECK(feed(&v, BFQ_LOG_IN_SERVICE, 1, 24 * MS) == NULL);
        CHECK_INT(v.verdicts[0].coefficient, 30);
}

TEST(where_messages_are_missing_nothing_is_concluded) {
        static struct bfq_verdicts v;

        raise_one(&v);
        feed(&v, BFQ_LOG_SERVED, 1, 20 * MS);
        feed(&v, BFQ_LOG_LOST, 0, 0);
        CHECK(feed(&v, BFQ_LOG_SERVED, 1, 21 * MS) == NULL);
        CHECK(feed(&v, BFQ_LOG_EXPIRED, 1, 22 * MS) == NULL);
        CHECK_INT(v.verdicts[0].coefficient, 30);
        CHECK_INT(v.lost, 1);
}

TEST(the_queue_that_was_quiet_longest_makes_room) {
        static struct bfq_verdicts v;

        v = (struct bfq_verdicts) { 0 };
        for (int32_t tid = 1; tid <= BFQ_QUEUES_MAX + 1; tid++)
                CHECK(feed(&v, BFQ_LOG_RAISED, tid, (nsec_t) (tid == 1 ? BFQ_QUEUES_MAX + 5 : tid) * MS) != NULL);
        CHECK_INT(v.n, BFQ_QUEUES_MAX);
        CHECK_INT(v.evicted, 1);
        CHECK_INT(v.verdicts[1].queue.tid, BFQ_QUEUES_MAX + 1);
}

TEST(a_drive_too_many_is_left_alone) {
        static struct bfq_verdicts v;
        struct bfq_log_message m = { .kind = BFQ_LOG_RAISED, .t = MS, .queue = { .tid = 1, .sync = true }, .coefficient = 30 };

        v = (struct bfq_verdicts) { 0 };
        for (uint32_t i = 1; i <= BFQ_DRIVES_MAX; i++) {
                m.queue.dev = DEV_NUMBER(8, i);
                CHECK(bfq_verdicts_feed(&v, &m) != NULL);
        }
        m.queue.dev = DEV_NUMBER(9, 0);
        CHECK(bfq_verdicts_feed(&v, &m) == NULL);
        CHECK_INT(v.n, BFQ_DRIVES_MAX);
}
