/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>

#include "detect.h"
#include "detector.h"
#include "fdio.h"
#include "test.h"
#include "told.h"

#define SEC NSEC_PER_SEC

static struct snapshot snapshot;
static struct verdict verdicts[DETECTORS_VERDICTS_MAX];

static struct device_view *one_drive(uint32_t readers, uint32_t small_readers) {
        snapshot = (struct snapshot){ .now = 100 * SEC, .n_devices = 1 };
        snapshot.devices[0] = (struct device_view){ .dev = 1, .readers = readers, .small_readers = small_readers, .recent = { .reads = 1000, .read_size_bytes = 4096 } };
        return &snapshot.devices[0];
}

static const struct verdict *find(size_t n, enum verdict_kind kind) {
        for (size_t i = 0; i < n; i++)
                if (verdicts[i].kind == kind)
                        return &verdicts[i];
        return NULL;
}

TEST(an_idle_drive_has_no_verdicts) {
        struct detectors d = { 0 };

        one_drive(0, 0);
        CHECK_INT(detectors_run(&d, &snapshot, verdicts), 0);
}

TEST(many_small_readers_are_seen_at_once) {
        struct detectors d = { 0 };
        const struct verdict *v;
        size_t n;

        one_drive(150, 150);
        n = detectors_run(&d, &snapshot, verdicts);
        v = find(n, VERDICT_MANY_SYNC);
        CHECK(v);
        CHECK_INT(verdict_evidence(v, "readers", 0), 150);
        CHECK_INT(verdict_evidence(v, "read-size", 0), 4096);
        CHECK_INT(v->since, 100 * SEC);
        CHECK_INT(v->confidence, 1000);
        CHECK(strstr(told(v->sentence), "150 processes"));
}

static void add_thinkers(int n, uint32_t think_time_us) {
        for (int i = 0; i < n; i++)
                snapshot.processes[snapshot.n_processes++] = (struct process_view){ .tgid = 100 + (int) snapshot.n_processes, .dev = 1,
                        .requests = { .told = true, .begun = true, .think_time_us = think_time_us } };
}

TEST(of_many_readers_it_says_for_how_many_bfq_waits_in_vain) {
        struct detectors d = { 0 };

        one_drive(20, 20);
        add_thinkers(7, 12000);
        CHECK_INT(verdict_evidence(find(detectors_run(&d, &snapshot, verdicts), VERDICT_MANY_SYNC), "in-vain", -1), -1); /* of too few */
        add_thinkers(2, 12000);
        add_thinkers(1, 8000);
        snapshot.processes[0].requests.seeky_so_far = true;
        snapshot.processes[0].requests.think_time_us = 0;
        add_thinkers(5, 30); /* of which too few requests are known */
        for (size_t i = snapshot.n_processes - 5; i < snapshot.n_processes; i++)
                snapshot.processes[i].requests.begun = false;
        CHECK_INT(verdict_evidence(find(detectors_run(&d, &snapshot, verdicts), VERDICT_MANY_SYNC), "in-vain", -1), 900);
}

TEST(processes_that_share_a_drive_are_told_apart_by_how_much_each_reads) {
        struct detectors d = { 0 };
        struct device_view *v = one_drive(8, 2);

        CHECK_INT(verdict_evidence(find(detectors_run(&d, &snapshot, verdicts), VERDICT_SHARED), "small-readers", -1), 250);
        v->readers = v->small_readers = 0; /* it ends */
        v->readers_smoothed = 8;
        CHECK_INT(verdict_evidence(find(detectors_run(&d, &snapshot, verdicts), VERDICT_SHARED), "small-readers", -1), 1000);
}

TEST(a_crowd_of_streams_is_not_many_sync) {
        struct detectors d = { 0 };

        one_drive(40, 10);
        CHECK(!find(detectors_run(&d, &snapshot, verdicts), VERDICT_MANY_SYNC));
}

