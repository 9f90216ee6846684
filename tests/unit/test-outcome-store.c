/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>

#include "checksum.h"
#include "outcome-store.h"
#include "str.h"
#include "test.h"
#include "told.h"

#define SEC NSEC_PER_SEC
#define DAY_USEC (UINT64_C(86400) * USEC_PER_SEC)

static const struct outcome_clock then = { .now = 5000 * SEC, .realtime_usec = 1000 * DAY_USEC };
static struct outcomes saved, loaded;

static struct outcome make(const char *model, nsec_t until) {
        struct outcome o = {
                .key = { .class = DEVICE_CLASS_HDD, .scheduler = SCHEDULER_BFQ, .law = LAW_IDLE_LIMIT, .workload = "many-sync" },
                .result = OUTCOME_WORSE, .figures = { .measure = TRIAL_MEAN_READ, .before = 310000, .after = 84000, .n_before = 24, .n_after = 6,
                            .confidence_permille = 995, .p95_before_us = 470000, .p95_after_us = 120000 },
                .reverts = 3, .change = "slice_idle_us 8000 → 2000 µs", .until = until,
        };

        str_copy(o.key.model, sizeof(o.key.model), model);
        return o;
}

static void begin_test(void) {
        memset(&saved, 0, sizeof(saved));
        memset(&loaded, 0, sizeof(loaded));
}

TEST(an_outcome_reads_back_as_it_was_and_holds_for_as_long_on_another_clock) {
        struct outcome o = make("WDC WD10\tEZEX\n", then.now + 20 * SEC), back;
        struct outcome_clock later = { .now = 30 * SEC, .realtime_usec = then.realtime_usec + 5 * USEC_PER_SEC }; /* after a boot */
        char line[OUTCOME_LINE_MAX];
        size_t length = outcome_line_format(line, &o, &then);

        CHECK_INT(strcspn(line, "\n"), length - 1);
        CHECK_INT(outcome_line_parse(line, length - 1, &later, &back), 0);
        CHECK_STR(back.key.model, "WDC WD10?EZEX?");
        CHECK_STR(back.key.workload, "many-sync");
        CHECK_INT(back.key.class, DEVICE_CLASS_HDD);
        CHECK_INT(back.key.scheduler, SCHEDULER_BFQ);
        CHECK_INT(back.key.law, LAW_IDLE_LIMIT);
        CHECK_INT(back.result, OUTCOME_WORSE);
        CHECK_INT(back.figures.measure, TRIAL_MEAN_READ);
        CHECK_INT(back.figures.before, 310000);
        CHECK_INT(back.figures.after, 84000);
        CHECK_INT(back.figures.n_before, 24);
        CHECK_INT(back.figures.n_after, 6);
        CHECK_INT(back.figures.confidence_permille, 995);
        CHECK_INT(back.figures.p95_before_us, 470000);
        CHECK_INT(back.figures.p95_after_us, 120000);
        CHECK_INT(back.reverts, 3);
        CHECK_STR(back.change, o.change);
        CHECK_INT(back.until, 45 * SEC);
}

/* Cuts the line's last fields off, and closes it anew. Returns its length. */
static size_t cut_fields(char *line, unsigned n) {
        for (unsigned i = 0; i <= n; i++)
                *strrchr(line, '\t') = '\0';
        str_append(line, OUTCOME_LINE_MAX, "\t%08x\n", checksum_crc32c(0, line, strlen(line)));
        return strlen(line);
}

TEST(a_line_from_before_there_was_a_p95_is_read_without_one) {
        struct outcome o = make("disk", then.now + SEC), back;
        char line[OUTCOME_LINE_MAX], sentence[256];

        outcome_line_format(line, &o, &then);
        CHECK(strstr(told(outcome_format(&o, sentence, sizeof(sentence))),
                     "2000 µs: p95 read 470 ms → 120 ms; decided on mean read 310 ms → 84 ms, 24 samples against 6, confidence 99.5 %"));
        CHECK_INT(outcome_line_parse(line, cut_fields(line, 1) - 1, &then, &back), -EBADMSG);
        outcome_line_format(line, &o, &then);
        CHECK_INT(outcome_line_parse(line, cut_fields(line, 2) - 1, &then, &back), 0);
        CHECK_INT(back.figures.after, 84000);
        CHECK_INT(back.figures.p95_before_us, 0);
        CHECK_INT(back.figures.p95_after_us, 0);
        CHECK_STR(back.change, o.change);
        CHECK(strstr(told(outcome_format(&back, sentence, sizeof(sentence))), "2000 µs: mean read 310 ms → 84 ms, 24 samples against 6, confidence 99.5 %"));
}

TEST(what_is_measured_in_bytes_is_told_in_the_unit_that_suits) {
        struct outcome o = make("disk", then.now + SEC);
        char sentence[256];

        o.figures = (struct trial_figures){ .measure = TRIAL_THROUGHPUT, .before = 38000, .after = 137000, .n_before = 24, .n_after = 6 }; /* KiB/s */
        CHECK(strstr(told(outcome_format(&o, sentence, sizeof(sentence))), "throughput 39 MB/s → 140 MB/s, 24 samples against 6"));
}

TEST(what_is_over_stays_known_and_stays_over) {
        struct outcome o = make("disk", then.now - SEC), back;
        char line[OUTCOME_LINE_MAX];
        size_t length = outcome_line_format(line, &o, &then);

        CHECK_INT(outcome_line_parse(line, length - 1, &then, &back), 0);
        CHECK(back.until > 0 && back.until < then.now);
        CHECK_INT(back.reverts, 3);
}

