/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "prefetch-next.h"
#include "str.h"
#include "test.h"

static const char editor[][APPLICATION_MAX] = { "org.example.Editor" }, both[][APPLICATION_MAX] = { "org.example.Editor", "firefox" };

TEST(what_was_started_after_half_of_the_last_logins_is_usual_from_the_second_on) {
        struct prefetch_next next = { 0 };

        prefetch_next_add(&next, both, 2);
        CHECK_INT(next.n, 2);
        CHECK(!prefetch_next_is_usual(&next, 0));
        prefetch_next_add(&next, editor, 1);
        CHECK(prefetch_next_is_usual(&next, 0));
        CHECK(prefetch_next_is_usual(&next, 1));
        prefetch_next_add(&next, editor, 1);
        CHECK(prefetch_next_is_usual(&next, 0));
        CHECK(!prefetch_next_is_usual(&next, 1));
}

TEST(what_was_started_after_none_of_the_last_logins_is_forgotten) {
        struct prefetch_next next = { 0 };

        prefetch_next_add(&next, both, 2);
        for (int i = 0; i < PREFETCH_NEXT_LOGINS; i++)
                prefetch_next_add(&next, editor, 1);
        CHECK_INT(next.logins, PREFETCH_NEXT_LOGINS);
        CHECK_INT(next.n, 1);
        CHECK_STR(next.applications[0].application, "org.example.Editor");
}

TEST(where_there_is_no_room_the_new_ones_are_left_out) {
        struct prefetch_next next = { 0 };
        char many[PREFETCH_NEXT_MAX + 2][APPLICATION_MAX];

        for (size_t i = 0; i < ARRAY_SIZE(many); i++)
                snprintf(many[i], APPLICATION_MAX, "%063zu", i);
        prefetch_next_add(&next, many, ARRAY_SIZE(many));
        CHECK_INT(next.n, PREFETCH_NEXT_MAX);
}

TEST(what_is_written_is_read_again_and_what_is_damaged_is_not) {
        struct prefetch_next next = { 0 }, again;
        char text[PREFETCH_NEXT_TEXT_MAX + 1], other[PREFETCH_NEXT_TEXT_MAX + 1];
        size_t n;

        prefetch_next_add(&next, both, 2);
        prefetch_next_add(&next, editor, 1);
        n = prefetch_next_format(&next, text);
        memcpy(other, text, n);
        CHECK_INT(prefetch_next_parse(other, n, &again), 0);
        CHECK_INT(again.logins, 2);
        CHECK_INT(again.n, 2);
        CHECK_STR(again.applications[1].application, "firefox");
        CHECK_INT(again.applications[1].hits, 2);
        for (size_t i = 0; i < n; i++) {
                memcpy(other, text, n);
                other[i] ^= 1;
                CHECK_INT(prefetch_next_parse(other, n, &again), -EBADMSG);
                memcpy(other, text, n);
                CHECK_INT(prefetch_next_parse(other, i, &again), -EBADMSG);
        }
}
