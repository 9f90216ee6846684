/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <unistd.h>

#include "process-sweep.h"
#include "test.h"

struct rig {
        sd_event *event;
        struct process_reader *reader;
        struct process_sweep *sweep;
        int32_t asked[2];
        int32_t ended; /* what follow tells to have ended; 0: nothing */
        bool anew;     /* follow begins a sweep of the second alone, once */
        unsigned n_followed, n_counted, n_done;
        int32_t counted;
};

static void follow(void *userdata) {
        struct rig *rig = userdata;
        bool anew = rig->anew;

        rig->anew = false;
        rig->n_followed++;
        if (rig->ended)
                process_sweep_leave_out(rig->sweep, rig->ended);
        if (anew)
                CHECK_INT(process_sweep_some(rig->sweep, &rig->asked[1], 1), 1);
}

static void counted(void *userdata, const struct proc_counters *c) {
        struct rig *rig = userdata;

        rig->n_counted++;
        rig->counted = c->tgid;
}

static void done(void *userdata, int error) {
        struct rig *rig = userdata;

        CHECK_INT(error, 0);
        rig->n_done++;
}

/* Asks for this process and its parent. */
static void sweep(struct rig *rig) {
        static const struct process_sweep_calls calls = { follow, counted, done };

        rig->asked[0] = getpid();
        rig->asked[1] = getppid();
        if (sd_event_new(&rig->event) < 0 || process_reader_new(rig->event, &rig->reader) < 0 ||
            process_sweep_new(rig->reader, &calls, rig, &rig->sweep) < 0)
                abort();
        CHECK_INT(process_sweep_some(rig->sweep, rig->asked, 2), 1);
        while (rig->n_done == 0)
                CHECK(sd_event_run(rig->event, UINT64_MAX) >= 0);
        process_sweep_free(rig->sweep);
        process_reader_free(rig->reader);
        sd_event_unref(rig->event);
}

TEST(each_process_that_is_asked_for_is_counted_once) {
        struct rig rig = { 0 };

        sweep(&rig);
        CHECK_INT(rig.n_counted, 2);
        CHECK_INT(rig.n_done, 1);
}

TEST(what_has_ended_by_then_is_told_before_what_was_counted) {
        struct rig rig = { .ended = getpid() };

        sweep(&rig);
        CHECK_INT(rig.n_counted, 1);
        CHECK_INT(rig.counted, getppid());
}

TEST(a_sweep_that_is_begun_anew_meanwhile_tells_nothing_of_the_one_before) {
        struct rig rig = { .anew = true };

        sweep(&rig);
        CHECK_INT(rig.n_followed, 2); /* once for what the one before had read, and once for its own */
        CHECK_INT(rig.n_counted, 1);
        CHECK_INT(rig.counted, getppid());
        CHECK_INT(rig.n_done, 1);
}
