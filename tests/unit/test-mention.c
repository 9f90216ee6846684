/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "event.h"
#include "mention.h"
#include "str.h"
#include "test.h"

#define ONE 1000
#define OTHER 1001

static bool sees_one(const void *reader _unused_, uint32_t uid) {
        return uid == ONE;
}

static const char *sentence(char buf[512]) {
        char a[MENTION_MAX], b[MENTION_MAX], c[MENTION_MAX];

        snprintf(buf, 512, "%s starts, and %s moves 6 MB/s; so does %s", mention(a, "gedit", 500, ONE), mention(b, "xyzzy", 0, OTHER),
                 mention(c, "cp", 7, PROCESS_UID_UNKNOWN));
        return buf;
}

TEST(a_reader_is_told_the_processes_that_it_sees_and_of_the_others_that_there_is_one) {
        char buf[512], ret[512];

        CHECK_STR(mention_tell(sentence(buf), sees_one, NULL, ret, sizeof(ret)),
                  "gedit (500) starts, and another user's process moves 6 MB/s; so does another user's process");
}

TEST(a_reader_that_sees_all_is_told_all) {
        char buf[512], ret[512];

        CHECK_STR(mention_tell_all(sentence(buf), ret, sizeof(ret)), "gedit (500) starts, and xyzzy moves 6 MB/s; so does cp (7)");
}

TEST(a_sentence_that_was_cut_anywhere_tells_no_part_of_a_name_that_is_not_seen) {
        char buf[512], ret[512], whole[512];
        size_t length = strlen(sentence(whole));

        for (size_t cut = 0; cut <= length; cut++) {
                str_copy(buf, cut + 1, whole);
                mention_tell(buf, sees_one, NULL, ret, sizeof(ret));
                CHECK(!strstr(ret, "xyzzy") && !strstr(ret, "cp") && str_is_text(ret));
                CHECK(str_is_text(mention_tell_all(buf, ret, sizeof(ret))));
        }
}

TEST(what_does_not_fit_is_cut_and_what_mentions_no_process_stays) {
        char buf[512], ret[16];

        mention_tell(sentence(buf), sees_one, NULL, ret, sizeof(ret));
        CHECK_STR(ret, "gedit (500) sta");
        CHECK_STR(mention_tell("10 processes", sees_one, NULL, ret, sizeof(ret)), "10 processes");
}

TEST(no_name_can_feign_a_mention) {
        char name[64] = "a\x02" "1000\x1f" "root\x03", buf[MENTION_MAX], ret[128];

        str_make_text(name, sizeof(name));
        CHECK(!strstr(mention_tell(mention(buf, name, 0, OTHER), sees_one, NULL, ret, sizeof(ret)), "root"));
}
