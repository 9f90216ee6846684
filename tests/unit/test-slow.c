/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slow.h"
#include "test.h"

#define MS (int64_t) USEC_PER_MSEC

/* One that is worth telling. */
static const struct slow_start slow = { .launched = true, .known = 9, .latency_us = 4700 * MS, .waited_us = 3600 * MS, .median_us = 1200 * MS,
                                        .p95_us = 4700 * MS, .drive = "sda", .culprit = "rsync", .culprit_permille = 480 };

/* It with other values of some. */
#define IS_WORTH(...)                                  \
        ({                                             \
                struct slow_start s = slow;            \
                __VA_ARGS__;                           \
                slow_is_worth_telling(&s);             \
        })

TEST(a_start_of_much_more_than_usual_because_of_others_is_worth_telling) {
        CHECK(slow_is_worth_telling(&slow));
}

TEST(each_condition_alone_keeps_it_quiet) {
        CHECK(!IS_WORTH(s.launched = false));              /* a terminal's command */
        CHECK(!IS_WORTH(s.known = 4));                     /* nothing is usual yet */
        CHECK(!IS_WORTH(s.median_us = 2350 * MS + 1));     /* less than twice as long */
        CHECK(IS_WORTH(s.median_us = 2350 * MS));
        CHECK(!IS_WORTH(s.p95_us = 4700 * MS + 1));        /* one of twenty takes longer */
        CHECK(!IS_WORTH(s.waited_us = 1750 * MS - 1));     /* it was the application itself */
        CHECK(IS_WORTH(s.waited_us = 1750 * MS));
        CHECK(!IS_WORTH(s.culprit = NULL));                /* no process was to blame */
        CHECK(!IS_WORTH(s.latency_us = 900 * MS, s.p95_us = 900 * MS, s.median_us = 200 * MS, s.waited_us = 800 * MS));
}

TEST(a_daemon_that_tells_less_makes_nothing_up) {
        const struct slow_start little = { .launched = true, .latency_us = 99000 * MS, .drive = "" };

        CHECK(!slow_is_worth_telling(&little));
}

TEST(ten_minutes_pass_between_two_notifications_and_six_hours_between_two_of_one_application) {
        static struct slow_limit limit;
        int64_t minute = 60 * (int64_t) USEC_PER_SEC;

        CHECK(slow_limit_take(&limit, "a", 0)); /* as soon as the machine has started */
        CHECK(!slow_limit_take(&limit, "a", 0));
        CHECK(!slow_limit_take(&limit, "b", 10 * minute - 1));
        CHECK(slow_limit_take(&limit, "b", 10 * minute));
        CHECK(!slow_limit_take(&limit, "a", 20 * minute));
        CHECK(!slow_limit_take(&limit, "a", 360 * minute - 1));
        CHECK(slow_limit_take(&limit, "a", 360 * minute));
}

TEST(the_notification_names_the_time_what_is_usual_and_which_process_had_the_drive) {
        struct slow_start somewhere = slow, blameless = slow;
        char title[SLOW_TITLE_MAX], body[SLOW_BODY_MAX];

        somewhere.drive = "";
        blameless.culprit = NULL;
        CHECK_STR(slow_format_title(&slow, "Firefox", title, sizeof(title)), "Firefox took 4.7 s to start");
        CHECK_STR(slow_format_body(&slow, body, sizeof(body)), "Usually 1.2 s. It waited 3.6 s for sda, while rsync had 48 % of that drive.");
        CHECK_STR(slow_format_body(&somewhere, body, sizeof(body)), "Usually 1.2 s. It waited 3.6 s for the drive, while rsync had 48 % of it.");
        CHECK_STR(slow_format_body(&blameless, body, sizeof(body)), "Usually 1.2 s.");
}
