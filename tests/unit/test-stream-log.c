/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stream-log.h"
#include "test.h"

#define SEC NSEC_PER_SEC

static struct stream_log stream_log;
static struct snapshot snapshot;
static unsigned started, ended;

static void count(void *userdata, enum stream_change change, const struct stream_entry *e) {
        (void) userdata;
        (void) e;
        started += change == STREAM_STARTED;
        ended += change == STREAM_ENDED;
}

static void begin(void) {
        memset(&stream_log, 0, sizeof(stream_log));
        memset(&snapshot, 0, sizeof(snapshot));
        started = ended = 0;
}

static void see(int32_t tgid, enum stream_state state) {
        snapshot.streams[snapshot.n_streams++] = (struct stream_view){ .state = state, .dev = 1, .tgid = tgid, .start_ticks = 9 };
}

static void follow(void) {
        snapshot.now += SEC;
        stream_log_follow(&stream_log, &snapshot, count, NULL);
        snapshot.n_streams = 0;
}

static const struct stream_entry *find(int32_t tgid) {
        for (size_t i = 0; i < STREAM_LOG_MAX; i++)
                if (stream_log.entries[i].view.tgid == tgid)
                        return &stream_log.entries[i];
        return NULL;
}

TEST(a_stream_starts_once_and_ends_once) {
        begin();
        see(5, STREAM_NEAR_MISS);
        follow();
        CHECK_INT(started, 0);
        CHECK_STR(stream_entry_state(find(5)), "near-miss");
        for (unsigned i = 0; i < 3; i++) {
                see(5, STREAM_IS);
                follow();
        }
        CHECK_INT(started, 1);
        CHECK_STR(stream_entry_state(find(5)), "stream");
        follow();
        follow();
        CHECK_INT(ended, 1);
        CHECK_STR(stream_entry_state(find(5)), "ended");
        CHECK_INT(find(5)->ended - find(5)->started, 3 * SEC);
}

TEST(one_that_is_a_near_miss_again_has_ended_and_may_start_again) {
        begin();
        see(5, STREAM_IS);
        follow();
        see(5, STREAM_NEAR_MISS);
        follow();
        CHECK_INT(ended, 1);
        CHECK_STR(stream_entry_state(find(5)), "ended");
        CHECK_INT(find(5)->view.state, STREAM_IS);
        see(5, STREAM_IS);
        follow();
        CHECK_INT(started, 2);
        CHECK_STR(stream_entry_state(find(5)), "stream");
}

TEST(a_near_miss_that_is_gone_is_nothing) {
        begin();
        see(5, STREAM_NEAR_MISS);
        follow();
        follow();
        CHECK(!stream_entry_state(find(5)));
        CHECK_INT(ended, 0);
}

TEST(a_process_becomes_known_while_it_is_a_stream) {
        begin();
        see(5, STREAM_IS);
        snapshot.streams[0].start_ticks = 0;
        follow();
        see(5, STREAM_IS);
        follow();
        CHECK_INT(started, 1);
        see(5, STREAM_IS);
        snapshot.streams[0].start_ticks = 10; /* another one under the same PID */
        follow();
        CHECK_INT(started, 2);
        CHECK_INT(ended, 1);
}

TEST(any_number_of_streams_leaves_the_newest_and_all_that_are_here) {
        begin();
        for (int32_t round = 0; round < 10; round++) {
                for (int32_t i = 1; i <= SNAPSHOT_STREAMS_MAX; i++)
                        see(round * 1000 + i, STREAM_IS);
                follow();
                for (int32_t i = 1; i <= SNAPSHOT_STREAMS_MAX; i++)
                        CHECK_STR(stream_entry_state(find(round * 1000 + i)), "stream");
        }
        CHECK(find(8001)); /* those before are kept */
        CHECK(!find(7001));
        CHECK_INT(stream_log.dropped, 8 * SNAPSHOT_STREAMS_MAX);
}