TEST(where_nothing_is_read_no_process_is_many_sync) {
        struct detectors d = { 0 };
        struct device_view *v = one_drive(40, 40);
        const struct verdict *found;

        v->recent.reads = 0;
        v->recent.read_size_bytes = 0;
        CHECK(!find(detectors_run(&d, &snapshot, verdicts), VERDICT_MANY_SYNC));
        v->recent.reads = 100;
        CHECK(find(detectors_run(&d, &snapshot, verdicts), VERDICT_MANY_SYNC));
        v->recent.reads = 0; /* all wait: that ends nothing, but of no read can a size be told */
        found = find(detectors_run(&d, &snapshot, verdicts), VERDICT_MANY_SYNC);
        CHECK(found);
        CHECK_STR(told(found->sentence), "40 processes read a little each at the same time");
}

TEST(a_verdict_stands_until_half_its_limit) {
        struct detectors d = { 0 };
        struct device_view *v = one_drive(16, 16);

        CHECK(find(detectors_run(&d, &snapshot, verdicts), VERDICT_MANY_SYNC));
        v->readers = v->small_readers = 8;
        snapshot.now += SEC;
        CHECK(find(detectors_run(&d, &snapshot, verdicts), VERDICT_MANY_SYNC));
        CHECK_INT(verdicts[0].since, 100 * SEC);
        v->readers = v->small_readers = 7;
        CHECK(!find(detectors_run(&d, &snapshot, verdicts), VERDICT_MANY_SYNC));
        v->readers = v->small_readers = 8;
        CHECK(!find(detectors_run(&d, &snapshot, verdicts), VERDICT_MANY_SYNC));
}

TEST(a_short_pause_does_not_end_a_crowd) {
        struct detectors d = { 0 };
        struct device_view *v = one_drive(0, 0);

        v->readers_smoothed = 120;
        CHECK_INT(verdict_evidence(find(detectors_run(&d, &snapshot, verdicts), VERDICT_MANY_SYNC), "readers", 0), 120);
}

TEST(three_processes_fit_and_a_fourth_does_not) {
        struct detectors d = { 0 };

        one_drive(3, 0);
        CHECK(!find(detectors_run(&d, &snapshot, verdicts), VERDICT_SHARED));
        one_drive(4, 0);
        CHECK(find(detectors_run(&d, &snapshot, verdicts), VERDICT_SHARED));
}

TEST(inference_and_loss_lower_the_confidence) {
        struct detectors d = { 0 };
        struct device_view *v = one_drive(20, 20);

        v->inferred_readers = 1;
        CHECK(detectors_run(&d, &snapshot, verdicts) > 0);
        CHECK_INT(verdicts[0].confidence, 700);
        snapshot.last_loss = 95 * SEC;
        CHECK(detectors_run(&d, &snapshot, verdicts) > 0);
        CHECK_INT(verdicts[0].confidence, 350);
        snapshot.last_loss = 89 * SEC;
        CHECK(detectors_run(&d, &snapshot, verdicts) > 0);
        CHECK_INT(verdicts[0].confidence, 700);
}

TEST(memory_of_drives_that_went_is_free_for_others) {
        struct detectors d = { 0 };

        for (uint32_t round = 1; round <= 3 * SNAPSHOT_DEVICES_MAX; round++) {
                one_drive(20, 20)->dev = round;
                CHECK(detectors_run(&d, &snapshot, verdicts) == 2);
                CHECK_INT(verdicts[0].dev, round);
        }
}

/* As detectors_run() does, with a detector that finds as many processes as it is told. */
static size_t find_subjects(struct detectors *d, int32_t first, int32_t n) {
        struct detection detection = { .snapshot = &snapshot, .view = &snapshot.devices[0], .detectors = d, .verdicts = verdicts };

        d->tick++;
        for (int32_t tgid = first; tgid < first + n; tgid++)
                detection_add(&detection, &(struct subject){ .tgid = tgid, .start_ticks = 7 });
        detection_add(&detection, NULL);
        return detection.n;
}