TEST(no_bit_of_a_line_may_differ_and_none_of_its_starts_is_one) {
        struct outcome o = make("disk", then.now + SEC), back;
        char line[OUTCOME_LINE_MAX];
        size_t length = outcome_line_format(line, &o, &then);

        for (size_t i = 0; i < length - 1; i++) {
                line[i] ^= 1;
                CHECK_INT(outcome_line_parse(line, length - 1, &then, &back), -EBADMSG);
                line[i] ^= 1;
                CHECK_INT(outcome_line_parse(line, i, &then, &back), -EBADMSG);
        }
        CHECK_INT(outcome_line_parse(line, length - 1, &then, &back), 0);
}

TEST(the_longest_texts_fit) {
        struct outcome o = make("", UINT64_MAX), back;
        char line[OUTCOME_LINE_MAX];
        size_t length;

        memset(o.key.model, 'x', sizeof(o.key.model) - 1);
        memset(o.key.workload, 'y', sizeof(o.key.workload) - 1);
        memset(o.change, 'z', sizeof(o.change) - 1);
        o.key.class = DEVICE_CLASS_USB_STICK;
        o.key.scheduler = SCHEDULER_MQ_DEADLINE;
        o.figures = (struct trial_figures){ TRIAL_LONGEST_READ, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX };
        o.reverts = UINT32_MAX;
        length = outcome_line_format(line, &o, &then);
        CHECK_INT(outcome_line_parse(line, length - 1, &then, &back), 0);
        CHECK_STR(back.change, o.change);
        CHECK(back.until <= then.now + 3651 * 86400 * SEC); /* whatever a clock says */
}

TEST(what_is_saved_is_there_after_a_restart_and_damage_costs_the_lines_that_it_is_in) {
        const char *dir = test_tmpdir();
        struct outcome a = make("disk a", then.now + SEC), b = make("disk b", then.now + SEC);
        size_t damaged = 9;
        char text[4096];

        begin_test();
        CHECK_INT(outcome_store_load(dir, &then, &loaded, &damaged), 0); /* nothing yet */
        CHECK_INT(damaged, 0);
        outcomes_add(&saved, &a);
        outcomes_add(&saved, &b);
        CHECK_INT(outcome_store_save(dir, &then, &saved), 0);
        CHECK_INT(outcome_store_load(dir, &then, &loaded, &damaged), 0);
        CHECK_INT(damaged, 0);
        CHECK(outcomes_find(&loaded, &a.key, then.now) && outcomes_find(&loaded, &b.key, then.now));
        CHECK_STR(test_read_file(dir, "outcomes.new"), "(missing)");
        memset(&loaded, 0, sizeof(loaded));
        snprintf(text, sizeof(text), "garbage\n%s", test_read_file(dir, "outcomes"));
        text[strlen(text) - 1] ^= 1; /* of the second one's checksum */
        test_write_file(dir, "outcomes", text);
        CHECK_INT(outcome_store_load(dir, &then, &loaded, &damaged), 0);
        CHECK_INT(damaged, 2);
        CHECK(outcomes_find(&loaded, &a.key, then.now) && !outcomes_find(&loaded, &b.key, then.now));
        CHECK(strstr(test_read_file(dir, "outcomes.damaged"), "garbage"));
}

TEST(a_file_that_ends_anywhere_gives_the_lines_that_are_whole) {
        const char *dir = test_tmpdir();
        char text[4096], cut[4096];
        size_t damaged, whole;

        begin_test();
        for (unsigned i = 0; i < 3; i++) {
                char name[16];
                struct outcome o;
                snprintf(name, sizeof(name), "disk %u", i);
                o = make(name, then.now + SEC);
                outcomes_add(&saved, &o);
        }
        CHECK_INT(outcome_store_save(dir, &then, &saved), 0);
        snprintf(text, sizeof(text), "%s\n", test_read_file(dir, "outcomes"));
        for (size_t length = 0; length <= strlen(text); length++) {
                snprintf(cut, sizeof(cut), "%.*s", (int) length, text);
                test_write_file(dir, "outcomes", cut);
                memset(&loaded, 0, sizeof(loaded));
                CHECK_INT(outcome_store_load(dir, &then, &loaded, &damaged), 0);
                whole = 0;
                for (const char *at = cut; (at = strchr(at, '\n')); at++)
                        whole++;
                CHECK_INT(loaded.changes, whole);
                CHECK_INT(damaged, length > 0 && cut[length - 1] != '\n');
        }
}

TEST(another_versions_outcomes_are_not_read_and_are_no_damage) {
        const char *dir = test_tmpdir();
        struct outcome o = make("disk", then.now + SEC), back;
        char line[OUTCOME_LINE_MAX], *version;
        size_t length = outcome_line_format(line, &o, &then), damaged;

        line[length - 1 - 9] = '\0'; /* without its checksum */
        version = strstr(line, "outcome\t") + strlen("outcome\t");
        *version = *version == '9' ? '8' : '9';
        str_append(line, sizeof(line), "\t%08x\n", checksum_crc32c(0, line, strlen(line)));
        CHECK_INT(outcome_line_parse(line, strlen(line) - 1, &then, &back), 1);
        begin_test();
        test_write_file(dir, "outcomes", line);
        CHECK_INT(outcome_store_load(dir, &then, &loaded, &damaged), 0);
        CHECK_INT(damaged, 0);
        CHECK_INT(loaded.changes, 0);
}
