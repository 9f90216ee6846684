/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>

#include "recorders.h"
#include "recording-drive.h"
#include "recording-outcome.h"
#include "str.h"
#include "test.h"

#define SDA DEV_NUMBER(8, 0)
#define SDB DEV_NUMBER(8, 16)

static struct recording_reader reader;
static struct outcomes outcomes;

/* What is in the pipe now, and no more. */
static ssize_t fill(void *userdata, void *buf, size_t size) {
        ssize_t n = read(*(int *) userdata, buf, size);

        return n < 0 ? (errno == EAGAIN ? 0 : -errno) : n;
}

static void begin(int *fd) {
        fcntl(*fd, F_SETFL, O_NONBLOCK);
        recording_reader_init(&reader, fill, fd);
}

static struct event request(uint32_t dev, nsec_t t) {
        return (struct event){ .t = t, .kind = EVENT_REQUEST_QUEUE, .dev = dev, .tgid = 1, .request = { 8 * t, 8, REQUEST_READ } };
}

static int open_one(struct recorders *r, const uint32_t *devs, size_t n) {
        return recorders_open(r, devs, n, "kernel=6.1\n", 1000);
}

TEST(a_recording_of_a_drive_has_its_events_and_those_of_no_drive) {
        struct recorders *r = recorders_new();
        uint32_t dev = SDB;
        int fd = open_one(r, &dev, 1);
        struct event ours = request(SDB, 1100), other = request(SDA, 1200), none = { .t = 1300, .kind = EVENT_PROCESS_EXIT, .tgid = 7 };
        struct recording_item item;

        CHECK(fd >= 0);
        CHECK(recorders_watch(r, SDB) && !recorders_watch(r, SDA) && recorders_watch_any(r) && recorders_active(r));
        recorders_feed(r, &ours);
        recorders_feed(r, &other);
        recorders_feed(r, &none);
        recorders_tick(r, 1400, HOLD_PAUSE);
        begin(&fd);
        CHECK_INT(recording_read(&reader, &item), 1);
        CHECK_STR(item.text, "kernel=6.1\n");
        CHECK_INT(recording_read(&reader, &item), 1);
        CHECK(memcmp(&item.event, &ours, sizeof(ours)) == 0);
        CHECK_INT(recording_read(&reader, &item), 1);
        CHECK(memcmp(&item.event, &none, sizeof(none)) == 0);
        CHECK_INT(recording_read(&reader, &item), 1);
        CHECK_INT(item.kind, RECORDING_TICK);
        CHECK_INT(item.hold, HOLD_PAUSE);
        CHECK_INT(recording_read(&reader, &item), 0);
        CHECK_INT(reader.counters.damages, 0);
        safe_close(fd);
        recorders_free(r);
}

TEST(a_program_that_lies_on_another_drive_is_in_the_recording_of_what_it_may_read_from) {
        struct recorders *r = recorders_new();
        uint32_t dev = SDB;
        int fd = open_one(r, &dev, 1);
        struct event starts = { .t = 1200, .kind = EVENT_PROCESS_EXEC, .dev = SDA, .tgid = 7, .process_exec = { .start_ticks = 1, .name = "git" } };
        struct recording_item item;

        recorders_feed(r, &starts);
        recorders_tick(r, 1400, HOLD_NONE);
        begin(&fd);
        CHECK_INT(recording_read(&reader, &item), 1);
        CHECK_INT(recording_read(&reader, &item), 1);
        CHECK(memcmp(&item.event, &starts, sizeof(starts)) == 0);
        safe_close(fd);
        recorders_free(r);
}

TEST(a_recording_of_no_drive_has_all_and_asks_for_no_requests) {
        struct recorders *r = recorders_new();
        int fd = open_one(r, NULL, 0);
        struct event a = request(SDA, 1100), b = request(SDB, 1200);
        struct recording_item item;

        CHECK(!recorders_watch_any(r) && recorders_active(r));
        recorders_feed(r, &a);
        recorders_feed(r, &b);
        recorders_tick(r, 1300, HOLD_NONE);
        begin(&fd);
        for (int i = 0; i < 4; i++)
                CHECK_INT(recording_read(&reader, &item), 1);
        CHECK_INT(reader.counters.events, 2);
        safe_close(fd);
        recorders_free(r);
}

