/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <limits.h>
#include <fcntl.h>

#include "stream.h"
#include "test.h"

struct seen {
        int n;
        uint64_t last_t_ns;
};

static void count(void *userdata, const struct brio_sample *sample) {
        struct seen *seen = userdata;

        seen->n++;
        seen->last_t_ns = sample->t_ns;
}

static struct stream stream;

static int open_pipe(void) {
        int fds[2];

        if (pipe2(fds, O_CLOEXEC) < 0 || stream_open(&stream, fds[0]) < 0)
                abort();
        return fds[1];
}

static struct brio_sample record(uint64_t t_ns) {
        return (struct brio_sample){ .magic = BRIO_SAMPLE_MAGIC, .size = sizeof(struct brio_sample), .t_ns = t_ns, .device = "sda" };
}

TEST(records_are_whole_however_the_bytes_come) {
        struct brio_sample records[] = { record(1), record(2), record(3) };
        const char *bytes = (const char *) records;
        struct seen seen = { 0 };
        uint64_t state = test_seed();
        _cleanup_close_ int to = open_pipe();

        for (size_t at = 0; at < sizeof(records);) {
                size_t n = MIN(1 + test_random(&state) % 100, sizeof(records) - at);
                CHECK_INT(write(to, bytes + at, n), n);
                CHECK(stream_read(&stream, count, &seen) >= 0);
                at += n;
                CHECK_INT(seen.n, at / sizeof(struct brio_sample));
        }
        CHECK_INT(seen.last_t_ns, 3);
        CHECK_INT(stream_read(&stream, count, &seen), 0);
        to = safe_close(to);
        CHECK_INT(stream_read(&stream, count, &seen), -EPIPE);
        stream_close(&stream);
}

TEST(longer_records_of_a_newer_daemon_are_read) {
        char bytes[2 * (sizeof(struct brio_sample) + 64)] = "";
        struct brio_sample r = record(7);
        struct seen seen = { 0 };
        _cleanup_close_ int to = open_pipe();

        r.size = sizeof(r) + 64;
        for (size_t i = 0; i < 2; i++)
                memcpy(bytes + i * r.size, &r, sizeof(r));
        CHECK_INT(write(to, bytes, sizeof(bytes)), sizeof(bytes));
        CHECK_INT(stream_read(&stream, count, &seen), 2);
        CHECK_INT(seen.last_t_ns, 7);
        stream_close(&stream);
}

TEST(what_is_no_record_is_refused) {
        for (int i = 0; i < 4; i++) {
                struct brio_sample r = record(1);
                struct seen seen = { 0 };
                _cleanup_close_ int to = open_pipe();

                if (i == 0)
                        r.magic++;
                r.size = i == 1 ? 0 : i == 2 ? sizeof(r) - 1 : i == 3 ? PIPE_BUF + 1 : r.size;
                CHECK_INT(write(to, &r, sizeof(r)), sizeof(r));
                CHECK_INT(stream_read(&stream, count, &seen), -EBADMSG);
                CHECK_INT(seen.n, 0);
                stream_close(&stream);
        }
}

TEST(random_bytes_do_no_harm) {
        uint64_t state = test_seed();

        for (int round = 0; round < 200; round++) {
                unsigned char bytes[1000];
                struct brio_sample r = record(1);
                struct seen seen = { 0 };
                _cleanup_close_ int to = open_pipe();

                for (size_t i = 0; i < sizeof(bytes); i++)
                        bytes[i] = (unsigned char) test_random(&state);
                if (round % 2)
                        memcpy(bytes, &r, sizeof(r)); /* junk behind a good one */
                CHECK_INT(write(to, bytes, sizeof(bytes)), sizeof(bytes));
                CHECK_INT(stream_read(&stream, count, &seen), -EBADMSG);
                CHECK_INT(seen.n, round % 2);
                stream_close(&stream);
        }
}
