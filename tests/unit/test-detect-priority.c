/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "controller.h"
#include "detection.h"
#include "test.h"
#include "tick.h"
#include "told.h"

#define DRIVE DEV_NUMBER(8, 0)

DEFINE_TRIVIAL_CLEANUP_FUNC(struct model *, model_free)
DEFINE_TRIVIAL_CLEANUP_FUNC(struct controller *, controller_free)

/* As mq-deadline: classes, no levels, no weights. */
static struct process_view *one(uint8_t class, uint8_t level) {
        struct device_view *v = begin_drive();
        struct process_view *p = add_process(10, "cp");

        v->settings = (struct drive_settings){ .known = true, .scheduler = "mq-deadline", .honours_class = true };
        p->io_class = class;
        p->io_level = level;
        return p;
}

TEST(a_class_that_the_scheduler_ignores_is_told) {
        const struct verdict *v;

        one(IO_CLASS_IDLE, 0);
        snapshot.devices[0].settings.honours_class = false;
        snapshot.devices[0].settings.scheduler = "kyber";
        v = find_about(VERDICT_INEFFECTIVE_PRIORITY, 10);
        CHECK(v);
        CHECK_STR(told(v->sentence), "cp has I/O priority idle, of which kyber takes no notice; bfq does");
        CHECK_INT(verdict_evidence(v, "io-class", 0), IO_CLASS_IDLE);
        CHECK_INT(v->severity, 100);
        snapshot.devices[0].utilisation_permille = 900;
        CHECK_INT(find_about(VERDICT_INEFFECTIVE_PRIORITY, 10)->severity, 300);
}

TEST(a_scheduler_that_goes_by_class_ignores_the_level_within_best_effort_alone) {
        one(IO_CLASS_IDLE, 0);
        CHECK(!find_about(VERDICT_INEFFECTIVE_PRIORITY, 10));
        one(IO_CLASS_REALTIME, 0);
        CHECK(!find_about(VERDICT_INEFFECTIVE_PRIORITY, 10));
        one(IO_CLASS_BEST_EFFORT, 7);
        CHECK_STR(told(find_about(VERDICT_INEFFECTIVE_PRIORITY, 10)->sentence), "cp has I/O priority best-effort 7, of which mq-deadline takes no notice; bfq does");
        snapshot.devices[0].settings.honours_level = true;
        CHECK(!find_about(VERDICT_INEFFECTIVE_PRIORITY, 10));
}

TEST(a_process_that_was_given_nothing_or_the_usual_is_not_told) {
        one(IO_CLASS_NONE, 0)->io_weight = IO_WEIGHT_USUAL;
        snapshot.devices[0].settings.honours_class = false;
        CHECK(!find_about(VERDICT_INEFFECTIVE_PRIORITY, 10));
        snapshot.processes[0].io_class = IO_CLASS_BEST_EFFORT;
        snapshot.processes[0].io_level = IO_LEVEL_USUAL;
        CHECK(!find_about(VERDICT_INEFFECTIVE_PRIORITY, 10));
}

TEST(a_weight_that_the_scheduler_ignores_is_told_beside_the_class) {
        one(IO_CLASS_NONE, 0)->io_weight = 50;
        CHECK_STR(told(find_about(VERDICT_INEFFECTIVE_PRIORITY, 10)->sentence), "cp has I/O weight 50, of which mq-deadline takes no notice; bfq does");
        one(IO_CLASS_BEST_EFFORT, 6)->io_weight = 50;
        CHECK_STR(told(find_about(VERDICT_INEFFECTIVE_PRIORITY, 10)->sentence),
                  "cp has I/O priority best-effort 6 and I/O weight 50, of which mq-deadline takes no notice; bfq does");
        snapshot.devices[0].settings.honours_weight = snapshot.devices[0].settings.honours_level = true;
        CHECK(!find_about(VERDICT_INEFFECTIVE_PRIORITY, 10));
}

TEST(it_ends_ten_seconds_after_the_last_use_of_the_drive) {
        struct process_view *p = one(IO_CLASS_BEST_EFFORT, 7);

        CHECK(find_about(VERDICT_INEFFECTIVE_PRIORITY, 10));
        snapshot.now += 10 * SEC;
        CHECK(find_about(VERDICT_INEFFECTIVE_PRIORITY, 10));
        snapshot.now += MSEC;
        CHECK(!find_about(VERDICT_INEFFECTIVE_PRIORITY, 10));
        p->last_io = snapshot.now - 6 * SEC;
        CHECK(!find_about(VERDICT_INEFFECTIVE_PRIORITY, 10));
}

static size_t count(enum verdict_kind kind) {
        size_t n = detectors_run(&detectors, &snapshot, verdicts), found = 0;

        for (size_t i = 0; i < n; i++)
                found += verdicts[i].kind == kind;
        return found;
}