TEST(what_a_slow_reader_loses_is_counted_in_the_recording) {
        struct recorders *r = recorders_new();
        int fd = open_one(r, NULL, 0);
        struct recording_item item;
        uint64_t fed = 0, told = 0;

        for (nsec_t t = 0; recorders_lost(r) < 5000; t++) { /* the pipe is full at some time */
                struct event e = request(SDA, 2000 + t);
                recorders_feed(r, &e);
                fed++;
                CHECK(fed < 10000000);
        }
        begin(&fd);
        while (recording_read(&reader, &item) > 0)
                ;
        for (nsec_t t = 0; t < 2; t++) { /* now there is room: what is left, then the count */
                recorders_tick(r, 1000000000 + t, HOLD_NONE);
                reader.eof = false;
                while (recording_read(&reader, &item) > 0)
                        if (item.kind == RECORDING_EVENT && item.event.kind == EVENT_LOST) {
                                CHECK(item.event.flags & EVENT_REQUESTS);
                                told += item.event.lost.count;
                        }
        }
        CHECK_INT(told, recorders_lost(r));
        CHECK_INT(reader.counters.events - 1 + told, fed);
        CHECK_INT(reader.counters.damages, 0);
        safe_close(fd);
        recorders_free(r);
}

TEST(a_reader_that_leaves_ends_its_recording_alone) {
        struct recorders *r = recorders_new();
        uint32_t dev = SDA;
        int first = open_one(r, &dev, 1), second = open_one(r, NULL, 0);

        CHECK(first >= 0 && second >= 0);
        signal(SIGPIPE, SIG_IGN);
        safe_close(first);
        recorders_tick(r, 2000, HOLD_NONE);
        CHECK(!recorders_watch(r, SDA) && recorders_active(r));
        safe_close(second);
        recorders_tick(r, 3000, HOLD_NONE);
        CHECK(!recorders_active(r));
        recorders_free(r);
}

TEST(there_are_four_recordings_at_a_time) {
        struct recorders *r = recorders_new();
        uint32_t devs[SNAPSHOT_DEVICES_MAX + 1] = { 0 };
        int fds[RECORDERS_MAX];

        CHECK_INT(recorders_open(r, devs, ARRAY_SIZE(devs), "", 1), -E2BIG);
        for (size_t i = 0; i < RECORDERS_MAX; i++)
                CHECK((fds[i] = open_one(r, NULL, 0)) >= 0);
        CHECK_INT(open_one(r, NULL, 0), -ENOSPC);
        safe_close(fds[2]);
        signal(SIGPIPE, SIG_IGN);
        recorders_tick(r, 2000, HOLD_NONE);
        CHECK((fds[2] = open_one(r, NULL, 0)) >= 0);
        for (size_t i = 0; i < RECORDERS_MAX; i++)
                safe_close(fds[i]);
        recorders_free(r);
}

static struct controller_device drive(void) {
        struct controller_device d = { .used = true, .facts = { .dev = SDA, .name = "sda", .class = DEVICE_CLASS_HDD, .rotational = true,
                                       .queue_depth = 32, .scheduler = SCHEDULER_BFQ,
                                       .schedulers = 1u << SCHEDULER_BFQ | 1u << SCHEDULER_NONE | 1u << SCHEDULER_OTHER } };

        d.facts.values[TUNABLE_QUEUE_SCHEDULER].present = d.facts.values[TUNABLE_QUEUE_SCHEDULER].numeric = true;
        d.facts.values[TUNABLE_QUEUE_SCHEDULER].number = SCHEDULER_BFQ;
        d.facts.values[TUNABLE_BFQ_SLICE_IDLE_US].present = d.facts.values[TUNABLE_BFQ_SLICE_IDLE_US].numeric = true;
        d.facts.values[TUNABLE_BFQ_SLICE_IDLE_US].number = 2000;
        return d;
}

