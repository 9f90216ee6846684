/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "response.h"
#include "test.h"
#include "words.h"

TEST(reads_decide_and_writes_only_without_reads) {
        uint32_t us;

        CHECK_INT(response_judge(0, 0, &us), RESPONSE_IDLE);
        CHECK_INT(response_judge(1000, 900000, &us), RESPONSE_QUICK);
        CHECK_INT(us, 1000);
        CHECK_INT(response_judge(0, 900000, &us), RESPONSE_STALLED);
        CHECK_INT(us, 900000);
}

TEST(each_bound_belongs_to_the_better_word) {
        uint32_t us;

        CHECK_INT(response_judge(RESPONSE_QUICK_MAX_US, 0, &us), RESPONSE_QUICK);
        CHECK_INT(response_judge(RESPONSE_QUICK_MAX_US + 1, 0, &us), RESPONSE_FAIR);
        CHECK_INT(response_judge(RESPONSE_FAIR_MAX_US + 1, 0, &us), RESPONSE_SLOW);
        CHECK_INT(response_judge(RESPONSE_SLOW_MAX_US, 0, &us), RESPONSE_SLOW);
        CHECK_INT(response_judge(RESPONSE_SLOW_MAX_US + 1, 0, &us), RESPONSE_STALLED);
        CHECK_INT(response_judge(UINT32_MAX, 0, &us), RESPONSE_STALLED);
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
