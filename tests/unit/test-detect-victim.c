/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "detection.h"
#include "test.h"
#include "told.h"

static struct wait_view *wait_for(const char *culprit, uint32_t permille) {
        struct device_view *v = begin_drive();
        struct wait_view *w = &v->requests.waits[v->requests.n_waits++];
        struct process_view *p = add_process(10, "firefox");

        v->requests.since = 90 * SEC;
        p->requests.told = true;
        p->requests.latencies.wait[REQUEST_READ] = (struct latency_view){ .requests = 30, .median_us = 90000, .p99_us = 180000 };
        *w = (struct wait_view){ .subject = { .tgid = 10, .start_ticks = 7, .name = "firefox" }, .since = 95 * SEC, .served_us = 1500000,
                                 .wait_permille = 620, .own_permille = 40 };
        if (culprit) {
                w->culprit = (struct subject){ .tgid = 20, .start_ticks = 7 };
                snprintf(w->culprit.name, sizeof(w->culprit.name), "%s", culprit);
                w->culprit_permille = permille;
        }
        return w;
}

TEST(a_wait_says_how_long_it_takes_and_because_of_which_process) {
        const struct verdict *v;

        wait_for("cp", 830);
        v = find_about(VERDICT_VICTIM, 10);
        CHECK(v);
        CHECK_STR(told(v->sentence), "firefox waits 62 % of the time for its reads, up to 180 ms each; meanwhile 83 % of the drive's time went to cp and 4 % to firefox");
        CHECK_INT(v->culprit.tgid, 20);
        CHECK_INT(v->culprit_permille, 830);
        CHECK_INT(v->severity, 620 * 960 / 1000);
        CHECK_INT(v->confidence, 1000);
        CHECK_INT(verdict_evidence(v, "read-latency-p99", 0), 180000);
}

TEST(a_process_that_is_served_as_much_as_the_other_is_no_victim) {
        struct wait_view *w = wait_for("cp", 500);

        w->own_permille = 500;
        CHECK(!find_about(VERDICT_VICTIM, 10));
        w->own_permille = 200; /* of several in the same boat, each has about that */
        w->culprit_permille = 230;
        CHECK(!find_about(VERDICT_VICTIM, 10));
}

TEST(of_readers_in_turns_none_is_the_victim_of_another) {
        wait_for("cp", 830);
        snapshot.processes[0].moved[REQUEST_READ].bytes = 24 << 20;
        add_process(20, "cp")->moved[REQUEST_READ].bytes = 90 << 20;
        CHECK(!find_about(VERDICT_VICTIM, 10));
        snapshot.processes[1].moved[REQUEST_READ].bytes = 96 << 20;
        CHECK(find_about(VERDICT_VICTIM, 10));
}

TEST(in_a_crowd_there_is_no_culprit_and_no_victim) {
        wait_for("fio", 59)->own_permille = 6;
        CHECK(!find_about(VERDICT_VICTIM, 10));
}

TEST(one_of_ten_readers_is_culprit_enough) {
        wait_for("cp", 98)->own_permille = 20;
        CHECK_INT(find_about(VERDICT_VICTIM, 10)->culprit_permille, 98);
}

TEST(a_short_or_rare_wait_is_none) {
        struct wait_view *w = wait_for("cp", 830);

        w->wait_permille = 299;
        CHECK(!find_about(VERDICT_VICTIM, 10));
        w->wait_permille = 620;
        w->since = snapshot.now - SEC;
        CHECK(!find_about(VERDICT_VICTIM, 10));
        w->since = 95 * SEC;
        w->served_us = 50000;
        CHECK(!find_about(VERDICT_VICTIM, 10));
}

TEST(a_process_that_waits_all_the_time_is_followed_for_longer_since_readers_take_turns) {
        struct wait_view *w = wait_for("cp", 830);

        w->wait_permille = 950;
        w->since = snapshot.now - 3 * SEC;
        CHECK(!find_about(VERDICT_VICTIM, 10));
        w->since = snapshot.now - 4 * SEC;
        CHECK(find_about(VERDICT_VICTIM, 10));
}