TEST(a_drive_is_told_when_it_is_new_and_when_its_settings_are) {
        struct recorders *r = recorders_new();
        struct controller_device d = drive();
        struct event gone = { .t = 1500, .kind = EVENT_DEVICE_GONE, .dev = SDA };
        int fd = open_one(r, NULL, 0);
        struct recording_item item;
        unsigned told = 0;

        recorders_tell_drive(r, &d, &outcomes, 1200);
        recorders_tell_drive(r, &d, &outcomes, 1200);
        d.facts.values[TUNABLE_BFQ_SLICE_IDLE_US].number = 3000;
        recorders_tell_drive(r, &d, &outcomes, 1200);
        recorders_feed(r, &gone);
        recorders_tell_drive(r, &d, &outcomes, 1200); /* another one, under the same number */
        begin(&fd);
        while (recording_read(&reader, &item) > 0)
                told += item.kind == RECORDING_DRIVE;
        CHECK_INT(told, 3);
        safe_close(fd);
        recorders_free(r);
}

TEST(with_a_drive_comes_what_trials_on_such_drives_had_found_and_nothing_of_others) {
        struct recorders *r = recorders_new();
        struct controller *c = controller_new();
        struct controller_device d = drive();
        struct outcome o = { .key = { .class = d.facts.class, .scheduler = SCHEDULER_BFQ, .law = LAW_IDLE_LIMIT, .workload = "many-sync" },
                             .result = OUTCOME_WORSE, .figures = { .measure = TRIAL_MEAN_READ, .before = 80000, .after = 300000, .n_before = 24, .n_after = 12,
                                        .confidence_permille = 999, .p95_before_us = 90000, .p95_after_us = 400000 },
                             .reverts = 2, .change = "slice_idle_us 8000 → 2000 µs", .until = 5 * NSEC_PER_SEC };
        int fd = open_one(r, NULL, 0);
        struct recording_item item;
        unsigned told = 0;

        memset(&outcomes, 0, sizeof(outcomes));
        str_copy(d.facts.model, sizeof(d.facts.model), "Disk 1");
        str_copy(o.key.model, sizeof(o.key.model), "Disk 2");
        outcomes_add(&outcomes, &o);
        str_copy(o.key.model, sizeof(o.key.model), "Disk 1");
        outcomes_add(&outcomes, &o);
        recorders_tell_drive(r, &d, &outcomes, 2 * NSEC_PER_SEC);
        d.facts.values[TUNABLE_BFQ_SLICE_IDLE_US].number = 3000; /* its settings are told again, and that is all */
        recorders_tell_drive(r, &d, &outcomes, 2 * NSEC_PER_SEC);
        begin(&fd);
        while (recording_read(&reader, &item) > 0) {
                struct device_facts facts;
                if (item.kind == RECORDING_DRIVE && recording_parse_drive(item.text, &facts) == 0)
                        controller_set_device(c, &facts, NULL);
                if (item.kind != RECORDING_OUTCOME)
                        continue;
                told++;
                CHECK_INT(item.t, 2 * NSEC_PER_SEC);
                CHECK_INT(recording_take_outcome(c, item.text, 102 * NSEC_PER_SEC), 0); /* a replay's clock */
        }
        CHECK_INT(told, 1);
        memset(o.key.model, 0, sizeof(o.key.model));
        str_copy(o.key.model, sizeof(o.key.model), d.facts.name); /* models are not in a recording */
        o.until = 105 * NSEC_PER_SEC;
        CHECK(memcmp(outcomes_find(&c->outcomes, &o.key, 103 * NSEC_PER_SEC), &o, sizeof(o)) == 0);
        CHECK_INT(recording_take_outcome(c, "device=8:0\nlaw=idle-limit\n", 1), -EBADMSG);
        safe_close(fd);
        controller_free(c);
        recorders_free(r);
}