TEST(verdicts_about_processes_leave_room_for_the_drive) {
        struct detectors d = { 0 };

        one_drive(0, 0);
        CHECK_INT(find_subjects(&d, 1, DETECTORS_SUBJECTS_MAX + 10), DETECTORS_SUBJECTS_MAX + 1);
        CHECK_INT(d.refused, 10);
        CHECK_INT(verdicts[DETECTORS_SUBJECTS_MAX].subject.tgid, 0);
        CHECK_INT(find_subjects(&d, 1000, DETECTORS_SUBJECTS_MAX), DETECTORS_SUBJECTS_MAX + 1); /* others, in the very next tick */
}

TEST(a_verdict_about_a_process_stands_for_it_alone) {
        struct detectors d = { 0 };

        one_drive(0, 0);
        find_subjects(&d, 1, 2);
        snapshot.now += SEC;
        find_subjects(&d, 2, 2);
        CHECK_INT(verdicts[0].subject.tgid, 2);
        CHECK_INT(verdicts[0].since, 100 * SEC);
        CHECK_INT(verdicts[1].subject.tgid, 3);
        CHECK_INT(verdicts[1].since, 101 * SEC);
        CHECK_INT(verdicts[2].since, 100 * SEC);
}

static int read_documentation(char *ret, size_t size) {
        const char *source = getenv("BRIO_SOURCE_DIR");
        char path[4096];

        snprintf(path, sizeof(path), "%s/docs/detectors.md", source ? source : ".");
        return (int) fdio_read_at(AT_FDCWD, path, ret, size);
}

static bool is_kind(const char *name, size_t length) {
        for (int k = 0; k < _VERDICT_KIND_MAX; k++) {
                const char *kind = verdict_kind_to_string((enum verdict_kind) k);
                if (strlen(kind) == length && strncmp(kind, name, length) == 0)
                        return true;
        }
        return false;
}

TEST(every_verdict_is_documented) {
        static char text[65536];
        char heading[64];

        CHECK(read_documentation(text, sizeof(text)) > 0);
        for (int k = 0; k < _VERDICT_KIND_MAX; k++) {
                snprintf(heading, sizeof(heading), "\n## %s\n", verdict_kind_to_string((enum verdict_kind) k));
                CHECK(strstr(text, heading));
        }
}

TEST(every_section_of_the_documentation_is_about_a_verdict_that_there_is) {
        static char text[65536];
        unsigned sections = 0;

        CHECK(read_documentation(text, sizeof(text)) > 0);
        for (const char *p = strstr(text, "\n## "); p; p = strstr(p + 1, "\n## ")) {
                const char *name = p + strlen("\n## ");
                CHECK(is_kind(name, strcspn(name, "\n")));
                sections++;
        }
        CHECK_INT(sections, _VERDICT_KIND_MAX);
}

TEST(verdicts_about_processes_come_the_gravest_first_and_only_workloads_are_the_drives) {
        struct detectors d = { 0 };

        one_drive(0, 0)->moved[REQUEST_READ].bytes = 1u << 30;
        snapshot.n_processes = 2;
        for (int32_t i = 0; i < 2; i++)
                snapshot.processes[i] = (struct process_view){ .tgid = i + 1, .start_ticks = 7, .dev = 1, .moved = { { (1u + (unsigned) i) << 28, 8 } } };
        CHECK_INT(detectors_run(&d, &snapshot, verdicts), 2);
        CHECK_INT(verdicts[0].subject.tgid, 2);
        CHECK(verdicts[0].severity > verdicts[1].severity);
        CHECK(verdict_is_workload(VERDICT_BULK) && verdict_is_workload(VERDICT_MANY_SYNC) && verdict_is_workload(VERDICT_SHARED));
        CHECK(!verdict_is_workload(VERDICT_HOLES));
}