TEST(a_victim_stays_one_until_it_waits_half_as_much) {
        struct wait_view *w = wait_for("cp", 830);

        CHECK(find_about(VERDICT_VICTIM, 10));
        w->wait_permille = 150;
        w->own_permille = 400;
        CHECK(find_about(VERDICT_VICTIM, 10));
        w->wait_permille = 149;
        CHECK(!find_about(VERDICT_VICTIM, 10));
        w->wait_permille = 250;
        CHECK(!find_about(VERDICT_VICTIM, 10));
}

TEST(behind_what_the_kernel_writes_back_stands_the_process_that_wrote_it) {
        struct wait_view *w = wait_for(NULL, 0);
        const struct verdict *v;

        w->kernel_permille = 900;
        add_process(30, "dd")->write_bytes_per_s = 80000000;
        add_process(31, "syslogd")->write_bytes_per_s = 1000;
        v = find_about(VERDICT_VICTIM, 10);
        CHECK(v);
        CHECK_INT(v->culprit.tgid, 30);
        CHECK(strstr(told(v->sentence), "90 % of the drive's time went to what the kernel reads and writes, mostly for dd and 4 % to firefox"));
        snapshot.processes[0].write_bytes_per_s = 90000000; /* its own */
        CHECK(!find_about(VERDICT_VICTIM, 10));
}

TEST(a_culprit_that_has_ended_has_no_name) {
        const struct verdict *v;

        wait_for("", 830);
        v = find_about(VERDICT_VICTIM, 10);
        CHECK(strstr(told(v->sentence), "went to a process that has ended"));
        CHECK_INT(v->culprit.tgid, 0);
}

static struct process_view *guess_one(void) {
        struct process_view *p;

        begin_drive();
        p = add_process(20, "cp");
        p->read_bytes_per_s = 90000000;
        p = add_process(10, "firefox");
        p->wait_known = true;
        p->wait_permille = 700;
        p->read_bytes_per_s = 2000000;
        p->flags = EVENT_INFERRED;
        return p;
}

TEST(without_single_requests_it_is_a_guess_and_says_so) {
        const struct verdict *v;

        guess_one();
        v = find_about(VERDICT_VICTIM, 10);
        CHECK(v);
        CHECK_STR(told(v->sentence), "firefox waits 70 % of the time; meanwhile 98 % of what is moved is for cp");
        CHECK_INT(v->confidence, 350);
        CHECK_INT(v->culprit.tgid, 20);
}

TEST(a_guess_leaves_out_writers_and_processes_that_move_much_themselves) {
        struct process_view *p = guess_one();

        p->write_bytes_per_s = 3000000;
        CHECK(!find_about(VERDICT_VICTIM, 10));
        p->write_bytes_per_s = 0;
        p->read_bytes_per_s = 20000000;
        CHECK(!find_about(VERDICT_VICTIM, 10));
        p->read_bytes_per_s = 2000000;
        p->wait_permille = 499;
        CHECK(!find_about(VERDICT_VICTIM, 10));
        p->wait_permille = 500;
        p->wait_known = false;
        CHECK(!find_about(VERDICT_VICTIM, 10));
}

TEST(once_requests_are_told_nothing_is_guessed) {
        guess_one();
        snapshot.devices[0].requests.since = snapshot.now - SEC;
        CHECK(find_about(VERDICT_VICTIM, 10)); /* not for long enough yet */
        snapshot.devices[0].requests.since = 90 * SEC;
        CHECK(!find_about(VERDICT_VICTIM, 10));
        snapshot.devices[0].requests.anonymous_permille = 900; /* whose they are is not known */
        CHECK(find_about(VERDICT_VICTIM, 10));
}

TEST(what_is_told_in_sums_alone_leaves_it_a_guess) {
        guess_one();
        snapshot.devices[0].requests.since = 90 * SEC;
        snapshot.devices[0].requests.summed = true;
        CHECK(find_about(VERDICT_VICTIM, 10));
}
