/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "response.h"
#include "test.h"
#include "words.h"

static enum response judge_means(uint32_t read_us, uint32_t write_us) {
        struct response_facts facts = { .read_mean_us = read_us, .write_mean_us = write_us };
        struct response_measure measure;

        return response_judge(&facts, &measure);
}

static enum response judge_p99(uint32_t us) {
        struct response_facts facts = { .read_mean_us = 1, .read_p99_us = us };
        struct response_measure measure;

        return response_judge(&facts, &measure);
}

TEST(reads_decide_and_writes_only_without_reads) {
        struct response_facts facts = { .read_mean_us = 1000, .write_mean_us = 900000, .write_p99_us = 5000000 };
        struct response_measure measure;

        CHECK_INT(judge_means(0, 0), RESPONSE_IDLE);
        CHECK_INT(response_judge(&facts, &measure), RESPONSE_QUICK);
        CHECK_INT(measure.us, 1000);
        CHECK(!measure.is_p99);
        facts.read_mean_us = 0;
        CHECK_INT(response_judge(&facts, &measure), RESPONSE_STALLED);
        CHECK_INT(measure.us, 5000000);
        CHECK(measure.is_p99);
        CHECK_INT(judge_means(0, 900000), RESPONSE_STALLED);
}

/* As a drive under five readers: most reads come at once, out of what it has read ahead, and the others wait for their turn. */
TEST(quick_on_average_is_not_quick_where_one_in_a_hundred_reads_waits_half_a_second) {
        struct response_facts facts = { .read_mean_us = 17100, .read_p99_us = 623000 };
        struct response_measure measure;

        CHECK_INT(response_judge(&facts, &measure), RESPONSE_SLOW);
        CHECK_INT(measure.us, 623000);
        CHECK(measure.is_p99);
}

TEST(a_drive_that_a_process_waits_for_is_not_quick) {
        struct response_facts facts = { .read_mean_us = 100, .waits = true };
        struct response_measure measure;

        CHECK_INT(response_judge(&facts, &measure), RESPONSE_FAIR);
        facts.read_mean_us = RESPONSE_FAIR_MAX_US + 1;
        CHECK_INT(response_judge(&facts, &measure), RESPONSE_SLOW);
        facts.read_mean_us = 0;
        CHECK_INT(response_judge(&facts, &measure), RESPONSE_IDLE);
}

TEST(without_samples_the_response_is_unknown_and_not_idle) {
        struct response_facts facts = { .unknown = true };
        struct response_measure measure;

        CHECK_INT(response_judge(&facts, &measure), RESPONSE_UNKNOWN);
}

TEST(each_bound_belongs_to_the_better_word) {
        CHECK_INT(judge_means(RESPONSE_QUICK_MAX_US, 0), RESPONSE_QUICK);
        CHECK_INT(judge_means(RESPONSE_QUICK_MAX_US + 1, 0), RESPONSE_FAIR);
        CHECK_INT(judge_means(RESPONSE_FAIR_MAX_US + 1, 0), RESPONSE_SLOW);
        CHECK_INT(judge_means(RESPONSE_SLOW_MAX_US, 0), RESPONSE_SLOW);
        CHECK_INT(judge_means(RESPONSE_SLOW_MAX_US + 1, 0), RESPONSE_STALLED);
        CHECK_INT(judge_means(UINT32_MAX, 0), RESPONSE_STALLED);
        CHECK_INT(judge_p99(RESPONSE_P99_QUICK_MAX_US), RESPONSE_QUICK);
        CHECK_INT(judge_p99(RESPONSE_P99_QUICK_MAX_US + 1), RESPONSE_FAIR);
        CHECK_INT(judge_p99(RESPONSE_P99_FAIR_MAX_US + 1), RESPONSE_SLOW);
        CHECK_INT(judge_p99(RESPONSE_P99_SLOW_MAX_US + 1), RESPONSE_STALLED);
}

TEST(every_response_has_a_word_of_its_own) {
        for (int a = 0; a < _RESPONSE_MAX; a++) {
                CHECK(*response_to_label(a) && *response_to_css_class(a));
                for (int b = 0; b < a; b++)
                        CHECK(strcmp(response_to_label(a), response_to_label(b)) != 0);
        }
}

TEST(a_word_of_a_newer_daemon_is_shown_as_it_is) {
        CHECK_STR(words_state("holding"), "Tuned");
        CHECK_STR(words_state("pondering"), "pondering");
        CHECK_STR(words_device_class("tape"), "tape");
        CHECK(*words_device_class_icon("tape"));
        CHECK_STR(words_owner(""), "");
}
