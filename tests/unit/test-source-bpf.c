/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "source-bpf.h"
#include "test.h"

static void hear(void *userdata, const struct event *e _unused_) {
        ++*(unsigned *) userdata;
}

TEST(requests_of_a_recorded_machine_cannot_be_told_and_probe_says_so) {
        const struct source_drive drive = { .dev = DEV_NUMBER(8, 0) };
        struct source_bpf *s;
        struct source_info info;
        sd_event *event;
        unsigned heard = 0;

        CHECK(sd_event_new(&event) >= 0);
        CHECK_INT(source_bpf_new(test_tmpdir(), event, (struct event_sink) { hear, &heard }, &s), 0);
        CHECK_INT(source_bpf_ops.start(s, &drive, NSEC_PER_SEC), -ENODEV);
        CHECK_INT(source_bpf_ops.probe(s, &info), 1);
        CHECK_STR(info.name, "bpf");
        CHECK_INT(info.state, SOURCE_UNAVAILABLE);
        CHECK(*info.detail);
        source_bpf_ops.stop(s, drive.dev, NSEC_PER_SEC);
        CHECK_INT(heard, 0);
        source_bpf_free(s);
        sd_event_unref(event);
}

/* Whoever runs this: it works, or it says why not. */
TEST(probe_of_this_machine_says_how_well_it_works) {
        struct source_bpf *s;
        struct source_info info;
        sd_event *event;
        unsigned heard = 0;

        CHECK(sd_event_new(&event) >= 0);
        CHECK_INT(source_bpf_new("", event, (struct event_sink) { hear, &heard }, &s), 0);
        CHECK_INT(source_bpf_ops.probe(s, &info), 1);
        CHECK(info.state == SOURCE_WORKS || info.state == SOURCE_UNAVAILABLE);
        CHECK(*info.detail);
        CHECK_INT(heard, 0);
        source_bpf_free(s);
        sd_event_unref(event);
}