TEST(what_is_known_already_goes_to_a_new_recording_alone) {
        struct recorders *r = recorders_new();
        struct event e = request(SDA, 1100);
        struct recording_item item;
        int old = open_one(r, NULL, 0), new;

        recorders_tick(r, 1050, HOLD_NONE);
        new = open_one(r, NULL, 0);
        recorders_feed_new(r, &e);
        recorders_tick(r, 1200, HOLD_NONE);
        recorders_feed_new(r, &e); /* no process is new any more */
        recorders_tick(r, 1300, HOLD_NONE);
        begin(&old);
        while (recording_read(&reader, &item) > 0)
                ;
        CHECK_INT(reader.counters.events, 0);
        begin(&new);
        while (recording_read(&reader, &item) > 0)
                ;
        CHECK_INT(reader.counters.events, 1);
        safe_close(old);
        safe_close(new);
        recorders_free(r);
}

TEST(a_drive_comes_back_from_its_text_as_if_brio_had_set_nothing) {
        struct controller_device d = drive();
        struct device_facts facts;
        char text[RECORDING_TEXT_MAX];

        d.tunables[TUNABLE_BFQ_SLICE_IDLE_US] = (struct controller_tunable){ .owner = OWNER_BRIO, .original_known = true, .original = 8000 };
        recording_format_drive(recording_drive_facts(&d, &facts), text, sizeof(text));
        CHECK_INT(recording_parse_drive(text, &facts), 0);
        CHECK_STR(facts.name, "sda");
        CHECK_INT(facts.dev, SDA);
        CHECK_INT(facts.class, DEVICE_CLASS_HDD);
        CHECK(facts.rotational);
        CHECK_INT(facts.queue_depth, 32);
        CHECK_INT(facts.scheduler, SCHEDULER_BFQ);
        CHECK_INT(facts.schedulers, 1u << SCHEDULER_BFQ | 1u << SCHEDULER_NONE);
        CHECK_INT(facts.values[TUNABLE_BFQ_SLICE_IDLE_US].number, 8000);
        CHECK(!facts.values[TUNABLE_BFQ_TIMEOUT_SYNC].present);
}

TEST(a_scheduler_that_brio_chose_is_not_what_was_there) {
        struct controller_device d = drive();
        struct device_facts facts;

        d.tunables[TUNABLE_QUEUE_SCHEDULER] = (struct controller_tunable){ .owner = OWNER_BRIO, .original_known = true, .original = SCHEDULER_NONE };
        recording_drive_facts(&d, &facts);
        CHECK_INT(facts.scheduler, SCHEDULER_NONE);
        CHECK(!facts.values[TUNABLE_BFQ_SLICE_IDLE_US].present);
}

TEST(text_that_is_no_drive_is_refused_and_senseless_values_are_passed_over) {
        struct device_facts facts;

        CHECK_INT(recording_parse_drive("", &facts), -EBADMSG);
        CHECK_INT(recording_parse_drive("name=sda\n", &facts), -EBADMSG);
        CHECK_INT(recording_parse_drive("name=\ndevice=8:0\n", &facts), -EBADMSG);
        CHECK_INT(recording_parse_drive("name=sda\ndevice=8\n", &facts), -EBADMSG);
        CHECK_INT(recording_parse_drive("name=sda\ndevice=0:0\n", &facts), -EBADMSG);
        CHECK_INT(recording_parse_drive("name=sda\ndevice=4096:0\n", &facts), -EBADMSG);
        CHECK_INT(recording_parse_drive("name=sda\ndevice=8:1048576\n", &facts), -EBADMSG);
        CHECK_INT(recording_parse_drive("name=sda\ndevice=8:0\nclass=boat\nscheduler=bfq\nqueue/iosched/slice_idle_us=9223372036854775807\n"
                                        "queue/iosched/timeout_sync=x\n", &facts), 0);
        CHECK_INT(facts.class, DEVICE_CLASS_SKIP);
        CHECK(!facts.values[TUNABLE_BFQ_SLICE_IDLE_US].present && !facts.values[TUNABLE_BFQ_TIMEOUT_SYNC].present);
}