TEST(sixteen_processes_of_a_drive_are_told_the_same_as_long_as_they_go_on_and_other_drives_have_room) {
        struct process_view *p;

        one(IO_CLASS_BEST_EFFORT, 7);
        for (int32_t tgid = 11; snapshot.n_processes < SNAPSHOT_PROCESSES_MAX; tgid++) {
                p = add_process(tgid, "cp");
                p->io_class = IO_CLASS_BEST_EFFORT;
                p->io_level = 7;
        }
        snapshot.devices[snapshot.n_devices++] = (struct device_view){ .dev = 2 };
        snapshot.streams[snapshot.n_streams++] = (struct stream_view){ .dev = 2, .tgid = 5000, .start_ticks = 7, .name = "mpv", .state = STREAM_IS };
        CHECK_INT(count(VERDICT_INEFFECTIVE_PRIORITY), 16);
        CHECK_INT(detectors.refused, SNAPSHOT_PROCESSES_MAX - 16);
        CHECK_INT(count(VERDICT_SOFT_RT), 1);
        p = &snapshot.processes[0];
        for (size_t i = 0; i < 100; i++) /* others use it more than the first sixteen now */
                p[i].tgid += 1000;
        for (size_t i = 0; i < 16; i++)
                p[200 + i].tgid = 10 + (int32_t) i;
        CHECK(find_about(VERDICT_INEFFECTIVE_PRIORITY, 25));
        CHECK_INT(count(VERDICT_INEFFECTIVE_PRIORITY), 16);
        CHECK(!find_about(VERDICT_INEFFECTIVE_PRIORITY, 1010));
}

TEST(of_a_scheduler_that_is_not_known_nothing_is_told) {
        one(IO_CLASS_IDLE, 0);
        snapshot.devices[0].settings = (struct drive_settings){ 0 };
        CHECK(!find_about(VERDICT_INEFFECTIVE_PRIORITY, 10));
}

static const struct drive_settings *settings_with(struct model *m, struct controller *c, enum scheduler scheduler, bool aging) {
        struct device_facts facts = { .dev = DRIVE, .name = "sda", .scheduler = scheduler, .rotational = true, .queue_depth = 32 };

        facts.values[TUNABLE_QUEUE_NR_REQUESTS].present = facts.values[TUNABLE_QUEUE_NR_REQUESTS].numeric = true;
        facts.values[TUNABLE_QUEUE_NR_REQUESTS].number = 64;
        facts.values[TUNABLE_MQ_DEADLINE_PRIO_AGING_EXPIRE].present = aging;
        controller_set_device(c, &facts, NULL);
        tick_observe(m, c, SEC, &snapshot);
        return &snapshot.devices[0].settings;
}

TEST(what_a_scheduler_honours_is_taken_from_the_drives_settings) {
        _cleanup_(model_freep) struct model *m = model_new();
        _cleanup_(controller_freep) struct controller *c = controller_new();
        struct event e = { .t = SEC, .kind = EVENT_DEVICE_STAT, .dev = DRIVE, .device_stat = { .span_us = 1000000 } };
        const struct drive_settings *s;

        model_feed(m, &e);
        s = settings_with(m, c, SCHEDULER_BFQ, false);
        CHECK(s->known && s->honours_class && s->honours_level && s->honours_weight && s->rotational);
        CHECK_INT(s->nr_requests, 64);
        CHECK_INT(s->queue_depth, 32);
        CHECK_INT(s->wbt_us, 0);
        s = settings_with(m, c, SCHEDULER_MQ_DEADLINE, true);
        CHECK(s->honours_class && !s->honours_level && !s->honours_weight);
        s = settings_with(m, c, SCHEDULER_MQ_DEADLINE, false); /* before 5.16 */
        CHECK(!s->honours_class);
        s = settings_with(m, c, SCHEDULER_NONE, false);
        CHECK(s->known && !s->honours_class);
        s = settings_with(m, c, SCHEDULER_OTHER, false);
        CHECK(!s->known);
}

TEST(a_priority_is_kept_for_the_process_that_it_was_given_to) {
        _cleanup_(model_freep) struct model *m = model_new();
        struct event e = { .t = SEC, .kind = EVENT_PROCESS_IO, .dev = DRIVE, .tgid = 10, .process_io = { .start_ticks = 7, .span_us = 1, .read_bytes = 4096 } };

        model_feed(m, &e);
        e = (struct event){ .t = SEC, .kind = EVENT_PROCESS_PRIORITY, .tgid = 10 };
        e.process_priority = (struct event_process_priority){ .start_ticks = 7, .io_class = IO_CLASS_IDLE, .weight = 50 };
        model_feed(m, &e);
        model_snapshot(m, SEC, &snapshot);
        CHECK_INT(snapshot.processes[0].io_class, IO_CLASS_IDLE);
        CHECK_INT(snapshot.processes[0].io_weight, 50);
        e = (struct event){ .t = SEC, .kind = EVENT_PROCESS_IO, .dev = DRIVE, .tgid = 10, .process_io = { .start_ticks = 8, .span_us = 1, .read_bytes = 4096 } };
        model_feed(m, &e); /* another one, of the same number */
        model_snapshot(m, SEC, &snapshot);
        CHECK_INT(snapshot.processes[0].io_class, IO_CLASS_NONE);
}
