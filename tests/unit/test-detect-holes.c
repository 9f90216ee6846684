/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "detection.h"
#include "injection.h"
#include "test.h"
#include "told.h"

/* The drive is watched for ten seconds, and idles so much; all of it for one process, but a tenth. */
static struct process_view *idle(uint32_t permille) {
        struct device_view *v = begin_drive();
        struct process_view *p;

        v->requests.since = 90 * SEC;
        v->requests.hole_permille = permille;
        v->requests.filled_permille = 800;
        add_process(11, "cp")->requests.told = true;
        snapshot.processes[0].requests.hole_permille = permille / 10;
        p = add_process(10, "fio");
        p->requests.told = true;
        p->requests.hole_permille = permille - permille / 10;
        return p;
}

TEST(a_drive_that_idles_while_others_wait_says_for_which_process_and_how_much) {
        const struct verdict *v;

        idle(300);
        v = find_about(VERDICT_HOLES, 0);
        CHECK(v);
        CHECK_STR(told(v->sentence), "30 % of the time the drive idles while requests wait for it, 90 % of that for fio");
        CHECK_INT(v->severity, 600);
        CHECK_INT(v->culprit.tgid, 10);
        CHECK_INT(v->culprit_permille, 900);
        CHECK_INT(verdict_evidence(v, "filled", 0), 800);
        CHECK_INT(verdict_evidence(v, "injection-cost", -1), -1); /* not measured */
}

TEST(what_serving_others_would_cost_is_told_where_it_was_measured) {
        struct process_view *p = idle(300);
        const struct verdict *v;

        p->requests.injection_permille = 1200;
        p->requests.injection_limit = 3;
        v = find_about(VERDICT_HOLES, 0);
        CHECK(strstr(told(v->sentence), "its reads take 1.20 times as long, which does not hurt"));
        CHECK_INT(verdict_evidence(v, "injection-limit", 0), 3);
        p->requests.injection_permille = INJECTION_SLOW_PERMILLE;
        CHECK(strstr(told(find_about(VERDICT_HOLES, 0)->sentence), "its reads take 1.50 times as long, so that it is worth the wait"));
}

TEST(a_scheduler_that_waits_for_no_process_makes_no_holes) {
        idle(300);
        snapshot.devices[0].settings = (struct drive_settings){ .known = true, .scheduler = "mq-deadline" };
        CHECK(!find_about(VERDICT_HOLES, 0));
        snapshot.devices[0].settings.idles = true;
        CHECK(find_about(VERDICT_HOLES, 0));
}

TEST(holes_end_at_half_their_limit) {
        idle(100);
        CHECK(find_about(VERDICT_HOLES, 0));
        snapshot.devices[0].requests.hole_permille = 50;
        CHECK(find_about(VERDICT_HOLES, 0));
        snapshot.devices[0].requests.hole_permille = 49;
        CHECK(!find_about(VERDICT_HOLES, 0));
        snapshot.devices[0].requests.hole_permille = 99;
        CHECK(!find_about(VERDICT_HOLES, 0));
}

TEST(holes_that_a_shorter_wait_fills_do_not_end_while_it_is_shorter) {
        idle(300);
        snapshot.devices[0].settings = (struct drive_settings){ .known = true, .idles = true, .wait_us = 0 };
        CHECK(find_about(VERDICT_HOLES, 0));
        snapshot.devices[0].requests.hole_permille = 0;
        snapshot.devices[0].requests.injected = 40;
        CHECK(find_about(VERDICT_HOLES, 0));
        CHECK(strstr(told(find_about(VERDICT_HOLES, 0)->sentence), "now that it waits for 0 µs, and 40 were served in pauses"));
        snapshot.devices[0].settings.wait_us = 8000; /* given back */
        CHECK(!find_about(VERDICT_HOLES, 0));
        snapshot.devices[0].settings.wait_us = 0; /* nor does it begin so */
        CHECK(!find_about(VERDICT_HOLES, 0));
        snapshot.devices[0].requests.hole_permille = 300;
        CHECK(find_about(VERDICT_HOLES, 0));
        snapshot.devices[0].requests.hole_permille = snapshot.devices[0].requests.injected = 0; /* the load has ended */
        CHECK(!find_about(VERDICT_HOLES, 0));
}

TEST(what_is_watched_for_a_moment_only_says_nothing) {
        idle(900);
        snapshot.devices[0].requests.since = 99 * SEC;
        CHECK(!find_about(VERDICT_HOLES, 0));
        snapshot.devices[0].requests.since = 0; /* nor does what is not watched */
        CHECK(!find_about(VERDICT_HOLES, 0));
}

TEST(holes_for_no_process_that_is_known_name_none) {
        const struct verdict *v;

        idle(300);
        snapshot.n_processes = 0;
        v = find_about(VERDICT_HOLES, 0);
        CHECK_INT(v->culprit.tgid, 0);
        CHECK_STR(told(v->sentence), "30 % of the time the drive idles while requests wait for it");
}
