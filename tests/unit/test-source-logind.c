/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source-logind.h"
#include "str.h"
#include "test.h"
#include "told.h"

static enum presence judge(const struct session_facts *sessions, size_t n, char reason[PRESENCE_REASON_MAX]) {
        str_copy(reason, PRESENCE_REASON_MAX, "(none)");
        return presence_judge(sessions, n, reason);
}

TEST(without_a_session_no_user_is_there) {
        char reason[PRESENCE_REASON_MAX];

        CHECK_INT(judge(NULL, 0, reason), PRESENCE_NOBODY);
        CHECK(streq(told(reason), "no user is logged in"));
}

TEST(greeters_and_services_are_no_users) {
        const struct session_facts sessions[] = {
                { .id = "c1", .seat = "seat0", .type = "wayland", .class = "greeter", .active = true },
                { .id = "7", .type = "unspecified", .class = "background", .active = true },
                { .id = "8", .type = "unspecified", .class = "manager", .active = true },
                { .id = "9", .seat = "seat0", .type = "tty", .class = "lock-screen", .active = true },
        };
        char reason[PRESENCE_REASON_MAX];

        CHECK_INT(judge(sessions, ARRAY_SIZE(sessions), reason), PRESENCE_NOBODY);
        CHECK(streq(told(reason), "no user is logged in"));
}

TEST(a_session_in_the_background_is_no_user) {
        const struct session_facts s = { .id = "2", .seat = "seat0", .type = "x11", .class = "user" };
        char reason[PRESENCE_REASON_MAX];

        CHECK_INT(judge(&s, 1, reason), PRESENCE_NOBODY);
        CHECK(streq(told(reason), "no session is in the foreground"));
}

TEST(one_that_is_in_use_counts_whatever_others_are) {
        const struct session_facts sessions[] = {
                { .id = "1", .seat = "seat0", .type = "tty", .class = "user", .active = true, .idle = true },
                { .id = "c3", .seat = "", .type = "tty", .class = "user-light", .active = true },
                { .id = "4", .seat = "seat1", .type = "x11", .class = "user", .active = true, .idle = true },
        };
        char reason[PRESENCE_REASON_MAX];

        CHECK_INT(judge(sessions, ARRAY_SIZE(sessions), reason), PRESENCE_SOMEBODY);
        CHECK(streq(told(reason), "session c3 (tty) from afar is in use"));
        CHECK_INT(judge(sessions, 1, reason), PRESENCE_IDLE);
        CHECK(streq(told(reason), "session 1 (tty) on seat0 is idle"));
}

TEST(the_longest_words_fit) {
        struct session_facts s = { .active = true };
        char reason[PRESENCE_REASON_MAX];

        memset(s.id, 'i', sizeof(s.id) - 1);
        memset(s.seat, 's', sizeof(s.seat) - 1);
        memset(s.type, 't', sizeof(s.type) - 1);
        str_copy(s.class, sizeof(s.class), "user");
        CHECK_INT(judge(&s, 1, reason), PRESENCE_SOMEBODY);
        CHECK(strstr(told(reason), " is in use"));
}
