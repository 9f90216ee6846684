/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "request-sources.h"
#include "test.h"

static const struct source_drive drive = { .dev = DEV_NUMBER(8, 0) };
static unsigned heard;

static void hear(void *userdata _unused_, const struct event *e _unused_) {
        heard++;
}

/* Of a recorded machine: whatever this one can do, its requests cannot be told. */
static struct request_sources *open_with(const char *choice, sd_event **ret_event) {
        struct request_sources_config config = {
                .choice = request_sources_choice(choice), .root = test_tmpdir(), .state_dir = test_tmpdir(), .sink = { hear, NULL },
        };
        struct request_sources *s = NULL;

        heard = 0;
        if (sd_event_new(ret_event) >= 0)
                (void) request_sources_new(&config, *ret_event, &s);
        return s;
}

static size_t count(const struct request_sources *s) {
        size_t n = 0;

        while (request_sources_get(s, n))
                n++;
        return n;
}

TEST(a_choice_is_auto_or_proc_or_a_source) {
        CHECK_STR(request_sources_choice("auto"), REQUEST_SOURCE_AUTO);
        CHECK_STR(request_sources_choice("proc"), REQUEST_SOURCE_PROC);
        CHECK_STR(request_sources_choice("bpf"), "bpf");
        CHECK_STR(request_sources_choice("tracefs"), "tracefs");
        CHECK_STR(request_sources_choice("blktrace"), "blktrace");
        CHECK(!request_sources_choice("ftrace"));
        CHECK(!request_sources_choice(""));
}

TEST(each_source_is_named_as_it_is_chosen) {
        sd_event *event;
        struct request_sources *s = open_with("auto", &event);

        CHECK(s);
        CHECK(count(s) > 0);
        for (size_t i = 0; i < count(s); i++) {
                const struct source *source = request_sources_get(s, i);
                struct source_info infos[SOURCE_INFOS_MAX];

                CHECK(source->ops->probe(source->self, infos) >= 1);
                CHECK_STR(request_sources_choice(infos[0].name), infos[0].name);
        }
        request_sources_free(s);
        sd_event_unref(event);
}

TEST(where_no_source_can_the_start_fails_and_nothing_is_told) {
        struct source_cost cost;
        sd_event *event;
        struct request_sources *s = open_with("auto", &event);

        CHECK(s);
        CHECK_INT(request_sources_start(s, &drive, "sda", NSEC_PER_SEC), -ENODEV);
        request_sources_drain(s, 2 * NSEC_PER_SEC);
        request_sources_stop(s, drive.dev, 2 * NSEC_PER_SEC);
        request_sources_cost(s, &cost);
        CHECK_INT(cost.events, 0);
        CHECK_INT(heard, 0);
        request_sources_free(s);
        sd_event_unref(event);
}

TEST(what_was_not_chosen_says_so) {
        sd_event *event;
        struct request_sources *s = open_with("proc", &event);
        struct source_info info = { .name = "tracefs", .state = SOURCE_WORKS, .detail = "fine" };

        CHECK(s);
        request_sources_explain(s, 0, &info);
        CHECK_STR(info.detail, "fine; not used: the configuration asks for proc");
        CHECK_INT(info.state, SOURCE_WORKS);
        info.state = SOURCE_UNAVAILABLE;
        request_sources_explain(s, 0, &info);
        CHECK_INT(info.state, SOURCE_UNNEEDED);
        CHECK_INT(request_sources_start(s, &drive, "sda", NSEC_PER_SEC), -ENODEV);
        request_sources_free(s);
        sd_event_unref(event);
}

TEST(none_is_in_reserve_for_one_that_does_not_work) {
        sd_event *event;
        struct request_sources *s = open_with("auto", &event);

        CHECK(s);
        for (size_t i = 0; i < count(s); i++) {
                struct source_info info = { .state = SOURCE_WORKS, .detail = "fine" };
                request_sources_explain(s, i, &info);
                CHECK_STR(info.detail, "fine");
        }
        request_sources_free(s);
        sd_event_unref(event);
}
