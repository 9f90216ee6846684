/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <poll.h>

#include "sample.h"
#include "streams.h"
#include "test.h"

#define SDA DEV_NUMBER(8, 0)

static struct snapshot snapshot;

static const char *name(void *userdata, uint32_t dev) {
        (void) userdata;
        return dev == SDA ? "sda" : NULL;
}

static void interval(struct streams *s, nsec_t now) {
        const struct event e = { .t = now, .kind = EVENT_DEVICE_STAT, .dev = SDA, .device_stat = { .span_us = 100000, .reads = 1 } };

        streams_feed(s, &e);
        streams_send(s, now, &snapshot, name, NULL);
}

static bool has_ended(int fd) {
        char buf[4096];

        while (poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, 0) > 0)
                if (read(fd, buf, sizeof(buf)) <= 0)
                        return true;
        return false;
}

TEST(a_stream_that_is_not_read_is_closed_after_half_a_minute_and_its_place_is_free) {
        struct streams *s = streams_new();
        nsec_t now = NSEC_PER_SEC, full;
        int fd = streams_open(s, 1000, 100, now);
        struct brio_sample sample;

        CHECK(fd >= 0);
        for (size_t i = 0; i < 65536 / sizeof(sample); i++)
                interval(s, now += 100 * NSEC_PER_MSEC);
        full = now;
        while (now + 100 * NSEC_PER_MSEC < full + STREAM_FULL_NS)
                interval(s, now += 100 * NSEC_PER_MSEC);
        CHECK(streams_interval(s) > 0);
        interval(s, now += 100 * NSEC_PER_MSEC);
        CHECK_INT(streams_interval(s), 0);
        CHECK(has_ended(fd));
        close(fd);
        streams_free(s);
}

TEST(a_stream_whose_reader_has_gone_ends_though_there_is_no_drive_to_tell_of) {
        struct streams *s = streams_new();
        nsec_t now = NSEC_PER_SEC;

        close(streams_open(s, 1000, 100, now));
        streams_send(s, now + 100 * NSEC_PER_MSEC, &snapshot, name, NULL);
        CHECK_INT(streams_interval(s), 0);
        streams_free(s);
}

TEST(a_stream_that_is_read_now_and_then_stays) {
        struct streams *s = streams_new();
        nsec_t now = NSEC_PER_SEC;
        int fd = streams_open(s, 1000, 100, now);

        for (size_t i = 0; i < 3000; i++) {
                interval(s, now += 100 * NSEC_PER_MSEC);
                if (i % 290 == 0)
                        CHECK(!has_ended(fd));
        }
        CHECK(streams_interval(s) > 0);
        close(fd);
        streams_free(s);
}

TEST(a_user_has_four_streams_and_others_have_theirs) {
        struct streams *s = streams_new();
        int fds[STREAMS_MAX];

        for (size_t i = 0; i < STREAMS_MAX; i++) {
                if (i > 0 && i % STREAMS_PER_USER_MAX == 0)
                        CHECK_INT(streams_open(s, (uid_t) (i / STREAMS_PER_USER_MAX - 1), 100, 1), -EDQUOT);
                fds[i] = streams_open(s, (uid_t) (i / STREAMS_PER_USER_MAX), 100, 1);
                CHECK(fds[i] >= 0);
        }
        CHECK_INT(streams_open(s, STREAMS_MAX, 100, 1), -ENOSPC);
        for (size_t i = 0; i < STREAMS_MAX; i++)
                close(fds[i]);
        streams_free(s);
}
