/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "sample-reader.h"
#include "test.h"

#define RECORDS 20

static struct brio_sample seen[1000];
static size_t n_seen;

static void remember(void *userdata, const struct brio_sample *s) {
        (void) userdata;
        if (n_seen < ARRAY_SIZE(seen))
                seen[n_seen] = *s;
        n_seen++;
}

static struct brio_sample good(uint64_t t_ns) {
        return (struct brio_sample){
                .magic = BRIO_SAMPLE_MAGIC,
                .size = sizeof(struct brio_sample),
                .t_ns = t_ns,
                .device = "sda",
        };
}

/* A stream of records of any allowed size. Returns its length. */
static size_t make_stream(uint8_t *buffer, uint64_t *seed) {
        size_t used = 0;

        for (uint64_t i = 0; i < RECORDS; i++) {
                struct brio_sample s = good(i);

                s.size = (uint32_t) (sizeof(s) + test_random(seed) % (SAMPLE_READER_RECORD_MAX - sizeof(s) + 1));
                memset(buffer + used, 0xaa, s.size);
                memcpy(buffer + used, &s, sizeof(s));
                used += s.size;
        }
        return used;
}

TEST(slicing_does_not_change_what_is_read) {
        static uint8_t buffer[RECORDS * SAMPLE_READER_RECORD_MAX];
        uint64_t seed = test_seed();

        for (int round = 0; round < 200; round++) {
                struct sample_reader r = { 0 };
                size_t length = make_stream(buffer, &seed), done = 0;

                n_seen = 0;
                while (done < length) {
                        size_t slice = 1 + test_random(&seed) % (round % 2 ? 7 : 9000);

                        slice = MIN(slice, length - done);
                        CHECK_INT(sample_reader_feed(&r, buffer + done, slice, remember, NULL), 0);
                        done += slice;
                }
                CHECK_INT(n_seen, RECORDS);
                for (uint64_t i = 0; i < RECORDS; i++)
                        CHECK(seen[i].t_ns == i && strcmp(seen[i].device, "sda") == 0);
        }
}

static int feed_one(struct brio_sample s) {
        struct sample_reader r = { 0 };

        n_seen = 0;
        return sample_reader_feed(&r, &s, sizeof(s), remember, NULL);
}

TEST(what_is_no_record_is_refused) {
        const uint32_t bad_sizes[] = { 0, 1, 127, SAMPLE_READER_RECORD_MAX + 1, UINT32_MAX };
        struct brio_sample s = good(1);

        CHECK_INT(feed_one(s), 0);
        CHECK_INT(n_seen, 1);
        s.magic++;
        CHECK_INT(feed_one(s), -EBADMSG);
        for (size_t i = 0; i < ARRAY_SIZE(bad_sizes); i++) {
                s = good(1);
                s.size = bad_sizes[i];
                CHECK_INT(feed_one(s), -EBADMSG);
        }
        s = good(1);
        memset(s.device, 'x', sizeof(s.device));
        CHECK_INT(feed_one(s), -EBADMSG);
        s = good(1);
        s.device[0] = '\0';
        CHECK_INT(feed_one(s), -EBADMSG);
        CHECK_INT(n_seen, 0);
}

TEST(records_before_the_bad_one_are_delivered) {
        struct brio_sample two[2] = { good(1), good(2) };
        struct sample_reader r = { 0 };

        n_seen = 0;
        two[1].magic = 0;
        CHECK_INT(sample_reader_feed(&r, two, sizeof(two), remember, NULL), -EBADMSG);
        CHECK_INT(n_seen, 1);
}

TEST(random_bytes_never_break_it) {
        uint64_t seed = test_seed();

        for (int round = 0; round < 2000; round++) {
                struct sample_reader r = { 0 };
                uint8_t bytes[512];

                for (size_t i = 0; i < sizeof(bytes); i++)
                        bytes[i] = (uint8_t) test_random(&seed);
                if (round % 2) { /* with a plausible start */
                        struct brio_sample s = good(0);

                        s.size = (uint32_t) test_random(&seed) % 5000;
                        memcpy(bytes, &s, sizeof(s));
                }
                for (int again = 0; again < 20; again++)
                        if (sample_reader_feed(&r, bytes, sizeof(bytes), remember, NULL) < 0)
                                break;
                CHECK(r.used <= sizeof(r.partial));
        }
}
