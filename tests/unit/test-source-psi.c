/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>

#include "source-psi.h"
#include "test.h"

DEFINE_TRIVIAL_CLEANUP_FUNC(struct source_psi *, source_psi_free)

static void count(void *userdata) {
        (*(unsigned *) userdata)++;
}

TEST(a_recorded_machine_has_no_trigger_and_says_so) {
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        _cleanup_(source_psi_freep) struct source_psi *s = NULL;
        struct source_info info;
        unsigned calls = 0;

        CHECK(sd_event_new(&event) >= 0);
        CHECK_INT(source_psi_new(test_tmpdir(), event, count, &calls, &s), 0);
        source_psi_ops.probe(s, &info);
        CHECK_INT(info.state, SOURCE_UNAVAILABLE);
        CHECK(strstr(info.detail, "recorded"));
}

TEST(live_it_works_exactly_where_the_kernel_has_pressure) {
        _cleanup_(sd_event_unrefp) sd_event *event = NULL;
        _cleanup_(source_psi_freep) struct source_psi *s = NULL;
        struct source_info info;
        unsigned calls = 0;
        char text[256];
        _cleanup_close_ int fd = open("/proc/pressure/io", O_RDWR | O_CLOEXEC);
        bool has = fd >= 0 && read(fd, text, sizeof(text)) > 0;
        int error = fd < 0 ? errno : has ? 0 : EOPNOTSUPP;

        CHECK(sd_event_new(&event) >= 0);
        CHECK_INT(source_psi_new("", event, count, &calls, &s), 0);
        source_psi_ops.probe(s, &info);
        printf("# %s: %s\n", source_state_to_string(info.state), info.detail);
        if (has)
                CHECK(info.state == SOURCE_WORKS || info.state == SOURCE_REDUCED || strstr(info.detail, "CAP_SYS_RESOURCE"));
        else
                CHECK_INT(info.state, SOURCE_UNAVAILABLE);
        if (error == EOPNOTSUPP || error == ENOENT)
                CHECK(strstr(info.detail, "psi=1"));
        /* Nothing is ready for ever: an error on the descriptor would spin the loop. */
        for (unsigned i = 0; i < 10; i++)
                CHECK(sd_event_run(event, 1000) >= 0);
        CHECK(calls <= 1);
}
